"""Pictures of layered sessions: what attempts to join layers cost, and the dilation of links; tables by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import faircast
from faircast import InputError
from faircast.plot.draw import picture
from faircast.plot.recording import Recording


def drawn(axes: Any) -> dict[str, Any]:
    """The lines of a panel by their names in the legend."""
    return {str(line.get_label()): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")}


def made(tables: dict[str, pa.Table], seeds: tuple[int, ...] = (1,)) -> Recording:
    """A recording of these tables, those that are not given being those of a run without anything in them."""
    scenario = faircast.resolve(
        {
            "format": 1,
            "name": "made",
            "duration": "20 s",
            "topology": {"kind": "dumbbell", "left": 1, "right": 2},
            "sessions": {"film": {"scheme": "rlm", "source": "left-0"}},
        }
    )
    receivers = pa.table({"t_s": [1.0, 1.0], "session": ["film"] * 2, "receiver": ["film-0", "film-1"]})
    known = {"receivers": receivers, "handoffs": pa.table({"t_s": pa.array([], pa.float64())}), **tables}
    return Recording(scenario, seeds, lambda _, name: known[name])


def of_attempts(axes: Any) -> list[Any]:
    """The marks of attempts, outcome by outcome."""
    return [found for found in axes.collections if len(found.get_offsets()) and "(" in str(found.get_label())]


def test_attempts_over_the_packets_that_they_add() -> None:
    rows = [
        (1.0, "film-0", "join-succeeded", 5.0, 3.0),
        (2.0, "film-1", "join-succeeded", 5.0, 3.0),
        (3.0, "film-0", "join-succeeded", 0.0, 0.0),
        (4.0, "film-1", "join-failed", 2.0, 2.0),
        (5.0, "film-1", "join-begun", 0.0, 0.0),
        (19.0, "film-1", "join-abandoned", 17.0, 5.0),
        (19.5, "", "rate", math.nan, math.nan),
    ]
    names = ("t_s", "receiver", "event", "packets_added_pkts", "counting_joins")
    events = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))

    def marks(**how: Any) -> dict[str, list[list[float]]]:
        (axes,) = picture(made({"events": events}), "attempts", **how).figure.axes
        return {str(found.get_label()): found.get_offsets().tolist() for found in of_attempts(axes)}

    assert marks() == {
        "succeeded (3)": [[5, 7], [0, 1]],
        "failed: a packet was lost (1)": [[2, 4]],
        "given up (1)": [[17, 10]],
    }
    (axes,) = picture(made({"events": events}), "attempts").figure.axes
    (steps,) = axes.get_lines()
    found = dict(steps.get_xydata().tolist())
    assert [found[n] for n in (0.0, 1.0, 2.0, 4.0, 16.0)] == [1, 3, 5, 7, 11]
    areas = of_attempts(axes)[0].get_sizes()
    assert areas[0] == pytest.approx(areas[1] * 2**0.5)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("packets per period that the attempt added", "joins and leaves")
    assert marks(flows=["film-0"]) == {"succeeded (2)": [[5, 7], [0, 1]]}
    assert marks(start="3.5 s", stop="10 s") == {"failed: a packet was lost (1)": [[2, 4]]}
    # Two seeds that are alike.
    (axes,) = picture(made({"events": events}, (1, 2)), "attempts").figure.axes
    assert of_attempts(axes)[0].get_label() == "succeeded (6)"
    with pytest.raises(InputError, match="in this part of the run nobody tried a layer"):
        marks(start="10 s", stop="12 s")


def test_dilation_of_links_and_sessions() -> None:
    rows = [
        (float(t_s), session, link, 1.1 + add + (0.5 if t_s == 7 else 0.0), 1.0 + add)
        for t_s in range(1, 21)
        for session, link, add in (("film", "a", 0.0), ("film", "b", 0.2), ("film", "c", 0.2), ("talk", "a", 0.1))
        if (session, t_s) != ("talk", 3)
    ]
    names = ("t_s", "session", "link", "dilation_max", "dilation_mean")
    recording = made({"dilation": pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))})
    greatest, mean = picture(recording, "dilation").figure.axes
    lines = drawn(greatest)
    # Links on which it is the same all the time are one line.
    assert list(lines) == ["film on a", "film on b and c", "talk on a"]
    np.testing.assert_allclose(lines["film on b and c"].get_ydata()[[0, 6]], [1.3, 1.8])
    assert math.isnan(lines["talk on a"].get_ydata()[2])
    np.testing.assert_allclose(drawn(mean)["film on b and c"].get_ydata(), 1.2)
    # Of several seconds the greatest, and the mean.
    greatest, mean = picture(recording, "dilation", every="5 s", links=["b"]).figure.axes
    assert list(drawn(greatest)) == ["film on b"]
    np.testing.assert_allclose(drawn(greatest)["film on b"].get_ydata(), [1.3, 1.8, 1.3, 1.3])
    assert list(drawn(picture(recording, "dilation", flows=["talk"]).figure.axes[0])) == ["talk on a"]
    with pytest.raises(InputError, match="there is no session of several groups lecture"):
        picture(recording, "dilation", flows=["lecture"])
    with pytest.raises(InputError, match="there is no link d"):
        picture(recording, "dilation", links=["d"])


def test_runs_without_attempts_or_dilation_say_so() -> None:
    session = {"scheme": "tfmcc", "source": "left-0", "receivers": {"nodes": ["right-0"]}}
    topology = {"kind": "dumbbell", "left": 1, "right": 1}
    result = faircast.run(
        {"format": 1, "name": "one", "duration": "2 s", "topology": topology, "sessions": {"film": session}}
    )
    with pytest.raises(InputError, match="no receiver of the scenario tries layers by counting layers"):
        result.plot.attempts()
    with pytest.raises(InputError, match="no session of several groups has several receivers behind one link"):
        result.plot.dilation()
