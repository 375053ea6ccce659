"""Home gateway: 50 Mbit/s into a home, a round trip of 20 ms, and the queue in front of that.

Server - network - access node - home gateway - hosts. The session has one receiver, and two TCPs go to hosts of their
own. The way up has 10 Mbit/s, more than all ACKs take. Packets have 1500 B.

Choices: the other links have 1 Gbit/s and drop-tail queues of 1000 packets that never fill; two TCPs, as a home has
few that last.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path, lossy
from faircast.experiments.side_by_side.queues import LONGEST_BDP, QUEUES

SESSION, TCPS = "film", ("tcp-0", "tcp-1")
ACCESS, DOWN_MBPS, UP_MBPS = "access", 50, 10
PACKET_BYTES = 1500
BASE_RTT_S = 0.020
AMPLE = {"rate": "1 Gbit/s", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}


def network(queue: str, loss: float, agent: Agent, _seed: int) -> dict[str, Any]:
    """Server, access and home; they are the same with all seeds."""
    access = {
        "from": "network",
        "to": "gateway",
        "rate": f"{DOWN_MBPS} Mbit/s",
        "delay": "5 ms",
        "queue": QUEUES[queue].config,
        "back": {"rate": f"{UP_MBPS} Mbit/s", "queue": AMPLE["queue"]},
    }
    links: dict[str, Any] = {
        "core": {"from": "server", "to": "network", "delay": "4 ms"} | AMPLE,
        ACCESS: access | ({"agent": dict(agent)} if agent else {}),
    }
    hosts = ["tv", *TCPS]
    for host in hosts:
        links[f"at-{host}"] = {"from": "gateway", "to": host, "delay": "1 ms", "back": lossy(0)} | AMPLE | lossy(loss)
    return {"nodes": {name: {} for name in ("server", "network", "gateway", *hosts)}, "links": links}


def path(queue: str) -> Path:
    """The path with one of the queues."""
    return Path(
        name=f"home-{queue}",
        title="home gateway",
        about=f"home gateway, {DOWN_MBPS} Mbit/s and {1000 * BASE_RTT_S:g} ms",
        family="home",
        queue=queue,
        bottlenecks=(
            Bottleneck(
                link=ACCESS,
                mbps=DOWN_MBPS,
                tcps=TCPS,
                receivers=(f"{SESSION}-0",),
                instead=(f"instead-{SESSION}-0",),
            ),
        ),
        members={SESSION: ("server", ("tv",))},
        ends={**{flow: ("server", flow) for flow in TCPS}, f"instead-{SESSION}-0": ("server", "tv")},
        duration_s=150,
        warmup_s=30,
        packet_bytes=PACKET_BYTES,
        longest_rtt_s=BASE_RTT_S * (1 + LONGEST_BDP),
        send_jitter_s=PACKET_BYTES * 8 / (1e6 * DOWN_MBPS),
        network=partial(network, queue),
    )


PATHS = tuple(path(queue) for queue in QUEUES)
