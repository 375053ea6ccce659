"""x-start: who starts where, what is counted of it, and how it is judged."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import faircast
from faircast.experiment import AGREES, DISAGREES, REPORTED, UNDECIDED, Data, PointData, judge, overall
from faircast.experiments import load
from faircast.experiments.checks import start
from faircast.experiments.checks.start_network import (
    CUBIC,
    DOUBLING,
    LETTER,
    NEW,
    NOBODY,
    OLD,
    OMCC,
    PATHS,
    STARTERS,
    Case,
    alone,
    beside,
)
from faircast.figures import style
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-start")
NONE: Any = None
CASE = Case(path="slow", queue="1 BDP", beside="reno", starter=DOUBLING)
TAKES = {NOBODY: 0.0, CUBIC: 40.0, DOUBLING: 30.0, OMCC: 30.0, LETTER: 20.0}
"""What each takes from the established TCP from its start on, % of the link."""


def course(case: Case, percent: float, first: float | None = None) -> dict[str, np.ndarray]:
    """An established TCP that has the link until somebody takes a part of it, `first` in the first ten seconds."""
    path = PATHS[case.path]
    taken = np.zeros(path.start_s + 30)
    taken[path.start_s :] = percent
    taken[path.start_s : path.start_s + 10] = percent if first is None else first
    return {OLD: 1e4 * path.mbps * (100 - taken), NEW: 1e4 * path.mbps * taken}


def lone(*parts: tuple[float, int]) -> dict[str, np.ndarray]:
    """One that is alone and has so many Mbit/s for so many tenths of a second each."""
    return {NEW: np.concatenate([np.full(steps, 1e6 * mbps) for mbps, steps in parts])}


def data(change: dict[Case, list[float]] | None = None, *, quick: bool = False, seeds: int = 3) -> Data:
    """All cases as in `TAKES`, but for those that are changed, seed by seed."""
    points: dict[Any, PointData] = {}
    empty = RunSummary(Layout(()), NONE)
    for point in EXPERIMENT.points(quick):
        case = point.key
        if isinstance(case, Case):
            parts = (change or {}).get(case, [TAKES[case.starter] + 0.01 * seed for seed in range(seeds)])
            found: list[Any] = [course(case, part) for part in parts]
        else:
            found = [lone((0.1, 20), (10, 580))] * seeds
        points[case] = PointData(NONE, dict.fromkeys(range(seeds), empty), reduced=dict(enumerate(found)))
    return Data(points, list(range(seeds)), quick=quick)


def test_every_case_can_be_run_and_differs_in_who_starts_only() -> None:
    points = EXPERIMENT.points(False)
    # Two established TCPs, four queues; five starters on one path, OMCC left out on the other; and six alone.
    assert len(points) == len({point.key for point in points}) == 2 * 4 * (5 + 4) + 6
    assert len(EXPERIMENT.points(True)) == 2 * 4 * 5 + 6
    for point in points:
        resolve(point.scenario)
    made = {starter: beside(replace(CASE, starter=starter)) for starter in STARTERS}
    for starter, scenario in made.items():
        assert scenario["links"] == made[NOBODY]["links"]
        assert scenario["flows"][OLD] == made[NOBODY]["flows"][OLD]
        assert (NEW in scenario["flows"]) == (starter == CUBIC)
        assert (NEW in scenario.get("sessions", {})) == (starter in (DOUBLING, LETTER, OMCC))
    letter, doubling = (made[starter]["sessions"][NEW] for starter in (LETTER, DOUBLING))
    assert letter | {"slow_start": "doubling"} == doubling
    assert made[CUBIC]["flows"][NEW]["initial_cwnd"] == "10 packets"
    # Half of a product of 10 Mbit/s and 40 ms, 33.3 packets of 1500 B.
    assert beside(replace(CASE, queue="0.5 BDP"))["links"]["bottleneck"]["queue"]["limit"] == "17 packets"


def test_runs_with_one_seed_are_alike_up_to_the_start() -> None:
    def rates(starter: str) -> np.ndarray:
        table = faircast.run(beside(replace(CASE, starter=starter)), seed=3).flows
        chosen = table.filter([flow == OLD for flow in table["flow"].to_pylist()])
        return np.array(chosen["goodput_bps"].to_numpy())

    free, shared = rates(NOBODY), rates(CUBIC)
    begin = PATHS["slow"].start_s
    assert len(free) == len(shared) == begin + 30
    assert np.array_equal(free[:begin], shared[:begin])
    assert free[begin:].mean() > 1.3 * shared[begin:].mean()


@pytest.mark.parametrize("starter", [DOUBLING, OMCC])
def test_who_doubles_has_a_link_of_its_own_within_three_seconds(starter: str) -> None:
    """OMCC's function of the number of receivers counts after the first loss only."""
    path = PATHS["slow"]
    table = faircast.run(alone(path, starter, 15), seed=2).flows
    got = {NEW: np.array(table["goodput_bps"].to_numpy())}
    key = ("link", starter)
    found = Data({key: PointData(NONE, {}, reduced={2: got})}, [2], quick=False)
    assert 2.3 < start.seconds_to_nine_tenths(found, key, 2) <= start.NINE_TENTHS_S


def test_costs_are_parts_of_the_link_after_the_start_in_pairs() -> None:
    found = data({CASE: [35.0, 20.0, 35.0]})
    # 100 - 65, - 80 and - 65 less what differs with nobody, 0, 0.01 and 0.02.
    assert start.cost(found, CASE, (0, 30)).mean == pytest.approx((35 + 19.99 + 34.98) / 3)
    assert start.extra(found, CASE, (0, 30)).mean == pytest.approx((-5 - 20.01 - 5.02) / 3)
    early = data()
    early.points[CASE].reduced[0] = course(CASE, 30, first=60)
    assert start.got(early, CASE, (0, 10), 0) == pytest.approx(40)
    assert start.got(early, CASE, (0, 30), 0) == pytest.approx(60)
    assert start.got(early, CASE, start.LATER, 0, NEW) == pytest.approx(54)


def verdicts(found: Data) -> list[str]:
    return [judge(one, found).verdict for one in EXPERIMENT.criteria]


def test_one_queue_in_which_a_start_costs_more_suffices() -> None:
    assert overall([judge(one, data()) for one in EXPERIMENT.criteria]) == AGREES
    # OMCC is judged on one path, and one number is only reported.
    assert verdicts(data()).count(AGREES) == 8 + 4 + 2
    assert verdicts(data()).count(REPORTED) == 1
    for case in (CASE, replace(CASE, path="fast", beside="cubic"), replace(CASE, starter=OMCC, queue="FQ-CoDel")):
        costly = verdicts(data({case: [42.0, 42.01, 42.02]}))
        assert (costly.count(DISAGREES), costly.count(AGREES)) == (2, 12), case
    torn = verdicts(data({CASE: [20.0, 61.0, 42.0]}))
    assert torn.count(UNDECIDED) == 2


def test_a_letter_that_costs_more_is_not_judged() -> None:
    assert verdicts(data({replace(CASE, starter=LETTER): [90.0, 90.0, 90.0]})) == verdicts(data())


def test_quick_leaves_out_the_faster_path() -> None:
    found = verdicts(data(quick=True))
    assert (found.count(AGREES), found.count(REPORTED)) == (4 + 4 + 2, 4 + 1)


def test_times_alone_are_ends_of_half_seconds() -> None:
    found = data()
    key = ("link", DOUBLING)
    # From 2 s on it has 10 Mbit/s, and nine tenths of half a second take all five tenths: 0.82 with one at 0.1.
    assert start.seconds_to_nine_tenths(found, key, 0) == pytest.approx(2.5)
    assert start.seconds_until_it_stays(found, key, 0) == pytest.approx(2.5)
    found.points[key].reduced[1] = lone((0.1, 20), (10, 10), (5, 10), (10, 560))
    assert start.seconds_to_nine_tenths(found, key, 1) == pytest.approx(2.5)
    # One of five at 5 Mbit/s is nine tenths.
    assert start.seconds_until_it_stays(found, key, 1) == pytest.approx(4.4)
    found.points[key].reduced[2] = lone((8.9, 600))
    assert math.isinf(start.seconds_to_nine_tenths(found, key, 2))
    assert math.isinf(start.seconds_until_it_stays(found, key, 2))
    # 16 s of 10 Mbit/s are 20 MB, 2 s of a hundredth have brought a fiftieth of a second of that.
    assert start.seconds_of_file(found, ("geo", DOUBLING), 0) == pytest.approx(18.0)
    late = lone((0.1, 300), (10, 300))
    found.points["geo", DOUBLING].reduced[1] = late
    found.points["link", DOUBLING].reduced = dict.fromkeys(range(3), late)
    assert verdicts(found)[-3:] == [DISAGREES, REPORTED, DISAGREES]


@pytest.mark.parametrize("quick", [False, True])
def test_it_can_be_shown(quick: bool) -> None:
    found = data(quick=quick)
    assert EXPERIMENT.numbers is not None
    assert EXPERIMENT.cells is not None
    assert EXPERIMENT.figure is not None
    table = EXPERIMENT.numbers(found)
    assert len(table.rows) == 8 * (4 if quick else 4 + 3)
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert len(EXPERIMENT.cells(found)) == len(table.rows)
    with style():
        assert len(EXPERIMENT.figure(found).axes) == (4 if quick else 6)
    assert "-10 to -10 % of the link" in EXPERIMENT.says(found)
