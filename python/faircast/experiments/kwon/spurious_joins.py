"""What joins that should not be cost others: S2 while S3 tries the layer of both, in the network of Fig. 9.

S3 has had its fair rate cut from 13 to 7 Mbit/s by more traffic, which is less than layer 1 is for; S2 still has 13.
Without additive increase S3 joins layer 1 at once, leads it and takes its rate down; with it S3 tries counting layers,
which S2 does not notice. Looked at are the runs in which S3 was on layer 1 just before, as in Fig. 9.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.kwon.course import STEP_S, Course, course_of
from faircast.experiments.kwon.measures import controls
from faircast.experiments.kwon.more_traffic import MAIN, NAMES, REPS, S2, S3, SPURIOUS_S, direct, qualifying
from faircast.experiments.kwon.more_traffic import points as runs_of_figure_9
from faircast.figures import COLOURS, COLUMN_IN, LINES, panels
from faircast.statistics import Estimate, jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast.experiments.kwon.network import Case

LOWERED, PART = 0.1, 0.5
AROUND_S = (-2.0, 6.0)
NONE = Estimate(math.nan, None, 0, math.nan, math.nan)
"""What no run at all gives."""


def points(quick: bool) -> list[Point]:
    """The runs of Fig. 9."""
    return runs_of_figure_9(quick)


def steps(course: Course) -> NDArray[np.int64]:
    """The moments that are looked at, every 0.1 s from 76 to 100 s, as places in what the layers were to carry."""
    begin, end = (round(at / STEP_S) for at in SPURIOUS_S)
    return np.arange(begin, min(end, course.targets.shape[1]))


def sent_to_s2(course: Course, at: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the layers that S2 holds are to carry, Mbit/s."""
    levels = [max(0, course.level(NAMES[S2], STEP_S * float(k))) for k in at]
    return np.array([course.targets[level][k] for level, k in zip(levels, at.tolist(), strict=True)])


def trying(course: Course, at: NDArray[np.int64]) -> NDArray[np.bool_]:
    """When S3 is on layer 1 or above, or holds counting layers to get there."""
    spans = [(item.begun_s, item.ended_s) for item in course.attempts(S3) if not math.isnan(item.length_s)]
    times = STEP_S * at
    found = np.array([course.level(NAMES[S3], float(time)) >= 1 for time in times])
    for begin, end in spans:
        found |= (times >= begin) & (times < end)
    return found


def lowered(data: Data, case: Case) -> Estimate:
    """By what part S2's rate is lower while S3 tries than while it does not, all runs together."""
    seeds = qualifying(data, case)
    return jackknife(partial(lowered_in, data, case), seeds) if seeds else NONE


def lowered_in(data: Data, case: Case, seeds: Sequence[int]) -> float:
    """How much S2's rate is lowered, over these runs together."""
    during, apart = [], []
    for seed in seeds:
        course = course_of(data, case, seed)
        at = steps(course)
        rates, tries = sent_to_s2(course, at), trying(course, at)
        during.append(rates[tries])
        apart.append(rates[~tries])
    there, else_where = (np.concatenate(found) if found else np.array([]) for found in (during, apart))
    if not else_where.size:
        return math.nan
    return float(1 - there.mean() / else_where.mean()) if there.size else 0.0


def time_trying(data: Data, case: Case) -> float:
    """For what part of the time S3 tries."""
    found = [trying(course, steps(course)) for course in _courses(data, case)]
    return float(np.concatenate(found).mean()) if found else math.nan


def _courses(data: Data, case: Case) -> list[Course]:
    return [course_of(data, case, seed) for seed in qualifying(data, case)]


def of_direct(data: Data, case: Case) -> Measured:
    """With layers joined at once."""
    part = percent(time_trying(data, direct(case)))
    return Measured.of(
        lowered(data, direct(case)), note=f"{len(qualifying(data, case))} runs; S3 is there {part} of the time"
    )


def of_additive(data: Data, case: Case) -> Measured:
    """With counting layers, as a part of the same with layers joined at once."""
    part = percent(time_trying(data, case))
    there = {which: set(qualifying(data, which)) for which in (direct(case), case)}

    def of(seeds: Sequence[int]) -> float:
        first, second = (lowered_in(data, which, [seed for seed in seeds if seed in there[which]]) for which in there)
        return second / first if first else math.nan

    seeds = sorted(set().union(*there.values()))
    found = jackknife(of, seeds) if seeds else NONE
    return Measured.of(found, note=f"lower by {lowered(data, case)}; S3 tries {part} of the time")


CRITERIA = [
    Criterion(
        name="part by which S2's rate is lower while S3 is on layer 1 than otherwise, layers joined at once, 76-100 s",
        published="spurious joins can cause significant performance degradation",
        evaluate=lambda data: of_direct(data, MAIN),
        low=LOWERED,
    ),
    Criterion(
        name="the same while S3 tries with additive increase, as a part of that",
        published="it does not diminish the throughput of others",
        evaluate=lambda data: of_additive(data, MAIN),
        high=PART,
    ),
]


def reported() -> list[Criterion]:
    """The criteria with what else controls the layers, without a verdict."""
    found = []
    for label, case in controls(MAIN).items():
        if case is not MAIN:
            for criterion, of in zip(CRITERIA, (of_direct, of_additive), strict=True):
                name = f"{label}, reported: {criterion.name}"
                evaluate = partial(lambda which, there, data: which(data, there), of, case)
                found.append(Criterion(name=name, published="not in the paper", evaluate=evaluate))
    return found


def around(data: Data, case: Case) -> NDArray[np.float64]:
    """What S2 is sent around the moments at which S3 begins to try, as a part of what it was sent just before.

    Rows by event, columns every 0.1 s.
    """
    offsets = np.arange(*(round(at / STEP_S) for at in AROUND_S))
    rows = []
    for course in _courses(data, case):
        at = steps(course)
        tries = trying(course, at)
        for begin in at[1:][tries[1:] & ~tries[:-1]]:
            places = np.clip(begin + offsets, 0, course.targets.shape[1] - 1)
            sent = sent_to_s2(course, places)
            rows.append(sent / sent[offsets == -1])
    return np.array(rows).reshape(-1, offsets.size)


def figure(data: Data) -> Figure:
    """What S2 is sent around the moments at which S3 joins or begins to try, the mean and the middle half."""
    drawn, axes = panels(1, 1, width=COLUMN_IN, height=2.7)
    times = STEP_S * np.arange(*(round(at / STEP_S) for at in AROUND_S))
    for series, (label, case) in enumerate({"joins at once": direct(MAIN), "tries counting layers": MAIN}.items()):
        found = around(data, case)
        if found.size:
            low, high = np.quantile(found, [0.25, 0.75], axis=0)
            axes.fill_between(times, low, high, color=COLOURS[series], alpha=0.2, linewidth=0)
            axes.plot(
                times,
                found.mean(axis=0),
                color=COLOURS[series],
                linestyle=LINES[series],
                label=f"S3 {label}, {len(found)} times",
            )
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set(xlabel="time after S3 begins (s)", ylabel="rate sent to S2 / just before", xlim=AROUND_S, ylim=(0, None))
    axes.legend(loc="lower left")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    at_once, tried = (lowered(data, case).mean for case in (direct(MAIN), MAIN))
    return (
        f"S2's rate is {percent(at_once)} lower while S3 is on its layer without being fit for it, and "
        f"{percent(tried)} lower while S3 tries counting layers or has succeeded."
    )


def numbers(data: Data) -> Numbers:
    """How often S3 begins to try, for how long, and what it costs S2."""
    rows = []
    for label, case in controls(MAIN).items():
        for words, varied in (("at once", direct(case)), ("additive", case)):
            runs = len(qualifying(data, case))
            often = plain(len(around(data, varied)) / runs, 2) if runs else ""
            rows.append([label, words, often, percent(time_trying(data, varied)), str(lowered(data, varied))])
    columns = ["scheme", "joins", "S3 begins, per run", "part of the time that it tries", "S2's rate is lower by"]
    return Numbers(columns=columns, rows=rows)


EXPERIMENTS = [
    Experiment(
        id="smcc-x5",
        paper="kwon",
        place="spurious joins",
        title="What a receiver loses while another one joins its layer that should not",
        published="Joined at once, layers are dragged down by who cannot hold them; additive joins harm nobody.",
        why="While S3 tries counts here for the stay that follows as well where an additive join succeeds: on the "
        "layer S3 leads and lowers it as after a direct join. With so few joins the ratio's interval reaches from the "
        "limit to more than all of what direct joins cost.",
        points=points,
        criteria=[*CRITERIA, *reported()],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
