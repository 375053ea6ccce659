"""The drawing of a network: its map, the positions of satellites, the changes that its scenario plans."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from faircast import _native
from faircast.errors import InputError
from faircast.quantity import seconds

if TYPE_CHECKING:
    from faircast.reporting.packing import Chunk
    from faircast.scenario import Resolved

MOMENTS = 600
"""Of positions of satellites: so many over a run, between which the viewer goes on an arc."""
MOST_POSITIONS = 400_000
"""Satellites by moments."""
NEAREST_S = 1.0
"""Moments are not nearer to each other than so many seconds: satellites move by 8 km in that time."""
MOST_LETTERS = 8_000_000
"""Of the map of a network in a page."""
QUEUE_KEYS = ("kind", "limit", "min_th", "max_th", "mid_th", "target", "interval")
"""Of a queue's parameters those that the viewer says."""


def drawing(scenario: Resolved, seed: int, chunk: Chunk, stop_s: float) -> dict[str, Any]:
    """The map of the network, and where satellites are if there are any. Raises `InputError` if it cannot be drawn."""
    found = json.loads(_native.network_map(scenario.json, seed))
    links = [
        {
            **{key: link[key] for key in ("name", "from", "to", "carrier", "rate_bps", "ups")},
            "queue": {key: link["queue"][key] for key in QUEUE_KEYS if link["queue"].get(key) is not None},
            "loss": link["loss"],
        }
        for link in found["links"]
    ]
    made: dict[str, Any] = {"map": {"links": links, "flows": found["flows"]}}
    letters = len(json.dumps(made))
    if letters > MOST_LETTERS:
        raise InputError(f"its map alone has {letters / 1e6:.0f} MB")
    if sky := sky_of(scenario, seed, chunk, stop_s):
        made["sky"] = sky
    return made


def sky_of(scenario: Resolved, seed: int, chunk: Chunk, stop_s: float) -> dict[str, Any] | None:
    """Positions of satellites at equal steps; None if the places of none are known."""
    import numpy as np

    first = _native.sky(scenario.json, seed, [0.0])
    if first is None:
        return None
    satellites = len(first["satellites"])
    steps = max(2, min(MOMENTS, int(stop_s / NEAREST_S), MOST_POSITIONS // max(satellites, 1)))
    times = np.linspace(0.0, stop_s, steps + 1)
    found = _native.sky(scenario.json, seed, times.tolist())
    assert found is not None
    chunk.put(times, "<f8")
    chunk.data += found["latitude"] + found["longitude"] + found["altitude"]
    stations = [{"name": name, "latitude": lat, "longitude": lon} for name, lat, lon in found["stations"]]
    return {"chunk": chunk.name, "satellites": found["satellites"], "stations": stations, "times": len(times)}


def changes(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the scenario changes about its network, in words, in the order of time."""
    found = []
    for path, change in _listed(data, ()):
        what = ", ".join(_said(key, value) for key, value in change.items() if key != "at")
        found.append({"t_s": seconds(change["at"], "at"), "text": f"{'.'.join(path)}: {what}"})
    return sorted(found, key=lambda one: (one["t_s"], one["text"]))


def _listed(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    if not isinstance(value, Mapping):
        return
    for key, item in value.items():
        if key == "changes" and isinstance(item, list):
            yield from ((path, change) for change in item if isinstance(change, Mapping) and "at" in change)
        else:
            yield from _listed(item, (*path, key))


def _said(key: str, value: Any) -> str:
    if key == "up":
        return "up again" if value else "down"
    if isinstance(value, Mapping):
        inner = " ".join(f"{name} {item}" for name, item in value.items() if name != "kind")
        return f"{key} {value.get('kind', '')} {inner}".strip()
    return f"{key} {value}"
