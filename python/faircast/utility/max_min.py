"""Max-min fair rates by progressive filling.

All rates rise together, each in proportion to its weight, until a limit is reached; those that it holds stay, the
others go on. Of a multirate session a link carries the rate of the fastest receiver behind it, so a slower one
costs nothing there.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from faircast.interruption import give_way
from faircast.utility.branches import Branches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircast.utility.branches import Floats


def max_min(found: Branches, pace: Sequence[float]) -> Floats:
    """The max-min fair rate of every unknown, bit/s; rates are compared after division by `pace`, given by unknown."""
    import numpy as np

    filling = _Filling(found, pace)
    filling.run()
    return np.array(filling.rate)


class _Filling:
    def __init__(self, found: Branches, pace: Sequence[float]) -> None:
        unknowns = len(found.demand)
        self.limits = found.limits
        self.parent = found.parent
        self.pace = pace
        self.rate = [0.0] * unknowns
        self.children: list[list[int]] = [[] for _ in range(unknowns)]
        self.rising_below = [1 if receivers else 0 for receivers in found.receivers]
        """Of each unknown how many places with receivers, at it or below, still rise."""
        self.has_receivers = [receivers > 0 for receivers in found.receivers]
        self.on: list[list[tuple[int, float]]] = [[] for _ in range(unknowns)]
        """Of each unknown the limits that it is in, and what a bit/s of it takes of them."""
        # Parents come before their children.
        for unknown in range(unknowns - 1, -1, -1):
            parent = found.parent[unknown]
            if parent != -1:
                self.children[parent].append(unknown)
                self.rising_below[parent] += self.rising_below[unknown]
        for index, limit in enumerate(found.limits):
            for unknown, load in limit.loaded:
                self.on[unknown].append((index, load))
        self.rises = [True] * unknowns
        self.standing = [0.0] * len(found.limits)
        self.rising = [sum(load * pace[unknown] for unknown, load in limit.loaded) for limit in found.limits]
        self.left = [len(limit.members) for limit in found.limits]

    def run(self) -> None:
        full = [(self._full_at(index), index) for index in range(len(self.limits))]
        heapq.heapify(full)
        while full:
            give_way()
            level, index = heapq.heappop(full)
            if not self.left[index]:
                continue
            now = self._full_at(index)
            if now > level:  # what has stopped meanwhile leaves room for the others
                heapq.heappush(full, (now, index))
                continue
            for unknown in self.limits[index].members:
                if self.rises[unknown]:
                    self._stop(unknown, level)

    def _full_at(self, index: int) -> float:
        """The level at which a limit is reached if all that rise go on."""
        return (self.limits[index].room - self.standing[index]) / self.rising[index] if self.left[index] else 0.0

    def _stop(self, top: int, level: float) -> None:
        """The rates of a stretch and of all below it stay as they are; those above too, if nobody is left to rise."""
        gone = self.rising_below[top]
        open_ = [top]
        while open_:
            unknown = open_.pop()
            self._freeze(unknown, level)
            open_ += [child for child in self.children[unknown] if self.rises[child]]
        above = self.parent[top]
        while above != -1:
            self.rising_below[above] -= gone
            if not self.rising_below[above] and self.rises[above]:
                self._freeze(above, level)
            above = self.parent[above]

    def _freeze(self, unknown: int, level: float) -> None:
        self.rises[unknown] = False
        self.rising_below[unknown] = 0
        self.rate[unknown] = self.pace[unknown] * level
        for index, load in self.on[unknown]:
            self.standing[index] += load * self.rate[unknown]
            self.rising[index] -= load * self.pace[unknown]
            self.left[index] -= 1
            if not self.left[index]:
                self.rising[index] = 0.0
