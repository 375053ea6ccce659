"""The scenarios of the comparison of all schemes: paths, who is on them, what they lose, and what sessions run."""

from __future__ import annotations

import dataclasses
import json
from bisect import bisect
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import faircast
from faircast import _native
from faircast.errors import InputError
from faircast.experiments.side_by_side import leo, runs, schemes
from faircast.experiments.side_by_side.cells import (
    ALONE,
    BESIDE,
    PATH_NAMES,
    PATHS,
    QUICK,
    REFERENCE,
    RUNS,
    SCHEMES,
    SITUATIONS,
    Cell,
    Situation,
    cells,
)
from faircast.guests import Bytes, Duration, Scheme
from faircast.scenario import Resolved, resolve

SEED = 3


def cell(path: str, run: str = BESIDE, scheme: schemes.Row = "tfmcc", loss: float = 0.0, tcp: str = "sack") -> Cell:
    """One cell."""
    situation = Situation(path=path, loss=loss, tcp=tcp)
    return Cell(situation=situation, run=run, scheme=scheme if run == BESIDE else "")


@cache
def resolved(wanted: Cell, seed: int = SEED) -> Resolved:
    """Its scenario with all defaults."""
    return resolve(runs.scenario(wanted, seed))


@cache
def network(wanted: Cell) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The directions of links by their names, and of each receiver and flow its ways there and back."""
    found = json.loads(_native.network_map(resolved(wanted).json, SEED))
    ways = {receiver["name"]: receiver for flow in found["flows"] for receiver in flow["receivers"]}
    return {link["name"]: link for link in found["links"]}, ways


def entries(path: str, run: str) -> set[str]:
    """Who gets data on a path, by their names in results."""
    more = {BESIDE: PATHS[path].receivers, ALONE: (), REFERENCE: PATHS[path].instead}[run]
    return {*PATHS[path].tcps, *more}


def test_there_are_ten_rows_and_twelve_columns() -> None:
    assert len(SCHEMES) == 10
    assert len(set(SITUATIONS)) == 12
    assert {str(one) for one in SITUATIONS} >= {"LEO, 0 %, SACK", "GEO, 1 %, CUBIC", "tree, 1 %, SACK"}
    assert set(QUICK) <= set(SITUATIONS)


def test_cells_are_all_runs_of_schemes_and_one_of_each_other_kind() -> None:
    found = cells(SCHEMES, SITUATIONS)
    assert len(found) == len(set(found)) == 120 + 24
    assert all(bool(one.scheme) == (one.run == BESIDE) for one in found)
    few = cells(["mlda", "rlm"], SITUATIONS[:3])
    assert len(few) == 2 * 3 + 2 * 3
    assert set(few) < set(found)


def test_capacities_by_hand() -> None:
    assert [(one.link, one.mbps) for one in PATHS["leo"].bottlenecks] == [("gateway-up", 1.5)]
    assert [(one.link, one.mbps) for one in PATHS["geo"].bottlenecks] == [("sat-down-0", 0.3), ("sat-down-1", 0.3)]
    assert [one.mbps for one in PATHS["tree"].bottlenecks] == [1, 4, 16]


def test_longest_round_trips_by_hand() -> None:
    assert PATHS["leo"].longest_rtt_s == pytest.approx(0.140 + 50 * 1016 * 8 / 1.5e6)
    assert PATHS["geo"].longest_rtt_s == pytest.approx(0.540 + 50 * 512 * 8 / 0.3e6)
    assert PATHS["tree"].longest_rtt_s == pytest.approx(0.060 + 2 * 0.060)
    assert [schemes.initial_max_rtt_s(PATHS[name]) for name in PATH_NAMES] == [0.5, 2, 0.5]


@pytest.mark.parametrize("seed", range(5))
def test_no_way_over_leo_is_longer_than_is_said(seed: int) -> None:
    found = runs.scenario(cell("leo", ALONE), seed) | {"flows": {}, "sessions": {}}
    pairs = [{"from": f"source-{i}", "to": terminal} for i, terminal in enumerate(leo.TERMINALS)]
    found["probes"] = {"interval": "10 s", "paths": pairs}
    delays = faircast.run(found, seed=seed).table("paths")["delay_s"].to_numpy()
    assert delays.min() > 0.02
    assert delays.max() < leo.FARTHEST_S


@pytest.mark.parametrize(("path", "run"), [*product(PATHS, RUNS)])
def test_a_bottleneck_is_the_narrowest_link_of_all_behind_it(path: str, run: str) -> None:
    links, ways = network(cell(path, run))
    assert set(ways) == entries(path, run)
    for name, way in ways.items():
        narrowest = min(way["there"], key=lambda link: links[link]["rate_bps"])
        bottleneck = PATHS[path].bottleneck(name)
        assert narrowest == bottleneck.link
        assert links[narrowest]["rate_bps"] == 1e6 * bottleneck.mbps
    assert resolved(cell(path, run)).data["probes"]["queues"] == [one.link for one in PATHS[path].bottlenecks]


def test_who_is_behind_no_bottleneck_is_an_error() -> None:
    with pytest.raises(KeyError, match="film-9"):
        PATHS["tree"].bottleneck("film-9")


def test_queues_are_those_of_the_papers() -> None:
    assert network(cell("leo"))[0]["gateway-up"]["queue"]["limit"] == "50 packets"
    for i in range(2):
        links = network(cell("geo"))[0]
        assert links[f"sat-down-{i}"]["queue"]["limit"] == "50 packets"
        assert links[f"sat-up-{i}"]["rate_bps"] == 64_000
    for mbps, limit, low, high in ((1, 15, "0.75", "7.5"), (4, 60, "3", "30"), (16, 240, "12", "120")):
        queue = network(cell("tree"))[0][f"branch-{mbps}mbit"]["queue"]
        assert (queue["kind"], queue["gentle"], queue["limit"]) == ("red", True, f"{limit} packets")
        assert (queue["min_th"], queue["max_th"]) == (f"{low} packets", f"{high} packets")


def test_a_round_trip_over_the_tree_has_60_ms() -> None:
    delays = {name: int(link["delay"].split()[0]) for name, link in resolved(cell("tree")).data["links"].items()}
    _, ways = network(cell("tree"))
    assert {2 * sum(delays[link] for link in way["there"]) for way in ways.values()} == {60}


@pytest.mark.parametrize("path", PATHS)
def test_last_hops_lose_data_and_nothing_else_is_lost(path: str) -> None:
    for run in RUNS:
        links, ways = network(cell(path, run, loss=0.01))
        for way in ways.values():
            assert links[way["there"][-1]]["loss"] == {"kind": "bernoulli", "p": 0.01}
            assert {links[link]["loss"]["kind"] for link in (*way["there"][:-1], *way["back"])} == {"none"}
        assert {link["loss"]["kind"] for link in network(cell(path, run))[0].values()} == {"none"}


def test_satellites_lose_on_the_way_to_every_terminal_but_not_to_the_gateway() -> None:
    links, _ = network(cell("leo", loss=0.01))
    lossy = {name for name, link in links.items() if link["loss"]["kind"] != "none"}
    ends = {name for name in links if any(name.endswith(f"-down-{terminal}") for terminal in leo.TERMINALS)}
    assert lossy == ends
    assert any(name.endswith("-down-gateway") for name in links)


@pytest.mark.parametrize(
    ("path", "link", "delay_s"), [("geo", "sat-down-0", 0.125), ("tree", "last-tcp-4mbit-0", 0.005)]
)
def test_paired_runs_meet_the_same_losses_and_starts(path: str, link: str, delay_s: float) -> None:
    """The n-th packet over a link is lost in all of them or in none, and TCP sends its first at one moment."""
    lost, first = [], []
    for wanted in (cell(path, ALONE, loss=0.01), cell(path, REFERENCE, loss=0.01), cell(path, scheme="rlm", loss=0.01)):
        found = short(wanted, 40) | {"probes": {"packets": [link]}}
        rows = faircast.run(found, seed=SEED).table("packets").to_pylist()
        departed = [row["t_s"] for row in rows if row["action"] == "departed"]
        gone = [row["t_s"] - delay_s for row in rows if row["action"] == "lost"]
        lost.append([bisect(departed, moment + 1e-9) for moment in gone])
        first.append(next(row["t_s"] for row in rows if row["flow"] in PATHS[path].tcps))
        assert len(departed) > 400
    counted = min(map(len, lost))
    assert counted >= 2
    assert len({tuple(one[:counted]) for one in lost}) == 1
    if path == "tree":
        assert max(first) - min(first) < 1e-3


def short(wanted: Cell, duration_s: int, seed: int = SEED) -> dict[str, Any]:
    """A scenario that ends earlier."""
    return runs.scenario(wanted, seed) | {"duration": f"{duration_s} s", "warmup": "1 s"}


def test_paired_runs_meet_the_same_hand_offs() -> None:
    found = [cell("leo", ALONE), cell("leo", REFERENCE), cell("leo", scheme="blocking", loss=0.01)]
    handoffs = [faircast.run(short(wanted, 200), seed=SEED).table("handoffs").to_pylist() for wanted in found]
    assert handoffs[0]
    assert handoffs[0] == handoffs[1] == handoffs[2]


@pytest.mark.parametrize("path", PATHS)
def test_the_reference_has_one_tcp_for_each_session_and_bottleneck(path: str) -> None:
    where = PATHS[path]
    data = resolved(cell(path, REFERENCE, tcp="cubic")).data
    assert "sessions" not in data or not data["sessions"]
    assert len(where.instead) == len(set(where.instead)) == len(where.sessions) * len(where.bottlenecks)
    assert set(data["flows"]) == {*where.tcps, *where.instead}
    assert {flow["variant"] for flow in data["flows"].values()} == {"cubic"}
    for bottleneck in where.bottlenecks:
        assert len(bottleneck.instead) == len(where.sessions)
        nodes = {node for session in where.sessions for node in where.members[session][1]}
        assert {where.ends[flow][1] for flow in bottleneck.instead} <= nodes
    sources = {where.members[name][0] for name in where.sessions}
    assert {where.ends[flow][0] for flow in where.instead} == sources
    assert set(resolved(cell(path, ALONE)).data["flows"]) == set(where.tcps)


def test_receivers_are_counted_as_sessions_count_them() -> None:
    assert PATHS["leo"].receivers == ("film-1-0", "film-2-0")
    assert PATHS["geo"].receivers == ("film-0", "film-1")
    assert [one.receivers for one in PATHS["tree"].bottlenecks] == [
        ("film-0", "film-1"),
        ("film-2", "film-3"),
        ("film-4", "film-5"),
    ]


def test_tcp_is_the_same_on_all_paths_but_for_its_packets() -> None:
    for path, size in (("leo", "1000 B"), ("geo", "512 B"), ("tree", "1000 B")):
        for flow in runs.scenario(cell(path, ALONE))["flows"].values():
            assert (flow["mss"], flow["hdr"], flow["delayed_ack"], flow["rto_min"]) == (size, "0 B", True, "1 s")
            jitter = {"leo": "5.4187 ms", "geo": "13.6533 ms", "tree": None}[path]
            assert flow.get("send_jitter") == jitter
            assert flow["start_jitter"] == "1 s"
            assert not {"wnd", "recovery"} & flow.keys()
    assert runs.scenario(cell("geo", ALONE, tcp="cubic"))["flows"]["tcp-0"]["recovery"] == "sack"


def kbps(rates: list[str]) -> list[float]:
    return [round(float(rate.removesuffix(" bit/s")) / 1000, 3) for rate in rates]


def test_fixed_layers_by_hand() -> None:
    def layers(scheme: str, path: str) -> list[float]:
        return kbps(schemes.session(scheme, PATHS[path])["rates"])

    assert layers("blocking", "leo") == [100] * 15
    assert layers("blocking", "geo") == [20] * 15
    assert layers("blocking", "tree") == [1066.667] * 15
    assert layers("rlm", "leo") == [48.387, 96.774, 193.548, 387.097, 774.194]
    assert layers("rlm", "geo") == [9.677, 19.355, 38.71, 77.419, 154.839]
    assert layers("rlm", "tree") == [516.129, 1032.258, 2064.516, 4129.032, 8258.065]
    for scheme, path in product(("blocking", "rlm"), PATHS):
        assert sum(layers(scheme, path)) == pytest.approx(1000 * PATHS[path].mbps, rel=1e-4)


def test_more_layers_are_finer_and_go_as_far() -> None:
    tree_path = PATHS["tree"]
    assert kbps(schemes.equal_layers(tree_path, 64).rates) == [250] * 64
    assert kbps(schemes.doubling_layers(tree_path, 2).rates) == [5333.333, 10666.667]


def test_adaptive_layers_by_hand() -> None:
    for path, base in (("leo", 187_500), ("geo", 37_500), ("tree", 2_000_000)):
        for control in ("tfmcc", "pgmcc"):
            session = schemes.session(f"smcc-{control}", PATHS[path])
            assert (session["control"], session["base_rate"], session["layers"]) == (control, f"{base} bit/s", 4)
            assert session["tfmcc"]["packet_size"] == f"{PATHS[path].packet_bytes} B"
            assert session["tfmcc"]["initial_max_rtt"] == ("2000 ms" if path == "geo" else "500 ms")
            usual = ["32 ms", "64 ms", "128 ms", "256 ms", "512 ms"]
            assert session["rtts"] == ([*usual, "1024 ms", "2048 ms"] if path == "geo" else usual)
        assert schemes.session("mlda", PATHS[path])["layers"] == 3


def test_rows_differ_from_each_other_as_their_names_say() -> None:
    leo_path = PATHS["leo"]
    assert schemes.session("omcc-log", leo_path)["utility"] == "log"
    assert schemes.session("omcc-tcp", leo_path)["utility"] == "tcp"
    plain, apart = (schemes.session(name, leo_path) for name in ("mlda", "mlda-ias"))
    assert apart == plain | {"loss_differentiation": {"rule": "ias"}}
    assert len({json.dumps(schemes.session(name, leo_path)) for name in SCHEMES}) == 10


@pytest.mark.parametrize("path", PATHS)
def test_routers_block_at_bottlenecks_and_for_blocking_alone(path: str) -> None:
    def agents(wanted: Cell) -> set[str]:
        return {name for name, link in network(wanted)[0].items() if link["agent"]}

    assert agents(cell(path, scheme="blocking")) == {one.link for one in PATHS[path].bottlenecks}
    assert agents(cell(path, scheme="rlm")) == agents(cell(path, ALONE)) == agents(cell(path, REFERENCE)) == set()


def test_every_scenario_is_legal_and_nothing_is_to_be_said_of_it() -> None:
    names = set()
    for wanted in cells(SCHEMES, SITUATIONS):
        found = resolved(wanted)
        assert _native.warnings(found.json) == [], wanted
        names.add(found.name)
        path = PATHS[wanted.situation.path]
        given = runs.scenario(wanted, SEED)
        sizes = {flow["mss"] for flow in given["flows"].values()}
        for session in given["sessions"].values():
            sizes.add((session["tfmcc"] if session["scheme"] == "smcc" else session)["packet_size"])
            assert session["membership"]["profile"] == "realistic"
            assert not {"start", "start_jitter", "stop"} & session.keys()
        assert sizes == {f"{path.packet_bytes} B"}
    assert len(names) == 144


def test_only_over_leo_seeds_have_networks_of_their_own() -> None:
    for path in PATHS:
        equal = resolved(cell(path), 1).hash == resolved(cell(path), 2).hash
        assert equal == (path != "leo")
        point = runs.point(cell(path))
        assert callable(point.scenario) == (path == "leo")


def test_a_cell_by_itself_is_the_same_as_among_all() -> None:
    among = {point.key: point for point in runs.points(SCHEMES, SITUATIONS)}
    for situation in SITUATIONS[::5]:
        for point in runs.points(["mlda-ias"], [situation]):
            for seed in (1, 4):
                alone, whole = (resolve(one.scenario_of(seed)).hash for one in (point, among[point.key]))
                assert alone == whole


@pytest.mark.parametrize(("path", "scheme"), [*product(PATHS, SCHEMES)])
def test_everyone_gets_something(path: str, scheme: str) -> None:
    run = faircast.run(short(cell(path, scheme=scheme, loss=0.01), 30), seed=SEED)
    rates = {row["subject"]: row["value"] for row in run.summary.to_pylist() if row["metric"] == "rate"}
    assert all(rates[name] > 0 for name in (*PATHS[path].tcps, *PATHS[path].receivers))


def test_a_scheme_of_the_core_is_a_row_with_its_defaults() -> None:
    assert schemes.session("layered-cbr", PATHS["geo"]) == {"scheme": "layered-cbr", "packet_size": "512 B"}
    assert schemes.session("omcc", PATHS["geo"])["initial_max_rtt"] == "2000 ms"
    assert schemes.session("layer-blocking", PATHS["tree"]) == schemes.session("blocking", PATHS["tree"])
    assert schemes.agent("layer-blocking") == schemes.agent("blocking") == {"kind": "layer-blocking"}
    resolve(runs.scenario(cell("tree", scheme="layer-blocking")))


def test_a_file_of_parameters_is_a_row(tmp_path: Path) -> None:
    file = tmp_path / "slower smcc, é.toml"
    file.write_text('scheme = "smcc"\nlayers = 5\ntfmcc = { rtt_weight = 0.3 }\n')
    row = schemes.read(str(file))
    session = schemes.session(row, PATHS["geo"])
    assert (session["layers"], session["base_rate"]) == (5, "37500 bit/s")
    assert session["tfmcc"] == {"packet_size": "512 B", "initial_max_rtt": "2000 ms", "rtt_weight": 0.3}
    assert schemes.label(row) == "slower smcc, é"
    assert schemes.label("mlda-ias") == "MLDA with IAS"
    found = resolve(runs.scenario(cell("geo", scheme=row)))
    assert found.name == "x-all-slower-smcc----geo-0-sack"
    blocks = tmp_path / "blocks.toml"
    blocks.write_text('scheme = "layer-blocking"\n')
    assert schemes.agent(schemes.read(str(blocks))) == {"kind": "layer-blocking"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('scheme = "tfmcc"\nreceivers = { count = 9 }', "receivers given"),
        ("layers = 3", "names no scheme"),
        ('scheme = "tfmc"', "did you mean tfmcc"),
        ("scheme = ", "TOML"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        schemes.session(schemes.read(str(file)), PATHS["leo"])


def test_schemes_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no scheme plda.*mlda"):
        schemes.session("plda", PATHS["leo"])
    with pytest.raises(InputError, match=r"nowhere\.toml"):
        schemes.read(str(tmp_path / "nowhere.toml"))


@dataclasses.dataclass
class Trickle(Scheme):
    """A scheme of a Python class, which is resolved and not run."""

    packet_size: Bytes = Bytes(700)
    initial_max_rtt: Duration = Duration(100_000_000)
    pause: Duration = Duration(10**9)


def test_a_scheme_from_elsewhere_is_a_row() -> None:
    faircast.register_scheme("trickle", Trickle)
    assert schemes.session("trickle", PATHS["geo"]) == {
        "scheme": "trickle",
        "packet_size": "512 B",
        "initial_max_rtt": "2000 ms",
    }
    resolve(runs.scenario(cell("geo", scheme="trickle")))
