"""The reference loads of ``faircast bench``: N NewReno flows over a dumbbell. See ``docs/benchmarks.md``."""

from __future__ import annotations

from typing import Any

LOADS = {
    "L1": "dumbbell, 10 NewReno flows, 100 Mb/s, 60 s",
    "L2": "the same with 100 flows, 1 Gb/s, 10 s",
    "L2-10": "L2 with 10 flows",
    "L2-1000": "L2 with 1000 flows",
    "L2-even": "L2 with access links of 1.01 Gb/s, without the resonance of L2",
}
REFERENCE = ("L1", "L2")
"""What is measured unless asked for otherwise."""

_SETTINGS = {
    "L1": (10, "100 Mbit/s", "1 Gbit/s", "60 s"),
    "L2": (100, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-10": (10, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-1000": (1000, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-even": (100, "1 Gbit/s", "1.01 Gbit/s", "10 s"),
}


def load(name: str, *, calendar: str = "wheel") -> dict[str, Any]:
    """The scenario of a load. Windows never bind, every packet is acknowledged, only the bottleneck drops."""
    flows, rate, access_rate, duration = _SETTINGS[name]
    ample = {"kind": "drop-tail", "limit": "1000000 packets"}
    return {
        "format": 1,
        "name": name,
        "duration": duration,
        "topology": {
            "kind": "dumbbell",
            "left": flows,
            "right": flows,
            "access": {"rate": access_rate, "delay": "1 ms", "queue": ample},
            "bottleneck": {
                "rate": rate,
                "delay": "20 ms",
                "queue": {"kind": "drop-tail", "limit": "1000 packets"},
            },
        },
        "flows": {
            "ftp": {"kind": "tcp", "variant": "newreno", "count": flows, "mss": "960 B", "wnd": "100000 packets"}
        },
        "probes": {"flows": False, "links": False, "events": False},
        "engine": {"calendar": calendar},
    }
