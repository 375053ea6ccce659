"""Fig. 8 and 9: three TCP flows more behind the bottleneck of one of two receivers on the same layer.

S1 is behind 12 Mbit/s, S2 and S3 behind 40 Mbit/s each, beside two TCP flows each; B_0 is 8 Mbit/s and every link takes
4 ms (choice: the paper has the round-trip time, 32 ms). From 70 to 100 s three TCP flows more share the bottleneck of
S3, whose fair rate falls from 13 to 7 Mbit/s. A is the paper's scheme, B the same without additive increase: S3 joins a
layer at once when what it calculates is in its range.

13 Mbit/s is in the upper half of what L_1 is for, so that both receivers also go to L_0 and L_2. What becomes of S3 on
L_1 can only be seen in runs in which it is there at 69 s; those are looked at, in both figures.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Data, Experiment, Measured, Point, percent, plain
from faircast.experiments.judging import Statement, criteria
from faircast.experiments.kwon.course import STEP_S, Course, course_of, mean
from faircast.experiments.kwon.drawing import over_time
from faircast.experiments.kwon.measures import OfCourse, controls, pictured, point, reported, share
from faircast.experiments.kwon.network import Bottleneck, Case, Tcps
from faircast.statistics import Estimate, estimate, median_interval

if TYPE_CHECKING:
    from matplotlib.figure import Figure

S1, S2, S3 = 0, 1, 2
NAMES = {number: f"session-{number}" for number in (S1, S2, S3)}
BEGIN_S, END_S = 70.0, 100.0
LOOKED_S = 69.0
MOST_FAILED = 6
SPURIOUS_S = (76.0, 100.0)
SHOWN_S = (40.0, 130.0)
MAIN = Case(
    name="smcc-fig9",
    base_mbps=8,
    link_ms=4,
    duration_s=150,
    bottlenecks=(
        Bottleneck(mbps=12),
        Bottleneck(mbps=40),
        Bottleneck(mbps=40, tcps=(Tcps(), Tcps(count=3, start_s=BEGIN_S, stop_s=END_S, jitter_s=0.1))),
    ),
)
REPS = 20


def direct(case: Case) -> Case:
    """A case without additive increase."""
    return replace(case, join="direct")


def points(_quick: bool) -> list[Point]:
    """Both figures need both ways to join, with TFMCC and with what is only reported."""
    return [point(found) for case in controls(MAIN).values() for found in (case, direct(case))]


def is_there(course: Course) -> bool:
    """Whether S3 is on L_1 just before more traffic comes."""
    return course.level(NAMES[S3], LOOKED_S) == 1


def qualifying(data: Data, case: Case) -> list[int]:
    """The seeds of which that is so with additive joins."""
    return [seed for seed in data.seeds if is_there(course_of(data, replace(case, join="additive"), seed))]


def of_those(data: Data, case: Case, of: OfCourse) -> Estimate:
    """Mean and interval over these runs; NaN is left out."""
    return estimate([of(course_of(data, case, seed)) for seed in qualifying(data, case)])


def each_of_those(of: OfCourse) -> Callable[[Data, Case], Measured]:
    """A measure that is the mean over these runs."""
    return lambda data, case: Measured.of(found := of_those(data, case, of), note=_over(found.n))


def middle_of_those(of: OfCourse) -> Callable[[Data, Case], Measured]:
    """The median over these runs."""

    def measure(data: Data, case: Case) -> Measured:
        found = [of(course_of(data, case, seed)) for seed in qualifying(data, case)]
        found = [value for value in found if not math.isnan(value)]
        if not found:
            return Measured(value=math.nan, note=_over(0))
        low, high = median_interval(found)
        note = f"median, its interval {plain(low)} to {plain(high)}; {_over(len(found))}"
        return Measured(value=median(found), ends=(low, high), note=note)

    return measure


def _over(runs: int) -> str:
    return f"over {runs} runs"


def how_many(data: Data, case: Case) -> Measured:
    """In what part of the runs S3 is on L_1."""
    return share(len(qualifying(data, case)), len(data.seeds))


def reacts_after(course: Course) -> float:
    """How long after 70 s S3 leads L_1 or is not on it any more, s; infinite if neither."""
    leads = [begin for begin, _ in course.leading(1, S3, BEGIN_S, math.inf)]
    return min([*leads, leaves_at(course)], default=math.inf) - BEGIN_S


def leaves_at(course: Course) -> float:
    """When S3 leaves L_1 downwards first after 70 s, s; infinite if it never does."""
    rows = course.levels[NAMES[S3]]
    return min((at for at, level in rows.tolist() if at >= BEGIN_S and level < 1), default=math.inf)


def succeeds_after(course: Course) -> float:
    """How long after that S2 leads L_1, s; NaN if it is not on L_1 then."""
    at = leaves_at(course)
    if not math.isfinite(at) or course.level(NAMES[S2], at) != 1:
        return math.nan
    return min((begin for begin, _ in course.leading(1, S2, at, math.inf)), default=math.inf) - at


def back_at(course: Course) -> float:
    """When S3 is on L_1 again after the traffic has gone, s; infinite if it never is, 100 if it has been all along."""
    if course.level(NAMES[S3], END_S) >= 1:
        return END_S
    rows = course.levels[NAMES[S3]]
    return min((at for at, level in rows.tolist() if at >= END_S and level >= 1), default=math.inf)


def kept_by_s2(course: Course) -> float:
    """What S2 gets while S3 is held down over what it got before."""
    return course.mean(NAMES[S2], 85, 100) / course.mean(NAMES[S2], 40, 70)


def failed_joins(course: Course) -> float:
    """How many attempts of S3 fail from 76 to 100 s."""
    found = (item for item in course.attempts(S3) if item.end == "join-failed")
    return float(sum(SPURIOUS_S[0] <= item.ended_s < SPURIOUS_S[1] for item in found))


def joins(course: Course) -> float:
    """How often S3 comes to L_1 from below from 76 to 100 s."""
    return float(len(_comings(course)))


def _comings(course: Course) -> list[float]:
    rows = course.levels[NAMES[S3]].tolist()
    return [
        at
        for (at, level), (_, before) in zip(rows[1:], rows, strict=False)
        if before < 1 <= level and SPURIOUS_S[0] <= at < SPURIOUS_S[1]
    ]


def leads_after_join(course: Course) -> bool:
    """Whether S3 comes to L_1 from 76 to 100 s and leads it then."""
    on_it = course.stays(NAMES[S3], 1, *SPURIOUS_S)
    leads = course.leading(1, S3, *SPURIOUS_S)
    came = _comings(course)
    return any(begin in came and any(lead < end and begin < last for lead, last in leads) for begin, end in on_it)


def part_of_those(holds: Callable[[Course], bool]) -> Callable[[Data, Case], Measured]:
    """In what part of these runs something holds."""

    def measure(data: Data, case: Case) -> Measured:
        found = [holds(course_of(data, case, seed)) for seed in qualifying(data, case)]
        return share(sum(found), len(found))

    return measure


def more_joins(data: Data, case: Case) -> Measured:
    """By how many more joins S3 comes to L_1 without additive increase."""
    seeds = qualifying(data, case)
    pairs = [
        joins(course_of(data, direct(case), seed)) - joins(course_of(data, replace(case, join="additive"), seed))
        for seed in seeds
    ]
    found = estimate(pairs)
    counts = [of_those(data, which, joins) for which in (direct(case), replace(case, join="additive"))]
    return Measured.above(found, note=f"{counts[0]} joins and {counts[1]}; {_over(len(seeds))}")


def lowered(course: Course) -> float:
    """By what part S2's rate is lower while S3 is on L_1 than while it is not, from 76 to 100 s; NaN without either.

    S2's rate is what the source is to send on the layers that it holds, every 0.1 s.
    """
    times = np.arange(*(round(at / STEP_S) for at in SPURIOUS_S))
    on_it = np.array([course.level(NAMES[S3], STEP_S * float(at)) >= 1 for at in times])
    levels = [course.level(NAMES[S2], STEP_S * float(at)) for at in times]
    rates = np.array([course.targets[level][at] for level, at in zip(levels, times, strict=True)])
    return 1 - mean(rates[on_it]) / mean(rates[~on_it])


ADDITIVE: list[Statement[Case]] = [
    Statement(
        name="part of the runs in which S3 is on L_1 at 69 s, so that they can be looked at",
        published="the one run shown",
        measure=how_many,
        low=0.4,
    ),
    Statement(
        name="time from 70 s until S3 leads L_1 or has left it, s",
        published="0.3",
        measure=each_of_those(reacts_after),
        high=5,
    ),
    Statement(
        name="when S3 leaves L_1, s",
        published="75.7, when it calculates 7.74 Mbit/s",
        measure=each_of_those(leaves_at),
        low=70,
        high=90,
    ),
    Statement(
        name="time from then until S2 leads L_1, if it is on it, s",
        published="0.5",
        measure=each_of_those(succeeds_after),
        high=2,
    ),
    Statement(
        name="what S3 gets, 80-100 s, Mbit/s",
        published="approximately 5, as S1 limits L_0",
        measure=each_of_those(lambda course: course.mean(NAMES[S3], 80, 100)),
        low=3,
        high=6.5,
    ),
    Statement(
        name="time that S3 spends on L_1 or above, 80-100 s, s",
        published="none: both its attempts fail",
        measure=each_of_those(lambda course: sum(course.time_at(NAMES[S3], layer, 80, 100) for layer in (1, 2, 3))),
        high=2,
    ),
    Statement(
        name="when S3 is on L_1 again, s",
        published="103.9",
        measure=middle_of_those(back_at),
        high=120,
    ),
    Statement(
        name="what S2 gets, 85-100 s divided by 40-70 s",
        published="its rate rebounds quickly",
        measure=middle_of_those(kept_by_s2),
        low=0.8,
    ),
    Statement(
        name="failed attempts of S3 to join L_1, 76-100 s",
        published="2",
        measure=each_of_those(failed_joins),
        high=MOST_FAILED,
    ),
    Statement(
        name="by what part S2's rate is lower while S3 is on L_1 than while it is not, 76-100 s",
        published="not stated of attempts that succeed; others do not diminish the throughput of S2",
        measure=each_of_those(lowered),
    ),
]
DIRECT: list[Statement[Case]] = [
    Statement(
        name="part of the runs in which S3 joins L_1 and leads it, 76-100 s",
        published="the one run shown: from 86.8 to 88.8 s",
        measure=part_of_those(leads_after_join),
        low=0.5,
    ),
    Statement(
        name="by how many joins more than with additive increase S3 comes to L_1, 76-100 s",
        published="2 against none",
        measure=more_joins,
        rule="there are more",
    ),
    Statement(
        name="by what part S2's rate is lower while S3 is on L_1 than while it is not, 76-100 s",
        published="S2 is dragged down",
        measure=each_of_those(lowered),
        low=0.1,
    ),
]


def drawn_seed(data: Data, case: Case) -> int:
    """The median run by how soon S3 reacts, of those that can be looked at; of all if there is none."""
    seeds = qualifying(data, case) or data.seeds
    ranked = sorted(seeds, key=lambda seed: reacts_after(course_of(data, replace(case, join="additive"), seed)))
    return ranked[(len(ranked) - 1) // 2]


def figure(join: str, data: Data) -> Figure:
    """As in the paper, the same seed for both figures."""
    drawn = [(replace(case, join=join), drawn_seed(data, case)) for case in pictured(MAIN)]
    groups = [
        ("S1, S2 and S3", [S1, S2, S3], []),
        ("S3 and the TCP flows behind its 40 Mbit/s", [S3], MAIN.tcps(3)),
    ]
    return over_time(
        data,
        drawn,
        groups,
        by="how soon S3 leads or leaves $L_1$ with additive joins",
        dashed="three more TCP flows beside S3 come and go",
        span_s=SHOWN_S,
        marks=[BEGIN_S, END_S],
    )


def says_additive(data: Data) -> str:
    """What the figure shows."""
    reacts, leaves = (of_those(data, MAIN, what).mean for what in (reacts_after, leaves_at))
    rate = of_those(data, MAIN, lambda course: course.mean(NAMES[S3], 80, 100)).mean
    back = middle_of_those(back_at)(data, MAIN).value or math.nan
    return (
        f"S3 leads or leaves layer 1 {plain(reacts, 2)} s after the traffic has come, leaves it at {plain(leaves)} s, "
        f"gets {plain(rate)} Mbit/s from 80 to 100 s, and is back at {plain(back)} s (median)."
    )


def says_direct(data: Data) -> str:
    """What the figure shows."""
    lower = [of_those(data, case, lowered).mean for case in (direct(MAIN), MAIN)]
    counts = [of_those(data, case, joins).mean for case in (direct(MAIN), MAIN)]
    then = "" if math.isnan(lower[1]) else f", at the price of {percent(lower[1])}"
    return (
        f"Without additive increase S3 joins layer 1 {plain(counts[0], 2)} times from 76 to 100 s, and S2's rate is "
        f"{percent(lower[0])} lower while it is there; with additive increase it joins {plain(counts[1], 2)} "
        f"times{then}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig9a",
        paper="kwon",
        place="Figure 9a",
        title="More traffic beside one of two receivers on a layer",
        published="S3 soon leads its layer, leaves it, fails to join it twice, and is back after the traffic has gone.",
        points=points,
        criteria=criteria(ADDITIVE, {"": MAIN}, reported(MAIN)),
        figure=partial(figure, "additive"),
        says=says_additive,
        reps=REPS,
    ),
    Experiment(
        id="smcc-fig9b",
        paper="kwon",
        place="Figure 9b",
        title="The same when layers are joined at once, without additive increase",
        published="S3 joins the layer it cannot hold, leads it, and drags S2 down.",
        points=points,
        criteria=criteria(DIRECT, {"": direct(MAIN)}, {label: direct(case) for label, case in reported(MAIN).items()}),
        figure=partial(figure, "direct"),
        says=says_direct,
        reps=REPS,
    ),
]
