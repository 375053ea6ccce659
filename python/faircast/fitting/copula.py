"""What correlation two normals must have so that the ranks of two series have the measured one.

A level is drawn as a monotone function of a standard normal [BillerNelson03]. The rank scores of two series are then
functions f and g of two normals with correlation r, and by Mehler's expansion their correlation is the sum of a_k b_k
r^k, with a_k and b_k the coefficients of f and g in the orthonormal polynomials of Hermite. It rises with r, so it can
be inverted; for levels without ties it is Spearman's (6/pi) arcsin(r/2). Equal levels and outages make f and g step
functions; what their coefficients lack after `TERMS` is spread over higher k as those of a step, k^-3/2, so that the
correlation at r = 1 is exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtri

TERMS = 80
BEYOND = 20_000
POINTS = 8192
GRID = np.concatenate([np.linspace(-0.98, 0.98, 197), [-1.0, -0.995, -0.99, 0.99, 0.995, 0.9975, 0.999, 1.0]])
GRID.sort()

Floats = np.ndarray[Any, np.dtype[np.float64]]


@cache
def _polynomials() -> Floats:
    z = ndtri((np.arange(POINTS) + 0.5) / POINTS)
    rows = [np.ones(POINTS), z]
    for k in range(1, TERMS):
        rows.append((z * rows[k] - np.sqrt(k) * rows[k - 1]) / np.sqrt(k + 1))
    return np.array(rows[1:]) * (1 / POINTS)


@cache
def _tail() -> Floats:
    """For each correlation of the grid, what the terms beyond `TERMS` are of what they are at 1."""
    k = np.arange(TERMS + 1, BEYOND)
    weights = k**-1.5
    return np.array([float(np.sum(weights * float(r) ** k)) / float(weights.sum()) for r in GRID])


class Ranks:
    """The rank scores of one series as a function of a normal.

    Parameters
    ----------
    scores
        Those that are known, in any order.
    """

    def __init__(self, scores: Floats) -> None:
        rising = np.sort(scores)
        self.points = rising[((np.arange(POINTS) + 0.5) * len(rising) / POINTS).astype(np.int64)]
        self.points = self.points - self.points.mean()
        self.coefficients = (_polynomials() * self.points).sum(axis=1)
        self.variance = float(np.mean(self.points**2))

    def correlations(self, other: Ranks) -> Floats:
        """The correlation with the scores of another series for each correlation of `GRID` of the normals."""
        products = self.coefficients * other.coefficients
        powers = GRID[:, None] ** np.arange(1, TERMS + 1)
        rest = float(np.mean(self.points * other.points)) - float(products.sum())
        scale = np.sqrt(self.variance * other.variance)
        return np.asarray(((powers * products).sum(axis=1) + max(rest, 0.0) * _tail()) / scale)

    def normal(self, other: Ranks, wanted: Sequence[float] | Floats) -> Floats:
        """What the correlation of the normals must be for each wanted one of the scores; at most ±1."""
        if self.variance == 0 or other.variance == 0:
            return np.zeros(len(wanted))
        rising = np.maximum.accumulate(self.correlations(other))
        return np.asarray(np.interp(np.asarray(wanted), rising, GRID))
