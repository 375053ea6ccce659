"""Two estimates of different seeds beside each other."""

from __future__ import annotations

import math

from faircast.experiment import Measured
from faircast.statistics import Estimate


def apart(lower: Estimate, upper: Estimate) -> bool:
    """Whether the interval of the one lies below that of the other; with one seed the numbers alone decide."""
    return lower.mean + (lower.ci95 or 0.0) < upper.mean - (upper.ci95 or 0.0)


def less(a: Estimate, b: Estimate) -> Estimate:
    """What `a` is more than `b`; their errors are independent."""
    half = None if a.ci95 is None or b.ci95 is None else math.hypot(a.ci95, b.ci95)
    return Estimate(a.mean - b.mean, half, min(a.n, b.n), a.low - b.high, a.high - b.low)


def ordered(lower: Estimate, upper: Estimate, note: str) -> Measured:
    """Whether the one is below the other, by their quotient; undecided if their intervals meet."""
    return Measured(
        value=upper.mean / lower.mean,
        holds=apart(lower, upper),
        undecided=not apart(lower, upper) and not apart(upper, lower),
        note=note,
    )
