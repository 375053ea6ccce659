"""The cases of compare_ns3.py, each as a scenario of faircast and as what peers/ns3_queues.cc is called with.

Starts and the delays of access links are drawn once for each seed and given to both, so that the phases of the flows
differ from seed to seed and are the same on both sides.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

DURATION_S = 40.0
WARMUP_S = 10.0
LATE_S = 20.0
"""When the later half of the flows of a step of load starts."""
PACKET_BITS = 12_000.0
"""Packets of 1500 B on both sides, with 40 B of headers."""
BOTTLENECK_MS = 5.0
FAR_MS = 5.0
"""Delay of each receiver's access link."""
JITTER = 0.5
"""By which part of a gap the gaps of sources of constant rate vary."""

TCP = {
    "variant": "sack",
    "mss": "1460 B",
    "hdr": "40 B",
    "ack_size": "40 B",
    "initial_cwnd": "2 packets",
    "handshake": True,
    "byte_counting": False,
    "timestamps": True,
    "rto_initial": "1 s",
    "rto_min": "1 s",
    "granularity": "1 ms",
    "delayed_ack": True,
    "delayed_ack_timeout": "40 ms",
}
"""TCP as ns3_queues.cc has it: grows for each ACK, measures every ACK (ns-3 by its history of sent segments)."""

QUEUES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "drop-tail": ({"kind": "drop-tail", "count_transmission": False}, ["--queue=drop-tail"]),
    "codel": ({"kind": "codel", "limit": "1000 packets", "mtu": "1500 B"}, ["--queue=codel", "--limit=1000"]),
    "fq-codel": (
        {"kind": "fq-codel", "limit": "10240 packets", "flows": 65_536, "mtu": "1500 B", "ecn": False},
        ["--queue=fq-codel", "--limit=10240", "--ns3::FqCoDelQueueDisc::UseEcn=0"],
    ),
    "pie": (
        {"kind": "pie", "enhanced": False, "limit": "1000 packets", "ecn": False},
        ["--queue=pie", "--limit=1000", "--ns3::PieQueueDisc::UseCapDropAdjustment=0"],
    ),
    "pie-enhanced": (
        {"kind": "pie", "enhanced": True, "ecn": False},
        [
            "--queue=pie",
            "--ns3::PieQueueDisc::UseDequeueRateEstimator=1",
            "--ns3::PieQueueDisc::UseDerandomization=1",
            "--ns3::PieQueueDisc::ActiveThreshold=40ms",
        ],
    ),
}
"""Each queue here and there. Where RFC 8033 has an option both have it or neither."""
ROOM_MS = 120.0
"""Room of drop-tail and of enhanced PIE, which acts from a third of it on: from 40 ms."""
ECN = {
    "codel": "--ns3::CoDelQueueDisc::UseEcn=1",
    "fq-codel": "--ns3::FqCoDelQueueDisc::UseEcn=1",
    "pie": "--ns3::PieQueueDisc::UseEcn=1",
    "pie-enhanced": "--ns3::PieQueueDisc::UseEcn=1",
}


@dataclass(frozen=True, kw_only=True)
class Load:
    """What is sent over the queue."""

    name: str
    meaning: str
    rate_bps: float = 10e6
    access_ms: tuple[float, ...] = ()
    """Of each TCP flow the delay of its access link before the part that is drawn."""
    late: int = 0
    """So many of them start at `LATE_S`."""
    constant_bps: tuple[float, ...] = ()
    """Of each source of constant rate."""
    ecn: bool = False
    queues: tuple[str, ...] = tuple(QUEUES)
    """Before which queues."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A queue under a load."""

    queue: str
    load: Load

    @property
    def name(self) -> str:
        """As it is called in tables."""
        return f"{self.queue}-{self.load.name}"

    @property
    def rate_bps(self) -> float:
        """Of the queue's link."""
        return self.load.rate_bps

    @property
    def room_pkts(self) -> int:
        """Packets that may wait in drop-tail and enhanced PIE."""
        return round(ROOM_MS / 1000 * self.rate_bps / PACKET_BITS)


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that is done differently, on one side or on both, to see whether a difference goes."""

    title: str
    cases: tuple[str, ...]
    measures: tuple[str, ...]
    ours: dict[str, Any] = field(default_factory=dict)
    """Parameters of the queue."""
    flows: dict[str, Any] = field(default_factory=dict)
    """Parameters of our TCP."""
    theirs: tuple[str, ...] = ()
    """Arguments of ns3_queues."""
    without: str = ""
    """An argument that it is not given."""
    held: bool = True
    """Whether a packet waits in ns-3's device."""
    held_here: bool = False
    """Whether one waits behind the discipline here, too."""


MOST = ("codel", "fq-codel", "pie-enhanced")
SHARED = ("codel", "fq-codel", "pie", "pie-enhanced")
LOADS = (
    Load(name="one", meaning="one TCP flow, 60 ms, 10 Mbit/s", access_ms=(20.0,)),
    Load(name="ten", meaning="ten TCP flows, 60 ms, 10 Mbit/s", access_ms=(20.0,) * 10),
    Load(
        name="apart",
        meaning="five TCP flows, 20 to 80 ms, 5 Mbit/s",
        rate_bps=5e6,
        access_ms=(0.0, 7.5, 15.0, 22.5, 30.0),
    ),
    Load(name="slow", meaning="four TCP flows, 60 ms, 4 Mbit/s", rate_bps=4e6, access_ms=(20.0,) * 4, queues=MOST),
    Load(
        name="step",
        meaning="three TCP flows, three more at 20 s, 60 ms, 5 Mbit/s",
        rate_bps=5e6,
        access_ms=(20.0,) * 6,
        late=3,
        queues=("codel", "pie-enhanced"),
    ),
    Load(
        name="overload",
        meaning="constant rates of 3, 2 and 1 Mbit/s, 5 Mbit/s",
        rate_bps=5e6,
        constant_bps=(3e6, 2e6, 1e6),
        queues=SHARED,
    ),
    Load(
        name="ecn",
        meaning="five TCP flows with ECN, 60 ms, 5 Mbit/s",
        rate_bps=5e6,
        access_ms=(20.0,) * 5,
        ecn=True,
        queues=MOST,
    ),
)
CASES = tuple(Case(queue=queue, load=load) for load in LOADS for queue in load.queues)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What differs from seed to seed."""

    access_ms: list[float]
    starts_s: list[float]
    constant_starts_s: list[float]


def drawn(load: Load, seed: int) -> Drawn:
    """Draw what both sides and all queues share: access links up to 1 ms longer, starts within the first second."""
    draw = random.Random(seed)
    first = len(load.access_ms) - load.late
    return Drawn(
        access_ms=[round(given + draw.uniform(0.0, 1.0), 6) for given in load.access_ms],
        starts_s=[
            round(draw.uniform(0.0, 1.0) + (0.0 if i < first else LATE_S), 6) for i in range(len(load.access_ms))
        ],
        constant_starts_s=[round(draw.uniform(0.0, 1.0), 6) for _ in load.constant_bps],
    )


def scenario(case: Case, seed: int, change: Change | None) -> dict[str, Any]:
    """A case for faircast."""
    load, part = case.load, drawn(case.load, seed)
    queue = dict(QUEUES[case.queue][0])
    if "limit" not in queue:
        queue["limit"] = f"{case.room_pkts} packets"
    if load.ecn:
        queue["ecn"] = True
    if change is not None:
        queue |= change.ours
    access = part.access_ms + [5.0] * len(load.constant_bps)
    bottleneck = link("left", "right", case.rate_bps, BOTTLENECK_MS, queue)
    if change is not None and change.held_here:
        bottleneck = behind_a_shaper(case, queue)
    links: dict[str, Any] = {"bottleneck": bottleneck}
    ample = {"kind": "drop-tail", "limit": "10000 packets"}
    for i, delay_ms in enumerate(access):
        links[f"in-{i}"] = link(f"source-{i}", "left", 100e6, delay_ms, ample)
        links[f"out-{i}"] = link("right", f"sink-{i}", 100e6, FAR_MS, ample)
    flows: dict[str, Any] = {}
    for i, start_s in enumerate(part.starts_s):
        flows[f"tcp-{i}"] = {"kind": "tcp", **ends(i), "start": f"{start_s} s", **TCP}
        flows[f"tcp-{i}"] |= {"ecn": "ecn" if load.ecn else "off"} | (change.flows if change else {})
    for i, (rate_bps, start_s) in enumerate(zip(load.constant_bps, part.constant_starts_s, strict=True)):
        flows[f"constant-{i}"] = {
            "kind": "cbr",
            **ends(len(part.starts_s) + i),
            "start": f"{start_s} s",
            "rate": f"{rate_bps} bit/s",
            "packet_size": "1500 B",
            "jitter": JITTER,
        }
    return {
        "format": 1,
        "name": case.name,
        "duration": f"{DURATION_S} s",
        "warmup": f"{WARMUP_S} s",
        "nodes": {name: {} for name in node_names(len(access))},
        "links": links,
        "flows": flows,
        "probes": {"queues": ["bottleneck"], "queue_interval": "10 ms"},
    }


def behind_a_shaper(case: Case, queue: dict[str, Any]) -> dict[str, Any]:
    """The queue with one packet taken out of it early, when the one before it begins to be sent, as in ns-3's device.

    A shaper does that: it holds the next packet until it has tokens for it. The link itself then takes no time, and
    what a packet would need on it is added to the delay.
    """
    shaper = {"kind": "shaper", "rate": f"{case.rate_bps} bit/s", "burst": "1500 B", "queue": queue}
    return link("left", "right", 1e12, BOTTLENECK_MS + PACKET_BITS / case.rate_bps * 1000, shaper)


def node_names(count: int) -> list[str]:
    """Of routers and ends."""
    return ["left", "right", *(f"{end}-{i}" for end in ("source", "sink") for i in range(count))]


def ends(index: int) -> dict[str, str]:
    """Where a flow begins and where it ends."""
    return {"from": f"source-{index}", "to": f"sink-{index}"}


def link(source: str, destination: str, rate_bps: float, delay_ms: float, queue: dict[str, Any]) -> dict[str, Any]:
    """A link with room for all that comes back."""
    return {
        "from": source,
        "to": destination,
        "rate": f"{rate_bps} bit/s",
        "delay": f"{delay_ms} ms",
        "queue": queue,
        "back": {"queue": {"kind": "drop-tail", "limit": "10000 packets"}},
    }


def arguments(case: Case, seed: int, change: Change | None) -> list[str]:
    """A case for ns3_queues."""
    load, part = case.load, drawn(case.load, seed)
    held = change is None or change.held
    words = [
        f"--seed={seed}",
        f"--rate={case.rate_bps:.0f}",
        f"--delay={BOTTLENECK_MS}",
        *listed("access", part.access_ms),
        *listed("starts", part.starts_s),
        *listed("constant", load.constant_bps),
        *listed("constantStarts", part.constant_starts_s),
        f"--jitter={JITTER}",
        f"--duration={DURATION_S}",
        f"--warmup={WARMUP_S}",
        f"--held={int(held)}",
        *QUEUES[case.queue][1],
    ]
    if not any(word.startswith("--limit=") for word in words):
        # What waits in the device is part of the queue.
        words.append(f"--limit={case.room_pkts - int(held)}")
    if load.ecn:
        words += ["--ns3::TcpSocketBase::UseEcn=On", ECN[case.queue]]
    if change is not None:
        words = [word for word in words if not change.without or not word.startswith(f"{change.without}=")]
        words += change.theirs
    return words


def listed(name: str, values: Sequence[float]) -> list[str]:
    """An argument that is a list, or none where that is empty: ns-3 takes no empty value."""
    return [f"--{name}={','.join(f'{value:.10g}' for value in values)}"] if values else []


USUAL = ("delay", "link_use", "drops")
CODEL = ("codel-ten", "codel-apart")
FQ_CODEL = ("fq-codel-ten", "fq-codel-apart", "fq-codel-slow")
PIE = ("pie-ten", "pie-apart", "pie-enhanced-ten", "pie-enhanced-apart")
RESTING = ("pie-enhanced-slow", "pie-enhanced-overload")
OWN = {"occupancy": "own"}
TCP_NEW_RENO = "--faircast::HalvingNewReno::"
MARKS = ("delay", "link_use", "marks")
RFC_MARKS = ("--queue=rfc-codel", "--faircast::RfcCoDel::UseEcn=1")
CHANGES = (
    Change(
        title="a packet is held behind the queue here, too",
        cases=("codel-one", *CODEL, "codel-step", "pie-one", *PIE, "pie-overload"),
        measures=USUAL,
        held_here=True,
    ),
    Change(
        title="a packet is held behind the queue here, too, with marks",
        cases=("codel-ecn",),
        measures=MARKS,
        held_here=True,
    ),
    Change(
        title="none is held in the device of ns-3",
        cases=("codel-apart", "pie-apart"),
        measures=USUAL,
        held=False,
    ),
    Change(
        title="CoDel by the RFC in ns-3",
        cases=("codel-apart",),
        measures=USUAL,
        theirs=("--queue=rfc-codel",),
        held=False,
    ),
    Change(title='`occupancy = "own"` here', cases=FQ_CODEL, measures=USUAL, ours=OWN),
    Change(title='besides, `mtu = "1499 B"` here', cases=FQ_CODEL, measures=USUAL, ours=OWN | {"mtu": "1499 B"}),
    Change(
        title="besides, a packet is held here, too",
        cases=FQ_CODEL,
        measures=USUAL,
        ours=OWN | {"mtu": "1499 B"},
        held_here=True,
    ),
    Change(
        title='`occupancy = "own"` here; in ns-3 `MinBytes` of 1501 and no packet held',
        cases=("fq-codel-apart",),
        measures=USUAL,
        ours=OWN,
        theirs=("--ns3::CoDelQueueDisc::MinBytes=1501",),
        held=False,
    ),
    Change(
        title="CoDel by the RFC in ns-3, with marks",
        cases=("codel-ecn",),
        measures=MARKS,
        theirs=RFC_MARKS,
        held=False,
    ),
    Change(
        title="besides, what follows a mark is counted from it in ns-3, as its own does",
        cases=("codel-ecn",),
        measures=MARKS,
        theirs=(*RFC_MARKS, "--faircast::RfcCoDel::CountsFromMark=1"),
        held=False,
    ),
    Change(
        title="PIE of ns-3 never rests",
        cases=RESTING,
        measures=USUAL,
        without="--ns3::PieQueueDisc::ActiveThreshold",
    ),
    Change(
        title="besides, a packet is held behind the queue here, too",
        cases=RESTING,
        measures=USUAL,
        without="--ns3::PieQueueDisc::ActiveThreshold",
        held_here=True,
    ),
    Change(
        title="besides, none of the enhancements but the measured rate, in both",
        cases=RESTING,
        measures=USUAL,
        ours={"enhanced": False, "delay": "rate"},
        theirs=("--ns3::PieQueueDisc::UseDerandomization=0", "--ns3::PieQueueDisc::UseCapDropAdjustment=0"),
        without="--ns3::PieQueueDisc::ActiveThreshold",
        held_here=True,
    ),
    Change(
        title="PIE rests in both; delays are those of packets and a packet is held in both",
        cases=RESTING,
        measures=USUAL,
        ours={"delay": "sojourn"},
        theirs=("--ns3::PieQueueDisc::UseDequeueRateEstimator=0",),
        held_here=True,
    ),
    Change(
        title="time-outs from 0.2 s on in both",
        cases=("drop-tail-ten",),
        measures=("goodput", "drops", "delay"),
        flows={"rto_min": "0.2 s"},
        theirs=("--ns3::TcpSocketBase::MinRto=200ms",),
    ),
    Change(
        title="besides, delayed acknowledgements of ns-3 after 200 ms, as it has them",
        cases=("codel-apart",),
        measures=("goodput", "drops", "jain"),
        flows={"rto_min": "0.2 s", "delayed_ack_timeout": "200 ms"},
        theirs=("--ns3::TcpSocketBase::MinRto=200ms", "--ns3::TcpSocket::DelAckTimeout=200ms"),
    ),
    *(
        Change(
            title=f"{title} in ns-3",
            cases=("codel-apart",),
            measures=USUAL,
            theirs=theirs,
        )
        for title, theirs in (
            ("TcpNewReno as it is", ("--ns3::TcpL4Protocol::SocketType=ns3::TcpNewReno",)),
            ("growth by the ACK that ends a recovery", (f"{TCP_NEW_RENO}EndsAtThreshold=0",)),
            ("growth by whole bytes", (f"{TCP_NEW_RENO}KeepsFractions=0",)),
            ("half of the pipe", (f"{TCP_NEW_RENO}HalvesFlight=0",)),
            ("half of a window with a part of a segment", (f"{TCP_NEW_RENO}WholeSegments=0",)),
        )
    ),
)
