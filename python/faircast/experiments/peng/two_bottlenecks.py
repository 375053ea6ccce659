"""Two bottlenecks in one tree, each with an agent of its own, on the ground: in series and in parallel.

The paper argues that each bottleneck looks after itself, but shows one only. All numbers here are choices: drop-tail
queues of 50 packets, links of 20 ms between routers and of 5 ms to hosts.

In series: 1.5 Mbit/s, then 1.0. Session a goes over both, b over the first, c over the second; three TCPs go over the
first, one over the second, two over both. In parallel: 1.5 Mbit/s lead to a router from which 0.5 and 1.2 Mbit/s go on;
sessions a and b have a receiver behind each, and each of the three links has a TCP of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Data, Measured, Point
from faircast.experiments.jitter import one_packet
from faircast.experiments.peng.network import LAYER_KBPS, LAYERS, LIMIT_PKTS, PACKET_BYTES, TCP, WINDOWS
from faircast.experiments.rows import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircast._native import RawResult

DURATION_S, SETTLED_S = 800, 200
FEW_LAYERS = 2
ROUTERS = {"series": ("r0", "r1", "r2"), "parallel": ("r0", "r1", "r2", "r3")}
BOTTLENECKS = {
    "series": {("r0", "r1"): 1.5, ("r1", "r2"): 1.0},
    "parallel": {("r0", "r1"): 1.5, ("r1", "r2"): 0.5, ("r1", "r3"): 1.2},
}
"""Mbit/s."""
SESSIONS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "series": {"a": ("r0", ("r2",)), "b": ("r0", ("r1",)), "c": ("r1", ("r2",))},
    "parallel": {"a": ("r0", ("r2", "r3")), "b": ("r0", ("r2", "r3"))},
}
"""At which router the source is, and at which the receivers."""
TCPS: dict[str, tuple[tuple[str, str], ...]] = {
    "series": (*[("r0", "r1")] * 3, ("r1", "r2"), *[("r0", "r2")] * 2),
    "parallel": (("r0", "r1"), ("r1", "r2"), ("r1", "r3")),
}


@dataclass(frozen=True, kw_only=True)
class Tree:
    """One of the two networks, and the key of its point."""

    shape: str
    """``series`` or ``parallel``."""
    window: int
    """TCP's, packets."""

    @property
    def receivers(self) -> list[str]:
        """All receivers of sessions."""
        return [f"{name}-{i}" for name, (_, ends) in SESSIONS[self.shape].items() for i in range(len(ends))]

    def narrowest(self, start: str, end: str) -> float:
        """The rate of the narrowest link between two routers, Mbit/s."""
        routers = ROUTERS[self.shape]
        within = BOTTLENECKS[self.shape]
        if (start, end) in within:
            return within[start, end]
        return min(within[start, routers[1]], within[routers[1], end])

    def scenario(self) -> dict[str, Any]:
        """What is run."""
        nodes: dict[str, Any] = {name: {} for name in ROUTERS[self.shape]}
        links: dict[str, Any] = {}
        queue = {"kind": "drop-tail", "limit": f"{LIMIT_PKTS} packets"}
        for (start, end), mbps in BOTTLENECKS[self.shape].items():
            bottleneck = {"from": start, "to": end, "rate": f"{mbps} Mbit/s", "delay": "20 ms", "queue": queue}
            links[f"{start}-{end}"] = bottleneck | {"agent": {"kind": "layer-blocking"}}

        def host(name: str, router: str) -> str:
            nodes[name] = {}
            links[f"access-{name}"] = {"from": name, "to": router, "rate": "10 Mbit/s", "delay": "5 ms"}
            return name

        sessions = {
            name: {
                "scheme": "layer-blocking",
                "rates": [f"{LAYER_KBPS} kbit/s"] * LAYERS,
                "source": host(f"source-{name}", source),
                "receivers": {"nodes": [host(f"host-{name}-{i}", end) for i, end in enumerate(ends)]},
            }
            for name, (source, ends) in SESSIONS[self.shape].items()
        }
        flows = {
            f"tcp-{i}": TCP
            | {"wnd": f"{self.window} packets", **one_packet(PACKET_BYTES, self.narrowest(start, end))}
            | {"from": host(f"sender-{i}", start), "to": host(f"sink-{i}", end)}
            for i, (start, end) in enumerate(TCPS[self.shape])
        }
        return {
            "format": 1,
            "name": f"peng-{self.shape}-w{self.window}",
            "duration": f"{DURATION_S} s",
            "warmup": f"{SETTLED_S} s",
            "nodes": nodes,
            "links": links,
            "flows": flows,
            "sessions": sessions,
            "probes": {"interval": "1 s", "flows": True, "links": False, "events": False},
        }

    def point(self) -> Point:
        """Its point, of which the layers that come through to every receiver are kept."""
        return Point(key=self, scenario=self.scenario(), reduce=live_layers)


TREES = {shape: {label: Tree(shape=shape, window=window) for label, window in WINDOWS.items()} for shape in BOTTLENECKS}
"""By shape and reading."""


def live_layers(raw: RawResult) -> dict[str, NDArray[np.float64]]:
    """How many layers come through to every receiver, at the end of every second."""
    table = to_arrow(raw.tables()["receivers"])
    live = table["live_layers"].to_numpy()
    return {name: live[at] for name, at in places(table, "receiver").items()}


def longest_below(series: NDArray[np.float64], least: float) -> int:
    """The longest stretch, in seconds, in which a series of one value a second is below `least`."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], series < least, [0]]).astype(int)))
    return max((int(end - begin) for begin, end in pairwise(edges) if series[begin] < least), default=0)


def stuck(data: Data, tree: Tree) -> Measured:
    """The longest time for which a receiver has fewer than two layers, the mean over the seeds."""

    def of(seed: int) -> float:
        found = data.reduced(tree, seed)
        return max(longest_below(found[name], FEW_LAYERS) for name in tree.receivers)

    found = data.over_seeds(of)
    return Measured.of(found, note=f"longest {found.high:.0f} s")


def layer_range(data: Data, tree: Tree) -> Measured:
    """Largest less smallest number of layers after 200 s, of the receiver with most of it; the mean over the seeds."""

    def of(seed: int) -> float:
        found = data.reduced(tree, seed)
        return max(float(np.ptp(found[name][SETTLED_S:])) for name in tree.receivers)

    means = {name: data.over_seeds(partial(_mean_layers, data, tree, name)) for name in tree.receivers}
    rates = {name: data.over_seeds(partial(_rate, data, tree, name)) for name in tree.receivers}
    parts = [f"{name} {means[name]} layers, {rates[name]} KBytes/s" for name in tree.receivers]
    found = data.over_seeds(of)
    return Measured.of(found, note=f"widest {found.high:.0f}; means: {'; '.join(parts)}")


def _mean_layers(data: Data, tree: Tree, name: str, seed: int) -> float:
    return float(data.reduced(tree, seed)[name][SETTLED_S:].mean())


def _rate(data: Data, tree: Tree, name: str, seed: int) -> float:
    return data.run(tree, seed)[name, "rate"] / 8000
