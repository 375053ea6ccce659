"""Metrics by name, ``SUBJECT/METRIC``: which there are, and which of them are looked at first."""

from __future__ import annotations

from collections.abc import Sequence

from faircast.errors import InputError, brief, choose
from faircast.scenario import Resolved

Metric = tuple[str, str]
"""Subject and metric."""
SHOWN = 6
"""How many are shown of a sweep, unless it is said which: on screen, in pictures, in notebooks."""


def rates_of(scenarios: Sequence[Resolved], there: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The rates of all sessions, then those of all flows, in the order of the scenarios; of metrics that are there.

    A group of several flows stands for its flows, with the mean of their rates.
    """
    legal = set(there)
    found: dict[tuple[str, str], None] = {}
    for kind in ("sessions", "flows"):
        for scenario in scenarios:
            for name, entry in scenario.data.get(kind, {}).items():
                count = entry.get("count") or 1
                own = [(name, metric) for metric in ("rate", "rate_mean") if (name, metric) in legal]
                each = [(f"{name}-{i}", "rate") for i in range(count)]
                found |= dict.fromkeys(own or [key for key in each if key in legal])
    return list(found)


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
