"""The surprises of fixed layers: what their scenarios change, and what is said of runs made by hand."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable
from typing import Any

import pyarrow as pa
import pytest

from faircast.experiment import Data, Experiment, Point, PointData, judge
from faircast.experiments import load
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises import fixed_layers, queue_thresholds
from faircast.experiments.side_by_side.surprises.fixed_layers import DROP_TAIL, RED
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

TREE = PATHS["tree"]
LAYERS, THRESHOLDS = load("x-all-layers"), load("x-all-thresholds")
Rates = Callable[[Any], tuple[float, float]]
"""Of a case what receivers and TCPs behind the fastest branch have; half and a quarter of it behind the others."""


def made(experiment: Experiment, rates: Rates, *, quick: bool = False) -> Data:
    """Two runs of each point, the first with 1 % less and the second with 1 % more than these rates."""
    found: dict[Hashable, PointData] = {}
    for point in experiment.points(quick):
        summaries = {seed: summary(point, rates(point.key), part) for seed, part in ((1, 0.99), (2, 1.01))}
        tables = {1: {"queues": QUEUES, "receivers": LEVELS}} if point.tables else {}
        found[point.key] = PointData(resolve(point.scenario_of(1)), summaries, tables)
    return Data(found, [1, 2], quick=quick)


def summary(point: Point, rates: tuple[float, float], part: float) -> RunSummary:
    rows = {}
    for bottleneck, less in zip(TREE.bottlenecks, (4, 2, 1), strict=True):
        for names, rate in ((bottleneck.receivers, rates[0] / less), (bottleneck.tcps, rates[1])):
            rows |= {(name, "rate", "bit/s"): part * rate for name in names}
    return RunSummary(Layout(tuple(rows)), array("d", rows.values()))


QUEUES = pa.table({"t_s": [1.0, 59.5, 60.5, 90.0], "queue_pkts": [239.0, 200.0, 100.0, 122.0]})
LEVELS = pa.table({"t_s": [1.0, 2.0, 1.0], "receiver": ["film-4", "film-4", "film-5"], "level": [1.0, 2.0, 9.0]})


def of_comparison(scheme: str) -> dict[str, Any]:
    return scenario(Cell(situation=Situation(path="tree", loss=0.0, tcp="sack"), run=BESIDE, scheme=scheme))


def differences(point: Point, scheme: str) -> set[str]:
    """In what a point differs from the cell of the comparison, but for its name, length and probes."""
    whole, found = of_comparison(scheme), point.scenario
    assert found.keys() == whole.keys()
    apart = {key for key in found if found[key] != whole[key]} - {"name", "duration", "warmup", "probes"}
    places = {f"{key}.{name}" for key in apart for name in found[key] if found[key][name] != whole[key][name]}
    return {
        f"{place}.{key}"
        for place in places
        for table, name in [place.split(".")]
        for key in found[table][name]
        if found[table][name][key] != whole[table][name].get(key)
    }


BRANCHES = ("branch-1mbit", "branch-4mbit", "branch-16mbit")
OF_DROP_TAIL = {f"links.{name}.queue" for name in BRANCHES} | {
    f"flows.tcp-{mbps}mbit-{i}.send_jitter" for mbps in (1, 4, 16) for i in (0, 1)
}
"""What a drop-tail queue changes: TCP sends at random moments."""


def test_the_first_of_each_panel_has_the_layers_of_the_comparison() -> None:
    by_case = {point.key: point for point in LAYERS.points(False)}
    assert len(by_case) == 12
    for (scheme, queue, numbers), expected in zip(fixed_layers.PANELS, (set(), OF_DROP_TAIL, set()), strict=True):
        first, *others = (fixed_layers.Case(scheme=scheme, queue=queue, layers=count) for count in numbers)
        assert differences(by_case[first], scheme) == expected
        for case in others:
            assert differences(by_case[case], scheme) == expected | {"sessions.film.rates"}
    assert of_comparison("blocking")["links"]["branch-4mbit"]["queue"]["kind"] == "red", "nobody else's was changed"


def test_thresholds_change_one_thing_at_a_time() -> None:
    agents = {f"links.{name}.agent" for name in BRANCHES}
    for point in THRESHOLDS.points(False):
        expected = OF_DROP_TAIL if point.key.queue == DROP_TAIL else agents
        assert differences(point, "blocking") - agents == expected - agents
        assert {point.scenario["links"][name]["agent"]["upper_threshold"] for name in BRANCHES} == {point.key.threshold}
    assert [point.key.threshold for point in THRESHOLDS.points(True)] == [0.05, 0.8, 0.8]
    assert queue_thresholds.LIMIT_PKTS == 240  # 16 Mbit/s, 60 ms and 1000 B make 120 packets


def test_ratios_and_notes_by_hand() -> None:
    def rates(case: Any) -> tuple[float, float]:
        return (40e6 / case.layers, 1e6) if isinstance(case, fixed_layers.Case) else (1e6, 1e6 * case.threshold)

    data = made(LAYERS, rates)
    found = [judge(criterion, data) for criterion in LAYERS.criteria]
    assert [one.measured for one in found] == pytest.approx([40 / 15 / 4, 40 / 60 / 4] * 2 + [2, 1.25])
    assert {one.verdict for one in found} == {"reported"}
    assert found[0].note == "15 layers, the base has 1.07 Mbit/s"
    assert "get 0.67, 1.3 and 2.7 times what TCP gets" in LAYERS.says(data)
    data = made(THRESHOLDS, rates)
    found = [judge(criterion, data) for criterion in THRESHOLDS.criteria]
    assert [one.measured for one in found] == pytest.approx([1.25, 1.25, 20])
    assert found[0].note == "longest queue 122 of 240 packets"
    assert "has at most 122 packets where the agent blocks from 192 on" in THRESHOLDS.says(data)


@pytest.mark.parametrize("experiment", [LAYERS, THRESHOLDS], ids=lambda one: str(one.id))
@pytest.mark.parametrize("quick", [False, True])
def test_figures_and_tables_are_made_also_if_tcp_gets_nothing(experiment: Experiment, quick: bool) -> None:
    data = made(experiment, lambda case: (1e6, 0.0 if case.queue == RED else 1e6), quick=quick)
    assert experiment.figure is not None
    assert experiment.numbers is not None
    experiment.figure(data)
    numbers = experiment.numbers(data)
    assert len(numbers.rows) == len(experiment.points(quick))
    assert all(len(row) == len(numbers.columns) for row in numbers.rows)
    assert "inf" in experiment.says(data)
