"""x-queues-bursts: what becomes of layers whose packets leave at the same moments, where queues are kept short.

Layer blocking by drops in the tree, with 60 layers beside SACK, as in `blocking_by_drops`. One thing changes: whether
the gaps between packets of a layer vary (`jitter`). If they do not, all layers send at once: a burst of up to sixty
packets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side.surprises import blocking_by_drops
from faircast.experiments.side_by_side.surprises.blocking_by_drops import DROPS, SHORT, TREE
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.experiments.side_by_side.tree import SESSION
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from faircast.statistics import Estimate

SEEDS, DURATION_S = 10, 100
APART, TOGETHER = "apart", "together"
PHASES = (APART, TOGETHER)


@dataclass(frozen=True, kw_only=True)
class Case:
    """The queue of the branches, and when layers send."""

    queue: str
    """A key of `blocking_by_drops.QUEUES`."""
    phase: str
    """When layers send, of `PHASES`."""


CASES = [Case(queue=queue, phase=phase) for queue in SHORT for phase in PHASES]


def point(case: Case) -> Point:
    """A case of `blocking_by_drops`, shorter, and with gaps that do not vary if layers send together."""
    beside = blocking_by_drops.Case(queue=case.queue, reads=DROPS, tcp="sack")
    found = dict(blocking_by_drops.point(beside).scenario)
    if case.phase == TOGETHER:
        found["sessions"] = {name: one | {"jitter": 0.0} for name, one in found["sessions"].items()}
    name = f"x-queues-bursts-{case.queue.lower()}-{case.phase}"
    return Point(key=case, scenario=found | {"name": name, "duration": f"{DURATION_S} s"})


def points(_quick: bool) -> list[Point]:
    """All cases."""
    return [point(case) for case in CASES]


def dropped(data: Data, case: Case) -> Estimate:
    """Which part of the session's packets the queues drop, per cent of those that it sends."""

    def of(seeds: Sequence[int]) -> float:
        found = [data.run(case, seed) for seed in seeds]
        lost = sum(run[SESSION, metric] for run in found for metric in ("drops_overflow", "drops_active"))
        return 100 * lost / sum(run[SESSION, "sent"] for run in found)

    return jackknife(of, data.seeds)


def numbers(data: Data) -> Numbers:
    """By queue what is dropped, and what the session gets behind each branch."""
    return Numbers(
        columns=["queue", "layers send", "dropped (%)", *(f"{one.mbps} Mbit/s" for one in TREE.bottlenecks)],
        rows=[
            [case.queue, case.phase, str(dropped(data, case)), *map(str, ratios(data, case, TREE).values())]
            for case in CASES
        ],
        note="Of the session's packets, summed over the branches; then session / TCP behind each branch.",
        whole=["layers send"],
    )


def measured(queue: str, data: Data) -> Measured:
    """What is dropped if layers send together, divided by what is if they do not."""

    def of(seeds: Sequence[int]) -> float:
        part = Data(data.points, seeds, quick=data.quick)
        apart, together = (dropped(part, Case(queue=queue, phase=phase)).mean for phase in PHASES)
        return together / apart

    apart, together = (dropped(data, Case(queue=queue, phase=phase)) for phase in PHASES)
    return Measured.of(jackknife(of, data.seeds), note=f"{together} instead of {apart} %")


def says(data: Data) -> str:
    """What is dropped by each queue."""
    parts = [
        f"{queue} drops {plain(dropped(data, Case(queue=queue, phase=TOGETHER)).mean, 2)} % of the session's packets "
        f"instead of {plain(dropped(data, Case(queue=queue, phase=APART)).mean, 2)} %"
        for queue in SHORT
    ]
    return f"If all layers send at the same moments {', '.join(parts)}."


EXPERIMENTS = [
    Experiment(
        id="x-queues-bursts",
        paper="queues",
        place="layers in phase",
        title="Layers that send together, where queues are kept short",
        published="No publication says what short queues do with layers that send together.",
        points=points,
        criteria=[
            Criterion(
                name=f"{queue}: dropped if layers send together, divided by that if they do not",
                published="not stated",
                evaluate=partial(measured, queue),
            )
            for queue in SHORT
        ],
        says=says,
        numbers=numbers,
        reps=SEEDS,
    )
]
