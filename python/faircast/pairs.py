"""Differences between two scenarios over the seeds of both: in pairs where chance is the same for both.

Random streams are named after the nodes, links and flows that draw from them. Two scenarios whose links, and with them
their nodes, have the same names meet the same chances with the same seed, and the difference is taken seed by seed.
Otherwise their runs are independent samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from faircast.statistics import Estimate, difference, estimate
from faircast.summary import RunSummary

Runs = Mapping[int, RunSummary]
"""Summaries by seed."""
OF_LINKS = "arrived_all"
"""A metric that every link has and nothing else."""


def common(a: Runs, b: Runs) -> list[int]:
    """The seeds that both have."""
    return sorted(a.keys() & b.keys())


def are_paired(a: Runs, b: Runs) -> bool:
    """Whether two scenarios are compared seed by seed: their links have the same names."""
    seeds = common(a, b)
    return bool(seeds) and all(links(a[seed]) == links(b[seed]) for seed in seeds[:1])


def links(summary: RunSummary) -> frozenset[str]:
    """The names of all links, each direction one."""
    return frozenset(summary.subjects(OF_LINKS))


def difference_of(
    a: Runs, b: Runs, subject: str, metric: str, *, paired: bool | None = None, level: float = 0.95
) -> Estimate:
    """What `a` has more than `b` of a metric, over the seeds that both have, with an interval of this level.

    In pairs (`statistics.estimate` of the differences) or not (`statistics.difference`); None to ask `are_paired`. NaN,
    undefined, is left out; without a pair, or a value on each side, `n` is 0.
    """
    key = subject, metric
    seeds = [seed for seed in common(a, b) if key in a[seed] and key in b[seed]]
    if are_paired(a, b) if paired is None else paired:
        return estimate([a[seed][key] - b[seed][key] for seed in seeds], level=level)
    left = [a[seed][key] for seed in seeds if not math.isnan(a[seed][key])]
    right = [b[seed][key] for seed in seeds if not math.isnan(b[seed][key])]
    if not left or not right or not all(map(math.isfinite, [*left, *right])):
        return estimate([])
    return difference(left, right, level=level)


def told_apart(found: Estimate) -> bool | None:
    """Whether the interval of a difference leaves out zero; None without an interval."""
    return None if found.ci95 is None else abs(found.mean) > found.ci95
