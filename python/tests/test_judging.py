"""Criteria that are measured in several cases, and readings of a paper that are judged side by side."""

from __future__ import annotations

from typing import Any

import pytest

from faircast.experiment import Data, Measured, judge, overall
from faircast.experiments.judging import Statement, criteria, judged

WINDOWS = {"window 20": "w20", "window 64": "w64"}
CASES = {"window 20": "w20", "window 64": "w64", "without jitter": "plain"}


def data(*there: str) -> Data:
    return Data(dict.fromkeys(there), [1, 2], quick=False)  # type: ignore[arg-type]


ALL = data("w20", "w64", "plain")


def found(values: dict[str, Measured], **settings: Any) -> Any:
    """What becomes of a criterion of at least 1 that two windows are judged by."""
    settings = {"low": 1.0, "readings": WINDOWS, "depends": "window"} | settings
    return judge(judged("x", "y", lambda _, case: values[case], CASES, **settings), ALL)


def each(**values: float) -> dict[str, Measured]:
    return {case: Measured(value=value, ci95=0.1) for case, value in ({"plain": 0.0} | values).items()}


def test_without_readings_the_first_case_decides_and_the_others_stand_beside() -> None:
    verdict = found(each(w20=2, w64=0.5), readings=None)
    assert verdict.verdict == "agrees"
    assert verdict.measured == 2
    assert verdict.beside == "window 64: 0.5 ± 0.1, does not hold; without jitter: 0 ± 0.1, does not hold"


def test_readings_with_the_same_verdict_have_it() -> None:
    verdict = found(each(w20=2, w64=3))
    assert verdict.verdict == "agrees"
    assert verdict.measured == 2
    expected = "window 20: 2 ± 0.1, holds; window 64: 3 ± 0.1, holds; without jitter: 0 ± 0.1, does not hold"
    assert verdict.beside == expected
    assert found(each(w20=0.5, w64=0.2)).verdict == "disagrees"


@pytest.mark.parametrize(("first", "second"), [(2, 0.5), (0.5, 2)])
def test_readings_with_different_verdicts_leave_it_to_what_they_differ_in(first: float, second: float) -> None:
    verdict = found(each(w20=first, w64=second))
    assert verdict.verdict == "depends on the window"
    assert verdict.measured == first
    assert overall([verdict]) == "depends on the window"


@pytest.mark.parametrize(("first", "second"), [(2, 0.95), (0.95, 2), (0.95, 0.95)])
def test_noise_in_one_reading_leaves_it_undecided_and_asks_for_seeds(first: float, second: float) -> None:
    verdict = found(each(w20=first, w64=second))
    assert verdict.verdict == "undecided"
    assert verdict.straddles == 1.0


def test_why_a_reading_fails_does_not_matter_to_whether_it_does() -> None:
    values = {"w20": Measured(value=0.5), "w64": Measured(value=2.0, fails="TCP starves"), "plain": Measured(value=0)}
    assert found(values).verdict == "disagrees"
    values["w20"] = Measured(value=2.0, fails="TCP starves")
    values["w64"] = Measured(value=2.0)
    assert found(values).verdict == "depends on the window"


def test_statements_take_readings_and_what_is_said_of_them() -> None:
    statement: Statement[str] = Statement(
        name="x", published=1, measure=lambda _, case: each(w20=2, w64=0.5)[case], low=1.0, cell=True
    )
    (criterion,) = criteria([statement], CASES, readings=WINDOWS, depends="window")
    verdict = judge(criterion, ALL)
    assert (verdict.verdict, verdict.cell) == ("depends on the window", True)
    held: Statement[str] = Statement(
        name="x", published=1, measure=lambda _, case: Measured(value=1.0, holds=True), identity="a clamp", rule="so"
    )
    assert judge(held.judged(CASES), ALL).verdict == "by construction"
    assert judge(held.judged(CASES), ALL).beside == "window 64: 1, holds; without jitter: 1, holds"
