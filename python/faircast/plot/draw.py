"""Draw a picture by name: what the command line and ``result.plot`` have in common."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module

from faircast.errors import InputError, choose
from faircast.plot import PICTURES
from faircast.plot.frame import Frame
from faircast.plot.picture import Picture, drawn
from faircast.plot.recording import Cut, Recording


def picture(
    recording: Recording,
    name: str,
    *,
    seed: int | None = None,
    start: str | float | None = None,
    stop: str | float | None = None,
    every: str | float | None = None,
    flows: Iterable[str] = (),
    links: Iterable[str] = (),
    width: str = "page",
) -> Picture:
    """One of the `PICTURES`. Raises `InputError` for what there is not, or if the run recorded nothing for it."""
    choose("picture", name, list(PICTURES))
    one = recording.of(seed)
    cut = Cut.of(one, start=start, stop=stop, every=every, flows=flows, links=links)
    draw = import_module(f"faircast.plot.{name}").figure
    return drawn(name, lambda: draw(Frame(one, cut, width)))


def fitting(recording: Recording) -> str:
    """The picture that shows most of a recording: the first for which there is something."""
    from faircast.plot.recording import has

    tables = {"rates": "flows", "transfers": "transfers", "paths": "paths", "queue": "queues", "links": "links"}
    for name, table in tables.items():
        if has(recording, table):
            return name
    if not any(recording.holds(table) for table in tables.values()):
        raise InputError(f"{recording.folder} has none of the tables that are drawn: {', '.join(tables.values())}")
    raise InputError(
        "there is nothing to draw: all probes are off in this scenario; "
        f"{recording.again('probes.flows=true')} records rates"
    )
