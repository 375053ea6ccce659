"""From files of measurements to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from faircast.errors import InputError, brief
from faircast.fitting.copula import Ranks
from faircast.fitting.grid import Grid, on_grid
from faircast.fitting.levels import levels_of, scores
from faircast.fitting.measured import Measured
from faircast.fitting.memory import PAIRS, Memory, Slots, autocorrelation, memory_of, products, slots_of
from faircast.fitting.model import Fitted, Receiver
from faircast.quantity import seconds

PERIOD = "15 s"
"""The slots that are looked for unless others are named: Starlink assigns satellites for 15 s [Huston24]."""
FILES = 100
"""Files at most."""

Floats = np.ndarray[Any, np.dtype[np.float64]]


def fit(
    *files: str | Path,
    column: str | None = None,
    step: str | float | None = None,
    period: str | float | None = PERIOD,
    separate: bool = False,
) -> Fitted:
    """A model of levels and correlations, fitted to measured series; one file for each receiver.

    Parameters
    ----------
    files
        A CSV as links have them (``time`` and ``rate``, ``delay`` or ``loss``, perhaps ``up``), LENS's CSV
        (``timestamp,rtt,uplink,downlink``), or Mahimahi's opportunities; all of one quantity.
    column
        Which column of a file that has several: ``"rate"``, ``"delay"``, ``"loss"``; of LENS ``"rtt"`` (half of it,
        the default), ``"uplink"``, ``"downlink"``.
    step
        The time between two levels of the model, in seconds or as a text with its unit; levels are means over it. By
        default the median between two lines of the first file, 100 ms for Mahimahi's.
    period
        Slots in which the network is looked for to change at once, as Starlink every 15 s; ``None`` for none. They are
        taken only if the data show them.
    separate
        Whether the files were not measured at the same time: then how they go together is not known.

    Returns
    -------
    Fitted
        The model: `Fitted.draw` draws receivers, `Fitted.check` shows measured beside drawn, `Fitted.save` writes it.

    Raises
    ------
    InputError
        If a file cannot be read, or they do not fit together.
    """
    if not files:
        raise InputError("there is no file; give one for each measured receiver")
    if len(files) > FILES:
        raise InputError(f"{len(files)} files are given; legal are up to {FILES}")
    steps = None if step is None else round(seconds(step, "the step") * 1e9)
    if steps is not None and steps < 1:
        raise InputError(f"the step is {brief(step)}; legal is at least 1 ns")
    slot = None if period is None else round(seconds(period, "the period") * 1e9)
    if slot == 0:
        raise InputError(f"the period is {brief(period)}; legal is above 0 s, or none at all")
    series, grid = on_grid([Path(file) for file in files], column=column, step=steps, separate=separate)
    low = series[0].quantity == "rate"
    ranked = [scores(values, out, out_is_low=low) for values, out in zip(grid.values, grid.is_out, strict=True)]
    ranks = [Ranks(one[np.isfinite(one)]) for one in ranked]
    slots = slots_of(ranked, list(grid.start), grid.step, slot) if slot else None
    receivers = []
    for i, one in enumerate(series):
        memory = memory_of(ranked[i], ranks[i], slots=slots, start=grid.start[i], step=grid.step)
        receivers.append(_receiver(one, grid, i, memory, slots))
    correlation, error = (None, None) if separate or len(series) == 1 else _correlations(ranked, ranks, grid, slots)
    return Fitted(
        quantity=series[0].quantity,
        column=column,
        step=grid.step,
        receivers=tuple(receivers),
        slots=slots,
        correlation=correlation,
        correlation_error=error,
    )


def _receiver(one: Measured, grid: Grid, i: int, memory: Memory, slots: Slots | None) -> Receiver:
    values, out = grid.values[i], grid.is_out[i]
    levels = levels_of(values, out)
    there = values[np.isfinite(values)]
    slot = slots.period / grid.step if slots else 0.0
    return Receiver(
        file=one.file,
        sha256=one.sha256,
        form=one.form,
        remarks=one.remarks,
        start=grid.start[i],
        steps=len(values),
        known=int((np.isfinite(values) | out).sum()),
        levels=levels,
        memory=memory,
        mean_error=float(there.std() * np.sqrt(min(memory.sluggishness(slot), len(there)) / len(there))),
    )


def _correlations(
    ranked: list[Floats], ranks: list[Ranks], grid: Grid, slots: Slots | None
) -> tuple[tuple[tuple[float, ...], ...], float]:
    """Of each two receivers, and the greatest standard error of one.

    That is Bartlett's for independent series: the sum over all lags of the products of their autocorrelations, over n.
    """
    n = len(ranked)
    lags = min(len(ranked[0]) // 4, max(50, 2 * round(slots.period / grid.step)) if slots else 50)
    own = [autocorrelation(one, lags) for one in ranked]
    matrix = np.eye(n)
    greatest = 0.0
    for i in range(n):
        for j in range(i):
            both, known = products(ranked[i], ranked[j], 0)
            found = float(np.clip(np.mean(both[known]), -1, 1)) if known.sum() >= PAIRS else 0.0
            matrix[i, j] = matrix[j, i] = float(ranks[i].normal(ranks[j], [found])[0])
            spread = 1 + 2 * float(np.sum(own[i][1:] * own[j][1:]))
            greatest = max(greatest, float(np.sqrt(max(spread, 1.0) / max(known.sum(), 1))))
    return tuple(tuple(map(float, row)) for row in matrix), greatest
