"""What the figures of the paper share: something against the number of receivers, drawn and as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Numbers
from faircast.experiments.hang.network import CBR, SESSION, TCPS, Case, mean_fairness, mean_throughput, total
from faircast.figures import COLOURS, MARKERS, curve
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def receivers_axis(axes: Axes, counts: Sequence[int]) -> None:
    """A logarithmic axis with the numbers of receivers that were run."""
    axes.set_xscale("log")
    axes.set_xticks(list(counts), [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_xlim(0.8 * counts[0], 1.25 * counts[-1])
    axes.set_xlabel("receivers N")


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


def fairness_curves(axes: Axes, data: Data, curves: Mapping[str, Sequence[Case]], *, log: bool = False) -> None:
    """Fairness against the number of receivers, a curve for each label; axes that share a scale get that of all.

    A ratio that is infinite, since both TCP flows got nothing in any run, stands at the upper edge.
    """
    found = {label: [mean_fairness(data, case) for case in cases] for label, cases in curves.items()}
    first = not any(axis.lines for axis in axes.get_shared_y_axes().get_siblings(axes))
    infinite = False
    for series, (label, cases) in enumerate(curves.items()):
        counts = [case.receivers for case in cases]
        drawn = [item if math.isfinite(item.mean) else _NOTHING for item in found[label]]
        curve(axes, counts, drawn, label=label, series=series)
        beyond = [n for n, item in zip(counts, found[label], strict=True) if math.isinf(item.mean)]
        infinite |= bool(beyond)
        (edge,) = axes.plot(
            beyond,
            [1.0 - 0.03 * series] * len(beyond),
            transform=axes.get_xaxis_transform(),
            linestyle="none",
            color=COLOURS[series % len(COLOURS)],
            marker=MARKERS[series % len(MARKERS)],
            markerfacecolor="white" if series % 2 else None,
            clip_on=False,
        )
        edge.set_in_layout(False)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_ylabel("fairness, session / TCP")
    finite = [item for items in found.values() for item in items if math.isfinite(item.mean)]
    bottom, top = (choose([1.0, *(item.mean for item in finite)]) for choose in (min, max))
    if log:
        axes.set_yscale("log")
        bottom, top = 0.3 * bottom, (20 if infinite else 2.5) * top
    else:
        bottom, top = 0.0, 1.1 * max([top, *(item.mean + (item.ci95 or 0.0) for item in finite)])
    if not first:
        bottom, top = min(bottom, axes.get_ylim()[0]), max(top, axes.get_ylim()[1])
    axes.set_ylim(bottom, top)
    if infinite:
        text = "at the upper edge: infinite,\nTCP got nothing in any run"
        note = axes.annotate(text, (0.02, 0.93), xycoords="axes fraction", va="top", fontsize=6)
        note.set_in_layout(False)


def table_by_receivers(rows: Mapping[str, Sequence[Case]], of: Callable[[Case], Estimate], what: str) -> Numbers:
    """A column for each number of receivers; not every row has all of them."""
    return table_of({label: {case.receivers: of(case) for case in cases} for label, cases in rows.items()}, what)


def table_of(rows: Mapping[str, Mapping[int, Estimate]], what: str) -> Numbers:
    """The same from what is there."""
    counts = sorted({n for row in rows.values() for n in row})
    cells = [[label, *(str(row[n]) if n in row else "" for n in counts)] for label, row in rows.items()]
    return Numbers(columns=[what, *(f"N = {n}" for n in counts)], rows=cells)


_NOTHING = Estimate(math.nan, None, 0, math.nan, math.nan)
