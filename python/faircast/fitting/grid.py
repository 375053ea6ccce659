"""Several measured series on one grid of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from faircast.errors import InputError
from faircast.fitting.measured import OPPORTUNITY_BITS, Measured, read_measured

LEAST = 100
"""Steps of a series at least: below, a correlation is known to ±0.1 at best."""
MOST = 20_000_000
"""Steps of all series together at most."""
MAHIMAHI_STEP = 100_000_000
"""The step of opportunities, ns, unless one is given: at 1 ms nearly each is there or not."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Series on one grid: a row for each.

    Parameters
    ----------
    step
        From one column to the next, ns.
    start
        When the first column begins, ns in the files' time; of series that were not measured together, that of each.
    values
        The mean level in each step; NaN where nothing is known, or all is out.
    is_out
        Where there was an outage.
    """

    step: int
    start: tuple[int, ...]
    values: list[Floats]
    is_out: list[Flags]


def on_grid(
    paths: Sequence[Path], *, column: str | None, step: int | None, separate: bool
) -> tuple[list[Measured], Grid]:
    """The files, read, and their levels on one grid. Raises `InputError` as `faircast.fit` does."""
    series = [read_measured(path, column=column) for path in paths]
    for one in series:
        if one.quantity != series[0].quantity:
            raise InputError(
                f"{series[0].file} has a {series[0].quantity}, {one.file} a {one.quantity}; legal is one quantity"
            )
    return series, gridded(series, step=step, separate=separate)


def gridded(series: Sequence[Measured], *, step: int | None, separate: bool) -> Grid:
    """All series with one step. `step`: ns, by default the median between two lines of the first file, to three digits.

    `separate`: whether they were not measured together; otherwise what all of them cover is taken. Raises `InputError`
    if that is too little.
    """
    first = series[0]
    if step is None:
        step = MAHIMAHI_STEP if first.form == "Mahimahi" else int(float(f"{_spacing(first):.3g}"))
    ends = [_end(one) for one in series]
    begins = [_begin(one, step) for one in series]
    if not separate:
        low, high = max(begins), min(ends)
        if high <= low:
            late, early = series[begins.index(low)].file, series[ends.index(high)].file
            raise InputError(
                f"{early} ends before {late} begins, so how they go together cannot be known; "
                "if they were not measured at the same time say --separate"
            )
        begins, ends = [low] * len(series), [high] * len(series)
    total = 0
    for one, begin, end in zip(series, begins, ends, strict=True):
        n = (end - begin) // step
        total += n
        if n < LEAST:
            raise InputError(
                f"{one.file} has {n} steps of {step / 1e9:g} s{'' if separate else ' together with the others'}; "
                f"legal are at least {LEAST}: give more, or a smaller --step"
            )
    if total > MOST:
        raise InputError(f"the files have {total} steps of {step / 1e9:g} s; legal are {MOST}: give a greater --step")
    rows = [_row(one, begin, end, step) for one, begin, end in zip(series, begins, ends, strict=True)]
    for one, (values, _) in zip(series, rows, strict=True):
        if np.isfinite(values).sum() < LEAST:
            raise InputError(f"{one.file} has fewer than {LEAST} steps in which a level is known; give more")
    return Grid(step=step, start=tuple(begins), values=[row[0] for row in rows], is_out=[row[1] for row in rows])


def _begin(one: Measured, step: int) -> int:
    if one.form == "Mahimahi":
        return 0
    # Steps have their probes in the middle, so that one that is a little early or late is still in its own.
    return int(one.times[0]) - (0 if one.is_held else step // 2)


def _end(one: Measured) -> int:
    last = int(one.times[-1])
    # Mahimahi begins anew at its last stamp; any other line lasts as long as most do.
    return last if one.form == "Mahimahi" else last + int(_spacing(one))


def _spacing(one: Measured) -> float:
    """The median time between two lines, ns; one line alone counts as a step that ends the series."""
    return float(np.median(np.diff(one.times))) if len(one.times) > 1 else 1.0


def _row(one: Measured, begin: int, end: int, step: int) -> tuple[Floats, Flags]:
    n = (end - begin) // step
    if one.is_held:
        return _held(one, begin, n, step)
    inside = (one.times >= begin) & (one.times < begin + n * step)
    at = (one.times[inside] - begin) // step
    if one.form == "Mahimahi":
        counts = np.bincount(at, minlength=n)
        out = counts == 0
        return np.where(out, np.nan, counts * (OPPORTUNITY_BITS * 1e9 / step)), out
    values, lost = one.values[inside], one.is_out[inside]
    known = np.isfinite(values)
    counts = np.bincount(at[known], minlength=n)
    sums = np.bincount(at[known], weights=values[known], minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts > 0, sums / counts, np.nan)
    return means, (counts == 0) & (np.bincount(at[lost], minlength=n) > 0)


def _held(one: Measured, begin: int, n: int, step: int) -> tuple[Floats, Flags]:
    """Means over steps of what lasts until the next line, by integrals that are exact at lines."""
    times = np.append(one.times, max(int(one.times[-1]) + 1, begin + n * step))
    lasts = np.diff(times).astype(float)
    edges = begin + step * np.arange(n + 1, dtype=np.int64)

    def over_steps(weights: Floats) -> Floats:
        total = np.concatenate([[0.0], np.cumsum(weights * lasts)])
        where = np.clip(np.searchsorted(times, edges, side="right") - 1, 0, len(weights) - 1)
        return np.diff(total[where] + weights[where] * (edges - times[where]))

    known = np.isfinite(one.values)
    present = over_steps(known.astype(float))
    out = over_steps(one.is_out.astype(float)) > step / 2
    with np.errstate(invalid="ignore", divide="ignore"):
        values = over_steps(np.where(known, one.values, 0.0)) / present
    return np.where(out | (present < step / 2), np.nan, values), out
