"""Fig. 7: TFMCC's fairness with links of 1 ms and of 0.1 ms, and with 30 ms in all as in Fig. 6.

"Each link delay" sets all three links. Over distances this short a rate-paced flow and ACK-clocked ones meet a small
drop-tail queue in fixed phases, so the variant with jitter is run, too.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point
from faircast.experiments.hang.drawing import fairness_curves, receivers_axis, table_by_receivers
from faircast.experiments.hang.network import (
    LIMITS,
    MAIN,
    VARIANTS,
    Case,
    Statement,
    counts,
    criteria,
    fairness,
    mean_fairness,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import estimate, with_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DELAYS_MS = (1.0, 0.1)
SHOWN = tuple(VARIANTS)


def cases(variant: str, delay_ms: float | None, limit: int, quick: bool) -> list[Case]:
    """All numbers of receivers."""
    return [Case(receivers=n, limit=limit, delay_ms=delay_ms, variant=variant) for n in counts(quick, variant)]


def points(quick: bool) -> list[Point]:
    """Every delay, queue and number of receivers."""
    return [
        case.point()
        for v in SHOWN
        for delay_ms in (None, *DELAYS_MS)
        for limit in LIMITS
        for case in cases(v, delay_ms, limit, quick)
    ]


def over_runs(data: Data, variant: str, delay_ms: float | None, limit: int) -> list[float]:
    """Fairness of every run, whatever the number of receivers."""
    return [fairness(data, case, seed) for case in cases(variant, delay_ms, limit, data.quick) for seed in data.seeds]


def spread(values: list[float]) -> float:
    """Largest minus smallest value over the mean; infinite if a value is."""
    if any(math.isinf(value) for value in values):
        return math.inf
    return (max(values) - min(values)) / estimate(values).mean


def more_varied(
    first: tuple[float | None, int], second: tuple[float | None, int], data: Data, variant: str
) -> Measured:
    """The spread at the first delay and queue over that at the second."""
    runs = [over_runs(data, variant, *which) for which in (first, second)]
    spreads = [spread(values) for values in runs]
    ratio = spreads[0] / spreads[1] if math.isfinite(spreads[1]) else math.nan
    note = "; ".join(
        f"{place(*which)}: spread {value:.3g}, fairness {min(values):.3g} to {max(values):.3g}"
        for which, values, value in zip((first, second), runs, spreads, strict=True)
    )
    return Measured(value=ratio, holds=ratio > 1, note=note)


def place(delay_ms: float | None, limit: int) -> str:
    """The name of a delay and queue."""
    return f"{'30 ms in all' if delay_ms is None else f'D = {delay_ms:g} ms'}, Q = {limit}"


STATEMENTS = [
    *(
        Statement(
            name=f"D = {delay_ms:g} ms: spread of fairness over N and seeds, Q = 10 / Q = 40",
            published="varies much with Q = 10, stable with large queues only",
            measure=partial(more_varied, (delay_ms, 10), (delay_ms, 40)),
        )
        for delay_ms in DELAYS_MS
    ),
    Statement(
        name="Q = 10: spread of fairness over N and seeds, D = 0.1 ms / 30 ms in all",
        published="with 30 ms little change",
        measure=partial(more_varied, (0.1, 10), (None, 10)),
    ),
]


def figure(data: Data) -> Figure:
    """Fairness against N: a row for each variant, a panel for each delay."""
    delays = (None, *DELAYS_MS)
    rows = (MAIN, "jitter")
    drawn, axes = panels(len(rows), len(delays), width=PAGE_IN, height=4.8, sharex=True, sharey=True)
    for row, variant in zip(axes, rows, strict=True):
        for axis, delay_ms in zip(row, delays, strict=True):
            sweep = {f"Q = {limit}": cases(variant, delay_ms, limit, data.quick) for limit in LIMITS}
            fairness_curves(axis, data, sweep, log=True)
            receivers_axis(axis, counts(data.quick))
            axis.set(xlabel="", ylabel="")
            distance = "delay 30 ms in all" if delay_ms is None else f"D = {delay_ms:g} ms"
            axis.set_title(f"{distance}, {'no jitter' if variant == MAIN else 'jitter'}")
        row[0].set_ylabel("fairness")
    for axis in axes[-1]:
        axis.set_xlabel("receivers N")
    handles = axes[0, 0].get_legend_handles_labels()
    drawn.legend(*handles, title="2 Mb/s; ratios of means, 95 % intervals", loc="outside lower center", ncols=3)
    return drawn


def table(data: Data) -> Numbers:
    """Fairness by N, without and with jitter."""
    rows = {
        f"{place(delay_ms, limit)}{', jitter' if v != MAIN else ''}": cases(v, delay_ms, limit, data.quick)
        for v in (MAIN, "jitter")
        for delay_ms in (None, *DELAYS_MS)
        for limit in LIMITS
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "fairness")


def says(data: Data) -> str:
    """What the figure shows."""

    def brief(variant: str, delay_ms: float | None) -> str:
        means = []
        for limit in (10, 40):
            found = [mean_fairness(data, case).mean for case in cases(variant, delay_ms, limit, data.quick)]
            means.append(with_interval(sum(found) / len(found), None))
        return " / ".join(means)

    return (
        f"Fairness, mean over N, with Q = 10 / 40 is {brief(MAIN, None)} over 30 ms, {brief(MAIN, 1.0)} with D = 1 ms "
        f"and {brief(MAIN, 0.1)} with D = 0.1 ms; with jitter {brief('jitter', None)}, {brief('jitter', 1.0)} and "
        f"{brief('jitter', 0.1)}: over the shortest links the phases of packets decide."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-fig7",
        paper="hang",
        title="Fairness against the number of TFMCC receivers over short links",
        points=points,
        criteria=criteria(STATEMENTS, SHOWN),
        figure=figure,
        says=says,
        numbers=table,
    )
]
