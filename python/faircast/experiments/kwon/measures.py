"""What the figures of the paper have in common: cases and how they are reported, the run that is drawn, ratios."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from faircast.experiment import Data, Measured, Point
from faircast.experiments.kwon.course import Course, course, course_of
from faircast.experiments.kwon.network import Case
from faircast.statistics import Estimate, jackknife

REPORTED_CONTROLS: tuple[str, ...] = ()
"""What controls the layers in runs that are reported beside those of the paper's TFMCC."""
CONTROLS = {"tfmcc": "SMCC on TFMCC", "pgmcc": "SMCC on pgmcc"}


def point(case: Case) -> Point:
    """The point of a case, of which the course of every run is kept."""
    return Point(key=case, scenario=case.scenario(), reduce=course)


def over_courses(data: Data, case: Case, of: Callable[[Course], float]) -> Estimate:
    """Mean and interval of what `of` makes of each run."""
    return data.over_seeds(lambda seed: of(course_of(data, case, seed)))


def per_seed(data: Data, case: Case, of: Callable[[Course], float]) -> list[float]:
    """What `of` makes of each run, in the order of the seeds."""
    return [of(course_of(data, case, seed)) for seed in data.seeds]


def median_seed(data: Data, case: Case, of: Callable[[Course], float]) -> int:
    """The seed of the run that is in the middle by what `of` makes of it: the lower one of two, NaN behind all."""
    found = per_seed(data, case, of)
    ranked = sorted(range(len(found)), key=lambda i: (math.isnan(found[i]), found[i], i))
    defined = sum(not math.isnan(value) for value in found) or len(found)
    return data.seeds[ranked[(defined - 1) // 2]]


def ratio(data: Data, case: Case, above: Callable[[Course], float], below: Callable[[Course], float]) -> Estimate:
    """The ratio of the means over the seeds, with the jackknife's interval."""

    def of(seeds: Sequence[int]) -> float:
        sums = [math.fsum(what(course_of(data, case, seed)) for seed in seeds) for what in (above, below)]
        return sums[0] / sums[1] if sums[1] > 0 else math.inf

    return jackknife(of, data.seeds)


def mean_of(names: Sequence[str], begin_s: float, end_s: float) -> Callable[[Course], float]:
    """What each of these flows or receivers got, the mean of them, Mbit/s."""
    return partial(_mean_of, tuple(names), begin_s, end_s)


def _mean_of(names: Sequence[str], begin_s: float, end_s: float, found: Course) -> float:
    return math.fsum(found.mean(name, begin_s, end_s) for name in names) / len(names)


def each(of: Callable[[Course], float], note: Callable[[Data, Case], str] | None = None) -> Callable[..., Measured]:
    """A measure of statements: the mean over the seeds of what `of` makes of each run."""
    return partial(_each, of, note)


def _each(of: Callable[[Course], float], note: Callable[[Data, Case], str] | None, data: Data, case: Case) -> Measured:
    return Measured.of(over_courses(data, case, of), note=note(data, case) if note else "")
