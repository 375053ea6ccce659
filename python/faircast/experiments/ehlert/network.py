"""The network of the paper's simulations (Fig. 1): a satellite branch, and with it a terrestrial one.

The way to a receiver behind the satellite is sender - router - earth station - satellite - receiver; the last two links
take 125 ms each, and every receiver has a downlink of 300 kbit/s and an uplink of 8 kbit/s. Bits are lost on downlinks
only. Receiver 1 has a TCP flow beside MLDA, receiver 2 has MLDA alone. The terrestrial branch is router - node -
receiver with 768 kbit/s down and 128 kbit/s up, and has two such receivers, 3 and 4. Packets of MLDA have 512 B on the
wire, segments of TCP 512 B and a header of 40 B, windows 64 packets; there are three layers, LDA+, and 600 s.

That is the paper's; what follows is choice, the same for all tables and figures. Sender - router and router - earth
station take 10 ms (the base round-trip time is 540 ms then, of which 270 ms are "exactly half"), the terrestrial links
10 ms each; what is no access link has 10 Mbit/s and a queue that never fills.

* Each receiver has an uplink to itself: "receivers are supposed to be full-duplex capable with a downlink bandwidth of
  300 kbits/s and an uplink of 8 kbits/s" gives both in one breath, and the downlink is each receiver's own, as 82 % of
  it at one receiver and 82 % at the other do not fit into one. One link for all is a reading beside.
* Each downlink has a drop-tail queue of 50 packets, ns-2's default, and so has each uplink, which acknowledgements and
  reports share.
* TCP acknowledges every second packet. ns-2's default is every packet, but 8 kbit/s carry 25 acknowledgements a second:
  50 places hold nearly all that a window of 64 packets brings forth, a few in a hundred are dropped, and TCP gets 110
  kbit/s, whichever it is, where Tables 1 and 3 have up to 144. A queue of 10, which drops more of them, is crossed.
* MLDA uses the loss of 8 report intervals: the paper says that rates follow "the error loss rate", and that
  receivers with and without TCP measure the same; an interval of 5 s has some 150 packets, in which an error rate of
  0.4 % cannot be seen. The literal one, "a period of time", is one interval, and stands beside.
* TCP begins in the first second and sends up to a packet's time of the downlink late, at random: otherwise the phases
  of packets decide whose are dropped. The paper has nothing of it, and the run without stands beside.

TCP is that of ns-2, which the paper ran: its window grows by ACKs, so half as fast with delayed ones. Reports of MLDA
go to the sender alone. A group that is left stops at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from faircast.experiments.jitter import one_packet

SESSION = "mlda"
TCPS: dict[str, str] = {
    "reno": "Reno",
    "westwood": "Westwood",
    "hybla-25": "Hybla-25",
    "hybla-270": "Hybla-270",
}
"""TCP as the paper's tables have it; the number is Hybla's RTT_0 in ms."""
RENO, WESTWOOD, HYBLA_25, HYBLA_270 = TCPS
LOW_BER, HIGH_BER = 1e-8, 1e-6
DURATION_S = 600.0
INTERVAL_S = 5.0
"""Rates over time are means over so long, and MLDA's reports are as far apart (both are choice)."""
SATELLITE, TERRESTRIAL = "sat", "ter"
LINK_KBPS = {SATELLITE: 300.0, TERRESTRIAL: 768.0}
DELAYED, WIDE, EVERY = "8 kbit/s, delayed ACKs", "64 kbit/s", "8 kbit/s, every packet acknowledged"
UPLINKS: dict[str, tuple[float, bool]] = {DELAYED: (8, True), WIDE: (64, False), EVERY: (8, False)}
"""Of the satellite branch: kbit/s, and whether TCP's acknowledgements are delayed."""
SEGMENT_B = 552
"""Of TCP on the wire."""
PLENTY = {"rate": "10 Mbit/s", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}
Changes = tuple[tuple[str, Any], ...]
"""Parameters by their names; in a table of parameters ``TABLE.NAME``."""


@dataclass(frozen=True)
class Branch:
    """What is measured in a branch, by the names that results have."""

    shared: str
    """The receiver with a TCP flow beside it."""
    alone: str
    """The first of those that have MLDA alone."""
    tcp: str
    kbps: float
    """Of its access links."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One scenario, and the key of its point."""

    tcp: str = RENO
    """Of `TCPS`, in the satellite branch."""
    ber: float = LOW_BER
    rule: str = ""
    """Of loss differentiation: ``ias``, ``mbiaz`` or ``oracle``; empty: losses are not told apart."""
    minimum: str = "rate"
    """Over what the scheme takes T_min: ``rate`` or ``session``; of no meaning without a rule."""
    loss_window: int = 8
    uplink: str = DELAYED
    """Which uplink, of `UPLINKS`."""
    recovery: str = "newreno"
    """How Hybla recovers from losses."""
    layers: int = 3
    terrestrial: bool = False
    """Whether there is a terrestrial branch beside."""
    receivers: int = 2
    """Behind the satellite."""
    queue: int = 50
    """Of a downlink, packets."""
    one_uplink: bool = False
    """Whether all receivers behind the satellite answer over one link, instead of each over its own."""
    uplink_queue: int = 50
    """Of an uplink behind the satellite, packets."""
    jitter: bool = True
    """Whether TCP sends up to a packet's time late, so that phases do not decide."""
    feeder_ms: float = 10
    """What sender - router takes, and router - earth station."""
    ground_tcp: str = RENO
    """Of `TCPS`, in the terrestrial branch."""
    leave_s: float = 0.0
    """How long a group that has been left goes on to come."""
    mlda: Changes = ()
    flow: Changes = ()
    """Of TCP in the satellite branch."""
    fine: bool = False
    """Whether it is kept what links drop and when layers are joined."""

    @property
    def probe_s(self) -> float:
        """How far rows of results are apart."""
        return 0.5 if self.fine else INTERVAL_S

    @property
    def branches(self) -> dict[str, Branch]:
        """The branches by their names."""
        found = {SATELLITE: self._branch(SATELLITE, 0)}
        if self.terrestrial:
            found[TERRESTRIAL] = self._branch(TERRESTRIAL, self.receivers)
        return found

    def scenario(self, **more: Any) -> dict[str, Any]:
        """The scenario; `more` is added at its top."""
        hosts = [f"{SATELLITE}-{i}" for i in range(self.receivers)]
        nodes = ["sender", "router", "station", "satellite", *hosts]
        links: dict[str, Any] = {
            "feeder": _plenty("sender", "router", self.feeder_ms),
            "ground": _plenty("router", "station", self.feeder_ms),
            "uplink": _plenty("station", "satellite", 125),
        }
        up_kbps, delayed = UPLINKS[self.uplink]
        up = _queued(up_kbps, self.uplink_queue)
        above = "satellite"
        if self.one_uplink:
            # What comes back from all dishes meets at one narrow link of no length, before the way to the satellite.
            above = "return"
            nodes.append(above)
            links["returns"] = _plenty("satellite", above, 0) | {"back": up}
            up = PLENTY
        for host in hosts:
            links[f"down-{host}"] = self._access(above, host, 125, LINK_KBPS[SATELLITE], up) | {
                "loss": {"kind": "bit-error", "ber": self.ber, "direction": "forward"}
            }
        flows = {f"tcp-{SATELLITE}": self._tcp(hosts[0], SATELLITE, delayed) | nested(self.flow)}
        if self.terrestrial:
            own = [f"{TERRESTRIAL}-{i}" for i in range(2)]
            nodes += ["node", *own]
            links["street"] = _plenty("router", "node", 10)
            for host in own:
                links[f"down-{host}"] = self._access("node", host, 10, LINK_KBPS[TERRESTRIAL], _queued(128, 50))
            ground = replace(self, tcp=self.ground_tcp)
            flows[f"tcp-{TERRESTRIAL}"] = ground._tcp(own[0], TERRESTRIAL, delayed=True)
            hosts += own
        return {
            "format": 1,
            "name": f"{self.tcp}-{self.ber:g}" + (f"-{self.rule}" if self.rule else ""),
            "duration": f"{DURATION_S:g} s",
            "warmup": "0 s",
            "nodes": {node: {} for node in nodes},
            "links": links,
            "flows": flows,
            "sessions": {SESSION: self._session(hosts)},
            "probes": {"interval": f"{self.probe_s:g} s", "flows": True, "links": self.fine, "events": self.fine},
        } | more

    def _branch(self, name: str, first: int) -> Branch:
        return Branch(f"{SESSION}-{first}", f"{SESSION}-{first + 1}", f"tcp-{name}", LINK_KBPS[name])

    def _access(self, begin: str, end: str, delay_ms: float, down_kbps: float, back: dict[str, Any]) -> dict[str, Any]:
        return {
            "from": begin,
            "to": end,
            "delay": f"{delay_ms:g} ms",
            **_queued(down_kbps, self.queue),
            "back": back,
        }

    def _tcp(self, host: str, branch: str, delayed: bool) -> dict[str, Any]:
        name, _, rtt0_ms = self.tcp.partition("-")
        hybla = {"hybla": {"rtt0": f"{rtt0_ms} ms"}, "recovery": self.recovery} if rtt0_ms else {}
        jitter = one_packet(SEGMENT_B, LINK_KBPS[branch] / 1000) if self.jitter else {}
        return {
            "kind": "tcp",
            "variant": name,
            "profile": "ns2",
            "from": "sender",
            "to": host,
            "mss": "512 B",
            "hdr": "40 B",
            "ack_size": "40 B",
            "wnd": "64 packets",
            "delayed_ack": delayed,
            "start_jitter": "1 s",
            **hybla,
            **jitter,
        }

    def _session(self, hosts: list[str]) -> dict[str, Any]:
        session: dict[str, Any] = {
            "scheme": "mlda",
            "source": "sender",
            "receivers": {"nodes": hosts},
            "membership": {"leave_delay": f"{self.leave_s:g} s"},
            "layers": self.layers,
            "packet_size": "512 B",
            "report_interval": f"{INTERVAL_S:g} s",
            "rate_rule": "lda+",
            "loss_window": self.loss_window,
            "reports_to": "sender",
        }
        if self.rule:
            minimum = {} if self.rule == "oracle" else {"window": self.minimum}
            session["loss_differentiation"] = {"rule": self.rule} | minimum
        return session | nested(self.mlda)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What is assumed of all that the paper leaves open."""

    loss_window: int = 8
    """MLDA's rate follows the loss over so many intervals."""
    uplink: str = DELAYED
    recovery: str = "newreno"
    rule: str = ""
    minimum: str = "rate"
    layers: int = 3
    one_uplink: bool = False
    uplink_queue: int = 50
    jitter: bool = True

    def case(self, tcp: str, ber: float = LOW_BER, *, terrestrial: bool = False) -> Case:
        """The scenario with this TCP."""
        return Case(
            tcp=tcp,
            ber=ber,
            terrestrial=terrestrial,
            loss_window=self.loss_window,
            uplink=self.uplink,
            recovery=self.recovery if tcp in (HYBLA_25, HYBLA_270) else "newreno",
            rule=self.rule,
            minimum=self.minimum if self.rule else "rate",
            layers=self.layers,
            one_uplink=self.one_uplink,
            uplink_queue=self.uplink_queue,
            jitter=self.jitter,
        )

    def told_apart(self, rule: str = "ias", minimum: str = "rate") -> Reading:
        """The reading with loss differentiation."""
        return replace(self, rule=rule, minimum=minimum)

    def not_told_apart(self) -> Reading:
        """The reading without loss differentiation."""
        return replace(self, rule="", minimum="rate")


MAIN = Reading()
READINGS: dict[str, Reading] = {
    "": MAIN,
    "loss of the last interval": Reading(loss_window=1),
    "uplink of 64 kbit/s": Reading(uplink=WIDE),
    "every packet acknowledged": Reading(uplink=EVERY),
    "Hybla with SACK": Reading(recovery="sack"),
    "one uplink for all": Reading(one_uplink=True),
    "TCP without jitter": Reading(jitter=False),
    "fitted, best of 16": Reading(loss_window=1, uplink=EVERY, uplink_queue=10, one_uplink=True),
}
"""The first is judged. The last was taken because of what came out: of those that ehlert-x4 crosses it has the most
cells of all tables; it is never judged."""


def nested(changes: Changes) -> dict[str, Any]:
    """Parameters as a table of tables."""
    found: dict[str, Any] = {}
    for name, value in changes:
        *tables, last = name.split(".")
        place = found
        for table in tables:
            place = place.setdefault(table, {})
        place[last] = value
    return found


def _plenty(begin: str, end: str, delay_ms: float) -> dict[str, Any]:
    return {"from": begin, "to": end, "delay": f"{delay_ms:g} ms"} | PLENTY


def _queued(kbps: float, packets: int) -> dict[str, Any]:
    return {"rate": f"{kbps:g} kbit/s", "queue": {"kind": "drop-tail", "limit": f"{packets} packets"}}
