"""Fig. 6a and 6b: the queue of R1-R2 over time, with ECN and with MECN.

The paper shows instantaneous and average queue of ten sources with different RTTs and says that MECN's queue converges
faster and oscillates less. It does not state min_th; 10 packets is a choice.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Point
from faircast.experiments.durresi.network import BOTTLENECK, DURATION_S, SCHEMES, scenario
from faircast.figures import COLOURS, PAGE_IN, panels, trace
from faircast.results import to_arrow
from faircast.statistics import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

MIN_TH = 10
HOLD_S = 20.0
PROBES = {"queues": [BOTTLENECK], "queue_interval": "0.1 s"}


def start_of_run(raw: RawResult) -> tuple[float, float]:
    """Convergence time of the average queue, s, infinite if it never settles; and its peak, packets.

    The first moment after which RED's average stays within half of min_th of its mean over the second half of the run
    for the next 20 s: the same band whatever the queue's max_th, and one late excursion does not decide.
    """
    table = to_arrow(raw.tables()["queues"])
    average = table["average_pkts"].to_numpy()
    return settling_time(table["t_s"].to_numpy(), average, 0.5 * MIN_TH), float(average.max())


def settling_time(t_s: NDArray[np.float64], average: NDArray[np.float64], band: float) -> float:
    """The first moment from which `average` stays within `band` of its late mean for 20 s."""
    late = average[t_s >= t_s[-1] / 2].mean()
    outside = t_s[np.abs(average - late) > band]
    candidates = np.concatenate(([t_s[0]], outside))
    following = np.concatenate((outside, [math.inf]))
    for start, next_outside in zip(candidates, following, strict=True):
        if next_outside - start > HOLD_S and start + HOLD_S <= t_s[-1]:
            return float(start)
    return math.inf


def points(_quick: bool) -> list[Point]:
    """ECN, MECN in its three readings, and ECN with the drop threshold of MECN."""
    return [
        Point(
            key=scheme,
            scenario=scenario(scheme, MIN_TH, "dr", probes=PROBES),
            tables=("queues",),
            reduce=start_of_run,
        )
        for scheme in SCHEMES
    ]


def oscillation(data: Data) -> Measured:
    """How much smaller MECN's standard deviation of the queue is, packets."""
    by_scheme = {scheme: data.estimate(scheme, BOTTLENECK, "queue_sd") for scheme in SCHEMES}
    difference = data.over_seeds(
        lambda seed: data.run("ecn", seed)[BOTTLENECK, "queue_sd"] - data.run("mecn", seed)[BOTTLENECK, "queue_sd"]
    )
    note = "s.d. in packets: " + ", ".join(f"{SCHEMES[scheme]} {value}" for scheme, value in by_scheme.items())
    return Measured.of(difference, holds=difference.mean > 0, note=note)


def convergence(data: Data) -> Measured:
    """How much sooner MECN's average settles, s, median over the seeds."""
    found = {scheme: np.array([data.reduced(scheme, seed) for seed in data.seeds]) for scheme in SCHEMES}
    medians = {scheme: float(np.median(values[:, 0])) for scheme, values in found.items()}
    note = "median time in s: " + ", ".join(
        f"{SCHEMES[scheme]} {'never' if math.isinf(value) else f'{value:.1f}'}" for scheme, value in medians.items()
    )
    peaks = {scheme: found[scheme][:, 1].mean() for scheme in ("ecn", "mecn")}
    ecn, mecn = medians["ecn"], medians["mecn"]
    if mecn > ecn:
        note += (
            f"; MECN drops everything from 4 min_th only, ECN from 2 min_th, so in the slow starts its average "
            f"overshoots to {peaks['mecn']:.0f} packets (ECN: {peaks['ecn']:.0f}) and has a longer way back"
        )
    value = ecn - mecn if math.isfinite(ecn - mecn) else None
    return Measured(value=value, holds=mecn <= ecn, note=note)


CRITERIA = [
    Criterion(
        name="queue oscillates less with MECN: s.d. of ECN minus s.d. of MECN after 20 s, packets",
        published="MECN less",
        evaluate=oscillation,
    ),
    Criterion(
        name="average queue converges no later with MECN: time of ECN minus time of MECN, s",
        published="MECN faster",
        evaluate=convergence,
    ),
]


def figure_of(scheme: str, data: Data) -> Figure:
    """Instantaneous and average queue of the first seed, as the paper draws them."""
    figure, axes = panels(width=PAGE_IN, height=2.6)
    table = data.table(scheme, "queues")
    t_s = table["t_s"].to_numpy()
    axes.plot(t_s, table["queue_pkts"].to_numpy(), color="#999999", linewidth=0.5, label="instantaneous")
    trace(axes, t_s, table["average_pkts"].to_numpy(), label="average", series=0, width=1.4)
    factor = 4 if scheme != "ecn" else 2
    for times, name in ((1, "min"), (2, "mid"), (factor, "max")):
        if (scheme, name) != ("ecn", "mid"):
            axes.axhline(times * MIN_TH, color=COLOURS[1], linewidth=0.6, linestyle=(0, (4, 3)))
            axes.annotate(
                f"{name}_th", (DURATION_S, times * MIN_TH), textcoords="offset points", xytext=(3, -2), fontsize=6
            )
    # The same scale in both figures: they are to be compared.
    top = max(float(data.table(each, "queues")["queue_pkts"].to_numpy().max()) for each in ("ecn", "mecn"))
    axes.set(
        xlabel="time (s)",
        ylabel="queue (packets)",
        xlim=(0, DURATION_S),
        ylim=(0, 1.08 * top),
        title=f"Queue of R1-R2 with {SCHEMES[scheme].split(' (')[0]}, min_th = {MIN_TH} packets (seed {data.seeds[0]})",
    )
    axes.legend(loc="upper right", ncols=2)
    return figure


def says(data: Data) -> str:
    """What the two figures show."""
    sds = {scheme: estimate(data.values(scheme, BOTTLENECK, "queue_sd")) for scheme in ("ecn", "mecn")}
    order = "less" if sds["mecn"].mean < sds["ecn"].mean else "more"
    return (
        f"After the first 20 s the queue oscillates {order} with MECN than with ECN: standard deviation "
        f"{sds['mecn']} against {sds['ecn']} packets."
    )


EXPERIMENTS = [
    Experiment(
        id=f"mecn-fig6{letter}",
        paper="durresi",
        title=f"Queue of R1-R2 over time with {name}",
        points=points,
        criteria=CRITERIA,
        figure=partial(figure_of, scheme),
        says=says,
    )
    for letter, scheme, name in (("a", "ecn", "ECN"), ("b", "mecn", "MECN"))
]
