"""Whether two estimates can be told apart."""

from __future__ import annotations

from faircast.statistics import Estimate


def apart(lower: Estimate, upper: Estimate) -> bool:
    """Whether the interval of the one lies below that of the other; with one seed the numbers alone decide."""
    return lower.mean + (lower.ci95 or 0.0) < upper.mean - (upper.ci95 or 0.0)
