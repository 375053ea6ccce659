"""What the paper's figures share: throughput of each flow, rates of the layers, who leads them, and joins, over time.

A receiver has one colour in all panels, and so has a layer. What a receiver's attempts came to is marked on its
throughput; who leads each layer is a strip below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiments.kwon.course import NOBODY, STEP_S, Course, course_of, seconds, spans
from faircast.experiments.kwon.measures import control_of
from faircast.experiments.kwon.network import SESSION, Case
from faircast.figures import COLOURS, LINES, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.experiment import Data

JOINS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "join-succeeded": ("^", "joined", {"markerfacecolor": "black"}),
    "join-failed": ("x", "join failed", {}),
    "join-abandoned": ("o", "join given up", {"markerfacecolor": "none"}),
}
"""How the ends of attempts are drawn, and what they are called."""
TCP_GREY = "#b5b5b5"
LAYERS = ("#000000", "#7f7f7f", "#8c6d31", "#7b4173", "#637939", "#393b79")
"""Colours of the layers, from the lowest; none is that of a receiver."""
Flows = Sequence[str] | Callable[[Case, Course], Sequence[str]]
PANEL_IN, STRIP_IN, HEAD_IN = 1.35, 0.17, 0.75


def names_of(case: Case) -> list[str]:
    """What the receivers are called in texts and figures: S1, S2, .. by their numbers."""
    return [f"S{number + 1}" for number, _ in enumerate(case.stays())]


def over_time(
    data: Data,
    drawn: Sequence[tuple[Case, int]],
    groups: Sequence[tuple[str, Sequence[int], Flows]],
    *,
    by: str,
    dashed: str = "",
    grey: str = "",
    span_s: tuple[float, float] | None = None,
    marks: Sequence[float] = (),
) -> Figure:
    """A column of panels for each of some runs, given by case and seed.

    Parameters
    ----------
    groups
        The panels with throughput: what stands above, which receivers, which TCP flows, or what finds these in a run.
    by
        By what the runs are the median ones, in words.
    grey
        What is drawn in grey, in words, where it is not all TCP flows.
    span_s
        From when to when; None: the whole run.
    marks
        Moments at which a dashed line stands in all panels; `dashed` says in words what happens then.
    """
    courses = [course_of(data, case, seed) for case, seed in drawn]
    tops = max(top_layer(course) for course in courses) + 1
    heights = [PANEL_IN] * (len(groups) + 1) + [STRIP_IN * (tops + 1)]
    figure, grid = panels(
        len(heights),
        len(drawn),
        width=PAGE_IN,
        height=sum(heights) + HEAD_IN,
        sharex=True,
        sharey="row",
        squeeze=False,
        gridspec_kw={"height_ratios": heights},
    )
    for column, ((case, seed), course) in enumerate(zip(drawn, courses, strict=True)):
        names = names_of(case)
        for axes, (label, receivers, tcps) in zip(grid[:, column], groups, strict=False):
            flows = tcps(case, course) if callable(tcps) else tcps
            throughput(axes, course, {names[number]: number for number in receivers}, flows)
            above = f"{control_of(case)}, seed {seed}\n" if len(drawn) > 1 and axes is grid[0][column] else ""
            axes.set_title(above + label, loc="left")
        layer_rates(grid[-2][column], course, tops)
        grid[-2][column].set_title("layers", loc="left")
        lead_strip(grid[-1][column], course, tops)
        begin, end = span_s or (0.0, case.duration_s)
        grid[-1][column].set(xlim=(begin, end), xlabel="time (s)")
        for axes in grid[:, column]:
            for at in marks:
                axes.axvline(at, color="#777777", linewidth=0.8, linestyle=(0, (5, 3)), zorder=0.5)
    for row in grid[:-1]:
        row[0].set_ylabel("rate (Mbit/s)")
        lines = [line for axes in row for line in axes.lines if len(line.get_xdata()) > 2]
        inside = [_greatest(line, *(span_s or (0.0, np.inf))) for line in lines]
        row[0].set_ylim(0, 1.1 * max(inside, default=1.0))
    _legend(figure, grid)
    which = f"seed {drawn[0][1]}: the median run" if len(drawn) == 1 else "the median runs"
    more = [f"{what}: {words}" for what, words in (("dashed", dashed), ("grey", grey)) if words]
    figure.suptitle("; ".join([f"{which} by {by}", *more]), fontsize=7)
    return figure


def _legend(figure: Figure, grid: Any) -> None:
    """One for all panels: receivers, TCP flows, layers, and how joins are marked."""
    from matplotlib.lines import Line2D

    shown: dict[str, Any] = {}
    for axes in grid.flat:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    for marker, label, how in JOINS.values():
        shown[label] = Line2D([], [], marker=marker, color="black", linestyle="none", markersize=3.5, **how)
    columns = (len(shown) + 1) // 2
    # A legend is filled column by column; so the first row has the first half.
    ordered = [label for pair in zip_longest(list(shown)[:columns], list(shown)[columns:]) for label in pair if label]
    figure.legend([shown[label] for label in ordered], ordered, loc="outside lower center", ncols=columns)


def throughput(axes: Axes, course: Course, receivers: Mapping[str, int], tcps: Sequence[str]) -> None:
    """What some receivers get, with the TCP flows beside them in grey, and what became of their attempts to join."""
    for number, tcp in enumerate(tcps):
        rates = course.rates[tcp]
        axes.plot(
            seconds(rates), rates, color=TCP_GREY, linewidth=0.5, label="TCP flows" if number == 0 else "_", zorder=1
        )
    for label, number in receivers.items():
        rates = course.rates[f"{SESSION}-{number}"]
        look = receiver_look(number)
        axes.plot(seconds(rates), rates, label=label, linewidth=1.2, zorder=3, **look)
        for attempt in course.attempts(number):
            if attempt.end:
                marker, _, how = JOINS[attempt.end]
                at = rates[min(int(attempt.ended_s), rates.size - 1)]
                axes.plot(
                    [attempt.ended_s],
                    [at],
                    marker=marker,
                    color="black",
                    linestyle="none",
                    markersize=3.5,
                    markeredgewidth=0.8,
                    zorder=4,
                    **how,
                )


def layer_rates(axes: Axes, course: Course, count: int) -> None:
    """What each layer carries alone, R_i, and up to which rate the layers go together, T_i."""
    for layer in range(count):
        rates, targets = course.layers[layer], course.targets[layer]
        axes.plot(seconds(rates), rates, color=LAYERS[layer % len(LAYERS)], linewidth=0.9, label=f"$R_{layer}$")
        times = STEP_S * np.arange(targets.size)
        axes.plot(
            times, targets, color=LAYERS[layer % len(LAYERS)], linewidth=0.9, linestyle=LINES[2], label=f"$T_{layer}$"
        )


def lead_strip(axes: Axes, course: Course, count: int) -> None:
    """Who leads each layer, a row for each, the highest on top."""
    end = course.layers.shape[1]
    for layer in range(count):
        rows = course.leads[layer]
        for number in sorted({int(who) for who in rows[:, 1]} - {NOBODY}):
            bars = [(begin, last - begin) for begin, last in spans(rows, number, 0, end)]
            axes.broken_barh(bars, (layer - 0.38, 0.76), color=receiver_look(number)["color"], linewidth=0)
    axes.set_yticks(range(count), [f"$L_{layer}$ led by" for layer in range(count)])
    axes.set_ylim(-0.5, count - 0.5)
    axes.grid(visible=False)
    axes.tick_params(axis="y", length=0)


def top_layer(course: Course) -> int:
    """The highest layer that anybody has held for a second in all; 0 at least."""
    end = course.layers.shape[1]
    layers = range(course.layers.shape[0])
    held = [n for n in layers if sum(course.time_at(name, n, 0, end) for name in course.levels) >= 1]
    return max(held, default=0)


def receiver_look(number: int) -> dict[str, Any]:
    """Colour of a receiver."""
    return {"color": COLOURS[number % len(COLOURS)]}


def _greatest(line: Any, begin_s: float, end_s: float) -> float:
    """The greatest value of a curve within a time."""
    x, y = (np.asarray(values, dtype=float) for values in (line.get_xdata(), line.get_ydata()))
    inside = y[(x >= begin_s) & (x <= end_s) & ~np.isnan(y)]
    return float(inside.max()) if inside.size else 0.0
