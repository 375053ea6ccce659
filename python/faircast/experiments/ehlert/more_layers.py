"""How much better receivers are served with 2, 3, 5 and 9 layers, of which the paper says that it helps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout
from faircast.experiments.ehlert.measures import alone, fairness, part, point
from faircast.experiments.ehlert.network import (
    HYBLA_25,
    HYBLA_270,
    LOW_BER,
    MAIN,
    RENO,
    SATELLITE,
    TCPS,
    TERRESTRIAL,
    WESTWOOD,
    Case,
)
from faircast.experiments.ehlert.published import TABLE_1, TABLE_2
from faircast.figures import COLOURS, PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAYERS = (2, 3, 5, 9)
FEW, MANY = 3, 9
"""The paper has three."""
REPS = 10
BOTH = {HYBLA_270: "both branches, Hybla-270", RENO: "both branches, Reno"}


def one_branch(name: str, layers: int) -> Case:
    """The satellite branch alone."""
    return replace(MAIN, layers=layers).case(name, LOW_BER)


def both_branches(layers: int, name: str = HYBLA_270) -> Case:
    """The satellite branch beside the terrestrial one."""
    return replace(MAIN, layers=layers).case(name, LOW_BER, terrestrial=True)


def points(quick: bool) -> list[Point]:
    """All numbers of layers, with one branch and every TCP, and with both branches."""
    swept = (FEW, MANY) if quick else LAYERS
    cases = [one_branch(name, layers) for layers in swept for name in TCPS]
    return [point(case) for case in (*cases, *(both_branches(layers, name) for layers in swept for name in BOTH))]


def swept(data: Data) -> list[int]:
    """The numbers of layers that were run."""
    return [layers for layers in LAYERS if one_branch(RENO, layers) in data.points]


def gain(case: tuple[Case, Case], branch: str, data: Data) -> Measured:
    """How many points of per cent of the link MLDA gets more with 9 than with 3 layers where it is alone, in pairs."""
    few, many = case
    receiver, kbps = few.branches[branch].alone, few.branches[branch].kbps

    def more(seed: int) -> float:
        rates = [data.run(found, seed)[receiver, "rate_all"] for found in (many, few)]
        return 100 * (rates[0] - rates[1]) / (1e3 * kbps)

    found = [part(alone(data, case_, branch), branch) for case_ in case]
    return Measured.of(data.over_seeds(more), note=f"{found[0]} % with {FEW} layers, {found[1]} % with {MANY}")


def fairer(data: Data) -> Measured:
    """F over the satellite with 9 layers less that with 3, both branches."""
    few, many = (fairness(data, both_branches(layers)) for layers in (FEW, MANY))
    return Measured(value=many.mean - few.mean, note=f"{few} with {FEW} layers, {many} with {MANY}")


HELPS = "more layers result in better utilization"
CRITERIA = [
    *(
        Criterion(
            name=f"one branch, {TCPS[name]}: MLDA alone, {MANY} minus {FEW} layers, points of % of the link",
            published=HELPS,
            evaluate=partial(gain, (one_branch(name, FEW), one_branch(name, MANY)), SATELLITE),
        )
        for name in TCPS
    ),
    *(
        Criterion(
            name=f"both branches, {words}: MLDA alone, {MANY} minus {FEW} layers, points of % of the link",
            published=HELPS,
            evaluate=partial(gain, (both_branches(FEW), both_branches(MANY)), branch),
        )
        for branch, words in ((SATELLITE, "satellite"), (TERRESTRIAL, "terrestrial"))
    ),
    Criterion(
        name=f"both branches, satellite: f with {MANY} minus f with {FEW} layers",
        published="f is low because layers are coarse",
        evaluate=fairer,
    ),
]


def cases(layers: int) -> list[tuple[str, Case, str]]:
    """What is shown of a number of layers: words, case, branch."""
    found = [(TCPS[name], one_branch(name, layers), SATELLITE) for name in TCPS]
    found += [(f"{words}, satellite", both_branches(layers, name), SATELLITE) for name, words in BOTH.items()]
    return [*found, ("both branches, Hybla-270, terrestrial", both_branches(layers), TERRESTRIAL)]


def numbers(data: Data) -> Numbers:
    """By scenario and number of layers the rate of MLDA where it is alone, in per cent of the link, and f."""
    counts = swept(data)
    rows = []
    for number, (words, _, branch) in enumerate(cases(FEW)):
        of = [cases(layers)[number][1] for layers in counts]
        rows.append([words, "MLDA alone (%)", *(str(part(alone(data, case, branch), branch)) for case in of)])
        rows.append(["", "f", *(str(fairness(data, case, branch)) for case in of)])
    return Numbers(columns=["", "", *(f"{layers} layers" for layers in counts)], rows=rows)


def figure(data: Data) -> Figure:
    """MLDA where it is alone, and f, against the number of layers, with what is printed for three."""
    drawn, (rates, ratios) = panels(1, 2, width=PAGE_IN, height=3.1)
    counts = swept(data)
    printed = [(TABLE_1[name].alone / 3, TABLE_1[name].fairness) for name in TCPS]
    printed += [(TABLE_2[SATELLITE].alone / 3, TABLE_2[SATELLITE].fairness), (math.nan, 0.31)]
    printed += [(100 * TABLE_2[TERRESTRIAL].alone / 768, TABLE_2[TERRESTRIAL].fairness)]
    for series, (words, _, branch) in enumerate(cases(FEW)):
        of = [cases(layers)[series][1] for layers in counts]
        curve(rates, counts, _parts(data, of, branch), label=words, series=series)
        curve(ratios, counts, [fairness(data, case, branch) for case in of], label=words, series=series)
        for axes, value in zip((rates, ratios), printed[series], strict=True):
            axes.plot([FEW], [value], marker="_", markersize=11, color=COLOURS[series], linestyle="none", zorder=4)
    for axes in (rates, ratios):
        axes.set_xscale("log")
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.set_xlabel("layers")
    rates.set(ylabel="MLDA alone (% of the link)", ylim=(0, 100))
    ratios.set(ylabel="f, TCP divided by MLDA", yscale="log")
    ratios.axhline(1, color="black", linewidth=0.6)
    layout.plain_ticks(ratios)
    for axes in (rates, ratios):
        axes.minorticks_off()
    drawn.legend(
        *rates.get_legend_handles_labels(),
        loc="outside lower center",
        ncols=3,
        title="bars without a marker: published, with 3 layers",
    )
    return drawn


def _parts(data: Data, of: Sequence[Case], branch: str) -> list[Estimate]:
    return [part(alone(data, case, branch), branch) for case in of]


def says(data: Data) -> str:
    """What the figure shows."""
    gains = [gain((one_branch(name, FEW), one_branch(name, MANY)), SATELLITE, data).value or 0.0 for name in TCPS]
    both = gain((both_branches(FEW), both_branches(MANY)), SATELLITE, data).value or 0.0
    names = listed([TCPS[name] for name in (RENO, WESTWOOD, HYBLA_25, HYBLA_270)])
    return (
        f"With {MANY} layers instead of {FEW} what a receiver gets that has MLDA alone changes by "
        f"{listed([plain(value, 2) for value in gains])} points of per cent of the link beside {names}, and by "
        f"{plain(both, 2)} where there is a terrestrial branch, too."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-x3",
        paper="ehlert",
        place="number of layers",
        title="What more layers bring",
        published="Increasing the number of layers will result in better utilization of different receivers.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
