"""What the figures of the paper have in common: cases and how they are reported, the run that is drawn, measures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from statistics import median

from faircast.experiment import Data, Measured, Point, plain
from faircast.experiments.kwon.course import ENDS, Course, course, course_of
from faircast.experiments.kwon.network import LETTER, OURS, Case
from faircast.statistics import Estimate, jackknife, median_interval, share_interval

CONTROLS = {
    ("tfmcc", LETTER): "SMCC on TFMCC",
    ("tfmcc", OURS): "SMCC on TFMCC, our default profile",
    ("pgmcc", LETTER): "SMCC on pgmcc",
}
"""What controls the layers, and by which profile of TFMCC, in words. The first is the paper's, which is judged."""
REPORTED_CONTROLS = tuple(CONTROLS)[1:]
"""What is reported beside it."""
Measure = Callable[[Data, Case], Measured]
OfCourse = Callable[[Course], float]


def point(case: Case) -> Point:
    """The point of a case, of which the course of every run is kept."""
    return Point(key=case, scenario=case.scenario(), reduce=course)


def reported(case: Case) -> dict[str, Case]:
    """A case with what else controls the layers, by what it is called: without a verdict."""
    return {
        CONTROLS[control, profile]: replace(case, control=control, profile=profile)
        for control, profile in REPORTED_CONTROLS
    }


def controls(case: Case) -> dict[str, Case]:
    """A case, and the same with what else controls the layers."""
    return {control_of(case): case} | reported(case)


def pictured(case: Case) -> list[Case]:
    """The cases whose runs are drawn side by side: the case, and the same with pgmcc in control."""
    return [found for found in controls(case).values() if found.profile == LETTER]


def control_of(case: Case) -> str:
    """What controls its layers, in words."""
    return CONTROLS[case.control, case.profile]


def courses(data: Data, case: Case) -> list[Course]:
    """What was kept of each run, in the order of the seeds."""
    return [course_of(data, case, seed) for seed in data.seeds]


def per_seed(data: Data, case: Case, of: OfCourse) -> list[float]:
    """What `of` makes of each run, in the order of the seeds."""
    return [of(found) for found in courses(data, case)]


def over_courses(data: Data, case: Case, of: OfCourse) -> Estimate:
    """Mean and interval of what `of` makes of each run; NaN is left out."""
    return data.over_seeds(lambda seed: of(course_of(data, case, seed)))


def each(of: OfCourse, note: Callable[[Data, Case], str] | None = None) -> Measure:
    """A measure of statements: the mean over the seeds of what `of` makes of each run."""
    return partial(_each, of, note)


def in_the_middle(of: OfCourse, note: Callable[[Data, Case], str] | None = None) -> Measure:
    """A measure of statements: the median over the seeds, as a mean may be infinite; the note has its interval."""
    return partial(_in_the_middle, of, note)


def part_of_runs(holds: Callable[[Course], bool | None]) -> Measure:
    """In what part of the runs something holds; those of which it cannot be said (None) are left out."""
    return partial(_part_of_runs, holds)


def share(hits: int, n: int, *, note: str = "") -> Measured:
    """In what part of some runs something holds, with its interval."""
    if not n:
        return Measured(value=math.nan, note=note or "no run")
    low, high = share_interval(hits, n)
    spread = f"{hits} of {n} runs; its interval is {plain(low)} to {plain(high)}"
    return Measured(value=hits / n, ends=(low, high), note="; ".join(part for part in (spread, note) if part))


def means(names: Callable[[Case], Sequence[str]], begin_s: float, end_s: float) -> Measure:
    """What each of some flows or receivers of a case got, the mean of them, Mbit/s."""
    return partial(_means, names, begin_s, end_s)


def shares(bottleneck: int, begin_s: float, end_s: float) -> Measure:
    """What a receiver behind a bottleneck gets over what a TCP flow there gets, the ratio of the means."""
    return partial(_shares, bottleneck, begin_s, end_s)


def median_seed(data: Data, case: Case, of: OfCourse) -> int:
    """The seed of the run that is in the middle by what `of` makes of it: the lower one of two, NaN left out."""
    found = per_seed(data, case, of)
    ranked = sorted(range(len(found)), key=lambda i: (math.isnan(found[i]), found[i], i))
    defined = sum(not math.isnan(value) for value in found) or len(found)
    return data.seeds[ranked[(defined - 1) // 2]]


def ratio(data: Data, case: Case, above: OfCourse, below: OfCourse) -> Estimate:
    """The ratio of the means over the seeds, with the jackknife's interval."""

    def of(seeds: Sequence[int]) -> float:
        sums = [math.fsum(what(course_of(data, case, seed)) for seed in seeds) for what in (above, below)]
        return sums[0] / sums[1] if sums[1] > 0 else math.inf

    return jackknife(of, data.seeds)


def mean_of(names: Sequence[str], begin_s: float, end_s: float) -> OfCourse:
    """What each of these flows or receivers got, the mean of them, Mbit/s."""
    return partial(_mean_of, tuple(names), begin_s, end_s)


def ends(data: Data, case: Case, receiver: int, begin_s: float = 0.0, end_s: float = math.inf) -> str:
    """What became of the attempts of a receiver that ended within a time, the mean over the runs, in words."""
    found = [
        attempt.end
        for run in courses(data, case)
        for attempt in run.attempts(receiver)
        if begin_s <= attempt.ended_s < end_s
    ]
    succeeded, failed, abandoned = (plain(found.count(end) / len(data.seeds), 2) for end in ENDS)
    return f"per run {succeeded} attempts succeed, {failed} fail and {abandoned} are given up"


def _mean_of(names: Sequence[str], begin_s: float, end_s: float, found: Course) -> float:
    return math.fsum(found.mean(name, begin_s, end_s) for name in names) / len(names)


def _each(of: OfCourse, note: Callable[[Data, Case], str] | None, data: Data, case: Case) -> Measured:
    return Measured.of(over_courses(data, case, of), note=note(data, case) if note else "")


def _in_the_middle(of: OfCourse, note: Callable[[Data, Case], str] | None, data: Data, case: Case) -> Measured:
    found = [value for value in per_seed(data, case, of) if not math.isnan(value)]
    if not found:
        return Measured(value=math.nan, note=note(data, case) if note else "")
    low, high = median_interval(found)
    spread = f"median; its interval is {plain(low)} to {plain(high)}"
    return Measured(
        value=median(found),
        ends=(low, high),
        note="; ".join(part for part in (spread, note(data, case) if note else "") if part),
    )


def _part_of_runs(holds: Callable[[Course], bool | None], data: Data, case: Case) -> Measured:
    found = [held for held in map(holds, courses(data, case)) if held is not None]
    return share(sum(found), len(found))


def _means(names: Callable[[Case], Sequence[str]], begin_s: float, end_s: float, data: Data, case: Case) -> Measured:
    return Measured.of(over_courses(data, case, mean_of(names(case), begin_s, end_s)))


def _shares(bottleneck: int, begin_s: float, end_s: float, data: Data, case: Case) -> Measured:
    receivers, tcps = (mean_of(names, begin_s, end_s) for names in (case.behind(bottleneck), case.tcps(bottleneck)))
    note = f"{over_courses(data, case, receivers)} and {over_courses(data, case, tcps)} Mbit/s"
    return Measured.of(ratio(data, case, receivers, tcps), note=note)
