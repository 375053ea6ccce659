"""Why layer blocking starves TCP behind RED: its agent waits for a queue that RED never lets grow.

The tree without losses, beside SACK, with the 15 layers of the comparison. One thing changes: the queue of the
branches, which is RED or drop-tail of the same size, or the part of the queue's limit from which on the agent blocks.
Runs are half as long as those of the comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.fixed_layers import DROP_TAIL, DURATION_S, RED, drop_tail
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.experiments.side_by_side.tree import BASE_RTT_S, QUEUE_BDP
from faircast.figures import PAGE_IN, curve, panels, trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

TREE = PATHS["tree"]
FASTEST = TREE.bottlenecks[-1]
LIMIT_PKTS = round(QUEUE_BDP * FASTEST.mbps * 1e6 * BASE_RTT_S / (8 * TREE.packet_bytes))
THRESHOLDS = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Parts of the queue's limit; the last one is the default, and that of the paper."""
DEFAULT = THRESHOLDS[-1]
SHOWN_S = 120
"""How much of a run is drawn."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What the branches have."""

    queue: str
    """`RED` or `DROP_TAIL`."""
    threshold: float
    """The part of the limit from which on the agent blocks."""


BOTH = tuple(Case(queue=queue, threshold=DEFAULT) for queue in (RED, DROP_TAIL))


def point(case: Case) -> Point:
    """The cell of the comparison with another queue or threshold."""
    situation = Situation(path="tree", loss=0.0, tcp="sack")
    found = scenario(Cell(situation=situation, run=BESIDE, scheme="blocking"))
    for bottleneck in TREE.bottlenecks:
        found["links"][bottleneck.link]["agent"] = {"kind": "layer-blocking", "upper_threshold": case.threshold}
        if case.queue == DROP_TAIL:
            drop_tail(found, bottleneck)
    name = f"x-all-thresholds-{case.queue}-{100 * case.threshold:g}".lower()
    probes = {"interval": "0.5 s", "flows": True, "links": False, "events": False, "queues": [FASTEST.link]}
    return Point(
        key=case,
        scenario=found | {"name": name, "duration": f"{DURATION_S} s", "probes": probes},
        tables=("queues", "receivers"),
    )


def points(quick: bool) -> list[Point]:
    """RED with all thresholds or the least and the greatest, and drop-tail with the paper's."""
    thresholds = (THRESHOLDS[0], DEFAULT) if quick else THRESHOLDS
    return [point(Case(queue=RED, threshold=threshold)) for threshold in thresholds] + [point(BOTH[1])]


def swept(data: Data) -> list[Case]:
    """The cases with RED that were run."""
    return [case for case in data.points if isinstance(case, Case) and case.queue == RED]


def ratio(data: Data, case: Case) -> Estimate:
    """The session's receivers over TCP behind the fastest branch."""
    return ratios(data, case, TREE)[FASTEST.link]


def greatest_pkts(data: Data, case: Case) -> float:
    """The longest queue of the fastest branch after the warm-up that was seen in the first run, packets."""
    times, waiting = _queue(data, case)
    return max(pkts for time, pkts in zip(times, waiting, strict=True) if time > TREE.warmup_s)


def of_case(case: Case, data: Data) -> Measured:
    """The ratio in a case, and how long the queue became."""
    seen = greatest_pkts(data, case)
    return Measured.of(ratio(data, case), note=f"longest queue {plain(seen)} of {LIMIT_PKTS} packets")


def numbers(data: Data) -> Numbers:
    """By queue and threshold the ratio behind each branch, and the longest queue of the fastest one."""
    rows = [
        [
            case.queue,
            percent(case.threshold),
            *map(str, ratios(data, case, TREE).values()),
            plain(greatest_pkts(data, case)),
        ]
        for case in data.points
        if isinstance(case, Case)
    ]
    return Numbers(
        columns=[
            "queue",
            "blocks from",
            *(f"{one.mbps} Mbit/s" for one in TREE.bottlenecks),
            "longest queue (packets)",
        ],
        rows=rows,
        note="Receivers of the session over TCPs behind the branch of so many Mbit/s; the longest queue of that of "
        f"{FASTEST.mbps} Mbit/s in the first run, after the warm-up, whose limit is {LIMIT_PKTS} packets.",
    )


def figure(data: Data) -> Figure:
    """The queue of the fastest branch and the layers over time, with both queues, and the ratio by threshold."""
    drawn, (queues, layers, sweep) = panels(1, 3, width=PAGE_IN, height=2.6)
    for series, case in enumerate(BOTH):
        trace(queues, *_queue(data, case), label=case.queue, series=series, width=0.7)
        trace(layers, *_layers(data, case), label=case.queue, series=series, width=1.2)
    threshold(queues, DEFAULT * LIMIT_PKTS, f"{percent(DEFAULT)} of the limit: blocks from here on")
    queues.set(xlabel="time (s)", ylabel="queue (packets)", xlim=(0, SHOWN_S), ylim=(0, 1.13 * LIMIT_PKTS))
    layers.set(xlabel="time (s)", ylabel="layers joined", xlim=(0, SHOWN_S), ylim=(0, 16))
    queues.set_title(f"queue of {FASTEST.mbps} Mbit/s")
    layers.set_title("its layers, with an empty one if any")
    cases = swept(data)
    for series, one in enumerate(TREE.bottlenecks[1:]):
        found = [ratios(data, case, TREE)[one.link] for case in cases]
        curve(
            sweep, [100 * case.threshold for case in cases], found, label=f"RED, {one.mbps} Mbit/s", series=series + 2
        )
        beside = [ratios(data, BOTH[1], TREE)[one.link]]
        curve(sweep, [100 * DEFAULT], beside, label=f"drop-tail, {one.mbps} Mbit/s", series=series + 4, joined=False)
    sweep.axhline(1, color="black", linewidth=0.6)
    sweep.set(
        xscale="log", yscale="log", xlabel="blocks from (% of the limit)", ylabel="session / TCP", ylim=(0.5, 100)
    )
    sweep.set_xticks([100 * case.threshold for case in cases], [f"{100 * case.threshold:g}" for case in cases])
    sweep.set_yticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
    sweep.minorticks_off()
    sweep.set_title("what it gets beside TCP")
    sweep.legend(loc="upper left", borderaxespad=0)
    layers.legend(loc="center right")
    return drawn


def threshold(axes: Axes, pkts: float, words: str) -> None:
    """A line that the queue does or does not reach."""
    axes.axhline(pkts, color="black", linewidth=0.8, linestyle=(0, (4, 2)))
    axes.annotate(words, (1, 1.07 * LIMIT_PKTS), fontsize=6)


def _queue(data: Data, case: Case) -> tuple[list[float], list[float]]:
    table = data.table(case, "queues")
    return table["t_s"].to_pylist(), table["queue_pkts"].to_pylist()


def _layers(data: Data, case: Case) -> tuple[Sequence[float], Sequence[float]]:
    table = data.table(case, "receivers")
    name = FASTEST.receivers[0]
    rows = [row for row in table.select(["t_s", "receiver", "level"]).to_pylist() if row["receiver"] == name]
    return [row["t_s"] for row in rows], [row["level"] for row in rows]


def says(data: Data) -> str:
    """What the figure shows."""
    red, tail = BOTH
    low = swept(data)[0]
    return (
        f"Behind the branch of {FASTEST.mbps} Mbit/s the session gets {plain(ratio(data, red).mean, 2)} times what TCP "
        f"gets with RED, whose queue has at most {plain(greatest_pkts(data, red))} packets where the agent "
        f"blocks from {plain(DEFAULT * LIMIT_PKTS)} on, and {plain(ratio(data, tail).mean, 2)} times with drop-tail; "
        f"with RED and an agent that blocks from {percent(low.threshold)} of the limit on it is "
        f"{plain(ratio(data, low).mean, 2)} times."
    )


EXPERIMENTS = [
    Experiment(
        id="x-all-thresholds",
        paper="side-by-side",
        place="thresholds of layer blocking",
        title="Why layer blocking starves TCP behind RED",
        published="Layers are blocked while a queue, a drop-tail one, is at 80 % of its limit or more.",
        points=points,
        criteria=[
            Criterion(
                name=f"{case.queue}, blocks from {percent(case.threshold)}, {FASTEST.mbps} Mbit/s: session / TCP",
                published="not stated",
                evaluate=partial(of_case, case),
            )
            for case in (*BOTH, Case(queue=RED, threshold=THRESHOLDS[0]))
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=10,
    )
]
