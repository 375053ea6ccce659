"""Criteria that are measured in several cases: the first one decides, and what the others give stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from faircast.experiment import AGREES, REPORTED, UNDECIDED, Criterion, Data, Measured, judge
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
    ran: Callable[[Data, C], bool] | None = None,
) -> Criterion:
    """A criterion of the first of these cases; beside it stands what the others give, by their labels.

    `ran` says whether the runs of a case are there; without it the case is the key of its point.
    """
    whole = Criterion(name=name, published=published, evaluate=_nothing, low=low, high=high, rule=rule, soft=soft)

    def evaluate(data: Data) -> Measured:
        main, *others = cases.items()
        found = measure(data, main[1])
        there = [(label, case) for label, case in others if (ran(data, case) if ran else case in data.points)]
        return replace(found, beside="; ".join(beside(data, label, case) for label, case in there))

    def beside(data: Data, label: str, case: C) -> str:
        found = measure(data, case)
        there = replace(whole, evaluate=lambda _: found)
        words = {AGREES: "holds", REPORTED: "", UNDECIDED: "undecided"}.get(judge(there, data).verdict, "does not hold")
        value = "" if found.value is None else with_interval(found.value, found.ci95)
        return f"{label}: " + ", ".join(part for part in (value, words) if part)

    return replace(whole, evaluate=evaluate)


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

    def judged(self, cases: Mapping[str, C], *, ran: Callable[[Data, C], bool] | None = None) -> Criterion:
        """The criterion of the first of these cases, with the others beside it; `ran` as in `judged`."""
        return judged(
            self.name,
            self.published,
            self.measure,
            cases,
            low=self.low,
            high=self.high,
            rule=self.rule,
            soft=self.soft,
            ran=ran,
        )

    def reported(self, label: str, case: C) -> Criterion:
        """The number of a case that the paper does not have: it decides nothing."""
        return Criterion(
            name=f"{label}, reported: {self.name}",
            published="not in the paper",
            evaluate=lambda data: replace(self.measure(data, case), holds=None, undecided=False, fails=""),
        )


def criteria(
    statements: Sequence[Statement[C]], cases: Mapping[str, C], reported: Mapping[str, C] | None = None
) -> list[Criterion]:
    """Every statement judged in the first of the cases; then what is measured of each in the cases only reported."""
    found = [statement.judged(cases) for statement in statements]
    for label, case in (reported or {}).items():
        found += [statement.reported(label, case) for statement in statements]
    return found


def _measured(estimate: Callable[[Data, C], Estimate], data: Data, case: C) -> Measured:
    return Measured.of(estimate(data, case))


def _nothing(_: Data) -> Measured:
    return Measured(value=None)
