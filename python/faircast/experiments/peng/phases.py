"""Fig. 13: the phases of the queue at the gateway's uplink in scenario 1, looked at every 20 ms.

Phase 1 is an empty queue, phase 3 one of 40 packets or more, of 50. The paper says that the queue is in phase 2 most of
the time, visits 3 and 1 from time to time, and does not stay long in 3.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.experiments.peng.network import CAPTIONS, DURATION_S, TREATMENTS, UPLINK, WARMUP_S, Case
from faircast.experiments.rows import places
from faircast.figures import COLOURS, PAGE_IN, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

MAIN = Case()
LOSE = Case(handoff="lose")
SHOWN_S = ((600, 900), (700, 720))
"""What the two parts of the figure show."""


def phases(link: str, raw: RawResult) -> NDArray[np.float64]:
    """When the queue at the beginning of a link came into another phase, and into which: rows of time and phase."""
    acts = to_arrow(raw.tables()["router_events"])
    at = places(acts, "event")["phase"] & places(acts, "link")[link]
    return np.column_stack([acts["t_s"].to_numpy()[at], acts["value"].to_numpy()[at]])


def points(_quick: bool) -> list[Point]:
    """Both treatments of what waits at a hand-off."""
    return [replace(case.point(), reduce=partial(phases, UPLINK)) for case in (MAIN, LOSE)]


def stays(rows: NDArray[np.float64]) -> dict[int, NDArray[np.float64]]:
    """How long each stay in each phase was within the time that is judged, s."""
    begins, ends = rows[:, 0], np.append(rows[1:, 0], DURATION_S)
    lengths = np.clip(ends, WARMUP_S, None) - np.clip(begins, WARMUP_S, None)
    found: Any = rows[:, 1]
    return {phase: lengths[(found == phase) & (lengths > 0)] for phase in (1, 2, 3)}


def share(phase: int, data: Data, case: Case) -> Estimate:
    """The part of the time in a phase."""

    def of(seed: int) -> float:
        found = stays(data.reduced(case, seed))
        return float(found[phase].sum() / sum(lengths.sum() for lengths in found.values()))

    return data.over_seeds(of)


def stay_in_3(data: Data, case: Case) -> Estimate:
    """The median stay in phase 3, s; the mean over the seeds."""
    return data.over_seeds(lambda seed: float(median(stays(data.reduced(case, seed))[3].tolist() or [0.0])))


def most_of_the_time(data: Data) -> Measured:
    """The share of phase 2, which must be the largest as well."""
    found = {phase: share(phase, data, MAIN) for phase in (1, 2, 3)}
    lost = {phase: share(phase, data, LOSE).mean for phase in (1, 2, 3)}
    largest = max(found, key=lambda phase: found[phase].mean)
    note = f"phases 1, 2, 3: {', '.join(str(item) for item in found.values())}"
    beside = f"{TREATMENTS['lose']}: {', '.join(f'{value:.3f}' for value in lost.values())}"
    fails = "" if largest == 2 else f"phase {largest} has more"
    return Measured(value=found[2].mean, ci95=found[2].ci95, note=note, beside=beside, fails=fails)


def visited(data: Data) -> Measured:
    """How often phases 1 and 3 are visited in 100 s, the rarer of the two."""

    def visits(phase: int, seed: int) -> float:
        return 100 * len(stays(data.reduced(MAIN, seed))[phase]) / (DURATION_S - WARMUP_S)

    found = {phase: data.over_seeds(partial(visits, phase)) for phase in (1, 3)}
    rarer = min(found.values(), key=lambda item: item.mean)
    note = f"phase 1 {found[1]}, phase 3 {found[3]}; least in a run {rarer.low:.2g}"
    return Measured(value=rarer.mean, holds=rarer.low > 0, note=note)


def short_stays(data: Data) -> Measured:
    """The median stay in phase 3."""
    longest = max(float(stays(data.reduced(MAIN, seed))[3].max(initial=0.0)) for seed in data.seeds)
    beside = f"{TREATMENTS['lose']}: {stay_in_3(data, LOSE)}"
    return replace(Measured.of(stay_in_3(data, MAIN), note=f"the longest stay is {longest:.1f} s"), beside=beside)


CRITERIA = [
    Criterion(
        name="part of the time in phase 2, which must be the largest of the three",
        published="most of the time",
        evaluate=most_of_the_time,
        low=0.45,
    ),
    Criterion(
        name="visits in 100 s of phase 1 (empty) and phase 3 (long), of the rarer one",
        published="from time to time",
        evaluate=visited,
        rule="every run visits both",
    ),
    Criterion(name="median stay in phase 3 (long), s", published="short", evaluate=short_stays, high=1.0),
]


def figure(data: Data) -> Figure:
    """The phases of the first seed over a long time, and some seconds of it."""
    drawn, rows = panels(2, 1, width=PAGE_IN, height=3.2)
    found = data.reduced(MAIN, data.seeds[0])
    times, values = np.append(found[:, 0], DURATION_S), np.append(found[:, 1], found[-1, 1])
    for axes, (begin, end) in zip(rows, SHOWN_S, strict=True):
        axes.step(times, values, where="post", color=COLOURS[0], linewidth=0.5)
        axes.set(xlim=(begin, end), ylim=(0.7, 3.3), ylabel="phase")
        axes.set_yticks([1, 2, 3], ["1: empty", "2: in between", "3: 40 packets or more"])
    rows[1].set_xticks(range(SHOWN_S[1][0], SHOWN_S[1][1] + 1, 5))
    rows[0].axvspan(*SHOWN_S[1], color="#dddddd", zorder=0)
    rows[1].set_xlabel("time (s)")
    drawn.suptitle(
        f"the queue at the gateway's uplink, {CAPTIONS[1]}; seed {data.seeds[0]}; below: the grey part", fontsize=7
    )
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    empty, between, long = (share(phase, data, MAIN).mean for phase in (1, 2, 3))
    return (
        f"The queue at the uplink is empty for {percent(empty, 1)} of the time and holds 40 packets or more for "
        f"{percent(long)}; it is in between for {percent(between)}, and half of its stays above are shorter than "
        f"{stay_in_3(data, MAIN).mean:.2f} s."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-fig13",
        paper="peng",
        place="Figure 13",
        title="Phases of the queue at the bottleneck",
        published="The queue is in between most of the time; it is empty or long now and then, and not long for long.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
    )
]
