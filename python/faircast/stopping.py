"""When a point of a sweep has seeds enough: rules by which seeds are added, and which only what they ask about decides.

A rule looks at fixed numbers of seeds (`faircast.sequential.looks`), and at each only at the first so many seeds of a
point, in their order. So neither how runs are computed, nor in what order they finish, nor what the folder held
before, changes where a point stops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from faircast.errors import InputError, brief
from faircast.metrics import Metric, check_metric, parse_metric
from faircast.pairs import Runs, difference_of, told_apart
from faircast.scenario import whole
from faircast.sequential import LEAST, at_stop, confidence_of_each, is_coarse, looks
from faircast.statistics import Estimate
from faircast.sweep_folder import SweepPoint
from faircast.vary import as_text, known_by
from faircast.widths import Width, width_of

FIRST = 10
"""Seeds at the first look, unless said; with fewer the interval is not what it is meant to be (`docs/seeds.md`)."""
LIMIT = 20
"""By default so many times the seeds of the first look are the most."""


@dataclass(frozen=True)
class Stop:
    """Where a point stands: the look at which it stopped, or the last one for which its runs are there."""

    seeds: int
    """Seeds of that look."""
    reached: bool
    """Whether what was asked for holds there."""
    open: bool
    """Whether runs are missing to tell."""
    found: Mapping[Metric, Estimate]
    """Mean and interval of each metric at that look; of a comparison the difference."""
    expected: int
    """Seeds that it is expected to need in all; those that it has if it has stopped."""
    coarse: tuple[Metric, ...] = ()
    """Metrics that take few different values, of which the interval says little."""


class Rule(Protocol):
    """A rule by which seeds are added."""

    @property
    def first(self) -> int:
        """Seeds of the first look."""

    @property
    def last(self) -> int:
        """The most seeds."""

    @property
    def start(self) -> int:
        """The first seed."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What is looked at."""

    def stops(self, points: Sequence[SweepPoint], runs: Sequence[Runs], units: Mapping[Metric, str]) -> list[Stop]:
        """Where each point stands, given what is finished of it."""

    def check(self, units: Mapping[Metric, str]) -> None:
        """Raise an `InputError` if metrics of these units cannot be asked so."""

    def to_json(self) -> dict[str, Any]:
        """The rule as the manifest holds it."""


@dataclass(frozen=True)
class UntilNarrow:
    """Seeds are added to a point until the interval of every metric is as narrow as it is to be."""

    widths: Mapping[Metric, Width]
    first: int
    last: int
    start: int
    """The first seed."""

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """What is looked at."""
        return tuple(self.widths)

    def stops(self, points: Sequence[SweepPoint], runs: Sequence[Runs], units: Mapping[Metric, str]) -> list[Stop]:
        """Where each point stands, given what is finished of it."""
        del points
        return [self._stop(own, units) for own in runs]

    def check(self, units: Mapping[Metric, str]) -> None:
        """Raise an `InputError` if a width is none of its metric."""
        for metric, width in self.widths.items():
            if metric in units:
                width.check("/".join(metric), units[metric])

    def to_json(self) -> dict[str, Any]:
        """The rule as the manifest holds it."""
        widths = {"/".join(metric): width.text for metric, width in self.widths.items()}
        return {"widths": widths, "reps": self.first, "max_reps": self.last, "seed": self.start}

    def half(self, metric: Metric, mean: float, units: Mapping[Metric, str]) -> float:
        """The half width that a metric is to have."""
        return self.widths[metric].half(mean, units[metric])

    def _stop(self, runs: Runs, units: Mapping[Metric, str]) -> Stop:
        before = Stop(0, reached=False, open=True, found={}, expected=self.first)
        for seeds in looks(self.first, self.last):
            chosen = chosen_of(runs, self.start, seeds)
            if chosen is None:
                return before
            values = {key: [run[key] for run in chosen.values() if key in run] for key in self.widths}
            found = {key: at_stop(column) for key, column in values.items()}
            narrow = {key: self._is_narrow(key, item, units) for key, item in found.items()}
            coarse = tuple(key for key, column in values.items() if is_coarse(column))
            if all(narrow.values()):
                return Stop(seeds, reached=True, open=False, found=found, expected=seeds, coarse=coarse)
            lacks = any(not column for column in values.values())
            if seeds == self.last or lacks:  # what the point does not have comes with no seed
                return Stop(seeds, reached=False, open=False, found=found, expected=seeds, coarse=coarse)
            wanted = max(self._expected(key, found[key], seeds, units) for key, done in narrow.items() if not done)
            following = (look for look in looks(self.first, self.last) if look > seeds)
            expected = next((look for look in following if look >= wanted), self.last)
            before = Stop(seeds, reached=False, open=True, found=found, expected=expected, coarse=coarse)
        return before

    def _is_narrow(self, key: Metric, item: Estimate, units: Mapping[Metric, str]) -> bool:
        """What is undefined in some runs needs as many values as the first look has seeds."""
        enough = item.n >= max(LEAST, self.first) and item.ci95 is not None
        return enough and (item.ci95 or 0.0) <= self.half(key, item.mean, units)

    def _expected(self, key: Metric, item: Estimate, seeds: int, units: Mapping[Metric, str]) -> float:
        wanted = self.half(key, item.mean, units) if key in units else 0.0
        return self.last if item.ci95 is None or not wanted > 0 else seeds * (item.ci95 / wanted) ** 2


@dataclass(frozen=True)
class UntilApart:
    """Seeds are added to points that differ in one path only until they are apart in every metric.

    Each value of the path is held against the first one, as `faircast.compare` does.

    >>> faircast.sweep("geo.toml", vary=..., until=UntilApart("scheme", ("video/rate",)), max_reps=100)

    Parameters
    ----------
    between
        The varied path, whole or its end.
    metrics
        What is compared, each ``SUBJECT/METRIC``.
    values
        Which values of the path, the first one being what the others are held against; by default all of them.
    """

    between: str
    metrics: tuple[Metric, ...]
    values: tuple[Any, ...] | None = None
    first: int = FIRST
    last: int = FIRST * LIMIT
    start: int = 1

    def __post_init__(self) -> None:
        named = [parse_metric(item) if isinstance(item, str) else item for item in self.metrics]
        object.__setattr__(self, "metrics", tuple(named))

    @property
    def level(self) -> float:
        """The level of the interval at each look with which equal things are called apart in one of 20 cases."""
        return confidence_of_each(looks(self.first, self.last))

    def stops(self, points: Sequence[SweepPoint], runs: Sequence[Runs], units: Mapping[Metric, str]) -> list[Stop]:
        """Where each point stands; one against which several are held is needed as long as one of them is open."""
        del units
        own: list[Stop | None] = [None] * len(points)
        for place, *others in self.groups(points):
            against = [self.stop_of(runs[place], runs[other]) for other in others]
            for other, stop in zip(others, against, strict=True):
                own[other] = stop
            if against:
                own[place] = max(against, key=lambda stop: (stop.open, stop.expected, not stop.reached))
        none = Stop(self.first, reached=False, open=False, found={}, expected=self.first)  # compared with nothing
        return [none if stop is None else stop for stop in own]

    def groups(self, points: Sequence[SweepPoint]) -> list[list[int]]:
        """Places of points that differ in the path only, the first value in front; groups without it are left out."""
        groups: dict[str, dict[str, int]] = {}
        texts = [as_text(point.values[self.between]) for point in points]
        wanted = list(dict.fromkeys(texts if self.values is None else map(as_text, self.values)))
        for place, point in enumerate(points):
            others = {path: value for path, value in point.values.items() if path != self.between}
            if texts[place] in wanted:
                groups.setdefault(known_by(others), {})[texts[place]] = place
        return [[own[text] for text in wanted if text in own] for own in groups.values() if wanted[0] in own]

    def stop_of(self, first: Runs, second: Runs) -> Stop:
        """Where the comparison of two scenarios stands."""
        before = Stop(0, reached=False, open=True, found={}, expected=self.first)
        for seeds in looks(self.first, self.last):
            sides = [chosen_of(runs, self.start, seeds) for runs in (first, second)]
            if sides[0] is None or sides[1] is None:
                return before
            a, b = sides[0], sides[1]
            found = {key: difference_of(b, a, *key, level=self.level) for key in self.metrics}
            coarse = tuple(key for key in self.metrics if is_coarse([b[s][key] - a[s][key] for s in a if key in a[s]
                                                                     and key in b[s]]))  # fmt: skip
            apart = [told_apart(item) for item in found.values()]
            if all(apart) or seeds == self.last or not all(item.n for item in found.values()):
                return Stop(seeds, reached=all(apart), open=False, found=found, expected=seeds, coarse=coarse)
            ratios = [(item.ci95 or 0.0) / abs(item.mean) if item.mean else 1e9 for item in found.values()]
            wanted = seeds * max(ratios) ** 2
            following = [look for look in looks(self.first, self.last) if look > seeds]
            expected = next((look for look in following if look >= wanted), self.last)
            before = Stop(seeds, reached=False, open=True, found=found, expected=expected, coarse=coarse)
        return before

    def check(self, units: Mapping[Metric, str]) -> None:
        """Anything can be apart."""

    def to_json(self) -> dict[str, Any]:
        """The rule as the manifest holds it."""
        return {
            "between": self.between,
            "metrics": ["/".join(metric) for metric in self.metrics],
            "values": None if self.values is None else list(self.values),
            "reps": self.first,
            "max_reps": self.last,
            "seed": self.start,
        }


Until = Mapping[str, object] | UntilApart
"""What a sweep is to go on for: by metric the width of its interval, or differences."""


def rule_of(until: Until, *, varied: Sequence[str], reps: int | None, max_reps: int | None, start: int) -> Rule:
    """The rule of a sweep. Raises `InputError` for widths and numbers of seeds that are not legal."""
    if isinstance(until, UntilApart):
        if until.between not in varied:
            raise InputError(f"--until-apart {brief(until.between)}: that is not varied; {', '.join(varied)} is")
        return apart_rule(until, reps=reps, max_reps=max_reps, start=start)
    first, last = numbers_of(reps, max_reps)
    if not isinstance(until, Mapping):
        raise InputError(f"until is {brief(repr(until))}; a mapping from metrics to widths is needed")
    if not until:
        raise InputError("--until-ci needs a metric: --metric SUBJECT/METRIC")
    widths = {parse_metric(str(metric)): width_of(width) for metric, width in until.items()}
    return UntilNarrow(widths, first, last, start)


def apart_rule(until: UntilApart, *, reps: int | None, max_reps: int | None, start: int) -> UntilApart:
    """The rule with the numbers of seeds of a call."""
    if not until.metrics:
        raise InputError("--until-apart needs a metric to compare: --metric SUBJECT/METRIC")
    first, last = numbers_of(reps, max_reps)
    return replace(until, first=first, last=last, start=start)


def numbers_of(reps: int | None, max_reps: int | None) -> tuple[int, int]:
    """Seeds of the first look, and the most."""
    first = FIRST if reps is None else whole("--reps", reps)
    if first < LEAST:
        raise InputError(f"--reps is {first}; the first look needs {LEAST} seeds at least, and {FIRST} are better")
    last = LIMIT * first if max_reps is None else whole("--max-reps", max_reps)
    if last < first:
        raise InputError(f"--max-reps is {last}, and the first look takes {first} seeds (--reps); legal is {first} on")
    return first, last


def from_json(kept: Mapping[str, Any]) -> Rule:
    """The rule that a manifest holds."""
    first, last, start = int(kept["reps"]), int(kept["max_reps"]), int(kept["seed"])
    if "widths" in kept:
        widths = {parse_metric(metric): width_of(text) for metric, text in kept["widths"].items()}
        return UntilNarrow(widths, first, last, start)
    metrics = tuple(parse_metric(text) for text in kept["metrics"])
    values = None if kept["values"] is None else tuple(kept["values"])
    return UntilApart(kept["between"], metrics, values, first, last, start)


@dataclass(frozen=True)
class Look:
    """What a look has told: how many points have stopped, and what the others are expected to take."""

    points: int
    stopped: int
    not_reached: int
    """Of those that have stopped, at the limit."""
    runs: int
    """Runs that are there."""
    expected: int
    """Runs that are expected beyond them."""
    next_seeds: int
    """Seeds of the next look; 0 if none follows."""


def look_at(stops: Sequence[Stop], rule: Rule) -> Look:
    """What all points together have told."""
    still = [stop for stop in stops if stop.open]
    have = [stop.seeds for stop in stops]
    rest = sum(max(0, stop.expected - stop.seeds) for stop in still)
    following = max((next_look(stop, rule) for stop in still), default=0)
    missed = sum(not stop.reached and not stop.open for stop in stops)
    return Look(len(stops), len(stops) - len(still), missed, sum(have), rest, following)


def next_look(stop: Stop, rule: Rule) -> int:
    """How many seeds a point needs for its next look; those that it has if it has stopped."""
    if not stop.open:
        return stop.seeds
    return next(look for look in looks(rule.first, rule.last) if look > stop.seeds)


def further(rule: Rule, points: Sequence[SweepPoint], stops: Sequence[Stop]) -> list[SweepPoint]:
    """The points with the seeds of their next looks."""
    return [
        SweepPoint(point.values, point.scenario, tuple(range(rule.start, rule.start + next_look(stop, rule))))
        for point, stop in zip(points, stops, strict=True)
    ]


def check_metrics(metrics: Sequence[Metric], units: Mapping[Metric, str]) -> None:
    """Raise an `InputError` for metrics that no point has."""
    for metric in metrics:
        check_metric(*metric, list(units))


def chosen_of(runs: Runs, start: int, seeds: int) -> Runs | None:
    """The first so many seeds, or None if one of them is missing."""
    chosen = {seed: runs[seed] for seed in range(start, start + seeds) if seed in runs}
    return chosen if len(chosen) == seeds else None
