"""Fig. 8a and 8b: packets dropped at R1-R2 against min_th.

Nothing in the paper says that the start of the run is left out, so the published quantity is taken to be the drops of
the whole run (`drops_all`). Most of them fall into the slow-start overshoot of the first seconds, before w_q = 0.002
lets the average follow; `drops_late`, from 20 s on, tells the steady state. What is judged are windows of 20 packets.
With 64 packets the overshoot alone can overflow the buffer; where a few packets of it decide, 60 seeds are run in an
experiment of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, listed, percent
from faircast.experiments.durresi.network import (
    BOTTLENECK,
    OVERLAP,
    SCENARIOS,
    SCHEMES,
    WIDE_WINDOW,
    WINDOW,
    first_without_drops,
    judged_beside,
    min_ths,
    over_min_th,
    scenario,
    sweep,
)
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate, jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = {"a": "dro", "b": "dr"}
WINDOWS = (WINDOW, WIDE_WINDOW)
EXCESS_PKTS = 5
LETTER = {"grow_after_timeout": False}
"""Time-outs are repaired as RFC 3168 has it, which our default does not (docs/tcp.md)."""
FEW_MIN_THS = (25, 30, 40, 50, 60)
"""Where windows of 64 packets leave few drops, or a difference of few."""
FEW_REPS = 60
READINGS = {"grown": "time-outs repaired as faircast does", "letter": "time-outs repaired as RFC 3168 says"}


def points(which: str, quick: bool) -> list[Point]:
    """Both figures, as one criterion looks at both; both windows; and time-outs repaired as RFC 3168 has it."""
    both = [point for window in WINDOWS for point in sweep(quick, scenarios=tuple(FIGURES.values()), window=window)]
    both += sweep(quick, scenarios=tuple(FIGURES.values()), schemes=(OVERLAP,))
    return both + [
        Point(
            key=("letter", scheme, m, w),
            scenario=scenario(scheme, m, which, window=w, tcp=LETTER),
            beside=w != WINDOW or scheme == OVERLAP,
        )
        for scheme in ("ecn", "mecn", OVERLAP)
        for m in min_ths(quick)
        for w in WINDOWS
        if scheme != OVERLAP or w == WINDOW
    ]


def drops(data: Data, which: str, metric: str, window: int) -> dict[int, tuple[Estimate, Estimate]]:
    """ECN's and MECN's drops by min_th."""
    ecn, mecn = (over_min_th(data, which, scheme, metric, window) for scheme in ("ecn", "mecn"))
    return dict(zip(min_ths(data.quick), zip(ecn, mecn, strict=True), strict=True))


def never_more(which: str, metric: str, factor: float, window: int, data: Data) -> Measured:
    """MECN's drops minus `factor` times ECN's, largest over min_th."""
    excess = {m: mecn.mean - factor * ecn.mean for m, (ecn, mecn) in drops(data, which, metric, window).items()}
    at = max(excess, key=lambda m: excess[m])
    ecn, mecn = drops(data, which, metric, window)[at]
    note = f"largest at a threshold of {at} packets: MECN {mecn}, ECN {ecn}"
    if abs(mecn.mean - ecn.mean) <= (mecn.ci95 or 0.0) + (ecn.ci95 or 0.0):
        note += ", intervals overlap"
    late = drops(data, which, "drops_late", window)[at][1].mean
    if metric == "drops_all" and late < 0.05 * mecn.mean:
        note += f"; MECN dropped {mecn.mean - late:.4g} of them in the first 20 s, with their slow starts"
    return Measured(value=excess[at], note=note)


def to_the_letter(window: int, data: Data) -> Measured:
    """The first criterion if time-outs are repaired as RFC 3168 has it."""
    found = {
        m: [data.estimate(("letter", scheme, m, window), BOTTLENECK, "drops_all") for scheme in ("ecn", "mecn")]
        for m in min_ths(data.quick)
    }
    excess = {m: mecn.mean - 1.05 * ecn.mean for m, (ecn, mecn) in found.items()}
    at = max(excess, key=lambda m: excess[m])
    ecn, mecn = found[at]
    kept = "would hold" if excess[at] <= EXCESS_PKTS else "would not hold"
    note = f"largest at a threshold of {at} packets: MECN {mecn}, ECN {ecn}; the criterion {kept}"
    return Measured(value=excess[at], note=note)


def total_ratio(which: str, window: int, data: Data) -> Measured:
    """Drops of MECN over drops of ECN, summed over min_th and seeds."""

    def total(scheme: str, seeds: Sequence[int]) -> float:
        keys = [(which, scheme, m, window) for m in min_ths(data.quick)]
        return math.fsum(data.run(key, seed)[BOTTLENECK, "drops_all"] for key in keys for seed in seeds)

    def ratio(seeds: Sequence[int]) -> float:
        ecn = total("ecn", seeds)
        return total("mecn", seeds) / ecn if ecn > 0 else math.nan

    return Measured.of(jackknife(ratio, data.seeds))


def late_zero(which: str, window: int, data: Data) -> Measured:
    """Where drops after 20 s cease: no later with MECN, and sooner in at least one of the two figures."""
    first = {
        (w, scheme): first_without_drops(data, w, scheme, "drops_late", 1.0, window)
        for w in FIGURES.values()
        for scheme in ("ecn", "mecn")
    }

    def place(w: str, scheme: str) -> float:
        found = first[w, scheme]
        return float("inf") if found is None else found

    here = place(which, "mecn") <= place(which, "ecn")
    somewhere = any(place(w, "mecn") < place(w, "ecn") for w in FIGURES.values())
    note = "first threshold with a mean below 1: " + ", ".join(
        f"{'none' if m is None else m} with {SCHEMES[s]} ({SCENARIOS[w]})" for (w, s), m in first.items()
    )
    mecn, ecn = first[which, "mecn"], first[which, "ecn"]
    value = None if mecn is None or ecn is None else float(ecn - mecn)
    return Measured(value=value, holds=here and somewhere, note=note)


def whole_zero(which: str, data: Data) -> Measured:
    """Whether zero loss in the whole run is reached, as the paper's curves show, and where."""
    none = 0.5 / len(data.seeds)
    parts = []
    reached = {}
    for window in WINDOWS:
        first = {s: first_without_drops(data, which, s, "drops_all", none, window) for s in ("ecn", "mecn")}
        reached[window] = first["mecn"] is not None and first["ecn"] is not None
        found = (f"{SCHEMES[s]} {'none' if m is None else m}" for s, m in first.items())
        parts.append(f"windows of {window} packets: " + ", ".join(found))
    note = "first threshold without a drop in any run; " + "; ".join(parts)
    if reached[WINDOW] and not reached[WIDE_WINDOW]:
        note += "; both reach zero with windows of 20 packets only"
    return Measured(value=None, note=note)


def criteria(which: str) -> list[Criterion]:
    """What the paper says of one figure."""
    return [
        judged_beside(
            "packets dropped in the whole run, MECN minus 1.05 times ECN, largest of all thresholds",
            "fewer losses with MECN",
            partial(never_more, which, "drops_all", 1.05),
            high=EXCESS_PKTS,
        ),
        judged_beside(
            f"the same with {READINGS['letter']}",
            "fewer losses with MECN",
            to_the_letter,
        ),
        judged_beside(
            "packets dropped in the whole run, sum over the thresholds, MECN divided by ECN",
            "fewer losses with MECN",
            partial(total_ratio, which),
            high=0.9,
        ),
        judged_beside(
            "packets dropped after 20 s, MECN minus ECN, largest of all thresholds",
            "fewer losses with MECN",
            partial(never_more, which, "drops_late", 1.0),
            high=EXCESS_PKTS,
        ),
        judged_beside(
            "threshold from which nothing is dropped after 20 s, ECN minus MECN, packets",
            "zero loss at a much lower threshold",
            partial(late_zero, which),
            rule="it is no higher with MECN, and lower in Figure 8a or 8b",
        ),
        Criterion(
            name="zero loss in the whole run",
            published="reached with both, sooner with MECN",
            evaluate=partial(whole_zero, which),
        ),
    ]


def few_points(quick: bool) -> list[Point]:
    """Windows of 64 packets with both reactions to a time-out."""
    return [
        Point(
            key=(which, reading, scheme, m),
            scenario=scenario(scheme, m, which, window=WIDE_WINDOW, tcp=LETTER if reading == "letter" else None),
        )
        for which in FIGURES.values()
        for reading in READINGS
        for scheme in ("ecn", "mecn")
        for m in few_min_ths(quick)
    ]


def few_min_ths(quick: bool) -> tuple[int, ...]:
    """The thresholds of this experiment, packets."""
    return FEW_MIN_THS[1:2] if quick else FEW_MIN_THS


def few_excess(which: str, reading: str, m: int, data: Data) -> Estimate:
    """MECN's drops minus 1.05 times ECN's at one threshold, packets, in pairs."""

    def of(seed: int) -> float:
        ecn, mecn = (data.run((which, reading, s, m), seed)[BOTTLENECK, "drops_all"] for s in ("ecn", "mecn"))
        return mecn - 1.05 * ecn

    return data.over_seeds(of)


def few(which: str, reading: str) -> Criterion:
    """The first criterion of the figure, with windows of 64 packets: reported."""

    def evaluate(data: Data) -> Measured:
        found = {m: few_excess(which, reading, m, data) for m in few_min_ths(data.quick)}
        at = max(found, key=lambda m: found[m].mean)
        low, high = (found[at].mean + sign * (found[at].ci95 or math.inf) for sign in (-1, 1))
        word = "would hold" if high <= EXCESS_PKTS else "would not hold" if low > EXCESS_PKTS else "cannot be decided"
        by_m = ", ".join(f"{m}: {item}" for m, item in found.items())
        return Measured.of(found[at], note=f"by threshold {by_m}; at most {EXCESS_PKTS} packets {word}")

    return Criterion(
        name=f"{SCENARIOS[which]}, {READINGS[reading]}: packets dropped in the whole run, MECN minus 1.05 times ECN",
        published="fewer losses with MECN",
        evaluate=evaluate,
    )


def few_figure(data: Data) -> Figure:
    """Drops against min_th, a panel for each scenario."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.2, sharey=True)
    for axis, which in zip(axes, FIGURES.values(), strict=True):
        series = 0
        for reading in READINGS:
            for scheme in ("ecn", "mecn"):
                found = [
                    data.estimate((which, reading, scheme, m), BOTTLENECK, "drops_all") for m in few_min_ths(data.quick)
                ]
                label = f"{SCHEMES[scheme]}{', time-outs as in RFC 3168' if reading == 'letter' else ''}"
                curve(axis, few_min_ths(data.quick), found, label=label, series=series)
                series += 1
        axis.set(xlabel="lower threshold (packets)", title=SCENARIOS[which])
    axes[0].set(ylabel="packets dropped, 0-200 s", ylim=(0, None))
    title = f"windows of {WIDE_WINDOW} packets; means of {len(data.seeds)} seeds, 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=4)
    return drawn


def few_says(data: Data) -> str:
    """What the figure shows."""
    largest = {
        (which, reading): max(few_excess(which, reading, m, data).mean for m in few_min_ths(data.quick))
        for which in FIGURES.values()
        for reading in READINGS
    }
    parts = [
        f"{SCENARIOS[which]} {largest[which, 'grown']:+.0f} "
        f"({largest[which, 'letter']:+.0f} with time-outs as in RFC 3168)"
        for which in FIGURES.values()
    ]
    return f"At the worst threshold MECN drops so many packets more than 1.05 times what ECN drops: {listed(parts)}."


def figure_of(which: str, data: Data) -> Figure:
    """Drops against min_th: whole run, as published, and after the warm-up."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=3.0, sharey=True)
    # Where nothing is dropped the curves lie on the axis; half a marker of room shows them.
    for axis, metric, title in zip(axes, ("drops_all", "drops_late"), ("0-200 s", "20-200 s"), strict=True):
        series = 0
        for window in WINDOWS:
            for scheme in ("ecn", "mecn"):
                label = f"{SCHEMES[scheme]}, windows of {window}"
                curve(
                    axis,
                    min_ths(data.quick),
                    over_min_th(data, which, scheme, metric, window),
                    label=label,
                    series=series,
                )
                series += 1
        axis.set(xlabel="lower threshold (packets)", title=title)
        axis.set_yscale("symlog", linthresh=1)
        axis.set_ylim(bottom=-0.2)
    axes[0].set(ylabel="packets dropped")
    axes[1].legend(loc="upper right", title="means, 95 % intervals")
    drawn.suptitle(
        f"{SCENARIOS[which]}; ECN drops all from twice the lower threshold on, MECN from four times", fontsize=8
    )
    return drawn


def says_of(which: str, data: Data) -> str:
    """What the figure shows."""
    ratio = total_ratio(which, WINDOW, data).value or float("nan")
    first = {s: first_without_drops(data, which, s, "drops_late", 1.0) for s in ("ecn", "mecn")}
    return (
        f"Over all thresholds MECN drops {percent(ratio)} of the packets that ECN drops; after the first 20 s less "
        f"than one a run is dropped from a threshold of {first['mecn']} packets on with MECN and of {first['ecn']} "
        "with ECN."
    )


EXPERIMENTS = [
    *(
        Experiment(
            id=f"mecn-fig8{letter}",
            paper="durresi",
            place=f"Figure 8{letter}",
            title=f"Packets dropped against the lower threshold, {SCENARIOS[which]}",
            published="With MECN fewer packets are dropped, and none from a much lower threshold on.",
            points=partial(points, which),
            criteria=criteria(which),
            figure=partial(figure_of, which),
            says=partial(says_of, which),
            why="As the paper has it nothing is marked just above the middle threshold, so that the queue comes "
            "to its drop threshold more easily; if incipient marks go on there, drops cease at a lower threshold.",
        )
        for letter, which in FIGURES.items()
    ),
    Experiment(
        id="mecn-fig8-w64",
        paper="durresi",
        place="Figures 8a and 8b",
        title="Packets dropped with windows of 64 packets",
        published="With MECN fewer packets are dropped; the paper does not state the window.",
        points=few_points,
        criteria=[few(which, reading) for which in FIGURES.values() for reading in READINGS],
        figure=few_figure,
        says=few_says,
        reps=FEW_REPS,
    ),
]
