"""What layers of fixed rates get in the tree beside TCP, by how many there are and by the queue of the branches.

Layers are those of the comparison, up to the rate of the largest branch: equal ones for layer blocking, doubling ones
for RLM. Only their number changes, and for layer blocking the queue of the branches: RED, as in the comparison, or
drop-tail of the same size. No losses on last hops, SACK. Runs are half as long as those of the comparison, and what
is measured begins when a receiver of layer blocking, who joins a layer every 2 s, could hold all of the most layers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.jitter import one_packet
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.schemes import doubling_layers, equal_layers
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.figures import PAGE_IN, curve, panels

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure

    from faircast.experiments.side_by_side.path import Bottleneck
    from faircast.statistics import Estimate

TREE = PATHS["tree"]
SESSION = TREE.sessions[0]
DURATION_S, WARMUP_S = 300, 150
EQUAL, DOUBLING = (15, 24, 36, 60), (5, 6, 7, 8)
"""Numbers of layers; the first of each are those of the comparison."""
RED, DROP_TAIL = "RED", "drop-tail"
PANELS = (("blocking", RED, EQUAL), ("blocking", DROP_TAIL, EQUAL), ("rlm", RED, DOUBLING))


@dataclass(frozen=True, kw_only=True)
class Case:
    """Who sends how many layers, and what the branches have."""

    scheme: str
    """``blocking`` or ``rlm``."""
    queue: str
    """`RED` or `DROP_TAIL`."""
    layers: int

    @property
    def base_mbps(self) -> float:
        """The rate of the base layer."""
        return (equal_layers if self.scheme == "blocking" else doubling_layers)(TREE, self.layers).base_mbps


def point(case: Case) -> Point:
    """The cell of the comparison with other layers or another queue."""
    situation = Situation(path="tree", loss=0.0, tcp="sack")
    found = scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme))
    made = equal_layers if case.scheme == "blocking" else doubling_layers
    found["sessions"][SESSION]["rates"] = made(TREE, case.layers).rates
    if case.queue == DROP_TAIL:
        for bottleneck in TREE.bottlenecks:
            drop_tail(found, bottleneck)
    name = f"x-all-layers-{case.scheme}-{case.queue}-{case.layers}".lower()
    probes = {"interval": "1 s", "flows": False, "links": False, "events": False}
    found |= {"name": name, "duration": f"{DURATION_S} s", "warmup": f"{WARMUP_S} s", "probes": probes}
    return Point(key=case, scenario=found)


def drop_tail(scenario: dict[str, Any], bottleneck: Bottleneck) -> None:
    """Give a bottleneck a drop-tail queue of the same size, and its TCPs the random time that this takes."""
    link = scenario["links"][bottleneck.link]
    link["queue"] = {"kind": "drop-tail", "limit": link["queue"]["limit"]}
    for name in bottleneck.tcps:
        scenario["flows"][name] |= one_packet(TREE.packet_bytes, bottleneck.mbps)


def points(quick: bool) -> list[Point]:
    """All numbers of layers in all panels, or the least and the greatest."""
    return [
        point(Case(scheme=scheme, queue=queue, layers=layers))
        for scheme, queue, numbers in PANELS
        for layers in ((numbers[0], numbers[-1]) if quick else numbers)
    ]


def swept(data: Data, scheme: str, queue: str) -> list[Case]:
    """What was run of a panel."""
    return [case for case in data.points if isinstance(case, Case) and (case.scheme, case.queue) == (scheme, queue)]


def ratio(data: Data, case: Case, link: str) -> Estimate:
    """The session's receivers behind a branch over the TCPs there."""
    return ratios(data, case, TREE)[link]


def slowest(scheme: str, queue: str, place: int, data: Data) -> Measured:
    """The ratio behind the slowest branch with the fewest (0) or most (-1) layers."""
    case = swept(data, scheme, queue)[place]
    note = f"{case.layers} layers, the base has {plain(case.base_mbps)} Mbit/s"
    return Measured.of(ratio(data, case, TREE.bottlenecks[0].link), note=note)


def numbers(data: Data) -> Numbers:
    """By panel and number of layers the rate of the base, and the ratio behind each branch."""
    rows = []
    for scheme, queue, _ in PANELS:
        for case in swept(data, scheme, queue):
            by_link = ratios(data, case, TREE)
            rows.append([NAMES[scheme, queue], str(case.layers), plain(case.base_mbps), *map(str, by_link.values())])
    return Numbers(
        columns=["", "layers", "base (Mbit/s)", *(f"{one.mbps} Mbit/s" for one in TREE.bottlenecks)],
        rows=rows,
        note="Receivers of the session over TCPs behind the branch of so many Mbit/s.",
    )


NAMES = {
    ("blocking", RED): "Layer blocking, RED",
    ("blocking", DROP_TAIL): "Layer blocking, drop-tail",
    ("rlm", RED): "RLM, RED",
}


def figure(data: Data) -> Figure:
    """The ratio against the number of layers, a curve for each branch."""
    drawn, axes = panels(1, len(PANELS), width=PAGE_IN, height=2.7, sharey=True)
    for place, (scheme, queue, _) in zip(axes, PANELS, strict=True):
        cases = swept(data, scheme, queue)
        counts = [case.layers for case in cases]
        place.axhline(1, color="black", linewidth=0.6)
        for series, one in enumerate(TREE.bottlenecks):
            label = f"branch of {one.mbps} Mbit/s"
            curve(place, counts, [ratio(data, case, one.link) for case in cases], label=label, series=series)
        place.set_title(NAMES[scheme, queue])
        place.set(xscale="log", yscale="log", xlabel="layers (base layer, Mbit/s)")
        place.set_xticks(counts, [f"{case.layers}\n({plain(case.base_mbps, 2)})" for case in cases])
        place.minorticks_off()
    axes[0].set(ylabel="session / TCP", ylim=(0.08, 3000))
    axes[0].set_yticks([0.1, 1, 10, 100, 1000], ["0.1", "1", "10", "100", "1000"])
    drawn.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    few, many = (swept(data, "blocking", DROP_TAIL)[place] for place in (0, -1))
    below, above = (listed([plain(one.mean, 2) for one in ratios(data, case, TREE).values()]) for case in (few, many))
    red = ratio(data, swept(data, "blocking", RED)[-1], TREE.bottlenecks[-1].link)
    return (
        f"Beside drop-tail queues sessions with layer blocking get {below} times what TCP gets behind the branches of "
        f"{listed([one.mbps for one in TREE.bottlenecks])} Mbit/s with {few.layers} layers, and {above} times with "
        f"{many.layers}; beside RED it is {plain(red.mean, 2)} times behind the fastest one with {many.layers}, too."
    )


EXPERIMENTS = [
    Experiment(
        id="x-all-layers",
        paper="side-by-side",
        place="number of layers",
        title="What the number of fixed layers decides in the tree",
        published="Peng and Sikdar have 15 layers of 50 kbit/s and one bottleneck of 1.5 Mbit/s.",
        points=points,
        criteria=[
            Criterion(
                name=f"{words}, slowest branch, {which} layers: session / TCP",
                published="not stated",
                evaluate=partial(slowest, scheme, queue, place),
            )
            for (scheme, queue), words in NAMES.items()
            for place, which in ((0, "fewest"), (-1, "most"))
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=10,
    )
]
