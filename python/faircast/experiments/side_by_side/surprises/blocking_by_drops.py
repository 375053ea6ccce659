"""Layer blocking in the tree with queues that are kept short: reading their length, and what they drop.

The tree without losses, with 60 layers, so that the base fits the slowest branch. Two things change: the queue of the
branches, and what the agents read. Where a queue's default limit is a number of packets it is twice the product of
bandwidth and delay here, as in the tree, but for PIE, which is there with both: it rests until a third of it waits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.jitter import one_packet
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, TCP_NAMES, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.experiments.side_by_side.tree import QUEUE
from faircast.figures import PAGE_IN, panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

TREE = PATHS["tree"]
LAYERS = 60
DURATION_S = 300
LENGTH, DROPS = "length", "drops"
READS = (LENGTH, DROPS)
QUEUES: dict[str, dict[str, Any]] = {
    "drop-tail": {"kind": "drop-tail", "limit": "2 BDP"},
    "RED": QUEUE,
    "CoDel": {"kind": "codel", "limit": "2 BDP"},
    "PIE": {"kind": "pie", "limit": "2 BDP"},
    "PIE, 1000 packets": {"kind": "pie"},
    "DualPI2": {"kind": "dualpi2", "limit": "2 BDP"},
    "FQ-CoDel": {"kind": "fq-codel", "by": "session", "limit": "2 BDP"},
}
SHORT = ("RED", "CoDel", "PIE")
"""Queues in which session / TCP has to be fair with one setting."""
LOW, HIGH = 0.5, 2.0
SHOWN = (0.1, 100.0)
"""The ends of what is drawn; what lies beyond is drawn at them."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What branches have, and who is on them."""

    queue: str
    """The queue, a key of `QUEUES`."""
    reads: str
    """What agents read, one of `READS`."""
    tcp: str
    """Which TCP is beside, of `TCP_NAMES`."""


CASES = [Case(queue=queue, reads=reads, tcp=tcp) for queue in QUEUES for reads in READS for tcp in TCP_NAMES]


def point(case: Case) -> Point:
    """The cell of the comparison with other layers, queues and agents."""
    situation = Situation(path="tree", loss=0.0, tcp=case.tcp)
    found = scenario(Cell(situation=situation, run=BESIDE, scheme="blocking"))
    for bottleneck in TREE.bottlenecks:
        agent = {"kind": "layer-blocking"} | ({"reads": DROPS} if case.reads == DROPS else {})
        found["links"][bottleneck.link] |= {"queue": QUEUES[case.queue], "agent": agent}
        if case.queue != "RED":  # which has random moments of its own
            for flow in bottleneck.tcps:
                found["flows"][flow] |= one_packet(TREE.packet_bytes, bottleneck.mbps)
    rate = f"{round(1e6 * TREE.mbps / LAYERS)} bit/s"
    (session,) = found["sessions"].values()
    session["rates"] = [rate] * LAYERS
    name = f"x-queues-blocking-{case.queue}-{case.reads}-{case.tcp}".lower().replace(", ", "-").replace(" ", "-")
    probes = {"flows": False, "links": False, "events": False}
    return Point(key=case, scenario=found | {"name": name, "duration": f"{DURATION_S} s", "probes": probes})


def points(quick: bool) -> list[Point]:
    """All cases, or those beside SACK."""
    return [point(case) for case in CASES if not quick or case.tcp == "sack"]


def there(data: Data) -> list[Case]:
    """The cases that were run."""
    return [case for case in data.points if isinstance(case, Case)]


def worst(case: Case, data: Data) -> Measured:
    """The ratio that is farthest from 1 of all branches."""
    if case not in data.points:
        return Measured(value=None, note="not run")
    found = ratios(data, case, TREE)
    mbps = {one.link: one.mbps for one in TREE.bottlenecks}
    link = max(found, key=lambda link: far(found[link].mean))
    return Measured.of(found[link], note=f"behind {mbps[link]} Mbit/s")


def far(ratio: float) -> float:
    """How many times a ratio is from 1."""
    return max(ratio, 1 / ratio) if ratio > 0 else float("inf")


def text(found: Estimate) -> str:
    """A ratio; of more than a hundred digits say nothing."""
    return "over 100" if found.mean > 100 else str(found)


def numbers(data: Data) -> Numbers:
    """By queue, TCP and what is read the ratio behind each branch."""
    return Numbers(
        columns=["queue", "beside", "reads", *(f"{one.mbps} Mbit/s" for one in TREE.bottlenecks)],
        rows=[
            [case.queue, TCP_NAMES[case.tcp], case.reads, *map(text, ratios(data, case, TREE).values())]
            for case in there(data)
        ],
        note="Receivers of the session over TCPs behind the branch of so many Mbit/s.",
        whole=["beside", "reads"],
    )


def figure(data: Data) -> Figure:
    """The ratio behind each branch by queue, one panel for what is read."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=2.9)
    queues = list(dict.fromkeys(case.queue for case in there(data)))
    for panel, reads in zip(axes, READS, strict=True):
        for series, one in enumerate(TREE.bottlenecks):
            for offset, (tcp, name) in zip((-0.1, 0.1), TCP_NAMES.items(), strict=True):
                cases = [case for case in there(data) if (case.reads, case.tcp) == (reads, tcp)]
                if not cases:
                    continue
                at = [queues.index(case.queue) + offset + 0.25 * (series - 1) for case in cases]
                seen = [clipped(ratios(data, case, TREE)[one.link].mean) for case in cases]
                face = f"C{series}" if tcp == "sack" else "white"
                panel.plot(
                    at,
                    seen,
                    linestyle="none",
                    marker="os^"[series],
                    markersize=4.5,
                    color=f"C{series}",
                    markerfacecolor=face,
                    label=f"{one.mbps} Mbit/s, {name}",
                )
        panel.axhspan(LOW, HIGH, color="#eeeeee", zorder=0)
        panel.axhline(1, color="black", linewidth=0.6)
        panel.set(yscale="log", ylim=(SHOWN[0] / 1.3, SHOWN[1] * 1.3), xlim=(-0.6, len(queues) - 0.4))
        marks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
        panel.set_yticks([*marks, SHOWN[1]], [*(f"{mark:g}" for mark in marks), f"{SHOWN[1]:g}+"])
        panel.minorticks_off()
        panel.set_xticks(range(len(queues)), [queue.replace(", ", ",\n") for queue in queues], rotation=40, ha="right")
        panel.set_title(f"agents read the {reads}" if reads == LENGTH else "agents read drops and marks")
    axes[0].set_ylabel("session / TCP")
    axes[1].legend(loc="upper left", ncols=2, fontsize=6.5)
    return drawn


def clipped(ratio: float) -> float:
    """What is drawn of a ratio."""
    return min(max(ratio, SHOWN[0]), SHOWN[1])


def span(data: Data, reads: str, queues: Sequence[str]) -> str:
    """The least and the greatest ratio of all branches and TCPs in some queues."""
    cases = [case for case in there(data) if case.reads == reads and case.queue in queues]
    means = [one.mean for case in cases for one in ratios(data, case, TREE).values()]
    most = "over 100" if max(means) > 100 else plain(max(means), 2)
    return f"{plain(min(means), 2)} to {most}"


def says(data: Data) -> str:
    """The ends, by what is read."""
    return (
        f"Behind the branches of the tree, with RED, CoDel and PIE, the session gets {span(data, LENGTH, SHORT)} times "
        f"what TCP gets if agents read the length of the queue, and {span(data, DROPS, SHORT)} times if they read what "
        f"it drops; with drop-tail {span(data, LENGTH, ('drop-tail',))} and {span(data, DROPS, ('drop-tail',))}."
    )


EXPERIMENTS = [
    Experiment(
        id="x-queues-blocking",
        paper="queues",
        place="layer blocking by drops",
        title="Layer blocking where queues are kept short",
        published="Layers are blocked while a queue, a drop-tail one, is at 80 % of its limit or more.",
        points=points,
        criteria=[
            Criterion(
                name=f"{queue}, drops are read, beside {name}: session / TCP, worst branch",
                published="not stated",
                evaluate=partial(worst, Case(queue=queue, reads=DROPS, tcp=tcp)),
                low=LOW if queue in SHORT else None,
                high=HIGH if queue in SHORT else None,
            )
            for queue in (*SHORT, "DualPI2", "FQ-CoDel", "drop-tail", "PIE, 1000 packets")
            for tcp, name in TCP_NAMES.items()
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=10,
    )
]
