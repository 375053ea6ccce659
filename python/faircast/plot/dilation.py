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

Place = tuple[str, str]
"""A session, and a link."""
NAMED = 2
"""So many links of one line are named."""
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
    alike = in_rows(list(greatest), found)
    by_height = sorted(alike, key=lambda places: -greatest[places[0]])[:MOST]
    if len(by_height) < len(alike):
        frame.said.add(no_room(len(by_height), len(alike), "lines") + ", the most dilated")
    shown = {places[0]: named_as(places, alone=alone) for places in alike if places in by_height}
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


def in_rows(places: list[Place], found: dict[str, dict[Place, Series]]) -> list[list[Place]]:
    """Links on which a session has the same dilation all the time, as those that follow each other have."""
    rows: dict[tuple[str, bytes], list[Place]] = {}
    for place in places:
        values = b"".join(of[place].mean.round(9).tobytes() for of in found.values())
        rows.setdefault((place[0], values), []).append(place)
    return list(rows.values())


def named_as(places: list[Place], *, alone: bool) -> str:
    """The name of a line for these links; with the session unless there is one only."""
    links = places[0][1] if len(places) == 1 else f"{places[0][1]} and {places[1][1]}"
    if len(places) > NAMED:
        links = f"{places[0][1]} and {len(places) - 1} more"
    return links if alone else f"{places[0][0]} on {links}"


def by_place(frame: Frame, column: str) -> dict[Place, Series]:
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
