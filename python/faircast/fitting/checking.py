"""What was measured beside what the model draws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.errors import InputError
from faircast.fitting.drawing import draw
from faircast.fitting.grid import on_grid
from faircast.fitting.levels import scores
from faircast.fitting.memory import products

if TYPE_CHECKING:
    from faircast.fitting.model import Fitted

STEPS = 100_000
"""Steps that are drawn at least, so that what differs is the model and not chance."""
LAGS = (1, 10)

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Of one receiver, measured or drawn: levels while it is not out, in bit/s, s, or as a probability.

    `lags` are correlations of ranks 1 and 10 steps apart, outages among them; `values` that of levels 1 step apart.
    """

    mean: float
    low: float
    median: float
    high: float
    out: float
    lags: tuple[float, ...]
    values: float


@dataclass(frozen=True, kw_only=True)
class Check:
    """What was measured beside what a model draws.

    Parameters
    ----------
    measured, drawn
        For each receiver: mean, 5 %, median and 95 % of its levels, the share of outages, correlations in time.
    measured_pairs, drawn_pairs
        For each two receivers, by their numbers from 0, the correlation of their ranks and of their levels; empty where
        how they go together is not known.
    steps
        How many steps were drawn.
    """

    measured: tuple[Numbers, ...]
    drawn: tuple[Numbers, ...]
    measured_pairs: dict[tuple[int, int], tuple[float, float]]
    drawn_pairs: dict[tuple[int, int], tuple[float, float]]
    steps: int


def check(fitted: Fitted, *, seed: int) -> Check:
    """What was measured beside what a model draws, with this seed. Raises `InputError` if a file is another one."""
    n = len(fitted.receivers)
    paths = [Path(one.file) for one in fitted.receivers]
    together = fitted.correlation is not None
    series, grid = on_grid(paths, column=fitted.column, step=fitted.step, separate=not together)
    for one, known in zip(series, fitted.receivers, strict=True):
        if one.sha256 != known.sha256:
            raise InputError(f"{one.file} is not the file that the model was fitted to")
    steps = max(STEPS, *(one.steps for one in fitted.receivers)) if n <= 20 else STEPS // 10
    drawn = draw(
        fitted, n, duration=steps * fitted.step / 1e9, seed=seed, correlation=None if together or n == 1 else 0.0
    )
    low = fitted.out_is_low
    levels = [np.where(out, np.nan, row) for row, out in zip(drawn.values, drawn.is_out, strict=True)]
    return Check(
        measured=tuple(_numbers(v, o, low) for v, o in zip(grid.values, grid.is_out, strict=True)),
        drawn=tuple(_numbers(v, o, low) for v, o in zip(levels, drawn.is_out, strict=True)),
        measured_pairs=_pairs(grid.values, grid.is_out, low) if together else {},
        drawn_pairs=_pairs(levels, list(drawn.is_out), low) if together else {},
        steps=steps,
    )


def _numbers(values: Floats, is_out: Flags, low: bool) -> Numbers:
    known = values[np.isfinite(values)]
    ranked = scores(values, is_out, out_is_low=low)
    quantiles = [float(x) for x in np.quantile(known, [0.05, 0.5, 0.95])]
    return Numbers(
        mean=float(known.mean()),
        low=quantiles[0],
        median=quantiles[1],
        high=quantiles[2],
        out=float(is_out.sum() / (is_out.sum() + len(known))),
        lags=tuple(_correlation(ranked, ranked, lag) for lag in LAGS),
        values=_correlation(values, values, 1),
    )


def _pairs(values: list[Floats], is_out: list[Flags], low: bool) -> dict[tuple[int, int], tuple[float, float]]:
    ranked = [scores(v, o, out_is_low=low) for v, o in zip(values, is_out, strict=True)]
    return {
        (j, i): (_correlation(ranked[j], ranked[i], 0), _correlation(values[j], values[i], 0))
        for i in range(len(values))
        for j in range(i)
    }


def _correlation(a: Floats, b: Floats, lag: int) -> float:
    """Of what is known at both moments; 0 where one of them never changes."""
    known = products(a, b, lag)[1]
    left, right = a[: len(a) - lag][known], b[lag:][known]
    if len(left) < 2:
        return 0.0
    left, right = left - left.mean(), right - right.mean()
    scale = float(np.sqrt(np.sum(left**2) * np.sum(right**2)))
    return float(np.sum(left * right)) / scale if scale > 0 else 0.0
