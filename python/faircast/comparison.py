"""What a scenario has more than another, metric by metric, over the seeds that both have.

Two folders of runs, or two values of a key that a sweep varies. Where chance is the same for both, because nodes and
links have the same names, differences are taken seed by seed (`faircast.pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, brief
from faircast.metrics import Metric, check_metric, headline_metrics, is_least, parse_metric
from faircast.pairs import Runs, are_paired, common, difference_of, told_apart
from faircast.scenario import Resolved
from faircast.sequential import looks
from faircast.statistics import Estimate, estimate
from faircast.stopping import UntilApart
from faircast.sweeps import SweepResult
from faircast.vary import as_text, describe

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast.sweep_folder import SweepPoint

SAME = ("duration", "warmup")
"""Keys of a scenario in which two of them should not differ if their metrics are to mean the same."""


@dataclass(frozen=True)
class Side:
    """One of the scenarios that are compared, with its runs."""

    name: str
    scenario: Resolved
    runs: Runs
    """Summaries by seed."""
    where: Mapping[str, Any] = field(default_factory=dict)
    """Of a point of a sweep the values of the other varied paths."""


@dataclass(frozen=True)
class Difference:
    """One metric of two scenarios, over the seeds that both have."""

    subject: str
    metric: str
    unit: str
    where: Mapping[str, Any]
    """Of a sweep the values of the other varied paths, which both have."""
    first: str
    """The name of the one that the other is held against."""
    second: str
    of_first: Estimate
    of_second: Estimate
    difference: Estimate
    """What the second has more than the first."""
    paired: bool
    """Whether the difference was taken seed by seed; otherwise the runs are independent samples."""

    @property
    def relative(self) -> float:
        """The difference as a part of the first's mean; NaN if that is 0."""
        return self.difference.mean / abs(self.of_first.mean) if self.of_first.mean else math.nan

    @property
    def told_apart(self) -> bool | None:
        """Whether the 95 % interval of the difference leaves out zero; None with one seed, which has no interval."""
        return told_apart(self.difference)


@dataclass(frozen=True)
class Comparison:
    """All differences between the first scenario and each of the others."""

    names: tuple[str, ...]
    """The scenarios, the first being the one that the others are held against."""
    rows: tuple[Difference, ...]
    notes: tuple[str, ...]
    """What should be known beside the numbers."""
    usual: tuple[Metric, ...]
    """The metrics that are looked at first: rates of sessions and flows, queues of probed links."""
    level: float = 0.95
    """The level of the intervals; above 95 % where several looks were taken."""

    def __getitem__(self, key: Metric) -> Difference:
        """The difference of a metric; the first one if there are several. Raises `InputError` if there is none."""
        return self.of(*key)[0]

    def of(self, subject: str, metric: str) -> list[Difference]:
        """All differences of one metric. Raises `InputError` if there is none."""
        check_metric(subject, metric, self.metrics)
        return [row for row in self.rows if (row.subject, row.metric) == (subject, metric)]

    @cached_property
    def metrics(self) -> list[Metric]:
        """The metrics that are compared."""
        return list(dict.fromkeys((row.subject, row.metric) for row in self.rows))

    @cached_property
    def table(self) -> pa.Table:
        """A row for each difference.

        The varied paths that both sides share, then ``first, second, subject, metric, unit, of_first, of_second,
        difference, ci95, relative, n, paired, told_apart``.
        """
        import pyarrow as pa

        paths = list(self.rows[0].where) if self.rows else []
        columns: dict[str, list[Any]] = {path: [as_text(row.where[path]) for row in self.rows] for path in paths}
        for name in ("first", "second", "subject", "metric", "unit"):
            columns[name] = [getattr(row, name) for row in self.rows]
        columns["of_first"] = [row.of_first.mean for row in self.rows]
        columns["of_second"] = [row.of_second.mean for row in self.rows]
        columns["difference"] = [row.difference.mean for row in self.rows]
        columns["ci95"] = [row.difference.ci95 for row in self.rows]
        columns["relative"] = [row.relative for row in self.rows]
        columns["n"] = [row.difference.n for row in self.rows]
        columns["paired"] = [row.paired for row in self.rows]
        columns["told_apart"] = [row.told_apart for row in self.rows]
        return pa.table(columns)

    def __repr__(self) -> str:
        return f"<Comparison: {' and '.join(self.names)}, {len(self.metrics)} metrics>"

    def _repr_html_(self) -> str:
        from faircast.display.sweeps import html_of_comparison

        return html_of_comparison(self)


def compare(
    *results: Any, between: str | tuple[str, Sequence[Any]] | None = None, metrics: Sequence[str] = ()
) -> Comparison:
    """Hold results against the first of them: differences of all metrics over the seeds that both have.

    >>> faircast.compare("results/geo-tfmcc", "results/geo-omcc")["video", "rate"].difference
    >>> faircast.compare("results/geo-sweep-91c0", between=("sessions.video.scheme", ["tfmcc", "omcc"])).table

    Parameters
    ----------
    results
        Folders of runs or of seeds, or what `faircast.read` and `faircast.run` make of them; or one sweep.
    between
        Of a sweep: the varied path, or its end, of which two values or more are compared, with these values; without
        them all. Points that differ in nothing else are compared with each other.
    metrics
        Only these, each ``SUBJECT/METRIC``.

    Raises
    ------
    InputError
        There is nothing to compare: one scenario only, no common seed or subject, a value that is not varied.
    """
    wanted = [parse_metric(text) for text in metrics]
    opened = [open_result(result) for result in results]
    sweeps = [found for _, found in opened if isinstance(found, SweepResult)]
    if sweeps:
        if len(opened) > 1:
            raise InputError("a sweep is compared within itself: give its folder alone, with --between PATH=a,b")
        groups = groups_of(sweeps[0], between)
        rule = sweeps[0].until
        if isinstance(rule, UntilApart) and between is not None:
            name = between if isinstance(between, str) else between[0]
            if sweeps[0].path(name) == rule.between:
                pairs, notes = stopped_pairs(rule, groups)
                return comparison(pairs, wanted, level=rule.level, notes=notes)
    elif between is not None:
        raise InputError("--between is about a sweep: give the folder of one")
    elif len(opened) < 2:
        raise InputError("one result is given; give two or more, or the folder of a sweep with --between PATH=a,b")
    else:
        names = short([name for name, _ in opened])
        groups = [[side_of(name, result) for name, (_, result) in zip(names, opened, strict=True)]]
    return comparison(groups, wanted)


def open_result(result: Any) -> tuple[str, Any]:
    """A result with a name; a path is read."""
    from faircast.reading import read

    if isinstance(result, str | Path):
        return str(result), read(result)
    return str(getattr(result, "folder", None) or "the result"), result


def short(names: Sequence[str]) -> list[str]:
    """The last parts of paths if they tell them apart; equal names get a number."""
    ends = [Path(name).name or name for name in names]
    found = ends if len(set(ends)) == len(ends) else list(names)
    if len(set(found)) == len(found):
        return found
    return [f"{name} ({number})" for number, name in enumerate(found, 1)]


def side_of(name: str, result: Any) -> Side:
    """A side of several runs or of one."""
    from faircast.reading import Runs as SeveralRuns
    from faircast.results import RunResult

    if isinstance(result, SeveralRuns):
        return Side(name, result.scenario, result.summaries)
    if isinstance(result, RunResult):
        return Side(name, result.scenario, {result.seed: result.metrics()})
    kind = type(result).__name__.lower()
    raise InputError(f"{name} is a {kind}; the folders of runs are compared, and values that a sweep varies")


def groups_of(result: SweepResult, between: str | tuple[str, Sequence[Any]] | None) -> list[list[Side]]:
    """Points of a sweep that differ in the value of one path only, the first value in front."""
    if between is None:
        path = result.varied[0]
        raise InputError(
            f"{result.folder} is a sweep: say which values are compared, for instance --between {path}=a,b"
        )
    name, values = (between, None) if isinstance(between, str) else between
    path = result.path(name)
    known = list({as_text(point.values[path]): point.values[path] for point in result.points}.values())
    there = ", ".join(map(as_text, known))
    wanted = known if values is None else list(values)
    for value in wanted:
        if as_text(value) not in map(as_text, known):
            raise InputError(f"{path} is nowhere {brief(as_text(value))}; it is {there}")
    if len({as_text(value) for value in wanted}) < max(2, len(wanted)):
        raise InputError(f"--between {path} needs two different values, or more; there are {there}")
    groups: dict[str, list[SweepPoint | None]] = {}
    for point in result.points:
        value = as_text(point.values[path])
        for place, other in enumerate(wanted):
            if as_text(other) == value:
                groups.setdefault(str(rest(point, path)), [None] * len(wanted))[place] = point
    return [
        [Side(as_text(p.values[path]), p.scenario, result.runs(p), rest(p, path)) for p in points if p is not None]
        for points in groups.values()
        if points[0] is not None
    ]


def rest(point: SweepPoint, path: str) -> dict[str, Any]:
    """The values of the other varied paths."""
    return {other: value for other, value in point.values.items() if other != path}


def stopped_pairs(rule: UntilApart, groups: Sequence[Sequence[Side]]) -> tuple[list[list[Side]], list[str]]:
    """The pairs of groups, each with the seeds of the look at which it stopped, and what is to be known of them."""
    pairs = []
    for first, *others in groups:
        for other in others:
            stop = rule.stop_of(first.runs, other.runs)
            chosen = range(rule.start, rule.start + stop.seeds)
            own = [{seed: side.runs[seed] for seed in chosen} if stop.seeds else side.runs for side in (first, other)]
            pairs.append([replace(first, runs=own[0]), replace(other, runs=own[1])])
    several = len(looks(rule.first, rule.last))
    named = ", ".join(map("/".join, rule.metrics))
    note = (
        f"seeds were added until the sides were apart in {named}: intervals are corrected for {several} looks, each is "
        f"that of {100 * rule.level:.3g} %, so that equal things are called apart in one of 20 such comparisons"
    )
    return pairs, [note]


def comparison(
    groups: Sequence[Sequence[Side]], wanted: Sequence[Metric], *, level: float = 0.95, notes: Sequence[str] = ()
) -> Comparison:
    """Each of a group against its first, with intervals of this level."""
    pairs = [(group[0], other) for group in groups for other in group[1:]]
    if not pairs:
        raise InputError("no two points differ in this value alone; there is nothing to compare")
    told: dict[str, None] = dict.fromkeys(notes)
    rows: list[Difference] = []
    for first, second in pairs:
        rows += differences(first, second, told, level)
    if not rows:
        raise InputError("; ".join(told) or "the results have no subject in common")
    there = list(dict.fromkeys((row.subject, row.metric) for row in rows))
    for metric in wanted:
        check_metric(*metric, there)
    if wanted:
        rows = [row for metric in wanted for row in rows if (row.subject, row.metric) == metric]
    usual = [key for key in usual_metrics([side for pair in pairs for side in pair], there) if key in there]
    shown = tuple(wanted or usual)
    for first, second in pairs:
        told |= dict.fromkeys(lower_bounds((first, second), shown))
    names = tuple(dict.fromkeys(side.name for group in groups for side in group))
    return Comparison(names, tuple(rows), tuple(told), shown, level)


def lower_bounds(sides: tuple[Side, Side], metrics: Sequence[Metric]) -> Iterator[str]:
    """Which percentiles of web traffic fall among unfinished transfers."""
    seeds = common(sides[0].runs, sides[1].runs)
    for side in sides:
        where = f" at {describe(side.where)}" if side.where else ""
        for subject, metric in metrics:
            if any(is_least(side.runs[seed], subject, metric) for seed in seeds):
                yield f"{side.name}{where}: {subject} {metric} falls among unfinished transfers; it is at least so much"


def differences(first: Side, second: Side, notes: dict[str, None], level: float) -> list[Difference]:
    """What the second side has more, metric by metric; what should be known besides goes to the notes."""
    where = f" at {describe(first.where)}" if first.where else ""
    seeds = common(first.runs, second.runs)
    sides = f"{first.name} and {second.name}"
    if not seeds:
        there = " and ".join(f"{side.name} {listed(side.runs)}" for side in (first, second))
        notes[f"{sides} have no seed in common{where}: {there}"] = None
        return []
    if len(seeds) == 1:
        notes[f"{sides} have one seed in common{where}, {seeds[0]}: a difference of one run each has no interval"] = (
            None
        )
    for key in SAME:
        a, b = (side.scenario.data.get(key) for side in (first, second))
        if a != b:
            notes[f"{sides} differ in {key}, {a} and {b}: what is counted over the run is not comparable"] = None
    paired = are_paired(first.runs, second.runs)
    if not paired:
        notes[f"{sides} have links of different names: their runs are independent samples, not pairs"] = None
    found = []
    a, b = first.runs[seeds[0]], second.runs[seeds[0]]
    for subject, metric, unit in a.layout.rows:
        if (subject, metric) in b:
            of_first, of_second = (estimate(values) for values in sides_of(first, second, (subject, metric), paired))
            apart = difference_of(second.runs, first.runs, subject, metric, paired=paired, level=level)
            names = first.where, first.name, second.name
            found.append(Difference(subject, metric, unit, *names, of_first, of_second, apart, paired))
    return found


def sides_of(first: Side, second: Side, key: Metric, paired: bool) -> tuple[list[float], list[float]]:
    """The values of a metric on both sides over the common seeds; of pairs those on which the difference rests."""
    both = [(first.runs[seed], second.runs[seed]) for seed in common(first.runs, second.runs)]
    pairs = [(a.get(key), b.get(key)) for a, b in both]
    if paired:
        pairs = [(a, b) for a, b in pairs if not math.isnan(b - a)]
    return [a for a, _ in pairs], [b for _, b in pairs]


def listed(runs: Runs) -> str:
    """`has the seeds 1, 2, 3`, or that there are none."""
    if not runs:
        return "has none"
    seeds = sorted(runs)
    return f"has {', '.join(map(str, seeds[:5]))}{', ..' if len(seeds) > 5 else ''}"


def usual_metrics(sides: Sequence[Side], there: Sequence[Metric]) -> list[Metric]:
    """What one looks at first, fairness, and of links whose queue is probed the queue and the drops."""
    found = headline_metrics([side.scenario for side in sides], there)
    found.append(("run", "jain_index"))
    for subject, metric in there:
        if metric == "queue_mean":
            found += [(subject, "queue_mean"), (subject, "drops_late")]
    return list(dict.fromkeys(found))
