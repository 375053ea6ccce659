"""x-all-smcc: what SMCC's layers and its joins decide, in the tree and over LEO.

Three parts, SACK beside the session and no losses on last hops:

* SMCC on TFMCC in the tree, and SMCC on pgmcc there, with 4 layers as in the comparison and with 5 and 6. The highest
  bound stays the rate of the largest branch, so B_0 falls from 2 to 0.5 Mbit/s. Receivers whose share is below B_0 are
  all in layer 0, which the slowest of them rules.
* SMCC on pgmcc over LEO with 1 to 4 layers, each with additive joins and with direct ones, beside pgmcc itself, which
  one layer comes to.

Runs are shorter than those of the comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.side_by_side.cells import BESIDE, NAMES, PATHS, Cell, Situation
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.figures import PAGE_IN, curve, panels

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

TREE, LEO = PATHS["tree"], PATHS["leo"]
DURATION_S: Mapping[str, int] = {"tree": 200, "leo": 400}
IN_TREE = (4, 5, 6)
"""Numbers of layers; the first is that of the comparison."""
OVER_LEO = (1, 2, 3, 4)
"""Numbers of layers; the last is that of the comparison."""
TFMCC, PGMCC, ITSELF = "smcc-tfmcc", "smcc-pgmcc", "pgmcc"
JOINS = {"additive": "joins by counting layers", "direct": "joins at once"}


@dataclass(frozen=True, kw_only=True)
class Case:
    """Who sends how many layers where, and how receivers join them."""

    path: str
    scheme: str
    layers: int = 0
    """0: the scheme has none."""
    join: str = ""

    @property
    def base_mbps(self) -> float:
        """B_0."""
        return PATHS[self.path].mbps / 2.0 ** (self.layers - 1)


def point(case: Case) -> Point:
    """The cell of the comparison with other layers or joins; over LEO each seed has its own constellation."""
    if PATHS[case.path].seeded:
        return Point(key=case, scenario=partial(made, case))
    return Point(key=case, scenario=made(case))


def made(case: Case, seed: int = 1) -> dict[str, Any]:
    """The scenario of a case."""
    path = PATHS[case.path]
    situation = Situation(path=case.path, loss=0.0, tcp="sack")
    found = scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme), seed)
    for name in path.sessions if case.layers else ():
        layers = {"base_rate": f"{round(1e6 * case.base_mbps)} bit/s", "layers": case.layers, "join": case.join}
        found["sessions"][name] |= layers
    name = "-".join(str(part) for part in ("x-all-smcc", case.path, case.scheme, case.layers, case.join) if part)
    probes = {"interval": "10 s", "flows": False, "links": False, "events": False}
    return found | {"name": name, "duration": f"{DURATION_S[case.path]} s", "probes": probes}


def in_tree(scheme: str) -> list[Case]:
    """By number of layers."""
    return [Case(path="tree", scheme=scheme, layers=layers, join="additive") for layers in IN_TREE]


def over_leo(join: str) -> list[Case]:
    """By number of layers. Nobody joins a second layer where there is one, whatever the joins are."""
    return [
        Case(path="leo", scheme=PGMCC, layers=layers, join=join if layers > 1 else "additive") for layers in OVER_LEO
    ]


def points(quick: bool) -> list[Point]:
    """All cases, or of each part the first and the last."""
    parts = [in_tree(TFMCC), in_tree(PGMCC), over_leo("additive"), over_leo("direct")]
    chosen = [case for part in parts for case in ((part[0], part[-1]) if quick else part)]
    return [point(case) for case in dict.fromkeys([*chosen, Case(path="leo", scheme=ITSELF)])]


def run(data: Data, cases: list[Case]) -> list[Case]:
    """The cases that were run."""
    return [case for case in cases if case in data.points]


def by_branch(data: Data, case: Case) -> list[Estimate]:
    """Receivers over TCPs behind each bottleneck, the slowest first."""
    return list(ratios(data, case, PATHS[case.path]).values())


def overall(data: Data, case: Case) -> Estimate:
    """Over LEO, where there is one bottleneck."""
    return by_branch(data, case)[0]


def middle(place: int, data: Data) -> Measured:
    """The branch of 4 Mbit/s with the fewest (0) or the most (-1) layers, SMCC on TFMCC."""
    case = run(data, in_tree(TFMCC))[place]
    return Measured.of(by_branch(data, case)[1], note=f"{case.layers} layers, B_0 {plain(case.base_mbps)} Mbit/s")


def leo(case: Case, data: Data) -> Measured:
    """A case over LEO."""
    return Measured.of(overall(data, case))


def numbers(data: Data) -> Numbers:
    """All ratios with their intervals."""
    rows = []
    for scheme in (TFMCC, PGMCC):
        for case in run(data, in_tree(scheme)):
            behind = zip(TREE.bottlenecks, by_branch(data, case), strict=True)
            rows += [
                [f"tree, {one.mbps} Mbit/s", NAMES[scheme], str(case.layers), plain(case.base_mbps), str(found)]
                for one, found in behind
            ]
    for join, words in JOINS.items():
        for case in run(data, over_leo(join)):
            base = plain(case.base_mbps, 3)
            rows.append(["LEO", f"{NAMES[PGMCC]}, {words}", str(case.layers), base, str(overall(data, case))])
    rows.append(["LEO", NAMES[ITSELF], "none", "", str(overall(data, Case(path="leo", scheme=ITSELF)))])
    return Numbers(columns=["", "scheme", "layers", "B_0 (Mbit/s)", "session / TCP"], rows=rows)


def figure(data: Data) -> Figure:
    """The ratio against the number of layers: by branch in the tree, by kind of join over LEO."""
    drawn, axes = panels(1, 3, width=PAGE_IN, height=2.9, sharey=True)
    for place, scheme in zip(axes, (TFMCC, PGMCC), strict=False):
        cases = run(data, in_tree(scheme))
        for series, one in enumerate(TREE.bottlenecks):
            found = [by_branch(data, case)[series] for case in cases]
            counts = [case.layers for case in cases]
            curve(place, counts, found, label=f"tree, branch of {one.mbps} Mbit/s", series=series)
        ticks(place, cases, f"{NAMES[scheme]}, tree", lowest=0.1)
    place = axes[-1]
    for series, (join, words) in enumerate(JOINS.items(), len(TREE.bottlenecks)):
        cases = run(data, over_leo(join))
        found = [overall(data, case) for case in cases]
        curve(place, [case.layers for case in cases], found, label=f"LEO, {words}", series=series)
    itself = overall(data, Case(path="leo", scheme=ITSELF)).mean
    place.axhline(itself, color="#555555", linestyle=":", linewidth=1.2, label="LEO, pgmcc")
    ticks(place, run(data, over_leo("additive")), f"{NAMES[PGMCC]}, LEO", lowest=0.1)
    axes[0].set(ylabel="session / TCP")
    handles, labels = (
        [item for panel in (axes[0], place) for item in panel.get_legend_handles_labels()[which]] for which in (0, 1)
    )
    drawn.legend(handles, labels, loc="outside lower center", ncols=3)
    return drawn


def ticks(place: Axes, cases: list[Case], title: str, *, lowest: float) -> None:
    """The axes of a panel."""
    place.axhline(1, color="black", linewidth=0.6)
    place.set(title=title, xlabel="layers (B_0, Mbit/s)", yscale="log", ylim=(lowest, 4))
    place.set_xticks(
        [case.layers for case in cases], [f"{case.layers}\n({plain(case.base_mbps, 2)})" for case in cases]
    )
    place.set_xlim(cases[0].layers - 0.4, cases[-1].layers + 0.4)
    place.set_yticks([0.1, 0.2, 0.5, 1, 2, 4], ["0.1", "0.2", "0.5", "1", "2", "4"])
    place.minorticks_off()


def says(data: Data) -> str:
    """What the figure shows."""
    few, many = (run(data, in_tree(TFMCC))[place] for place in (0, -1))
    below, above = (listed([plain(one.mean, 2) for one in by_branch(data, case)]) for case in (few, many))
    one, most, direct = (
        plain(overall(data, case).mean, 2)
        for case in (over_leo("additive")[0], over_leo("additive")[-1], over_leo("direct")[-1])
    )
    return (
        f"SMCC on TFMCC gets {below} times what TCP gets behind the tree's branches of "
        f"{listed([branch.mbps for branch in TREE.bottlenecks])} Mbit/s with {few.layers} layers, and {above} times "
        f"with {many.layers}, whose lowest bound is below each share but the slowest. SMCC on pgmcc gets {one} times "
        f"what TCP gets over LEO with one layer, {most} with {OVER_LEO[-1]}, and {direct} if receivers join at once."
    )


EXPERIMENTS = [
    Experiment(
        id="x-all-smcc",
        paper="side-by-side",
        place="layers of SMCC",
        title="What the layers and the joins of SMCC decide",
        published="Joins add packets one by one; how large the base layer should be the paper does not say.",
        points=points,
        criteria=[
            Criterion(
                name=f"SMCC on TFMCC, tree, branch of 4 Mbit/s, {which} layers: session / TCP",
                published="none",
                evaluate=partial(middle, place),
            )
            for place, which in ((0, "fewest"), (-1, "most"))
        ]
        + [
            Criterion(
                name=f"SMCC on pgmcc, LEO, {words}: session / TCP",
                published="none",
                evaluate=partial(leo, case),
            )
            for words, case in (
                ("one layer", over_leo("additive")[0]),
                (f"{OVER_LEO[-1]} layers, additive joins", over_leo("additive")[-1]),
                (f"{OVER_LEO[-1]} layers, direct joins", over_leo("direct")[-1]),
            )
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=10,
    )
]
