"""The congestion window and the slow-start threshold of TCP over time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, highest_of
from faircast.plot.lines import Group, Line, chosen, draw, flow_groups, lines_of
from faircast.plot.missing import needed
from faircast.plot.recording import by_subject, columns, nan_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.plot.recording import Column, Cut, Recording, Series

EVENTS = ("losses", "marks", "time-outs")
REDUCTIONS = ("loss-reduction", "incipient-reduction", "moderate-reduction")
"""Events that tell the window before and after."""
MOST_PANELS = 5
"""Flows with a panel of their own; of more, groups have one."""


def figure(frame: Frame) -> Figure:
    """One panel for each flow, or for each group of many."""
    import numpy as np

    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "flows",
        "window",
        probe="flows=true",
        without="no flow of the scenario is TCP",
        column="cwnd_pkts",
    )
    grid = frame.grid("probes.interval", is_mean=False)
    groups = chosen(flow_groups(recording.scenario.data), cut.flows, "flow")
    names = [member for group in groups for member in group.members]
    windows = by_subject(recording, "flows", "flow", "cwnd_pkts", grid, names)
    groups = with_window(groups, windows)
    thresholds = by_subject(recording, "flows", "flow", "ssthresh_pkts", grid, names)
    panels_of = one_each(groups)
    rows = rows_of(recording, cut, panels_of, EVENTS)
    for axes, line in zip(frame.open([1.2] * len(panels_of), rows), panels_of, strict=True):
        highest = highest_of([windows[one].high for one in line.members])
        alone = replace(line, is_session=True)  # in a panel of its own it need not be broken
        if len(recording.seeds) == len(line.members) == 1 and not grid.puts_together and recording.holds("events"):
            t_s, values = sawtooth(recording, cut, line.members[0], windows[line.members[0]])
            axes.plot(t_s, values, label=line.label, **alone.style)
        else:
            frame.said |= draw(axes, alone, windows, 1.0, extremes=True)
        # At the start a threshold may be as good as infinite; what lies far above all windows only hides them.
        shown = [np.where(thresholds[one].mean <= 1.5 * highest, thresholds[one].mean, np.nan) for one in line.members]
        values = nan_of(np.nanmean, [row for one in shown for row in one])
        threshold(axes, line, windows[line.members[0]].t_s, values, "default" if grid.puts_together else "steps-pre")
        axes.set_ylabel("window\n(packets)")
        frame.scale(axes)
    return frame.close()


def sawtooth(recording: Recording, cut: Cut, flow: str, window: Series) -> tuple[Column, Column]:
    """The window at the end of every interval, and before and after each reduction in between, in order of time."""
    import numpy as np

    (table,) = columns(recording, "events", ("t_s", "flow", "event", "before", "after"))
    t_s, before, after = window.t_s, window.mean[0], window.mean[0]
    if len(table["t_s"]):
        reduced = np.logical_or.reduce([table["event"] == event for event in REDUCTIONS])
        within = (table["t_s"] > cut.start_s) & (table["t_s"] <= cut.stop_s)
        its = reduced & within & (table["flow"] == flow)
        t_s = np.concatenate([t_s, table["t_s"][its]])
        before, after = (np.concatenate([window.mean[0], table[name][its]]) for name in ("before", "after"))
    order = np.argsort(t_s, kind="stable")
    return np.repeat(t_s[order], 2), np.stack([before[order], after[order]], axis=1).ravel()


def threshold(axes: Axes, line: Line, t_s: Column, values: Column, drawstyle: Any) -> None:
    """The slow-start threshold, grey beside the window."""
    label = "ssthresh" if len(line.members) == 1 else "ssthresh (mean)"
    axes.plot(t_s, values, color="#888888", linewidth=0.8, linestyle=(0, (4, 1.5)), drawstyle=drawstyle, label=label)


def with_window(groups: list[Group], windows: dict[str, Series]) -> list[Group]:
    """The groups and flows that have a window."""
    found = []
    for group in groups:
        members = tuple(one for one in group.members if windows[one].is_defined)
        if members:
            found.append(Group(group.name, members))
    return found


def one_each(groups: list[Group]) -> list[Line]:
    """One line for each flow while there is room for so many panels, otherwise one for each group."""
    return lines_of(groups, most=MOST_PANELS)
