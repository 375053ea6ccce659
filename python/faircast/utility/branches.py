"""The unknowns of a problem: one rate for every part of a session's tree that behaves as one.

A unicast flow or a single-rate session has one unknown rate. Of a multirate session each stretch of its tree between
two branchings has one, the rate of the fastest receiver behind it; it is at most that of the stretch above.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircast.interruption import give_way
from faircast.utility.problem import InfeasibleError, Problem

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Branches:
    """The unknown rates, and the limits on their sums."""

    demand: list[int]
    """Of every unknown its demand."""
    parent: list[int]
    """The stretch above it, -1 at the source."""
    receivers: list[int]
    """How many receivers get just this rate."""
    weight: Floats
    """Weight of its utility: that of all these receivers."""
    of_receiver: list[list[int]]
    """For every demand, in its order of receivers, the unknown that each gets; empty for inelastic ones."""
    links: list[list[int]]
    """Of every unknown the links that carry it."""
    limits: list[Limit]
    """What their sums must not exceed; of those with the same members the tightest."""


@dataclass(frozen=True)
class Limit:
    """The unknowns in `members`, each times its load, together have at most `room`."""

    members: tuple[int, ...]
    room: float
    link: int | None
    """The link that it comes from; None for a maximum rate."""
    loads: tuple[float, ...] | None = None
    """What a bit/s of each takes of the room; None: all of them just that."""

    @property
    def loaded(self) -> Iterator[tuple[int, float]]:
        """Every member with its load."""
        return zip(self.members, self.loads or itertools.repeat(1.0, len(self.members)), strict=True)


def branches(problem: Problem) -> Branches:
    """The unknowns of the elastic demands. Raises `InfeasibleError` if a link has nothing left for one of them."""
    import numpy as np

    made = _Maker(problem)
    for index in problem.elastic:
        give_way()
        made.add(index)
    made.refuse_overload()
    limits = _tightest(made.limits())
    return Branches(
        demand=made.demand,
        parent=made.parent,
        receivers=made.receivers,
        weight=np.array(made.weight),
        of_receiver=made.of_receiver,
        links=made.links(),
        limits=limits,
    )


class _Maker:
    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.demand: list[int] = []
        self.parent: list[int] = []
        self.receivers: list[int] = []
        self.weight: list[float] = []
        self.of_receiver: list[list[int]] = [[] for _ in problem.demands]
        self.on_link: list[list[int]] = [[] for _ in problem.links]

    def add(self, index: int) -> None:
        demand = self.problem.demands[index]
        if not demand.multirate:
            unknown = self._unknown(index, -1)
            for link in demand.links:
                self.on_link[link].append(unknown)
            ends = [unknown] * len(demand.routes)
        else:
            ends = self._tree(index)
        each = 1.0 if self.problem.orientation == "receiver" else 1.0 / len(ends)
        for unknown in ends:
            self.receivers[unknown] += 1
            self.weight[unknown] += demand.weight * each
        self.of_receiver[index] = ends
        if math.isinf(demand.max_rate) and not all(demand.routes if demand.multirate else [demand.links]):
            raise InfeasibleError(
                f"{demand.name} has a receiver that no link leads to, so nothing bounds its rate: set its maximum"
            )

    def _unknown(self, index: int, parent: int) -> int:
        self.demand.append(index)
        self.parent.append(parent)
        self.receivers.append(0)
        self.weight.append(0.0)
        return len(self.demand) - 1

    def _tree(self, index: int) -> list[int]:
        """The unknowns of a multirate session; returns that of each receiver."""
        demand = self.problem.demands[index]
        above: dict[int, int] = {}
        below: dict[int, list[int]] = {-1: []}
        for route in demand.routes:
            at = -1
            for link in route:
                if above.setdefault(link, at) != at:
                    raise ValueError(f"the routes of {demand.name} are no tree at {self.problem.links[link].name}")
                if link not in below:
                    below[link] = []
                    below[at].append(link)
                at = link
        ends_at = {route[-1] if route else -1 for route in demand.routes}
        unknown = {-1: -1}
        if -1 in ends_at:
            unknown[-1] = self._unknown(index, -1)
        open_links = list(reversed(below[-1]))
        while open_links:
            link = open_links.pop()
            at = above[link]
            # A stretch goes on where nobody ends and nothing branches off.
            alone = at != -1 and at not in ends_at and len(below[at]) == 1
            unknown[link] = unknown[at] if alone else self._unknown(index, unknown[at] if at != -1 else -1)
            self.on_link[link].append(unknown[link])
            open_links += reversed(below[link])
        return [unknown[route[-1] if route else -1] for route in demand.routes]

    def refuse_overload(self) -> None:
        taken = self.problem.inelastic()
        links = list(zip(self.problem.links, taken, self.on_link, strict=True))
        full = [(link, inelastic) for link, inelastic, members in links if members and inelastic >= link.capacity]
        if full:
            link, inelastic = full[0]
            more = f" (and {len(full) - 1} more links)" if len(full) > 1 else ""
            raise InfeasibleError(
                f"there is no optimum: inelastic flows take {inelastic:.10g} bit/s of link {link.name}, which has "
                f"{link.capacity:.10g} bit/s, and leave nothing for the elastic ones that cross it{more}",
                {link.name: inelastic - link.capacity for link, inelastic in full},
            )

    def links(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.demand]
        for link, members in enumerate(self.on_link):
            for unknown in members:
                found[unknown].append(link)
        return found

    def limits(self) -> list[Limit]:
        taken = self.problem.inelastic()
        found = [
            Limit(tuple(members), link.capacity - inelastic, index, self._loads(index, members))
            for index, (link, inelastic, members) in enumerate(
                zip(self.problem.links, taken, self.on_link, strict=True)
            )
            if members
        ]
        for unknown, (index, parent) in enumerate(zip(self.demand, self.parent, strict=True)):
            most = self.problem.demands[index].max_rate
            if parent == -1 and math.isfinite(most):
                found.append(Limit((unknown,), most, None))
        return found

    def _loads(self, link: int, members: list[int]) -> tuple[float, ...] | None:
        """What a bit/s of each of these unknowns takes of a link."""
        of = self.problem.demands
        loads = tuple(of[self.demand[unknown]].load(link) for unknown in members)
        return None if all(load == 1.0 for load in loads) else loads


def _tightest(limits: list[Limit]) -> list[Limit]:
    """Of limits with the same members and loads the one with the least room."""
    least: dict[tuple[tuple[int, ...], tuple[float, ...] | None], Limit] = {}
    for limit in limits:
        known = least.get((limit.members, limit.loads))
        if known is None or limit.room < known.room:
            least[limit.members, limit.loads] = limit
    return list(least.values())
