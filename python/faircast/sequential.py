"""Intervals that hold although somebody looked several times and stopped when it suited: for `--until-ci`, `-apart`.

Who adds seeds until an interval is narrow stops early where the values happen to lie close together, and a metric with
a long tail looks best where its tail has not been seen yet. Student's 95 % interval at the stop then holds in 93 % of
all cases for normal values and in 80 % for lognormal ones. Two things mend that, by as much as simulation shows to be
needed (`tools/coverage.py`, `docs/seeds.md`): the interval is corrected for skewness, and its level is above 95 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from faircast.statistics import Estimate, deviation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GROWTH = 1.5
"""Each look has so many times the seeds of the one before, rounded down."""
LEVEL = 0.97
"""Nominal level of the interval at the stop: what of it looking several times takes leaves at least 95 %."""
SKEWNESS_FACTOR = 2.0
"""By what the skewness of the sample is multiplied: ten values of a long tail rarely show how long it is."""
LEAST = 3
"""Values without which there is no skewness, and no interval."""
ERROR = 0.05
"""Probability that any look of a comparison calls equal things apart."""


def looks(first: int, last: int) -> tuple[int, ...]:
    """The numbers of seeds at which one looks: `first`, then 1.5 times as many each, rounded down, and `last`."""
    found = [first]
    while (following := max(found[-1] + 1, int(found[-1] * GROWTH))) < last:
        found.append(following)
    return (*found, last) if last > first else (first,)


def at_stop(values: Sequence[float]) -> Estimate:
    """Mean of values and half width of the interval by which one may stop, and which one gives then.

    The interval is symmetric; its half width is the longer side of the skew one of `half_width`. None with fewer than
    three values, or infinite ones. NaN, undefined, is left out.
    """
    defined = [float(value) for value in values if not math.isnan(value)]
    n = len(defined)
    if n == 0:
        return Estimate(math.nan, None, 0, math.nan, math.nan)
    low, high = min(defined), max(defined)
    if math.isinf(low) or math.isinf(high):
        mean = math.nan if math.isinf(low) and math.isinf(high) and low < high else low + high
        return Estimate(mean, None, n, low, high)
    mean = math.fsum(defined) / n
    if n < LEAST:
        return Estimate(mean, None, n, low, high)
    if low == high:
        return Estimate(low, 0.0, n, low, high)
    spread = deviation(defined)
    second = spread**2 * (n - 1) / n
    third = math.fsum((value - mean) ** 3 for value in defined) / n
    return Estimate(mean, float(half_width(n, spread, third / second**1.5)), n, low, high)


def half_width(n: int, spread: float | NDArray[Any], skewness: float | NDArray[Any]) -> np.float64 | NDArray[Any]:
    """The longer side of an interval for the mean of `n` values, corrected for skewness, at the level `LEVEL`.

    `spread` is their standard deviation, `skewness` the third central moment over the second to the power 1.5. The
    distribution of Student's statistic T has the expansion ``P(T ≤ x) = Φ(x) + γ(2x² + 1)φ(x)/(6√n) + O(1/n)``, so
    that ``T + γ(2T² + 1)/(6√n)`` has none of that term; with ``γ²T³/(27n)`` besides it is monotone, and is solved for
    T. That transformation is P. Hall's (1992).
    """
    import numpy as np
    from scipy.special import stdtrit

    gamma = SKEWNESS_FACTOR * np.abs(skewness) * math.sqrt(n * (n - 1)) / (n - 2)
    a = np.maximum(gamma, 1e-6) / math.sqrt(n)  # without skewness this is Student's interval
    z = stdtrit(n - 1, (1 + LEVEL) / 2)
    sides = [np.abs(3 / a * (np.cbrt(1 + a * (end - a / 6)) - 1)) for end in (z, -z)]
    longer: np.float64 | NDArray[Any] = spread / math.sqrt(n) * np.maximum(*sides)
    return longer


@cache
def confidence_of_each(counts: tuple[int, ...]) -> float:
    """The level of the interval at each of several looks at which one asks whether something is apart from 0.

    With it equal things are called apart at any of the looks, with these numbers of seeds, in 5 % of all cases: the
    boundary of Pocock, one level for all looks, for looks at any times. Means of the first n values form a random walk;
    the probability that it never leaves the boundary is integrated from look to look (as Armitage, McPherson and Rowe
    did), for normal values. Student's t at this level takes the place of the normal distribution, as Pocock proposed.
    """
    from scipy.special import ndtr

    low, high = 1.9, 4.5
    for _ in range(40):  # the probability falls as the boundary rises
        middle = (low + high) / 2
        low, high = (middle, high) if _leaves(middle, counts) > ERROR else (low, middle)
    return float(2 * ndtr((low + high) / 2) - 1)


def _leaves(boundary: float, counts: Sequence[int]) -> float:
    """Probability that standardised means of the first so many normal values leave ± boundary at any of the looks."""
    import numpy as np

    places, weights = np.polynomial.legendre.leggauss(120)
    z, weights = boundary * places, boundary * weights
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    for before, now in pairwise(counts):
        kept = math.sqrt(before / now)
        sigma = math.sqrt(1 - before / now)
        step = np.exp(-(((z[:, None] - kept * z[None, :]) / sigma) ** 2) / 2) / (math.sqrt(2 * math.pi) * sigma)
        density = step @ (density * weights)
    return float(1 - np.sum(density * weights))


def values_seen(values: Sequence[float]) -> int:
    """How many different values there are, but for rounding; undefined ones (NaN) are left out."""
    return len({float(f"{value:.9g}") for value in values if not math.isnan(value)})


def is_coarse(values: Sequence[float]) -> bool:
    """Whether a metric takes so few values that the spread of a sample may say little of it.

    Half as many different ones as there are, or fewer: all equal, two of them, small counts.
    """
    defined = [value for value in values if not math.isnan(value)]
    return len(defined) > 1 and values_seen(defined) <= len(defined) / 2
