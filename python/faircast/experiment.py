"""What an experiment of a paper is: the runs it needs, what was published, what was measured, and the verdict.

An experiment is one file under ``experiments/<paper>/`` and one line in ``experiments/__init__.py``. It names its runs
as points; points of different experiments with the same scenario are run once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from faircast.statistics import Estimate, estimate

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from faircast._native import RawResult
    from faircast.scenario import Resolved
    from faircast.summary import RunSummary

AGREES, ORDERING, DISAGREES, REPORTED = "agrees", "agrees in ordering only", "disagrees", "reported"
UNDECIDED = "undecided"
"""Of a criterion whose answer turns on what the paper leaves open, or lies within the noise."""
SOFTLY_UNDECIDED = f"{UNDECIDED} (soft)"
SOFT = f"{DISAGREES} (soft)"
"""Of a criterion that does not decide: what it looks at is the least certain part of the paper."""
DEPENDS = "depends on the"
"""Begins the verdict of a criterion that two readings of a paper, judged side by side, answer differently."""
IDENTITY = "by construction"
"""Of a criterion that cannot fail while the program does what it says: it is checked, and not counted."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One scenario of an experiment, run with every seed."""

    key: Hashable
    """How the experiment refers to it, for instance ``("mecn", 10)``."""
    scenario: Any
    """Whatever `faircast.run` takes; or what makes it of a seed, where seeds differ in more than random numbers."""
    tables: tuple[str, ...] = ()
    """Tables to keep beside the summary."""
    table_seeds: int | None = 1
    """For how many seeds, counted from the first, the tables are kept; None for all."""
    reduce: Callable[[RawResult], Any] | None = None
    """Called with every raw result; what it returns is kept in its place (see `Data.reduced`)."""
    kept_as: str = ""
    """The name of what `reduce` makes of a run: points with one scenario and one name share it, also of different
    experiments. Without, it is the experiment's own."""
    copy: int = 0
    """Points with the same scenario and different copies are run separately, to see that they are equal."""
    beside: bool = False
    """Whether no criterion judges it: another reading of the paper, which stands beside."""
    phases: str = ""
    """Why the phases of packets may decide there who loses, although it is judged (see `jitter.left_to_phases`)."""

    def scenario_of(self, seed: int) -> Any:
        """What is run with this seed."""
        return self.scenario(seed) if callable(self.scenario) else self.scenario


@dataclass(frozen=True, kw_only=True)
class Measured:
    """What a criterion found."""

    value: float | None
    """The measured number; None if it is not a number."""
    ci95: float | None = None
    """Half width of its 95 % interval, if it has one."""
    ends: tuple[float, float] | None = None
    """The ends of that interval if it reaches further to one side, as that of a median or of a part of the runs."""
    holds: bool | None = None
    """For an ordering: whether it holds. For a range: whether at least the order of things is as published."""
    note: str = ""
    """What a reader should know beside the number: where the worst case lies, what the others were."""
    beside: str = ""
    """What other readings of the paper give; it does not count."""
    variant: str = ""
    """The variant of the scenario that it holds for, if not the main one."""
    fails: str = ""
    """Why it disagrees, whatever the number says."""
    undecided: bool = False
    """Whether it cannot be said; the note says why."""
    judged: bool = True
    """Whether there is something to hold it against; if not the number is only reported."""
    turns_at: float | None = None
    """For an ordering that is read off the value: where it turns round. Needed if the value has an interval."""
    depends: str = ""
    """What the answer turns on, if readings of the paper that are judged side by side give different ones."""
    straddles: float | None = None
    """The limit within the noise of one of several readings, if there is one."""

    @classmethod
    def of(cls, result: Estimate, *, holds: bool | None = None, note: str = "", variant: str = "") -> Measured:
        """From an estimate over seeds."""
        return cls(value=result.mean, ci95=result.ci95, ends=result.ends, holds=holds, note=note, variant=variant)

    @classmethod
    def above(cls, result: Estimate, limit: float = 0.0, *, note: str = "") -> Measured:
        """An ordering: whether the mean over seeds is above a limit."""
        return cls(value=result.mean, ci95=result.ci95, holds=result.mean > limit, turns_at=limit, note=note)


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One statement of the paper, and what counts as agreement.

    With `low` or `high` the measured value must lie in the range; without, `Measured.holds` decides, and `rule` says
    when it does; if that is None as well the number is only reported.
    """

    name: str
    published: str | float
    """What the paper says."""
    evaluate: Callable[[Data], Measured]
    low: float | None = None
    high: float | None = None
    rule: str = ""
    """Without a range, when it agrees, in words that follow "agrees if"; empty of what is only reported."""
    soft: bool = False
    """A soft criterion that does not hold says so, but leaves the experiment *agrees in ordering only*."""
    identity: str = ""
    """Why it cannot fail, if it holds by a definition or by the model's own rules: then it is not counted."""
    cell: bool = False
    """Whether it holds one printed number of a table against ours; of such the verdict says how many agree."""

    @property
    def decides(self) -> str:
        """The rule that decides, in words; empty of what is only reported."""
        if self.low is not None and self.high is not None:
            digits = 3 if self.high - self.low > 0.02 * abs(self.high) else 4
            low, high = plain(self.low, digits), plain(self.high, digits)
            return f"agrees if it is {low}" if self.low == self.high else f"agrees if between {low} and {high}"
        if self.low is not None:
            return f"agrees if at least {plain(self.low)}"
        if self.high is not None:
            return f"agrees if at most {plain(self.high)}"
        return f"agrees if {self.rule}" if self.rule else ""


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The numbers behind a figure, or a table of the paper, as texts."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    """What a reader should know below the table."""
    whole: Sequence[str] = ()
    """Columns that are no numbers, beside the first."""

    def to_json(self) -> dict[str, Any]:
        """What files have of it: no more than there is."""
        return {key: value for key, value in vars(self).items() if value or key in ("columns", "rows")}


@dataclass(frozen=True)
class Brought:
    """A value of an axis that a file of the reader's holds. It is known by what it says, not by its file."""

    file: str
    """As the reader writes it."""
    content: str
    """What it says, as JSON."""

    @classmethod
    def of(cls, file: str, said: Any) -> Brought:
        """What a file said, from plain values."""
        return cls(file, json.dumps(said, sort_keys=True))

    @property
    def said(self) -> Any:
        """What it says, as plain values."""
        return json.loads(self.content)

    def __str__(self) -> str:
        return self.file


@dataclass(frozen=True, kw_only=True)
class Axis:
    """Something in which the points of an experiment differ, and to whose values ``--only`` narrows it."""

    name: str
    values: Mapping[str, Any]
    """As a reader writes each, in small letters and without blanks, and what the experiment knows it by."""
    other: Callable[[str], Any] | None = None
    """What the experiment knows another value by; raises `InputError` if it is none. Without, there are no others."""
    others: str = ""
    """Which others there are, in words that end a list."""
    holds: str = ""
    """A key that all that files of the reader's say has, if values of this axis may be `Brought`."""
    brought: str = ""
    """What is to be said of an experiment in which a value is `Brought`; ``{}`` stands for the files."""

    def text(self, value: Any) -> str:
        """A value as a reader writes it."""
        return next((text for text, own in self.values.items() if own == value), str(value))


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One figure or table of a paper, or one cross check."""

    id: str
    paper: str
    title: str
    points: Callable[[bool], Sequence[Point]]
    """The runs; called with True for ``--quick``: as few points as still show the shape."""
    criteria: Sequence[Criterion]
    figure: Callable[[Data], Figure] | None = None
    place: str = ""
    """Where it is in the paper: ``Figure 5``; or what takes the place of that."""
    published: str = ""
    """One sentence: what the paper says of it."""
    says: Callable[[Data], str]
    """One sentence: what the figure, or the table, shows."""
    why: str = ""
    """Why it does not agree, if it does not: one sentence."""
    numbers: Callable[[Data], Numbers] | None = None
    """A table to be shown beside the criteria."""
    cells: Callable[[Data], Sequence[Mapping[str, Any]]] | None = None
    """All numbers for machines, as rows with the same columns: texts, numbers, None. They become ``cells.csv``."""
    reps: int = 10
    """Seeds if the caller does not say."""
    goes_on: bool = True
    """Whether more seeds follow while a criterion is within the noise, if the caller does not say how many."""
    axes: Sequence[Axis] = ()
    """What it can be narrowed to, if it can."""
    narrowed: Callable[[Mapping[str, Sequence[Any]]], Callable[[bool], Sequence[Point]]] | None = None
    """Makes of the wanted values, by axis, what takes the place of `points`; axes that are not named keep theirs."""
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What it was narrowed to, as a reader writes it."""
    brought: Mapping[str, Any] = field(default_factory=dict)
    """By file what it says, as plain values, of the values that files of the reader's hold."""


@dataclass(frozen=True)
class Verdict:
    """The judgement of one criterion."""

    name: str
    published: str | float
    measured: float | None
    ci95: float | None
    low: float | None
    high: float | None
    verdict: str
    note: str
    rule: str = ""
    """The rule that decides, in words; empty of what is only reported."""
    beside: str = ""
    """What other readings of the paper give; it does not count."""
    straddles: float | None = None
    """The limit that lies inside the 95 % interval, so that more seeds may decide; None if none does."""
    cell: bool = False
    """Whether it is one printed number of a table."""


class Data:
    """What the runs of one experiment gave, by the keys of its points."""

    def __init__(self, points: Mapping[Hashable, PointData], seeds: Sequence[int], *, quick: bool) -> None:
        self.points = points
        self.seeds = list(seeds)
        self.quick = quick

    def keys(self) -> list[Hashable]:
        """All keys, in the order of the experiment."""
        return list(self.points)

    def run(self, key: Hashable, seed: int) -> RunSummary:
        """The summary of one run."""
        return self.points[key].summaries[seed]

    def values(self, key: Hashable, subject: str, metric: str) -> list[float]:
        """One number per seed."""
        return [self.run(key, seed)[subject, metric] for seed in self.seeds]

    def estimate(self, key: Hashable, subject: str, metric: str) -> Estimate:
        """Mean and interval of a metric over the seeds."""
        return estimate(self.values(key, subject, metric))

    def over_seeds(self, of: Callable[[int], float]) -> Estimate:
        """Mean and interval of whatever `of` computes for a seed: sums over flows, differences in pairs, ratios."""
        return estimate([of(seed) for seed in self.seeds])

    def table(self, key: Hashable, name: str, seed: int | None = None) -> pa.Table:
        """A table that the point asked to keep; of the first seed unless said."""
        return self.points[key].tables[self.seeds[0] if seed is None else seed][name]

    def reduced(self, key: Hashable, seed: int) -> Any:
        """What the point's `reduce` made of a run."""
        return self.points[key].reduced[seed]

    def scenario(self, key: Hashable) -> Resolved:
        """The scenario of a point, with all defaults; of the first seed if it depends on the seed."""
        return self.points[key].scenario


@dataclass
class PointData:
    """The runs of one point, by seed."""

    scenario: Resolved
    summaries: dict[int, RunSummary] = field(default_factory=dict)
    tables: dict[int, dict[str, pa.Table]] = field(default_factory=dict)
    reduced: dict[int, Any] = field(default_factory=dict)


def judge(criterion: Criterion, data: Data) -> Verdict:
    """Hold one criterion against the data.

    A limit strictly inside the 95 % interval of the value leaves it undecided, on whichever side the mean lies. What
    cannot fail is *by construction* if it holds.
    """
    found = criterion.evaluate(data)
    ranged = criterion.low is not None or criterion.high is not None
    limits = (criterion.low, criterion.high) if ranged else (found.turns_at,)
    assert ranged or found.holds is None or not (found.ci95 or found.ends) or found.turns_at is not None, (
        f"{criterion.name}: an ordering with an interval must say where it turns round"
    )
    reason, straddled = "", None
    if ranged:
        inside, reason = within(found.value, criterion.low, criterion.high)
    else:
        inside = bool(found.holds)
    if not found.judged or not (ranged or found.fails or found.undecided or found.holds is not None):
        verdict, reason = REPORTED, ""
    elif found.depends:
        verdict, reason = f"{DEPENDS} {found.depends}", ""
    elif found.straddles is not None:
        verdict, straddled, reason = SOFTLY_UNDECIDED if criterion.soft else UNDECIDED, found.straddles, ""
    elif found.undecided:
        verdict = UNDECIDED
    elif found.fails:
        verdict = SOFT if criterion.soft else f"{DISAGREES} ({found.fails})"
    elif not criterion.identity and (straddled := inside_interval(found, limits)) is not None:
        verdict = SOFTLY_UNDECIDED if criterion.soft else UNDECIDED
        side = "below" if found.value is not None and found.value < straddled else "above"
        sign = "agrees" if inside else "does not"
        reason = f"the 95 % interval contains {plain(straddled)}; the mean lies {side}, which {sign}"
    elif inside:
        verdict = AGREES
    elif ranged and found.holds:
        verdict = ORDERING
    else:
        verdict = SOFT if criterion.soft else DISAGREES
    if verdict == AGREES and criterion.identity:
        verdict, reason = IDENTITY, criterion.identity
    if verdict == AGREES and found.variant:
        verdict = f"{AGREES} ({found.variant})"
    return Verdict(
        name=criterion.name,
        published=criterion.published,
        measured=found.value,
        ci95=found.ci95,
        low=criterion.low,
        high=criterion.high,
        verdict=verdict,
        note="; ".join(part for part in (reason, found.note) if part),
        rule="" if verdict == REPORTED else criterion.decides,
        beside=found.beside,
        straddles=straddled,
        cell=criterion.cell,
    )


def inside_interval(found: Measured, limits: Sequence[float | None]) -> float | None:
    """The limit strictly inside the 95 % interval of what was found that is nearest to its mean; None if there is none.

    What has no interval, or one of no width, is exact.
    """
    if found.value is None or not math.isfinite(found.value):
        return None
    value, half = found.value, found.ci95 or 0.0
    begin, end = found.ends or (value - half, value + half)
    hit = [limit for limit in limits if limit is not None and begin < limit < end]
    return min(hit, key=lambda limit: abs(limit - value), default=None)


def plain(value: float, digits: int = 3) -> str:
    """A number for sentences: so many digits, never an exponent, thousands apart."""
    if not math.isfinite(value):
        return str(value)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{Decimal(f'{value:.{digits}g}'):f}"


def percent(part: float, digits: int = 0) -> str:
    """A part of one for sentences: ``4.6 %``."""
    return f"{100 * part:.{digits}f} %"


def listed(items: Sequence[object]) -> str:
    """Things in a row for sentences: ``a, b and c``."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def overall(verdicts: Sequence[Verdict]) -> str:
    """The verdict of an experiment: that of its worst criterion; of a table also how many of its cells agree."""
    worst = worst_of([verdict.verdict for verdict in verdicts])
    cells = [verdict.verdict for verdict in verdicts if verdict.cell]
    if not cells:
        return worst
    agree = sum(verdict.split(" (")[0] == AGREES for verdict in cells)
    open_ = sum(verdict.startswith(UNDECIDED) for verdict in cells)
    noted = f"{agree} of {len(cells)} cells" + (f", {open_} undecided" if open_ else "")
    return f"{worst[:-1]}; {noted})" if worst.endswith(")") else f"{worst} ({noted})"


def worst_of(found: Sequence[str]) -> str:
    """The worst of the verdicts of criteria. What holds by construction counts only where nothing else is judged."""
    against = {verdict for verdict in found if verdict.startswith(DISAGREES) and verdict != SOFT}
    if against:
        return against.pop() if len(against) == 1 else DISAGREES
    depending = list(dict.fromkeys(verdict for verdict in found if verdict.startswith(DEPENDS)))
    if depending:
        return depending[0]
    if UNDECIDED in found:
        return UNDECIDED
    if ORDERING in found or SOFT in found or SOFTLY_UNDECIDED in found:
        return ORDERING
    variants = sorted({verdict for verdict in found if verdict not in (AGREES, REPORTED, IDENTITY)})
    if variants:
        return (
            variants[0] if len(variants) == 1 else f"{AGREES} ({', '.join(v[len(AGREES) + 2 : -1] for v in variants)})"
        )
    return next((verdict for verdict in (AGREES, IDENTITY) if verdict in found), REPORTED)


def lacks(verdict: str) -> bool:
    """Whether an experiment with this verdict does not wholly agree, so that a reader wants to know why."""
    return verdict != AGREES and not verdict.startswith((f"{AGREES} (", IDENTITY, REPORTED))


def within(value: float | None, low: float | None, high: float | None) -> tuple[bool, str]:
    """Whether a value lies in a range, and if not, why not."""
    if value is None or math.isnan(value):
        return False, "not defined in these runs"
    if low is not None and value < low:
        return False, f"{value:.4g} is below {low:.4g}"
    if high is not None and value > high:
        return False, f"{value:.4g} is above {high:.4g}"
    return True, ""
