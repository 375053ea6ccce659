"""What the interior-point method is spared: unknowns and limits that follow from others.

Every step keeps the optimum as it is, whatever the utility, since utilities only grow and nothing else loads a limit:

* A limit that others imply goes: too little can come to fill it, or somebody above, below or beside it is narrower. A
  stretch without receivers of its own carries no more than the fastest of its children can.
* A stretch that is left in no limit takes what the one above it takes if it has receivers, and becomes one with it; if
  it has none, its children hang on the one above it. A rate that only is the largest of its children would otherwise
  be free between that and the rate above, and such freedom is what an interior point cannot decide.
* Flows of equal weight on the same limits have equal rates, as utilities are strictly concave, and are one unknown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from faircast.utility.branches import Branches, Limit

if TYPE_CHECKING:
    from faircast.utility.branches import Floats


@dataclass(frozen=True)
class Reduced:
    """A problem with the same optimum and fewer unknowns."""

    of: list[int]
    """Of every unknown of the branches the one it has become; -1 if its rate is the largest of its children's."""
    parent: list[int]
    """The stretch above it, -1 at the source; parents come before children."""
    copies: Floats
    """How many flows it stands for."""
    weight: Floats
    """Of each of them; 0 for a stretch without receivers."""
    limits: list[Limit]
    """Their members are unknowns of these; a limit carries each as often as it has copies on it."""
    place: list[int]
    """Of every limit which one of the branches it is."""

    def pairs(self) -> int:
        """How many ordered pairs of limits share an unknown: what a step of the interior-point method has to solve.

        Limits of a single unknown do not count, they are solved by hand.
        """
        import numpy as np
        from scipy.sparse import csr_matrix

        shared = [limit.members for limit in self.limits if len(limit.members) > 1]
        rows = np.repeat(np.arange(len(shared)), [len(members) for members in shared])
        columns = np.array([unknown for members in shared for unknown in members], dtype=np.int64)
        on = csr_matrix((np.ones(len(rows), dtype=np.int32), (rows, columns)), shape=(len(shared), len(self.parent)))
        return int((on @ on.T).nnz)

    def rates(self, reduced: Sequence[float]) -> list[float]:
        """Of all unknowns of the branches; 0 where it is the largest of the children's."""
        return [reduced[unknown] if unknown >= 0 else 0.0 for unknown in self.of]


def presolve(found: Branches) -> Reduced:
    """The problem without what follows from the rest."""
    limits = _necessary(found)
    of, parent, weight = _contracted(found, limits)
    return _merged(found, limits, of, parent, weight)


def _necessary(found: Branches) -> list[int]:
    """The limits that others do not imply, by index."""
    single, together = _bounds(found.limits, len(found.parent))
    most = [min(pair) for pair in zip(single, together, strict=True)]
    _pass_down(found, most)
    _pass_up(found, most)
    kept = [
        len(limit.members) > 1 and math.fsum(load * most[unknown] for unknown, load in limit.loaded) > limit.room
        for limit in found.limits
    ]
    # No limit that goes has lent its room to a bound that another one goes for: its members have less than its room.
    single, together = _bounds([limit for limit, stays in zip(found.limits, kept, strict=True) if stays], len(single))
    for limit in found.limits:
        if len(limit.members) == 1:
            single[limit.members[0]] = min(single[limit.members[0]], _most(limit))
    for unknown, room in enumerate(single):
        if together[unknown] <= room:
            single[unknown] = math.inf
    # First those that are ample for all below them, then those below what is narrower; never one for the other.
    below = [0.0] * len(single)
    for unknown in range(len(single) - 1, -1, -1):
        if found.receivers[unknown]:
            below[unknown] = math.inf
        elif below[unknown] <= single[unknown]:
            single[unknown] = math.inf
        parent = found.parent[unknown]
        if parent >= 0:
            below[parent] = max(below[parent], min(single[unknown], together[unknown], below[unknown]))
    above = [math.inf] * len(single)
    for unknown, parent in enumerate(found.parent):
        if parent >= 0:
            above[unknown] = min(above[parent], single[parent], together[parent])
        if above[unknown] <= single[unknown]:
            single[unknown] = math.inf
    return [
        index
        for index, (limit, stays) in enumerate(zip(found.limits, kept, strict=True))
        if stays or (len(limit.members) == 1 and single[limit.members[0]] == _most(limit))
    ]


def _bounds(limits: Sequence[Limit], unknowns: int) -> tuple[list[float], list[float]]:
    """The least room of every unknown in a limit of its own, and in one that it shares."""
    single, together = [math.inf] * unknowns, [math.inf] * unknowns
    for limit in limits:
        least = single if len(limit.members) == 1 else together
        for unknown, load in limit.loaded:
            least[unknown] = min(least[unknown], limit.room / load)
    return single, together


def _most(limit: Limit) -> float:
    """The highest rate that a limit of one unknown allows it."""
    [(_, load)] = limit.loaded
    return limit.room / load


def _pass_down(found: Branches, most: list[float]) -> None:
    for unknown, parent in enumerate(found.parent):
        if parent >= 0:
            most[unknown] = min(most[unknown], most[parent])


def _pass_up(found: Branches, most: list[float]) -> None:
    """A stretch without receivers needs no more than the fastest below it."""
    below = [0.0] * len(most)
    for unknown in range(len(most) - 1, -1, -1):
        if not found.receivers[unknown]:
            most[unknown] = min(most[unknown], below[unknown])
        parent = found.parent[unknown]
        if parent >= 0:
            below[parent] = max(below[parent], most[unknown])


def _contracted(found: Branches, limits: Sequence[int]) -> tuple[list[int], list[int], list[float]]:
    """Of every unknown the one it becomes, its parent, and the weights."""
    limited = [False] * len(found.parent)
    for index in limits:
        for unknown in found.limits[index].members:
            limited[unknown] = True
    of, hangs_on = list(range(len(limited))), list(found.parent)
    weight = found.weight.tolist()
    for unknown, parent in enumerate(found.parent):
        at = -1 if parent < 0 else of[parent] if of[parent] >= 0 else hangs_on[parent]
        hangs_on[unknown] = at
        if limited[unknown]:
            continue
        if found.receivers[unknown]:
            assert at >= 0, "something bounds every rate"
            of[unknown] = at
            weight[at] += weight[unknown]
        else:
            of[unknown] = -1
    return of, hangs_on, weight


def _merged(found: Branches, limits: Sequence[int], of: list[int], hangs_on: list[int], weight: list[float]) -> Reduced:
    """Numbered anew, equal flows as one."""
    import numpy as np

    on: list[list[tuple[int, float]]] = [[] for _ in of]
    for place, index in enumerate(limits):
        for unknown, load in found.limits[index].loaded:
            on[unknown].append((place, load))
    in_tree = {end for unknown, end in enumerate(hangs_on) if of[unknown] == unknown and end >= 0}
    number = [-1] * len(of)
    equal: dict[tuple[float, tuple[tuple[int, float], ...]], int] = {}
    parents: list[int] = []
    copies: list[float] = []
    weights: list[float] = []
    for unknown, itself in enumerate(of):
        if itself != unknown:
            continue
        alone = hangs_on[unknown] < 0 and unknown not in in_tree
        known = equal.setdefault((weight[unknown], tuple(on[unknown])), len(parents)) if alone else len(parents)
        number[unknown] = known
        if known < len(parents):
            copies[known] += 1.0
            continue
        parents.append(number[hangs_on[unknown]] if hangs_on[unknown] >= 0 else -1)
        copies.append(1.0)
        weights.append(weight[unknown])
    return Reduced(
        of=[number[end] if end >= 0 else -1 for end in of],
        parent=parents,
        copies=np.array(copies),
        weight=np.array(weights),
        limits=[_renumbered(found.limits[index], number) for index in limits],
        place=list(limits),
    )


def _renumbered(limit: Limit, number: Sequence[int]) -> Limit:
    """A limit of unknowns that have these numbers now; what has become one has one load."""
    loads = {number[unknown]: load for unknown, load in limit.loaded}
    return Limit(tuple(loads), limit.room, limit.link, None if limit.loads is None else tuple(loads.values()))
