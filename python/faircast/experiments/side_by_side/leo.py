"""LEO: the network of Peng and Sikdar, five sessions over one satellite uplink.

Five sources reach a gateway over wires of 5 Mbit/s; from there everything goes up through one uplink of 1.5 Mbit/s with
a drop-tail queue of 50 packets, over the Iridium constellation, and down to a terminal for each session. Two sessions
run the scheme, with a receiver each, and three are TCP. Network, terminals, hand-offs and the five places at which the
constellation starts, which go with the seed, are those of the reproduction of the paper.

The last hops are the downlinks to the five terminals. ACKs and reports come down to the gateway, whose downlink loses
nothing. A satellite's downlink has the uplink's rate, so the uplink is the narrowest link of all.
"""

from __future__ import annotations

from typing import Any

from faircast.experiments.peng.network import GATEWAY, TERMINALS, UPLINK, WIRE_KBYTES_S, offset_s
from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path, lossy

SESSIONS = ("film-1", "film-2")
TCPS = ("tcp-0", "tcp-1", "tcp-2")
UPLINK_MBPS, LIMIT_PKTS, HEADER_BYTES = 1.5, 50, 16
PACKET_BYTES = 1000
FARTHEST_S = 0.070
"""No propagation from a source to its terminal is longer; there and back it is twice that."""


def network(loss: float, agent: Agent, seed: int) -> dict[str, Any]:
    """Stations, ground and constellation."""
    sources = [f"source-{i}" for i in range(len(TERMINALS))]
    ground = {"rate": f"{8 * WIRE_KBYTES_S:g} kbit/s", "delay": "2 ms"}
    links = {f"access-{i}": {"from": name, "to": "router"} | ground for i, name in enumerate(sources)}
    up = {"rate": f"{UPLINK_MBPS:g} Mbit/s", "queue": {"kind": "drop-tail", "limit": f"{LIMIT_PKTS} packets"}}
    stations: dict[str, Any] = {
        name: {"latitude": lat, "longitude": lon, "downlink": lossy(loss)} for name, (lat, lon) in TERMINALS.items()
    }
    stations["gateway"] = GATEWAY | {"uplink": {"agent": agent} if agent else {}}
    return {
        "topology": {
            "kind": "constellation",
            "shell": "iridium",
            "start": f"{offset_s(seed):g} s",
            "handoff_jitter": "5 s",
            "handoff_queue": "keep",
            "uplink": up,
        },
        "stations": stations,
        "nodes": {name: {} for name in (*sources, "router")},
        "links": links | {"wire": {"from": "router", "to": "gateway"} | ground},
    }


def _ends() -> dict[str, tuple[str, str]]:
    """Sessions have the first two terminals, TCPs the others."""
    entries = [*(f"instead-{name}-0" for name in SESSIONS), *TCPS]
    return {name: (f"source-{i}", terminal) for i, (name, terminal) in enumerate(zip(entries, TERMINALS, strict=True))}


PATH = Path(
    name="leo",
    title="LEO",
    about="LEO constellation",
    family="leo",
    bottlenecks=(
        Bottleneck(
            link=UPLINK,
            mbps=UPLINK_MBPS,
            header_bytes=HEADER_BYTES,
            tcps=TCPS,
            receivers=tuple(f"{name}-0" for name in SESSIONS),
            instead=tuple(f"instead-{name}-0" for name in SESSIONS),
        ),
    ),
    members={name: (f"source-{i}", (list(TERMINALS)[i],)) for i, name in enumerate(SESSIONS)},
    ends=_ends(),
    duration_s=1500,
    warmup_s=100,
    packet_bytes=PACKET_BYTES,
    longest_rtt_s=2 * FARTHEST_S + LIMIT_PKTS * (PACKET_BYTES + HEADER_BYTES) * 8 / (1e6 * UPLINK_MBPS),
    send_jitter_s=(PACKET_BYTES + HEADER_BYTES) * 8 / (1e6 * UPLINK_MBPS),
    network=network,
    seeded=True,
)
