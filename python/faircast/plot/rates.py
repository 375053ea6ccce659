"""The rates of flows and sessions over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.hosts.session import is_of_hosts, of_sender
from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, highest_of, rate_unit
from faircast.plot.lines import chosen, draw, flow_groups, lines_of
from faircast.plot.missing import needed
from faircast.plot.recording import by_subject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVENTS = ("losses", "time-outs", "limiting receiver")


def figure(frame: Frame) -> Figure:
    """What reached the receivers; of a session the mean over them."""
    recording, cut = frame.recording, frame.cut
    needed(recording, "flows", "rates", probe="flows=true", without="the scenario has no flows and no sessions")
    groups = chosen(flow_groups(recording.scenario.data), cut.flows, "flow or session")
    lines = lines_of(groups, seeds=len(recording.seeds))
    subjects = [member for line in lines for member in line.members]
    series = by_subject(recording, "flows", "flow", "rate_bps", frame.grid("probes.interval", is_mean=True), subjects)
    scale, unit = rate_unit(highest_of([one.mean for one in series.values()]))
    (axes,) = frame.open([2.2], rows_of(recording, cut, lines, EVENTS))
    for line in lines:
        frame.said |= draw(axes, line, series, scale)
    # What came the sender does not know.
    is_sent = is_of_hosts(recording.scenario.data) and of_sender(recording.scenario.data)
    axes.set_ylabel(f"rate sent ({unit})" if is_sent else f"rate ({unit})")
    frame.scale(axes)
    return frame.close()
