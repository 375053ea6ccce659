"""The network of Fig. 4 of the paper, its sessions, and its three scenarios.

Five sources reach the gateway terminal G over a router and links of 5 Mbit/s; from G all sessions go up to one
satellite, over links between satellites, and down to a terminal each. Two sessions are multicast, 15 layers of
50 kbit/s; three are TCP. That is the paper's. What follows is choice: the numbers of ns-2's example of an Iridium-like
constellation, from which the paper has its satellites (uplinks and downlinks of 1.5 Mbit/s, drop-tail queues of 50
packets, a header of 16 B, hand-offs looked for every 10 s, randomised), where the terminals are, 2 ms for each link on
the ground, packets of 1000 B with gaps between half and one and a half times the nominal one, Reno with an ACK for each
packet, as in ns-2, which begins in the first second of its time.

Two things decide much. The paper states no window: ns-2's own is 20 packets, which holds a flow for a part of the time,
and the analysis of the paper has none that binds, as 64 packets do not. All is run and judged with both. And whose
packets the full queue drops must not follow from their phases: before each packet TCP waits for a random time of up to
a packet's at the uplink. What the main results are without it stands beside.

Where the constellation is when the run starts goes with the seed: five offsets, two of ten seeds for each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from faircast.experiment import Point
from faircast.experiments.jitter import one_packet
from faircast.experiments.peng.course import WINDOW_S, course

MULTICAST = ("multicast-1", "multicast-2")
TCPS = ("tcp-0", "tcp-1", "tcp-2")
SESSIONS = (*MULTICAST, *TCPS)
GATEWAY = {"latitude": 37.9, "longitude": -122.3}
TERMINALS = {
    "boston": (42.3, -71.1),
    "new-york": (40.7, -74.0),
    "washington": (38.9, -77.0),
    "atlanta": (33.7, -84.4),
    "miami": (25.8, -80.2),
}
"""Latitude and longitude, in the order of the sessions."""
UPLINK = "gateway-up"
LIMIT_PKTS = 50
UPLINK_KBYTES_S = 1500 / 8
WIRE_KBYTES_S = 5000 / 8
DURATION_S, WARMUP_S = 1500, 100
JOIN_STEP_S = 100
"""Of several receivers of a session, from the join of one to that of the next."""
ORBIT_S, OFFSETS = 6026.96, 5
LAYERS, LAYER_KBPS = 15, 50
RLM_KBPS = (32, 64, 128, 256, 1024)
"""As the paper prints it; going on as it begins would be 512."""

STARTS_S = {
    1: dict.fromkeys(SESSIONS, 0),
    2: dict.fromkeys(SESSIONS, 0) | {"tcp-1": 500, "tcp-2": 1000},
    3: dict.fromkeys(SESSIONS, 0) | {"multicast-1": 500, "multicast-2": 1000},
}
"""When the sessions of each of the paper's scenarios start."""
PERIODS_S = ((0, 500), (500, 1000), (1000, 1500))
LATE_S = 400
"""Of each period of scenarios 2 and 3 its last 400 s are judged."""
TCP: dict[str, Any] = {
    "kind": "tcp",
    "variant": "reno",
    "profile": "ns2",
    "mss": "1000 B",
    "hdr": "0 B",
    "ack_size": "40 B",
    "start_jitter": "1 s",
}
"""A flow, which is that of ns-2, as the paper's simulations were."""
PACKET_BYTES, HEADER_BYTES = 1000, 16
WINDOWS = {"window 20": 20, "window 64": 64}
"""TCP's window in packets, by what the reading with it is called; the first is ns-2's own. Both are judged."""
DEPENDS = "window"
"""What these readings differ in."""
TREATMENTS = {"keep": "packets kept at hand-offs", "lose": "packets lost at hand-offs"}
"""What becomes of packets that wait when a terminal is handed off: they stay (our default), or nobody receives them
(ns-2). Verdicts are of the first."""
IN_PHASE = "TCP without random delays"
NAMES = {
    "multicast-1": "multicast 1",
    "multicast-2": "multicast 2",
    "tcp-0": "TCP 1",
    "tcp-1": "TCP 2",
    "tcp-2": "TCP 3",
}
"""What sessions and flows are called in texts and figures."""
CAPTIONS = {
    1: "all five sessions from the start",
    2: "two TCP flows begin later, at 500 and 1000 s",
    3: "the multicast sessions begin later, at 500 and 1000 s",
}
"""The paper's scenarios in words."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One scenario, and the key of its point."""

    scenario: int = 1
    """Of the paper's three."""
    rlm: str = ""
    """The profile of RLM, ``ns2`` or ``mended``; with layer blocking nothing."""
    leave_s: int = 2
    """How long a left group goes on to come, in sessions of RLM."""
    top_kbps: int = RLM_KBPS[-1]
    """RLM's highest layer."""
    handoff: str = "keep"
    """What becomes of packets at a hand-off, of `TREATMENTS`."""
    reset: str = "calm"
    """When the observation time of blocking returns to its first value; with ``never`` it does not."""
    downlink_loss: float = 0.0
    """The part of the packets that each terminal's downlink loses."""
    greedy: bool = False
    """Whether the receiver of the second session holds all layers whatever comes of them."""
    outage: bool = False
    """Whether the uplink is down from 500 to 505 s."""
    alone: bool = False
    """Whether the multicast sessions are without TCP."""
    window: int = WINDOWS["window 20"]
    """TCP's, packets."""
    in_phase: bool = False
    """Whether TCP sends without random delays."""
    doubling: bool = False
    """Whether layer blocking has RLM's layers, most of them twice as large as the one below."""
    flows_of_pair: int = 1
    """How many TCP flows there are from the first TCP's host to its terminal."""
    unicast: str = "flow"
    """What is one unicast session to the agent: a ``flow``, or a ``pair`` of hosts."""
    receivers: int = 1
    """How many each multicast session has, at a terminal each."""

    def of_seed(self, seed: int) -> dict[str, Any]:
        """The scenario of a seed."""
        stations = {name: {"latitude": lat, "longitude": lon} for name, (lat, lon) in TERMINALS.items()}
        sources: dict[str, Any] = {f"source-{i}": {} for i in range(len(SESSIONS))}
        ground = {"rate": f"{8 * WIRE_KBYTES_S:g} kbit/s", "delay": "2 ms"}
        links: dict[str, Any] = {
            f"access-{i}": {"from": name, "to": "router"} | ground for i, name in enumerate(sources)
        }
        links["wire"] = {"from": "router", "to": "gateway"} | ground
        if self.outage:
            links[UPLINK] = {"changes": [{"at": "500 s", "up": False}, {"at": "505 s", "up": True}]}
        lossy = {"loss": {"kind": "bernoulli", "p": self.downlink_loss}} if self.downlink_loss else {}
        return {
            "format": 1,
            "name": self.name,
            "duration": f"{DURATION_S} s",
            "warmup": f"{self.judged_s[0]} s",
            "topology": {
                "kind": "constellation",
                "shell": "iridium",
                "start": f"{offset_s(seed):g} s",
                "handoff_jitter": "5 s",
                "handoff_queue": self.handoff,
                "downlink": lossy,
            },
            "stations": stations | {"gateway": GATEWAY | {"uplink": self._uplink()}},
            "nodes": sources | {"router": {}},
            "links": links,
            "flows": self._flows(),
            "sessions": {name: self._session(i) for i, name in enumerate(MULTICAST)},
            "probes": {"interval": f"{WINDOW_S} s", "flows": True, "links": False, "events": True},
        }

    @property
    def name(self) -> str:
        """Of its runs in tables."""
        parts = [f"peng-{self.scenario}", self.handoff]
        if self.rlm:
            parts += [f"rlm-{self.rlm}", f"leave{self.leave_s}", f"{self.top_kbps}kbps"]
        elif self.reset != "calm":
            parts.append(f"reset-{self.reset}")
        if self.flows_of_pair > 1:
            parts.append(f"pair-of-{self.flows_of_pair}")
        if self.unicast != "flow":
            parts.append(f"by-{self.unicast}")
        if self.receivers > 1:
            parts.append(f"receivers{self.receivers}")
        if self.downlink_loss:
            parts.append(f"loss{self.downlink_loss:g}")
        parts += [word for word in ("greedy", "outage", "alone", "doubling") if getattr(self, word)]
        return "-".join(
            [*parts, *([] if self.alone else [f"w{self.window}"]), *(["in-phase"] if self.in_phase else [])]
        )

    def start_s(self, session: str) -> int:
        """When a session starts."""
        return STARTS_S[self.scenario][session]

    @property
    def layers_kbps(self) -> list[int]:
        """The rate of each layer of its sessions."""
        return [*RLM_KBPS[:-1], self.top_kbps] if self.rlm or self.doubling else [LAYER_KBPS] * LAYERS

    @property
    def judged_s(self) -> tuple[int, int]:
        """From when to when its means are: all sessions, and all receivers, are there since 100 s."""
        return WARMUP_S + (self.receivers - 1) * JOIN_STEP_S, DURATION_S

    def point(self, *, beside: bool = False) -> Point:
        """Its point, of which the course of every run is kept; or that of a reading that is not judged."""
        return Point(key=self, scenario=self.of_seed, reduce=partial(course, UPLINK, MULTICAST), beside=beside)

    def _uplink(self) -> dict[str, Any]:
        if self.rlm:
            return {}
        return {"agent": {"kind": "layer-blocking", "reset": self.reset, "unicast": self.unicast}}

    def _flows(self) -> dict[str, Any]:
        if self.alone:
            return {}
        more = {f"{TCPS[0]}-{i}": SESSIONS.index(TCPS[0]) for i in range(1, self.flows_of_pair)}
        return {name: self._tcp(i) for name, i in ({name: SESSIONS.index(name) for name in TCPS} | more).items()}

    def _tcp(self, i: int) -> dict[str, Any]:
        jitter = {} if self.in_phase else one_packet(PACKET_BYTES + HEADER_BYTES, 8 * UPLINK_KBYTES_S / 1000)
        return TCP | {
            "wnd": f"{self.window} packets",
            **jitter,
            "from": f"source-{i}",
            "to": list(TERMINALS)[i],
            "start": f"{self.start_s(SESSIONS[i])} s",
        }

    def _session(self, i: int) -> dict[str, Any]:
        start = f"{self.start_s(SESSIONS[i])} s"
        session: dict[str, Any] = {
            "source": f"source-{i}",
            "start": start,
            "receivers": self._receivers(i),
            "packet_size": "1000 B",
            "jitter": 0.5,
        }
        session["rates"] = [f"{kbps} kbit/s" for kbps in self.layers_kbps]
        if self.rlm:
            membership = {"leave_delay": f"{self.leave_s} s"}
            return session | {"scheme": "rlm", "profile": self.rlm, "membership": membership}
        return session | {"scheme": "layer-blocking", "greedy": self.greedy and i == 1}

    def _receivers(self, i: int) -> dict[str, Any]:
        """The first one at the session's own terminal, the others at the next ones, each later than the one before."""
        terminals = list(TERMINALS)
        nodes = [terminals[(i + k) % len(terminals)] for k in range(self.receivers)]
        return {"nodes": nodes, "join": f"{self.start_s(SESSIONS[i])} s", "join_step": f"{JOIN_STEP_S} s"}


def offset_s(seed: int) -> float:
    """For how long the constellation has gone round when the run of a seed starts."""
    return seed % OFFSETS / OFFSETS * ORBIT_S


def readings(case: Case) -> dict[str, Case]:
    """A case with both windows: what is judged."""
    return {label: replace(case, window=window) for label, window in WINDOWS.items()}


def others(case: Case) -> dict[str, Case]:
    """What stands beside it, with the first window: packets lost at hand-offs, TCP in phase."""
    return {TREATMENTS["lose"]: replace(case, handoff="lose"), IN_PHASE: replace(case, in_phase=True)}


def points_of(case: Case) -> list[Point]:
    """The points of a case in all readings, and of what stands beside."""
    judged = [one.point() for one in readings(case).values()]
    return [*judged, *(one.point(beside=True) for one in others(case).values())]
