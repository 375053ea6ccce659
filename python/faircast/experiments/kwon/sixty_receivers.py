"""Sixty receivers, three behind each of twenty bottlenecks with ten TCP flows each.

The fair rates are spaced evenly in logarithm from 1 to 32 Mbit/s; a bottleneck has eleven times that, for the ten flows
and the session. B_0 is 1 Mbit/s and there are six layers (choice), so that the fair rates fill all of them. A layer has
the rate that its slowest receiver can have: of the others of this layer each may get half of its own by design.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Data, Experiment, Numbers, Point, percent, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon.course import STEP_S, Course
from faircast.experiments.kwon.measures import controls, courses, each, over_courses, point, reported
from faircast.experiments.kwon.network import Bottleneck, Case, Stay, Tcps
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BOTTLENECKS, TOGETHER, TCPS = 20, 3, 10
LEAST_MBPS, MOST_MBPS = 1.0, 32.0
LAYERS = 6
LOW, HIGH = 0.45, 1.6
JUDGED_S = (60.0, 200.0)
"""Who climbs five layers needs some time; TCP flows have long found their rates then."""
SHORTEST_S = 2.0
REPS = 3


def fair_mbps(number: int, of: int = BOTTLENECKS) -> float:
    """The fair rate behind a bottleneck, counted from 1."""
    return float(LEAST_MBPS * (MOST_MBPS / LEAST_MBPS) ** ((number - 1) / (of - 1)))


def network(bottlenecks: int = BOTTLENECKS) -> Case:
    """The network with so many bottlenecks."""
    return Case(
        name="smcc-x2",
        base_mbps=LEAST_MBPS,
        layers=LAYERS,
        bottlenecks=tuple(
            Bottleneck(
                mbps=round((TCPS + 1) * fair_mbps(number, bottlenecks), 3),
                tcps=(Tcps(count=TCPS),),
                receivers=(Stay(),) * TOGETHER,
            )
            for number in range(1, bottlenecks + 1)
        ),
    )


MAIN = network()


def points(_quick: bool) -> list[Point]:
    """TFMCC, and what is only reported."""
    return [point(case) for case in controls(MAIN).values()]


def shares(case: Case, course: Course) -> dict[str, float]:
    """By receiver what it gets over what the TCP flows behind its own bottleneck get in the mean."""
    found = {}
    for number in range(1, len(case.bottlenecks) + 1):
        beside = [course.mean(flow, *JUDGED_S) for flow in case.tcps(number)]
        for receiver in case.behind(number):
            found[receiver] = course.mean(receiver, *JUDGED_S) / (math.fsum(beside) / len(beside))
    return found


def part_within(course: Course) -> float:
    """What part of the receivers gets from 0.45 to 1.6 times as much as a TCP flow."""
    found = list(shares(MAIN, course).values())
    return sum(LOW <= value <= HIGH for value in found) / len(found)


def about_parts(data: Data, case: Case) -> str:
    """How many are below and above, and the extremes."""
    found = [value for course in courses(data, case) for value in shares(case, course).values()]
    below, above = sum(value < LOW for value in found), sum(value > HIGH for value in found)
    tenth, half, ninth = np.quantile(found, [0.1, 0.5, 0.9])
    return (
        f"of {len(found)} receivers in {len(data.seeds)} runs {below} get less and {above} more; "
        f"least {plain(min(found))}, tenth part {plain(tenth)}, median {plain(half)}, nine tenths {plain(ninth)}, "
        f"most {plain(max(found))}"
    )


def stay_rates(course: Course) -> list[float]:
    """Of every stay of 2 s or more on a level above 0 what its layers were to carry in the mean, as a part of B_i."""
    found = []
    for name in course.levels:
        for level in range(1, course.targets.shape[0]):
            for begin, end in course.stays(name, level, *JUDGED_S):
                if end - begin >= SHORTEST_S:
                    rows = course.targets[level][round(begin / STEP_S) + 1 : round(end / STEP_S)]
                    found.append(float(rows.mean()) / (LEAST_MBPS * 2**level))
    return found


def least_stay(course: Course) -> float:
    """The least of them."""
    return min(stay_rates(course), default=math.nan)


def about_stays(data: Data, case: Case) -> str:
    """How many there are, and their median."""
    found = [value for course in courses(data, case) for value in stay_rates(course)]
    return f"median {plain(float(np.median(found)))} of {len(found)} stays" if found else "nobody is above level 0"


def on_level(course: Course, name: str) -> float:
    """The mean level of a receiver."""
    spans = [
        (level, end - begin)
        for level in range(course.targets.shape[0])
        for begin, end in course.stays(name, level, *JUDGED_S)
    ]
    return sum(level * length for level, length in spans) / (JUDGED_S[1] - JUDGED_S[0])


STATEMENTS: list[Statement[Case]] = [
    Statement(
        name="part of the receivers that get from 0.45 to 1.6 times what a TCP flow behind their bottleneck gets",
        published="each SMCC receiver fairly shares with the parallel TCP flows",
        measure=each(part_within, about_parts),
        low=0.9,
    ),
    Statement(
        name="least that a stay of 2 s or more on level i above 0 was to carry, as a part of B_i",
        published="at most a factor of 2 on all layers except for the base layer",
        measure=each(least_stay, about_stays),
        low=0.5,
        identity="a sender keeps T_i at B_i/2 or above by its bounds, whatever its receivers ask for",
    ),
]


def _of_bottleneck(case: Case, number: int, course: Course) -> float:
    found = shares(case, course)
    there = case.behind(number)
    return math.fsum(found[name] for name in there) / len(there)


def numbers(data: Data) -> Numbers:
    """By bottleneck the fair rate, what a receiver gets over what a TCP flow gets, and on which level it is."""
    rows = []
    for label, case in controls(MAIN).items():
        for number in range(1, len(case.bottlenecks) + 1):
            beside = over_courses(data, case, partial(_tcp_rate, case, number))
            levels = over_courses(data, case, partial(_mean_level, case, number))
            part = over_courses(data, case, partial(_of_bottleneck, case, number))
            rows.append([plain(fair_mbps(number)), label, str(beside), str(part), str(levels)])
    columns = ["fair rate (Mbit/s)", "scheme", "a TCP flow gets (Mbit/s)", "receiver / TCP flow", "mean level"]
    return Numbers(columns=columns, rows=rows)


def _tcp_rate(case: Case, number: int, course: Course) -> float:
    found = [course.mean(flow, *JUDGED_S) for flow in case.tcps(number)]
    return math.fsum(found) / len(found)


def _mean_level(case: Case, number: int, course: Course) -> float:
    found = [on_level(course, name) for name in case.behind(number)]
    return math.fsum(found) / len(found)


def figure(data: Data) -> Figure:
    """Every receiver of every run against its fair rate, and how the ratios are distributed."""
    drawn, (left, right) = panels(1, 2, width=PAGE_IN, height=2.8, sharey=True, gridspec_kw={"width_ratios": [2, 1]})
    for series, (label, case) in enumerate(controls(MAIN).items()):
        found = [shares(case, course) for course in courses(data, case)]
        for k, of_run in enumerate(found):
            x = [fair_mbps(i) for i, _ in case.stays()]
            left.plot(
                x,
                list(of_run.values()),
                color=COLOURS[series],
                marker=MARKERS[series],
                linestyle="none",
                markersize=3,
                alpha=0.6,
                label=label if k == 0 else "_",
            )
        values = np.sort([value for of_run in found for value in of_run.values()])
        part = np.arange(1, values.size + 1) / values.size
        right.step(part, values, where="pre", color=COLOURS[series], label=label)
    for axes in (left, right):
        axes.axhspan(LOW, HIGH, color="#eeeeee", zorder=0)
        axes.axhline(1.0, color="black", linewidth=0.6)
    for i in range(LAYERS):
        left.axvline(LEAST_MBPS * 2**i, color="#999999", linewidth=0.6, linestyle=(0, (2, 2)), zorder=0.5)
    left.set_xscale("log", base=2)
    ticks = [LEAST_MBPS * 2**i for i in range(LAYERS)]
    left.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    left.set(xlabel="fair rate (Mbit/s); dotted: bounds of layers", ylabel="receiver / TCP flow")
    left.set_ylim(bottom=0)
    left.legend(loc="lower right")
    right.set(xlabel="part of the receivers", xlim=(0, 1))
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    part = over_courses(data, MAIN, part_within).mean
    found = [value for course in courses(data, MAIN) for value in shares(MAIN, course).values()]
    return (
        f"{percent(part)} of sixty receivers get from {LOW} to {HIGH} times what a TCP flow beside them gets; the "
        f"median is {plain(float(np.median(found)), 2)}, the least {plain(min(found), 2)}, the most "
        f"{plain(max(found), 2)}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-x2",
        paper="kwon",
        place="sixty receivers",
        title="Sixty receivers with fair rates from 1 to 32 Mbit/s beside TCP",
        published="Each receiver shares fairly with its TCP flows, whoever else there is.",
        points=points,
        criteria=criteria(STATEMENTS, {"": MAIN}, reported(MAIN)),
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
