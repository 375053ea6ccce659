"""GEO: the satellite branch of Ehlert and Sisalem, two receivers behind a geostationary satellite.

Sender - router - earth station - satellite - receiver, base round-trip time 540 ms. Each receiver has a downlink of
300 kbit/s to itself, with a drop-tail queue of 50 packets on board. The first one shares its downlink with a TCP, the
second one has only the session. The uplinks have 64 kbit/s: with the paper's 8 kbit/s the ACKs would be the
measurement. Packets have the paper's 512 B. The links before the satellite have 10 Mbit/s and queues that never fill.

The last hops are the two downlinks, so their bottlenecks are what loses.
"""

from __future__ import annotations

from typing import Any

from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path, lossy

SESSION, TCP = "film", "tcp-0"
DOWN_MBPS, UP_KBPS, LIMIT_PKTS = 0.3, 64, 50
PACKET_BYTES = 512
BASE_RTT_S = 0.540
RECEIVERS = 2
PLENTY = {"queue": {"kind": "drop-tail", "limit": "1000 packets"}}


def network(loss: float, agent: Agent, _seed: int) -> dict[str, Any]:
    """The branch; it is the same with all seeds."""
    down = {
        "rate": f"{1000 * DOWN_MBPS:g} kbit/s",
        "queue": {"kind": "drop-tail", "limit": f"{LIMIT_PKTS} packets"},
    } | lossy(loss)
    branch = {
        "preset": "geo",
        "receivers": RECEIVERS,
        "trunk": PLENTY,
        "feeder": PLENTY,
        "down": down | ({"agent": dict(agent)} if agent else {}),
        "up": {"rate": f"{UP_KBPS} kbit/s"},
    }
    return {"topology": {"kind": "branches", "access": PLENTY, "branches": {"sat": branch}}}


PATH = Path(
    name="geo",
    title="GEO",
    about="GEO satellite",
    family="geo",
    bottlenecks=tuple(
        Bottleneck(
            link=f"sat-down-{i}",
            mbps=DOWN_MBPS,
            tcps=(TCP,) if i == 0 else (),
            receivers=(f"{SESSION}-{i}",),
            instead=(f"instead-{SESSION}-{i}",),
        )
        for i in range(RECEIVERS)
    ),
    members={SESSION: ("source-0", tuple(f"sat-{i}" for i in range(RECEIVERS)))},
    ends={
        TCP: ("source-0", "sat-0"),
        **{f"instead-{SESSION}-{i}": ("source-0", f"sat-{i}") for i in range(RECEIVERS)},
    },
    duration_s=600,
    warmup_s=60,
    packet_bytes=PACKET_BYTES,
    longest_rtt_s=BASE_RTT_S + LIMIT_PKTS * PACKET_BYTES * 8 / (1e6 * DOWN_MBPS),
    send_jitter_s=PACKET_BYTES * 8 / (1e6 * DOWN_MBPS),
    network=network,
)
