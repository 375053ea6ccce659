"""What is measured of the paper's scenarios, over seeds: rates, shares, layers.

Verdicts are of the first of several cases, usually hand-offs that keep what waits; what another one gives is named
beside, and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from faircast.experiment import Data
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.network import DURATION_S, MULTICAST, SESSIONS, TCPS, UPLINK, WARMUP_S, Case
from faircast.statistics import Estimate, jackknife, jain, variation

FIGURE_WINDOW_S = 10
"""Over which the paper's figures may average (unstated; choice), and in which rates vary."""
JUDGED_S = (WARMUP_S, DURATION_S)


def rate(data: Data, case: Case, names: Sequence[str], seed: int, period: tuple[int, int] = JUDGED_S) -> float:
    """What each of these sessions gets, the mean of them, KBytes/s."""
    course = course_of(data, case, seed)
    return math.fsum(course.mean_rate(name, *period) for name in names) / len(names)


def mean_rate(data: Data, case: Case, names: Sequence[str], period: tuple[int, int] = JUDGED_S) -> Estimate:
    """What each of these sessions gets, the mean of them and over the seeds, KBytes/s."""
    return data.over_seeds(lambda seed: rate(data, case, names, seed, period))


def rate_ratio(
    data: Data, case: Case, period: tuple[int, int] = JUDGED_S, sessions: Sequence[str] = MULTICAST
) -> Estimate:
    """What a multicast session gets over what a TCP gets, the ratio of the means over the seeds."""

    def ratio(seeds: Sequence[int]) -> float:
        tcps = started(case, TCPS, period[0])
        multicast = math.fsum(rate(data, case, sessions, seed, period) for seed in seeds)
        return multicast / math.fsum(rate(data, case, tcps, seed, period) for seed in seeds)

    return jackknife(ratio, data.seeds)


def either(found: Sequence[str]) -> str:
    """What the two windows give, for sentences: once if it is the same."""
    first, second = found
    return first if first == second else f"{first} (window 20) or {second} (window 64)"


def started(case: Case, names: Sequence[str], at_s: float) -> list[str]:
    """Which of these sessions there are from a time on."""
    return [name for name in names if case.start_s(name) <= at_s]


def fairness(data: Data, case: Case) -> Estimate:
    """Jain's index of what the five sessions get, the mean over the seeds."""

    def index(seed: int) -> float:
        return jain([rate(data, case, [name], seed) for name in SESSIONS])

    return data.over_seeds(index)


def layers(data: Data, case: Case, name: str, seed: int, period: tuple[int, int] = JUDGED_S) -> float:
    """How many layers of a session come through, the mean over time."""
    return course_of(data, case, seed).mean_layers(name, *period)


def layer_difference(data: Data, case: Case) -> Estimate:
    """By how many layers the means of the two multicast sessions differ."""
    first, second = MULTICAST
    return data.over_seeds(lambda seed: abs(layers(data, case, first, seed) - layers(data, case, second, seed)))


def changes(data: Data, case: Case, period: tuple[int, int] = JUDGED_S) -> Estimate:
    """How often the number of layers changes, per multicast session and 100 s."""

    def of(seed: int) -> float:
        course = course_of(data, case, seed)
        total = sum(len(course.steps(name, *period)) for name in MULTICAST)
        return 100 * total / len(MULTICAST) / (period[1] - period[0])

    return data.over_seeds(of)


def rate_changes(data: Data, case: Case, seed: int) -> float:
    """Sum of the changes of the rate that comes through, up and down, kbit/s per multicast session and 100 s."""
    course, sums = course_of(data, case, seed), [0, *accumulate(case.layers_kbps)]
    total = sum(abs(sums[b] - sums[a]) for name in MULTICAST for a, b in course.steps(name, *JUDGED_S))
    return 100 * total / len(MULTICAST) / (JUDGED_S[1] - JUDGED_S[0])


def rate_variation(data: Data, case: Case, seed: int) -> float:
    """Coefficient of variation of a multicast session's rate in windows of 10 s, the mean of both."""
    course = course_of(data, case, seed)
    found = [variation(course.windows(name, *JUDGED_S, FIGURE_WINDOW_S).tolist()) for name in MULTICAST]
    return math.fsum(found) / len(found)


def utilisation(data: Data, case: Case) -> Estimate:
    """What the gateway's uplink carried, link headers included, as a part of what it could."""
    return data.estimate(case, UPLINK, "efficiency")


def reaches(data: Data, case: Case, name: str, least: float) -> Estimate:
    """How long after its start a session has got `least` KBytes/s over 10 s; infinite if it never does."""
    start = case.start_s(name)

    def of(seed: int) -> float:
        windows = course_of(data, case, seed).windows(name, start, DURATION_S, FIGURE_WINDOW_S)
        there = [i for i, found in enumerate(windows) if found >= least]
        return FIGURE_WINDOW_S * (there[0] + 1) if there else math.inf

    return data.over_seeds(of)
