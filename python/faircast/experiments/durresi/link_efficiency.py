"""Fig. 7: link efficiency of R1-R2 against min_th.

Efficiency is not defined in the paper; here it is the rate of bytes that left R1 towards R2, retransmissions
included, as a part of the link's rate, over 20-200 s. The whole run is reported beside it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, listed
from faircast.experiments.durresi.network import (
    BOTTLENECK,
    OVERLAP,
    SCENARIOS,
    SCHEMES,
    WIDE_WINDOW,
    WINDOW,
    judged_beside,
    min_ths,
    over_min_th,
    sweep,
)
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURE_SCENARIOS = ("dro", "dr")
WINDOWS = (WINDOW, WIDE_WINDOW)
TOLERANCE = 0.005
GOOD = 0.99


def points(quick: bool) -> list[Point]:
    """Both scenarios that the figure may show, with both windows; and overlapping levels."""
    both = [point for window in WINDOWS for point in sweep(quick, scenarios=FIGURE_SCENARIOS, window=window)]
    return both + sweep(quick, scenarios=FIGURE_SCENARIOS, schemes=(OVERLAP,))


def gain_at(data: Data, which: str, window: int, min_th: int, seed: int, metric: str = "efficiency") -> float:
    """Efficiency of MECN minus that of ECN under one seed."""
    mecn, ecn = (data.run((which, scheme, min_th, window), seed)[BOTTLENECK, metric] for scheme in ("mecn", "ecn"))
    return mecn - ecn


def worst(which: str, window: int, data: Data) -> Measured:
    """The smallest mean gain over min_th."""
    gains = {m: data.over_seeds(partial(gain_at, data, which, window, m)) for m in min_ths(data.quick)}
    at = min(gains, key=lambda m: gains[m].mean)
    return Measured.of(gains[at], note=f"smallest at a lower threshold of {at} packets")


def mean_gain(which: str, window: int, data: Data) -> Measured:
    """The gain, mean over min_th."""
    ths = min_ths(data.quick)

    def mean(metric: str) -> Estimate:
        return data.over_seeds(lambda seed: sum(gain_at(data, which, window, m, seed, metric) for m in ths) / len(ths))

    late, whole = mean("efficiency"), mean("efficiency_all")
    return Measured.above(late, note=f"whole run: {whole}")


def best_min_th(data: Data, which: str, window: int, scheme: str) -> int:
    """The smallest min_th with an efficiency of at least 0.99 of the best."""
    found = over_min_th(data, which, scheme, "efficiency", window)
    best = max(item.mean for item in found)
    return next(m for m, item in zip(min_ths(data.quick), found, strict=True) if item.mean >= GOOD * best)


def lower_threshold(which: str, window: int, data: Data) -> Measured:
    """By how many packets less min_th has to be with MECN."""
    ecn, mecn = (best_min_th(data, which, window, scheme) for scheme in ("ecn", "mecn"))
    return Measured(value=ecn - mecn, holds=mecn <= ecn, note=f"{ecn} packets with ECN, {mecn} with MECN")


def criteria(which: str) -> list[Criterion]:
    """What the paper says of the figure, for one scenario."""
    return [
        judged_beside(
            f"{SCENARIOS[which]}: link efficiency, MECN minus ECN, smallest of all thresholds",
            "no less with MECN at any threshold",
            partial(worst, which),
            low=-TOLERANCE,
        ),
        judged_beside(
            f"{SCENARIOS[which]}: link efficiency, MECN minus ECN, mean over the thresholds",
            "MECN improves it",
            partial(mean_gain, which),
            rule="it is greater with MECN",
        ),
        judged_beside(
            f"{SCENARIOS[which]}: threshold that brings 99 % of the best efficiency, ECN minus MECN, packets",
            "MECN comes to its best at a lower threshold",
            partial(lower_threshold, which),
            rule="it is no higher with MECN",
        ),
    ]


def figure(data: Data) -> Figure:
    """Efficiency against min_th, one panel per scenario."""
    drawn, axes = panels(1, len(FIGURE_SCENARIOS), width=PAGE_IN, height=2.6, sharey=True)
    curves = [(window, scheme) for window in WINDOWS for scheme in ("ecn", "mecn")]
    for axis, which in zip(axes, FIGURE_SCENARIOS, strict=True):
        for series, (window, scheme) in enumerate(curves):
            curve(
                axis,
                min_ths(data.quick),
                over_min_th(data, which, scheme, "efficiency", window),
                label=f"{SCHEMES[scheme]}, windows of {window} packets",
                series=series,
            )
        axis.set(xlabel="lower threshold (packets)", title=SCENARIOS[which])
    axes[0].set(ylabel="link efficiency, 20-200 s")
    axes[0].legend(loc="lower right", title="means, 95 % intervals")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    parts = []
    for which in FIGURE_SCENARIOS:
        ecn, mecn = (best_min_th(data, which, WINDOW, scheme) for scheme in ("ecn", "mecn"))
        parts.append(f"{mecn} instead of {ecn} packets ({SCENARIOS[which]})")
    return f"With MECN the link comes within 1 % of its best efficiency at a lower threshold: {listed(parts)}."


EXPERIMENTS = [
    Experiment(
        id="mecn-fig7",
        paper="durresi",
        place="Figure 7",
        title="Link efficiency against the lower threshold",
        published="With MECN the link is used better, and at a lower threshold.",
        points=points,
        criteria=[criterion for which in FIGURE_SCENARIOS for criterion in criteria(which)],
        figure=figure,
        says=says,
    )
]
