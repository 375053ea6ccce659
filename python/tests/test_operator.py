"""x-operator: what is put into the beam, what is counted, and how it is judged."""

from __future__ import annotations

import math
import tomllib
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faircast.experiment import AGREES, DISAGREES, Data, PointData, judge, overall
from faircast.experiments import load
from faircast.experiments.operator import film
from faircast.experiments.operator.beam import DURATION_S, FILMS, LOADS, QUEUES, TERMINALS, WARMUP_S, WET, Case
from faircast.experiments.operator.beam import scenario as of_case
from faircast.experiments.operator.measures import DRY, MEASURES, SHOWERED, still, unfinished
from faircast.figures import style
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-operator")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "operator.toml"
NONE: Any = None


def run(stalled_s: Callable[[int], float], page_s: float) -> RunSummary:
    """Of viewers that stood still for so long each, and pages that took so long."""
    values = {(f"film-{viewer}", "stalled"): stalled_s(viewer) for viewer in range(TERMINALS)}
    values |= {
        ("film", "startup_delay_p50_all"): 8.0,
        ("film", "quality_mean"): 2.5,
        ("film", "media_rate_mean"): 3e6,
        ("pages", "completion_p50"): page_s,
        ("pages", "completion_p95"): 2 * page_s,
        ("pages", "transfers"): 200.0,
        ("pages", "unfinished"): 3.0,
    }
    return RunSummary(Layout(tuple((*key, "") for key in values)), array("d", values.values()))


def data(
    stalled_s: Callable[[int], float] = lambda _viewer: 0.0,
    page_s: Callable[[Case], float] = lambda case: 1.0 if case.pep else 2.0,
    *,
    quick: bool = False,
) -> Data:
    """All cases, of two seeds that differ by a thousandth."""
    points = {
        case: PointData(NONE, {seed: run(stalled_s, page_s(case) * (1 + 0.001 * seed)) for seed in (1, 2)})
        for case in film.cases(quick)
    }
    return Data(points, [1, 2], quick=quick)


def test_every_case_is_run_and_they_are_few_enough() -> None:
    points = EXPERIMENT.points(False)
    assert len(points) == len(FILMS) * len(QUEUES) * len(LOADS) * 2 == 150
    assert len({point.key for point in points}) == 150
    assert len(points) * EXPERIMENT.reps <= 600
    assert not EXPERIMENT.goes_on, "or undecided ones would make it 6000"
    for point in points:
        resolve(point.scenario)
    quick = EXPERIMENT.points(True)
    assert len(quick) == 12
    assert {point.key.load for point in quick} == {film.SHOWN_LOAD}


def test_the_example_is_one_of_the_cases() -> None:
    case = of_case(Case(film="rlm", queue="one", load=0.6, pep=False))
    example = tomllib.loads(EXAMPLE.read_text())
    for one in (case, example):
        for key in ("name", "description", "probes"):
            one.pop(key, None)
    assert resolve(example | {"name": "x"}).json == resolve(case | {"name": "x"}).json


@pytest.mark.parametrize("queue", QUEUES)
def test_layer_blocking_is_told_of_the_queue_and_nobody_else(queue: str) -> None:
    for name in FILMS:
        down = of_case(Case(film=name, queue=queue, load=0.3, pep=False))["topology"]["branches"]["beam"]["down"]
        assert ("agent" in down) == (name == "blocking")
        assert name != "blocking" or ("reads" in down["agent"]) == (down["queue"]["kind"] != "drop-tail")


def test_pictures_that_never_come_stand_still_all_the_time() -> None:
    counted_s = DURATION_S - WARMUP_S
    found = data(lambda viewer: math.nan if viewer == 0 else 20.0 if viewer in SHOWERED else 0.0)
    case = Case(film="rlm", queue="one", load=0.6, pep=False)
    assert still(found, case, DRY).mean == pytest.approx(100 / (TERMINALS - WET))
    assert still(found, case, SHOWERED).mean == pytest.approx(100 * 20 / counted_s)
    assert unfinished(found, case).mean == pytest.approx(1.5)


def test_what_nobody_minds_agrees_and_more_does_not() -> None:
    (first, *_) = EXPERIMENT.criteria
    assert judge(first, data()).verdict == AGREES
    # 0.15 % of the time of all dry viewers; of those under the shower nothing is asked.
    assert judge(first, data(lambda viewer: 0.3 if viewer in DRY else 0.0)).verdict == DISAGREES
    assert judge(first, data(lambda viewer: 90.0 if viewer in SHOWERED else 0.0)).verdict == AGREES


def test_proxies_must_save_time_in_every_case() -> None:
    criteria = EXPERIMENT.criteria[1:]
    assert [judge(one, data()).verdict for one in criteria] == [AGREES] * len(LOADS)
    worse = Case(film="tfmcc", queue="fair", load=0.6, pep=True)
    found = data(page_s=lambda case: 2.5 if case == worse else 1.0 if case.pep else 2.0)
    verdicts = [judge(one, found) for one in criteria]
    assert [one.verdict for one in verdicts] == [AGREES, DISAGREES, AGREES]
    assert "TFMCC in FQ-CoDel" in verdicts[1].note
    assert overall([judge(one, data()) for one in EXPERIMENT.criteria]) == AGREES


@pytest.mark.parametrize("quick", [False, True])
def test_it_can_be_shown(quick: bool) -> None:
    found = data(quick=quick)
    assert EXPERIMENT.numbers is not None
    assert EXPERIMENT.cells is not None
    assert EXPERIMENT.figure is not None
    table = EXPERIMENT.numbers(found)
    assert len(table.rows) == (12 if quick else 50)
    assert all(len(row) == len(table.columns) for row in table.rows)
    cells = EXPERIMENT.cells(found)
    assert len(cells) == len(found.points)
    assert cells[0]["page_p95_s"] == pytest.approx(4.006)
    assert set(MEASURES) <= set(cells[0])
    assert "3 Mbit/s" in EXPERIMENT.says(found)
    with style():
        drawn = EXPERIMENT.figure(found)
    assert len(drawn.axes) == (2 if quick else 6)
    for criterion in EXPERIMENT.criteria:
        judge(criterion, found)
