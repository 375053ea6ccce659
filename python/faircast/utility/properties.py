"""The four fairness properties of layered multicast, as predicates over a run, and how far each is missed.

They are those that Rubenstein, Kurose and Towsley derive from max-min fair rates of unicast flows, which multirate
max-min rates have and single-rate ones need not have [Rubenstein99]. The chapter ``docs/optimum.md`` says what is
measured.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircast.interruption import give_way

if TYPE_CHECKING:
    from faircast.results import RunResult
    from faircast.utility.problem import Problem

FULL = 0.95
"""A link is full from this utilisation on, and a receiver has all that its session sends from this part of it on."""
TOLERANCE = 0.1
"""Rates that differ by this part of the greater one count as equal."""
PROPERTIES = ("fully_utilised", "same_path", "per_receiver_link", "per_session_link")


@dataclass(frozen=True, kw_only=True)
class Property:
    """How one of the properties holds in a run."""

    name: str
    cases: int
    """Receivers, pairs of receivers or sessions that it is about; a unicast flow is a session with one receiver."""
    held: int
    """Cases in which it holds."""
    shortfall: float
    """The greatest relative shortfall of a case, 0 if nothing lacks; NaN without cases."""
    worst: tuple[str, ...]
    """The receiver, the pair (the slower one first) or the session that it is of; nobody if nothing lacks."""

    @property
    def share(self) -> float:
        """The part of the cases in which it holds; NaN without cases."""
        return self.held / self.cases if self.cases else math.nan


def fairness_properties(result: RunResult) -> dict[str, Property]:
    """The four fairness properties of layered multicast in a run, by name.

    Names are ``fully_utilised``, ``same_path``, ``per_receiver_link`` and ``per_session_link``, as in the summary.
    Rates and utilisations are those after the warm-up. It does not matter whether the sessions have several layers. See
    the chapter ``docs/optimum.md``.
    """
    from faircast.utility.network import problem_of

    summary = result.metrics()
    rates, used = summary.column("rate"), summary.column("efficiency")
    return properties(problem_of(result.scenario, utility="max-min"), rates, used)


def properties(problem: Problem, rates: Mapping[str, float], used: Mapping[str, float]) -> dict[str, Property]:
    """The properties of measured rates.

    Parameters
    ----------
    problem
        Who crosses which links. Rates are compared after division by the weights of their demands; inelastic demands
        take part in `used` only.
    rates
        By unicast flow and receiver, bit/s; who has none, or NaN, is left out.
    used
        The utilisation of each link by name, 0 to 1; a link that is not there counts as not used.
    """
    run = _Run(problem, rates, used)
    found = (run.fully_utilised(), run.same_path(), run.per_receiver_link(), run.per_session_link())
    return {one.name: one for one in found}


@dataclass(frozen=True)
class _Receiver:
    name: str
    session: int
    route: tuple[int, ...]
    rate: float
    """By weight."""
    bounded: float
    """What it lacks of all that its session sends, 0 to 1; 1 if that has no bound."""


class _Run:
    def __init__(self, problem: Problem, rates: Mapping[str, float], used: Mapping[str, float]) -> None:
        self.problem = problem
        self.unused = [_lacking(used.get(link.name, 0.0)) for link in problem.links]
        """What each link lacks to be full, 0 to 1."""
        self.receivers: list[_Receiver] = []
        self.highest: dict[int, float] = {}
        """By link the highest rate of a receiver behind it."""
        self.on_link: dict[int, dict[int, float]] = {}
        """By link and session the rate of the session there."""
        for session in problem.elastic:
            demand = problem.demands[session]
            give_way()
            for name, route in zip(demand.receivers or (demand.name,), demand.routes, strict=True):
                rate = rates.get(name, math.nan)
                if math.isnan(rate):
                    continue
                one = _Receiver(name, session, route, rate / demand.weight, _lacking(rate / demand.max_rate))
                self.receivers.append(one)
                for link in route:
                    self.highest[link] = max(self.highest.get(link, 0.0), one.rate)
                    there = self.on_link.setdefault(link, {})
                    there[session] = max(there.get(session, 0.0), one.rate)

    def fully_utilised(self) -> Property:
        """The path of every receiver has a full link, or it gets all layers."""
        return _counted(
            "fully_utilised",
            ((one.name, *_best((self.unused[link], 0.0) for link in one.route), one.bounded) for one in self.receivers),
        )

    def per_receiver_link(self) -> Property:
        """On some full link of its path nobody has a higher rate."""
        return _counted(
            "per_receiver_link",
            (
                (
                    one.name,
                    *_best((self.unused[link], _below(one.rate, self.highest[link])) for link in one.route),
                    one.bounded,
                )
                for one in self.receivers
            ),
        )

    def per_session_link(self) -> Property:
        """On some full link of the path of one of its receivers no session has a higher rate."""
        highest = {link: max(there.values()) for link, there in self.on_link.items()}
        trees: dict[int, dict[int, float]] = {}
        for link, there in self.on_link.items():
            for session, rate in there.items():
                trees.setdefault(session, {})[link] = rate
        bounded: dict[int, float] = {}
        for one in self.receivers:
            bounded[one.session] = min(bounded.get(one.session, 1.0), one.bounded)
        return _counted(
            "per_session_link",
            (
                (
                    self.problem.demands[session].name,
                    *_best((self.unused[link], _below(rate, highest[link])) for link, rate in trees[session].items()),
                    bounded[session],
                )
                for session in sorted(trees)
            ),
        )

    def same_path(self) -> Property:
        """Two receivers with the same path have equal rates, or the slower one gets all layers.

        A link that only one session crosses and that is not full does not count: nobody is held back there.
        """
        by_path: dict[frozenset[int], list[_Receiver]] = {}
        for one in self.receivers:
            path = frozenset(link for link in one.route if len(self.on_link[link]) > 1 or not self.unused[link])
            if path:
                by_path.setdefault(path, []).append(one)
        cases = held = 0
        shortfall, worst = 0.0, tuple[str, ...]()
        for same in by_path.values():
            give_way()
            same.sort(key=lambda one: one.rate)
            rates = [one.rate for one in same]
            cases += len(same) * (len(same) - 1) // 2
            for place, one in enumerate(same[:-1]):
                # Those that are above it, of whom each is in a pair with it once.
                above = bisect_right(rates, one.rate / (1 - TOLERANCE) * (1 + 1e-12), lo=place + 1)
                held += len(same) - 1 - place if not one.bounded else above - place - 1
                lacking = min(_below(one.rate, rates[-1]), one.bounded)
                if lacking > shortfall:
                    shortfall, worst = lacking, (one.name, same[-1].name)
        return Property(
            name="same_path", cases=cases, held=held, shortfall=shortfall if cases else math.nan, worst=worst
        )


def _counted(name: str, cases: Iterable[tuple[str, bool, float, float]]) -> Property:
    """Of cases with their subject, whether it holds on a link, what it lacks there, and what it lacks of all layers."""
    number = held = 0
    shortfall, worst = 0.0, tuple[str, ...]()
    for subject, holds, there, bounded in cases:
        number += 1
        held += holds or bounded == 0
        lacking = min(there, bounded)
        if lacking > shortfall:
            shortfall, worst = lacking, (subject,)
    return Property(name=name, cases=number, held=held, shortfall=shortfall if number else math.nan, worst=worst)


def _best(links: Iterable[tuple[float, float]]) -> tuple[bool, float]:
    """Of links with what each lacks to be full and what a rate lacks there: whether one will do, the least that lacks.

    What lacks on a link is the greater one of both.
    """
    holds, least = False, 1.0
    for unused, below in links:
        holds |= unused == 0 and below <= TOLERANCE * (1 + 1e-12)
        least = min(least, max(unused, below))
    return holds, least


def _lacking(part: float) -> float:
    """What a part lacks to count as full, as a part of that; 1 of nothing, and of a number that is none."""
    return 1.0 if math.isnan(part) else max(0.0, 1 - part / FULL)


def _below(rate: float, highest: float) -> float:
    """How far a rate is below the highest, as a part of it."""
    return 1 - rate / highest if highest > 0 else 0.0
