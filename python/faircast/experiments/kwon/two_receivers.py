"""Fig. 3 and 4: two receivers with different fair rates, beside two TCP flows each.

S1 is behind 6 Mbit/s (fair rate 2), S2 behind 21 Mbit/s (fair rate 7), B_0 is 4 Mbit/s and every link takes 8 ms. S1 is
there from the start (choice), S2 joins after 30 s.
"""

from __future__ import annotations

import math
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Point, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon.course import Attempt, Course
from faircast.experiments.kwon.drawing import over_time
from faircast.experiments.kwon.measures import (
    controls,
    courses,
    each,
    ends,
    in_the_middle,
    mean_of,
    means,
    median_seed,
    over_courses,
    pictured,
    point,
    reported,
    shares,
)
from faircast.experiments.kwon.network import Bottleneck, Case, Stay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

S1, S2 = 0, 1
START_S = 30.0
JUDGED_S = (80.0, 200.0)
MAIN = Case(name="smcc-fig4", bottlenecks=(Bottleneck(mbps=6), Bottleneck(mbps=21, receivers=(Stay(join_s=START_S),))))


def points(_quick: bool) -> list[Point]:
    """TFMCC, and what is only reported."""
    return [point(case) for case in controls(MAIN).values()]


def first_climb(course: Course) -> Attempt | None:
    """The first attempt of S2 that succeeded, which brings it to L_1; None if none did."""
    return next((item for item in course.attempts(S2) if item.end == "join-succeeded"), None)


def time_to_climb(course: Course) -> float:
    """How long after its start S2 is on L_1, s; infinite if it never is."""
    found = first_climb(course)
    return math.inf if found is None else found.ended_s - START_S


def climb_length(course: Course) -> float:
    """How long that attempt lasted, waiting not counted, s; NaN without one, or if it needed no counting layers."""
    found = first_climb(course)
    return math.nan if found is None else found.length_s


def about_the_climb(data: Data, case: Case) -> str:
    """How long S2 waited before that attempt and what it added, medians, and what became of all its attempts."""
    climbs = [found for found in map(first_climb, courses(data, case)) if found and not math.isnan(found.begun_s)]
    if not climbs:
        return ends(data, case, S2)
    waited, added = (
        plain(median(values), 2)
        for values in ([found.begun_s - found.decided_s for found in climbs], [found.packets_added for found in climbs])
    )
    return f"S2 waits for {waited} s before and adds {added} packets per round trip (medians); {ends(data, case, S2)}"


def level_changes(receiver: int, begin_s: float, course: Course) -> float:
    """How often the highest layer of a receiver changes in 100 s."""
    rows = course.levels[f"session-{receiver}"]
    end_s = float(course.layers.shape[1])
    return 100.0 * int((rows[:, 0] >= begin_s).sum()) / (end_s - begin_s)


STATEMENTS: list[Statement[Case]] = [
    Statement(
        name="time from the start of S2 until it is on L_1, s",
        published="18.2: it starts at 30 s and is on L_1 at 48.2 s",
        measure=in_the_middle(time_to_climb, about_the_climb),
        low=2,
        high=60,
    ),
    Statement(
        name="how long the attempt lasts that brings S2 to L_1, without the wait before it, s",
        published="0.6: from 47.6 to 48.2 s",
        measure=in_the_middle(climb_length),
        low=0.1,
        high=5,
    ),
    Statement(
        name="what S1 gets, 80-200 s, Mbit/s",
        published="shares fairly; its fair rate is 2",
        measure=means(lambda case: case.behind(1), *JUDGED_S),
        low=1.4,
        high=2.8,
    ),
    Statement(
        name="what S2 gets, 80-200 s, Mbit/s",
        published="shares fairly; its fair rate is 7",
        measure=means(lambda case: case.behind(2), *JUDGED_S),
        low=4.5,
        high=9,
    ),
    *(
        Statement(
            name=f"what {name} gets divided by what a TCP flow beside it gets, 80-200 s",
            published="shares fairly with the parallel TCP flows",
            measure=shares(bottleneck, *JUDGED_S),
            low=0.6,
            high=1.6,
        )
        for bottleneck, name in ((1, "S1"), (2, "S2"))
    ),
    Statement(
        name="how often the highest layer of S2 changes, per 100 s, 80-200 s",
        published="not stated",
        measure=each(partial(level_changes, S2, JUDGED_S[0])),
    ),
]


def figure(data: Data) -> Figure:
    """As in the paper, of the median run by the first criterion."""
    drawn = [(case, median_seed(data, case, time_to_climb)) for case in pictured(MAIN)]
    return over_time(
        data,
        drawn,
        [
            ("S1 and two TCP flows behind 6 Mbit/s", [S1], MAIN.tcps(1)),
            ("S2 and two TCP flows behind 21 Mbit/s", [S2], MAIN.tcps(2)),
        ],
        by="how long S2 needs to be on $L_1$",
        dashed="S2 starts",
        marks=[START_S],
    )


def says(data: Data) -> str:
    """What the figure shows."""
    first, second = (plain(over_courses(data, MAIN, mean_of(MAIN.behind(number), *JUDGED_S)).mean) for number in (1, 2))
    tcp = [plain(over_courses(data, MAIN, mean_of(MAIN.tcps(number), *JUDGED_S)).mean) for number in (1, 2)]
    time = in_the_middle(time_to_climb)(data, MAIN).value or math.nan
    climbs = f"is on layer 1 after {plain(time)} s (median)" if math.isfinite(time) else "does not get to layer 1"
    return (
        f"S2 {climbs}; from 80 s on S1 gets {first} Mbit/s and a TCP flow beside it {tcp[0]}, S2 {second} and a TCP "
        f"flow beside it {tcp[1]}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig4",
        paper="kwon",
        place="Figure 4",
        title="Two receivers of different fair rates beside TCP",
        published="S2 joins layer 1 18 s after its start by an attempt of 0.6 s; both share fairly with TCP.",
        points=points,
        criteria=criteria(STATEMENTS, {"": MAIN}, reported(MAIN)),
        figure=figure,
        says=says,
    )
]
