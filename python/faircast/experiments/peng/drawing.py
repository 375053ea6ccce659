"""What the paper's figures share: layers and throughput over time, of one run, with the hand-offs of the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiments.peng.course import Course, course_of
from faircast.experiments.peng.measures import FIGURE_WINDOW_S
from faircast.experiments.peng.network import (
    CAPTIONS,
    DURATION_S,
    MULTICAST,
    NAMES,
    TCPS,
    UPLINK_KBYTES_S,
    Case,
)
from faircast.figures import COLOURS, LINES, PAGE_IN, panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.experiment import Data

SERIES = {name: series for series, name in enumerate(NAMES)}
"""Every session looks the same in all figures."""


def layers_and_rates(data: Data, case: Case) -> Figure:
    """Of the multicast sessions of the first seed, as in Fig. 5, 7 and 9."""
    course = course_of(data, case, data.seeds[0])
    drawn, (above, below) = panels(2, 1, width=PAGE_IN, height=4.2, sharex=True)
    layer_steps(above, course)
    rate_curves(below, course, MULTICAST)
    share_lines(below, case)
    finish(drawn, (above, below), [course] * 2, f"{CAPTIONS[case.scenario]}; seed {data.seeds[0]}")
    return drawn


def tcp_rates(data: Data, case: Case) -> Figure:
    """The average of the TCPs there are, and each, in the first seed, as in Fig. 6, 8 and 10."""
    course = course_of(data, case, data.seeds[0])
    drawn, (above, below) = panels(2, 1, width=PAGE_IN, height=4.2, sharex=True)
    average_curves(above, course)
    rate_curves(below, course, TCPS)
    for axes in (above, below):
        share_lines(axes, case)
    finish(drawn, (above, below), [course] * 2, f"{CAPTIONS[case.scenario]}; seed {data.seeds[0]}")
    return drawn


def layer_steps(axes: Axes, course: Course) -> None:
    """How many layers come through."""
    from matplotlib.ticker import MaxNLocator

    for name in MULTICAST:
        times, layers = course.changes[name].T
        axes.step([*times, DURATION_S], [*layers, layers[-1]], where="post", **_look(name))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.set_ylabel("layers")


def rate_curves(axes: Axes, course: Course, names: Sequence[str]) -> None:
    """Throughput of each, from its first packet on."""
    for name in names:
        rates = np.nan_to_num(course.windows(name, 0, DURATION_S, FIGURE_WINDOW_S))
        axes.plot(_middles(rates.size), np.where(np.cumsum(rates) > 0, rates, np.nan), **_look(name))
    axes.set_ylabel("throughput (KBytes/s)")


def average_curves(axes: Axes, course: Course) -> None:
    """The mean throughput of the TCPs that have begun, and that of the multicast sessions."""
    looks = {"mean of the TCP flows": (TCPS, "black", "-"), "mean of multicast": (MULTICAST, COLOURS[0], LINES[1])}
    for label, (names, colour, line) in looks.items():
        rates = np.nan_to_num([course.windows(name, 0, DURATION_S, FIGURE_WINDOW_S) for name in names])
        begun = (np.cumsum(rates, axis=1) > 0).sum(axis=0)
        average = np.divide(rates.sum(axis=0), begun, out=np.full(begun.size, np.nan), where=begun > 0)
        axes.plot(_middles(begun.size), average, label=label, color=colour, linestyle=line, linewidth=1.0)
    axes.set_ylabel("throughput (KBytes/s)")


def share_lines(axes: Axes, case: Case) -> None:
    """An equal share of the uplink, as long as so many sessions are there."""
    begins = sorted({case.start_s(name) for name in NAMES})
    for begin, end in zip(begins, [*begins[1:], DURATION_S], strict=True):
        share = UPLINK_KBYTES_S / sum(case.start_s(name) <= begin for name in NAMES)
        axes.plot([begin, end], [share, share], color="black", linewidth=0.8, linestyle=(0, (1, 1)))


def finish(drawn: Figure, rows: Any, courses: Sequence[Course], title: str, *, legends: int | None = None) -> None:
    """Scales, hand-offs, legends and the title, of panels in rows with the course that each row shows.

    Legends stand in the first so many rows, in room of their own above the curves; None for all.
    """
    for number, (row, course) in enumerate(zip(rows, courses, strict=True)):
        for axes in np.atleast_1d(row):
            for time in course.handoffs.tolist():
                axes.axvline(time, color="#777777", linewidth=0.8, linestyle=(0, (5, 3)), zorder=0.5)
            if legends is None or number < legends:
                axes.legend(loc="upper right", ncols=3, borderaxespad=0.1)
            axes.set_xlim(0, DURATION_S)
    tops: dict[Any, float] = {axes: _greatest(axes) for axes in np.ravel(rows)}
    for axes in tops:
        together = axes.get_shared_y_axes().get_siblings(axes)
        axes.set_ylim(0, 1.25 * max(tops[other] for other in together))
    for axes in np.atleast_1d(rows[-1]):
        axes.set_xlabel("time (s)")
    drawn.suptitle(
        f"{title}; rates over {FIGURE_WINDOW_S} s; dotted: equal share; dashed: hand-offs of the gateway", fontsize=7
    )


def _greatest(axes: Axes) -> float:
    """The greatest value of the curves; hand-offs are lines from 0 to 1."""
    return max(float(np.nanmax(np.asarray(line.get_ydata(), dtype=float))) for line in axes.lines)


def _middles(count: int) -> list[float]:
    return [FIGURE_WINDOW_S * (i + 0.5) for i in range(count)]


def _look(name: str) -> dict[str, Any]:
    series = SERIES[name]
    return {"label": NAMES[name], "color": COLOURS[series], "linestyle": LINES[series], "linewidth": 0.9}
