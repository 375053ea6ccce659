"""x-all-smcc: what its scenarios change, and what is said of runs made by hand."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from typing import Any

import pytest

from faircast.experiment import Data, Point, PointData, judge
from faircast.experiments import load
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.smcc import Case, over_leo
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-all-smcc")
APART = {"name", "duration", "probes"}


def of_comparison(case: Case, seed: int) -> dict[str, Any]:
    situation = Situation(path=case.path, loss=0.0, tcp="sack")
    return scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme), seed)


@pytest.mark.parametrize("point", EXPERIMENT.points(False), ids=lambda point: str(point.key))
def test_only_layers_and_joins_differ_from_the_comparison(point: Point) -> None:
    case: Any = point.key
    found, whole = resolve(point.scenario_of(2)).data, resolve(of_comparison(case, 2)).data
    assert {key for key in whole if key != "sessions" and found[key] != whole[key]} == APART
    for name in PATHS[case.path].sessions:
        session, given = found["sessions"][name], whole["sessions"][name]
        changed = {key for key in given if session[key] != given[key]}
        expected = set()
        if case.layers not in (0, 4):
            expected |= {"layers", "base_rate"}
        if case.join == "direct":
            expected.add("join")
        assert changed == expected
        if case.layers:
            assert session["layers"] == case.layers


def test_the_highest_bound_stays_the_rate_of_the_largest_bottleneck() -> None:
    for point in EXPERIMENT.points(False):
        case: Any = point.key
        if case.layers:
            assert case.base_mbps * 2 ** (case.layers - 1) == PATHS[case.path].mbps


def test_one_layer_is_run_once_and_a_quick_run_has_the_ends() -> None:
    assert over_leo("additive")[0] == over_leo("direct")[0]
    assert len(EXPERIMENT.points(False)) == 3 + 3 + 7 + 1
    quick: Any = [point.key for point in EXPERIMENT.points(True)]
    assert [case.layers for case in quick] == [4, 6, 4, 6, 1, 4, 4, 0]


def rate(case: Case, place: int) -> float:
    """What receivers have beside TCPs with 1: by hand, another number for each case and branch."""
    if case.path == "leo":
        return 4.0 / (case.layers or 8) + (case.join == "direct")
    return case.layers / 10 + place + (case.scheme == "smcc-pgmcc") / 4


def made(quick: bool) -> Data:
    found: dict[Hashable, PointData] = {}
    for point in EXPERIMENT.points(quick):
        case: Any = point.key
        found[case] = PointData(resolve(point.scenario_of(1)), {seed: summary(case, seed) for seed in (1, 2)})
    return Data(found, [1, 2], quick=quick)


def summary(case: Case, seed: int) -> RunSummary:
    rows = {}
    for place, bottleneck in enumerate(PATHS[case.path].bottlenecks):
        for name in bottleneck.receivers:
            rows[name, "rate", "bit/s"] = rate(case, place) * seed
        for name in bottleneck.tcps:
            rows[name, "rate", "bit/s"] = float(seed)
    return RunSummary(Layout(tuple(rows)), array("d", rows.values()))


@pytest.mark.parametrize("quick", [False, True])
def test_what_is_said_of_runs_by_hand(quick: bool) -> None:
    data = made(quick)
    found = [criterion.evaluate(data).value for criterion in EXPERIMENT.criteria]
    # 4 Mbit/s with 4 and 6 layers; over LEO one layer, four with additive and with direct joins.
    assert found == pytest.approx([1.4, 1.6, 4, 1, 2])
    assert EXPERIMENT.says is not None
    said = EXPERIMENT.says(data)
    assert "0.4, 1.4 and 2.4" in said
    assert "0.6, 1.6 and 2.6" in said
    assert "4 times what TCP gets over LEO with one layer, 1 with 4, and 2 if" in said
    assert {judge(one, data).verdict for one in EXPERIMENT.criteria} == {"reported"}


def test_the_table_and_the_figure_hold_every_case() -> None:
    data = made(False)
    assert EXPERIMENT.numbers is not None
    assert EXPERIMENT.figure is not None
    rows = EXPERIMENT.numbers(data).rows
    assert len(rows) == 6 * 3 + 4 + 4 + 1
    assert rows[4][:4] == ["tree, 4 Mbit/s", "SMCC on TFMCC", "5", "1"]
    assert rows[4][4].startswith("1.5")
    assert rows[-1] == ["LEO", "pgmcc", "none", "", rows[-1][4]]
    drawn = EXPERIMENT.figure(data)
    curves = [one.get_ydata() for one in drawn.axes[2].get_lines() if one.get_linestyle() != "None"]
    four = [list(map(float, ys)) for ys in curves if len(ys) == 4]  # type: ignore[arg-type]
    assert four == [pytest.approx([4, 2, 4 / 3, 1]), pytest.approx([4, 3, 7 / 3, 2])]
