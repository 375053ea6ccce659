"""Round-trip times as senders know them, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, highest_of, time_unit
from faircast.plot.lines import chosen, draw, flow_groups, lines_of
from faircast.plot.missing import needed
from faircast.plot.recording import by_subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVENTS = ("time-outs", "limiting receiver")


def figure(frame: Frame) -> Figure:
    """The smoothed round-trip time of TCP, and of a session that of the receiver that limits."""
    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "flows",
        "rtt",
        probe="flows=true",
        without="no sender of the scenario measures a round-trip time",
        column="srtt_s",
    )
    groups = chosen(flow_groups(recording.scenario.data), cut.flows, "flow or session")
    grid = frame.grid("probes.interval", is_mean=False)
    names = [member for group in groups for member in group.members]
    series = by_subject(recording, "flows", "flow", "srtt_s", grid, names)
    groups = [group for group in groups if any(series[one].is_defined for one in group.members)]
    lines = lines_of(groups, seeds=len(recording.seeds))
    (axes,) = frame.open([2.0], rows_of(recording, cut, lines, EVENTS))
    scale, unit = time_unit(highest_of([one.mean for one in series.values()]))
    for line in lines:
        frame.said |= draw(axes, line, series, scale)
    axes.set_ylabel(f"round-trip time ({unit})")
    frame.scale(axes)
    return frame.close()
