"""The networks of x-link-errors: one bottleneck, last hops that lose packets, TCPs as Linux has them.

The network of the criterion has 10 Mbit/s, 40 ms and 50 packets of 1000 B, a product of bandwidth and delay; a Reno,
and a session with three receivers. All others differ from it in one thing. Choices: TCP's last hop loses as many
packets as those of the session, and its ACKs come back without loss; TCP sends each packet up to a packet's time late,
at random, so that phases do not decide whose are lost.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from faircast.experiments.jitter import one_packet

PACKET_B = 1000
ACCESS_MS = 1
RECEIVERS = 3
FILM, TCP = "film", "tcp"


@dataclass(frozen=True, kw_only=True)
class Network:
    """A bottleneck, who shares it, and what becomes of packets on the last hops."""

    title: str
    mbps: float = 10
    rtt_ms: float = 40
    buffer: float = 1
    """Of a drop-tail queue, in products of bandwidth and delay."""
    queue: str = "drop-tail"
    variant: str = "reno"
    tcps: int = 1
    receivers: int = RECEIVERS
    on_off_mbps: float = 0
    """Cross traffic, while it is on: half of the time, for a second each in the mean."""
    burst: float = 1
    """How many packets in a row are lost, in the mean."""
    lossy_first: bool = False
    """Whether packets are lost on the first hops instead, in front of the bottleneck."""
    step_ms: float = 0
    """By how much the way is longer for every second ten seconds."""
    drift_ppm: float = 0
    """How much faster the receivers' clocks are. As the simulator's clocks have one speed, the way there becomes
    longer, and the way back shorter by as much."""
    duration_s: int = 180
    warmup_s: int = 60

    @property
    def bdp_packets(self) -> float:
        """What is on the way between the hosts and back while the link is full."""
        return 1000 * self.mbps * self.rtt_ms / (8 * PACKET_B)

    def discipline(self) -> dict[str, Any]:
        """The bottleneck's queue."""
        if self.queue == "drop-tail":
            return {"kind": "drop-tail", "limit": f"{max(5, round(self.buffer * self.bdp_packets))} packets"}
        if self.queue == "red":
            limit = round(2 * self.bdp_packets)
            thresholds = {"min_th": f"{0.05 * limit:g} packets", "max_th": f"{0.5 * limit:g} packets"}
            return {"kind": "red", "limit": f"{limit} packets", **thresholds, "gentle": True}
        return {"kind": self.queue}


CRITERION = "base"
BASE = Network(title="10 Mbit/s, 40 ms, 1 BDP, a Reno")
LONG = replace(BASE, duration_s=400, warmup_s=160)
"""Where round trips are long."""
DROP_TAIL: dict[str, Network] = {
    CRITERION: BASE,
    "one": replace(BASE, title="one receiver", receivers=1),
    "quarter": replace(BASE, title="0.25 BDP", buffer=0.25),
    "half": replace(BASE, title="0.5 BDP", buffer=0.5),
    "two": replace(BASE, title="2 BDP", buffer=2),
    "four": replace(BASE, title="4 BDP", buffer=4),
    "10ms": replace(BASE, title="10 ms", rtt_ms=10),
    "160ms": replace(LONG, title="160 ms", rtt_ms=160),
    "560ms": replace(LONG, title="560 ms", rtt_ms=560),
    "cubic": replace(BASE, title="a CUBIC", variant="cubic"),
    "2tcp": replace(BASE, title="two Renos", tcps=2),
    "4tcp": replace(BASE, title="four Renos", tcps=4),
    "on-off": replace(BASE, title="on-off traffic of 4 Mbit/s", on_off_mbps=4),
    "first": replace(BASE, title="the first hops lose", lossy_first=True),
    "bursts": replace(BASE, title="losses in bursts of 5", burst=5),
    "steps": replace(BASE, title="30 ms more and less each 10 s", step_ms=30),
    "far-steps": replace(BASE, title="100 ms more and less each 10 s", step_ms=100),
    "fast-clock": replace(BASE, title="receivers' clocks 100 ppm fast", drift_ppm=100),
    "slow-clock": replace(BASE, title="receivers' clocks 100 ppm slow", drift_ppm=-100),
}
"""Networks whose queue drops only what it has no room for."""
EARLY: dict[str, Network] = {
    "red": replace(BASE, title="RED", queue="red"),
    "codel": replace(BASE, title="CoDel", queue="codel"),
    "pie": replace(BASE, title="PIE", queue="pie"),
    "fq-codel": replace(BASE, title="FQ-CoDel", queue="fq-codel"),
}
"""Networks whose queue drops before it is full."""
NETWORKS = DROP_TAIL | EARLY


def scenario(key: str, scheme: dict[str, Any], rule: dict[str, str], loss: float) -> dict[str, Any]:
    """A network with one session of this scheme and rule, where hops lose this part of all packets."""
    network = NETWORKS[key]
    nodes = range(network.tcps, network.tcps + network.receivers)
    side = "left" if network.lossy_first else "right"
    ends = network.tcps + (1 if network.lossy_first else network.receivers)
    links: dict[str, Any] = {f"access-{side}-{end}": {"loss": lost(network, loss)} for end in range(ends) if loss}
    for node in nodes if network.drift_ppm else ():
        links.setdefault(f"access-right-{node}", {}).update(drift(network))
    links["bottleneck"] = {
        "rate": f"{network.mbps:g} Mbit/s",
        "delay": f"{network.rtt_ms / 2 - 2 * ACCESS_MS:g} ms",
        "queue": network.discipline(),
        "back": {"queue": {"kind": "drop-tail", "limit": "10000 packets"}},
        **({"changes": steps(network)} if network.step_ms else {}),
    }
    for link in links.values():
        if "loss" in link:
            link["back"] = {"loss": {"kind": "none"}, **link.get("back", {})}
    name = "-".join([key, scheme["scheme"], *rule.values(), f"{loss:g}"])
    return {
        "format": 1,
        "name": f"x-link-errors-{name}",
        "duration": f"{network.duration_s} s",
        "warmup": f"{network.warmup_s} s",
        "topology": {
            "kind": "dumbbell",
            "left": network.tcps + 2,
            "right": network.tcps + network.receivers + 1,
            "access": {"rate": "1 Gbit/s", "delay": f"{ACCESS_MS} ms"},
        },
        "links": links,
        "sessions": {
            FILM: {
                **scheme,
                "source": f"left-{network.tcps}",
                "receivers": {"nodes": [f"right-{node}" for node in nodes]},
                "start_jitter": "1 s",
                **({"loss_differentiation": rule} if rule else {}),
            }
        },
        "flows": flows(network),
        "probes": {"flows": False, "links": False, "events": False},
    }


def flows(network: Network) -> dict[str, Any]:
    """TCPs, and the cross traffic."""
    made: dict[str, Any] = {
        TCP: {
            "kind": "tcp",
            "profile": "linux",
            "variant": network.variant,
            "count": network.tcps,
            "mss": f"{PACKET_B} B",
            "hdr": "0 B",
            "start_jitter": "1 s",
            **one_packet(PACKET_B, network.mbps),
        }
    }
    if network.on_off_mbps:
        last = network.tcps + network.receivers
        made["cross"] = {
            "kind": "on-off",
            "rate": f"{network.on_off_mbps:g} Mbit/s",
            "packet_size": f"{PACKET_B} B",
            "on": "1 s",
            "off": "1 s",
            "from": f"left-{network.tcps + 1}",
            "to": f"right-{last}",
        }
    return made


def lost(network: Network, loss: float) -> dict[str, Any]:
    """A loss model that loses this part of all packets."""
    if network.burst > 1:
        return {"kind": "gilbert-elliott", "mean_loss": loss, "mean_burst": f"{network.burst:g} packets"}
    return {"kind": "bernoulli", "p": loss}


def steps(network: Network) -> list[dict[str, str]]:
    """The way becomes longer and shorter again, each ten seconds."""
    near = network.rtt_ms / 2 - 2 * ACCESS_MS
    return [
        {"at": f"{at} s", "delay": f"{near + (network.step_ms if at % 20 else 0):g} ms"}
        for at in range(10, network.duration_s, 10)
    ]


def drift(network: Network) -> dict[str, Any]:
    """The way there becomes longer, and that back shorter, or the other way round, at a constant pace."""
    most_ms = abs(network.drift_ppm) * 1e-3 * network.duration_s
    near, far = f"{ACCESS_MS} ms", f"{ACCESS_MS + most_ms:g} ms"
    there, back = ((near, far), (far, near)) if network.drift_ppm > 0 else ((far, near), (near, far))
    line = {"at": "0 s", "over": f"{network.duration_s} s"}
    return {
        "delay": there[0],
        "changes": [{**line, "delay": there[0], "delay_to": there[1]}],
        "back": {"delay": back[0], "changes": [{**line, "delay": back[0], "delay_to": back[1]}]},
    }
