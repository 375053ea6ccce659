"""Criteria that are measured in several cases: the first one decides, and what the others give stands beside it.

Where a paper leaves open what decides much, each of its *readings* is judged: the verdict is theirs if they have the
same, and otherwise says on what it depends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from faircast.experiment import (
    AGREES,
    IDENTITY,
    REPORTED,
    SOFTLY_UNDECIDED,
    UNDECIDED,
    Criterion,
    Data,
    Measured,
    Verdict,
    judge,
)
from faircast.statistics import Estimate, with_interval

C = TypeVar("C")
"""A case: what a scenario is made of, and the key of its point."""


def judged(
    name: str,
    published: str | float,
    measure: Callable[[Data, C], Measured],
    cases: Mapping[str, C],
    *,
    low: float | None = None,
    high: float | None = None,
    rule: str = "",
    soft: bool = False,
    cell: bool = False,
    identity: str = "",
    ran: Callable[[Data, C], bool] | None = None,
    readings: Mapping[str, C] | None = None,
    depends: str = "",
) -> Criterion:
    """A criterion of the first of these cases; beside it stands what the others give, by their labels.

    `ran` says whether the runs of a case are there; without it the case is the key of its point. With `readings`, of
    which the first is the main one, all of them are judged, and `cases` only stand beside; `depends` is what they
    differ in, for a verdict such as *depends on the window*.
    """
    whole = Criterion(
        name=name,
        published=published,
        evaluate=_nothing,
        low=low,
        high=high,
        rule=rule,
        soft=soft,
        cell=cell,
        identity=identity,
    )

    def held(data: Data, case: C) -> Verdict:
        found = measure(data, case)
        return judge(replace(whole, evaluate=lambda _: found), data)

    def beside(data: Data, others: Mapping[str, C]) -> str:
        there = [(label, case) for label, case in others.items() if (ran(data, case) if ran else case in data.points)]
        return "; ".join(in_words(label, held(data, case)) for label, case in there)

    def evaluate(data: Data) -> Measured:
        main, *more = (readings or cases).items()
        found = measure(data, main[1])
        if readings is None:
            return replace(found, beside=beside(data, dict(more)))
        verdicts = {label: held(data, case) for label, case in readings.items()}
        own = [in_words(label, verdict) for label, verdict in verdicts.items()]
        stands = beside(data, {label: case for label, case in cases.items() if case not in readings.values()})
        found = replace(found, beside="; ".join(part for part in (*own, stands) if part))
        return joint(found, list(verdicts.values()), depends)

    return replace(whole, evaluate=evaluate)


def joint(main: Measured, verdicts: Sequence[Verdict], depends: str) -> Measured:
    """What the main reading gives, with what keeps the others from having the same verdict.

    `verdicts` are those of all readings; `depends` is what these differ in.
    """
    noise = [verdict.straddles for verdict in verdicts if verdict.straddles is not None]
    if noise:
        return replace(main, straddles=noise[0], undecided=False, fails="")
    kinds = {verdict.verdict.partition(" (")[0] for verdict in verdicts}
    if len(kinds) > 1:
        return replace(main, depends=depends, undecided=False, fails="")
    return main


def in_words(label: str, found: Verdict) -> str:
    """What a case that stands beside gives, in words."""
    value = "" if found.measured is None else with_interval(found.measured, found.ci95)
    return f"{label}: " + ", ".join(part for part in (value, word_of(found)) if part)


def word_of(found: Verdict) -> str:
    """What is said of a criterion where it does not count: the same as where it does; empty of what has no verdict."""
    words = {AGREES: "holds", IDENTITY: "holds", REPORTED: "", UNDECIDED: UNDECIDED, SOFTLY_UNDECIDED: UNDECIDED}
    return words.get(found.verdict, "does not hold")


def of(estimate: Callable[[Data, C], Estimate]) -> Callable[[Data, C], Measured]:
    """A measure that is an estimate over the seeds and no more."""
    return partial(_measured, estimate)


@dataclass(frozen=True, kw_only=True)
class Statement(Generic[C]):
    """What a paper says, and what is measured of it in a case."""

    name: str
    published: str | float
    measure: Callable[[Data, C], Measured]
    low: float | None = None
    high: float | None = None
    rule: str = ""
    soft: bool = False
    cell: bool = False
    identity: str = ""

    def judged(
        self,
        cases: Mapping[str, C],
        *,
        ran: Callable[[Data, C], bool] | None = None,
        readings: Mapping[str, C] | None = None,
        depends: str = "",
    ) -> Criterion:
        """The criterion of the first of these cases, or of readings, with the others beside it; all as in `judged`."""
        return judged(
            self.name,
            self.published,
            self.measure,
            cases,
            low=self.low,
            high=self.high,
            rule=self.rule,
            soft=self.soft,
            cell=self.cell,
            identity=self.identity,
            ran=ran,
            readings=readings,
            depends=depends,
        )

    def reported(self, label: str, case: C) -> Criterion:
        """The number of a case that the paper does not have: it decides nothing."""
        return Criterion(
            name=f"{label}, reported: {self.name}",
            published="not in the paper",
            evaluate=lambda data: replace(self.measure(data, case), holds=None, undecided=False, fails=""),
        )


def criteria(
    statements: Sequence[Statement[C]],
    cases: Mapping[str, C],
    reported: Mapping[str, C] | None = None,
    *,
    readings: Mapping[str, C] | None = None,
    depends: str = "",
) -> list[Criterion]:
    """Every statement judged in the first of the cases; then what is measured of each in the cases only reported.

    `readings` and `depends` as in `judged`.
    """
    found = [statement.judged(cases, readings=readings, depends=depends) for statement in statements]
    for label, case in (reported or {}).items():
        found += [statement.reported(label, case) for statement in statements]
    return found


def _measured(estimate: Callable[[Data, C], Estimate], data: Data, case: C) -> Measured:
    return Measured.of(estimate(data, case))


def _nothing(_: Data) -> Measured:
    return Measured(value=None)
