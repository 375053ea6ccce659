"""Correlation in time: slots of a scheduler, if there are any, and an autoregression within them.

The normal behind a level is sqrt(s) S + sqrt(1 - s) W. S stays as it is for a slot, of 15 s for instance, and goes from
one slot to the next with the correlation `slot_memory`; W is an autoregression of step to step. A share s of 0 leaves
the autoregression alone. Parameters follow from correlations at lags: of two moments within a slot it is s + (1 - s)
w(k), of two in neighbouring ones s m + (1 - s) w(k); so the difference of the two is s (1 - m), and at a lag of a whole
slot, where w is taken as 0, it is s m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import lfilter

from faircast.fitting.copula import Ranks

ORDER = 20
"""Coefficients of an autoregression at most; how many of them there are is decided by Schwarz's criterion."""
NEAR_ONE = 0.9999
"""Partial correlations of an autoregression at most: beyond, it would keep a level for ever."""
SURE = 5.0
"""Standard errors by which steps at the slots' bounds must be greater than others to be believed."""
SLOTS = 20
"""Slots that there must be at least."""
LEAST_STEPS = 4
"""Steps that a slot must have at least."""
PAIRS = 30
"""Pairs of moments from which a correlation is taken at least."""
LONGEST = 1 << 17
"""Steps after which an autoregression has forgotten all."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
Counts = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, kw_only=True)
class Slots:
    """When the network may change at once for all.

    Parameters
    ----------
    period
        From one bound to the next, ns.
    offset
        The first bound after time 0 of the files, ns.
    """

    period: int
    offset: int

    def index(self, start: int, step: int, n: int) -> Counts:
        """In which slot the middle of each of `n` steps from `start` on is."""
        return (start + step // 2 - self.offset + step * np.arange(n, dtype=np.int64)) // self.period


@dataclass(frozen=True, kw_only=True)
class Memory:
    """How long the normal of one receiver remembers.

    Parameters
    ----------
    slot_share
        s, the share of its variance that stays within a slot.
    slot_memory
        The correlation of one slot with the next.
    coefficients
        Of the autoregression, for one step back, two, and so on.
    """

    slot_share: float
    slot_memory: float
    coefficients: tuple[float, ...]

    def sluggishness(self, slot: float) -> float:
        """By how much the variance of a mean is greater than of independent steps; `slot`: steps of a slot."""
        within = (1 - self.slot_share) * float(response(self.coefficients).sum()) ** 2
        return within + self.slot_share * slot * (1 + self.slot_memory) / (1 - self.slot_memory)


def response(coefficients: Sequence[float]) -> Floats:
    """What a shock leaves of itself after 0, 1, 2, .. steps in an autoregression whose variance is 1."""
    n = 256
    while True:
        impulse = np.zeros(n)
        impulse[0] = 1.0
        psi = lfilter([1.0], [1.0, *(-phi for phi in coefficients)], impulse)
        energy = float(np.sum(psi**2))
        if float(np.sum(psi[-n // 4 :] ** 2)) < 1e-9 * energy or n >= LONGEST:
            return np.asarray(psi / np.sqrt(energy))
        n *= 2


def products(a: Floats, b: Floats, lag: int) -> tuple[Floats, Any]:
    """Products of the scores of one series with those of another `lag` steps later, and which of them are known."""
    both = a[: len(a) - lag] * b[lag:]
    return both, np.isfinite(both)


def autocorrelation(scores: Floats, lags: int) -> Floats:
    """The correlation of a series with itself 0, 1, .. `lags` steps later; 0 where too little is known."""
    result = np.zeros(lags + 1)
    for k in range(lags + 1):
        both, known = products(scores, scores, k)
        result[k] = float(np.mean(both[known])) if known.sum() >= PAIRS else 0.0
    return np.clip(result, -1.0, 1.0)


def slots_of(series: Sequence[Floats], starts: Sequence[int], step: int, period: int) -> Slots | None:
    """The slots of this period, if the series change more at one moment of it than at others; else None."""
    classes = -(-period // step)
    if classes < LEAST_STEPS:
        return None
    phases, squares = [], []
    for scores, start in zip(series, starts, strict=True):
        both = np.diff(scores) ** 2
        phase = ((start + step // 2 + step * np.arange(1, len(scores), dtype=np.int64)) % period) // step
        known = np.isfinite(both)
        phases.append(phase[known])
        squares.append(both[known])
    if starts == [starts[0]] * len(starts) and len({len(one) for one in series}) == 1:
        # Measured together they may change together: what counts is their mean, once for each step.
        with np.errstate(invalid="ignore", divide="ignore"):
            changes = np.array([np.diff(scores) ** 2 for scores in series])
            known = np.isfinite(changes)
            mean = np.where(known.any(axis=0), np.nansum(changes, axis=0) / known.sum(axis=0), np.nan)
        phase = ((starts[0] + step // 2 + step * np.arange(1, len(series[0]), dtype=np.int64)) % period) // step
        known = np.isfinite(mean)
        phases, squares = [phase[known]], [mean[known]]
    at, square = np.concatenate(phases), np.concatenate(squares)
    counts = np.bincount(at, minlength=classes)
    sums = np.bincount(at, weights=square, minlength=classes)
    means = np.where(counts >= SLOTS, sums / np.maximum(counts, 1), -np.inf)
    best = int(np.argmax(means))
    if counts[best] < SLOTS:
        return None
    here, others = square[at == best], square[at != best]
    error = np.sqrt(here.var() / len(here) + others.var() / len(others))
    if not float(here.mean() - others.mean()) > SURE * float(error):
        return None
    return Slots(period=period, offset=best * step)


def memory_of(scores: Floats, ranks: Ranks, *, slots: Slots | None, start: int, step: int) -> Memory:
    """The memory of one series."""
    n = int(np.isfinite(scores).sum())
    if slots is None:
        lags = min(ORDER, n // 10)
        normal = ranks.normal(ranks, autocorrelation(scores, lags)[1:])
        return Memory(slot_share=0.0, slot_memory=0.0, coefficients=_autoregression(normal, n))
    index = slots.index(start, step, len(scores))
    whole = round(slots.period / step)
    inside, apart, weights = np.zeros(whole), np.zeros(whole), np.zeros(whole)
    for k in range(1, whole):
        both, known = products(scores, scores, k)
        gap = index[k:] - index[: len(index) - k]
        same, next_one = both[known & (gap == 0)], both[known & (gap == 1)]
        inside[k] = same.mean() if len(same) >= PAIRS else 0.0
        apart[k] = next_one.mean() if len(next_one) >= PAIRS else 0.0
        if min(len(same), len(next_one)) >= PAIRS:
            weights[k] = 1 / (1 / len(same) + 1 / len(next_one))
    inside, apart = ranks.normal(ranks, np.clip(inside, -1, 1)), ranks.normal(ranks, np.clip(apart, -1, 1))
    both, known = products(scores, scores, whole)
    lasting = max(float(ranks.normal(ranks, [float(np.mean(both[known]))])[0]), 0.0) if known.sum() >= PAIRS else 0.0
    changing = float(np.sum(weights * (inside - apart)) / weights.sum()) if weights.sum() > 0 else 0.0
    if changing <= 0:
        return memory_of(scores, ranks, slots=None, start=start, step=step)
    share = min(changing + lasting, 0.99)
    normal = (inside[1 : min(ORDER, whole - 1, n // 10) + 1] - share) / (1 - share)
    return Memory(
        slot_share=share,
        slot_memory=min(lasting / share, 0.99),
        coefficients=_autoregression(np.clip(normal, -1, 1), n),
    )


def _autoregression(correlations: Floats, n: int) -> tuple[float, ...]:
    """Coefficients by Yule and Walker from the correlations at lags 1, 2, .. of `n` steps.

    By the recursion of Levinson and Durbin; of all orders the one is taken for which n log(variance of a shock) + order
    log n is least (Schwarz). A partial correlation beyond `NEAR_ONE` ends the recursion: from there on the correlations
    are none of a process that stays.
    """
    phi: list[float] = []
    variance, least = 1.0, 0.0
    chosen: tuple[float, ...] = ()
    for k, wanted in enumerate(correlations, 1):
        rest = float(wanted) - sum(c * float(correlations[k - 2 - j]) for j, c in enumerate(phi))
        partial = rest / variance
        if abs(partial) >= NEAR_ONE:
            if k == 1:
                return (NEAR_ONE if partial > 0 else -NEAR_ONE,)
            break
        phi = [c - partial * phi[k - 2 - j] for j, c in enumerate(phi)] + [partial]
        variance *= 1 - partial**2
        criterion = n * float(np.log(variance)) + k * float(np.log(n))
        if criterion < least:
            least, chosen = criterion, tuple(phi)
    return chosen
