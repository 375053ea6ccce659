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
from faircast.experiment import Data, Experiment, Measured, Point, percent
from faircast.experiments.judging import judged
from faircast.experiments.peng.measures import either
from faircast.experiments.peng.network import (
    CAPTIONS,
    DEPENDS,
    DURATION_S,
    UPLINK,
    WARMUP_S,
    Case,
    others,
    points_of,
    readings,
)
from faircast.experiments.rows import places
from faircast.figures import COLOURS, PAGE_IN, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

MAIN = Case()
READINGS = readings(MAIN)
CASES = others(MAIN)
"""What stands beside them."""
SHOWN_S = ((600, 900), (700, 720))
"""What the two parts of the figure show."""


def phases(link: str, raw: RawResult) -> NDArray[np.float64]:
    """When the queue at the beginning of a link came into another phase, and into which: rows of time and phase."""
    acts = to_arrow(raw.tables()["router_events"])
    at = places(acts, "event")["phase"] & places(acts, "link")[link]
    return np.column_stack([acts["t_s"].to_numpy()[at], acts["value"].to_numpy()[at]])


def points(_quick: bool) -> list[Point]:
    """Both windows, and what stands beside."""
    return [replace(point, reduce=partial(phases, UPLINK)) for point in points_of(MAIN)]


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


def most_of_the_time(data: Data, case: Case) -> Measured:
    """The share of phase 2, which must be the largest as well."""
    found = {phase: share(phase, data, case) for phase in (1, 2, 3)}
    largest = max(found, key=lambda phase: found[phase].mean)
    note = f"phases 1, 2, 3: {', '.join(str(item) for item in found.values())}"
    fails = "" if largest == 2 else f"phase {largest} has more"
    return Measured(value=found[2].mean, ci95=found[2].ci95, note=note, fails=fails)


def visited(data: Data, case: Case) -> Measured:
    """How often phases 1 and 3 are visited in 100 s, the rarer of the two, in the run that does so least."""

    def visits(phase: int, seed: int) -> float:
        return 100 * len(stays(data.reduced(case, seed))[phase]) / (DURATION_S - WARMUP_S)

    found = {phase: data.over_seeds(partial(visits, phase)) for phase in (1, 3)}
    least = min(item.low for item in found.values())
    return Measured(value=least, holds=least > 0, note=f"mean of phase 1 {found[1]}, of phase 3 {found[3]}")


def short_stays(data: Data, case: Case) -> Measured:
    """The median stay in phase 3."""
    longest = max(float(stays(data.reduced(case, seed))[3].max(initial=0.0)) for seed in data.seeds)
    found = stay_in_3(data, case)
    return Measured(value=found.mean, holds=found.mean < 1, note=f"the longest stay is {longest:.1f} s")


held = partial(judged, cases=CASES, readings=READINGS, depends=DEPENDS)
"""A criterion that is judged with both windows."""

CRITERIA = [
    held(
        "part of the time in phase 2, which must be the largest of the three",
        "most of the time",
        most_of_the_time,
        low=0.45,
    ),
    held(
        "visits in 100 s of phase 1 (empty) or phase 3 (long), of the rarer one, in the run with fewest",
        "from time to time",
        visited,
        rule="every run visits both",
    ),
    held(
        "median stay in phase 3 (long), s",
        "short",
        short_stays,
        rule="it is below 1",
        identity="a queue that comes to 40 packets goes back and forth there, so most stays are a few looks",
    ),
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
    empty, between, long = (
        either([percent(share(phase, data, case).mean, digits) for case in READINGS.values()])
        for phase, digits in ((1, 1), (2, 0), (3, 0))
    )
    return (
        f"The queue at the uplink is empty for {empty} of the time, holds 40 packets or more for {long}, and is in "
        f"between for {between}."
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
