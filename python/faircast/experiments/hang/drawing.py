"""What the figures of the paper share: something against the number of receivers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.hang.network import Case, mean_fairness
from faircast.figures import curve
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def receivers_axis(axes: Axes, counts: Sequence[int]) -> None:
    """A logarithmic axis with the numbers of receivers that were run."""
    axes.set_xscale("log")
    axes.set_xticks(list(counts), [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_xlabel("receivers N")


def fairness_curves(axes: Axes, data: Data, curves: Mapping[str, Sequence[Case]], *, log: bool = False) -> None:
    """Fairness against the number of receivers, a curve for each label; axes that share a scale get that of all."""
    found = {label: [mean_fairness(data, case) for case in cases] for label, cases in curves.items()}
    first = not any(axis.lines for axis in axes.get_shared_y_axes().get_siblings(axes))
    for series, (label, cases) in enumerate(curves.items()):
        drawn = [item if math.isfinite(item.mean) else _NOTHING for item in found[label]]
        curve(axes, [case.receivers for case in cases], drawn, label=label, series=series)
    axes.axhline(1.0, color="black", linewidth=0.6)
    finite = [item for items in found.values() for item in items if math.isfinite(item.mean)]
    bottom, top = (choose([1.0, *(item.mean for item in finite)]) for choose in (min, max))
    if log:
        axes.set_yscale("log")
        bottom, top = 0.3 * bottom, 2.5 * top
    else:
        bottom, top = 0.0, 1.1 * max([top, *(item.mean + (item.ci95 or 0.0) for item in finite)])
    if not first:
        bottom, top = min(bottom, axes.get_ylim()[0]), max(top, axes.get_ylim()[1])
    axes.set_ylim(bottom, top)
    if len(finite) < sum(map(len, found.values())):
        text = "not drawn: both TCP flows got nothing in some run"
        axes.annotate(text, (0.02, 0.02), xycoords="axes fraction", fontsize=6)


_NOTHING = Estimate(math.nan, None, 0, math.nan, math.nan)
