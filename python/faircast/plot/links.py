"""The links over time: how much of them is used, and what they drop and lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.plot.events import rows_of
from faircast.plot.frame import Frame, no_room
from faircast.plot.lines import MOST, Line, draw
from faircast.plot.missing import needed
from faircast.plot.queue import names_of
from faircast.plot.recording import Series, by_subject, check_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOST = ("dropped_overflow_pkts", "dropped_active_pkts", "dropped_down_pkts", "lost_pkts")
BUSY = 0.1
"""A link of which less is used is shown only if it is named, or loses packets, or nothing is busier."""


def figure(frame: Frame) -> Figure:
    """Utilisation of the busiest links, and packets that they drop or lose."""
    recording, cut = frame.recording, frame.cut
    needed(recording, "links", "links", probe="links=true", without="the network has no links")
    there = names_of(recording, "links", "link")
    check_names("link", cut.links, there)
    grid = frame.grid("probes.interval", is_mean=True)
    used = by_subject(recording, "links", "link", "utilisation", grid, list(cut.links or there))
    lost = {link: lost_of(frame, link) for link in used}
    shown = list(cut.links) or busiest(used, lost)
    if not cut.links and len(shown) < len(there):
        frame.said.add(no_room(len(shown), len(there), "links") + ", the busiest")
    lines = [Line(link, (link,), look) for look, link in enumerate(shown)]
    loses = any(lost[link].highest() > 0 for link in shown)
    panels = frame.open([1.8, 1.0] if loses else [1.8], rows_of(recording, cut, [], ()))
    for line in lines:
        frame.said |= draw(panels[0], line, used, 0.01)
    panels[0].set_ylabel("utilisation (%)")
    frame.scale(panels[0])
    if loses:
        for line in lines:
            if lost[line.label].highest() > 0:
                panels[1].plot(
                    lost[line.label].t_s,
                    lost[line.label].over_seeds() / recording.time("probes.interval"),
                    **line.style,
                )
        panels[1].set_ylabel("dropped, lost\n(packets/s)")
        frame.scale(panels[1])
    return frame.close()


def lost_of(frame: Frame, link: str) -> Series:
    """Packets dropped and lost in an interval, all kinds together."""
    grid = frame.grid("probes.interval", is_mean=True)
    return Series.added([by_subject(frame.recording, "links", "link", key, grid, [link])[link] for key in LOST])


def busiest(used: dict[str, Series], lost: dict[str, Series]) -> list[str]:
    """The links that are used most, in their order; as many as can be told apart."""
    import numpy as np

    of = {
        link: float(np.nan_to_num(np.nanmean(series.mean))) if series.is_defined else 0.0
        for link, series in used.items()
    }
    busy = [link for link in used if of[link] >= BUSY or lost[link].highest() > 0]
    by_use = sorted(busy or used, key=lambda link: -of[link])[: MOST if busy else 3]
    return [link for link in used if link in by_use]
