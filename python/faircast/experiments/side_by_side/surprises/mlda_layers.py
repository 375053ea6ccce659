"""Why MLDA with three layers serves the middle branch of the tree worse than the slowest and the fastest.

The source makes the base layer the least share, all layers together the largest, and the layers between equal
([Ehlert], section III.A). With three layers the second step is half-way, wherever the receivers in between are. Two
things are changed, one at a time: the number of layers, without losses; and what receivers take for congestion where
the last hops lose 1 %, which raises the largest share and with it the steps. TCP is SACK; all else is the
comparison's.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side import runs, tree
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.comparison import ALL
from faircast.experiments.side_by_side.surprises import ratios
from faircast.experiments.side_by_side.surprises.intervals import ordered
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Key = tuple[float, str, int]
"""What last hops lose, the rule by which receivers tell losses apart, and the number of layers."""

LAYERS = (2, 3, 4, 5, 7, 9)
FEW, MANY = 3, 9
"""The comparison has three, as the paper."""
LOSS = 0.01
RULES = {"none": "nobody", "ias": "IAS", "oracle": "the truth"}
"""Who tells errors of links from congestion, and how well."""
SLOW, MIDDLE, FAST = tree.BRANCHES_MBPS
SERIES = {mbps: place for place, mbps in enumerate(tree.BRANCHES_MBPS)}


def scenario(key: Key) -> dict[str, Any]:
    """The tree of the comparison with MLDA and SACK, but for rule and layers."""
    loss, rule, layers = key
    made = runs.scenario(Cell(situation=Situation(path="tree", loss=loss, tcp="sack"), run=BESIDE, scheme="mlda"))
    made["name"] = f"x-all-mlda-layers-{100 * loss:g}-{rule}-{layers}"
    made["sessions"][tree.SESSION] |= {"layers": layers, "loss_differentiation": {"rule": rule}}
    return made


def by_layers(data: Data) -> list[Key]:
    """The cases that differ in the number of layers, as far as they were run."""
    return [key for layers in LAYERS if (key := (0.0, "none", layers)) in data.points]


def by_rule(layers: int) -> list[Key]:
    """The cases that differ in the rule."""
    return [(LOSS, rule, layers) for rule in RULES]


def points(quick: bool) -> list[Point]:
    """All cases."""
    layers = (FEW, MANY) if quick else LAYERS
    keys = [*((0.0, "none", count) for count in layers), *by_rule(FEW), *by_rule(MANY)]
    return [Point(key=key, scenario=scenario(key)) for key in keys]


def ratio(data: Data, key: Key, mbps: int) -> Estimate:
    """The rate of the receivers behind a branch by that of the TCPs there, ratio of means over the seeds."""
    behind = next(one for one in tree.PATH.bottlenecks if one.mbps == mbps)
    return ratios.ratio(data, key, behind.receivers, behind.tcps)


def measured(key: Key, mbps: int, data: Data) -> Measured:
    """The ratio as a criterion has it."""
    return Measured.of(ratio(data, key, mbps))


def rises(data: Data) -> Measured:
    """How many times more the middle branch gets with many layers than with few."""
    many, few = (ratio(data, (0.0, "none", layers), MIDDLE) for layers in (MANY, FEW))
    return ordered(few, many, f"{few} and {many} of TCP's rate")


def falls(data: Data) -> Measured:
    """How much less the middle branch gets with three layers where receivers know the truth about losses."""
    told, none = (ratio(data, (LOSS, rule, FEW), MIDDLE) for rule in ("oracle", "none"))
    found = ordered(told, none, f"{none} and {told} of TCP's rate")
    return replace(found, value=told.mean / none.mean)


CRITERIA = [
    Criterion(
        name=f"{MIDDLE} Mbit/s, no loss: ratio to TCP with {MANY} layers by that with {FEW}",
        published="increasing the number of layers will result in better utilization of different receivers",
        evaluate=rises,
        rule="the intervals of the two are apart, and more layers give more",
    ),
    Criterion(
        name=f"{MIDDLE} Mbit/s, 1 % loss, {FEW} layers: ratio to TCP with the truth by that without a rule",
        published="not stated",
        evaluate=falls,
        rule="the intervals of the two are apart, and the truth gives less",
    ),
    *(
        Criterion(
            name=f"{mbps} Mbit/s, no loss, {FEW} layers: ratio to TCP",
            published="not stated",
            evaluate=partial(measured, (0.0, "none", FEW), mbps),
        )
        for mbps in tree.BRANCHES_MBPS
    ),
]


def numbers(data: Data) -> Numbers:
    """The ratio to TCP behind each branch in every case."""
    rows = [
        [f"{plain(100 * loss)} % loss{f', recognised by {RULES[rule]}' if loss else ''}, {layers} layers"]
        + [str(ratio(data, (loss, rule, layers), mbps)) for mbps in tree.BRANCHES_MBPS]
        for loss, rule, layers in [*by_layers(data), *by_rule(FEW), *by_rule(MANY)]
    ]
    return Numbers(columns=["case", *(f"{mbps} Mbit/s" for mbps in tree.BRANCHES_MBPS)], rows=rows)


def figure(data: Data) -> Figure:
    """Ratio to TCP behind each branch, against the number of layers, and against what is taken for congestion."""
    drawn, (left, few, many) = panels(1, 3, width=PAGE_IN, height=2.9, sharey=True)
    keys = by_layers(data)
    for mbps, series in SERIES.items():
        label = f"{mbps} Mbit/s"
        curve(left, [key[2] for key in keys], [ratio(data, key, mbps) for key in keys], label=label, series=series)
        for axes, layers in ((few, FEW), (many, MANY)):
            cases = by_rule(layers)
            curve(axes, range(len(cases)), [ratio(data, key, mbps) for key in cases], label=label, series=series)
    left.set_xscale("log")
    left.set_xticks([key[2] for key in keys], [str(key[2]) for key in keys])
    left.minorticks_off()
    left.set(xlabel="layers", ylabel="session / TCP", title="no loss")
    left.axvline(FEW, color="black", linewidth=0.6, linestyle=":")
    for axes, layers in ((few, FEW), (many, MANY)):
        axes.set(
            xlabel="link errors are recognised by", title=f"1 % loss on last hops, {layers} layers", xlim=(-0.3, 2.3)
        )
        axes.set_xticks(range(len(RULES)), list(RULES.values()))
    for axes in (left, few, many):
        _ratios(axes)
    drawn.legend(*left.get_legend_handles_labels(), title="branch", loc="outside lower center", ncols=3)
    return drawn


def _ratios(axes: Axes) -> None:
    axes.set_yscale("log", base=2)
    axes.set_yticks((0.25, 0.5, 1, 2, 4, 8, 16), ("1/4", "1/2", "1", "2", "4", "8", "16"))
    axes.axhline(1, color="black", linewidth=0.6)


def says(data: Data) -> str:
    """What the figure shows."""
    low, high = (share(data, (0.0, "none", layers), MIDDLE) for layers in (FEW, MANY))
    none, told = (share(data, (LOSS, rule, FEW), MIDDLE) for rule in ("none", "oracle"))
    outer = [share(data, (0.0, "none", FEW), mbps) for mbps in (SLOW, FAST)]
    return (
        f"With {FEW} layers MLDA gives the receivers behind {MIDDLE} Mbit/s {low} of TCP's rate, while those behind "
        f"{SLOW} and {FAST} Mbit/s get {outer[0]} and {outer[1]}; with {MANY} layers it gives them {high}. Where last "
        f"hops lose 1 % they get {none} with {FEW} layers, but {told} if all receivers know which losses are no "
        f"congestion: the layers grow with the largest share."
    )


def share(data: Data, key: Key, mbps: int) -> str:
    """A ratio for sentences."""
    return plain(ratio(data, key, mbps).mean, 2)


EXPERIMENTS = [
    Experiment(
        id="x-all-mlda-layers",
        paper=ALL.paper,
        place="MLDA in the tree",
        title="MLDA: receivers between the slowest and the fastest",
        published=ALL.published,
        points=points,
        criteria=CRITERIA,
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
