"""Networks of a reader's own in the comparisons of all schemes: what a file has to hold, and what becomes of it."""

from __future__ import annotations

import csv
import json
import pickle
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast.errors import InputError
from faircast.experiment import Brought
from faircast.experiments import load
from faircast.experiments.side_by_side import own, runs, schemes
from faircast.experiments.side_by_side.cells import ALONE, BESIDE, PATHS, REFERENCE, Cell, Situation, of_network
from faircast.experiments.side_by_side.heat_map import ordered
from faircast.experiments.side_by_side.path import Bottleneck
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.narrowing import narrow
from faircast.scenario import resolve

VILLAGE = """
format = 1
name = "village"
duration = "20 s"
warmup = "2 s"

[nodes.server]
[nodes.mast]
[nodes.house-1]
[nodes.house-2]
[nodes.house-3]

[links.radio]
from = "server"
to = "mast"
rate = "4 Mbit/s"
delay = "15 ms"
queue = { kind = "drop-tail", limit = "40 packets" }

[links.line-1]
from = "mast"
to = "house-1"
rate = "20 Mbit/s"
delay = "2 ms"

[links.line-2]
from = "mast"
to = "house-2"
rate = "1 Mbit/s"
delay = "5 ms"
queue = { kind = "red", limit = "30 packets" }
header = "25 B"

[links.line-3]
from = "mast"
to = "house-3"
rate = "20 Mbit/s"
delay = "9 ms"

[probes]
queues = ["radio", "line-2"]

[sessions.film]
scheme = "pgmcc"
source = "server"
receivers = { nodes = ["house-1", "house-2"] }

[flows.web]
kind = "tcp"
count = 2
from = "server"
to = ["house-1", "house-3"]

[flows.far]
kind = "tcp"
from = "server"
to = "house-2"
"""


@pytest.fixture
def village(cli: Cli) -> str:
    """The name of the file, in the working directory of the command."""
    Path("village.toml").write_text(VILLAGE)
    return "village.toml"


@cache
def brought() -> Brought:
    """A network that has been read: one bottleneck for two entries, another for the others."""
    return Brought.of("village.toml", own.record(resolve(VILLAGE)))


def test_what_a_file_says_becomes_a_path() -> None:
    path = own.path(brought())
    assert path.bottlenecks == (
        Bottleneck(link="radio", mbps=4, tcps=("web-0", "web-1"), receivers=("film-0",), instead=("instead-film-0",)),
        Bottleneck(
            link="line-2", mbps=1, header_bytes=25, tcps=("far",), receivers=("film-1",), instead=("instead-film-1",)
        ),
    )
    assert path.members == {"film": ("server", ("house-1", "house-2"))}
    assert path.ends == {
        "web-0": ("server", "house-1"),
        "web-1": ("server", "house-3"),
        "far": ("server", "house-2"),
        "instead-film-0": ("server", "house-1"),
        "instead-film-1": ("server", "house-2"),
    }
    assert (path.duration_s, path.warmup_s, path.packet_bytes) == (20, 2, 1000)
    # Over the radio 2 (15 + 9) ms and 40 packets of 2 ms; over the line 2 (15 + 5) ms and a queue of twice that.
    assert path.longest_rtt_s == pytest.approx(0.128)
    # One packet of the link where its queue is drop-tail: where it is RED none.
    assert path.jitters_s == {"web-0": 0.002, "web-1": 0.002, "instead-film-0": 0.002}
    with_queue = own.path(brought(), "tail-one")
    assert with_queue.longest_rtt_s == pytest.approx(0.048 * 2)
    assert with_queue.jitters_s["far"] == pytest.approx(1025 * 8 / 1e6)
    assert own.path(brought(), "tail-quarter").longest_rtt_s == pytest.approx(0.048 * 1.25)
    assert own.path(brought(), "codel").longest_rtt_s == pytest.approx(0.048 * 3)


def test_the_tree_from_a_file_is_the_tree_of_the_comparison(tmp_path: Path) -> None:
    """Entry by entry, with every default, but for the names of scenario and path."""
    tree = PATHS["tree"]
    said = runs.scenario(Cell(situation=Situation(path="tree", loss=0.0, tcp="sack"), run=ALONE))
    said["flows"] = {name: {"kind": "tcp", "from": one, "to": two} for name, (one, two) in tree.ends.items()}
    said["flows"] = {name: flow for name, flow in said["flows"].items() if name in tree.tcps}
    source, nodes = tree.members["film"]
    said["sessions"] = {"film": {"scheme": "tfmcc", "source": source, "receivers": {"nodes": list(nodes)}}}
    said["probes"] = {"queues": said["probes"]["queues"]}
    file = tmp_path / "garden.toml"
    file.write_text(toml(said))
    network = own.read(str(file))
    path = own.path(network)
    assert (path.bottlenecks, path.members, path.ends) == (tree.bottlenecks, tree.members, tree.ends)
    assert path.longest_rtt_s == pytest.approx(tree.longest_rtt_s)
    for run, scheme in ((BESIDE, "tfmcc"), (BESIDE, "smcc-tfmcc"), (BESIDE, "blocking"), (ALONE, ""), (REFERENCE, "")):
        here, there = (
            resolve(runs.scenario(Cell(situation=situation, run=run, scheme=scheme))).data
            for situation in (of_network(network)[0], Situation(path="tree", loss=0.0, tcp="sack"))
        )
        assert here.pop("name") != there.pop("name")
        assert here == there, run


def test_headers_of_a_topology_count() -> None:
    """Iridium's links have headers, which no line of the file says."""
    said = runs.scenario(Cell(situation=Situation(path="leo", loss=0.0, tcp="sack"), run=ALONE))
    terminals = list(said["stations"])
    said["sessions"] = {"film": {"scheme": "tfmcc", "source": "source-0", "receivers": {"nodes": terminals[:1]}}}
    found = own.record(resolve(said))
    (there,) = PATHS["leo"].bottlenecks
    (here,) = found["bottlenecks"]
    assert (here["link"], here["mbps"], here["header_bytes"]) == (there.link, there.mbps, there.header_bytes)


def toml(scenario: dict[str, Any]) -> str:
    """A scenario as TOML, as far as these need it."""

    def value(it: Any) -> str:
        if isinstance(it, dict):
            return "{ " + ", ".join(f"{key} = {value(item)}" for key, item in it.items()) + " }"
        return "[" + ", ".join(map(value, it)) + "]" if isinstance(it, list) else json.dumps(it)

    lines = [f"{key} = {value(it)}" for key, it in scenario.items() if not isinstance(it, dict)]
    return "\n".join([*lines, *(f"{key} = {value(it)}" for key, it in scenario.items() if isinstance(it, dict))])


def test_agents_and_queues_stand_at_its_bottlenecks_alone() -> None:
    (first, *_) = of_network(brought())
    made = resolve(runs.scenario(Cell(situation=first, run=BESIDE, scheme="blocking"))).data["links"]
    assert {name for name, link in made.items() if link.get("agent")} == {"radio", "line-2"}
    plain = resolve(runs.scenario(Cell(situation=first, run=ALONE))).data["links"]
    assert {name: link["queue"]["kind"] for name, link in plain.items() if "queue" in link} == {
        "radio": "drop-tail",
        "line-2": "red",
    }
    situations = of_network(brought(), tuple(QUEUES))
    assert [one.queue for one in situations[::2]] == list(QUEUES)
    codel = next(one for one in situations if one.queue == "codel")
    links = resolve(runs.scenario(Cell(situation=codel, run=ALONE))).data["links"]
    assert [links[name]["queue"]["kind"] for name in ("radio", "line-2")] == ["codel", "codel"]
    # The direction back keeps what it had.
    assert links["radio"]["back"]["queue"] == plain["radio"]["queue"]
    assert "queue" not in links["line-1"]


def test_it_travels_with_what_is_kept_of_a_run() -> None:
    """Where runs are computed elsewhere there is no such file."""
    (situation, *_) = of_network(brought())
    point = runs.point(Cell(situation=situation, run=ALONE))
    again = pickle.loads(pickle.dumps(point.key))
    assert again == point.key
    assert again.situation.on == situation.on
    assert str(point.key) == "alone: own: village, SACK"
    assert ordered({situation, Situation(path="tree", loss=0.01, tcp="cubic")})[1] == situation


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('queues = ["radio", "line-2"]', "", "names no bottleneck: say which links limit, in the direction of the "),
        ('"radio", "line-2"', '"line-2"', "no link of probes.queues (line-2) is on the way to"),
        ('"radio", "line-2"', '"radio", "line-1.back"', "probes.queues names line-1.back, which limits no receiver"),
        ('"radio", "line-2"', '"radio", "lien-2"', "there is no link lien-2; did you mean line-2?"),
        ('to = "house-2"\nrate', 'to = "house-3"\nrate', "receiver film-1 cannot be reached"),
        ('"house-1", "house-2"', '"house-1", "server"', "film-1 is on the node of its source"),
        ('scheme = "pgmcc"', 'scheme = "tfmcc"\npacket_size = "500 B"', "sessions.film.packet_size: the comparison"),
        ('"house-2"] }', '"house-2"], join = "5 s" }', "sessions.film.receivers.join: the comparison itself says this"),
        ('kind = "tcp"\nfrom', 'kind = "tcp"\nvariant = "cubic"\nfrom', "flows.far.variant: the comparison itself"),
        ('kind = "tcp"\nfrom', 'kind = "cbr"\nfrom', "flows.far.kind: what is beside sessions here is TCP"),
        ('warmup = "2 s"', "seed = 7", "seed: the comparison itself says this"),
        ("[probes]", "[probes]\ntrace = true", "probes.trace: the comparison itself says this"),
        ('rate = "4 Mbit/s"', 'rate = "4 Mbit"', "line 16, links.radio.rate"),
    ],
)
def test_what_is_none_for_a_comparison_is_refused_before_anything_runs(
    village: str, cli: Cli, old: str, new: str, said: str
) -> None:
    text = VILLAGE.replace(old, new)
    assert text != VILLAGE
    Path(village).write_text(text)
    done = cli("reproduce", "x-all", "--only", f"path={village}", "--out", "here")
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split()), done.err
    assert not Path("here").exists()


def test_files_without_sessions_or_tcp_and_files_that_are_none(village: str, cli: Cli) -> None:
    head, sessions = VILLAGE.split("[sessions.film]")
    flows = "[flows.web]" + sessions.split("[flows.web]")[1]
    for text, said in ((head + flows, "it has no session"), (VILLAGE.split("[flows.web]")[0], "it has no flow of TCP")):
        Path(village).write_text(text)
        with pytest.raises(InputError, match=said):
            own.read(village)
    for only, said in (
        ("path=vilage.toml", "path vilage.toml: there is no such file"),
        ("path=.toml/..", "there is no path .toml/.."),
        ("path=goe", "there is no path goe (did you mean geo?); there are: leo, geo, tree, or a scenario file"),
    ):
        done = cli("reproduce", "x-all", "--only", only, "--out", "here")
        assert (done.code, done.out) == (2, "")
        assert said in done.err
    assert not Path("here").exists()


def test_who_reproduces_a_network_says_so(village: str, cli: Cli) -> None:
    for name in ("peng-fig5", "x-all-cubic", "x-tfmcc"):
        done = cli("reproduce", name, "--only", f"path={village}", "--out", "here")
        assert (done.code, done.out) == (2, "")
        assert f"{name} has no axes" in done.err
        assert "Its network is part of what it reproduces; a network of your own is for x-all, x-queues" in done.err
    plain = cli("reproduce", "peng-fig5", "--only", "path=geo", "--out", "here")
    assert "Its network" not in plain.err


def test_two_networks_of_one_name_and_losses_are_refused(village: str) -> None:
    Path("other").mkdir()
    Path("other/village.toml").write_text(VILLAGE)
    with pytest.raises(InputError, match="both would be called village"):
        narrow(load("x-all"), {"path": [village, "other/village.toml"]})
    with pytest.raises(InputError, match="says itself what it loses"):
        narrow(load("x-all"), {"path": village, "loss": "1%"})
    both = narrow(load("x-all"), {"path": [village, "geo"], "scheme": "tfmcc", "loss": "0%"}).points(False)
    assert [str(point.key.situation) for point in both if point.key.scheme] == [  # type: ignore[attr-defined]
        "GEO, 0 %, SACK",
        "GEO, 0 %, CUBIC",
        "own: village, SACK",
        "own: village, CUBIC",
    ]


ONLY = ("--only", "path=village.toml", "--only", "scheme=tfmcc", "--only", "tcp=sack", "--reps", 2)


def test_a_folder_keeps_the_network(village: str, cli: Cli, runs: list[int]) -> None:
    done = cli("reproduce", "x-all", *ONLY, "--out", "here")
    assert done.code == 0, done.err
    said = " ".join(done.out.split())
    assert "The network of village.toml is the reader's own: nothing is published of it, and nothing is judged" in said
    assert {item.verdict for item in faircast.read("here")["x-all"].criteria} == {"reported"}
    assert json.loads(Path("here/manifest.json").read_text())["brought"] == {village: brought().said}
    assert len(runs) == 6
    # Every view has the same runs, also after the file has gone, and not after it has become another.
    Path(village).unlink()
    runs.clear()
    views = ("x-all-harm", "x-all-receivers", "x-all-course", "x-all-cost")
    assert cli("reproduce", *views, *ONLY, "--out", "here").code == 0
    assert runs == []
    Path(village).write_text(VILLAGE.replace("15 ms", "16 ms"))
    changed = cli("reproduce", "x-all", *ONLY, "--out", "here")
    assert (changed.code, changed.out) == (2, "")
    assert "here holds a reproduction with what village.toml said then, and it says something else now" in changed.err
    # What is none of the network is none of it: another description, another order.
    Path(village).write_text(VILLAGE.replace('duration = "20 s"', 'description = "x"\nduration = "20000 ms"'))
    assert cli("reproduce", "x-all", *ONLY, "--out", "here").code == 0
    rows = list(csv.DictReader(Path("here/x-all/cells.csv").read_text().splitlines()))
    assert {row["path"] for row in rows} == {village}
    assert f"--only path={village} " in rows[0]["command"]


def test_an_archive_has_the_network_in_it(village: str, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("reproduce", "x-all", *ONLY, "--out", "here").code == 0
    Path(village).unlink()
    assert cli("archive", "here", "--out", "here.zip").code == 0
    Path("elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    done = cli("verify", "../here.zip")
    assert done.code == 0, done.err
    assert "x-all/cells.csv" in done.out
    assert "repeated byte by byte" in done.out


def test_a_scheme_has_on_it_what_the_path_decides() -> None:
    path = own.path(brought())
    assert schemes.session("tfmcc", path)["initial_max_rtt"] == "500 ms"
    assert schemes.session("rlm", path)["rates"][-1] == f"{round(4e6 / 31 * 16)} bit/s"
