"""What the figures of the paper share: something against the number of receivers, drawn and as numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Numbers
from faircast.experiments.hang.network import (
    CBR,
    SESSION,
    TCPS,
    Case,
    by_receivers,
    mean_fairness,
    mean_throughput,
    tcp_share,
    total,
)
from faircast.figures import curve
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def receivers_axis(axes: Axes, counts: Sequence[int]) -> None:
    """A logarithmic axis with the numbers of receivers that were run."""
    axes.set_xscale("log")
    axes.set_xticks(list(counts), [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_xlim(0.8 * counts[0], 1.25 * counts[-1])
    axes.set_xlabel("receivers")


def throughput_curves(axes: Axes, data: Data, cases: Sequence[Case], session: str) -> None:
    """Throughput of every flow, and of all, against the number of receivers; `session` names the session."""
    counts = [case.receivers for case in cases]
    for series, (flow, label) in enumerate(
        ((SESSION, session), *zip(TCPS, ("TCP 1", "TCP 2"), strict=True), (CBR, "UDP"))
    ):
        curve(axes, counts, [mean_throughput(data, case, flow) for case in cases], label=label, series=series)
    totals = [data.over_seeds(partial(total, data, case)) for case in cases]
    curve(axes, counts, totals, label="total", series=6)
    axes.set_ylim(0, 1.05 * cases[0].mbps)


def fairness_curves(axes: Axes, data: Data, curves: Mapping[str, Sequence[Case]]) -> None:
    """Fairness against the number of receivers, a curve for each label."""
    for series, (label, cases) in enumerate(curves.items()):
        counts = [case.receivers for case in cases]
        curve(axes, counts, [mean_fairness(data, case) for case in cases], label=label, series=series)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_ylabel("TFMCC / TCP flow")
    axes.autoscale(axis="y")  # of all panels that share it, not of the first
    axes.set_ylim(bottom=0.0)


def share_curves(axes: Axes, data: Data, curves: Mapping[str, Sequence[Case]]) -> None:
    """A TCP flow's share against the number of receivers, a curve for each label: for ratios that run over decades."""
    for series, (label, cases) in enumerate(curves.items()):
        counts = [case.receivers for case in cases]
        curve(axes, counts, [tcp_share(data, case) for case in cases], label=label, series=series)
    axes.axhline(0.5, color="black", linewidth=0.6, label="as much as the session")
    axes.set_ylabel("TCP's share")
    axes.set_ylim(-0.02, 1.02)


def table_by_receivers(rows: Mapping[str, Sequence[Case]], of: Callable[[Case], Estimate], what: str) -> Numbers:
    """A column for each number of receivers; not every row has all of them."""
    return table_of({label: {case.receivers: of(case) for case in cases} for label, cases in rows.items()}, what)


def table_of(rows: Mapping[str, Mapping[int, Estimate]], what: str) -> Numbers:
    """A column for each number of receivers, from estimates that are there already."""
    counts = sorted({n for row in rows.values() for n in row})
    cells = [[label, *(str(row[n]) if n in row else "" for n in counts)] for label, row in rows.items()]
    return Numbers(columns=[what, *map(by_receivers, counts)], rows=cells)
