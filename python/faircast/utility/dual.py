"""The optimum by another way: the dual iteration of [LowLapsley99].

Every link has a price that rises while more comes than it carries; every demand sends what is best for it at the sum of
the prices on its tree. It needs many steps, so it is not what computes the optimum: it checks what does, and shares no
code with that but the problem.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

from faircast.errors import InputError
from faircast.utility.problem import Demand, Problem

STEP = 0.1
"""Constant step, with capacities so that the largest is 1; halved when a link goes back and forth."""
SWINGS = 50
"""So many changes of sign of a link's excess in succession are too many."""
CHANGE = 1e-8
"""Relative change of all prices at which the iteration ends."""
RATE_MAX = 10.0
"""In units of the largest capacity: what a demand sends that has nothing to pay."""


@dataclass(frozen=True)
class Dual:
    """What the iteration came to."""

    rates: dict[str, list[float]]
    """Of every elastic demand the rate of each receiver, bit/s."""
    prices: list[float]
    """Of every link, utility per bit/s."""
    steps: int
    converged: bool


def dual(problem: Problem, *, steps: int = 1_000_000) -> Dual:
    """Iterate until prices stand still, at most `steps` times.

    Raises `InputError` for max-min fairness, which is no maximum of a sum.
    """
    if problem.utility == "max-min":
        raise InputError("max-min fair rates do not maximise a sum of utilities: the dual iteration does not apply")
    alpha = problem.exponent
    room = [link.capacity - taken for link, taken in zip(problem.links, problem.inelastic(), strict=True)]
    unit = max(room)
    room = [capacity / unit for capacity in room]
    demands = [problem.demands[index] for index in problem.elastic]
    weights = [demand.weight * (len(demand.routes) if problem.orientation == "receiver" else 1) for demand in demands]
    prices = [1.0] * len(room)
    size = STEP
    sign = [0] * len(room)
    swings = [0] * len(room)
    taken = 0
    converged = False
    rates: list[list[float]] = []
    while taken < steps and not converged:
        taken += 1
        load = [0.0] * len(room)
        rates = []
        for demand, weight in zip(demands, weights, strict=True):
            most = min(RATE_MAX, demand.max_rate / unit)
            sent, carried = best_response(demand, weight, prices, alpha, most)
            rates.append(sent)
            for link, rate in carried.items():
                load[link] += rate * demand.load(link)
        excess = [come - capacity for come, capacity in zip(load, room, strict=True)]
        before, prices = prices, [max(0.0, p + size * more) for p, more in zip(prices, excess, strict=True)]
        converged = all(abs(new - old) <= CHANGE * old for old, new in zip(before, prices, strict=True))
        for link, more in enumerate(excess):
            now = (more > 0) - (more < 0)
            swings[link] = swings[link] + 1 if now * sign[link] < 0 else 0
            sign[link] = now
        if max(swings) >= SWINGS:
            size /= 2
            swings = [0] * len(room)
    return Dual(
        {demand.name: [rate * unit for rate in found] for demand, found in zip(demands, rates, strict=True)},
        [price * unit**-alpha for price in prices],
        taken,
        converged,
    )


def best_response(
    demand: Demand, weight: float, prices: list[float], alpha: float, most: float
) -> tuple[list[float], dict[int, float]]:
    """What a demand sends at these prices: the rate of each receiver and that on each link."""

    def at(worth: float, price: float) -> float:
        return min(most, (worth / price) ** (1 / alpha)) if price > 0 else most

    if not demand.multirate:
        rate = at(weight, math.fsum(prices[link] * demand.load(link) for link in demand.links))
        return [rate] * len(demand.routes), dict.fromkeys(demand.links, rate)
    carried = {link: at(*ratio) for link, ratio in _pooled(demand, weight / len(demand.routes), prices).items()}
    return [carried[route[-1]] if route else most for route in demand.routes], carried


def _pooled(demand: Demand, each: float, prices: list[float]) -> dict[int, tuple[float, float]]:
    """Worth and price of the pool that each link of a multirate session belongs to.

    Alone each link would carry what the worth of the receivers at its end and its own price say. Where that is more
    than the link above would carry, both make up one pool with one rate: isotonic regression on a tree, which takes
    links from the leaves to the root and always pools with the branch that wants most.
    """
    above = {link: at for route in demand.routes for at, link in zip((-1, *route), route, strict=False)}
    worth = dict.fromkeys(above, 0.0)
    for route in demand.routes:
        if route:
            worth[route[-1]] += each
    depth = {link: place for route in demand.routes for place, link in enumerate(route)}
    waiting: dict[int, list[tuple[float, int, _Pool]]] = {}
    pools: list[_Pool] = []
    for link in sorted(above, key=lambda link: (-depth[link], link)):
        pool = _Pool(worth[link], prices[link] * demand.load(link), [link], waiting.pop(link, []))
        heapq.heapify(pool.below)
        while pool.below and -pool.below[0][0] > pool.wish:
            _, _, child = heapq.heappop(pool.below)
            pool.join(child)
        pools.append(pool)
        waiting.setdefault(above[link], []).append((-pool.wish, link, pool))
    found: dict[int, tuple[float, float]] = {}
    for pool in pools:  # one that has joined another comes before it
        found.update(dict.fromkeys(pool.links, (pool.worth, pool.price)))
    return found


@dataclass
class _Pool:
    worth: float
    price: float
    links: list[int]
    below: list[tuple[float, int, _Pool]]

    @property
    def wish(self) -> float:
        """Grows with the rate that is best for it."""
        if self.price > 0:
            return self.worth / self.price
        return math.inf if self.worth > 0 else 0.0

    def join(self, child: _Pool) -> None:
        self.worth += child.worth
        self.price += child.price
        self.links += child.links
        self.below += child.below
        heapq.heapify(self.below)
