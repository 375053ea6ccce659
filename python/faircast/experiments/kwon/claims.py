"""What the paper says without a figure: delays, queues, dilation, receivers of the same level, at most a factor of 2.

Delays and queues are varied with the receivers of Fig. 4, both there from the start: links of 2, 8 and 32 ms, with RED
and with drop-tail queues. Who else is on the level of a late slow receiver is seen when S3, with a fair rate of
3 Mbit/s, is added to the network of Fig. 5. Dilation and the factor of 2 are looked at in the runs of Fig. 11. The
weight of the lead receiver's round-trip times is that of the session in Fig. 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.kwon import calculated_rates, late_receiver, six_receivers, two_receivers
from faircast.experiments.kwon.course import STEP_S, Course, course_of
from faircast.experiments.kwon.measures import controls, mean_of, over_courses, point, ratio
from faircast.experiments.kwon.network import DROP_TAIL, RED, SINGLE, Bottleneck, Case
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate, estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

JUDGED_S = (80.0, 200.0)
LINKS_MS = (2, 8, 32)
QUEUES = {RED: "RED", DROP_TAIL: "drop-tail"}
BETWEEN = replace(two_receivers.MAIN, name="smcc-x1-delays", bottlenecks=(Bottleneck(mbps=6), Bottleneck(mbps=21)))
CASES = {(ms, queue): replace(BETWEEN, link_ms=ms, queue=queue) for ms, queue in product(LINKS_MS, QUEUES)}
MAIN = CASES[8, RED]
BEHIND = {1: "S1", 2: "S2"}
CHANGE = 0.25

ALONE = {
    (mbps, queue): Case(name="smcc-x1-alone", control=SINGLE, queue=queue, bottlenecks=(Bottleneck(mbps=mbps),))
    for mbps, queue in product((6, 21), QUEUES)
}
"""TFMCC without layers behind each of the two bottlenecks, to see what is its doing."""

SAME_LEVEL = replace(
    late_receiver.MAIN,
    name="smcc-x1-same-level",
    bottlenecks=(*late_receiver.MAIN.bottlenecks, Bottleneck(mbps=9)),
)
"""With S3 behind 9 Mbit/s beside two TCP flows: it is alone on L_0 until S1 comes."""
BEFORE_S, AFTER_S = late_receiver.BEFORE_S, late_receiver.AFTER_S

SIX = six_receivers.MAIN
WORST_DILATION = 1.75
HALF = 0.5
PACKET_BITS = 8000
WEIGHTS = {"0.05": calculated_rates.MAIN, "0.1": calculated_rates.CASES["a new round-trip time of TF1 counts for 0.1"]}
"""What a new measurement of the lead receiver's round-trip time counts for in the mean."""


def points(quick: bool) -> list[Point]:
    """All that is looked at."""
    fewer = [case for (ms, _), case in CASES.items() if ms != LINKS_MS[-1] or not quick]
    once = (SAME_LEVEL, SIX, *WEIGHTS.values(), *ALONE.values())
    return [point(varied) for case in fewer for varied in controls(case).values()] + [point(case) for case in once]


def there(data: Data) -> dict[tuple[int, str], Case]:
    """The delays and queues that were run."""
    return {key: case for key, case in CASES.items() if case in data.points}


def share(data: Data, case: Case, bottleneck: int) -> Estimate:
    """What the receiver behind a bottleneck gets over what a TCP flow beside it gets, the ratio of the means."""
    got, beside = (mean_of(names, *JUDGED_S) for names in (case.behind(bottleneck), case.tcps(bottleneck)))
    return ratio(data, case, got, beside)


def apart(pairs: Callable[[Data], Sequence[tuple[Case, Case, str]]], data: Data) -> Measured:
    """By what part of itself a share changes most between the two cases of a pair."""
    found = []
    for (first, second, words), (number, name) in product(pairs(data), BEHIND.items()):
        before, after = share(data, first, number), share(data, second, number)
        found.append((abs(after.mean / before.mean - 1), f"{name} {words}: {before} and {after}"))
    most, where = max(found)
    return Measured(value=most, note=where)


def delays(data: Data) -> list[tuple[Case, Case, str]]:
    """The other delays beside that of Fig. 4, each with RED."""
    return [
        (MAIN, case, f"with links of 8 and of {ms} ms")
        for (ms, queue), case in there(data).items()
        if queue == RED and ms != MAIN.link_ms
    ]


def queues(data: Data) -> list[tuple[Case, Case, str]]:
    """Drop-tail beside RED, at each delay."""
    return [
        (CASES[ms, RED], case, f"with RED and drop-tail, links of {ms} ms")
        for (ms, queue), case in there(data).items()
        if queue == DROP_TAIL
    ]


def alone(data: Data) -> Measured:
    """What a session of TFMCC alone gets over what a TCP flow gets with drop-tail queues, behind 6 Mbit/s."""
    found = {key: share(data, case, 1) for key, case in ALONE.items()}
    note = "; ".join(f"behind {mbps} Mbit/s with {QUEUES[queue]}: {value}" for (mbps, queue), value in found.items())
    return Measured.of(found[6, DROP_TAIL], note=note)


def after_over_before(receiver: int, data: Data) -> Measured:
    """What a receiver gets after the late one has come over what it got before, the ratio of the means."""
    name = [f"session-{receiver}"]
    after, before = mean_of(name, *AFTER_S), mean_of(name, *BEFORE_S)
    note = f"{over_courses(data, SAME_LEVEL, before)} and {over_courses(data, SAME_LEVEL, after)} Mbit/s"
    return Measured.of(ratio(data, SAME_LEVEL, after, before), note=note)


def dilations(course: Course) -> NDArray[np.float64]:
    """The dilation of the first link, which carries all layers, every 0.1 s of all attempts to join a layer.

    The link carries the layers that somebody holds and what the counting layers add, which grows evenly from nothing
    to what the attempt has come to; the most that anybody gets is what the highest of them gets, or the one who tries.
    """
    found: list[float] = []
    for attempt in course.attempts():
        if math.isnan(attempt.length_s) or attempt.length_s <= 0:
            continue
        for at in np.arange(attempt.begun_s, attempt.ended_s, STEP_S):
            added = attempt.packets_added * (at - attempt.begun_s) / attempt.length_s
            extra = added * PACKET_BITS / attempt.period_s / 1e6
            held = max(course.level(name, at) for name in course.levels)
            most, own = course.target(held, at), course.target(attempt.layer - 1, at)
            if most > 0:
                found.append((most + extra) / max(most, own + extra))
    return np.array(found)


def mean_dilation(data: Data) -> Measured:
    """The mean over all attempts of a run, and the largest."""
    found = [dilations(course_of(data, SIX, seed)) for seed in data.seeds]
    there = [values for values in found if values.size]
    if not there:
        return Measured(value=math.nan, note="there are no attempts")
    largest = max(float(values.max()) for values in there)
    return Measured.of(estimate([float(values.mean()) for values in there]), note=f"the largest is {plain(largest)}")


def on_levels(course: Course) -> Iterator[tuple[str, int, float, float]]:
    """Who is on which level above 0 from when to when."""
    end = float(course.layers.shape[1])
    for name in course.levels:
        for level in range(1, course.targets.shape[0]):
            for begin, last in course.stays(name, level, 0, end):
                yield name, level, begin, last


def least_part(course: Course) -> float:
    """The least that T_i was, as a part of B_i, while somebody was on level i above 0."""
    parts = [
        float(course.targets[level][round(begin / STEP_S) + 1 : round(end / STEP_S)].min(initial=math.inf))
        / (SIX.base_mbps * 2**level)
        for _, level, begin, end in on_levels(course)
    ]
    return min(parts, default=math.nan)


def at_least_half(data: Data) -> Measured:
    """The same, the least over the seeds: who is on level i may have B_i at most."""
    found = [least_part(course_of(data, SIX, seed)) for seed in data.seeds]
    return Measured(value=min(found, default=math.nan), note=f"in {len(found)} runs of the network of Fig. 11")


def weight(receiver: str, data: Data) -> Measured:
    """What a receiver of the session of Fig. 7 calculates with each weight, the mean from 100 to 250 s."""
    found = {
        words: over_courses(data, case, partial(calculated_rates.mean_calculated, receiver, 100, 250))
        for words, case in WEIGHTS.items()
    }
    first, second = found.values()
    note = "; ".join(f"weight {words}: {value} Mbit/s" for words, value in found.items())
    return Measured(value=second.mean / first.mean - 1, note=note)


CRITERIA = [
    Criterion(
        name="largest part by which another delay changes what a receiver gets divided by what a TCP flow gets",
        published="varying the delay did not materially impact the performance",
        evaluate=partial(apart, delays),
        high=CHANGE,
    ),
    Criterion(
        name="largest part by which drop-tail in place of RED changes it",
        published="RED or drop-tail does not appear to materially affect the performance",
        evaluate=partial(apart, queues),
        high=CHANGE,
    ),
    Criterion(
        name="what TFMCC without layers gets divided by what a TCP flow gets, drop-tail, behind 6 Mbit/s",
        published="not stated",
        evaluate=alone,
    ),
    Criterion(
        name="least that T_i is as a part of B_i while somebody is on level i above 0",
        published="a penalty of at most a factor of 2 on all layers except for the base layer",
        evaluate=at_least_half,
        low=HALF,
    ),
    Criterion(
        name="what S2, on a higher level, gets after a late slow receiver has come divided by before",
        published="not adversely affected",
        evaluate=partial(after_over_before, 1),
        low=0.75,
        high=1.25,
    ),
    Criterion(
        name="what S3, on the same level, gets after a late slow receiver has come divided by before",
        published="clearly affected",
        evaluate=partial(after_over_before, 2),
    ),
    Criterion(
        name="dilation of the first link during attempts to join, the mean of a run",
        published=f"much smaller than the worst case, {WORST_DILATION}",
        evaluate=mean_dilation,
    ),
    *(
        Criterion(
            name=f"by what part of itself what {name} calculates in Fig. 7 is more when a new round-trip time counts "
            "for 0.1 in place of 0.05",
            published="not stated",
            evaluate=partial(weight, name),
        )
        for name in calculated_rates.RECEIVERS
    ),
]


def numbers(data: Data) -> Numbers:
    """What the receivers get over what a TCP flow gets, by delay and queue, and with what else controls the layers."""
    rows = [
        [f"{ms} ms, {QUEUES[queue]}", label, *(str(share(data, varied, number)) for number in BEHIND)]
        for (ms, queue), case in there(data).items()
        for label, varied in controls(case).items()
    ]
    return Numbers(columns=["links", "scheme", "S1 / TCP flow", "S2 / TCP flow"], rows=rows)


def figure(data: Data) -> Figure:
    """What each receiver gets over what a TCP flow gets, against the delay."""
    drawn, axes = panels(1, 1, width=COLUMN_IN, height=2.6)
    found = there(data)
    delays_ms = sorted({ms for ms, _ in found})
    for series, (queue, number) in enumerate(product(QUEUES, BEHIND)):
        values = [share(data, found[ms, queue], number) for ms in delays_ms]
        curve(axes, delays_ms, values, label=f"{BEHIND[number]}, {QUEUES[queue]}", series=series)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xscale("log")
    axes.set_xticks(delays_ms, [str(ms) for ms in delays_ms])
    axes.minorticks_off()
    axes.set(xlabel="delay of a link (ms)", ylabel="receiver / TCP flow", ylim=(0, None))
    axes.legend(ncols=2)
    return drawn


def says(data: Data) -> str:
    """What the numbers show."""
    by_delay, by_queue = (apart(pairs, data).value or 0.0 for pairs in (delays, queues))
    same, dilation = after_over_before(2, data).value or math.nan, mean_dilation(data).value or math.nan
    return (
        f"Other delays change what a receiver gets beside TCP by {percent(by_delay)} at most, drop-tail by "
        f"{percent(by_queue)}; a receiver on the level of a late slow one keeps {percent(same)} of its rate; dilation "
        f"in attempts is {plain(dilation)} in the mean."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-x1",
        paper="kwon",
        place="claims without a figure",
        title="Delays, queues, dilation, and who is dragged down by how much",
        published="Neither delays nor the kind of queue matter; above the base layer nobody loses more than a half.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
        why="With links of 2 ms a TCP flow has some four packets on the way and often times out. In drop-tail queues "
        "all flows lose at each overflow, so that who gets little calculates little, and stays on the lowest layer.",
    )
]
