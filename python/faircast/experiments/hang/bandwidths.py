"""Fairness on 1, 2 and 4 Mbit/s (text of section 5.4 a).

"The number of flows and the queue capacity are constant", which capacity is not said: 10, 20 and 40 packets are run,
and 10 packets per Mbit/s.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.hang.network import (
    LIMITS,
    MAIN,
    VARIANTS,
    Case,
    Statement,
    criteria,
    mean_fairness,
    tcp_share,
)
from faircast.figures import COLOURS, PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED = {1: (2.0, 0.6), 2: (1.5, 0.6), 4: (1.1, 0.8)}
"""Bandwidth in Mbit/s: the published fairness, and how far a measured one may lie from it."""
TOLERANCE = 0.1
RULES = {f"{limit} packets": dict.fromkeys(PUBLISHED, limit) for limit in LIMITS}
RULES["10 packets per Mbit/s"] = {mbps: 10 * mbps for mbps in PUBLISHED}
"""The queue by bandwidth."""


def case(variant: str, rule: str, mbps: int) -> Case:
    """Two receivers."""
    return Case(mbps=mbps, limit=RULES[rule][mbps], variant=variant)


def points(_quick: bool) -> list[Point]:
    """Every combination once."""
    cases = {case(v, rule, mbps): None for v in VARIANTS for rule in RULES for mbps in PUBLISHED}
    return [each.point() for each in cases]


def by_bandwidth(data: Data, variant: str, rule: str) -> dict[int, Estimate]:
    """Fairness under a rule for the queue."""
    return {mbps: mean_fairness(data, case(variant, rule, mbps)) for mbps in PUBLISHED}


def as_published(found: dict[int, float]) -> bool:
    """Whether fairness does not grow with bandwidth and lies near the published values."""
    values = [found[mbps] for mbps in PUBLISHED]
    falls = all(later <= earlier + TOLERANCE for earlier, later in itertools.pairwise(values))
    return falls and all(abs(found[mbps] - middle) <= width for mbps, (middle, width) in PUBLISHED.items())


def one_rule_agrees(data: Data, variant: str) -> Measured:
    """How many of the rules give what was published."""
    found = {rule: by_bandwidth(data, variant, rule) for rule in RULES}
    good = [rule for rule, by in found.items() if as_published({mbps: item.mean for mbps, item in by.items()})]
    return Measured(value=len(good), holds=bool(good), note=", ".join(good) or "none")


STATEMENTS = [
    Statement(
        name="with how many of four sizes of the queue TFMCC / TCP falls with bandwidth as published",
        published="2 on 1 Mbit/s, 1.5 on 2, 1.1 on 4",
        measure=one_rule_agrees,
        low=1,
    )
]


def figure(data: Data) -> Figure:
    """TCP's share against bandwidth, a panel for each of two variants."""
    shown = (MAIN, "rto1")
    drawn, axes = panels(1, len(shown), width=PAGE_IN, height=2.8, sharey=True)
    for axis, variant in zip(axes, shown, strict=True):
        for series, rule in enumerate(RULES):
            found = [tcp_share(data, case(variant, rule, mbps)) for mbps in PUBLISHED]
            curve(axis, list(PUBLISHED), found, label=rule, series=series)
        middles = [1 / (1 + middle) for middle, _ in PUBLISHED.values()]
        axis.plot(list(PUBLISHED), middles, color="black", linewidth=2, marker="_", markersize=10, label="published")
        axis.axhline(0.5, color=COLOURS[-1], linewidth=0.6, label="as much as TFMCC")
        axis.set(xlabel="bottleneck (Mb/s)", title=VARIANTS[variant], xscale="log", ylim=(0, 1))
        axis.set_xticks(list(PUBLISHED), [str(mbps) for mbps in PUBLISHED])
        axis.minorticks_off()
    axes[0].set_ylabel("TCP's share, last 250 s")
    title = "queue; share of a TCP flow in what it and TFMCC get; 2 receivers, 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=6)
    return drawn


def table(data: Data) -> Numbers:
    """Fairness under every rule and variant."""
    rows = [
        [VARIANTS[v], rule, *(str(item) for item in by_bandwidth(data, v, rule).values())]
        for v in VARIANTS
        for rule in RULES
    ]
    return Numbers(
        columns=["reading", "queue", *(f"TFMCC divided by TCP on {mbps} Mbit/s" for mbps in PUBLISHED)], rows=rows
    )


def says(data: Data) -> str:
    """What the numbers show."""
    found = [by_bandwidth(data, MAIN, rule) for rule in RULES]
    parts = [span([each[mbps].mean for each in found]) for mbps in PUBLISHED]
    return f"TFMCC gets {listed(parts)} times what a TCP flow gets on 1, 2 and 4 Mbit/s, depending on the queue."


def span(values: Sequence[float]) -> str:
    """The least and the greatest, two digits each."""
    return f"{plain(min(values), 2)} to {plain(max(values), 2)}"


EXPERIMENTS = [
    Experiment(
        id="omcc-bw",
        paper="hang",
        place="Section 5.4 a",
        title="Fairness of TFMCC against bandwidth",
        published="TFMCC gets 2, 1.5 and 1.1 times what a TCP flow gets on 1, 2 and 4 Mbit/s.",
        points=points,
        criteria=criteria(STATEMENTS, tuple(VARIANTS)),
        figure=figure,
        says=says,
        numbers=table,
    )
]
