"""Fig. 5: a receiver with a low fair rate joins late, and those of higher levels hardly notice.

The network is that of Fig. 4. S2 is there from the start (choice); S1 behind 6 Mbit/s joins after 70 s.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Point, percent, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon import two_receivers
from faircast.experiments.kwon.course import Course, course_of, mean
from faircast.experiments.kwon.drawing import over_time
from faircast.experiments.kwon.measures import (
    controls,
    each,
    mean_of,
    median_seed,
    over_courses,
    part_of_runs,
    pictured,
    point,
    ratio,
    reported,
)
from faircast.experiments.kwon.network import Bottleneck, Case, Stay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

S1, S2 = two_receivers.S1, two_receivers.S2
START_S = 70.0
FULL_MBPS = 3.8
"""What L_0 must carry before S1 comes to count as full, of 4 Mbit/s."""
BEFORE_S, AFTER_S = (40.0, 70.0), (80.0, 150.0)
CATCH_S = 0.5
MAIN = replace(
    two_receivers.MAIN,
    name="smcc-fig5",
    bottlenecks=(Bottleneck(mbps=6, receivers=(Stay(join_s=START_S),)), Bottleneck(mbps=21)),
)


def points(_quick: bool) -> list[Point]:
    """TFMCC, and what is only reported."""
    return [point(case) for case in controls(MAIN).values()]


def base_before(course: Course) -> float:
    """What L_0 carries in the last 10 s before S1 comes, Mbit/s."""
    return mean(course.layers[0][60:70])


def base_after(course: Course) -> float:
    """What L_0 carries when it follows S1, Mbit/s."""
    return mean(course.layers[0][90:150])


def led_at(course: Course) -> float:
    """When S1 leads L_0 first, s; infinite if it never does."""
    return min((begin for begin, _ in course.leading(0, S1, START_S, math.inf)), default=math.inf)


def kept(data: Data, case: Case) -> Measured:
    """What S2 gets after the change over what it got before, the ratio of the means."""
    (name,) = case.behind(2)
    before, after = mean_of([name], *BEFORE_S), mean_of([name], *AFTER_S)
    note = f"{over_courses(data, case, before)} and {over_courses(data, case, after)} Mbit/s"
    return Measured.of(ratio(data, case, after, before), note=note)


def compensated(course: Course) -> float:
    """By what part of T_1 the rise of R_1 misses the fall of R_0 in the 0.5 s after S1 begins to lead.

    NaN if S2 is not on L_1 then. Where what rises and what falls are equal T_1 is as it was.
    """
    at = led_at(course)
    if not math.isfinite(at) or course.level(f"session-{S2}", at) != 1 or at + CATCH_S > course.layers.shape[1]:
        return math.nan
    before, after = course.target(1, at - 0.1), course.target(1, at + CATCH_S)
    return abs(after - before) / before


def about_compensation(data: Data, case: Case) -> str:
    """In how many runs that could be seen."""
    found = [compensated(course_of(data, case, seed)) for seed in data.seeds]
    return f"S2 is on L_1 then in {sum(not math.isnan(value) for value in found)} of {len(found)} runs"


STATEMENTS: list[Statement[Case]] = [
    Statement(
        name="part of the runs in which L_0 carries at least 3.8 Mbit/s in the last 10 s before S1 joins",
        published="it has its maximum, 4 Mbit/s",
        measure=part_of_runs(lambda course: base_before(course) >= FULL_MBPS),
        low=0.7,
    ),
    Statement(
        name="when S1, which joins at 70 s, leads L_0, s",
        published="within a second",
        measure=each(led_at),
        high=72,
    ),
    Statement(
        name="what L_0 carries when it follows S1, 90-150 s, Mbit/s",
        published="S1's fair rate, roughly 2",
        measure=each(base_after),
        low=1.2,
        high=3,
    ),
    Statement(
        name="what S2 gets, 80-150 s divided by 40-70 s",
        published="not adversely affected",
        measure=kept,
        low=0.75,
        high=1.25,
    ),
    Statement(
        name="by what part of T_1 the rise of R_1 misses the fall of R_0 in the 0.5 s after S1 begins to lead",
        published="the rate on L_1 increases at once to compensate",
        measure=each(compensated, about_compensation),
        high=0.15,
    ),
]


def figure(data: Data) -> Figure:
    """As in the paper, of the median run by what L_0 carries before S1 comes."""
    drawn = [(case, median_seed(data, case, base_before)) for case in pictured(MAIN)]
    return over_time(
        data,
        drawn,
        [
            ("S1 and two TCP flows behind 6 Mbit/s", [S1], MAIN.tcps(1)),
            ("S2 and two TCP flows behind 21 Mbit/s", [S2], MAIN.tcps(2)),
        ],
        by="what $L_0$ carries before S1 joins",
        dashed="S1 joins",
        marks=[START_S],
    )


def says(data: Data) -> str:
    """What the figure shows."""
    before, after = (over_courses(data, MAIN, what).mean for what in (base_before, base_after))
    changed = (kept(data, MAIN).value or math.nan) - 1
    led = over_courses(data, MAIN, led_at).mean - START_S
    return (
        f"S1 leads layer 0 {plain(led, 2)} s after it has joined, and the layer goes from {plain(before)} to "
        f"{plain(after)} Mbit/s; what S2 gets changes by {percent(changed)}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig5",
        paper="kwon",
        place="Figure 5",
        title="A receiver with a low fair rate joins late",
        published="The lowest layer follows the late receiver at once, and the one on the layer above keeps its rate.",
        points=points,
        criteria=criteria(STATEMENTS, {"": MAIN}, reported(MAIN)),
        figure=figure,
        says=says,
    )
]
