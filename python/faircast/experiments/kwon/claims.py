"""What the paper says without a figure: delays, queues, dilation, receivers of the same level, at most a factor of 2.

Delays and queues are varied with the receivers of Fig. 4, both there from the start: links of 2, 8 and 32 ms, with RED
and with drop-tail queues. Rates are measured from 300 to 600 s, as with links of 32 ms minutes pass before S2 has found
its level; at drop-tail queues TCP sends each packet up to a packet's time late. Beside it stand drop-tail without that,
time-outs of TCP from 0.2 s, TFMCC with history discounting, and the same runs from 80 to 200 s. Who else is on the
level of a late slow receiver is seen when S3, with a fair rate of 3 Mbit/s, is added to the network of Fig. 5. Dilation
and the factor of 2 are looked at in the runs of Fig. 11. The weight of the lead receiver's round-trip times is that of
the session in Fig. 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.judging import Statement
from faircast.experiments.kwon import calculated_rates, late_receiver, six_receivers, two_receivers
from faircast.experiments.kwon.course import STEP_S, Course, course_of
from faircast.experiments.kwon.measures import controls, mean_of, over_courses, point, ratio
from faircast.experiments.kwon.network import DROP_TAIL, RED, SINGLE, Bottleneck, Case
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate, estimate, jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

JUDGED_S, EARLY_S = (300.0, 600.0), (80.0, 200.0)
LINKS_MS = (2, 8, 32)
QUEUES = {RED: "RED", DROP_TAIL: "drop-tail"}
BETWEEN = replace(
    two_receivers.MAIN,
    name="smcc-x1-delays",
    bottlenecks=(Bottleneck(mbps=6), Bottleneck(mbps=21)),
    duration_s=JUDGED_S[1],
)
CASES = {(ms, queue): replace(BETWEEN, link_ms=ms, queue=queue) for ms, queue in product(LINKS_MS, QUEUES)}
IN_PHASE, LATER = "TCP in phase", "TCP up to four packets' times late"
TIME_OUTS, DISCOUNTING = "time-outs of TCP from 0.2 s", "with history discounting"
OTHERWISE: dict[str, dict[str, Any]] = {
    IN_PHASE: {"late_packets": 0},
    LATER: {"late_packets": 4},
    TIME_OUTS: {"rto_min_s": 0.2},
    DISCOUNTING: {"tfmcc": (("discounting", True), ("rtt_weight_clr", 0.95))},
}
"""What else the paper can be read as, which stands beside, by what it is called."""
MAIN = CASES[8, RED]
BEHIND = {1: "S1", 2: "S2"}
CHANGE = 0.25

ALONE = {
    (mbps, queue): replace(BETWEEN, name="smcc-x1-alone", control=SINGLE, queue=queue, bottlenecks=(behind,))
    for behind, queue in product(BETWEEN.bottlenecks, QUEUES)
    for mbps in (behind.mbps,)
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


@dataclass(frozen=True)
class Pair:
    """Two cases to compare by what a receiver gets beside TCP."""

    first: Case
    second: Case
    bottleneck: int
    """Of the receiver, counted from 1."""
    judged_s: tuple[float, float] = JUDGED_S


def points(_quick: bool) -> list[Point]:
    """All that is looked at."""
    main = [varied for case in CASES.values() for varied in controls(case).values()]
    others = [other for case in (*CASES.values(), *ALONE.values()) for other in otherwise(case).values()]
    return [
        *(point(case) for case in (*main, SAME_LEVEL, SIX, *WEIGHTS.values(), *ALONE.values())),
        *(replace(point(case), beside=True) for case in others),
    ]


def otherwise(case: Case) -> dict[str, Case]:
    """A case by the other readings that differ from it there; of TFMCC alone only by those of phases."""
    found = {label: replace(case, **changes) for label, changes in OTHERWISE.items()}
    if case.control == SINGLE:
        found = {label: found[label] for label in (IN_PHASE, LATER)}
    return {label: other for label, other in found.items() if label not in (IN_PHASE, LATER) or case.queue == DROP_TAIL}


def share(data: Data, case: Case, bottleneck: int, judged_s: tuple[float, float] = JUDGED_S) -> Estimate:
    """What the receiver behind a bottleneck gets over what a TCP flow beside it gets, the ratio of the means."""
    got, beside = (mean_of(names, *judged_s) for names in (case.behind(bottleneck), case.tcps(bottleneck)))
    return ratio(data, case, got, beside)


def change(data: Data, pair: Pair) -> Measured:
    """The share that a receiver has in the second case over that in the first."""
    cases = (pair.first, pair.second)
    flows = [(case, names) for case in cases for names in (case.behind(pair.bottleneck), case.tcps(pair.bottleneck))]
    rates = {
        seed: [mean_of(names, *pair.judged_s)(course_of(data, case, seed)) for case, names in flows]
        for seed in data.seeds
    }

    def of(seeds: Sequence[int]) -> float:
        before, tcp_before, after, tcp_after = (math.fsum(rates[seed][k] for seed in seeds) for k in range(len(flows)))
        below = before * tcp_after
        return after * tcp_before / below if below > 0 else math.inf

    first, second = (share(data, case, pair.bottleneck, pair.judged_s) for case in (pair.first, pair.second))
    return Measured.of(jackknife(of, data.seeds), note=f"{first} and {second}")


def readings(pair: Pair) -> dict[str, Pair]:
    """A pair, and the same by each of the other readings that changes one of the two, and measured earlier."""
    changed = {
        label: replace(pair, first=otherwise(pair.first).get(label, pair.first), second=second)
        for label, second in otherwise(pair.second).items()
    }
    return {"": pair} | changed | {"from 80 to 200 s": replace(pair, judged_s=EARLY_S)}


def compared(pair: Pair, name: str, published: str) -> Criterion:
    """The criterion that what a receiver gets beside TCP changes by at most a quarter between the two cases."""
    statement: Statement[Pair] = Statement(
        name=name,
        published=published,
        measure=change,
        low=1 - CHANGE,
        high=1 + CHANGE,
    )
    return statement.judged(readings(pair), ran=lambda data, other: other.second in data.points)


def alone(data: Data) -> Measured:
    """What a session of TFMCC alone gets over what a TCP flow gets with drop-tail queues, behind 6 Mbit/s."""
    found = {
        f"behind {mbps:g} Mbit/s with {QUEUES[queue]}{', ' + label if label else ''}": share(data, varied, 1)
        for (mbps, queue), case in ALONE.items()
        for label, varied in ({"": case} | otherwise(case)).items()
    }
    note = "; ".join(f"{words}: {value}" for words, value in found.items())
    return Measured.of(share(data, ALONE[6, DROP_TAIL], 1), note=note)


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
    """The least part of B_i that T_i was, over the seeds: who is on level i may have B_i at most."""
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
    *(
        compared(
            Pair(MAIN, CASES[ms, RED], number),
            f"{name}: what it gets divided by what a TCP flow gets, with links of {ms} ms as a part of the same with "
            f"links of {MAIN.link_ms:g} ms, RED",
            "varying the delay did not materially impact the performance",
        )
        for ms, (number, name) in product(LINKS_MS, BEHIND.items())
        if ms != MAIN.link_ms
    ),
    *(
        compared(
            Pair(CASES[ms, RED], CASES[ms, DROP_TAIL], number),
            f"{name}: what it gets divided by what a TCP flow gets, with drop-tail as a part of the same with RED, "
            f"links of {ms} ms",
            "RED or drop-tail does not appear to materially affect the performance",
        )
        for ms, (number, name) in product(LINKS_MS, BEHIND.items())
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
        identity="a sender keeps T_i at B_i/2 or above by its bounds, whatever its receivers ask for",
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
    """What the receivers get beside TCP, by delay and queue, with what else controls layers and by other readings."""
    rows = [
        [
            f"{ms} ms, {QUEUES[queue]}",
            label,
            *(str(share(data, varied, number, judged_s)) for judged_s in (JUDGED_S, EARLY_S) for number in BEHIND),
        ]
        for (ms, queue), case in CASES.items()
        for label, varied in (controls(case) | otherwise(case)).items()
        if varied in data.points
    ]
    columns = [
        f"{name} / TCP flow, {begin:g}-{end:g} s" for begin, end in (JUDGED_S, EARLY_S) for name in BEHIND.values()
    ]
    return Numbers(columns=["links", "scheme", *columns], rows=rows)


def figure(data: Data) -> Figure:
    """What each receiver gets over what a TCP flow gets, against the delay; without jitter beside, pale."""
    drawn, axes = panels(1, 1, width=COLUMN_IN, height=2.9)
    drawn_cases = {
        **{QUEUES[queue]: [CASES[ms, queue] for ms in LINKS_MS] for queue in QUEUES},
        f"{QUEUES[DROP_TAIL]}, {IN_PHASE}": [otherwise(CASES[ms, DROP_TAIL])[IN_PHASE] for ms in LINKS_MS],
    }
    for series, ((words, cases), (number, name)) in enumerate(product(drawn_cases.items(), BEHIND.items())):
        values = [share(data, case, number) for case in cases]
        curve(axes, LINKS_MS, values, label=f"{name}, {words}", series=series)
        if IN_PHASE in words:
            for part in axes.containers[-1].get_children():
                part.set_alpha(0.4)
    axes.axhline(1.0, color="black", linewidth=0.6)
    axes.set_xscale("log")
    axes.set_xticks(LINKS_MS, [str(ms) for ms in LINKS_MS])
    axes.minorticks_off()
    axes.set(xlabel="delay of a link (ms)", ylabel="receiver / TCP flow", ylim=(0, None))
    drawn.legend(loc="outside lower center", ncols=2)
    return drawn


def extremes(data: Data, cases: Iterable[Case]) -> str:
    """The least and the most that a receiver gets over what a TCP flow gets, in words."""
    found = [share(data, case, number).mean for case, number in product(cases, BEHIND)]
    return f"{plain(min(found), 2)} to {plain(max(found), 2)}"


def says(data: Data) -> str:
    """What the numbers show."""
    red, drop_tail = ([CASES[ms, queue] for ms in LINKS_MS] for queue in QUEUES)
    in_phase = extremes(data, (otherwise(case)[IN_PHASE] for case in drop_tail))
    same, dilation = after_over_before(2, data).value or math.nan, mean_dilation(data).value or math.nan
    return (
        f"A receiver gets {extremes(data, red)} times what a TCP flow gets with RED, {extremes(data, drop_tail)} with "
        f"drop-tail, and there {in_phase} where TCP sends in phase; a receiver on the level of a late slow one keeps "
        f"{percent(same)} of its rate; dilation in attempts is {plain(dilation)} in the mean."
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
        why="With links of 2 ms a TCP flow has some four packets on the way and often times out, for a second at "
        "least; time-outs from 0.2 s bring S1 near TCP with RED. In drop-tail queues S2 gets less the more regular TCP "
        "is, and the longer the queue: the fewer its losses, the longer it takes to climb.",
    )
]
