"""The problem of network utility maximisation: links with capacities, demands that cross them, and what is fair.

See the chapter ``docs/optimum.md``. Rates and capacities are in bit/s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from faircast.errors import InputError, NotFinishedError, choose
from faircast.model import Orientation, Utility

ALPHA_MIN, ALPHA_MAX = 0.1, 20.0
"""The alphas that are solved reliably; `crates/scenario` has the same."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """One direction of a link."""

    name: str
    capacity: float
    """bit/s, above 0; of a link that sends symbols these, symbol/s."""


@dataclass(frozen=True, kw_only=True)
class Demand:
    """A flow or a session."""

    name: str
    routes: tuple[tuple[int, ...], ...]
    """For each receiver the links from the source to it, by index; together they are a tree. One route for unicast."""
    receivers: tuple[str, ...] = ()
    """Their names, in the order of the routes; may be left out."""
    multirate: bool = False
    """Whether each receiver has a rate of its own (a link then carries the greatest of those behind it), or all one."""
    weight: float = 1.0
    """What it counts among the others, above 0."""
    max_rate: float = math.inf
    """It does not send faster than this, bit/s."""
    fixed_rate: float | None = None
    """Inelastic: it takes this rate, bit/s, whatever is left for the others."""

    costs: tuple[Mapping[int, float], ...] = field(default=(), hash=False)
    """For each receiver, by link of its route, what a bit/s to it takes of the link's capacity, where that is not 1: of
    a link that sends symbols so many of them. May be left out."""

    @property
    def links(self) -> tuple[int, ...]:
        """Every link it crosses, once."""
        return tuple(dict.fromkeys(link for route in self.routes for link in route))

    def load(self, link: int) -> float:
        """What a bit/s of it takes of a link: as the receiver behind the link needs that takes most."""
        return max((costs[link] for costs in self.costs if link in costs), default=1.0)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Links, demands, and the utility to be maximised."""

    links: tuple[Link, ...]
    demands: tuple[Demand, ...]
    utility: Utility = "proportional"
    alpha: float | None = None
    """Of ``alpha-fair``, 0.1 to 20."""
    orientation: Orientation = "session"
    says: str = ""
    """The utility in words, if it is that of a scenario."""

    def __post_init__(self) -> None:
        check_fairness(self.utility, self.alpha, self.orientation)
        for demand in self.demands:
            check_weight(demand.name, demand.weight)
            if not demand.max_rate > 0:
                raise InputError(f"the maximum rate of {demand.name} is {demand.max_rate:g} bit/s; legal is above 0")
            if demand.fixed_rate is not None and not 0 <= demand.fixed_rate < math.inf:
                raise InputError(f"the rate of {demand.name} is {demand.fixed_rate:g} bit/s; legal is 0 or more")
        for link in self.links:
            if not 0 < link.capacity < math.inf:
                raise InputError(f"the capacity of {link.name} is {link.capacity:g} bit/s; legal is above 0")

    @property
    def exponent(self) -> float:
        """Alpha of the utility; infinite for max-min."""
        if self.utility == "alpha-fair":
            assert self.alpha is not None
            return self.alpha
        return {"proportional": 1.0, "potential-delay": 2.0}.get(self.utility, math.inf)

    @property
    def elastic(self) -> list[int]:
        """The demands that share what is left, by index."""
        return [index for index, demand in enumerate(self.demands) if demand.fixed_rate is None]

    def inelastic(self) -> list[float]:
        """What inelastic demands take of the capacity of each link."""
        taken = [0.0] * len(self.links)
        for demand in self.demands:
            for link in demand.links if demand.fixed_rate is not None else ():
                taken[link] += (demand.fixed_rate or 0.0) * demand.load(link)
        return taken


class TooLargeError(NotFinishedError):
    """The optimum was not looked for, since it might take minutes; `faircast.optimum` looks for it all the same.

    Attributes
    ----------
    pairs
        How many pairs of links are coupled by a flow that crosses both, see `faircast.utility.presolve.Reduced.pairs`.
    """

    def __init__(self, message: str, pairs: int) -> None:
        super().__init__(message)
        self.pairs = pairs


class InfeasibleError(InputError):
    """The error of a problem without an optimum.

    Inelastic demands leave nothing of a link that an elastic one needs, or nothing bounds one.

    Attributes
    ----------
    overload
        By link what inelastic demands ask for beyond its capacity, bit/s.
    """

    def __init__(self, message: str, overload: Mapping[str, float] | None = None) -> None:
        super().__init__(message)
        self.overload = dict(overload or {})


def check_fairness(utility: str, alpha: float | None, orientation: str) -> None:
    """Raise `InputError` if these do not name a utility."""
    choose("utility", utility, [name for name in get_args(Utility) if name != "own"])
    choose("orientation", orientation, get_args(Orientation))
    if alpha is None and utility == "alpha-fair":
        raise InputError(f"the utility alpha-fair needs alpha, {ALPHA_MIN:g} to {ALPHA_MAX:g}")
    if alpha is not None and utility != "alpha-fair":
        raise InputError(f"alpha is {alpha}, but the utility {utility}; alpha belongs to the utility alpha-fair")
    if alpha is not None and not ALPHA_MIN <= alpha <= ALPHA_MAX:
        raise InputError(
            f"alpha is {alpha}; legal is {ALPHA_MIN:g} to {ALPHA_MAX:g}, beyond that take the utility max-min"
        )


def check_weight(name: str, weight: float) -> None:
    """Raise `InputError` if a demand cannot have this weight."""
    if not (isinstance(weight, int | float) and 0 < weight < math.inf):
        raise InputError(f"the weight of {name} is {weight}; legal is a number above 0")
