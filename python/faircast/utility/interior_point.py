"""Alpha-fair rates by a primal-dual interior-point method.

The problem, for the unknown rates y of the branches: maximise the sum of w U(y), U'(y) = y^-alpha, so that the sum of
the members of every limit stays within its room and no stretch of a tree is slower than one below it. An unknown may
stand for m equal flows. With G y <= h for both kinds of limits (m where it loads one), slacks s and prices l, its
conditions (Karush, Kuhn, Tucker) are

    m w y^-alpha = G' l,    G y + s = h,    l s = 0,    l, s >= 0,

and the third is approached by l s = tau v with tau going to zero (S. Boyd, L. Vandenberghe, "Convex optimization",
2004, section 11.7). Two things differ from a general solver, and make small rates come out as exact as great ones:

* v. With alpha = 2 the marginal utility y^-2 of 10 kbit/s is 10^12 times that of 10 Gbit/s. Every limit has a v of its
  own, its room times the least marginal utility on it, which is the most that its price can be. So tau is the part of
  the room that is left, alike for all.
* The first condition is taken in logarithms, and a step multiplies y, as y^-alpha is no straight line over decades.
  Where a stretch pays for more than it is asked for, and where it has no receivers, it stays as it is.
* A stretch without receivers whose limits have room is paid for by nobody: its prices go to zero, and its condition is
  measured by what those below it are worth. Its rate is free between theirs and that above; see `presolve`.

For alpha above 2 the method goes there by degrees; each time prices change as marginal utilities do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast.errors import NotFinishedError
from faircast.interruption import give_way

if TYPE_CHECKING:
    from faircast.utility.branches import Floats
    from faircast.utility.presolve import Reduced

STEPS_MAX = 300
DIRECT_ALPHA = 2.0
"""Up to here no degrees are needed."""
ATTEMPTS = ((1.5, 0.1), (1.15, 0.5))
"""Factors from one alpha and, at the least, from one tau to the next; the second pair if the first was too bold."""
TAU_FIRST, TAU_LAST = 0.1, 1e-16
RESIDUAL = 1e-10
"""Relative error of the first two conditions at which the method ends; convergence is quadratic, mostly it is less."""
GAP = 1e-15
"""Error of the third condition at which it ends: part of the room that a limit with a price has left."""
CLOSE = 0.01
"""Errors at which alpha goes on."""
TO_BOUNDARY = 0.99
LEAP = 1.0
"""A step changes no rate by more than a factor of e."""
DAMPING = 1e-9
"""Stretches without receivers have no curvature of their own; this keeps the matrix quasi-definite."""


@dataclass(frozen=True)
class Point:
    """Rates and prices, and how they were come by."""

    rates: Floats
    """Of all unknowns, bit/s."""
    prices: Floats
    """Of all limits, utility per bit/s."""
    passed_on: Floats
    """Of every stretch below another what it pays of that one's price, utility per bit/s; 0 for the others."""
    ended: str
    """Why the method went no further; empty if its conditions are met to the last digits."""


def alpha_fair(given: Reduced, alpha: float, start: Floats) -> Point:
    """The alpha-fair rates and their prices, or what is nearest to them.

    `start` should be right in magnitude: max-min fair rates. The method can fail, which happens to alphas near 0, where
    rates differ by so many decades that rounding drowns the least: `faircast.utility.conditions` tells.
    """
    import numpy as np

    from faircast.utility.conditions import ENOUGH, worst

    # Rates near 1. Prices follow from w y^-alpha.
    unit = float(np.exp(np.mean(np.log(start))))
    heaviest = float(given.weight.max())
    points: list[Point] = []
    for boldness in ATTEMPTS:
        with np.errstate(all="ignore"):
            solved = _solve(_Matrices.of(given, unit), given.weight / heaviest, alpha, start / unit, boldness)
        if solved is None:
            continue
        rates, prices, ended = solved
        scale = heaviest * unit**-alpha
        passed_on = np.zeros(len(rates))
        passed_on[[unknown for unknown, parent in enumerate(given.parent) if parent >= 0]] = (
            prices[len(given.limits) :] * scale
        )
        points.append(Point(rates * unit, prices[: len(given.limits)] * scale, passed_on, ended))
        if worst(given, alpha, points[-1]).error <= ENOUGH:
            break
    if not points:
        raise NotFinishedError(
            f"the optimum with alpha = {alpha:g} was not found: on the way there from alpha = {DIRECT_ALPHA:g} the "
            "method lost itself; take a smaller one, or max-min"
        )
    return min(points, key=lambda point: worst(given, alpha, point).error)


def _solve(
    m: _Matrices, w: Floats, goal: float, start: Floats, boldness: tuple[float, float]
) -> tuple[Floats, Floats, str] | None:
    import numpy as np

    degree, tau_fall = boldness
    alpha = min(goal, DIRECT_ALPHA)
    heavy = m.below(w)
    y = 0.7 * start
    s = np.maximum(m.h - m.g @ y, 0.2 * (m.plus @ y))
    prices = TAU_FIRST * m.scale(y, heavy * m.needed(y) ** -alpha) / s
    tau = TAU_FIRST
    best: tuple[float, Floats, Floats] | None = None
    ended = f"{STEPS_MAX} steps were not enough"
    for _ in range(STEPS_MAX):
        give_way()
        own = m.copies * w * y ** (1 - alpha)
        paid = y * (m.plus.T @ prices)
        passed_on = y * (m.minus.T @ prices)
        short = m.g @ y + s - m.h
        needed = m.needed(y)
        marginal = heavy * needed**-alpha
        v = m.scale(y, marginal)
        gap = prices * s / v
        error = max(
            float(np.max(np.abs(paid - own - passed_on) / (np.maximum(paid, own + passed_on) + m.unpaid(y, marginal)))),
            float(np.max(np.abs(short) / np.maximum(m.plus @ y, m.h))),
        )
        if not np.isfinite(error):
            ended = "rounding drowns the smallest rates"
            break
        if alpha < goal and max(error, float(gap.max())) < CLOSE:
            alpha = min(goal, degree * alpha)
            prices = prices * m.scale(y, heavy * needed**-alpha) / v
            continue
        if alpha == goal:
            apart = float(np.max(np.minimum(gap * m.size(y) / s, s / m.size(y))))
            if best is None or max(error, apart) < best[0]:
                best = max(error, apart), y, prices
            if error < RESIDUAL and float(gap.max()) < GAP:
                ended = ""
                break
        net = paid - passed_on
        bends = (own > 0) & (net > own / 10)
        with_log = net * np.log(np.where(bends, net, 1) / np.where(bends, own, 1))
        step = m.step(
            y, s, prices, paid, alpha * np.where(bends, net, own), np.where(bends, with_log, net - own), short, tau * v
        )
        if step is None:
            ended = "rounding drowns the smallest rates"
            break
        du, ds, dprices = step
        length = min(
            1.0,
            LEAP / float(np.max(np.abs(du), initial=LEAP)),
            TO_BOUNDARY * _reach(s, ds),
            TO_BOUNDARY * _reach(prices, dprices),
        )
        y, s, prices = y * np.exp(length * du), s + length * ds, prices + length * dprices
        if length > 0.5:
            tau = max(TAU_LAST, tau * max(tau_fall, 1 - length))
    return None if best is None else (best[1], best[2], ended)


def _reach(at: Floats, by: Floats) -> float:
    """How far one can go from `at` in the direction `by` before something becomes zero."""
    import numpy as np

    shrinks = by < 0
    return float(np.min(-at[shrinks] / by[shrinks], initial=np.inf))


@dataclass(frozen=True)
class _Matrices:
    """The limits G y <= h: sums within their rooms, then stretches below those above them."""

    g: Any
    plus: Any
    """The positive part of G: what loads a limit."""
    minus: Any
    """The negative part of G."""
    h: Floats
    copies: Floats
    members: Any
    loads: Any
    """What a bit/s of each member takes of its limit."""
    first: Any
    lengths: Any
    lower: list[int]
    """Unknowns that have a stretch above them, parents before children."""
    above: Any
    parent: list[int]
    empty: Any
    """Which unknowns have no receivers."""
    single: Any
    """Which limits have one unknown,"""
    owner: Any
    """which one, by limit of `single`,"""
    own_load: Floats
    """and how much it loads them."""
    joint: Any
    """The other limits, those of trees last,"""
    shared: Any
    """and their rows of G."""
    alone: Any
    """Unknowns in no tree."""
    woven: Any
    """The others."""
    carried: list[tuple[int, int]]
    """Whatever is below one of these, with it; children before parents."""

    @classmethod
    def of(cls, given: Reduced, unit: float) -> _Matrices:
        import numpy as np
        from scipy.sparse import csc_matrix

        limits, unknowns = len(given.limits), len(given.parent)
        lower = [unknown for unknown, parent in enumerate(given.parent) if parent >= 0]
        tree = np.arange(limits, limits + len(lower))
        lengths = np.array([len(limit.members) for limit in given.limits])
        rows = np.repeat(np.arange(limits), lengths)
        members = np.array([unknown for limit in given.limits for unknown in limit.members], dtype=np.int64)
        shape = (limits + len(lower), unknowns)
        loads = np.concatenate([rows, tree]), np.concatenate([members, np.array(lower, dtype=np.int64)])
        weights = np.array([load for limit in given.limits for _, load in limit.loaded])
        plus = csc_matrix((np.concatenate([given.copies[members] * weights, np.ones(len(lower))]), loads), shape=shape)
        above = np.array([given.parent[unknown] for unknown in lower], dtype=np.int64)
        minus = csc_matrix((np.ones(len(lower)), (tree, above)), shape=shape)
        rooms = np.array([limit.room for limit in given.limits]) / unit
        first = np.cumsum([0, *lengths[:-1]])
        single = np.flatnonzero(lengths == 1)
        joint = np.concatenate([np.flatnonzero(lengths > 1), tree])
        in_tree = np.zeros(unknowns, dtype=bool)
        in_tree[lower] = in_tree[above] = True
        g = plus - minus
        return cls(
            g,
            plus,
            minus,
            np.concatenate([rooms, np.zeros(len(lower))]),
            given.copies,
            members,
            weights,
            first,
            lengths,
            lower,
            above,
            given.parent,
            given.weight == 0,
            single,
            members[first[single]],
            given.copies[members[first[single]]] * weights[first[single]],
            joint,
            g.tocsr()[joint],
            np.flatnonzero(~in_tree),
            np.flatnonzero(in_tree),
            [
                (unknown, given.parent[unknown])
                for unknown in reversed(lower)
                if given.weight[given.parent[unknown]] == 0
            ],
        )

    def scale(self, y: Floats, marginal: Floats) -> Floats:
        """Of every limit about what its price times its room could be.

        A link's price is no more than the least marginal worth on it; what a stretch passes on to those below it no
        more than its links and the stretch above it charge.
        """
        import numpy as np

        least = np.minimum.reduceat(marginal[self.members] / self.loads, self.first)
        if not self.lower:
            return least * self.h
        charged = np.bincount(self.members, weights=self.loads * np.repeat(least, self.lengths), minlength=len(y))
        most = np.minimum(marginal, charged).tolist()
        each, charges = marginal.tolist(), charged.tolist()
        for unknown in self.lower:
            most[unknown] = min(each[unknown], charges[unknown] + most[self.parent[unknown]])
        tree = np.minimum(marginal[self.lower], np.array(most)[self.above]) * y[self.lower]
        return np.concatenate([least * self.h[: len(least)], tree])

    def size(self, y: Floats) -> Floats:
        """Of every limit what its slack is compared with."""
        import numpy as np

        return np.concatenate([self.h[: len(self.h) - len(self.lower)], y[self.lower]])

    def needed(self, y: Floats) -> Floats:
        """The rates, where stretches without receivers have no more than those below them."""
        found = y.copy()
        found[self.empty] = 0.0
        for unknown, parent in self.carried:
            found[parent] = max(found[parent], found[unknown])
        return found

    def unpaid(self, y: Floats, marginal: Floats) -> Floats:
        """Of stretches without receivers what they could be paid for by those below them; 0 for the others."""
        import numpy as np

        worth = np.bincount(self.above, weights=marginal[self.lower], minlength=len(y))
        return np.where(self.empty, worth * y, 0.0)

    def below(self, own: Floats) -> Floats:
        """Of every unknown the sum of `own` over it and all below it."""
        if not self.lower:
            return own
        total = own.copy()
        for unknown in reversed(self.lower):
            total[self.parent[unknown]] += total[unknown]
        return total

    def step(
        self,
        y: Floats,
        s: Floats,
        prices: Floats,
        paid: Floats,
        curvature: Floats,
        dear: Floats,
        short: Floats,
        target: Floats,
    ) -> tuple[Floats, Floats, Floats] | None:
        """Newton's step: of log y, s and the prices. None if there is none.

        It solves C du + Y G' dl = -dear, G Y du - s/l dl = s - short - target/l. By hand go the limits of one unknown,
        then the unknowns that are in no tree: only what is left is factorised. Otherwise the order of elimination,
        whose search is slow where one link carries everybody, would cost the square of the number of flows.
        """
        import numpy as np
        from scipy.sparse import bmat, diags

        right = s - short - target / prices
        own = curvature + DAMPING * paid
        pull = -dear
        # A limit of one unknown: dl = l/s (load du - right).
        load = self.own_load * y[self.owner]
        stiff = (prices / s)[self.single]
        np.add.at(own, self.owner, load**2 * stiff)
        np.add.at(pull, self.owner, load * stiff * right[self.single])
        # An unknown in no tree: du = (pull - (Y G')_u dl) / own_u.
        between = self.shared @ diags(y)
        alone, woven = between[:, self.alone], between[:, self.woven]
        through = alone @ diags(1 / own[self.alone])
        firm = diags((s / prices)[self.joint]) + through @ alone.T
        rest = right[self.joint] - through @ pull[self.alone]
        # Scaled to order 1; symmetric and quasi-definite, so that any order of elimination without pivoting will do.
        scale_y, scale_l = 1 / np.sqrt(paid[self.woven]), 1 / np.sqrt(target[self.joint])
        cross = diags(scale_l) @ woven @ diags(scale_y)
        matrix = bmat(
            [[diags(own[self.woven] * scale_y**2), cross.T], [cross, -(diags(scale_l) @ firm @ diags(scale_l))]],
            format="csc",
        )
        known = np.concatenate([pull[self.woven] * scale_y, rest * scale_l])
        if not (np.all(np.isfinite(matrix.data)) and np.all(np.isfinite(known)) and np.all(np.isfinite(own))):
            return None
        found = _solved(matrix, known)
        if found is None:
            return None
        du, dprices = np.empty(len(y)), np.empty(len(s))
        du[self.woven] = found[: len(self.woven)] * scale_y
        dprices[self.joint] = found[len(self.woven) :] * scale_l
        du[self.alone] = (pull[self.alone] - alone.T @ dprices[self.joint]) / own[self.alone]
        dprices[self.single] = stiff * (load * du[self.owner] - right[self.single])
        return du, target / prices - s - s / prices * dprices, dprices


def _solved(matrix: Any, right: Floats) -> Floats | None:
    """The solution with a symmetric quasi-definite matrix; None if it is singular to the last digit."""
    from scipy.sparse.linalg import splu

    if not len(right):
        return right
    try:
        factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True, "Equil": False},
        )
    except RuntimeError:
        return None
    found: Floats = factors.solve(right)
    return found
