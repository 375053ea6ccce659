"""Fig. 6 and 7, Table II: what a receiver calculates that does not lead.

One session of TFMCC has a receiver TF1 behind 2 Mbit/s beside one TCP flow, and TF2 behind 8 Mbit/s beside another one.
TF1 leads; the session's rate has nothing to do with what TF2 loses, so that the rate which TF2 calculates says little
about its share. Delays are not stated: four links of 8 ms are judged, and four of 12 ms stand beside, as TF2's steady
round-trip times of 0.106 to 0.109 s would come from a base of some 0.1 s.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon.course import Course, course_of, mean, seconds
from faircast.experiments.kwon.measures import each, median_seed, over_courses, per_seed, point, share
from faircast.experiments.kwon.network import OURS, SINGLE, Bottleneck, Case, Tcps
from faircast.figures import COLOURS, PAGE_IN, panels
from faircast.statistics import Estimate, estimate, jackknife
from faircast.throughput import throughput_bps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

PACKET_B = 1000
TABLE_2 = {
    "TF1": {
        50: (0.111, 1.097, 0.761),
        100: (0.135, 0.358, 1.175),
        150: (0.115, 0.811, 0.880),
        200: (0.110, 0.811, 0.919),
        250: (0.113, 0.799, 0.902),
    },
    "TF2": {
        50: (0.106, 0.082, 3.220),
        100: (0.107, 0.027, 5.583),
        150: (0.109, 0.014, 7.671),
        200: (0.109, 0.009, 9.366),
        250: (0.107, 0.015, 7.442),
    },
}
"""Round-trip time in s, loss event rate in per cent and rate in Mbit/s by the time in s, as printed."""
TIMES_S = tuple(TABLE_2["TF1"])
BOTTLENECKS_MBPS = (2, 8)
RECEIVERS = ("TF1", "TF2")
SHARES_MBPS = {"TF1": 1.0, "TF2": 4.0}
SETTLED_S = 20
NEAR = 0.015

MAIN = Case(
    name="smcc-fig7",
    control=SINGLE,
    bottlenecks=tuple(Bottleneck(mbps=mbps, tcps=(Tcps(count=1),)) for mbps in BOTTLENECKS_MBPS),
    duration_s=260,
)
CASES = {
    "links of 8 ms": MAIN,
    "links of 12 ms": replace(MAIN, link_ms=12),
    "with history discounting": replace(MAIN, tfmcc=(("discounting", True), ("rtt_weight_clr", 0.95))),
    "a new round-trip time of TF1 counts for 0.1": replace(
        MAIN, tfmcc=(("discounting", False), ("rtt_weight_clr", 0.9))
    ),
    "our default profile of TFMCC": replace(MAIN, profile=OURS),
}


def points(_quick: bool) -> list[Point]:
    """The case that is judged and those beside it."""
    return [point(case) for case in CASES.values()]


def calculated(course: Course, receiver: str) -> NDArray[np.float64]:
    """The rate that a receiver's round-trip time and loss event rate give at the end of each second, Mbit/s."""
    rtt_s, p, _ = course.measured[f"session-{RECEIVERS.index(receiver)}"]
    return np.array(
        [throughput_bps(PACKET_B, r, rate) / 1e6 if rate > 0 else math.nan for r, rate in zip(rtt_s, p, strict=True)]
    )


def mean_calculated(receiver: str, begin_s: int, end_s: int, course: Course) -> float:
    """The mean calculated rate from one second to another; seconds before the first loss are left out."""
    return mean(calculated(course, receiver)[begin_s - 1 : end_s])


def calculated_at(receiver: str, at_s: int, course: Course) -> float:
    """The calculated rate of a receiver at the end of a second, Mbit/s."""
    return float(calculated(course, receiver)[at_s - 1])


def lead_share(course: Course) -> float:
    """For what part of the time after 20 s TF1 leads."""
    spans = course.leading(0, 0, SETTLED_S, MAIN.duration_s)
    return sum(end - begin for begin, end in spans) / (MAIN.duration_s - SETTLED_S)


def early_over_late(course: Course) -> float:
    """What TF2 calculates at 50 s over what it calculates from 200 to 250 s."""
    return calculated_at("TF2", TIMES_S[0], course) / mean_calculated("TF2", 200, 250, course)


def rise(data: Data, case: Case) -> Measured:
    """What TF2 calculates at 50 s over what it calculates from 200 to 250 s, the ratio of the means."""
    early = over_courses(data, case, partial(calculated_at, "TF2", TIMES_S[0]))
    late = over_courses(data, case, partial(mean_calculated, "TF2", 200, 250))

    def of(seeds: Sequence[int]) -> float:
        chosen = [course_of(data, case, seed) for seed in seeds]
        at_50_s = [calculated_at("TF2", TIMES_S[0], found) for found in chosen]
        later = [mean_calculated("TF2", 200, 250, found) for found in chosen]
        return estimate(at_50_s).mean / estimate(later).mean

    return Measured.of(jackknife(of, data.seeds), note=f"{early} and {late} Mbit/s")


def low_starts(data: Data, case: Case) -> Measured:
    """In what part of the runs TF2 begins low."""
    found = per_seed(data, case, early_over_late)
    there = [value for value in found if value <= 0.7]
    ranked = ", ".join(plain(value, 2) for value in sorted(found))
    return share(len(there), len(found), note=f"the ratios are {ranked}")


def worst_error(course: Course) -> float:
    """The largest relative error of what TF2 calculates against its share, from 50 to 250 s."""
    off = calculated(course, "TF2")[TIMES_S[0] - 1 : TIMES_S[-1]] / SHARES_MBPS["TF2"] - 1
    return float(np.nanmax(np.abs(off)))


STATEMENTS: list[Statement[Case]] = [
    Statement(
        name="what TF2 calculates at 50 s divided by its mean from 200 to 250 s",
        published="about 0.4 in the one run shown: initially inaccurate, badly underestimated",
        measure=rise,
        high=1.0,
    ),
    Statement(
        name="part of the runs in which that ratio is at most 0.7",
        published="the one run shown",
        measure=low_starts,
        low=0.2,
    ),
    Statement(
        name="part of the time after 20 s in which TF1 leads",
        published="TF1 is quickly selected as the lead receiver, and stays it throughout",
        measure=each(lead_share),
        low=0.95,
    ),
    Statement(
        name="what TF1 calculates, the mean from 100 to 250 s, Mbit/s",
        published="a reasonable approximation to its fair rate, 0.88 to 1.18 of 1",
        measure=each(partial(mean_calculated, "TF1", 100, 250)),
        low=0.65,
        high=1.4,
    ),
    Statement(
        name="what TF2 calculates, the mean from 200 to 250 s, Mbit/s",
        published="9.4 at 200 s and 7.4 at 250 s",
        measure=each(partial(mean_calculated, "TF2", 200, 250)),
        low=3.5,
        high=12,
    ),
    Statement(
        name="largest relative error of what TF2 calculates against its share of 4 Mbit/s, from 50 to 250 s",
        published="inaccurate for long: up to 134 % in the table",
        measure=each(worst_error),
        low=0.4,
    ),
]


def farthest(_: Data) -> Measured:
    """By what part of itself that rate of Table II is most off the equation."""
    found = {
        (name, at): printed / (throughput_bps(PACKET_B, rtt_s, percent_lost / 100) / 1e6) - 1
        for name, rows in TABLE_2.items()
        for at, (rtt_s, percent_lost, printed) in rows.items()
    }
    name, at = max(found, key=lambda key: abs(found[key]))
    return Measured(value=abs(found[name, at]), note=f"{name} at {at} s; {percent(found[name, at], 1)}")


def round_trip(receiver: str, data: Data, case: Case) -> Measured:
    """The round-trip time of a receiver, the mean over the times of the table, s."""
    printed = [rtt_s for rtt_s, _, _ in TABLE_2[receiver].values()]

    def mean_rtt(course: Course) -> float:
        rtt_s = course.measured[f"session-{RECEIVERS.index(receiver)}"][0]
        return math.fsum(rtt_s[at - 1] for at in TIMES_S) / len(TIMES_S)

    return Measured.of(
        over_courses(data, case, mean_rtt), note=f"in the table {plain(min(printed))} to {max(printed)} s"
    )


TABLE_CRITERIA = [
    Criterion(
        name="largest part by which a rate of the table is off what its round-trip time and loss event rate give",
        published="the rates are calculated from them",
        evaluate=farthest,
        high=NEAR,
    ),
    *criteria(
        [
            Statement(
                name=f"round-trip time of {receiver}, the mean over the times of the table, s",
                published=plain(math.fsum(row[0] for row in TABLE_2[receiver].values()) / len(TIMES_S)),
                measure=partial(round_trip, receiver),
            )
            for receiver in RECEIVERS
        ],
        CASES,
    ),
]


def numbers(data: Data) -> Numbers:
    """Table II with what we find in every case: the mean over the seeds, and the least and the most."""
    rows = []
    for receiver, printed in TABLE_2.items():
        for k, (what, factor) in enumerate((("round-trip time (s)", 1.0), ("loss event rate (%)", 100.0))):
            rows.append([f"{receiver}: {what}, printed", *(plain(printed[at][k], 4) for at in TIMES_S)])
            for label, case in CASES.items():
                rows.append(
                    [
                        f"{receiver}: {what}, {label}",
                        *(_cell(data, case, partial(_gauge, receiver, k, at, factor)) for at in TIMES_S),
                    ]
                )
        rows.append([f"{receiver}: rate (Mbit/s), printed", *(plain(printed[at][2], 4) for at in TIMES_S)])
        for label, case in CASES.items():
            cells = (_cell(data, case, partial(calculated_at, receiver, at)) for at in TIMES_S)
            rows.append([f"{receiver}: rate (Mbit/s), {label}", *cells])
    return Numbers(columns=["mean (least to most) over the seeds", *(f"{at} s" for at in TIMES_S)], rows=rows)


def _gauge(receiver: str, row: int, at_s: int, factor: float, course: Course) -> float:
    return factor * float(course.measured[f"session-{RECEIVERS.index(receiver)}"][row][at_s - 1])


def _cell(data: Data, case: Case, of: Callable[[Course], float]) -> str:
    found: Estimate = over_courses(data, case, of)
    return f"{plain(found.mean)} ({plain(found.low, 2)} to {plain(found.high, 2)})"


def drawn_seed(data: Data) -> int:
    """The run that is drawn: the median one by the first criterion."""
    return median_seed(data, MAIN, early_over_late)


def figure(data: Data) -> Figure:
    """What each receiver calculates, with its TCP flow in the background and the rates of Table II as points."""
    seed = drawn_seed(data)
    course = course_of(data, MAIN, seed)
    drawn, rows = panels(2, 1, width=PAGE_IN, height=4.4, sharex=True)
    for number, (axes, receiver) in enumerate(zip(rows, RECEIVERS, strict=True)):
        (tcp,) = MAIN.tcps(number + 1)
        rates = course.rates[tcp]
        axes.plot(seconds(rates), rates, color="#aaaaaa", linewidth=0.6, label=f"T{number + 1}, a TCP flow")
        found = calculated(course, receiver)
        axes.plot(
            range(1, found.size + 1), found, color=COLOURS[number], linewidth=1.2, label=f"{receiver}, calculated"
        )
        printed = [rate for _, _, rate in TABLE_2[receiver].values()]
        axes.plot(TIMES_S, printed, color="black", marker="x", linestyle="none", label="Table II of the paper")
        axes.axhline(SHARES_MBPS[receiver], color="black", linewidth=0.8, linestyle=(0, (1, 1)), label="equal share")
        top = max(float(np.nanmax(found[SETTLED_S:])), float(np.nanmax(rates)), *printed)
        axes.set(xlim=(0, MAIN.duration_s), ylim=(0, 1.3 * top), ylabel="rate (Mbit/s)")
        axes.legend(loc="upper right", ncols=4, borderaxespad=0.1)
        axes.set_title(f"behind {BOTTLENECKS_MBPS[number]} Mbit/s", loc="left")
    rows[-1].set_xlabel("time (s)")
    drawn.suptitle(
        f"seed {seed}: the median run by what TF2 calculates at 50 s over its mean from 200 to 250 s", fontsize=7
    )
    return drawn


def says_figure(data: Data) -> str:
    """What the figure shows."""
    first = over_courses(data, MAIN, partial(mean_calculated, "TF1", 100, 250)).mean
    early = over_courses(data, MAIN, partial(calculated_at, "TF2", TIMES_S[0])).mean
    late = over_courses(data, MAIN, partial(mean_calculated, "TF2", 200, 250)).mean
    return (
        f"The lead receiver calculates {plain(first)} Mbit/s of a fair rate of 1; the other one, whose fair rate is 4, "
        f"{plain(early)} Mbit/s at 50 s and {plain(late)} from 200 to 250 s."
    )


def says_table(data: Data) -> str:
    """What the check of the table shows."""
    return (
        f"All ten rates of Table II are within {percent(farthest(data).value or 0.0, 1)} of what the equation makes of "
        f"the round-trip times and loss event rates printed beside them, for packets of {PACKET_B} bytes."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig7",
        paper="kwon",
        place="Figure 7",
        title="What receivers of TFMCC calculate, one that leads and one that does not",
        published="The lead receiver calculates its fair rate; the other one is far off its own for long.",
        points=points,
        criteria=criteria(STATEMENTS, CASES),
        figure=figure,
        says=says_figure,
    ),
    Experiment(
        id="smcc-table2",
        paper="kwon",
        place="Table II",
        title="Calculated rates of TFMCC receivers",
        published="Rates, round-trip times and loss event rates of both receivers at five moments.",
        points=points,
        criteria=TABLE_CRITERIA,
        says=says_table,
        numbers=numbers,
    ),
]
