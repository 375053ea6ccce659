"""Alpha-fair rates by a primal-dual interior-point method.

The problem, for the unknown rates y of the branches: maximise the sum of w U(y), U'(y) = y^-alpha, so that the sum of
the members of every limit stays within its room and no stretch of a tree is slower than one below it. With G y <= h
for both kinds of limits, slacks s and prices l, its conditions (Karush, Kuhn, Tucker) are

    w y^-alpha = G' l,    G y + s = h,    l s = 0,    l, s >= 0,

and the third is approached by l s = tau v with tau going to zero (S. Boyd, L. Vandenberghe, "Convex optimization",
2004, section 11.7). Two things differ from a general solver, and make small rates come out as exact as great ones:

* v. With alpha = 2 the marginal utility y^-2 of 10 kbit/s is 10^12 times that of 10 Gbit/s. Every limit has a v of its
  own, its room times the least marginal utility on it, which is the most that its price can be. So tau is the part of
  the room that is left, alike for all.
* The first condition is taken in logarithms, and a step multiplies y, as y^-alpha is no straight line over decades.
  Where a stretch pays for more than it is asked for, and where it has no receivers, it stays as it is.

For alpha above 2 the method goes there by degrees; each time prices change as marginal utilities do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast.errors import NotFinishedError

if TYPE_CHECKING:
    from faircast.utility.branches import Branches, Floats

STEPS_MAX = 300
DIRECT_ALPHA = 2.0
"""Up to here no degrees are needed."""
DEGREES = (1.5, 1.15)
"""Factor from one alpha to the next; the second if the first was too bold."""
TAU_FIRST, TAU_LAST, TAU_FALL = 0.1, 1e-16, 0.1
RESIDUAL = 1e-10
"""Relative error of the first two conditions at which the method ends; convergence is quadratic, mostly it is less."""
GAP = 1e-15
"""The same of the third: part of the room of a limit with a price that is left."""
ENOUGH = 1e-7
"""Error that will do if rounding keeps it from becoming less, as where some rate is a tiny part of its links' rooms."""
CLOSE = 0.01
"""Errors at which alpha goes on."""
TO_BOUNDARY = 0.99
LEAP = 1.0
"""A step changes no rate by more than a factor of e."""
DAMPING = 1e-9
"""Stretches without receivers have no curvature of their own; this keeps the matrix quasi-definite."""


def alpha_fair(found: Branches, alpha: float, start: Floats) -> tuple[Floats, Floats]:
    """The rates of all unknowns, bit/s, and the prices of all limits, utility per bit/s.

    `start` should be right in magnitude: max-min fair rates. Raises `NotFinishedError` if the method fails, which
    happens to alphas near 0, where rates differ by so many decades that rounding drowns the least.
    """
    import numpy as np

    # Rates near 1. Prices follow from w y^-alpha.
    unit = float(np.exp(np.mean(np.log(start))))
    heaviest = float(found.weight.max())
    for degree in DEGREES:
        with np.errstate(all="ignore"):
            solved = _solve(_Matrices.of(found, unit), found.weight / heaviest, alpha, start / unit, degree)
        if solved is not None:
            rates, prices = solved
            return rates * unit, prices[: len(found.limits)] * heaviest * unit**-alpha
    raise NotFinishedError(f"the optimum with alpha = {alpha:g} was not found; take one nearer to 1")


def _solve(m: _Matrices, w: Floats, goal: float, start: Floats, degree: float) -> tuple[Floats, Floats] | None:
    import numpy as np

    alpha = min(goal, DIRECT_ALPHA)
    heavy = m.below(w)
    y = 0.7 * start
    s = np.maximum(m.h - m.g @ y, 0.2 * (m.plus @ y))
    prices = TAU_FIRST * m.scale(y, heavy * y**-alpha) / s
    tau = TAU_FIRST
    best = ENOUGH, y, prices
    for _ in range(STEPS_MAX):
        own = w * y ** (1 - alpha)
        paid = y * (m.plus.T @ prices)
        passed_on = y * (m.minus.T @ prices)
        short = m.g @ y + s - m.h
        v = m.scale(y, heavy * y**-alpha)
        gap = float(np.max(prices * s / v))
        error = max(
            float(np.max(np.abs(np.log(paid / (own + passed_on))))),
            float(np.max(np.abs(short) / np.maximum(m.plus @ y, m.h))),
        )
        if alpha < goal and max(error, gap) < CLOSE:
            alpha = min(goal, degree * alpha)
            prices = prices * m.scale(y, heavy * y**-alpha) / v
            continue
        if alpha == goal and max(error, gap) < best[0]:
            best = max(error, gap), y, prices
            if error < RESIDUAL and gap < GAP:
                break
        net = paid - passed_on
        bends = (own > 0) & (net > own / 10)
        with_log = net * np.log(np.where(bends, net, 1) / np.where(bends, own, 1))
        step = m.step(
            y, s, prices, paid, alpha * np.where(bends, net, own), np.where(bends, with_log, net - own), short, tau * v
        )
        if step is None:
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
            tau = max(TAU_LAST, tau * max(TAU_FALL, 1 - length))
    error, y, prices = best
    return (y, prices) if error < ENOUGH else None


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
    members: Any
    first: Any
    lower: list[int]
    """Unknowns that have a stretch above them, parents before children."""
    above: Any
    parent: list[int]

    @classmethod
    def of(cls, found: Branches, unit: float) -> _Matrices:
        import numpy as np
        from scipy.sparse import csc_matrix

        limits, unknowns = len(found.limits), len(found.parent)
        lower = [unknown for unknown, parent in enumerate(found.parent) if parent >= 0]
        tree = np.arange(limits, limits + len(lower))
        rows = np.repeat(np.arange(limits), [len(limit.members) for limit in found.limits])
        members = np.array([unknown for limit in found.limits for unknown in limit.members], dtype=np.int64)
        shape = (limits + len(lower), unknowns)
        loads = np.concatenate([rows, tree]), np.concatenate([members, np.array(lower, dtype=np.int64)])
        plus = csc_matrix((np.ones(len(rows) + len(lower)), loads), shape=shape)
        above = np.array([found.parent[unknown] for unknown in lower], dtype=np.int64)
        minus = csc_matrix((np.ones(len(lower)), (tree, above)), shape=shape)
        rooms = np.array([limit.room for limit in found.limits]) / unit
        first = np.cumsum([0, *(len(limit.members) for limit in found.limits[:-1])])
        return cls(
            plus - minus,
            plus,
            minus,
            np.concatenate([rooms, np.zeros(len(lower))]),
            members,
            first,
            lower,
            above,
            found.parent,
        )

    def scale(self, y: Floats, marginal: Floats) -> Floats:
        """Of every limit about what its price times its room could be: no more than the least marginal worth on it."""
        import numpy as np

        least = np.minimum.reduceat(marginal[self.members], self.first)
        tree = np.minimum(marginal[self.lower], marginal[self.above]) * y[self.lower]
        return np.concatenate([least * self.h[: len(least)], tree])

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

        The matrix is symmetric and quasi-definite, so that any order of elimination without pivoting will do; rows and
        columns are scaled to order 1.
        """
        import numpy as np
        from scipy.sparse import bmat, diags
        from scipy.sparse.linalg import splu

        scale_y, scale_l = 1 / np.sqrt(paid), 1 / np.sqrt(target)
        between = diags(scale_l) @ self.g @ diags(y * scale_y)
        matrix = bmat(
            [[diags(curvature / paid + DAMPING), between.T], [between, diags(-(s / prices) * scale_l**2)]], format="csc"
        )
        right = np.concatenate([-dear * scale_y, (s - short - target / prices) * scale_l])
        if not (np.all(np.isfinite(matrix.data)) and np.all(np.isfinite(right))):
            return None
        try:
            factors = splu(
                matrix,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True, "Equil": False},
            )
        except RuntimeError:  # exactly singular
            return None
        found = factors.solve(right)
        du, dprices = found[: len(y)] * scale_y, found[len(y) :] * scale_l
        return du, target / prices - s - s / prices * dprices, dprices
