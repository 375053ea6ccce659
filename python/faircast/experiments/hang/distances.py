"""Fig. 7: TFMCC's fairness with links of 1 ms and of 0.1 ms, and with 30 ms in all as in Fig. 6.

"Each link delay" sets all three links. Over distances this short a rate-paced flow and ACK-clocked ones meet a small
drop-tail queue in fixed phases. What is judged has random delays that take these away; what ns-2 has without them is
drawn beside, since the paper's figure may show no more than that.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.hang.drawing import receivers_axis, share_curves, table_by_receivers
from faircast.experiments.hang.network import (
    IN_PHASE,
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
from faircast.statistics import estimate

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
        f"{place(*which)}: TFMCC gets {plain(min(values))} to {plain(max(values))} times what a TCP flow gets"
        for which, values in zip((first, second), runs, strict=True)
    )
    return Measured(value=ratio, holds=ratio > 1, note=note)


def place(delay_ms: float | None, limit: int) -> str:
    """The name of a delay and queue."""
    return f"{distance(delay_ms)}, queue of {limit} packets"


def distance(delay_ms: float | None) -> str:
    """The name of a delay."""
    return "30 ms in all" if delay_ms is None else f"links of {delay_ms:g} ms"


STATEMENTS = [
    *(
        Statement(
            name=f"{distance(delay_ms)}: spread of TFMCC / TCP over all runs, queue of 10 packets divided by 40",
            published="varies much with 10 packets, stable with large queues only",
            measure=partial(more_varied, (delay_ms, 10), (delay_ms, 40)),
            rule="the spread is larger with 10 packets",
        )
        for delay_ms in DELAYS_MS
    ),
    Statement(
        name="queue of 10 packets: spread of TFMCC / TCP over all runs, links of 0.1 ms divided by 30 ms in all",
        published="with 30 ms little change",
        measure=partial(more_varied, (0.1, 10), (None, 10)),
        rule="the spread is larger with links of 0.1 ms",
    ),
]


def figure(data: Data) -> Figure:
    """Fairness against N: a row for each variant, a panel for each delay."""
    delays = (None, *DELAYS_MS)
    rows = (MAIN, IN_PHASE)
    drawn, axes = panels(len(rows), len(delays), width=PAGE_IN, height=4.8, sharex=True, sharey=True)
    for row, variant in zip(axes, rows, strict=True):
        for axis, delay_ms in zip(row, delays, strict=True):
            sweep = {f"queue of {limit} packets": cases(variant, delay_ms, limit, data.quick) for limit in LIMITS}
            share_curves(axis, data, sweep)
            receivers_axis(axis, counts(data.quick))
            axis.set(xlabel="", ylabel="")
            axis.set_title(f"{distance(delay_ms)}, {'random delays' if variant == MAIN else VARIANTS[variant]}")
        row[0].set_ylabel("TCP's share")
    for axis in axes[-1]:
        axis.set_xlabel("receivers")
    handles = axes[0, 0].get_legend_handles_labels()
    drawn.legend(
        *handles,
        title="2 Mb/s; share of a TCP flow in what it and TFMCC get; ratios of means, 95 % intervals",
        loc="outside lower center",
        ncols=4,
    )
    return drawn


def table(data: Data) -> Numbers:
    """Fairness by N, with random delays and without."""
    rows = {
        f"{place(delay_ms, limit)}{f', {VARIANTS[v]}' if v != MAIN else ''}": cases(v, delay_ms, limit, data.quick)
        for v in (MAIN, IN_PHASE)
        for delay_ms in (None, *DELAYS_MS)
        for limit in LIMITS
    }
    return table_by_receivers(rows, partial(mean_fairness, data), "TFMCC divided by TCP")


def says(data: Data) -> str:
    """What the figure shows."""

    def brief(delay_ms: float | None) -> str:
        both = [cases(variant, delay_ms, 10, data.quick) for variant in (MAIN, IN_PHASE)]
        found = [[mean_fairness(data, case).mean for case in swept] for swept in both]
        judged, in_phase = (plain(sum(each) / len(each), 2) for each in found)
        return f"{judged} ({in_phase})"

    return (
        f"With a queue of 10 packets TFMCC gets {brief(None)} times what a TCP flow gets over 30 ms, {brief(1.0)} "
        f"times over links of 1 ms and {brief(0.1)} times over links of 0.1 ms; in brackets without random delays, "
        "where the phases of packets decide who loses."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-fig7",
        paper="hang",
        place="Figure 7",
        title="Fairness against the number of TFMCC receivers over short links",
        published="Over short links fairness varies much with a small queue and is stable with a large one only.",
        points=points,
        criteria=criteria(STATEMENTS, SHOWN),
        figure=figure,
        says=says,
        numbers=table,
    )
]
