"""The network of the paper's simulations, as a function of its bottlenecks (Fig. 3, 6, 8 and 10).

The way from the sender to a receiver has four links: sender - A - B - C - receiver. Sender and A are common to all; B-C
is a bottleneck with the TCP flows that compete there, each between hosts of its own at A and C, so that it has the
round-trip time of the receivers. The queue is the paper's: RED, twice the product of bandwidth and delay, thresholds
at 5 and 50 % of that, gentle. That product is taken with the base round-trip time of the whole way (choice: the paper
says "of the link").

What else the paper leaves open is choice: all other links have 1 Gbit/s and drop-tail queues of 1000 packets; packets
of TCP have 1000 B as those of the session do (which Table II implies); Reno has windows of 1000 packets and starts
within the first second; groups that are left stop at once; runs last 200 s; the counting layers have the base
round-trip time for their period. TFMCC is as the paper describes it: no history discounting, and each measurement of
the lead receiver's round-trip time counts for 0.05 in the mean. RED's weight is 0.002 and its probability 0.1, the
defaults of ns-2, which the paper ran; so TCP is that of ns-2, too.

What is judged follows the letter of RFC 4654. The default profile of TFMCC, which comes back sooner after trouble, is
run beside it with all else the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from faircast.experiments.jitter import one_packet

SESSION = "session"
RED, DROP_TAIL = "red", "drop-tail"
SINGLE = "single"
"""In place of what controls each layer: a session of TFMCC alone, without layers."""
LETTER, OURS = "rfc4654", "faircast"
"""Profiles of TFMCC: the letter of the RFC, and the default."""
PACKET_B = 1000
PAPERS_TFMCC: tuple[tuple[str, Any], ...] = (("discounting", False), ("rtt_weight_clr", 0.95))
AMPLE = {"rate": "1 Gbit/s", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}


@dataclass(frozen=True, kw_only=True)
class Tcps:
    """Some TCP flows that cross one bottleneck."""

    count: int = 2
    start_s: float = 0.0
    stop_s: float | None = None
    """None: they stay to the end."""
    jitter_s: float = 1.0
    """Each starts later by a random time of at most so long."""


@dataclass(frozen=True, kw_only=True)
class Stay:
    """When a receiver is there."""

    join_s: float = 0.0
    leave_s: float | None = None
    """None: it stays to the end."""


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """One link B-C with what is behind it."""

    mbps: float
    tcps: tuple[Tcps, ...] = (Tcps(),)
    receivers: tuple[Stay, ...] = (Stay(),)
    link_ms: float | None = None
    """The delay of the three links of its own, A-B, B-C and C-receiver; None: that of the case."""
    queue: str | None = None
    """`RED` or `DROP_TAIL`; None: that of the case."""
    changes: tuple[tuple[float, float], ...] = ()
    """When its rate becomes another one: seconds and Mbit/s."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One scenario, and the key of its point."""

    name: str
    """Of its runs in tables, the part before what controls the layers."""
    bottlenecks: tuple[Bottleneck, ...]
    base_mbps: float = 4.0
    """B_0, the most that layer 0 has."""
    control: str = "tfmcc"
    """What controls each layer, ``tfmcc`` or ``pgmcc``; or `SINGLE`."""
    join: str = "additive"
    """How a layer is joined: ``additive`` or ``direct``."""
    layers: int = 4
    phases: int = 1
    periods_ms: tuple[float, ...] = ()
    """The periods of the sets of counting layers; empty: one set, of the base round-trip time."""
    link_ms: float = 8.0
    """The propagation delay of each of the four links of a way."""
    queue: str = RED
    late_packets: float = 1.0
    """By up to how many packets' times at a drop-tail bottleneck TCP sends each packet late, at random; 0: in phase."""
    rto_min_s: float | None = None
    """The least time-out of TCP; None: that of its profile."""
    leave_s: float = 0.0
    """How long a group that has been left goes on to come."""
    tfmcc: tuple[tuple[str, Any], ...] = PAPERS_TFMCC
    """Parameters of TFMCC, where it is in control."""
    profile: str = LETTER
    """Of TFMCC, where it is in control: `LETTER` or `OURS`."""
    pgmcc: tuple[tuple[str, Any], ...] = ()
    """Parameters of pgmcc, where it is in control."""
    duration_s: float = 200.0
    warmup_s: float = 20.0

    @property
    def rtt_ms(self) -> float:
        """The base round-trip time."""
        return 8 * self.link_ms

    def scenario(self, **more: Any) -> dict[str, Any]:
        """The scenario; `more` is added at its top."""
        nodes: dict[str, Any] = {"sender": {}, "a": {}}
        links: dict[str, Any] = {"sender-a": self._ample("sender", "a", self.link_ms)}
        flows: dict[str, Any] = {}
        for i, bottleneck in enumerate(self.bottlenecks, 1):
            own_ms = self._own_ms(bottleneck)
            b, c = f"b-{i}", f"c-{i}"
            nodes |= {b: {}, c: {}}
            links[f"a-{b}"] = self._ample("a", b, own_ms)
            links[bottleneck_link(i)] = self._bottleneck(bottleneck, b, c)
            for name, tcps in zip(groups(bottleneck, i), bottleneck.tcps, strict=True):
                sources = [f"{name}-source-{k}" for k in range(tcps.count)]
                sinks = [f"{name}-sink-{k}" for k in range(tcps.count)]
                nodes |= {host: {} for host in (*sources, *sinks)}
                links |= {host: self._ample(host, "a", self.link_ms) for host in sources}
                links |= {host: self._ample(c, host, own_ms) for host in sinks}
                flows[name] = _tcp(tcps, sources, sinks) | self._tcp_keys(bottleneck)
        hosts = []
        for number, (i, _) in enumerate(self.stays()):
            host = f"receiver-{number}"
            nodes[host] = {}
            links[host] = self._ample(f"c-{i}", host, self._own_ms(self.bottlenecks[i - 1]))
            hosts.append(host)
        return {
            "format": 1,
            "name": f"{self.name}-{self.control}"
            + ("-default" if self.profile == OURS else "")
            + ("-direct" if self.join == "direct" else ""),
            "duration": f"{self.duration_s:g} s",
            "warmup": f"{self.warmup_s:g} s",
            "nodes": nodes,
            "links": links,
            "flows": flows,
            "sessions": {SESSION: self._session(hosts)},
            "probes": {"flows": True, "links": False, "events": True},
        } | more

    def stays(self) -> list[tuple[int, Stay]]:
        """Of every receiver the number of its bottleneck, from 1, and when it is there; in the order of its number."""
        return [(i, stay) for i, bottleneck in enumerate(self.bottlenecks, 1) for stay in bottleneck.receivers]

    def behind(self, bottleneck: int) -> list[str]:
        """The receivers behind a bottleneck, counted from 1, as results name them."""
        return [f"{SESSION}-{n}" for n, (i, _) in enumerate(self.stays()) if i == bottleneck]

    def tcps(self, bottleneck: int, group: int | None = None) -> list[str]:
        """The TCP flows over a bottleneck, counted from 1, as results name them; of one of its groups, or of all."""
        place = self.bottlenecks[bottleneck - 1]
        return [
            f"{name}-{k}"
            for number, (name, tcps) in enumerate(zip(groups(place, bottleneck), place.tcps, strict=True))
            for k in range(tcps.count)
            if group in (None, number)
        ]

    def _own_ms(self, bottleneck: Bottleneck) -> float:
        return self.link_ms if bottleneck.link_ms is None else bottleneck.link_ms

    def _ample(self, begin: str, end: str, delay_ms: float) -> dict[str, Any]:
        return {"from": begin, "to": end, "delay": f"{delay_ms:g} ms"} | AMPLE

    def _bottleneck(self, bottleneck: Bottleneck, b: str, c: str) -> dict[str, Any]:
        link: dict[str, Any] = {
            "from": b,
            "to": c,
            "rate": f"{bottleneck.mbps:g} Mbit/s",
            "delay": f"{self._own_ms(bottleneck):g} ms",
            "queue": queue(bottleneck.queue or self.queue),
            "back": {"queue": AMPLE["queue"]},
        }
        if bottleneck.changes:
            link["changes"] = [{"at": f"{at:g} s", "rate": f"{mbps:g} Mbit/s"} for at, mbps in bottleneck.changes]
        return link

    def _tcp_keys(self, bottleneck: Bottleneck) -> dict[str, Any]:
        keys = {} if self.rto_min_s is None else {"rto_min": f"{self.rto_min_s:g} s"}
        if (bottleneck.queue or self.queue) == DROP_TAIL and self.late_packets > 0:
            keys |= one_packet(
                self.late_packets * PACKET_B, min([bottleneck.mbps, *(mbps for _, mbps in bottleneck.changes)])
            )
        return keys

    def _session(self, hosts: list[str]) -> dict[str, Any]:
        stays = [stay for _, stay in self.stays()]
        receivers: dict[str, Any] = {"nodes": hosts, "join": [f"{stay.join_s:g} s" for stay in stays]}
        if any(stay.leave_s is not None for stay in stays):
            ends = (self.duration_s if stay.leave_s is None else stay.leave_s for stay in stays)
            receivers["leave"] = [f"{end:g} s" for end in ends]
        session: dict[str, Any] = {
            "source": "sender",
            "receivers": receivers,
            "membership": {"leave_delay": f"{self.leave_s:g} s"},
        }
        tfmcc = {"profile": self.profile} | dict(self.tfmcc)
        if self.control == SINGLE:
            return session | {"scheme": "tfmcc"} | tfmcc
        return session | {
            "scheme": "smcc",
            "control": self.control,
            "base_rate": f"{self.base_mbps:g} Mbit/s",
            "layers": self.layers,
            "join": self.join,
            "rtts": [f"{period:g} ms" for period in self.periods_ms or (self.rtt_ms,)],
            "phases": self.phases,
            self.control: tfmcc if self.control == "tfmcc" else dict(self.pgmcc),
        }


def bottleneck_link(number: int) -> str:
    """The link of a bottleneck, counted from 1, as results name it."""
    return f"bottleneck-{number}"


def groups(bottleneck: Bottleneck, number: int) -> list[str]:
    """The entries of the TCP flows over a bottleneck, counted from 1: ``tcp-3``, ``tcp-3-group-2``, .."""
    return [f"tcp-{number}" if k == 0 else f"tcp-{number}-group-{k + 1}" for k in range(len(bottleneck.tcps))]


def queue(kind: str) -> dict[str, Any]:
    """The queue of a bottleneck: twice the product of bandwidth and delay, with RED the paper's thresholds."""
    if kind == DROP_TAIL:
        return {"kind": kind, "limit": "2 BDP"}
    return {"kind": kind, "limit": "2 BDP", "min_th": "0.1 BDP", "max_th": "1 BDP", "gentle": True}


def _tcp(tcps: Tcps, sources: list[str], sinks: list[str]) -> dict[str, Any]:
    flow = {
        "kind": "tcp",
        "variant": "reno",
        "profile": "ns2",
        "count": tcps.count,
        "from": sources,
        "to": sinks,
        "mss": f"{PACKET_B} B",
        "hdr": "0 B",
        "ack_size": "40 B",
        "wnd": "1000 packets",
        "start": f"{tcps.start_s:g} s",
        "start_jitter": f"{tcps.jitter_s:g} s",
    }
    return flow if tcps.stop_s is None else flow | {"stop": f"{tcps.stop_s:g} s"}
