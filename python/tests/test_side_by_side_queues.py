"""x-queues: its paths, rows and columns, what is drawn of them, and layer blocking by drops in the tree."""

from __future__ import annotations

import dataclasses
from array import array
from typing import Any

import pytest

from faircast.errors import InputError
from faircast.experiment import Data, PointData
from faircast.experiments import APART, load, select
from faircast.experiments.side_by_side import heat_map, rates, runs, views
from faircast.experiments.side_by_side.cells import ALONE, OF_QUEUES, PATHS, REFERENCE, SITUATIONS, Cell, Situation
from faircast.experiments.side_by_side.comparison import ALL, IN_QUEUES
from faircast.experiments.side_by_side.heat_map import RATIO, Grid
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.surprises import blocking_by_drops as blocking
from faircast.figures import style
from faircast.narrowing import narrow
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

NONE: Any = None


def situation(path: str, tcp: str = "sack") -> Situation:
    return Situation(path=path, loss=0.0, tcp=tcp)


def test_there_are_eleven_rows_and_thirty_two_columns() -> None:
    assert len(QUEUES) == 8
    assert len(set(OF_QUEUES)) == 32
    assert not set(OF_QUEUES) & set(SITUATIONS)
    experiment = load("x-queues")
    keys = [point.key for point in experiment.points(False)]
    assert len({key.scheme for key in keys if key.run == "beside"}) == 11
    assert len(keys) == 32 * 13
    assert {str(one) for one in OF_QUEUES} >= {"home gateway, CoDel, SACK", "forward link, FQ-S, CUBIC"}
    assert {key.scheme for point in load("x-all").points(False) for key in [point.key]}.isdisjoint({"blocking-drops"})
    # Views have the same runs.
    for name in ("x-queues-harm", "x-queues-course"):
        assert all(a is b for a, b in zip(load(name).points(False), experiment.points(False), strict=True))


def test_all_leaves_both_comparisons_out() -> None:
    assert APART == ("side-by-side", "queues", "operator")
    assert {found.paper for found in select(everything=True)}.isdisjoint(APART)
    assert next(found.id for found in select(paper="queues")) == "x-queues"


@pytest.mark.parametrize("path", [path for path in PATHS.values() if path.queue])
def test_paths_say_what_their_scenarios_have(path: Any) -> None:
    (bottleneck,) = path.bottlenecks
    for run in ("beside", ALONE, REFERENCE):
        cell = Cell(situation=situation(path.name), run=run, scheme="blocking-drops" if run == "beside" else "")
        found = runs.scenario(cell)
        assert found["links"][bottleneck.link]["queue"] == QUEUES[path.queue].config
        assert found["links"][bottleneck.link]["rate"] == f"{bottleneck.mbps} Mbit/s"
        expected = {"kind": "layer-blocking", "reads": "drops"} if run == "beside" else None
        assert found["links"][bottleneck.link].get("agent") == expected
        resolved = resolve(found)
        assert resolved.name.startswith("x-queues-")
    published = runs.scenario(Cell(situation=situation(path.name), run="beside", scheme="blocking"))
    assert published["links"][bottleneck.link]["agent"] == {"kind": "layer-blocking"}


def test_round_trips_by_hand() -> None:
    home, forward = PATHS["home-codel"], PATHS["forward-codel"]
    assert home.longest_rtt_s == pytest.approx(3 * 2 * (0.004 + 0.005 + 0.001))
    assert forward.longest_rtt_s == pytest.approx(3 * 2 * (0.010 + 0.250))
    assert (home.send_jitter_s, forward.send_jitter_s) == (pytest.approx(0.00024), pytest.approx(0.0012))
    assert len(forward.receivers) == len(forward.tcps) == 10
    assert len(forward.instead) == 1


def test_commands_name_the_queue() -> None:
    data = Data({}, [1, 2, 3], quick=False)
    place = ("mlda", situation("forward-fq-session", "cubic"))
    assert IN_QUEUES.command("x-queues", data, place) == (
        "faircast reproduce x-queues --only scheme=mlda --only path=forward --only queue=fq-session --only tcp=cubic "
        "--reps 3"
    )
    assert ALL.written(("mlda", Situation(path="geo", loss=0.01, tcp="sack"))) == {
        "scheme": "mlda",
        "path": "geo",
        "loss": "1%",
        "tcp": "sack",
    }
    few = narrow(load("x-queues"), {"queue": "codel", "path": "home", "scheme": ["blocking-drops"]})
    assert len(few.points(False)) == 2 * 3
    with pytest.raises(InputError, match="queue"):
        narrow(load("x-queues"), {"queue": "sfq"})


def entry(rate: float) -> dict[str, Any]:
    return {"rate": rate, "cov": [0.5, 0.5, 0.25], "settled_s": 30.0}


def kept(path: str, receivers: float, tcp: float) -> dict[str, Any]:
    one = PATHS[path]
    flows = {flow: entry(tcp) for flow in (*one.tcps, *one.instead)}
    links = {it.link: {"queue_pkts": 4.0, "wait_ms": 50.0, "utilisation": 0.5} for it in one.bottlenecks}
    return {"tcps": flows, "receivers": {name: entry(receivers) for name in one.receivers}, "bottlenecks": links}


def of_two_paths() -> Data:
    points: dict[Any, PointData] = {}
    for path in ("home-codel", "home-red", "forward-codel"):
        for run, scheme in ((ALONE, ""), (REFERENCE, ""), ("beside", "tfmcc"), ("beside", "rlm")):
            key = Cell(situation=situation(path), run=run, scheme=scheme)
            rate = 2e6 if scheme == "tfmcc" else 0.5e6
            known = resolve(runs.scenario(dataclasses.replace(key, run="beside", scheme="tfmcc")))
            reduced = {seed: kept(path, rate + seed, 1e6) for seed in (1, 2, 3)}
            points[key] = PointData(scenario=known, reduced=reduced)
    return Data(points, [1, 2, 3], quick=False)


def test_each_path_has_a_map_of_its_own() -> None:
    data = of_two_paths()
    squares = views.squares(rates.MEDIAN, data)
    parts = heat_map.parted(Grid(squares=squares, scale=RATIO, title="what"))
    assert [part.title for part in parts] == ["what", ""]
    assert [[one.column for one in heat_map.ordered({place[1] for place in part.squares})] for part in parts] == [
        ["RED", "CoDel"],
        ["CoDel"],
    ]
    for name in ("x-queues", "x-queues-harm", "x-queues-course"):
        experiment = load(name)
        assert experiment.figure is not None
        with style():
            figure = experiment.figure(data)
        texts = {text.get_text() for axes in figure.axes for text in axes.texts}
        assert {"queue", "CoDel", "RED", "home gateway"} <= texts
        assert experiment.says(data).endswith(".")
        assert all(criterion.evaluate(data) for criterion in experiment.criteria)
    note = load("x-queues").criteria[0].evaluate(data).note
    assert note == "home gateway 2 of 4, forward link 1 of 2"


def test_the_tree_with_queues_that_are_kept_short() -> None:
    experiment = load("x-queues-blocking")
    points = {point.key: point.scenario for point in experiment.points(False)}
    assert len(points) == 7 * 2 * 2
    assert {key.tcp for key in (point.key for point in experiment.points(True))} == {"sack"}
    for case, found in points.items():
        resolve(found)
        for link in ("branch-1mbit", "branch-4mbit", "branch-16mbit"):
            assert found["links"][link]["queue"] == blocking.QUEUES[case.queue]
            assert ("reads" in found["links"][link]["agent"]) == (case.reads == "drops")
        assert len(found["sessions"]["film"]["rates"]) == 60
        assert ("send_jitter" in found["flows"]["tcp-4mbit-0"]) == (case.queue != "RED")
    rates_of = {"film-0": 5.0, "film-2": 20.0, "film-4": 4.0}

    films = {name: rates_of[f"film-{2 * (int(name[-1]) // 2)}"] for name in blocking.TREE.receivers}
    rows = {(name, "rate", "bit/s"): rate for name, rate in (dict.fromkeys(blocking.TREE.tcps, 10.0) | films).items()}
    summary = RunSummary(Layout(tuple(rows)), array("d", rows.values()))
    case = blocking.Case(queue="RED", reads="drops", tcp="sack")
    data = Data({case: PointData(NONE, {1: summary, 2: summary})}, [1, 2], quick=False)
    measured = blocking.worst(case, data)
    # 0.5, 2 and 0.4: the last is two and a half times away.
    assert (measured.value, measured.note) == (pytest.approx(0.4), "behind 16 Mbit/s")
    assert blocking.worst(dataclasses.replace(case, tcp="cubic"), data).value is None
    assert blocking.span(data, "drops", ("RED",)) == "0.4 to 2"
    assert [blocking.clipped(ratio) for ratio in (0.01, 3.0, float("inf"))] == [0.1, 3.0, 100.0]
