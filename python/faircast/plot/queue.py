"""Probed queues over time: how many packets wait and how long, the average that the discipline decides by, drops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from faircast import figures
from faircast.plot.frame import Frame, no_room
from faircast.plot.lines import Line, draw
from faircast.plot.missing import needed
from faircast.plot.recording import Recording, by_subject, check_names, columns, has
from faircast.quantity import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.plot.recording import Grid

MOST_QUEUES = 3
COUNTS = {
    "dropped": (("dropped_overflow_pkts", "dropped_active_pkts"), 1),
    "incipient marks": (("marked_incipient_pkts",), 4),
    "marked": (("marked_moderate_pkts",), 2),
}
"""What the small panel below a queue shows: columns of the table ``links``, and which colour."""
BOUNDS = {"limit": "-", "max_th": (0, (6, 2)), "min_th": (0, (2, 2))}
"""Keys of a queue that are drawn as lines, where they are in packets."""


def figure(frame: Frame) -> Figure:
    """Up to three panels for each queue: occupancy and average; how long packets waited; drops and marks."""
    recording, cut = frame.recording, frame.cut
    example = f'queues=["{first_link(recording)}"]'
    needed(recording, "queues", "queue", probe=example, without="no queue was probed in the time that the run took")
    there = names_of(recording, "queues", "link")
    check_names("probed queue", cut.links, there)
    shown = [link for link in there if link in (cut.links or there)][:MOST_QUEUES]
    if len(shown) < len(cut.links or there):
        frame.said.add(no_room(len(shown), len(cut.links or there), "queues"))
    counts = {link: counts_of(frame, link) for link in shown}
    has_waits = has(recording, "queues", "sojourn_s")
    below = {link: [0.7] * has_waits + [0.55] * bool(counts[link]) for link in shown}
    panels = iter(frame.open([height for link in shown for height in (1.5, *below[link])]))
    coarse = frame.grid("probes.interval", is_mean=True)
    if coarse.puts_together:
        frame.cut = replace(cut, every_s=coarse.bin_s)  # for both panels the same
    fine = frame.grid("probes.queue_interval", is_mean=False)
    for link in shown:
        occupancy(frame, next(panels), link, fine)
        if has_waits:
            waits(frame, next(panels), link, fine)
        if counts[link]:
            counted(frame, next(panels), link, counts[link], coarse)
    return frame.close()


def occupancy(frame: Frame, axes: Axes, link: str, grid: Grid) -> None:
    """Packets that wait, and their average."""
    waiting = by_subject(frame.recording, "queues", "link", "queue_pkts", grid, [link])
    frame.said |= draw(axes, Line("packets waiting", (link,), 0, is_session=True), waiting, 1.0, extremes=True)
    average = by_subject(frame.recording, "queues", "link", "average_pkts", grid, [link])
    if average[link].is_defined:
        axes.plot(
            average[link].t_s,
            average[link].over_seeds(),
            color="black",
            linewidth=1.0,
            linestyle=(0, (4, 1)),
            label="average",
        )
    top = frame.scale(axes)
    near = {name: at for name, at in bounds(frame.recording, link).items() if at <= 2.5 * top}
    for name, at in near.items():
        axes.axhline(at, color="#888888", linewidth=0.7, linestyle=BOUNDS[name], label=f"{name} ({at:g})")
    axes.set_ylim(0, 1.06 * max([*near.values(), top]) or 1.0)
    axes.set_ylabel(f"{link}\n(packets)")


def waits(frame: Frame, axes: Axes, link: str, grid: Grid) -> None:
    """How long packets waited that left between two samples, in the mean."""
    waited = by_subject(frame.recording, "queues", "link", "sojourn_s", grid, [link])
    frame.said |= draw(axes, Line("mean wait", (link,), 2, is_session=True), waited, 1e-3, extremes=True)
    axes.set_ylabel("ms")
    frame.scale(axes)


def counts_of(frame: Frame, link: str) -> list[str]:
    """What of `COUNTS` is not zero all the time."""
    if not frame.recording.holds("links"):
        return []
    found = []
    for name, (names, _) in COUNTS.items():
        tables = columns(frame.recording, "links", ("link", *names))
        if any(float(table[one][table["link"] == link].sum()) for table in tables for one in names if one in table):
            found.append(name)
    return found


def counted(frame: Frame, axes: Axes, link: str, names: Sequence[str], grid: Grid) -> None:
    """Drops and marks in a second, the mean over seeds."""
    interval = frame.recording.time("probes.interval")
    for name in names:
        keys, look = COUNTS[name]
        parts = [by_subject(frame.recording, "links", "link", key, grid, [link])[link] for key in keys]
        total = sum(part.over_seeds() for part in parts) / interval
        axes.plot(parts[0].t_s, total, color=figures.COLOURS[look], linewidth=0.9, label=name)
    axes.set_ylabel("per s")
    frame.scale(axes)


def bounds(recording: Recording, link: str) -> dict[str, float]:
    """Limit and thresholds of a queue in packets, as far as the scenario names them so."""
    queue = queue_of(recording.scenario.data, link)
    found = {key: read(queue[key]) for key in BOUNDS if key in queue}
    return {key: item.number for key, item in found.items() if item is not None and item.unit == "packets"}


def queue_of(scenario: dict[str, Any], link: str) -> dict[str, Any]:
    """The table of a queue in a resolved scenario: of the link, or of the topology's kind of link."""
    name = link.removesuffix(".back")
    places: list[Any] = [scenario.get("links", {}).get(name), scenario.get("topology", {}).get(name)]
    for place in places:
        if isinstance(place, dict):
            back = place.get("back") if link != name else None
            for table in (back, place):
                if isinstance(table, dict) and isinstance(table.get("queue"), dict):
                    queue: dict[str, Any] = table["queue"]
                    return queue
    return {}


def first_link(recording: Recording) -> str:
    """A link that one might want to probe: the one that drops or marks most, or is used most."""
    import numpy as np

    if not has(recording, "links"):
        return "bottleneck"
    (table, *_) = columns(recording, "links", ("link", "utilisation", "dropped_overflow_pkts", "dropped_active_pkts"))
    best = max(
        table["link"].words,
        key=lambda link: (
            float(table["dropped_overflow_pkts"][table["link"] == link].sum())
            + float(table["dropped_active_pkts"][table["link"] == link].sum()),
            float(np.nansum(table["utilisation"][table["link"] == link])),
        ),
    )
    return str(best)


def names_of(recording: Recording, table: str, column: str) -> list[str]:
    """The subjects of a table, in its order."""
    return list(dict.fromkeys(word for part in columns(recording, table, (column,)) for word in part[column].words))
