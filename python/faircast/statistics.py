"""Statistics of results: means with 95 % intervals over seeds, fairness, variation.

See the chapter ``docs/results.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, repr=False)
class Estimate:
    """A mean over independent repetitions."""

    mean: float
    """Arithmetic mean; NaN if there is no value."""
    ci95: float | None
    """Half width of the 95 % Student-t interval; None with fewer than two values or with infinite ones."""
    n: int
    """How many values it rests on."""
    low: float
    """The smallest value."""
    high: float
    """The largest value."""
    ends: tuple[float, float] | None = None
    """The ends of a 95 % interval that reaches further to one side; `ci95` is None then."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The ends of the 95 % interval, whatever its form; None if there is none."""
        return self.ends if self.ci95 is None else (self.mean - self.ci95, self.mean + self.ci95)

    def __str__(self) -> str:
        text = with_interval(self.mean, self.ci95)
        return text if self.ends is None else f"{text} ({' to '.join(with_interval(end, None) for end in self.ends)})"

    def __repr__(self) -> str:
        extremes = f", {with_interval(self.low, None)} to {with_interval(self.high, None)}" if self.n > 1 else ""
        return f"<Estimate: {self}, n = {self.n}{extremes}>"

    def _repr_html_(self) -> str:
        from faircast.display.grid import html

        return html(repr(self)[1:-1])


def estimate(values: Sequence[float], *, level: float = 0.95) -> Estimate:
    """Mean and 95 % interval ``t(0.975, n - 1)·s/√n`` of values from different seeds. NaN, undefined, is left out.

    `level` is that of the interval, if it is to be another one.
    """
    defined = [float(value) for value in values if not math.isnan(value)]
    n = len(defined)
    if n == 0:
        return Estimate(math.nan, None, 0, math.nan, math.nan)
    low, high = min(defined), max(defined)
    if math.isinf(low) or math.isinf(high):
        return Estimate(
            math.nan if math.isinf(low) and math.isinf(high) and low < high else low + high, None, n, low, high
        )
    mean = math.fsum(defined) / n
    if n == 1:
        return Estimate(mean, None, n, low, high)
    return Estimate(mean, t_quantile(n - 1, level) * deviation(defined) / math.sqrt(n), n, low, high)


def difference(a: Sequence[float], b: Sequence[float], *, level: float = 0.95) -> Estimate:
    """The mean of `a` less that of `b`, independent samples of unequal variance, with Welch's interval of this level.

    Its degrees of freedom are those of Welch and Satterthwaite. `low` and `high` are the extremes that a pair can give.
    """
    spread = [deviation(values) ** 2 / len(values) for values in (a, b)]
    apart = math.fsum(a) / len(a) - math.fsum(b) / len(b)
    low, high = min(a) - max(b), max(a) - min(b)
    if math.isnan(sum(spread)):
        return Estimate(apart, None, len(a) + len(b), low, high)
    if sum(spread) == 0:
        return Estimate(apart, 0.0, len(a) + len(b), low, high)
    freedom = sum(spread) ** 2 / sum(s**2 / (len(x) - 1) for s, x in zip(spread, (a, b), strict=True))
    return Estimate(apart, t_quantile(freedom, level) * math.sqrt(sum(spread)), len(a) + len(b), low, high)


def jackknife(of: Callable[[Sequence[int]], float], seeds: Sequence[int]) -> Estimate:
    """What `of` makes of all seeds together, as a ratio of means, with a 95 % interval.

    The interval is the jackknife's, from leaving out one seed after the other: ``t(0.975, n - 1)·sqrt((n - 1)/n·Σ(x_i -
    mean)²)``; of a mean it is that of `estimate`. None where something is not finite.
    """
    whole, n = of(seeds), len(seeds)
    if n < 2:
        return Estimate(whole, None, n, whole, whole)
    without = [of([*seeds[:i], *seeds[i + 1 :]]) for i in range(n)]
    low, high = min(without), max(without)
    if not math.isfinite(whole) or not all(map(math.isfinite, without)):
        return Estimate(whole, None, n, low, high)
    return Estimate(whole, t_quantile(n - 1) * (n - 1) / math.sqrt(n) * deviation(without), n, low, high)


def jackknife_of_ratio(of: Callable[[Sequence[int]], float], seeds: Sequence[int]) -> Estimate:
    """A ratio a/b of two things that both vary, of all seeds, with a 95 % interval; infinite where b is nothing.

    The interval is the jackknife's of (a - b)/(a + b), from -1 to 1, brought back. The ratio itself goes from 0 to
    infinity, and most of that is above 1: its own interval is too short below and too long above, and where b is small
    it includes everything.
    """
    whole = of(seeds)
    found = jackknife(lambda chosen: _part(of(chosen)), seeds)
    low, high = _ratio(found.low), _ratio(found.high)
    if found.ci95 is None:
        return Estimate(whole, None, found.n, low, high)
    ends = (_ratio(max(-1.0, found.mean - found.ci95)), _ratio(min(1.0, found.mean + found.ci95)))
    return Estimate(whole, None, found.n, low, high, ends)


def _part(ratio: float) -> float:
    """(a - b)/(a + b) of a/b."""
    return 1.0 if math.isinf(ratio) else (ratio - 1) / (ratio + 1)


def _ratio(part: float) -> float:
    """The other way round."""
    return (1 + part) / (1 - part) if part != 1 else math.inf


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """The order statistics between which the median lies with at least 95 %, or the extremes if that needs more values.

    Each value is below the median with probability 1/2, so their number is binomial. Infinite values are values.
    """
    ordered, n = sorted(values), len(values)
    chance, below = 0.0, 0
    while below < n // 2 and chance + math.comb(n, below) / 2**n <= 0.025:
        chance += math.comb(n, below) / 2**n
        below += 1
    left_out = max(0, below - 1)
    return ordered[left_out], ordered[n - 1 - left_out]


def share_interval(hits: int, n: int) -> tuple[float, float]:
    """The shares between which that of all runs lies if something held in `hits` of `n`: the exact 95 % interval.

    At its lower end so many hits or more have a probability of 2.5 %, at its upper end so few or fewer.
    """

    def at_most(k: int, share: float) -> float:
        return math.fsum(math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1))

    def where(k: int, wanted: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(50):  # the sum falls as the share grows
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(k, middle) > wanted else (low, middle)
        return low

    return where(hits - 1, 0.975) if hits else 0.0, where(hits, 0.025) if hits < n else 1.0


def deviation(values: Sequence[float]) -> float:
    """Standard deviation of a sample, with n - 1 in the denominator; NaN with fewer than two values."""
    n = len(values)
    if n < 2:
        return math.nan
    mean = math.fsum(values) / n
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))


def jain(values: Sequence[float]) -> float:
    """Jain's fairness index ``(Σx)²/(n·Σx²)``: 1 if all are equal, 1/n if one has everything; 1 if all are zero."""
    squares = math.fsum(value * value for value in values)
    if not values:
        return math.nan
    return math.fsum(values) ** 2 / (len(values) * squares) if squares > 0 else 1.0


def variation(values: Sequence[float]) -> float:
    """Coefficient of variation ``σ/μ`` of a series, σ with n in the denominator; NaN if the mean is 0."""
    n = len(values)
    mean = math.fsum(values) / n if n else math.nan
    if n == 0 or mean == 0:
        return math.nan
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / n) / mean


def with_interval(mean: float, ci95: float | None) -> str:
    """``17.33 ± 2.9``: four significant digits of the mean, two of the half width."""
    text = f"{mean:.0f}" if 1e3 <= abs(mean) < 1e15 else f"{mean:.4g}"
    if ci95 is None:
        return text
    # What rounding leaves of the same value in all seeds.
    ci95 = 0.0 if ci95 < 1e-9 * abs(mean) else ci95
    return f"{text} ± {f'{ci95:.0f}' if 10 <= ci95 < 1e15 else f'{ci95:.2g}'}"


@cache
def t_quantile(freedom: float, level: float = 0.95) -> float:
    """What Student's t stays below in absolute value with this probability; by default its 0.975 quantile."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def scaled(item: Estimate, factor: float) -> Estimate:
    """The estimate in another unit; `factor` is positive."""
    ci95 = None if item.ci95 is None else factor * item.ci95
    ends = None if item.ends is None else (factor * item.ends[0], factor * item.ends[1])
    return Estimate(factor * item.mean, ci95, item.n, factor * item.low, factor * item.high, ends)
