"""What a path is: a network, what limits it, and who sends where over it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Agent = Mapping[str, Any] | None
"""The router agent that a scheme wants at every bottleneck, or none."""


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """One link that limits, with all that it limits, by the names that results have."""

    link: str
    """The direction of the link that data takes."""
    mbps: float
    """Its rate, Mbit/s."""
    header_bytes: int = 0
    """What it adds to each packet."""
    tcps: tuple[str, ...]
    """The flows whose narrowest link it is, in every run; behind some there are none."""
    receivers: tuple[str, ...]
    """The receivers whose narrowest link it is."""
    instead: tuple[str, ...]
    """The flows that are in place of the sessions over it in the reference."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """A network, and who sends where over it."""

    name: str
    bottlenecks: tuple[Bottleneck, ...]
    members: Mapping[str, tuple[str, tuple[str, ...]]]
    """Of each session the node of its source, and those of its receivers in the order of their numbers."""
    ends: Mapping[str, tuple[str, str]]
    """Of each TCP flow, those of the reference among them, the nodes from which and to which it goes."""
    duration_s: float
    warmup_s: float
    packet_bytes: int
    """What a data packet has on the wire, of TCP and of sessions."""
    longest_rtt_s: float
    """The longest round trip: the longest propagation there and back, and a full queue of the bottleneck."""
    network: Callable[[float, Agent, int], dict[str, Any]] = field(compare=False, repr=False)
    """Makes the nodes and links of a scenario of the loss of last hops, the agent at bottlenecks, and the seed."""
    send_jitter_s: float = 0.0
    """The random time, up to this, by which TCP puts off each of its packets: that of one at a drop-tail bottleneck."""
    jitters_s: Mapping[str, float] = field(default_factory=dict, compare=False)
    """The random times of single flows, where not all have the same."""
    seeded: bool = False
    """Whether the network itself is another one with each seed."""
    title: str
    """What it is called in tables and above few columns."""
    about: str
    """What it is called above many."""
    family: str
    """What it shares with paths that differ from it in the queue alone: the value of the axis ``path``."""
    queue: str = ""
    """Where queues are compared the one that its bottlenecks have, a key of `queues.QUEUES`."""

    @property
    def sessions(self) -> tuple[str, ...]:
        """The names of its sessions."""
        return tuple(self.members)

    @property
    def tcps(self) -> tuple[str, ...]:
        """The flows that are there in every run."""
        return tuple(flow for bottleneck in self.bottlenecks for flow in bottleneck.tcps)

    @property
    def receivers(self) -> tuple[str, ...]:
        """The receivers of all sessions."""
        return tuple(receiver for bottleneck in self.bottlenecks for receiver in bottleneck.receivers)

    @property
    def instead(self) -> tuple[str, ...]:
        """The flows of the reference that are in place of sessions."""
        return tuple(flow for bottleneck in self.bottlenecks for flow in bottleneck.instead)

    @property
    def mbps(self) -> float:
        """The rate of the largest bottleneck, Mbit/s."""
        return max(bottleneck.mbps for bottleneck in self.bottlenecks)

    def bottleneck(self, entry: str) -> Bottleneck:
        """The bottleneck of a receiver or a flow, by its name in results. Raises `KeyError` if there is none such."""
        for one in self.bottlenecks:
            if entry in (*one.receivers, *one.tcps, *one.instead):
                return one
        raise KeyError(entry)


def lossy(loss: float) -> dict[str, Any]:
    """What a last hop says of what it loses on the way to its receiver."""
    return {"loss": {"kind": "bernoulli", "p": loss}} if loss else {"loss": {"kind": "none"}}
