"""Fig. 6a and 6b: the queue of R1-R2 over time, with ECN and with MECN. One picture of two panels, judged once.

The paper shows instantaneous and average queue of ten sources with different RTTs and says that MECN's queue converges
faster and oscillates less. It does not state min_th; the picture has 10 packets, a choice. Nor does it say when a queue
has converged, and the answer turns on it, so it is asked with two bands around the late mean, half of min_th and 5
packets, and with several min_th.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Data, Experiment, Measured, Point, plain
from faircast.experiments.durresi.network import (
    BOTTLENECK,
    DURATION_S,
    OVERLAP,
    SCENARIOS,
    SCHEMES,
    WIDE_WINDOW,
    WINDOW,
    judged_beside,
    scenario,
)
from faircast.figures import COLOURS, PAGE_IN, panels, trace
from faircast.statistics import median_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

MIN_TH = 10
MIN_THS = (10, 15, 20, 25, 30, 40, 50)
BANDS: dict[str, Callable[[int], float]] = {
    "half of the lower threshold": lambda min_th: 0.5 * min_th,
    "5 packets": lambda _: 5.0,
}
"""Around the late mean, in packets, by min_th."""
HOLD_S = 20.0
PROBES = {"queues": [BOTTLENECK], "queue_interval": "0.1 s"}


def start_of_run(min_th: int, raw: RawResult) -> tuple[float, ...]:
    """Convergence times of the average queue by both bands, s, infinite if it never settles; its peak, packets.

    The first moment after which RED's average stays within the band around its mean over the second half of the run
    for the next 20 s, so that one late excursion does not decide.
    """
    table = to_arrow(raw.tables()["queues"])
    t_s, average = table["t_s"].to_numpy(), table["average_pkts"].to_numpy()
    return (*(settling_time(t_s, average, band(min_th)) for band in BANDS.values()), float(average.max()))


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


def points(quick: bool) -> list[Point]:
    """At the min_th of the picture also MECN's other readings, and ECN with the drop threshold of MECN."""
    keys = {(scheme, MIN_TH, WINDOW): None for scheme in SCHEMES}
    keys |= {(s, m, w): None for w in (WINDOW, WIDE_WINDOW) for m in swept(quick) for s in ("ecn", "mecn")}
    keys |= {(OVERLAP, m, WINDOW): None for m in swept(quick)}
    return [
        Point(
            key=(scheme, min_th, window),
            scenario=scenario(scheme, min_th, "dr", window=window, probes=PROBES),
            tables=("queues",) if (min_th, window) == (MIN_TH, WINDOW) else (),
            reduce=partial(start_of_run, min_th),
            beside=scheme not in ("ecn", "mecn") or window != WINDOW,
        )
        for scheme, min_th, window in keys
    ]


def swept(quick: bool) -> tuple[int, ...]:
    """The thresholds, packets."""
    return (MIN_TH, 30) if quick else MIN_THS


def oscillation(window: int, data: Data) -> Measured:
    """How much smaller MECN's standard deviation of the queue is, packets."""
    schemes = [scheme for scheme in SCHEMES if (scheme, MIN_TH, window) in data.points]
    by_scheme = {scheme: data.estimate((scheme, MIN_TH, window), BOTTLENECK, "queue_sd") for scheme in schemes}
    ecn, mecn = (("ecn", MIN_TH, window), ("mecn", MIN_TH, window))
    difference = data.over_seeds(
        lambda seed: data.run(ecn, seed)[BOTTLENECK, "queue_sd"] - data.run(mecn, seed)[BOTTLENECK, "queue_sd"]
    )
    note = "standard deviation in packets: " + ", ".join(
        f"{SCHEMES[scheme]} {value}" for scheme, value in by_scheme.items()
    )
    return Measured.above(difference, note=note)


def settling(data: Data, scheme: str, min_th: int, window: int, band: str) -> tuple[float, float, float]:
    """Median convergence time over the seeds and its interval, s; infinite if it never settles."""
    times = sorted(data.reduced((scheme, min_th, window), seed)[list(BANDS).index(band)] for seed in data.seeds)
    return median(times), *median_interval(times)


def convergence(window: int, data: Data) -> Measured:
    """In how many of the cases, min_th and band, MECN's average settles no later: it agrees in all or is undecided."""
    sooner, parts = [], []
    for band in BANDS:
        found = {m: [settling(data, s, m, window, band) for s in ("ecn", "mecn")] for m in swept(data.quick)}
        sooner += [mecn[0] <= ecn[0] for ecn, mecn in found.values()]
        cells = (f"{m}: {_times(ecn)} / {_times(mecn)}" for m, (ecn, mecn) in found.items())
        parts.append(f"within {band}: " + ", ".join(cells))
    peaks = {
        s: sum(data.reduced((s, MIN_TH, window), seed)[-1] for seed in data.seeds) / len(data.seeds)
        for s in ("ecn", "mecn")
    }
    note = (
        f"of {len(sooner)}; median time in s with its interval by lower threshold, ECN / MECN: {'; '.join(parts)}; in "
        f"the slow starts at a lower threshold of {MIN_TH} the average overshoots to {peaks['ecn']:.0f} and "
        f"{peaks['mecn']:.0f} packets"
    )
    return Measured(value=sum(sooner), holds=all(sooner), undecided=any(sooner) and not all(sooner), note=note)


def _times(found: tuple[float, float, float]) -> str:
    middle, low, high = ("never" if math.isinf(value) else f"{value:.1f}" for value in found)
    return f"{middle} ({low} to {high})"


CRITERIA = [
    judged_beside(
        "standard deviation of the queue after 20 s, ECN minus MECN, packets",
        "the queue oscillates less with MECN",
        oscillation,
        rule="it is smaller with MECN",
    ),
    judged_beside(
        f"in how many of {len(MIN_THS) * len(BANDS)} cases the average queue settles no later with MECN",
        "the queue converges faster with MECN",
        convergence,
        rule="it does in all cases; undecided if in some",
    ),
]


def figure(data: Data) -> Figure:
    """Instantaneous and average queue of the first seed, as the paper draws them, on one scale."""
    drawn, rows = panels(2, 1, width=PAGE_IN, height=4.6, sharex=True, sharey=True)
    for axes, scheme in zip(rows, ("ecn", "mecn"), strict=True):
        table = data.table((scheme, MIN_TH, WINDOW), "queues")
        t_s = table["t_s"].to_numpy()
        axes.plot(t_s, table["queue_pkts"].to_numpy(), color="#999999", linewidth=0.5, label="instantaneous")
        trace(axes, t_s, table["average_pkts"].to_numpy(), label="average", series=0, width=1.4)
        factor = 4 if scheme != "ecn" else 2
        for times, name in ((1, "lower"), (2, "middle"), (factor, "drop")):
            if (scheme, name) != ("ecn", "middle"):
                axes.axhline(times * MIN_TH, color=COLOURS[1], linewidth=0.6, linestyle=(0, (4, 3)))
                axes.annotate(
                    name, (DURATION_S, times * MIN_TH), textcoords="offset points", xytext=(3, -2), fontsize=6
                )
        axes.set(ylabel="queue (packets)", xlim=(0, DURATION_S))
        axes.set_title(f"{SCHEMES[scheme]}, lower threshold {MIN_TH} packets (seed {data.seeds[0]})")
    rows[-1].set(xlabel="time (s)", ylim=(0, None))
    rows[0].legend(loc="upper right", ncols=2)
    drawn.suptitle(f"queue of the bottleneck; {SCENARIOS['dr']}; windows of {WINDOW} packets", fontsize=8)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    sds = {s: data.estimate((s, MIN_TH, WINDOW), BOTTLENECK, "queue_sd") for s in ("ecn", "mecn")}
    overlap = data.estimate((OVERLAP, MIN_TH, WINDOW), BOTTLENECK, "queue_sd")
    found = oscillation(WINDOW, data)
    told_apart = abs(found.value or 0.0) > (found.ci95 or 0.0)
    order = "as much" if not told_apart else "less" if found.holds else "more"
    return (
        f"After the first 20 s the queue oscillates {order} with MECN {'than' if told_apart else 'as'} with ECN, by "
        f"{plain(sds['mecn'].mean, 2)} against {plain(sds['ecn'].mean, 2)} packets (standard deviation), and "
        f"{plain(overlap.mean, 2)} if MECN's levels overlap; which settles first depends on the thresholds."
    )


EXPERIMENTS = [
    Experiment(
        id="mecn-fig6",
        paper="durresi",
        place="Figure 6",
        title="Queue of the bottleneck over time with ECN and with MECN",
        published="With MECN the queue converges faster and oscillates less.",
        why="As the paper has it nothing is marked just above the middle threshold, and around that gap the "
        "queue swings. If incipient marks go on above it, it swings less than with ECN. Which queue settles first "
        "depends on the threshold and on what settled means; the paper gives neither.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
    )
]
