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
    "C1": "Iridium with ten stations, TCP, constant rates and a session of layers between them, 1000 s",
    "C1-static": "the same traffic over as many nodes and links that stay as they are",
}
REFERENCE = ("L1", "L2", "M1", "M2")
"""What is measured unless asked for otherwise."""
UNICAST = tuple(name for name in LOADS if name.startswith("L"))
"""Loads of flows between two endpoints."""

_AMPLE = {"kind": "drop-tail", "limit": "1000000 packets"}


def load(name: str, *, calendar: str = "wheel") -> dict[str, Any]:
    """The scenario of a load."""
    return {
        "format": 1,
        "name": name,
        **_KINDS[name[0]](name),
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


_STATIONS = {
    "berkeley": (37.9, -122.3),
    "boston": (42.3, -71.1),
    "cairo": (30.0, 31.2),
    "delhi": (28.6, 77.2),
    "lima": (-12.0, -77.0),
    "london": (51.5, -0.1),
    "nairobi": (-1.3, 36.8),
    "reykjavik": (64.1, -21.9),
    "sydney": (-33.9, 151.2),
    "tokyo": (35.7, 139.7),
}
"""Latitude and longitude, degrees."""
_OVERHEAD = {
    "berkeley": (3, 5),
    "boston": (5, 5),
    "cairo": (2, 1),
    "delhi": (3, 2),
    "lima": (4, 6),
    "london": (1, 3),
    "nairobi": (2, 11),
    "reykjavik": (6, 4),
    "sydney": (6, 10),
    "tokyo": (5, 2),
}
"""Plane and slot of the satellite on which a station hangs when C1 begins."""
_PLANES, _SLOTS = 6, 11


def _constellation(name: str) -> dict[str, Any]:
    """Each station sends by TCP to the one five places on, a constant rate to the one three places on.

    A session of four layers goes from the first station to all others. Everything has 1.5 Mb/s but the links between
    satellites, which have 25 Mb/s, and a queue of 50 packets.
    """
    names = list(_STATIONS)
    ends = [{"from": names, "to": names[on:] + names[:on], "count": len(names)} for on in (5, 3)]
    flows = {
        "ftp": {"kind": "tcp", "variant": "newreno", "wnd": "64 packets", **ends[0]},
        "voice": {"kind": "cbr", "rate": "100 kbit/s", "packet_size": "500 B", **ends[1]},
    }
    film = {"scheme": "layered-cbr", "source": names[0], "receivers": {"nodes": names[1:]}}
    ground = _static() if name == "C1-static" else _iridium()
    return {"duration": "1000 s", **ground, "flows": flows, "sessions": {"film": film}}


def _iridium() -> dict[str, Any]:
    stations = {name: {"latitude": north, "longitude": east} for name, (north, east) in _STATIONS.items()}
    return {"topology": {"kind": "constellation", "shell": "iridium"}, "stations": stations}


def _static() -> dict[str, Any]:
    """Rings of satellites, five links from each ring to the next, a station on each of ten of them."""
    queue = {"kind": "drop-tail", "limit": "50 packets"}
    plain = {"queue": queue, "header": "16 B"}
    isl = {"rate": "25 Mbit/s", "delay": "13 ms", **plain}
    ground = {"rate": "1.5 Mbit/s", "delay": "5 ms", **plain}
    satellite = "sat-{}-{}".format
    places = [(plane, slot) for plane in range(1, _PLANES + 1) for slot in range(1, _SLOTS + 1)]
    links = {}
    for plane, slot in places:
        here = satellite(plane, slot)
        ahead = satellite(plane, slot % _SLOTS + 1)
        links[f"ring-{plane}-{slot}"] = {"from": here, "to": ahead, **isl}
        if plane < _PLANES:
            links[f"across-{plane}-{slot}"] = {"from": here, "to": satellite(plane + 1, slot), **isl}
    for name, place in _OVERHEAD.items():
        links[f"ground-{name}"] = {"from": name, "to": satellite(*place), **ground}
    nodes = [satellite(*place) for place in places] + list(_STATIONS)
    return {"nodes": {node: {} for node in nodes}, "links": links}


_KINDS = {"L": _flows, "M": _multicast, "C": _constellation}
