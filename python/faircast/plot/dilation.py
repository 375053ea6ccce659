"""The dilation of links over time: what receivers of a session demand together, by what the fastest of them gets."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, highest_of, no_room
from faircast.plot.lines import MOST, Group, Line, chosen, draw
from faircast.plot.missing import needed
from faircast.plot.queue import names_of
from faircast.plot.recording import check_names, columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.plot.recording import Series

PANELS = {"dilation_max": "greatest dilation", "dilation_mean": "mean dilation"}
"""Columns of the table ``dilation`` and what stands at their axes."""


def figure(frame: Frame) -> Figure:
    """The greatest dilation of a window in each interval, and the mean over its windows, on the most dilated links."""
    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "dilation",
        "dilation",
        probe="links=true",
        without="no session of several groups has several receivers behind one link",
    )
    check_names("link", cut.links, names_of(recording, "dilation", "link"))
    sessions = [Group(name, (name,)) for name in names_of(recording, "dilation", "session")]
    named = {group.name for group in chosen(sessions, cut.flows, "session of several groups")}
    alone = len(sessions) == 1
    found = {column: by_place(frame, column) for column in PANELS}
    # Of greatest values the greatest is drawn, however many intervals are put together.
    found["dilation_max"] = {place: replace(one, mean=one.high) for place, one in found["dilation_max"].items()}
    greatest = {
        place: highest_of([series.mean])
        for place, series in found["dilation_max"].items()
        if place[0] in named and (place[1] in cut.links or not cut.links)
    }
    by_height = sorted(greatest, key=lambda place: -greatest[place])[:MOST]
    if len(by_height) < len(greatest):
        frame.said.add(no_room(len(by_height), len(greatest), "links") + ", the most dilated")
    shown = {place: place[1] if alone else f"{place[0]} on {place[1]}" for place in greatest if place in by_height}
    panels = frame.open([1.6, 1.2], rows_of(recording, cut, [], ()))
    for axes, (column, title) in zip(panels, PANELS.items(), strict=True):
        series = {label: found[column][place] for place, label in shown.items()}
        for look, label in enumerate(series):
            frame.said |= draw(axes, Line(label, (label,), look, is_session=True), series, 1.0)
        axes.set_ylabel(title)
        highest = max(highest_of([one.mean for one in series.values()]), 1.0)
        axes.set_ylim(0.97, max(1.1, 1 + 1.08 * (highest - 1)))
    if any(one.bin_s for one in found["dilation_max"].values()):
        frame.said.add("above: the greatest of these times")
    frame.said.add("links to single receivers, where it is 1, are left out")
    return frame.close()


def by_place(frame: Frame, column: str) -> dict[tuple[str, str], Series]:
    """A column of the table by session and link."""
    import numpy as np

    grid = frame.grid("probes.interval", is_mean=True)
    tables = columns(frame.recording, "dilation", ("t_s", "session", "link", column))
    places = dict.fromkeys(
        (table["session"][row], table["link"][row])
        for table in tables
        for row in np.unique(
            table["session"].codes.astype("int64") * len(table["link"].words) + table["link"].codes, return_index=True
        )[1]
    )
    found = {}
    for session, link in places:
        its = [(table["session"] == session) & (table["link"] == link) for table in tables]
        found[session, link] = grid.series(
            [table["t_s"][mine] for table, mine in zip(tables, its, strict=True)],
            [table[column][mine] for table, mine in zip(tables, its, strict=True)],
        )
    return found
