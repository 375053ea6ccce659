"""Means, intervals, fairness: numbers worked out by hand, and scipy's own interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from scipy import stats

from faircast.statistics import (
    Estimate,
    deviation,
    difference,
    estimate,
    jackknife,
    jackknife_of_ratio,
    jain,
    median_interval,
    scaled,
    share_interval,
    variation,
    with_interval,
)


def test_mean_and_interval_by_hand() -> None:
    # s = sqrt((1 + 0 + 1) / 2) = 1; t(0.975, 2) = 4.302653 (any table); 4.302653 / sqrt(3) = 2.484138
    found = estimate([1.0, 2.0, 3.0])
    assert found.mean == 2.0
    assert found.ci95 == pytest.approx(2.484138, abs=1e-6)
    assert (found.n, found.low, found.high) == (3, 1.0, 3.0)


@pytest.mark.parametrize("values", [[1.5, 2.0], [3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0, 5.0, 3.0], [7.0] * 4])
def test_interval_is_that_of_scipy(values: list[float]) -> None:
    low, high = stats.t.interval(
        0.95, len(values) - 1, loc=sum(values) / len(values), scale=max(stats.sem(values), 1e-300)
    )
    assert estimate(values).ci95 == pytest.approx((high - low) / 2, abs=1e-12)


def test_one_value_has_no_interval() -> None:
    assert estimate([5.0]).ci95 is None


def test_undefined_values_are_left_out() -> None:
    found = estimate([math.nan, 1.0, 3.0])
    assert (found.mean, found.n) == (2.0, 2)
    assert math.isnan(estimate([math.nan]).mean)


def test_infinite_values_have_no_interval() -> None:
    found = estimate([1.0, math.inf])
    assert (found.mean, found.ci95, found.low) == (math.inf, None, 1.0)


def test_an_estimate_in_another_unit() -> None:
    assert scaled(Estimate(2.0, 0.5, 3, 1.0, 4.0), 1e3) == Estimate(2000.0, 500.0, 3, 1000.0, 4000.0)
    assert scaled(Estimate(2.0, None, 1, 2.0, 2.0), 1e3) == Estimate(2000.0, None, 1, 2000.0, 2000.0)


def test_deviation_by_hand() -> None:
    assert deviation([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]) == pytest.approx(math.sqrt(32 / 7))
    assert math.isnan(deviation([1.0]))


@pytest.mark.parametrize(
    ("values", "index"),
    [([1, 1, 1, 1], 1.0), ([1, 0, 0, 0], 0.25), ([1, 2, 3], 36 / 42), ([0, 0], 1.0), ([5], 1.0)],
)
def test_jain_by_hand(values: list[float], index: float) -> None:
    assert jain(values) == pytest.approx(index)


def test_variation_by_hand() -> None:
    assert variation([2.0, 4.0]) == pytest.approx(1 / 3)
    assert math.isnan(variation([-1.0, 1.0]))


@pytest.mark.parametrize(
    ("mean", "ci95", "text"),
    [
        (17.3333, 2.868, "17.33 ± 2.9"),
        (0.00123456, 0.00001, "0.001235 ± 1e-05"),
        (698612.3, 230.4, "698612 ± 230"),
        (5.0, None, "5"),
        (1.0, 3.4e-16, "1 ± 0"),
        (math.inf, None, "inf"),
    ],
)
def test_numbers_for_people(mean: float, ci95: float | None, text: str) -> None:
    assert with_interval(mean, ci95) == text


def test_a_difference_has_welchs_interval() -> None:
    # Means 2 and 6; variances 1 and 4 over 3 and 5 values: sqrt(1/3 + 4/5) = 1.0646, freedom 5.959, t = 2.4510.
    a, b = [1.0, 2.0, 3.0], [4.0, 4.0, 6.0, 8.0, 8.0]
    found = difference(a, b)
    assert found.mean == pytest.approx(-4.0)
    assert found.ci95 == pytest.approx(2.4510 * 1.0646, rel=1e-4)
    low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert found.ci95 == pytest.approx((high - low) / 2)
    assert (found.low, found.high) == (-7.0, -1.0)
    assert difference([1.0], b).ci95 is None
    assert difference([1.0, 1.0], [3.0, 3.0]).ci95 == 0.0


def test_the_jackknife_of_a_mean_is_its_interval() -> None:
    values = {1: 3.0, 2: 5.0, 3: 4.0, 4: 10.0}
    found = jackknife(lambda seeds: sum(values[seed] for seed in seeds) / len(seeds), list(values))
    expected = estimate(list(values.values()))
    assert (found.mean, found.ci95) == (pytest.approx(expected.mean), pytest.approx(expected.ci95))


def test_the_jackknife_of_a_ratio_of_means() -> None:
    a, b = [4.0, 6.0, 5.0], [2.0, 3.0, 1.0]

    def ratio(seeds: Sequence[int]) -> float:
        return sum(a[seed] for seed in seeds) / sum(b[seed] for seed in seeds)

    # Leaving out one each: 11/4, 9/3, 10/5, their mean 31/12; sqrt(2/3 Σ) = 0.60093; t(0.975, 2) = 4.30265.
    found = jackknife(ratio, [0, 1, 2])
    assert (found.mean, found.low, found.high) == (2.5, 2.0, 3.0)
    assert found.ci95 == pytest.approx(4.302653 * math.sqrt(2 / 3 * (1 / 36 + 25 / 144 + 49 / 144)), rel=1e-6)
    assert jackknife(ratio, [0]).ci95 is None
    b[:] = [1.0, 0.0, 0.0]
    assert jackknife(lambda seeds: ratio(seeds) if 0 in seeds else math.inf, [0, 1, 2]).ci95 is None


@pytest.mark.parametrize(
    ("n", "left_out"), [(1, 0), (3, 0), (6, 0), (8, 0), (9, 1), (10, 1), (11, 1), (12, 2), (20, 5)]
)
def test_the_interval_of_a_median(n: int, left_out: int) -> None:
    # With ten values the second and the ninth: 1 - 2 (1 + 10) / 1024 = 0.979.
    values = [float(i) for i in range(n)][::-1]
    assert median_interval(values) == (left_out, n - 1 - left_out)
    covers = 1 - 2 * sum(math.comb(n, k) for k in range(left_out + 1)) / 2**n
    assert covers >= 0.95 or left_out == 0
    assert median_interval([1.0, math.inf, math.inf])[1] == math.inf


def test_intervals_of_ratios_err_as_often_to_either_side() -> None:
    """Two that share a link by chance and are alike: told to be less and to be more, 2.5 % each."""
    random, below, above = Random(1), 0, 0
    for _ in range(1000):
        parts = [random.betavariate(2, 2) for _ in range(10)]

        def ratio(seeds: Sequence[int], parts: list[float] = parts) -> float:
            session = math.fsum(parts[seed] for seed in seeds)
            return session / (len(seeds) - session)

        low, high = jackknife_of_ratio(ratio, range(10)).interval or (math.nan, math.nan)
        below, above = below + (high < 1), above + (low > 1)
    assert 15 <= below <= 40, "the jackknife of the ratio itself has 50"
    assert 15 <= above <= 40, "and 5"


def test_ratios_of_nothing() -> None:
    def of(*pairs: tuple[float, float]) -> Estimate:
        def ratio(seeds: Sequence[int]) -> float:
            above, below = (math.fsum(pairs[seed][place] for seed in seeds) for place in (0, 1))
            return above / below if below > 0 else math.inf if above > 0 else math.nan

        return jackknife_of_ratio(ratio, range(len(pairs)))

    assert of((1, 0), (2, 0)) == Estimate(math.inf, None, 2, math.inf, math.inf, (math.inf, math.inf))
    assert of((0, 1), (0, 2)) == Estimate(0, None, 2, 0, 0, (0, 0))
    assert of((3, 1)) == Estimate(3, None, 1, 3, 3)
    assert of((1, 2)).interval is None
    found = of((0, 0), (1, 2))
    assert (found.mean, found.interval) == (0.5, None), "without the second seed there is none"
    assert str(of((1, 2), (1, 2))) == "0.5 (0.5 to 0.5)"
    assert scaled(of((1, 2), (1, 2)), 10).interval == (pytest.approx(5), pytest.approx(5))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (10, 10, 0.025 ** (1 / 10), 1.0),
        (0, 10, 0.0, 1 - 0.025 ** (1 / 10)),
        (1, 2, 1 - math.sqrt(0.975), math.sqrt(0.975)),
        (3, 10, 0.0667, 0.6525),
    ],
)
def test_the_interval_of_a_part_of_runs_by_hand(hits: int, n: int, low: float, high: float) -> None:
    assert share_interval(hits, n) == pytest.approx((low, high), abs=1e-4)
