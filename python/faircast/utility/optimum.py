"""The optimum of a problem: rates, prices, what binds, and how far measured rates are from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from faircast.errors import InputError, NotFinishedError
from faircast.utility.branches import Branches, branches
from faircast.utility.problem import InfeasibleError, Problem, TooLargeError

if TYPE_CHECKING:
    from faircast.utility.interior_point import Point
    from faircast.utility.presolve import Reduced

DIGITS = 9
"""Significant digits of what is given out: fewer than are right, so that machines agree."""
FULL = 1e-6
"""A link binds if no more than this part of it is left."""


@dataclass(frozen=True, kw_only=True)
class LinkShare:
    """One direction of a link at the optimum."""

    capacity: float
    """bit/s."""
    inelastic: float
    """What flows of a constant rate take, bit/s."""
    elastic: float
    """What the others have, bit/s."""
    price: float
    """What one more bit/s of it would add to the utility; 0 for max-min fairness, which has no prices."""

    @property
    def binds(self) -> bool:
        """Whether it is full."""
        return self.capacity - self.inelastic - self.elastic <= FULL * self.capacity


@dataclass(frozen=True, kw_only=True, repr=False)
class Optimum:
    """The best rates on a network. See the chapter ``docs/optimum.md``."""

    problem: Problem
    rates: dict[str, float]
    """Of every elastic flow and session the rate at which it sends, bit/s; of a multirate session that of its fastest
    receiver."""
    receivers: dict[str, dict[str, float]]
    """Of every session the rate of each of its receivers, by name, bit/s."""
    links: dict[str, LinkShare]
    """Every link that data crosses."""
    value: float | None
    """The sum of all utilities, rates in bit/s; None for max-min fairness."""

    @property
    def is_multirate(self) -> bool:
        """Whether receivers of some session have rates of their own."""
        return any(demand.multirate for demand in self.problem.demands)

    @cached_property
    def metrics(self) -> dict[tuple[str, str], float]:
        """The rates by subject and metric of a summary: ``rate`` is what arrives, ``sending_rate`` what is sent.

        Of a multirate session the latter is not among them: a source of layers sends those that nobody holds, too, and
        they cost nothing on any link.
        """
        multirate = {demand.name for demand in self.problem.demands if demand.multirate}
        found: dict[tuple[str, str], float] = {}
        for name, rate in self.rates.items():
            if name not in self.receivers:
                found[name, "rate"] = rate
                continue
            each = self.receivers[name]
            found[name, "rate"] = rounded(math.fsum(each.values()) / len(each))
            if name not in multirate:
                found[name, "sending_rate"] = rate
            found.update({(receiver, "rate"): got for receiver, got in each.items()})
        return found

    def distance(self, measured: Mapping[str, float]) -> float:
        """The distance of measured rates from the optimum: the root of the mean of (x/x* - 1)^2; 0 if they are equal.

        `measured` holds the rate of every flow, and for a session those of its receivers, by name, in bit/s. Every flow
        and every session counts alike, a session with the mean over its receivers. If all have nothing it is 1.

        Raises
        ------
        InputError
            A rate is missing.
        """
        return distance({name: self.receivers.get(name, {name: best}) for name, best in self.rates.items()}, measured)

    def __str__(self) -> str:
        lines = [f"{name}: {rate:.9g} bit/s" for name, rate in self.rates.items()]
        return "\n".join(lines) or "nothing elastic"

    def __repr__(self) -> str:
        from faircast.display.optimum import of_optimum

        return of_optimum(self)

    def _repr_html_(self) -> str:
        from faircast.display.optimum import html_of_optimum

        return html_of_optimum(self)


def distance(best: Mapping[str, Mapping[str, float]], measured: Mapping[str, float]) -> float:
    """`Optimum.distance` from these rates: of every flow, and of every receiver of every session, by its name."""
    wanted = [one for each in best.values() for one in each]
    missing = [one for one in wanted if one not in measured]
    if missing:
        raise InputError(f"no rate of {', '.join(missing)}; wanted are those of {', '.join(wanted)}")
    squares = [
        math.fsum((measured[one] / rate - 1) ** 2 for one, rate in each.items()) / len(each) for each in best.values()
    ]
    return math.sqrt(math.fsum(squares) / len(squares)) if squares else math.nan


def solve(problem: Problem, *, pairs_max: int | None = None) -> Optimum:
    """The rates that are best by the utility of the problem.

    It takes a fraction of a second for most networks, minutes for some; `faircast.interruption` ends it early.
    `pairs_max` bounds the effort (`faircast.utility.presolve.Reduced.pairs`), None: whatever it takes.

    Raises
    ------
    InfeasibleError
        Inelastic flows leave nothing of a link that an elastic one crosses, or nothing bounds a rate.
    NotFinishedError
        The method failed: the message says which condition of an optimum its rates do not meet, by how much, and why
        it stopped.
    TooLargeError
        It is beyond `pairs_max`. A `NotFinishedError`.
    """
    import numpy as np

    found = branches(problem)
    if not found.demand:
        return _optimum(problem, found, [], [])
    from faircast.utility.max_min import max_min

    pace = [problem.demands[index].weight for index in found.demand]
    rates = max_min(found, pace)
    prices = [0.0] * len(found.limits)
    if problem.utility == "max-min":
        return _optimum(problem, found, rates.tolist(), prices)
    from faircast.utility.interior_point import alpha_fair
    from faircast.utility.presolve import presolve

    given = presolve(found)
    pairs = 0 if pairs_max is None else given.pairs()
    if pairs_max is not None and pairs > pairs_max:
        raise TooLargeError(
            f"the optimum was not looked for: {pairs} pairs of links are coupled by flows that cross both, more than "
            f"{pairs_max}, which may take minutes; faircast.optimum looks for it all the same",
            pairs,
        )
    start = dict(zip(given.of, rates.tolist(), strict=True))
    point = alpha_fair(given, problem.exponent, np.array([start[unknown] for unknown in range(len(given.parent))]))
    _confirm(problem, found, given, point)
    for place, price in zip(given.place, point.prices.tolist(), strict=True):
        prices[place] = price
    return _optimum(problem, found, given.rates(point.rates.tolist()), prices)


def _confirm(problem: Problem, found: Branches, given: Reduced, point: Point) -> None:
    """Raise `NotFinishedError` unless the point meets the conditions of an optimum."""
    from faircast.utility.conditions import ENOUGH, worst

    violation = worst(given, problem.exponent, point)
    if violation.error <= ENOUGH:
        return
    if violation.limit is not None:
        limit = given.limits[violation.limit]
        of = problem.demands[found.demand[given.of.index(limit.members[0])]].name
        who = f"the maximum rate of {of}" if limit.link is None else f"link {problem.links[limit.link].name}"
    else:
        who = "nothing"
        if violation.unknown is not None:
            who = f"the rate of {problem.demands[found.demand[given.of.index(violation.unknown)]].name}"
    decades = math.log10(float(point.rates.max() / point.rates.min()))
    raise NotFinishedError(
        f"the optimum with alpha = {problem.exponent:g} was not found: {who} {violation.condition}, by "
        f"{violation.error:.1g} of itself where {ENOUGH:g} is allowed; {point.ended or 'the method saw no reason'} "
        f"(rates differ by {decades:.0f} decades)"
    )


def _optimum(problem: Problem, found: Branches, rates: list[float], prices: list[float]) -> Optimum:
    rates = _needed(found, rates)
    elastic: dict[int, float] = {}
    price = {limit.link: paid for limit, paid in zip(found.limits, prices, strict=True) if limit.link is not None}
    for unknown, links in enumerate(found.links):
        for link in links:
            load = problem.demands[found.demand[unknown]].load(link)
            elastic[link] = elastic.get(link, 0.0) + load * rates[unknown]
    inelastic = problem.inelastic()
    crossed = sorted({link for demand in problem.demands for link in demand.links})
    sent, receivers = {}, {}
    for index in problem.elastic:
        demand = problem.demands[index]
        each = [rounded(rates[unknown]) for unknown in found.of_receiver[index]]
        sent[demand.name] = max(each)
        if demand.receivers:
            receivers[demand.name] = dict(zip(demand.receivers, each, strict=True))
    return Optimum(
        problem=problem,
        rates=sent,
        receivers=receivers,
        links={
            problem.links[link].name: LinkShare(
                capacity=problem.links[link].capacity,
                inelastic=inelastic[link],
                elastic=rounded(elastic.get(link, 0.0)),
                price=rounded(price.get(link, 0.0)) if _full(problem, inelastic, elastic, link) else 0.0,
            )
            for link in crossed
        },
        value=None if problem.utility == "max-min" else rounded(_value(problem.exponent, found, rates)),
    )


def _needed(found: Branches, rates: list[float]) -> list[float]:
    """The rates, where stretches without receivers of their own carry no more than those below them need.

    More costs nothing on links with room, so it is as good for the utility.
    """
    needed = [rate if receivers else 0.0 for rate, receivers in zip(rates, found.receivers, strict=True)]
    for unknown in range(len(needed) - 1, -1, -1):  # parents come before their children
        parent = found.parent[unknown]
        if parent >= 0:
            needed[parent] = max(needed[parent], needed[unknown])
    return needed


def _full(problem: Problem, inelastic: list[float], elastic: dict[int, float], link: int) -> bool:
    capacity = problem.links[link].capacity
    return capacity - inelastic[link] - elastic.get(link, 0.0) <= FULL * capacity


def _value(alpha: float, found: Branches, rates: list[float]) -> float:
    def utility(rate: float) -> float:
        return math.log(rate) if alpha == 1 else float(rate ** (1 - alpha)) / (1 - alpha)

    return math.fsum(
        weight * utility(rate) for weight, rate in zip(found.weight.tolist(), rates, strict=True) if weight > 0
    )


def rounded(value: float) -> float:
    """`value` to as many digits as are given out."""
    return float(f"{value:.{DIGITS}g}")


__all__ = ["InfeasibleError", "LinkShare", "Optimum", "TooLargeError", "solve"]
