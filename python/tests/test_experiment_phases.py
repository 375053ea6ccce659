"""One rule for all experiments: what is judged is not left to the phases of packets at drop-tail queues."""

from __future__ import annotations

from typing import Any

import pytest

from faircast.experiments import REGISTRY, load
from faircast.experiments.jitter import left_to_phases, one_packet
from faircast.scenario import resolve

TCP = {"kind": "tcp", "count": 2}


def dumbbell(**entries: Any) -> Any:
    """Two TCPs over 1 Mbit/s, with changes."""
    return resolve(
        {
            "format": 1,
            "name": "phases",
            "duration": "10 s",
            "topology": {"kind": "dumbbell", "left": 2, "right": 2},
            "links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "20 ms", **entries.pop("link", {})}},
            "flows": {"tcp": TCP | entries.pop("tcp", {}), **entries},
        }
    )


def test_the_time_of_a_packet() -> None:
    # 1000 B are 8000 bit, which take 8 ms at 1 Mbit/s.
    assert one_packet(1000, 1) == {"send_jitter": "8 ms"}
    assert one_packet(552, 0.3) == {"send_jitter": "14.72 ms"}


@pytest.mark.parametrize(
    ("changes", "flows"),
    [
        ({}, ["tcp-0", "tcp-1"]),
        ({"tcp": {"send_jitter": "8 ms"}}, []),
        ({"tcp": {"send_jitter": "7 ms"}}, ["tcp-0", "tcp-1"]),
        ({"tcp": {"count": 1}}, []),
        ({"tcp": {"segments": 50}}, []),
        ({"link": {"queue": {"kind": "red"}}}, []),
        ({"tcp": {"mss": ["1000 B", "500 B"], "send_jitter": "4.5 ms"}}, ["tcp-0"]),
        ({"tcp": {"send_jitter": "9 ms"}, "cbr": {"kind": "cbr", "rate": "200 kbit/s", "jitter": 0.0}}, ["cbr"]),
        ({"tcp": {"send_jitter": "9 ms"}, "cbr": {"kind": "cbr", "rate": "200 kbit/s", "jitter": 0.5}}, []),
    ],
)
def test_who_sends_in_phase(changes: dict[str, Any], flows: list[str]) -> None:
    assert left_to_phases(dumbbell(**changes)) == dict.fromkeys(flows, "bottleneck")


@pytest.mark.parametrize("name", REGISTRY)
def test_what_is_judged_is_not_left_to_phases(name: str) -> None:
    seen = set()
    for point in load(name).points(False):
        if point.beside or point.phases:
            continue
        scenario = resolve(point.scenario_of(1))
        if scenario.hash not in seen:
            seen.add(scenario.hash)
            assert not left_to_phases(scenario), (name, point.key)
