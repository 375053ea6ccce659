"""How often each level is there: the distribution of one receiver, with the share of time in which it is out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

CLASSES = 200
"""Classes of equal probability at most."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, kw_only=True)
class Levels:
    """A distribution as it was measured.

    Parameters
    ----------
    out
        The share of time in which the receiver is out.
    edges
        Quantiles of the rest at equal distances of probability, from the least level to the greatest.
    means
        Between each two of them the mean. Levels are drawn so that every class keeps it: at v of its way, 0 to 1, is
        ``low + (high - low) v**g`` with the power g for which that holds.
    """

    out: float
    edges: tuple[float, ...]
    means: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean while the receiver is not out."""
        return sum(self.means) / len(self.means)

    def at(self, u: Floats) -> Floats:
        """The levels of which shares `u` of the time are below, from 0 to 1, while the receiver is not out."""
        edges, means = np.array(self.edges), np.array(self.means)
        place = np.clip(u, 0.0, 1.0) * len(means)
        k = np.minimum(place.astype(np.int64), len(means) - 1)
        low, high = edges[k], edges[k + 1]
        above = means[k] - low
        with np.errstate(divide="ignore", invalid="ignore"):
            power = np.where(above > 0, (high - low) / above - 1, np.inf)
            return low + np.where(high > low, (high - low) * (place - k) ** np.maximum(power, 0.0), 0.0)


def levels_of(values: Floats, is_out: Flags) -> Levels:
    """The distribution of a series; NaN that is not out is left out of account."""
    known = np.sort(values[np.isfinite(values) & ~is_out])
    classes = min(CLASSES, len(known))
    out = float(is_out.sum() / (is_out.sum() + len(known)))
    # Integrals of the step function of the sorted values: classes need not hold whole numbers of them.
    edges_at = np.arange(classes + 1) * (len(known) / classes)
    total = np.concatenate([[0.0], np.cumsum(known)])
    whole = np.minimum(edges_at.astype(np.int64), len(known) - 1)
    integral = total[whole] + known[whole] * (edges_at - whole)
    means = np.diff(integral) * (classes / len(known))
    edges = np.append(known[whole[:-1]], known[-1])
    means = np.clip(means, edges[:-1], edges[1:])
    return Levels(out=out, edges=tuple(map(float, edges)), means=tuple(map(float, means)))


def scores(values: Floats, is_out: Flags, *, out_is_low: bool) -> Floats:
    """Ranks with mean 0 and variance 1; equal levels share theirs, being out is the worst of all, NaN stays.

    `out_is_low`: whether being out ranks below all levels (of rates) or above (of delays).
    """
    known = np.isfinite(values) | is_out
    filled = np.where(is_out, -np.inf if out_is_low else np.inf, values)[known]
    _, inverse, counts = np.unique(filled, return_inverse=True, return_counts=True)
    middle = (np.cumsum(counts) - counts / 2) / len(filled) - 0.5
    spread = float(np.sqrt(np.sum(counts * middle**2) / len(filled)))
    result = np.full(len(values), np.nan)
    result[known] = middle[inverse] / spread if spread > 0 else 0.0
    return result
