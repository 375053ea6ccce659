"""Whether rates and prices are an optimum: the conditions of Karush, Kuhn and Tucker, each relative.

Nothing is given out that does not meet them. They are computed from the rates and prices that the method ended with,
not from what it knew on its way:

* *fits*: no limit carries more than its room, no stretch is slower than one below it;
* *complementary*: a limit has a price or room to spare. Of both the smaller one counts, the price as a part of the
  least marginal worth on the limit, the room as a part of all;
* *stationary*: what a rate is worth, w y^-alpha and what those below it pay, is what its limits cost. A stretch without
  receivers that nobody pays for is measured by what those below it are worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from faircast.utility.branches import Floats
    from faircast.utility.interior_point import Point
    from faircast.utility.presolve import Reduced

ENOUGH = 1e-7
"""Relative error that an answer may have. Nine digits are given out; where a rate is a tiny part of its links' rooms,
or a limit is just reached at price zero, rounding leaves about 1e-8."""


@dataclass(frozen=True)
class Violation:
    """The condition that is met worst."""

    error: float
    """By how much, relative; infinite if there are no numbers."""
    condition: str
    unknown: int | None
    """The rate that it is about."""
    limit: int | None
    """The limit that it is about."""


def worst(given: Reduced, alpha: float, point: Point) -> Violation:
    """The greatest violation of the conditions by a point of the reduced problem."""
    import numpy as np

    y, prices, passed = point.rates.copy(), point.prices, point.passed_on
    parent = np.array(given.parent)
    lower = np.flatnonzero(parent >= 0)
    above = parent[lower]
    empty = given.weight == 0
    # A stretch without receivers needs no more than those below it.
    y[empty] = 0.0
    heavy = given.weight.copy()
    for unknown in lower[::-1]:  # parents come before their children
        heavy[parent[unknown]] += heavy[unknown]
        if empty[parent[unknown]]:
            y[parent[unknown]] = max(y[parent[unknown]], y[unknown])
    rows = np.repeat(np.arange(len(given.limits)), [len(limit.members) for limit in given.limits])
    members = np.array([unknown for limit in given.limits for unknown in limit.members], dtype=np.int64)
    loads = np.array([load for limit in given.limits for _, load in limit.loaded])
    first = np.cumsum([0, *(len(limit.members) for limit in given.limits[:-1])])
    room = np.array([limit.room for limit in given.limits])
    with np.errstate(all="ignore"):
        marginal = heavy * y**-alpha
        load = np.bincount(rows, weights=loads * (given.copies * y)[members], minlength=len(room))
        least = np.minimum.reduceat(marginal[members] / loads, first)
        own = given.copies * given.weight * y ** (1 - alpha)
        paid = given.copies * y * np.bincount(members, weights=loads * prices[rows], minlength=len(y)) + y * passed
        worth = own + y * np.bincount(above, weights=passed[lower], minlength=len(y))
        unpaid = np.where(empty, y * np.bincount(above, weights=marginal[lower], minlength=len(y)), 0.0)
        cheap = passed[lower] / np.minimum(marginal[lower], marginal[above])
        found = [
            _greatest("carries more than its room", (load - room) / room, limits=np.arange(len(room))),
            _greatest("is slower than one below it", (y[lower] - y[above]) / y[lower], unknowns=above),
            _greatest(
                "has a price and room to spare",
                np.minimum(prices / least, np.abs(room - load) / room),
                limits=np.arange(len(room)),
            ),
            _greatest(
                "pays for more than it is below",
                np.minimum(cheap, np.abs(y[above] - y[lower]) / y[lower]),
                unknowns=lower,
            ),
            _greatest(
                "is not worth what it costs",
                np.abs(paid - worth) / (np.maximum(paid, worth) + unpaid),
                unknowns=np.arange(len(y)),
            ),
        ]
    return max(found, key=lambda violation: violation.error)


def _greatest(condition: str, errors: Floats, *, unknowns: Any = None, limits: Any = None) -> Violation:
    import numpy as np

    if not len(errors):
        return Violation(0.0, condition, None, None)
    errors = np.where(np.isnan(errors), np.inf, errors)
    at = int(np.argmax(errors))
    return Violation(
        max(0.0, float(errors[at])),
        condition,
        None if unknowns is None else int(unknowns[at]),
        None if limits is None else int(limits[at]),
    )
