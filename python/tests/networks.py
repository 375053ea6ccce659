"""Problems of network utility maximisation for tests: small ones with known answers, and random ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from faircast.utility.problem import Demand, Link, Problem


def problem(
    capacities: Sequence[float],
    *demands: Demand,
    utility: str = "proportional",
    alpha: float | None = None,
    orientation: str = "session",
) -> Problem:
    """Links l0, l1 and so on."""
    links = tuple(Link(name=f"l{i}", capacity=float(capacity)) for i, capacity in enumerate(capacities))
    return Problem(
        links=links,
        demands=demands,
        utility=utility,  # type: ignore[arg-type]
        alpha=alpha,
        orientation=orientation,  # type: ignore[arg-type]
    )


def flow(name: str, *links: int, weight: float = 1.0, max_rate: float = math.inf) -> Demand:
    return Demand(name=name, routes=(links,), weight=weight, max_rate=max_rate)


def session(name: str, *routes: Sequence[int], multirate: bool = False, weight: float = 1.0) -> Demand:
    return Demand(
        name=name,
        routes=tuple(map(tuple, routes)),
        receivers=tuple(f"{name}-{i}" for i in range(len(routes))),
        multirate=multirate,
        weight=weight,
    )


def parking_lot(hops: int, capacity: float = 1e6) -> tuple[list[float], list[Demand]]:
    """One flow over all hops and one over each."""
    return [capacity] * hops, [flow("long", *range(hops)), *(flow(f"short{i}", i) for i in range(hops))]


def shape(alpha: float) -> dict[str, object]:
    """Utility and alpha of a problem."""
    if alpha == 1:
        return {"utility": "proportional"}
    if alpha == 2:
        return {"utility": "potential-delay"}
    return {"utility": "alpha-fair", "alpha": alpha}


def random_demands(
    random: np.random.Generator, links: int, flows: int, sessions: int, decades: float = 1
) -> list[Demand]:
    """Flows over up to five links anywhere; sessions, every second of them multirate, over random trees of links.

    Weights are within so many decades of 1.
    """
    demands = []
    for i in range(flows):
        route = random.choice(links, size=min(links, int(random.integers(1, 6))), replace=False)
        demands.append(flow(f"flow{i}", *map(int, route), weight=float(10 ** random.uniform(-decades, decades))))
    for i in range(sessions):
        tree = [int(link) for link in random.choice(links, size=min(links, int(random.integers(1, 15))), replace=False)]
        above = [-1, *(int(random.integers(-1, place)) for place in range(1, len(tree)))]
        routes = []
        for end in [*random.integers(0, len(tree), size=int(random.integers(1, 6))), len(tree) - 1]:
            route, place = [], int(end)
            while place != -1:
                route.append(tree[place])
                place = above[place]
            routes.append(route[::-1])
        weight = float(10 ** random.uniform(-decades, decades))
        demands.append(session(f"session{i}", *routes, multirate=i % 2 == 1, weight=weight))
    return demands


def random_trees(random: np.random.Generator, sessions: int, flows: int) -> tuple[list[float], list[Demand]]:
    """Multirate sessions of 1 to 50 receivers over one tree of links, to eight deep, that share it with flows.

    Rates are from 8 kbit/s to 10 Gbit/s. Receivers hang anywhere, so that many a stretch has none of its own.
    """
    links = int(random.integers(2, 60))
    above, depth = [-1], [1]
    for place in range(1, links):
        within = [at for at in range(place) if depth[at] < 8]
        at = int(random.choice([-1, *within]))
        above.append(at)
        depth.append(1 if at < 0 else depth[at] + 1)

    def route(end: int) -> list[int]:
        found = []
        while end != -1:
            found.append(end)
            end = above[end]
        return found[::-1]

    demands = []
    for i in range(sessions):
        ends = random.integers(0, links, size=int(random.integers(1, 51)))
        demands.append(session(f"s{i}", *(route(int(end)) for end in ends), multirate=True))
    demands += [flow(f"f{i}", *route(int(random.integers(0, links)))) for i in range(flows)]
    return list(10 ** random.uniform(math.log10(8e3), 10, links)), demands
