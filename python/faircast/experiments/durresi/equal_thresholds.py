"""How much of MECN's gain is the doubled drop threshold: beyond the paper.

The paper gives ECN max_th = 2 min_th and MECN max_th = 4 min_th. Here ECN is run with MECN's max_th, too (ECN-4), and
MECN in all three readings of its marking, in all three scenarios.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.experiments.durresi.network import BOTTLENECK, SCENARIOS, SCHEMES, WINDOW, min_ths, over_min_th, sweep
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METRICS = {
    "drops_all": "packets dropped, 0-200 s",
    "drops_late": "packets dropped, 20-200 s",
    "queue_sd": "standard deviation of queue (packets)",
    "efficiency": "link efficiency, 20-200 s",
}


def points(quick: bool) -> list[Point]:
    """Everything, with the statistics of the queue."""
    probes = {"queues": [BOTTLENECK], "queue_interval": "10 s"}
    return [
        Point(key=point.key, scenario=point.scenario | {"probes": probes})
        for point in sweep(quick, scenarios=tuple(SCENARIOS), schemes=tuple(SCHEMES))
    ]


def mean_over(data: Data, which: str, scheme: str, metric: str, seed: int) -> float:
    """A metric, mean over min_th, of one seed."""
    ths = min_ths(data.quick)
    return sum(data.run((which, scheme, m, WINDOW), seed)[BOTTLENECK, metric] for m in ths) / len(ths)


def remaining(which: str, metric: str, data: Data) -> Measured:
    """The part of the gain from ECN to MECN that is left when ECN has MECN's drop threshold."""

    def part(seeds: Sequence[int]) -> float:
        ecn, ecn4, mecn = (
            math.fsum(mean_over(data, which, s, metric, seed) for seed in seeds) for s in ("ecn", "ecn4", "mecn")
        )
        return (ecn4 - mecn) / (ecn - mecn) if ecn != mecn else math.nan

    means = {s: data.over_seeds(partial(mean_over, data, which, s, metric)) for s in SCHEMES}
    note = "mean over the thresholds: " + ", ".join(f"{SCHEMES[s]} {value}" for s, value in means.items())
    return Measured.of(jackknife(part, data.seeds), note=note)


CRITERIA = [
    Criterion(
        name=f"{SCENARIOS[which]}: part of MECN's gain in {label} that remains if ECN has its drop threshold",
        published="not studied",
        evaluate=partial(remaining, which, metric),
    )
    for which in SCENARIOS
    for metric, label in METRICS.items()
]


def figure(data: Data) -> Figure:
    """All schemes against min_th in the scenario of Fig. 7 and 8a, and the losses in the two others."""
    drawn, axes = panels(2, 2, width=PAGE_IN, height=5.0, sharex=True)
    for axis, (metric, label) in zip(axes.flat, METRICS.items(), strict=True):
        for series, scheme in enumerate(SCHEMES):
            curve(
                axis,
                min_ths(data.quick),
                over_min_th(data, "dro", scheme, metric),
                label=SCHEMES[scheme],
                series=series,
            )
        axis.set(ylabel=label)
        if metric.startswith("drops"):
            axis.set_yscale("symlog", linthresh=1)
            axis.set_ylim(bottom=0)
    for axis in axes[-1]:
        axis.set(xlabel="lower threshold (packets)")
    axes[0, 1].legend(loc="upper right", title="means, 95 % intervals")
    drawn.suptitle(SCENARIOS["dro"], fontsize=8)
    return drawn


def says(data: Data) -> str:
    """What the study shows."""
    late, sd = (remaining("dro", metric, data).value for metric in ("drops_late", "queue_sd"))
    return (
        f"Against ECN with the same drop threshold {percent(late or 0)} of MECN's gain in packets dropped after 20 s "
        f"and {percent(sd or 0)} of its gain in the queue's standard deviation remain ({SCENARIOS['dro']})."
    )


EXPERIMENTS = [
    Experiment(
        id="mecn-x",
        paper="durresi",
        place="beyond the paper",
        title="MECN against ECN with the same drop threshold",
        published="The paper gives MECN twice the drop threshold of ECN and does not ask what that alone does.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
    )
]
