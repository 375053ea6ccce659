"""Metrics by name, ``SUBJECT/METRIC``: which there are, and which of them are looked at first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from faircast.errors import InputError, brief, choose
from faircast.scenario import Resolved

if TYPE_CHECKING:
    from faircast.summary import RunSummary

Metric = tuple[str, str]
"""Subject and metric."""
SHOWN = 6
"""How many are shown of a sweep, unless it is said which: on screen, in pictures, in notebooks."""


HEADLINES = ("rate", "rate_mean", "completion_p50", "completion_p95")
"""What an entry can have of what one looks at first."""


def headline_metrics(scenarios: Sequence[Resolved], there: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """What one looks at first, in the order of the scenarios; of metrics that are there.

    The rates of all sessions, then those of all flows; a group of several flows stands for its flows, with the mean of
    their rates. Of web traffic the median of completion times and what 5 % of the transfers exceed.
    """
    legal = set(there)
    found: dict[tuple[str, str], None] = {}
    for kind in ("sessions", "flows"):
        for scenario in scenarios:
            for name, entry in scenario.data.get(kind, {}).items():
                count = entry.get("count") or 1
                own = [(name, metric) for metric in HEADLINES if (name, metric) in legal]
                each = [(f"{name}-{i}", "rate") for i in range(count)]
                found |= dict.fromkeys(own or [key for key in each if key in legal])
    return list(found)


PERCENTILE = re.compile(r"(?:completion|slowdown)_p(?P<percent>\d+)(?P<size>(?:_class_\d+)?)")
"""The name of a percentile of web traffic."""


def counts_of(metric: str) -> tuple[int, str, str] | None:
    """Of a percentile of web traffic which it is, and the metrics with its transfers and the unfinished among them."""
    found = PERCENTILE.fullmatch(metric)
    if found is None:
        return None
    return int(found["percent"]), "transfers" + found["size"], "unfinished" + found["size"]


def is_bound(transfers: float, unfinished: float, percent: int) -> bool:
    """Whether the percentile of so many transfers falls among the unfinished ones, which rank last."""
    rank = max(-(-round(transfers) * percent // 100), 1)
    return unfinished > 0 and rank > transfers - unfinished


def is_least(run: RunSummary, subject: str, metric: str) -> bool:
    """Whether a metric of a run is known only as at least so much."""
    if (counts := counts_of(metric)) is None:
        return False
    percent, transfers, unfinished = counts
    return is_bound(run.get((subject, transfers), 0.0), run.get((subject, unfinished), 0.0), percent)


def check_metric(subject: str, metric: str, legal: Sequence[tuple[str, str]]) -> None:
    """Raise an `InputError` that names what there is instead, if a metric is not legal."""
    if (subject, metric) in legal:
        return
    if not legal:
        raise InputError("there are no results yet")
    subjects = list(dict.fromkeys(owner for owner, _ in legal))
    choose("subject", subject, subjects)
    choose(f"metric of {subject}", metric, [name for owner, name in legal if owner == subject])


def parse_metric(text: str) -> Metric:
    """``video/rate`` as subject and metric."""
    subject, slash, metric = text.rpartition("/")
    if not slash or not subject or not metric:
        raise InputError(f"--metric {brief(text)}: write subject/metric, for instance --metric video/rate")
    return subject, metric
