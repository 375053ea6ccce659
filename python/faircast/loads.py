"""The reference loads of ``faircast bench``: flows over a dumbbell, multicast to many. See ``docs/benchmarks.md``."""

from __future__ import annotations

from typing import Any

LOADS = {
    "L1": "dumbbell, 10 NewReno flows, 100 Mb/s, 60 s",
    "L2": "the same with 100 flows, 1 Gb/s, 10 s",
    "M1": "star, 10 Mb/s constant rate to 1000 receivers, 10 s",
    "M2": "binary tree, 10 Mb/s constant rate to 1024 leaves, 10 s",
    "L2-10": "L2 with 10 flows",
    "L2-1000": "L2 with 1000 flows",
    "L2-even": "L2 with access links of 1.01 Gb/s, without the resonance of L2",
    "M3": "binary tree, TFMCC to 10 000 receivers, 21 s, of which 10 s at 10 Mb/s",
}
REFERENCE = ("L1", "L2", "M1", "M2")
"""What is measured unless asked for otherwise."""
UNICAST = tuple(name for name in LOADS if name.startswith("L"))
"""Those of flows between two endpoints."""

_AMPLE = {"kind": "drop-tail", "limit": "1000000 packets"}


def load(name: str, *, calendar: str = "wheel") -> dict[str, Any]:
    """The scenario of a load."""
    return {
        "format": 1,
        "name": name,
        **(_flows(name) if name in UNICAST else _multicast(name)),
        "probes": {"flows": False, "links": False, "events": False},
        "engine": {"calendar": calendar},
    }


_SETTINGS = {
    "L1": (10, "100 Mbit/s", "1 Gbit/s", "60 s"),
    "L2": (100, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-10": (10, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-1000": (1000, "1 Gbit/s", "1 Gbit/s", "10 s"),
    "L2-even": (100, "1 Gbit/s", "1.01 Gbit/s", "10 s"),
}


def _flows(name: str) -> dict[str, Any]:
    """Windows never bind, every packet is acknowledged, only the bottleneck drops."""
    flows, rate, access_rate, duration = _SETTINGS[name]
    return {
        "duration": duration,
        "topology": {
            "kind": "dumbbell",
            "left": flows,
            "right": flows,
            "access": {"rate": access_rate, "delay": "1 ms", "queue": _AMPLE},
            "bottleneck": {
                "rate": rate,
                "delay": "20 ms",
                "queue": {"kind": "drop-tail", "limit": "1000 packets"},
            },
        },
        "flows": {
            "ftp": {"kind": "tcp", "variant": "newreno", "count": flows, "mss": "960 B", "wnd": "100000 packets"}
        },
    }


def _multicast(name: str) -> dict[str, Any]:
    """1000 B packets; all links have 100 Mb/s, that of the source 1 ms, all others 5 ms; nothing is lost."""
    access = {"rate": "100 Mbit/s", "delay": "1 ms"}
    below = {"rate": "100 Mbit/s", "delay": "5 ms"}
    sides = {"access": access, "access_right": below}
    receivers = {"M1": 1000, "M2": 1024, "M3": 10_000}[name]
    topology: dict[str, Any]
    if name == "M1":
        topology = {"kind": "star", "right": receivers, **sides}
    else:
        depth = (receivers - 1).bit_length()
        topology = {"kind": "tree", "depth": depth, "branch": below, **sides}
    scheme = {"scheme": "cbr", "rate": "10 Mbit/s"} if name != "M3" else {"scheme": "tfmcc", "max_rate": "10 Mbit/s"}
    session = {**scheme, "packet_size": "1000 B", "source": "left-0", "receivers": {"count": receivers}}
    # TFMCC is in slow start for 11 s.
    duration = "21 s" if name == "M3" else "10 s"
    return {"duration": duration, "topology": topology, "sessions": {"video": session}}
