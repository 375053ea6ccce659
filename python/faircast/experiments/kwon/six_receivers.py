"""Fig. 10 to 12: six receivers with fair rates that differ little, each beside ten TCP flows of its own.

S1 to S6 are behind 33, 44, 55, 66, 77 and 110 Mbit/s (the first is the paper's, the others follow from the fair rates
that it states, 3, 4, 5, 6, 7 and 10 Mbit/s). B_0 is 4 Mbit/s, and every link takes 8 ms (choice). Fig. 11 has each
receiver with the TCP flow whose mean is nearest the average of its ten, Fig. 12 receivers beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, percent, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon.course import STEP_S, Course, course_of
from faircast.experiments.kwon.drawing import over_time
from faircast.experiments.kwon.measures import (
    OfCourse,
    controls,
    each,
    mean_of,
    means,
    median_seed,
    over_courses,
    pictured,
    point,
    ratio,
    reported,
    shares,
)
from faircast.experiments.kwon.network import Bottleneck, Case, Tcps
from faircast.statistics import variation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAIR_MBPS = (3, 4, 5, 6, 7, 10)
TCPS = 10
S1, S2, S3, S6 = 0, 1, 2, 5
JUDGED_S = (20.0, 200.0)
LOOKED_S = 3.0
"""How long after a receiver begins to lead its layer's rate is looked at."""
DRAGGED = 0.15
MAIN = Case(
    name="smcc-fig11",
    bottlenecks=tuple(Bottleneck(mbps=(TCPS + 1) * fair, tcps=(Tcps(count=TCPS),)) for fair in FAIR_MBPS),
)


def points(_quick: bool) -> list[Point]:
    """TFMCC, and what is only reported; both figures rest on the same runs."""
    return [point(case) for case in controls(MAIN).values()]


def representative(case: Case, receiver: int, course: Course) -> str:
    """The TCP flow beside a receiver whose mean is nearest the average of them all."""
    flows = case.tcps(receiver + 1)
    rates = [course.mean(flow, *JUDGED_S) for flow in flows]
    average = math.fsum(rates) / len(rates)
    return flows[min(range(len(flows)), key=lambda i: abs(rates[i] - average))]


def burstiness(name: Callable[[Course], str], course: Course) -> float:
    """The coefficient of variation of what a flow or a receiver gets in each second."""
    return variation(course.rates[name(course)][slice(*map(int, JUDGED_S))].tolist())


def smoother(data: Data, case: Case) -> Measured:
    """The coefficient of variation of S6 over that of the TCP flow that stands for its ten, the ratio of the means."""
    (receiver,) = case.behind(S6 + 1)
    of = [partial(burstiness, lambda _: receiver), partial(burstiness, partial(representative, case, S6))]
    note = f"{over_courses(data, case, of[0])} of S6 and {over_courses(data, case, of[1])} of the TCP flow"
    return Measured.of(ratio(data, case, of[0], of[1]), note=note)


def level_changes(receiver: int, begin_s: float, end_s: float, course: Course) -> float:
    """How often the highest layer of a receiver changes in 100 s."""
    times = course.levels[f"session-{receiver}"][:, 0]
    return 100 * float(np.sum((times >= begin_s) & (times < end_s))) / (end_s - begin_s)


def restless(data: Data, case: Case) -> Measured:
    """Which places S2 and S6 have among the six by how often their level changes: the later of the two."""
    found = [
        over_courses(data, case, partial(level_changes, number, *JUDGED_S)).mean for number in range(len(FAIR_MBPS))
    ]
    later = max(1 + sum(other > found[number] for other in found) for number in (S2, S6))
    note = "changes in 100 s of S1 to S6: " + ", ".join(plain(value, 2) for value in found)
    return Measured(value=later, note=note)


def stays_of_s2(course: Course) -> float:
    """How often S2 comes to L_1."""
    return float(len(course.stays(f"session-{S2}", 1, *JUDGED_S)))


def drops(course: Course) -> list[tuple[float, float, float]]:
    """When S2 first leads L_1 after joining it, what T_1 was just before, and its least in the 3 s after, Mbit/s."""
    found = []
    leads = course.leading(1, S2, *JUDGED_S)
    stays = course.stays(f"session-{S2}", 1, *JUDGED_S)
    firsts = [next((lead for lead in leads if begin <= lead[0] < end), None) for begin, end in stays]
    for begin, end in filter(None, firsts):
        rows = course.targets[1][round(begin / STEP_S) : round(min(begin + LOOKED_S, end) / STEP_S) + 1]
        if rows.size:
            found.append((begin, course.target(1, begin - STEP_S), float(rows.min())))
    return found


def dragged(course: Course) -> float:
    """How often S2 joins L_1, leads it, and T_1 falls by at least 15 % within 3 s."""
    return float(sum(after <= (1 - DRAGGED) * before for _, before, after in drops(course)))


def about_drops(data: Data, case: Case) -> str:
    """How often S2 joins and leads in a run, and the largest fall of all runs."""
    found = [drops(course_of(data, case, seed)) for seed in data.seeds]
    everything = [(before, after) for rows in found for _, before, after in rows]
    if not everything:
        return "S2 never leads L_1"
    before, after = max(everything, key=lambda pair: 1 - pair[1] / pair[0])
    often = plain(len(everything) / len(found), 2)
    return (
        f"S2 joins L_1 and leads it {often} times per run; the largest fall is from {plain(before)} to {plain(after)}"
    )


STATEMENTS_11: list[Statement[Case]] = [
    *(
        Statement(
            name=f"what S{number} gets divided by what a TCP flow beside it gets, 20-200 s",
            published=f"it shares fairly; its fair rate is {fair} Mbit/s",
            measure=shares(number, *JUDGED_S),
            low=0.55,
            high=1.6,
        )
        for number, fair in enumerate(FAIR_MBPS, 1)
    ),
    Statement(
        name="variation of S6 in windows of 1 s divided by that of the TCP flow nearest the mean of its ten",
        published="not as bursty as the competing TCP connection",
        measure=smoother,
        high=1.0,
    ),
    Statement(
        name="place of S2 and S6 by how often their level changes, the later of the two",
        published="both have relatively many subscription changes",
        measure=restless,
        high=3,
        soft=True,
    ),
]
STATEMENTS_12: list[Statement[Case]] = [
    Statement(
        name="how often S2, whose fair rate is B_0, is on L_1, per run of 20-200 s",
        published="relatively high subscription changes, as its fair rate is B_0",
        measure=each(stays_of_s2),
        low=2,
    ),
    Statement(
        name="how often S2 joins L_1, leads it and lowers T_1 by at least 15 % within 3 s of that, per run",
        published="from 6.7 to 5.0, from 7.1 to 4.1 and from 6.8 to 4.6 Mbit/s; otherwise within 10 %",
        measure=each(dragged, about_drops),
        low=1,
    ),
    Statement(
        name="what S1 gets, 20-200 s, Mbit/s",
        published="its fair rate is 3",
        measure=means(lambda case: case.behind(1), *JUDGED_S),
        low=2,
        high=4,
    ),
    Statement(
        name="what S2 gets, 20-200 s, Mbit/s",
        published="its fair rate is 4",
        measure=means(lambda case: case.behind(2), *JUDGED_S),
        low=2.5,
        high=5.5,
    ),
]


def numbers(data: Data) -> Numbers:
    """Of every receiver what it gets, what a TCP flow beside it gets, how both vary, and level changes."""
    rows = []
    for label, case in controls(MAIN).items():
        for number, fair in enumerate(FAIR_MBPS):
            (receiver,), flows = case.behind(number + 1), case.tcps(number + 1)
            got, beside = mean_of([receiver], *JUDGED_S), mean_of(flows, *JUDGED_S)
            stands = partial(burstiness, partial(representative, case, number))
            cells = [
                over_courses(data, case, got),
                over_courses(data, case, beside),
                ratio(data, case, got, beside),
                over_courses(data, case, _variation_of(receiver)),
                over_courses(data, case, stands),
                over_courses(data, case, partial(level_changes, number, *JUDGED_S)),
            ]
            rows.append([f"S{number + 1}, fair rate {fair}", label, *map(str, cells)])
    columns = [
        "receiver",
        "scheme",
        "gets (Mbit/s)",
        "a TCP flow gets (Mbit/s)",
        "ratio",
        "variation",
        "variation of the TCP flow",
        "level changes in 100 s",
    ]
    return Numbers(columns=columns, rows=rows)


def _variation_of(name: str) -> OfCourse:
    return partial(burstiness, lambda _: name)


def first_share(course: Course) -> float:
    """What S1 gets over what a TCP flow beside it gets, in one run: the first criterion."""
    return mean_of(MAIN.behind(1), *JUDGED_S)(course) / mean_of(MAIN.tcps(1), *JUDGED_S)(course)


def figure_11(data: Data) -> Figure:
    """Each receiver with the TCP flow that stands for its ten."""
    drawn = [(case, median_seed(data, case, first_share)) for case in pictured(MAIN)]
    groups = [
        (
            f"({'abcdef'[number]}) S{number + 1} and a TCP flow behind {(TCPS + 1) * fair} Mbit/s",
            [number],
            partial(_representatives, number),
        )
        for number, fair in enumerate(FAIR_MBPS)
    ]
    return over_time(
        data, drawn, groups, by="S1's share beside TCP", grey="of ten TCP flows the one nearest their mean"
    )


def figure_12(data: Data) -> Figure:
    """S1 and S2, S2 and S3."""
    drawn = [(case, median_seed(data, case, stays_of_s2)) for case in pictured(MAIN)]
    groups: Sequence[tuple[str, list[int], list[str]]] = [
        ("(a) S1 and S2", [S1, S2], []),
        ("(b) S2 and S3", [S2, S3], []),
    ]
    return over_time(data, drawn, groups, by="how often S2 is on $L_1$")


def _representatives(receiver: int, case: Case, course: Course) -> list[str]:
    return [representative(case, receiver, course)]


def says_11(data: Data) -> str:
    """What the figure shows."""
    found = [shares(number, *JUDGED_S)(data, MAIN).value or 0.0 for number in range(1, len(FAIR_MBPS) + 1)]
    relative = smoother(data, MAIN).value or math.nan
    return (
        f"S1 to S6 get {listed([plain(value, 2) for value in found])} times what a TCP flow beside them gets; S6 "
        f"varies {plain(relative, 2)} times as much as such a flow."
    )


def says_12(data: Data) -> str:
    """What the figure shows."""
    stays, falls = (over_courses(data, MAIN, what).mean for what in (stays_of_s2, dragged))
    rows = [row for seed in data.seeds for row in drops(course_of(data, MAIN, seed))]
    little = sum(after > 0.9 * before for _, before, after in rows)
    part = f"; in {percent(little / len(rows))} of all cases by less than 10 %" if rows else ""
    return (
        f"S2 is on layer 1 {plain(stays, 2)} times in a run, and lowers its rate by at least 15 % "
        f"{plain(falls, 2)} times{part}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig11",
        paper="kwon",
        place="Figure 11",
        title="Six receivers with fair rates of 3 to 10 Mbit/s beside TCP",
        published="Each receiver shares fairly with its TCP flows; S6 changes its level often, but is less bursty.",
        points=points,
        criteria=criteria(STATEMENTS_11, {"": MAIN}, reported(MAIN)),
        figure=figure_11,
        why="S1 and S3 change level often as well: their fair rates, 3 and 5, are nearest to B_0, while S6, with 10, "
        "is farther from the bound at 8.",
        says=says_11,
        numbers=numbers,
    ),
    Experiment(
        id="smcc-fig12",
        paper="kwon",
        place="Figure 12",
        title="A receiver whose fair rate is the bound between two layers",
        published="S2 often joins layer 1, leads it and lowers its rate, now and then by a third, mostly within 10 %.",
        points=points,
        criteria=criteria(STATEMENTS_12, {"": MAIN}, reported(MAIN)),
        figure=figure_12,
        says=says_12,
    ),
]
