"""The experiments of Kwon and Byers: what is kept of runs, measures and criteria on data made by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kwon_runs import data_of, kept, rows, told

from faircast import _native
from faircast.experiment import Data, Measured, judge, overall
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon import calculated_rates
from faircast.experiments.kwon.course import (
    NOBODY,
    Course,
    course,
    sampled,
    spans,
    value_at,
)
from faircast.experiments.kwon.measures import mean_of, median_seed, over_courses, ratio
from faircast.experiments.kwon.network import SINGLE, Bottleneck, Case, Stay, Tcps
from faircast.scenario import resolve


def test_rows_of_time_and_value_by_hand() -> None:
    levels = rows((0, 0), (10, 1), (12, 0), (15, 1))
    assert [value_at(levels, at) for at in (-1, 0, 9.9, 10, 14, 20)] == [-1, 0, 0, 1, 0, 1]
    assert spans(levels, 1, 0, 20) == [(10, 12), (15, 20)]
    assert spans(levels, 1, 11, 16) == [(11, 12), (15, 16)]
    assert spans(levels, 2, 0, 20) == []
    # What lasts no time at all is none.
    assert spans(rows((3, 1), (3, 2)), 1, 0, 20) == []
    # The same lead receiver twice in a row is one time.
    assert spans(rows((1, 3), (4, 3), (6, NOBODY)), 3, 0, 20) == [(1, 6)]
    assert sampled(rows((0.1, 5), (0.25, 7)), 0.4).tolist() == pytest.approx([math.nan, 5, 5, 7, 7], nan_ok=True)


def test_attempts_are_put_together_from_what_receivers_tell() -> None:
    found = Course(
        **kept(
            levels={"session-0": rows(), "session-1": rows()},
            told=np.array(
                [
                    told(5, "join-waiting", 1, 1),
                    told(6, "join-waiting", 0, 2),
                    told(7, "join-begun", 1, 1),
                    told(7.6, "join-succeeded", 1, 1, 9, 4),
                    told(8, "join-abandoned", 0, 2),
                    told(9, "join-succeeded", 0, 2),
                    told(11, "join-waiting", 1, 2),
                    told(12, "join-begun", 1, 2),
                ]
            ),
        )
    )
    first, *others = found.attempts(1)
    assert (first.end, first.layer, first.packets_added, first.counting_joins) == ("join-succeeded", 1, 9, 4)
    assert (first.decided_s, first.begun_s, first.length_s) == (5, 7, pytest.approx(0.6))
    assert (first.has_mbps, first.wants_mbps, first.period_s) == (4, 5, 0.064)
    # The run ended within the last one; what ends before it begins has no length, and neither has what needs no layers.
    assert [item.end for item in others] == [""]
    abandoned, at_once = found.attempts(0)
    assert (abandoned.end, abandoned.decided_s) == ("join-abandoned", 6)
    assert math.isnan(abandoned.length_s)
    assert math.isnan(at_once.begun_s)
    assert [item.receiver for item in found.attempts()] == [1, 0, 0, 1]


def test_what_is_kept_is_what_the_tables_hold() -> None:
    case = Case(
        name="short",
        control=SINGLE,
        duration_s=12,
        warmup_s=1,
        bottlenecks=(
            Bottleneck(mbps=2, receivers=(Stay(), Stay(join_s=3.5))),
            Bottleneck(mbps=8, tcps=(Tcps(count=1),)),
        ),
    )
    raw = _native.run(resolve(case.scenario()).json, 1)
    found = Course(**course(raw))
    assert set(found.rates) == {*case.tcps(1), *case.tcps(2), *case.behind(1), *case.behind(2)}
    late = found.rates["session-1"]
    assert np.isnan(late[:3]).all()
    assert not np.isnan(late[4:]).any()
    # The session and two TCP flows fill 2 Mbit/s, and no more.
    total = sum(found.mean(name, 6, 12) for name in (*case.tcps(1), "session-0"))
    assert 1.6 < total < 2.1
    assert found.layers.shape == (1, 12)
    assert found.layers[0][6:].mean() == pytest.approx(found.mean_target(0, 6, 12), rel=0.2)
    assert found.leads[0][-1][1] in (0, 1)
    rtt_s, p, asked = found.measured["session-0"]
    assert 0.064 < rtt_s[-1] < 1
    assert 0 <= p[-1] < 1
    assert 0.01 < asked[-1] < 20


def test_the_run_in_the_middle() -> None:
    runs = [kept(rates={"x": np.full(300, value)}) for value in (5.0, 1.0, math.nan, 3.0, 4.0)]
    case = Case(name="x", bottlenecks=(Bottleneck(mbps=6),))
    data = data_of({case: runs})
    assert median_seed(data, case, lambda found: float(found.rates["x"][0])) == 4
    assert over_courses(data, case, mean_of(["x"], 0, 10)).n == 4
    twice = ratio(data_of({case: runs[:2]}), case, mean_of(["x"], 0, 10), lambda _: 2.0)
    assert twice.mean == pytest.approx(1.5)


def test_what_is_only_reported_has_no_verdict() -> None:
    def measure(_: Data, case: str) -> Measured:
        return Measured(value=len(case), holds=len(case) == 1)

    statements = [Statement[str](name="length", published="1", measure=measure, high=1)]
    first, second = criteria(statements, {"": "a", "other": "bb"}, {"SMCC on pgmcc": "ccc"})
    data = data_of({"a": [kept()], "bb": [kept()]})
    assert (judge(first, data).verdict, judge(first, data).beside) == ("agrees", "other: 2, does not hold")
    assert (judge(second, data).verdict, judge(second, data).measured) == ("reported", 3)
    assert second.name == "SMCC on pgmcc, reported: length"


def measured(first: float, second: Sequence[float], *, leads_from_s: float = 5) -> dict[str, Any]:
    """A run in which TF1 calculates `first` Mbit/s, and TF2 these in equal parts of the time, at 0.1 s."""

    def p_of(mbps: float) -> float:
        low, high = 1e-7, 0.5
        for _ in range(60):
            middle = math.sqrt(low * high)
            low, high = (
                (middle, high) if calculated_rates.throughput_bps(1000, 0.1, middle) > 1e6 * mbps else (low, middle)
            )
        return low

    seconds = 260
    parts = np.repeat([p_of(value) for value in second], seconds // len(second))
    columns = {
        "session-0": np.array([np.full(seconds, 0.1), np.full(seconds, p_of(first)), np.full(seconds, first)]),
        "session-1": np.array([np.full(seconds, 0.1), parts, np.zeros(seconds)]),
    }
    rates = {"tcp-1-0": np.ones(seconds), "tcp-2-0": np.full(seconds, 7.0)}
    return kept(seconds, rates=rates, measured=columns, leads=[rows((0, 1), (leads_from_s, 0))])


def test_what_receivers_calculate_by_hand() -> None:
    found = Course(**measured(0.899, [2, 6]))
    # The equation gives 0.899 Mbit/s at 0.1 s and 1 %.
    assert found.measured["session-0"][1][0] == pytest.approx(0.01, rel=2e-3)
    assert calculated_rates.mean_calculated("TF1", 100, 250, found) == pytest.approx(0.899)
    assert calculated_rates.early_over_late(found) == pytest.approx(1 / 3)
    assert calculated_rates.worst_error(found) == pytest.approx(0.5)
    assert calculated_rates.lead_share(found) == 1
    assert calculated_rates.lead_share(Course(**measured(1, [2, 6], leads_from_s=80))) == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("first", "second", "leads_from_s", "wrong"),
    [
        (1, [2, 6], 5, []),
        (1, [2, 6], 100, [2]),
        (2, [2, 6], 5, [3]),
        (1, [6, 4.5], 5, [0, 1]),
        (1, [4.9, 5], 5, [1, 5]),
        (1, [2, 13], 5, [4]),
    ],
)
def test_criteria_of_figure_7(first: float, second: list[float], leads_from_s: float, wrong: list[int]) -> None:
    run = measured(first, second, leads_from_s=leads_from_s)
    data = data_of({case: [run] * 20 for case in calculated_rates.CASES.values()})
    experiment = calculated_rates.EXPERIMENTS[0]
    verdicts = [judge(criterion, data) for criterion in experiment.criteria]
    assert [i for i, found in enumerate(verdicts) if found.verdict != "agrees"] == wrong
    assert "links of 12 ms: " in verdicts[0].beside
    assert experiment.figure is not None
    assert "seed 1" in experiment.figure(data).get_suptitle()
    assert "calculates" in experiment.says(data)


def test_rates_of_table_2_are_those_of_the_equation() -> None:
    table = calculated_rates.EXPERIMENTS[1]
    data = data_of({case: [measured(1, [2, 6])] for case in calculated_rates.CASES.values()})
    verdicts = [judge(criterion, data) for criterion in table.criteria]
    assert overall(verdicts) == "agrees"
    assert verdicts[0].measured == pytest.approx(0.011, abs=5e-4)
    assert table.numbers is not None
    numbers = table.numbers(data)
    assert len(numbers.columns) == 6
    assert ["TF2: rate (Mbit/s), links of 8 ms", *["2 (2 to 2)"] * 2, *["6 (6 to 6)"] * 3] in numbers.rows


def test_cases_of_figure_7_differ_in_one_thing() -> None:
    scenarios = [case.scenario() for case in calculated_rates.CASES.values()]
    assert all(scenario["sessions"]["session"]["scheme"] == "tfmcc" for scenario in scenarios)
    assert len({case.tfmcc for case in calculated_rates.CASES.values()}) == 3
    assert replace(calculated_rates.CASES["links of 12 ms"], link_ms=8) == calculated_rates.MAIN
