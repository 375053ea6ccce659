"""Subjects that somebody compares, and that the seeds so far do not tell apart.

Two groups of TCP flows, or two sessions, of different settings are there to be compared. Where the 95 % interval of the
difference of their goodputs contains 0, the seeds leave open which of them gets more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from faircast.pairs import told_apart
from faircast.statistics import Estimate, estimate, with_interval

if TYPE_CHECKING:
    from faircast.summary import RunSummary

KIND = "no-difference"
METRIC = "goodput"
WHEN_AND_WHERE = frozenset(
    ("count", "description", "from", "join", "receivers", "source", "start", "start_jitter", "start_step", "stop", "to")
)
"""Keys of flows and sessions that say when and between which nodes they send, and not how."""
COMPARED_FLOWS = frozenset(("tcp",))
"""Kinds of flows that answer congestion: the rates of others are given."""
LISTED = frozenset(("mss", "variant"))
"""Keys of these flows that may have a list of values, one for each of them."""
CONSTANT_SCHEMES = frozenset(("cbr", "layered-cbr"))
"""Schemes that do not answer congestion."""


class Group(NamedTuple):
    """What has one entry in a scenario."""

    sort: str
    """``flows`` or ``sessions``."""
    name: str
    subjects: tuple[str, ...]
    """Its flows, or the session itself, as summaries name them."""
    settings: dict[str, Any]
    """How it sends."""


class Undecided(NamedTuple):
    """Two subjects that the seeds do not tell apart."""

    names: tuple[str, str]
    difference: Estimate
    """What the first has more than the second, seed by seed."""
    message: str


def in_runs(scenario: Mapping[str, Any], runs: Mapping[int, RunSummary]) -> list[Undecided]:
    """What is undecided among the flows and sessions of a scenario, given its data and the summaries of its seeds."""
    if len(runs) < 2:
        return []
    found = []
    for a, b in pairs_of(scenario):
        values = ({seed: mean_of(group, run) for seed, run in runs.items()} for group in (a, b))
        sort = "sessions" if a.sort == "sessions" else "flows"
        undecided = between((a.name, b.name), *values, what=f"{METRIC}s of the {sort}")
        if undecided is not None:
            found.append(undecided)
    return found


def between(
    names: tuple[str, str],
    a: Mapping[int, float],
    b: Mapping[int, float],
    *,
    what: str = "goodputs of",
    unit: str = "bit/s",
) -> Undecided | None:
    """Whether values by seed do not tell two subjects apart; None if they do, or if fewer than two seeds have both.

    `what` completes the sentence "2 seeds do not tell the ... a and b apart"; `unit` is that of the values. What is
    NaN, undefined, is left out.
    """
    both = sorted(a.keys() & b.keys())
    difference = estimate([a[seed] - b[seed] for seed in both])
    if told_apart(difference) is not False:
        return None
    if difference.low == difference.high == 0:
        message = f"the {what} {names[0]} and {names[1]} are the same in each of {difference.n} seeds"
    else:
        half = difference.ci95 or 0.0
        scale, unit = _scaled(max(abs(difference.mean), half), unit)
        more, less = names if difference.mean >= 0 else names[::-1]
        message = (
            f"{difference.n} seeds do not tell the {what} {names[0]} and {names[1]} apart: {more} has "
            f"{with_interval(abs(difference.mean) / scale, half / scale)} {unit} more than {less}, and that interval "
            "of 95 % of the differences seed by seed contains 0; more seeds (--reps) make it narrower"
        )
    return Undecided(names, difference, message)


def pairs_of(scenario: Mapping[str, Any]) -> Iterator[tuple[Group, Group]]:
    """Every two groups of one sort that differ in how they send."""
    groups = [*_flows(scenario), *_sessions(scenario)]
    for a, b in combinations(groups, 2):
        if a.sort == b.sort and a.settings != b.settings:
            yield a, b


def mean_of(group: Group, run: RunSummary) -> float:
    """The mean goodput of a group's flows, bit/s; NaN where one has none."""
    goodputs = run.column(METRIC)
    values = [goodputs.get(subject, math.nan) for subject in group.subjects]
    return math.fsum(values) / len(values) if values else math.nan


def _flows(scenario: Mapping[str, Any]) -> Iterator[Group]:
    for name, entry in scenario.get("flows", {}).items():
        if entry.get("kind") in COMPARED_FLOWS:
            count = entry.get("count")
            subjects = (name,) if count is None else tuple(f"{name}-{i}" for i in range(count))
            yield from _alike(name, subjects, _how(entry))


def _alike(name: str, subjects: tuple[str, ...], settings: dict[str, Any]) -> Iterator[Group]:
    """The flows of an entry, those of other settings apart: a list has a value for each flow."""
    listed = sorted(key for key in LISTED if isinstance(settings.get(key), list))
    rows: dict[str, list[int]] = {}
    for index in range(len(subjects) if listed else 0):
        rows.setdefault(json.dumps([settings[key][index] for key in listed], sort_keys=True), []).append(index)
    if not listed:
        yield Group("flows", name, subjects, settings)
    for row, members in rows.items():
        values = dict(zip(listed, json.loads(row), strict=True))
        words = ", ".join(f"{key} {_word(value)}" for key, value in values.items())
        own = subjects[members[0]] if len(members) == 1 else name
        yield Group("flows", f"{own} ({words})", tuple(subjects[index] for index in members), settings | values)


def _word(value: Any) -> str:
    """A value in words: of a table with parameters its kind."""
    return str(value.get("kind", value) if isinstance(value, dict) else value)


def _sessions(scenario: Mapping[str, Any]) -> Iterator[Group]:
    for name, entry in scenario.get("sessions", {}).items():
        if entry.get("scheme") not in CONSTANT_SCHEMES:
            yield Group("sessions", name, (name,), _how(entry))


def _how(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in WHEN_AND_WHERE}


def _scaled(largest: float, unit: str) -> tuple[float, str]:
    if unit != "bit/s":
        return 1.0, unit
    return (1e6, "Mbit/s") if largest >= 1e6 else (1e3, "kbit/s")
