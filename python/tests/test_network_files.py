"""``faircast network``: networks from GraphML, and what is said of files that lack something."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from conftest import Cli, Ran
from terminal import assert_whole_at_all_widths

import faircast
from faircast.maps.graphml import read_graphml
from faircast.maps.network import MapLink, great_circle_km

ROOT = Path(__file__).resolve().parents[2]
RING = ROOT / "examples" / "networks" / "ring.graphml"
KEYS = (
    '<key id="a" for="node" attr.name="label" attr.type="string"/><key id="b" for="node" attr.name="Latitude" '
    'attr.type="double"/><key id="c" for="node" attr.name="Longitude" attr.type="double"/>'
    '<key id="d" for="edge" attr.name="LinkSpeedRaw" attr.type="double"/>\n'
)
TRAFFIC = '\n[flows.web]\nkind = "cbr"\nfrom = "{}"\nto = "{}"\nrate = "100 kbit/s"\n'


def node(name: str, place: tuple[float, float] | None = (0, 0), label: str | None = None) -> str:
    where = "" if place is None else f'<data key="b">{place[0]}</data><data key="c">{place[1]}</data>'
    return (
        f'<node id="{name}">{"" if label is None else f"<data key={chr(34)}a{chr(34)}>{label}</data>"}{where}</node>\n'
    )


def edge(source: str, target: str, rate: float | None = 1e9, more: str = "") -> str:
    said = "" if rate is None else f'<data key="d">{rate}</data>'
    return f'<edge source="{source}" target="{target}"{more}>{said}</edge>\n'


def graph(folder: Path, *parts: str, directed: bool = False) -> Path:
    path = folder / "map.graphml"
    kind = "directed" if directed else "undirected"
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{KEYS}<graph edgedefault="{kind}">\n'
        + "".join(parts)
        + "</graph></graphml>\n"
    )
    return path


def by_name(network: faircast.Network) -> dict[str, MapLink]:
    assert len({link.name for link in network.links}) == len(network.links)
    return {link.name: link for link in network.links}


def test_a_quarter_of_the_earth() -> None:
    """(2 · 6378.137 + 6356.752) / 3 km, times pi / 2; and a degree of longitude at 60 degrees north, by the chord."""
    quarter = (2 * 6378.137 + 6356.752) / 3 * math.pi / 2
    assert great_circle_km((0, 0), (0, 90)) == pytest.approx(quarter, rel=1e-6)
    assert great_circle_km((-90, 12), (0, -70)) == pytest.approx(quarter, rel=1e-6)
    assert great_circle_km((10, 20), (-10, -160)) == pytest.approx(2 * quarter, rel=1e-6)
    assert great_circle_km((1, 179), (1, -179)) == pytest.approx(great_circle_km((1, 0), (1, 2)), rel=1e-9)
    chord = 2 * math.sin(math.radians(0.5)) * math.cos(math.radians(60))
    assert great_circle_km((60, 7), (60, 8)) == pytest.approx(
        quarter * 2 / math.pi * 2 * math.asin(chord / 2), rel=1e-7
    )
    assert great_circle_km((50, 7), (50, 7)) == 0


def test_delays_are_great_circles_over_the_speed_in_fibre(tmp_path: Path) -> None:
    path = graph(tmp_path, node("x", (0, 0)), node("y", (0, 1)), edge("x", "y"))
    degree_km = (2 * 6378.137 + 6356.752) / 3 * math.pi / 180
    (link,) = faircast.network(path).links
    assert link.delay == pytest.approx(degree_km / 200_000 * 1e9, abs=1000)
    (link,) = faircast.network(path, speed=100_000, detour=1.5).links
    assert link.delay == pytest.approx(3 * degree_km / 200_000 * 1e9, abs=1000)
    assert (
        "Delays are great circles at 100000 km/s, times 1.5." in faircast.network(path, speed=1e5, detour=1.5).remarks
    )
    (link,) = faircast.network(path, delay="9 ms").links  # only of those that have no place
    assert link.delay == pytest.approx(degree_km / 200_000 * 1e9, abs=1000)


def test_rates_are_those_of_the_file_or_as_given(tmp_path: Path) -> None:
    path = graph(
        tmp_path, node("x"), node("y"), node("z"), edge("x", "y", 2.5e9), edge("y", "z", None), edge("z", "x", 0)
    )
    made = faircast.network(path, rate="155 Mbit/s")
    assert [link.rate for link in made.links] == [2.5e9, 155e6, 155e6]
    assert "The file says no rate of 2 edges: 155 Mbit/s, as given." in made.remarks
    assert made.tables()["links"]["x--y"] == {"from": "x", "to": "y", "rate": "2.5 Gbit/s", "delay": "0 ms"}
    with pytest.raises(
        faircast.InputError, match=r"map.graphml, line 7: the edge from y to z has no LinkSpeedRaw, nor have 1 "
    ):
        faircast.network(path)


def test_labels_become_names(tmp_path: Path) -> None:
    labels = ["Köln", "Washington, DC", "New York", "New York", "New-York", "日本", "", "New York-2", "x" * 90]
    nodes = [node(str(i), label=label) for i, label in enumerate(labels)]
    edges = [edge("0", str(i)) for i in range(1, len(labels))]
    made = faircast.network(graph(tmp_path, *nodes, node("n9"), edge("0", "n9"), *edges))
    assert made.nodes == (
        "Koln", "Washington-DC", "New-York", "New-York-2", "New-York-3", "node-5", "6", "New-York-2-2", "x" * 40, "n9"
    )  # fmt: skip
    assert (
        "Labels that are there several times have numbers behind: New-York-2, New-York-3, New-York-2-2." in made.remarks
    )
    assert any("Koln (Köln), Washington-DC (Washington, DC)" in remark for remark in made.remarks)


def test_links_side_by_side(tmp_path: Path) -> None:
    """They stay, under names that no other link can have, or become one."""
    nodes = [node("0", label="A"), node("1", label="B"), node("2", label="B")]
    edges = [edge("0", "1", 1e9), edge("0", "1", 2e9), edge("1", "0", 4e9), edge("0", "2", 8e9)]
    made = faircast.network(graph(tmp_path, *nodes, *edges))
    assert {name: link.rate for name, link in by_name(made).items()} == {
        "A--B": 1e9, "A--B--2": 2e9, "B--A--3": 4e9, "A--B-2": 8e9
    }  # fmt: skip
    assert any("of which packets take the first of the shortest: A--B." in remark for remark in made.remarks)
    made = faircast.network(graph(tmp_path, *nodes, *edges), merge=True)
    assert {name: (link.rate, link.rate_back) for name, link in by_name(made).items()} == {
        "A--B": (7e9, None), "A--B-2": (8e9, None)
    }  # fmt: skip


def test_edges_with_a_direction(tmp_path: Path) -> None:
    """Two that lead forth and back are a link; one alone is simplex."""
    nodes = [node(name) for name in "xyz"]
    edges = [edge("x", "y", 1e9), edge("y", "z", 3e9), edge("y", "x", 2e9), edge("x", "y", 5e9)]
    path = graph(tmp_path, *nodes, *edges, directed=True)
    made = by_name(faircast.network(path))
    assert list(made) == ["x--y", "y--z", "x--y--2"]
    assert (made["x--y"].rate, made["x--y"].rate_back, made["x--y"].is_simplex) == (1e9, 2e9, False)
    assert made["y--z"].is_simplex
    assert made["x--y--2"].is_simplex
    assert "Simplex, as no edge leads back: 2 links, y to z, x to y; undirected gives both directions." in (
        faircast.network(path).remarks
    )
    plain = faircast.network(path, undirected=True)
    assert [link.name for link in plain.links] == ["x--y", "y--z", "y--x--2", "x--y--3"]
    assert not any(link.is_simplex or link.rate_back for link in plain.links)
    assert not any("Simplex" in remark for remark in plain.remarks)
    merged = by_name(faircast.network(path, merge=True))
    assert (merged["x--y"].rate, merged["x--y"].rate_back) == (6e9, 2e9)
    text = faircast.network(path).toml() + TRAFFIC.format("x", "y")
    (tmp_path / "s.toml").write_text(text)
    links = json.loads(faircast.resolve(tmp_path / "s.toml").json)["links"]
    assert links["x--y"]["back"]["rate"] == "2 Gbit/s"
    assert links["y--z"]["simplex"] is True
    opposite = graph(tmp_path, *nodes, edge("x", "y", 1e9), edge("y", "x", 2e9), edge("y", "x", 4e9), directed=True)
    merged = by_name(faircast.network(opposite, merge=True))
    assert (merged["x--y"].rate, merged["x--y"].rate_back, merged["x--y"].is_simplex) == (1e9, 6e9, False)
    in_turn = [edge("x", "y", 1e9), edge("x", "y", 3e9), edge("y", "x", 2e9), edge("y", "x", 4e9)]
    made = by_name(faircast.network(graph(tmp_path, *nodes, *in_turn, directed=True)))
    assert [(link.rate, link.rate_back) for link in made.values()] == [(1e9, 2e9), (3e9, 4e9)]
    both = graph(
        tmp_path, *nodes, edge("x", "y", 1e9, ' directed="false"'), edge("y", "z"), edge("z", "y"), directed=True
    )
    assert not any(link.is_simplex or link.rate_back for link in faircast.network(both).links)


def test_parts_that_do_not_hang_together(tmp_path: Path) -> None:
    nodes = [node(name) for name in "abcdef"]
    path = graph(tmp_path, *nodes, edge("e", "d"), edge("a", "b"), edge("f", "d"))
    made = faircast.network(path)
    assert (len(made.nodes), len(made.links)) == (6, 3)
    assert "There are 3 parts that do not hang together, of 3, 2, 1 nodes: nothing can be sent between." in made.remarks
    largest = faircast.network(path, largest=True)
    assert largest.nodes == ("d", "e", "f")
    assert [link.name for link in largest.links] == ["e--d", "f--d"]
    assert any("the largest is taken" in remark for remark in largest.remarks)


def test_nodes_without_a_place(tmp_path: Path) -> None:
    path = graph(
        tmp_path, node("x"), node("y", None), node("z", (0, 1)), node("w", None), edge("x", "y"), edge("x", "z")
    )
    made = by_name(faircast.network(path, delay="3 ms"))
    assert made["x--y"].delay == 3_000_000
    assert made["x--z"].delay == pytest.approx(555_975, abs=10)
    assert "y, w have no coordinates: 1 link of 3 ms, as given." in faircast.network(path, delay="3 ms").remarks
    said = r"map.graphml, line 4: the node y has no coordinates, nor have 1 more, so 1 edge cannot have a delay; give"
    with pytest.raises(faircast.InputError, match=said):
        faircast.network(path)
    half = graph(tmp_path, node("x"), '<node id="y"><data key="b">5</data></node>\n', edge("x", "y"))
    assert faircast.network(half, delay="3 ms").links[0].delay == 3_000_000
    alone = graph(tmp_path, node("x"), node("y"), node("w", None), edge("x", "y"))
    assert len(faircast.network(alone).nodes) == 3


def test_loops_are_left_out(tmp_path: Path) -> None:
    made = faircast.network(graph(tmp_path, node("x"), node("y"), edge("x", "x"), edge("x", "y")))
    assert [link.name for link in made.links] == ["x--y"]
    assert "Left out, as they lead from a node to itself: 1 edge at x." in made.remarks


def test_what_the_viewer_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.graphml"
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '<key id="latitude_deg" for="node" attr.name="latitude_deg" attr.type="double"/>'
        '<key id="longitude_deg" for="node" attr.name="longitude_deg" attr.type="double"/>'
        '<key id="capacity_bps" for="edge" attr.name="capacity_bps" attr.type="double"/>'
        '<graph id="network" edgedefault="directed">'
        '<node id="a"><data key="latitude_deg">0</data><data key="longitude_deg">0</data></node>'
        '<node id="b"><data key="latitude_deg">0</data><data key="longitude_deg">1</data></node>'
        '<edge source="a" target="b"><data key="capacity_bps">1000000</data></edge>'
        '<edge source="b" target="a"><data key="capacity_bps">64000</data></edge></graph></graphml>'
    )
    (link,) = faircast.network(path).links
    assert (link.rate, link.rate_back) == (1e6, 64e3)
    assert link.delay == pytest.approx(555_975, abs=10)


def test_one_link_is_said_as_one(cli: Cli, tmp_path: Path) -> None:
    path = graph(tmp_path, node("x"), node("y"), edge("x", "y", 1e9))
    done = cli("network", path, "--out", tmp_path / "one.toml")
    assert ": 2 nodes, 1 link with a delay of " in done.out


def test_defaults_of_keys_count(tmp_path: Path) -> None:
    path = graph(tmp_path, node("x"), node("y"), edge("x", "y", None))
    text = path.read_text().replace(
        '"LinkSpeedRaw" attr.type="double"/>', '"LinkSpeedRaw"><default>7e6</default></key>'
    )
    path.write_text(text)
    assert faircast.network(path).links[0].rate == 7e6


def test_the_sample_becomes_a_scenario(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    given = "--rate", "10 Gbit/s", "--delay", "2 ms"
    done = cli("network", RING, *given, "--out", "ring.toml")
    assert done.code == 0, done.err
    assert "8 nodes, 8 links with delays of 0.0693 to 6.82 ms" in done.out
    made = faircast.network(RING, rate="10 Gbit/s", delay="2 ms")
    text = Path("ring.toml").read_text()
    assert text == made.toml()
    for remark in made.remarks:
        assert f"# {remark}\n" in text
        assert remark in done.out
    Path("ring.toml").write_text(text + TRAFFIC.format("Koln", "Gateway"))
    resolved = json.loads(faircast.resolve("ring.toml").json)
    assert set(resolved["links"]) == {link.name for link in made.links}
    for link in made.links:
        assert resolved["links"][link.name]["from"] == link.source
    shortest = by_name(made)["Koln--Paris"].delay + by_name(made)["Paris--Madrid"].delay
    assert f"{shortest / 1e6:.3f} ms" in str(faircast.paths("ring.toml", "Koln", "Madrid"))
    tree = {"format": 1, "name": made.name, "duration": "1 s", **made.tables()}
    flow = {"kind": "cbr", "from": "Koln", "to": "Gateway", "rate": "100 kbit/s"}
    assert json.loads(faircast.resolve(tree | {"flows": {"web": flow}}).json)["links"] == resolved["links"]
    shown = json.loads(cli("network", RING, *given, "--out", "other.toml", "--json").out)
    assert shown["links"]["Koln--Paris"]["rate"] == "10 Gbit/s"
    done = cli("network", RING, *given, "--out", "ring.toml")
    assert (done.code, done.err) == (2, "faircast: ring.toml is there already; name a new file\n")
    assert cli("network", RING, *given, "--out", "no/ring.toml").code == 2


def test_the_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def again(*arguments: object) -> Ran:
        (tmp_path / "ring.toml").unlink(missing_ok=True)
        return cli(*arguments, "--out", "ring.toml")

    monkeypatch.chdir(tmp_path)
    given = "network", RING, "--rate", "1 Gbit/s", "--delay", "1 ms"
    done = assert_whole_at_all_widths(again, monkeypatch, *given)
    assert "Koln (Köln)" in done.out


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<graphml><graph><node id="&b;"/></graph>'
BAD = [
    ("", "no legal XML: no element found"),
    ("<graphml>\n<graph>\n</graphml>", "map.graphml, line 3: no legal XML: mismatched tag"),
    ("<gml/>", "map.graphml, line 1: the file is gml; legal is graphml"),
    ("<graphml/>", "map.graphml has no graph; legal is a graph with nodes and edges"),
    ("<graphml><graph/></graphml>", "map.graphml has no nodes"),
    (BOMB, "map.graphml, line 1: a document type; legal is a file without one"),
    ('<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<graphml/>', "a document type"),
    (
        '<graphml><graph><node id="a"/>\n<node id="a"/></graph></graphml>',
        "line 2: the node a is there a second time, af",
    ),
    ("<graphml><graph>\n<node/></graph></graphml>", "line 2: the node has no id"),
    (
        '<graphml><graph><node id="a"/>\n<edge source="a"/></graph></graphml>',
        "line 2: the edge has no source or no target",
    ),
    ('<graphml><graph><node id="a"/>\n<edge source="a" target="b"/></graph></graphml>', "line 2: there is no node b"),
    (
        '<graphml><graph><node id="a"/>\n<hyperedge/></graph></graphml>',
        "line 2: a hyperedge, between more than two nodes",
    ),
    ('<graphml><graph><node id="a"/></graph>\n<graph/></graphml>', "line 2: a second graph; legal is one"),
    ('<graphml><graph>\n<node id="a"><data key="q">1</data></node></graph></graphml>', "line 2: there is no key q"),
    (
        '<graphml><graph><node id="a"/></graph></graphml>',
        "map.graphml has no links; legal is a graph with an edge betw",
    ),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_bad_files(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("map.graphml").write_text(text)
    done = cli("network", "map.graphml", "--out", "x.toml")
    assert (done.code, done.out, done.err.count("\n"), said in done.err) == (2, "", 1, True), done.err
    assert not Path("x.toml").exists()


def test_bad_values(tmp_path: Path) -> None:
    good = node("x"), node("y", (1, 1)), edge("x", "y")
    for parts, options, said in (
        (
            (node("x", (91, 0)), node("y"), edge("x", "y")),
            {},
            "line 3: latitude 91, longitude 0 is no place on the earth",
        ),
        ((node("x"), node("y"), edge("x", "y", 5)), {}, "line 5: 5 bit/s are not legal; legal are 10 to 1e13 bit/s"),
        ((node("x"), node("y"), edge("x", "y", -5)), {}, "line 5: -5 bit/s are not legal"),
        ((node("x"), node("y"), edge("x", "y", math.nan)), {}, "line 5: LinkSpeedRaw is nan; legal is a number"),
        (good, {"rate": "5"}, "the rate is 5; legal is 10 bit/s to 10000 Gbit/s"),
        (good, {"rate": "1 bit/s"}, "the rate is 1 bit/s"),
        (good, {"delay": "2 h"}, "the delay is 2 h; legal is up to 1 h"),
        (good, {"delay": "2"}, "the delay is 2; write it with its unit"),
        (good, {"speed": 300_000.0}, "the speed is 300000.0; legal is above 0 up to 299792.458 km/s"),
        (good, {"speed": 0.0}, "the speed is 0.0"),
        (good, {"detour": 0.9}, "the detour is 0.9; legal is 1 to 10"),
    ):
        with pytest.raises(faircast.InputError) as raised:
            faircast.network(graph(tmp_path, *parts), **options)  # type: ignore[arg-type]
        assert said in str(raised.value)
    with pytest.raises(faircast.InputError, match="is a folder"):
        faircast.network(tmp_path)
    with pytest.raises(faircast.InputError, match="is not there"):
        faircast.network(tmp_path / "none.graphml")


def test_what_is_said_of_elements_is_read_by_the_names_of_keys(tmp_path: Path) -> None:
    found = read_graphml(RING)
    assert found.data == {"label": "Ring"}
    assert found.nodes["0"].data == {"label": "Köln", "Latitude": "50.94", "Longitude": "6.96"}
    assert (found.edges[0].line, found.edges[0].data["LinkLabel"]) == (21, "10 Gbps")
    assert not found.edges[0].is_directed
    del tmp_path
