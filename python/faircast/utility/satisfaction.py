"""Satisfaction of a receiver: its rate as a part of what it would have if it were the only one of its session.

What it would have is its rate in the max-min optimum of the same network with the session cut down to this receiver,
all else unchanged. See the chapter ``docs/optimum.md``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from faircast.interruption import give_way
from faircast.utility.branches import Branches, Limit, branches
from faircast.utility.max_min import max_min
from faircast.utility.optimum import rounded

if TYPE_CHECKING:
    from faircast.utility.problem import Demand, Problem


def alone(problem: Problem) -> dict[str, float]:
    """By receiver of the elastic sessions the max-min fair rate that it would have as the only one, bit/s.

    Of a receiver on the node of its source, whose session has no maximum rate, nothing bounds that: it is left out.
    Receivers with the same route are computed once; `effort` says how much work it is.

    Raises
    ------
    InfeasibleError
        Inelastic flows leave nothing of a link that an elastic one crosses, or nothing bounds a rate.
    """
    branches(problem)  # raises what there is to raise
    found: dict[str, float] = {}
    for index, demand, by_route in _sessions(problem):
        others = _Others(problem, index)
        for route, names in by_route.items():
            if not route and math.isinf(demand.max_rate):
                continue
            give_way()
            found.update(dict.fromkeys(names, rounded(others.rate_of_one(demand, route))))
    return found


def effort(problem: Problem) -> int:
    """How much work `alone` is: for each route of a session, how often all the others cross a link."""
    crossings = [sum(map(len, demand.routes)) for demand in problem.demands]
    total = sum(crossings)
    return sum(
        sum(total - crossings[index] + len(route) for route in by_route) for index, _, by_route in _sessions(problem)
    )


def _sessions(problem: Problem) -> Iterator[tuple[int, Demand, dict[_Route, list[str]]]]:
    """The elastic sessions: their place, the session, and its receivers by route."""
    for index in problem.elastic:
        demand = problem.demands[index]
        by_route: dict[_Route, list[str]] = {}
        costs = demand.costs or ({},) * len(demand.routes)
        for route, cost, name in zip(demand.routes, costs, demand.receivers, strict=False):
            by_route.setdefault(tuple((link, cost.get(link, 1.0)) for link in route), []).append(name)
        if by_route:
            yield index, demand, by_route


_Route = tuple[tuple[int, float], ...]
"""The links to a receiver, and what a bit/s to it takes of each."""


class _Others:
    """What there is beside a session: its receivers join it one by one."""

    def __init__(self, problem: Problem, session: int) -> None:
        demands = (*problem.demands[:session], *problem.demands[session + 1 :])
        beside = replace(problem, demands=demands)
        self.found = branches(beside)
        self.pace = [demands[index].weight for index in self.found.demand]
        self.on_link: dict[int, list[tuple[int, float]]] = {}
        for unknown, links in enumerate(self.found.links):
            for link in links:
                load = demands[self.found.demand[unknown]].load(link)
                self.on_link.setdefault(link, []).append((unknown, load))
        self.room = [
            link.capacity - inelastic for link, inelastic in zip(problem.links, beside.inelastic(), strict=True)
        ]

    def rate_of_one(self, session: Demand, route: _Route) -> float:
        """The rate of the session if it goes this way only."""
        found, one = self.found, len(self.found.demand)
        # The limits of these links without it stay: they follow from those with it.
        limits = [*found.limits, *(self._limit(link, (one, cost)) for link, cost in route)]
        if math.isfinite(session.max_rate):
            limits.append(Limit((one,), session.max_rate, None))
        with_it = Branches(
            demand=[*found.demand, -1],
            parent=[*found.parent, -1],
            receivers=[*found.receivers, 1],
            weight=found.weight,
            of_receiver=found.of_receiver,
            links=[*found.links, [link for link, _ in route]],
            limits=limits,
        )
        return float(max_min(with_it, [*self.pace, session.weight])[one])

    def _limit(self, link: int, one: tuple[int, float]) -> Limit:
        members, loads = zip(*self.on_link.get(link, ()), one, strict=True)
        return Limit(members, self.room[link], link, loads)
