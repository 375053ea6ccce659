"""Tree: three branches on the ground, of 1, 4 and 16 Mbit/s.

The root sends over 100 Mbit/s to a hub, from which three branches of 20 ms lead to a router each; behind that every
receiver and every TCP has a last hop to itself. Two receivers of the session and two TCPs are behind each branch. The
base round-trip time is 60 ms for all. Branches have RED with a limit of twice the product of bandwidth and delay,
thresholds at 5 and 50 % of that, gentle.

Choices: root and last hops have 100 Mbit/s and 5 ms, with drop-tail queues of 1000 packets that never fill, and all
sources are at the root. In the reference the TCP in place of the session goes to the first receiver of each branch.
"""

from __future__ import annotations

from typing import Any

from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path, lossy

SESSION = "film"
BRANCHES_MBPS = (1, 4, 16)
EACH = 2
"""Receivers behind each branch, and TCPs."""
BASE_RTT_S = 0.060
QUEUE = {"kind": "red", "limit": "2 BDP", "min_th": "0.1 BDP", "max_th": "1 BDP", "gentle": True}
QUEUE_BDP = 2
AMPLE = {"rate": "100 Mbit/s", "delay": "5 ms", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}


def branch(mbps: int) -> str:
    """The name of a branch's link."""
    return f"branch-{mbps}mbit"


def network(loss: float, agent: Agent, _seed: int) -> dict[str, Any]:
    """Root, hub, branches and last hops; they are the same with all seeds."""
    nodes = ["root", "hub"]
    links: dict[str, Any] = {"trunk": {"from": "root", "to": "hub"} | AMPLE}
    for mbps in BRANCHES_MBPS:
        router = f"router-{mbps}mbit"
        links[branch(mbps)] = {
            "from": "hub",
            "to": router,
            "rate": f"{mbps} Mbit/s",
            "delay": "20 ms",
            "queue": QUEUE,
            "back": {"queue": AMPLE["queue"]},
        } | ({"agent": dict(agent)} if agent else {})
        hosts = [*receivers_at(mbps), *tcps_at(mbps)]
        nodes += [router, *hosts]
        for host in hosts:
            links[f"last-{host}"] = {"from": router, "to": host, "back": lossy(0)} | AMPLE | lossy(loss)
    return {"nodes": {name: {} for name in nodes}, "links": links}


def receivers_at(mbps: int) -> list[str]:
    """The hosts of the session's receivers behind a branch."""
    return [f"host-{mbps}mbit-{i}" for i in range(EACH)]


def tcps_at(mbps: int) -> list[str]:
    """The TCPs behind a branch, and their hosts."""
    return [f"tcp-{mbps}mbit-{i}" for i in range(EACH)]


PATH = Path(
    name="tree",
    title="tree",
    about="tree on the ground",
    family="tree",
    bottlenecks=tuple(
        Bottleneck(
            link=branch(mbps),
            mbps=mbps,
            tcps=tuple(tcps_at(mbps)),
            receivers=tuple(f"{SESSION}-{EACH * place + i}" for i in range(EACH)),
            instead=(f"instead-{SESSION}-{place}",),
        )
        for place, mbps in enumerate(BRANCHES_MBPS)
    ),
    members={SESSION: ("root", tuple(host for mbps in BRANCHES_MBPS for host in receivers_at(mbps)))},
    ends={
        **{flow: ("root", flow) for mbps in BRANCHES_MBPS for flow in tcps_at(mbps)},
        **{f"instead-{SESSION}-{place}": ("root", receivers_at(mbps)[0]) for place, mbps in enumerate(BRANCHES_MBPS)},
    },
    duration_s=600,
    warmup_s=60,
    packet_bytes=1000,
    longest_rtt_s=BASE_RTT_S * (1 + QUEUE_BDP),
    network=network,
)
