"""Forward link: ten terminals on one carrier of a geostationary satellite, and the queue in front of it.

Sources - gateway - terminals. The forward link has 10 Mbit/s and is a link with legs: what is for several terminals is
sent once. The session has a receiver at each terminal, and a TCP goes to each. A round trip takes 520 ms. Each terminal
has 1 Mbit/s up, more than its ACKs take. Packets have 1500 B.

Choices: the satellite is transparent, so the queue is at the gateway; sources have 100 Mbit/s and a drop-tail queue of
1000 packets that never fills.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path, lossy
from faircast.experiments.side_by_side.queues import LONGEST_BDP, QUEUES

SESSION = "film"
TERMINALS = tuple(f"terminal-{i}" for i in range(10))
TCPS = tuple(f"tcp-{i}" for i in range(len(TERMINALS)))
FORWARD, FORWARD_MBPS = "forward", 10
PACKET_BYTES = 1500
BASE_RTT_S = 0.520
AMPLE = {"kind": "drop-tail", "limit": "1000 packets"}


def network(queue: str, loss: float, agent: Agent, _seed: int) -> dict[str, Any]:
    """Sources, gateway and terminals; they are the same with all seeds."""
    forward = {"from": "gateway", "rate": f"{FORWARD_MBPS} Mbit/s", "queue": QUEUES[queue].config}
    links: dict[str, Any] = {
        "ground": {"from": "sources", "to": "gateway", "rate": "100 Mbit/s", "delay": "10 ms", "queue": AMPLE},
        FORWARD: forward | ({"agent": dict(agent)} if agent else {}),
    }
    for i, terminal in enumerate(TERMINALS):
        links[f"leg-{i}"] = {"leg_of": FORWARD, "to": terminal, "delay": "250 ms"} | lossy(loss)
        links[f"return-{i}"] = {
            "from": terminal,
            "to": "gateway",
            "rate": "1 Mbit/s",
            "delay": "250 ms",
            "queue": AMPLE,
            "simplex": True,
        }
    return {"nodes": {name: {} for name in ("sources", "gateway", *TERMINALS)}, "links": links}


def path(queue: str) -> Path:
    """The path with one of the queues."""
    return Path(
        name=f"forward-{queue}",
        title="forward link",
        about=f"satellite forward link, {FORWARD_MBPS} Mbit/s, {1000 * BASE_RTT_S:g} ms, ten terminals",
        family="forward",
        queue=queue,
        bottlenecks=(
            Bottleneck(
                link=FORWARD,
                mbps=FORWARD_MBPS,
                tcps=TCPS,
                receivers=tuple(f"{SESSION}-{i}" for i in range(len(TERMINALS))),
                instead=(f"instead-{SESSION}-0",),
            ),
        ),
        members={SESSION: ("sources", TERMINALS)},
        ends={
            **{flow: ("sources", terminal) for flow, terminal in zip(TCPS, TERMINALS, strict=True)},
            f"instead-{SESSION}-0": ("sources", TERMINALS[0]),
        },
        duration_s=500,
        warmup_s=100,
        packet_bytes=PACKET_BYTES,
        longest_rtt_s=BASE_RTT_S * (1 + LONGEST_BDP),
        send_jitter_s=PACKET_BYTES * 8 / (1e6 * FORWARD_MBPS),
        network=partial(network, queue),
    )


PATHS = tuple(path(queue) for queue in QUEUES)
