"""The receivers of sessions over time: what they get, the loss event rate and round-trip time that they measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, highest_of, rate_unit, time_unit
from faircast.plot.lines import Group, chosen, draw, lines_of
from faircast.plot.missing import needed
from faircast.plot.recording import Recording, by_subject, columns, has

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EVENTS = ("losses", "limiting receiver")
PANELS = {"rate_bps": "rate", "loss_event_rate": "loss event\nrate", "rtt_s": "round-trip\ntime"}
"""Columns of the table ``receivers`` and what stands at their axes."""


def figure(frame: Frame) -> Figure:
    """One panel for each column that the schemes of the run have."""
    recording, cut = frame.recording, frame.cut
    needed(recording, "receivers", "receivers", probe="flows=true", without="the scenario has no sessions")
    groups = chosen(receiver_groups(recording), cut.flows, "session or receiver")
    lines = lines_of(groups, seeds=len(recording.seeds))
    subjects = [member for line in lines for member in line.members]
    present = {column: title for column, title in PANELS.items() if has(recording, "receivers", column)}
    rows = rows_of(recording, cut, lines, EVENTS)
    panels = frame.open([1.7 if column == "rate_bps" else 1.1 for column in present], rows)
    grid = frame.grid("probes.interval", is_mean=True)
    rates = by_subject(recording, "receivers", "receiver", "rate_bps", grid, subjects)
    for axes, (column, title) in zip(panels, present.items(), strict=True):
        series = by_subject(recording, "receivers", "receiver", column, grid, subjects)
        # What a receiver has measured stays as it was when it has left, but then it means nothing any more.
        series = {name: one.where(rates[name]) for name, one in series.items()}
        highest = highest_of([one.mean for one in series.values()])
        scale, unit = {"rate_bps": rate_unit, "rtt_s": time_unit}.get(column, lambda _: (1.0, ""))(highest)
        for line in lines:
            frame.said |= draw(axes, line, series, scale)
        axes.set_ylabel(f"{title} ({unit})" if unit else title)
        frame.scale(axes)
    return frame.close()


def receiver_groups(recording: Recording) -> list[Group]:
    """The receivers of each session, in the order of the table."""
    members: dict[str, dict[str, None]] = {}
    for table in columns(recording, "receivers", ("session", "receiver")):
        if "receiver" not in table:
            continue
        pairs = table["session"].codes.astype("int64") * len(table["receiver"].words) + table["receiver"].codes
        for pair in dict.fromkeys(pairs.tolist()):
            session, receiver = divmod(pair, len(table["receiver"].words))
            members.setdefault(table["session"].words[session], {})[table["receiver"].words[receiver]] = None
    return [Group(session, tuple(receivers)) for session, receivers in members.items()]
