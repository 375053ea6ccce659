"""How many layers the receivers of sessions hold over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame
from faircast.plot.lines import chosen, draw, lines_of
from faircast.plot.missing import needed
from faircast.plot.receivers import receiver_groups
from faircast.plot.recording import by_subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVENTS = ("attempts begun", "attempts failed", "layers added", "layers dropped")


def figure(frame: Frame) -> Figure:
    """The mean over each interval of those present."""
    from matplotlib.ticker import MaxNLocator

    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "receivers",
        "levels",
        probe="flows=true",
        without="no session of the scenario has several layers",
        column="mean_level",
    )
    groups = chosen(receiver_groups(recording), cut.flows, "session or receiver")
    lines = lines_of(groups, seeds=len(recording.seeds))
    subjects = [member for line in lines for member in line.members]
    (axes,) = frame.open([2.2], rows_of(recording, cut, lines, EVENTS))
    grid = frame.grid("probes.interval", is_mean=True, per_in=100)
    series = by_subject(recording, "receivers", "receiver", "mean_level", grid, subjects)
    for line in lines:
        frame.said |= draw(axes, line, series, 1.0, steps=len(recording.seeds) == 1)
    axes.set_ylabel("layers held")
    axes.yaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    frame.scale(axes)
    return frame.close()
