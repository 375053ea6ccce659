"""Where satellites are, as the core tells Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from faircast import _native
from faircast.scenario import resolve

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def test_satellites_are_listed_time_by_time() -> None:
    """The first of Iridium crosses the equator at Greenwich when the run starts, and again 6026.96 s later."""
    scenario = resolve(EXAMPLES / "berkeley-boston.toml")
    sky = _native.sky(scenario.json, 1, [0.0, 6026.96])
    assert sky is not None
    names, stations = sky["satellites"], {name: place for name, *place in sky["stations"]}
    assert (len(names), names[0], names[-1]) == (66, "sat-1-1", "sat-6-11")
    for name, station in scenario.data["stations"].items():
        assert stations[name] == [station["latitude"], station["longitude"]]
    latitude, longitude, altitude = (
        np.frombuffer(sky[key], "<f4").reshape(2, 66)  # type: ignore[literal-required]
        for key in ("latitude", "longitude", "altitude")
    )
    assert latitude[:, 0] == pytest.approx([0, 0], abs=1e-3)
    # The Earth has turned by 360 * 6026.96 / 86164 degrees.
    assert longitude[:, 0] == pytest.approx([0, -25.181], abs=1e-3)
    assert altitude == pytest.approx(np.full((2, 66), 780e3), abs=1)


def test_what_has_no_satellites_has_no_sky() -> None:
    assert _native.sky(resolve(EXAMPLES / "dumbbell-tcp.toml").json, 1, [0.0]) is None
    with pytest.raises(_native.ScenarioError):
        _native.sky(json.dumps({"format": 1}), 1, [0.0])
