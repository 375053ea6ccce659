"""Sobol' indices as bars: of each varied path what it decides by itself, and what together with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast import figures
from faircast.errors import InputError
from faircast.plot.frame import QUIET, WIDTHS, wrapped
from faircast.plot.picture import Picture, drawn
from faircast.vary import short_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.sobol import Sensitivity

ROW_IN = 0.42
"""Height of a path."""
APART = 0.18
"""How far the two bars of a path stand from its middle."""


def picture_of(found: Sensitivity, *, width: str = "page") -> Picture:
    """Both indices of all paths with their intervals. Raises `InputError` if there is no such width."""
    if width not in WIDTHS:
        raise InputError(f"the width is {width}; legal are {' and '.join(WIDTHS)}")
    return drawn(f"sensitivity-{found.subject}-{found.metric}", lambda: figure_of(found, width))


def figure_of(found: Sensitivity, width: str) -> Figure:
    """A line for each path, the one with the largest total index on top."""
    paths = sorted(found.total, key=lambda path: found.total[path].value)
    names = short_names(paths)
    figure, axes = figures.panels(width=WIDTHS[width], height=ROW_IN * len(paths) + 1.2)
    for series, (label, of_paths) in enumerate((("first order: by itself", found.first), ("total", found.total))):
        aside = APART if series == 0 else -APART
        middles = [place + aside for place in range(len(paths))]
        values = [of_paths[path].value for path in paths]
        below = [max(0.0, of_paths[path].value - of_paths[path].low) for path in paths]
        above = [max(0.0, of_paths[path].high - of_paths[path].value) for path in paths]
        axes.barh(middles, values, height=2 * APART, color=figures.COLOURS[series], label=label)
        axes.errorbar(values, middles, xerr=[below, above], fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
        halves = [of_paths[path].seeds for path in paths]
        if all(half is not None for half in halves):
            axes.plot(
                [[v - (h or 0.0) for v, h in zip(values, halves, strict=True)],
                 [v + (h or 0.0) for v, h in zip(values, halves, strict=True)]],
                [middles, middles], color=QUIET, linewidth=3, alpha=0.6, solid_capstyle="butt",
            )  # fmt: skip
    axes.set_yticks(range(len(paths)), [names[path] for path in paths])
    axes.set_xlim(min(0.0, *axes.get_xlim()), max(1.0, axes.get_xlim()[1]))
    axes.set_xlabel(f"part of the variance of {found.subject} {found.metric.replace('_', ' ')}")
    axes.legend(loc="lower right")
    figure.suptitle(
        wrapped(f"{found.name}, {found.samples} samples, {len(found.seeds)} seed{'s' * (len(found.seeds) > 1)}", 60),
        x=0.01,
        ha="left",
        fontsize=8,
        fontweight="bold",
    )
    notes = "bars: 95 % interval over the points (bootstrap)"
    if len(found.seeds) > 1:
        notes += "; grey: over the seeds (jackknife)"
    figure.supxlabel(wrapped(notes, 90 if width == "page" else 45), x=0.01, ha="left", fontsize=6.5, color=QUIET)
    return figure
