"""x-all-acks: what its scenarios change, and what is said of runs made by hand."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from typing import Any

import pytest

from faircast.experiment import Data, Point, PointData
from faircast.experiments import load
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.acks import Case
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-all-acks")


@pytest.mark.parametrize("point", EXPERIMENT.points(False), ids=lambda point: str(point.key))
def test_only_the_acks_of_tcp_differ_from_the_comparison(point: Point) -> None:
    case: Any = point.key
    situation = Situation(path=case.path, loss=0.0, tcp="sack")
    whole = resolve(scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme), 2)).data
    found = resolve(point.scenario_of(2)).data
    apart = {key for key in whole if found[key] != whole[key]} - {"name", "duration", "probes"}
    changed = {"delayed": set(), "each": {"delayed_ack"}, "counted": {"byte_counting"}}[case.acks]
    assert apart == ({"flows"} if changed else set())
    for name, flow in found["flows"].items():
        assert {key for key in flow if flow[key] != whole["flows"][name].get(key)} == changed


def summary(case: Case, seed: int) -> RunSummary:
    """Sessions have another multiple of TCP's rate in each case, and behind other bottlenecks a thousand times that."""
    rows = {}
    for place, bottleneck in enumerate(PATHS[case.path].bottlenecks):
        times = (
            1
            + list(PATHS).index(case.path)
            + {"delayed": 4, "counted": 8, "each": 0}[case.acks]
            + 0.5 * (case.scheme == "pgmcc")
        ) * 1000**place
        rows |= {(name, "rate", "bit/s"): times * seed for name in bottleneck.receivers}
        rows |= {(name, "rate", "bit/s"): float(seed) for name in bottleneck.tcps}
    return RunSummary(Layout(tuple(rows)), array("d", rows.values()))


def test_what_is_said_of_runs_by_hand() -> None:
    found: dict[Hashable, PointData] = {}
    for point in EXPERIMENT.points(False):
        case: Any = point.key
        found[case] = PointData(resolve(point.scenario_of(1)), {seed: summary(case, seed) for seed in (1, 2)})
    data = Data(found, [1, 2], quick=False)
    leo, geo, tree = (list(PATHS).index(path) for path in ("leo", "geo", "tree"))
    assert (leo, geo, tree) == (0, 1, 2)
    values = [criterion.evaluate(data).value for criterion in EXPERIMENT.criteria]
    assert values == pytest.approx([5.5, 9.5, 1.5, 6.5, 10.5, 2.5, 7.5, 11.5, 3.5, 5, 9, 1, 6, 10, 2, 7, 11, 3])
    assert EXPERIMENT.says is not None
    assert "pgmcc gets 5.5, 6.5 and 7.5 times" in EXPERIMENT.says(data)
    assert "gets, 1, 2 and 3 without, and 9, 10 and 11 if it counts" in EXPERIMENT.says(data)
    assert EXPERIMENT.numbers is not None
    rows = EXPERIMENT.numbers(data).rows
    assert [row[0] for row in rows] == 3 * ["pgmcc"] + 3 * ["TFMCC"]
    assert EXPERIMENT.figure is not None
    drawn = EXPERIMENT.figure(data)
    curves: list[Any] = [one.get_ydata() for one in drawn.axes[0].get_lines()]
    assert [5.5, 6.5, 7.5] in [[float(y) for y in ys] for ys in curves]
