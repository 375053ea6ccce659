"""Intervals at a stop: their numbers by hand, and how often they hold (tools/coverage.py, with few repetitions)."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtrit
from scipy.stats import norm

from faircast.sequential import LEVEL, at_stop, confidence_of_each, half_width, is_coarse, looks, values_seen

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import coverage

REPETITIONS, LAST = 750, 400


def test_numbers_of_looks() -> None:
    assert looks(10, 200) == (10, 15, 22, 33, 49, 73, 109, 163, 200)
    assert looks(10, 33) == (10, 15, 22, 33)
    assert looks(10, 34) == (10, 15, 22, 33, 34)
    assert looks(10, 10) == (10,)
    assert looks(1, 5) == (1, 2, 3, 4, 5)


def test_without_skewness_it_is_students_interval_of_its_level() -> None:
    values = [float(i) for i in range(1, 12)]
    found = at_stop(values)
    wanted = stdtrit(10, (1 + LEVEL) / 2) * math.sqrt(11) / math.sqrt(11)
    assert (found.mean, found.n, found.low, found.high) == (6.0, 11, 1.0, 11.0)
    assert found.ci95 == pytest.approx(wanted, rel=1e-6)


def test_the_longer_side_solves_the_transformation() -> None:
    """Put back into the expansion, the end of the interval gives the quantile."""
    values = [1.0, 1.1, 1.2, 1.0, 1.3, 1.1, 1.2, 1.4, 1.0, 3.0]
    n, found = len(values), at_stop(values)
    spread = float(np.std(values, ddof=1))
    second, third = np.var(values), np.mean((np.array(values) - found.mean) ** 3)
    a = 2 * third / second**1.5 * math.sqrt(n * (n - 1)) / (n - 2) / math.sqrt(n)
    assert found.ci95 is not None
    t = -found.ci95 * math.sqrt(n) / spread  # a long tail upwards: the mean may be far above
    assert t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6 == pytest.approx(-stdtrit(n - 1, (1 + LEVEL) / 2), rel=1e-9)
    mirrored = at_stop([-value for value in values])
    assert (mirrored.mean, mirrored.ci95) == (pytest.approx(-found.mean), pytest.approx(found.ci95))


def test_what_has_no_interval() -> None:
    assert at_stop([]).n == 0
    assert (at_stop([1.0, 2.0]).ci95, at_stop([1.0, 2.0]).mean) == (None, 1.5)
    assert at_stop([1.0, 2.0, math.nan]).n == 2
    assert at_stop([1.0, 2.0, math.inf]).ci95 is None
    assert at_stop([0.1, 0.1, 0.1]).ci95 == 0.0
    assert at_stop([0.1, 0.1, 0.1]).mean == 0.1


@pytest.mark.parametrize(
    ("counts", "nominal"),
    [((10,), 0.05), ((10, 20), 0.0294), ((10, 20, 30, 40, 50), 0.0158)],  # Pocock's levels for equal steps
)
def test_levels_of_several_looks_are_pococks(counts: tuple[int, ...], nominal: float) -> None:
    assert 1 - confidence_of_each(counts) == pytest.approx(nominal, abs=1e-4)


def test_the_level_holds_for_a_walk_that_is_drawn() -> None:
    counts = looks(10, 200)
    boundary = norm.ppf((1 + confidence_of_each(counts)) / 2)
    random = np.random.default_rng(5)
    walk = random.standard_normal((20_000, 200)).cumsum(axis=1)
    left = np.any([np.abs(walk[:, n - 1]) / math.sqrt(n) > boundary for n in counts], axis=0)
    assert left.mean() == pytest.approx(0.05, abs=0.005)  # three standard errors


@pytest.mark.parametrize("kind", coverage.KINDS, ids=lambda kind: kind.name)
def test_the_interval_at_the_stop_holds(kind: Any) -> None:
    """Whatever the width: 94 % at least, less three standard errors of so few repetitions."""
    halves = [coverage.absolute(known) for known in (10, 30, 60)]
    found = coverage.at_stops(kind, halves, REPETITIONS, seed=3, last=LAST)
    assert min(one.covered for one in found) >= 0.94 - 3 * math.sqrt(0.94 * 0.06 / REPETITIONS)
    assert all(one.covered >= one.student - 1e-9 for one in found)


@pytest.mark.parametrize("kind", coverage.WITH_MEAN[:-1], ids=lambda kind: kind.name)
def test_it_holds_with_parts_of_the_mean(kind: Any) -> None:
    found = coverage.at_stops(kind, [coverage.relative(0.2), coverage.relative(0.4)], REPETITIONS, seed=4, last=LAST)
    assert min(one.covered for one in found) >= 0.94 - 3 * math.sqrt(0.94 * 0.06 / REPETITIONS)


def test_students_interval_would_not_hold() -> None:
    """What all of this is for: looking again and again, and a tail that nobody has seen yet."""
    normal, exponential, *_, heavy = coverage.KINDS
    found = {
        kind.name: coverage.at_stops(kind, [coverage.absolute(20)], REPETITIONS, 3, LAST)[0] for kind in coverage.KINDS
    }
    assert found[exponential.name].plain < 0.9
    assert found[heavy.name].plain < 0.87
    assert found[normal.name].plain_seeds < found[normal.name].seeds


def test_two_values_are_what_no_interval_holds_for() -> None:
    (found,) = coverage.at_stops(coverage.COLLAPSE, [coverage.absolute(40)], REPETITIONS, seed=3, last=LAST)
    unseen = 0.9**10
    assert found.covered < 1 - unseen + 0.05


def test_the_tool_and_the_rule_have_one_interval() -> None:
    values = np.random.default_rng(1).exponential(size=(3, 22))
    mean, spread, skewness = coverage.moments(values)
    for row, half in enumerate(half_width(22, spread, skewness)):
        alone = at_stop(values[row].tolist())
        assert (alone.mean, alone.ci95) == (pytest.approx(mean[row]), pytest.approx(half))


@pytest.mark.parametrize("name", ["normal", "exponential"])
def test_equal_things_are_rarely_called_apart(name: str) -> None:
    kind = next(kind for kind in coverage.KINDS if kind.name == name)
    wrong, _ = coverage.called_apart(kind, 100, 2000, seed=2)
    assert wrong <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 2000)
    right, seeds = coverage.called_apart(kind, 100, 500, seed=2, shift=1.0)
    assert right > 0.99
    assert seeds < 40


def test_few_values_are_seen() -> None:
    assert is_coarse([1.0] * 9 + [0.0])
    assert is_coarse([3.0, 3.0, 3.0])
    assert not is_coarse([1.0, 2.0, 3.0, 4.0, 4.0])
    assert not is_coarse([1.0])
    assert values_seen([0.1 + 0.2, 0.3, math.nan, 1.0]) == 2
