"""Arithmetic over metrics, as objectives and constraints are written: ``min(video-*/rate) >= 0.8 * web/rate``.

Numbers may have units (``0.5 Mbit/s``); metrics are ``SUBJECT/METRIC``, and between two of them a division has blanks
around it. `min`, `max`, `mean` and `sum` take several things, or a metric of all subjects of a pattern; `optimum` takes
a metric and gives the ideal value beside it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from faircast.errors import InputError, brief, choose
from faircast.metrics import Metric, check_metric
from faircast.quantity import KINDS

if TYPE_CHECKING:
    from faircast.summary import RunSummary

PLAIN = "1"
"""The unit of what has none."""
UNKNOWN = ""
"""The unit of what nobody compares, such as a rate times a time."""
BASES: dict[str, tuple[str, float]] = {"packets": ("packets", 1.0), "packet": ("packets", 1.0), "%": (PLAIN, 0.01)}
for _kind in KINDS:
    _base = next(unit for unit, factor in _kind.items() if factor == 1.0)
    BASES |= {unit: (_base, factor) for unit, factor in _kind.items()}
"""By unit the one in which metrics have it, and how many of that it is."""
TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\s*(?P<unit>"
    + "|".join(sorted(map(re.escape, BASES), key=len, reverse=True))
    + r")(?![\w/*]))?|(?P<metric>[A-Za-z_][\w.*-]*/[A-Za-z_]\w*)|(?P<name>[A-Za-z_]+)|(?P<sign>>=|<=|[-+*/(),]))"
)


def average(values: Sequence[float]) -> float:
    """The arithmetic mean."""
    return math.fsum(values) / len(values)


FUNCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "mean": average,
    "sum": math.fsum,
}


@dataclass(frozen=True)
class Node:
    """A part of an expression."""

    values: Callable[[RunSummary], list[float]]
    """What it is in a run; a pattern is several values, anything else one."""
    unit: Callable[[Mapping[Metric, str]], str]
    """Its unit, given those of metrics; raises `InputError` for what is no metric, or for units that do not fit."""


@dataclass(frozen=True)
class Expression:
    """Arithmetic over the metrics of a run."""

    text: str
    node: Node

    def of(self, run: RunSummary) -> float:
        """Its value; NaN where a metric is undefined or absent."""
        return one(self.node.values(run))

    def check(self, units: Mapping[Metric, str]) -> str:
        """The unit, given those of all metrics. Raises `InputError` for metrics that there are not."""
        return self.node.unit(units)


@dataclass(frozen=True)
class Constraint:
    """A condition: one expression is at least another one, or at most."""

    text: str
    left: Expression
    right: Expression
    at_least: bool

    def slack(self, run: RunSummary) -> float:
        """By how much it holds in a run; below 0 it does not."""
        apart = self.left.of(run) - self.right.of(run)
        return apart if self.at_least else -apart

    def check(self, units: Mapping[Metric, str]) -> str:
        """The unit of both sides. Raises `InputError` if they have different ones."""
        return common([self.left.check(units), self.right.check(units)], self.text)


def expression(text: str, option: str = "--maximise") -> Expression:
    """An expression as it is typed. Raises `InputError` for what is none."""
    parser = Parser(text, option)
    node = parser.sum()
    parser.end()
    return Expression(text, node)


def constraint(text: str, option: str = "--subject-to") -> Constraint:
    """A constraint as it is typed. Raises `InputError` for what is none."""
    parser = Parser(text, option)
    left = parser.sum()
    sign = parser.take(">=", "<=")
    if sign is None:
        raise parser.error("it needs >= or <= between two sides")
    right = parser.sum()
    parser.end()
    return Constraint(text, Expression(text, left), Expression(text, right), sign == ">=")


class Parser:
    """Reads an expression from left to right."""

    def __init__(self, text: str, option: str) -> None:
        self.text, self.option = text, option
        self.tokens: list[tuple[str, str, str]] = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if found is None:
                raise self.error(f"{brief(text[at:].strip())} cannot be read; metrics are SUBJECT/METRIC")
            kind = str(found.lastgroup if found.lastgroup != "unit" else "number")
            self.tokens.append((kind, found[kind], found["unit"] or ""))
            at = found.end()
        self.tokens.append(("end", "", ""))

    def error(self, what: str) -> InputError:
        """What is wrong with it."""
        return InputError(f"{self.option} {brief(repr(self.text))}: {what}")

    def take(self, *signs: str) -> str | None:
        """The next sign if it is one of these."""
        kind, text, _ = self.tokens[0]
        if kind == "sign" and text in signs:
            self.tokens.pop(0)
            return text
        return None

    def end(self) -> None:
        """Refuse what is left."""
        kind, text, _ = self.tokens[0]
        if kind != "end":
            raise self.error(f"{brief(text)} cannot stand there")

    def sum(self) -> Node:
        """Terms with + and - between them."""
        found = self.product()
        while sign := self.take("+", "-"):
            found = added(found, self.product(), sign == "-", self.text)
        return found

    def product(self) -> Node:
        """Factors with * and / between them."""
        found = self.factor()
        while sign := self.take("*", "/"):
            found = multiplied(found, self.factor(), sign == "/")
        return found

    def factor(self) -> Node:
        """A number, a metric, a function, something in brackets, or one of these with a minus."""
        if self.take("-"):
            return multiplied(number(-1.0, PLAIN), self.factor(), divided=False)
        if self.take("("):
            found = self.sum()
            self.close()
            return found
        kind, text, unit = self.tokens.pop(0)
        if kind == "number":
            base, factor = BASES[unit] if unit else (PLAIN, 1.0)
            return number(float(text) * factor, base)
        if kind == "metric":
            if "*" in text:
                raise self.error(f"{brief(text)} is several values; put it into min(..), max(..), mean(..) or sum(..)")
            return metric_of(text)
        if kind == "name":
            return self.function(text)
        raise self.error(f"{brief(text)} cannot stand there" if text else "something is missing at its end")

    def function(self, name: str) -> Node:
        """What a function makes of what stands in its brackets."""
        choose("function", name, [*FUNCTIONS, "optimum"])
        if not self.take("("):
            raise self.error(f"{name} needs brackets: {name}(SUBJECT/METRIC)")
        if name == "optimum":
            kind, text, _ = self.tokens.pop(0)
            if kind != "metric":
                raise self.error("optimum takes a metric")
            self.close()
            return metric_of(text, optimum=True)
        arguments = [self.argument()]
        while self.take(","):
            arguments.append(self.argument())
        self.close()
        function = FUNCTIONS[name]

        def value(run: RunSummary) -> list[float]:
            values = [one_value for argument in arguments for one_value in argument.values(run)]
            return [function(values) if values and not any(map(math.isnan, values)) else math.nan]

        return Node(value, lambda units: common([argument.unit(units) for argument in arguments], self.text))

    def argument(self) -> Node:
        """What stands between the commas of a function: also a pattern."""
        kind, text, _ = self.tokens[0]
        if kind == "metric" and "*" in text:
            self.tokens.pop(0)
            return metric_of(text)
        return self.sum()

    def close(self) -> None:
        """The closing bracket."""
        if not self.take(")"):
            raise self.error("a closing bracket is missing")


def number(value: float, unit: str) -> Node:
    """A number."""
    return Node(lambda _: [value], lambda _: unit)


def metric_of(text: str, *, optimum: bool = False) -> Node:
    """A metric, or what would be ideal; with * in its subject that of all subjects which fit."""
    subject, _, metric = text.rpartition("/")
    pattern = "*" in subject

    def value(run: RunSummary) -> list[float]:
        names = [name for name in run.subjects(metric) if fnmatchcase(name, subject)] if pattern else [subject]
        keys = [(name, metric) for name in names]
        if optimum:
            return [run.optimum.get(key, math.nan) for key in keys]
        return [run.get(key) for key in keys]

    def unit(units: Mapping[Metric, str]) -> str:
        if not pattern:
            check_metric(subject, metric, list(units))
            return units[subject, metric]
        found = [unit for (name, own), unit in units.items() if own == metric and fnmatchcase(name, subject)]
        if not found:
            raise InputError(f"no subject fits {brief(text)}; subjects with {metric} are {with_metric(metric, units)}")
        return common(found, text)

    return Node(value, unit)


def with_metric(metric: str, units: Mapping[Metric, str]) -> str:
    """The subjects that have a metric."""
    return ", ".join(list(dict.fromkeys(subject for subject, own in units if own == metric))[:12]) or "none"


def added(a: Node, b: Node, less: bool, text: str) -> Node:
    """A sum or a difference."""
    factor = -1.0 if less else 1.0
    return Node(
        lambda run: [one(a.values(run)) + factor * one(b.values(run))],
        lambda units: common([a.unit(units), b.unit(units)], text),
    )


def multiplied(a: Node, b: Node, divided: bool) -> Node:
    """A product or a quotient; what is divided by zero is undefined."""

    def value(run: RunSummary) -> list[float]:
        x, y = one(a.values(run)), one(b.values(run))
        if divided:
            return [x / y if y else math.nan]
        return [x * y]

    def unit(units: Mapping[Metric, str]) -> str:
        x, y = a.unit(units), b.unit(units)
        if y == PLAIN:
            return x
        if divided:
            return PLAIN if x == y else UNKNOWN
        return y if x == PLAIN else UNKNOWN

    return Node(value, unit)


def one(values: Sequence[float]) -> float:
    """The only value; what a pattern gives is several, which only functions take."""
    return values[0] if len(values) == 1 else math.nan


def common(units: Sequence[str], text: str) -> str:
    """The one unit that all have. Raises `InputError` if they have several."""
    found = list(dict.fromkeys(unit for unit in units if unit != UNKNOWN))
    if len(found) > 1:
        named = " and ".join("none" if unit == PLAIN else unit for unit in found[:2])
        raise InputError(f"{brief(repr(text))} puts together what has different units: {named}")
    return found[0] if found else UNKNOWN
