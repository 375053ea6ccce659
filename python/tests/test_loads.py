"""The loads of ``faircast bench``: that those of a constellation and of a network that stays are to be compared."""

from __future__ import annotations

import faircast
from faircast.loads import load


def test_constellation_and_static_network_carry_the_same() -> None:
    moving, static = load("C1"), load("C1-static")
    assert moving["flows"] == static["flows"]
    assert moving["sessions"] == static["sessions"]
    assert moving["duration"] == static["duration"]
    # Iridium's 66 satellites and ten stations; 66 links in planes, 55 between them, ten to the ground.
    assert len(static["nodes"]) == 66 + len(moving["stations"])
    assert len(static["links"]) == 66 + 55 + 10
    for scenario in (moving, static):
        assert faircast.problems(scenario) == []
    # Each station hangs on the satellite over it at the start.
    for station in moving["stations"]:
        to = "boston" if station == "berkeley" else "berkeley"
        now = faircast.paths(moving, station, to, until="0 s")
        assert now.way[0].split(" > ")[1] == static["links"][f"ground-{station}"]["to"]
