"""x-all-acks: what pgmcc and TFMCC get beside a SACK flow, by how its ACKs come and by what it counts of them.

The situations of the comparison beside SACK without losses, at the bottleneck of the slowest receiver. Only TCP's
ACKs differ. Delayed, as in the comparison, or one for each packet, SACK grows by a packet in a round trip, as it
counts the segments that they acknowledge. One that counts ACKs, as ns-2 does, grows by half a packet if they are
delayed, and gets 1/√2 of what the throughput equation says, for which both schemes compute with an ACK for each packet.
Runs over LEO and in the tree are shorter than those of the comparison.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.side_by_side.cells import BESIDE, NAMES, PATH_NAMES, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.figures import PAGE_IN, curve, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

SCHEMES = ("pgmcc", "tfmcc")
DURATION_S = {"leo": 500, "geo": 600, "tree": 200}
DELAYED, EACH, COUNTED = "delayed", "each", "counted"
ACKS = {DELAYED: "delayed ACKs", COUNTED: "delayed ACKs that it counts", EACH: "an ACK for each packet"}
"""The first is that of the comparison."""
CHANGES: dict[str, dict[str, Any]] = {DELAYED: {}, COUNTED: {"byte_counting": False}, EACH: {"delayed_ack": False}}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Who is beside TCP where, and how that acknowledges."""

    path: str
    scheme: str
    acks: str
    """How the receiver acknowledges, of `ACKS`."""


def point(case: Case) -> Point:
    """The cell of the comparison; over LEO each seed has its own constellation."""
    return Point(key=case, scenario=partial(made, case) if PATHS[case.path].seeded else made(case))


def made(case: Case, seed: int = 1) -> dict[str, Any]:
    """The scenario of a case."""
    situation = Situation(path=case.path, loss=0.0, tcp="sack")
    found = scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme), seed)
    for flow in found["flows"].values():
        flow.update(CHANGES[case.acks])
    return found | {
        "name": f"x-all-acks-{case.path}-{case.scheme}-{case.acks}",
        "duration": f"{DURATION_S[case.path]} s",
        "probes": {"interval": "10 s", "flows": False, "links": False, "events": False},
    }


def points(_quick: bool) -> list[Point]:
    """All cases."""
    return [
        point(Case(path=path, scheme=scheme, acks=acks)) for scheme in SCHEMES for path in PATH_NAMES for acks in ACKS
    ]


def ratio(data: Data, case: Case) -> Estimate:
    """The session over TCP at the first bottleneck, which is that of the slowest receiver."""
    return next(iter(ratios(data, case, PATHS[case.path]).values()))


def by_path(data: Data, scheme: str, acks: str) -> list[Estimate]:
    """The ratio on each path."""
    return [ratio(data, Case(path=path, scheme=scheme, acks=acks)) for path in PATH_NAMES]


def measured(case: Case, data: Data) -> Measured:
    """A case as it is reported."""
    return Measured.of(ratio(data, case))


def numbers(data: Data) -> Numbers:
    """All ratios with their intervals."""
    return Numbers(
        columns=["", "beside SACK with", *PATH_NAMES.values()],
        rows=[
            [NAMES[scheme], words, *map(str, by_path(data, scheme, acks))]
            for scheme in SCHEMES
            for acks, words in ACKS.items()
        ],
        note="Session over TCP at the bottleneck of the slowest receiver.",
    )


def figure(data: Data) -> Figure:
    """A panel for each scheme: the ratio by path, by how TCP acknowledges and counts."""
    drawn, axes = panels(1, len(SCHEMES), width=PAGE_IN, height=2.6, sharey=True)
    for place, scheme in zip(axes, SCHEMES, strict=True):
        place.axhline(1, color="black", linewidth=0.6)
        place.axhline(math.sqrt(2), color="#555555", linestyle=":", linewidth=1, label="√2")
        for series, (acks, words) in enumerate(ACKS.items()):
            x = [at + 0.16 * (series - 1) for at in range(len(PATH_NAMES))]
            curve(place, x, by_path(data, scheme, acks), label=f"SACK with {words}", series=series, joined=False)
        place.set(title=NAMES[scheme], xlim=(-0.5, len(PATH_NAMES) - 0.5), ylim=(0, 2.5))
        tree = f"tree, {PATHS['tree'].bottlenecks[0].mbps} Mbit/s"
        place.set_xticks(
            range(len(PATH_NAMES)), [tree if path == "tree" else title for path, title in PATH_NAMES.items()]
        )
    axes[0].set(ylabel="session / TCP")
    drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    parts = []
    for scheme in SCHEMES:
        found = {acks: listed([plain(one.mean, 2) for one in by_path(data, scheme, acks)]) for acks in ACKS}
        parts.append(
            f"{NAMES[scheme]} gets {found[DELAYED]} times what SACK with delayed ACKs gets, {found[EACH]} without, "
            f"and {found[COUNTED]} if it counts delayed ACKs"
        )
    places = listed([*PATH_NAMES.values()])
    return f"At the bottlenecks of the slowest receivers ({places}) {'; '.join(parts)}."


EXPERIMENTS = [
    Experiment(
        id="x-all-acks",
        paper="side-by-side",
        place="delayed ACKs",
        title="What TCP's delayed ACKs are worth to those beside it",
        published="A TCP that counts ACKs and delays them has 0.71 times the rate that the equation of TFMCC asks for.",
        points=points,
        criteria=[
            Criterion(
                name=f"{NAMES[scheme]}, {PATH_NAMES[path]}, beside SACK with {words}: session / TCP",
                published="none",
                evaluate=partial(measured, Case(path=path, scheme=scheme, acks=acks)),
            )
            for scheme in SCHEMES
            for path in PATH_NAMES
            for acks, words in ACKS.items()
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=10,
    )
]
