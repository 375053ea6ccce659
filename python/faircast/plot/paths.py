"""The ways between pairs of nodes over time: delay and number of links, with hand-offs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faircast.errors import InputError
from faircast.plot.events import NETWORK, Row, rows_of, thinned
from faircast.plot.frame import Frame, highest_of, no_room, time_unit
from faircast.plot.lines import MOST, Line
from faircast.plot.missing import needed
from faircast.plot.recording import columns

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def figure(frame: Frame) -> Figure:
    """The delay of each pair, and its hops; of the first seed, as the network seldom differs between seeds."""
    import numpy as np
    from matplotlib.ticker import MaxNLocator

    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "paths",
        "paths",
        probe='paths=[{from="A", to="B"}]',
        without="the ways were not recorded in the time that the run took",
    )
    if len(recording.seeds) > 1:
        frame.said.add(f"ways of seed {recording.seeds[0]}")
        frame.recording = recording = recording.of(recording.seeds[0])
    (table,) = columns(recording, "paths", ("t_s", "from", "to", "event", "delay_s", "hops"))
    pairs = pairs_of(table)
    within = (table["t_s"] >= cut.start_s) & (table["t_s"] <= cut.stop_s)
    if len(pairs) > MOST:
        frame.said.add(no_room(MOST, len(pairs), "pairs"))
    lines = [Line(f"{begin} to {end}", (), look) for look, (begin, end) in enumerate(pairs[:MOST])]
    rows = []
    for label, event in (("way changed", "path-changed"), ("way lost", "lost"), ("way found", "found")):
        t_s = table["t_s"][within & (table["event"] == event)]
        rows.append(Row(label, [(thinned(t_s, cut), NETWORK)]))
    above, below = frame.open([1.7, 0.8], [*rows_of(recording, cut, [], ()), *(row for row in rows if row.moments)])
    scale, unit = time_unit(highest_of([table["delay_s"][within]]))
    for line, (begin, end) in zip(lines, pairs, strict=False):
        its = within & (table["from"] == begin) & (table["to"] == end)
        t_s, delay_s, hops = (table[key][its] for key in ("t_s", "delay_s", "hops"))
        above.plot(t_s, delay_s / scale, label=line.label, **line.style)
        below.step(t_s, np.where(hops > 0, hops, np.nan), where="post", **line.style)
    above.set_ylabel(f"delay ({unit})")
    below.set_ylabel("links")
    below.yaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    for axes in (above, below):
        frame.scale(axes)
    return frame.close(has_warmup=False)


def pairs_of(table: dict[str, Any]) -> list[tuple[str, str]]:
    """The pairs in the order of the table."""
    if not len(table["t_s"]):
        raise InputError("there is nothing to draw for paths: the table is empty in this seed")
    size = len(table["to"].words)
    codes = table["from"].codes.astype("int64") * size + table["to"].codes
    return [
        (table["from"].words[code // size], table["to"].words[code % size]) for code in dict.fromkeys(codes.tolist())
    ]
