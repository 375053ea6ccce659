"""What the text claims without a figure: equal losses, dips made good, joins as the cause, and more receivers."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, listed, percent, plain
from faircast.experiments.ehlert.course import Fine, course_of, fine_of, middles, with_course, with_joins
from faircast.experiments.ehlert.measures import alone, fairness, part, point, shared
from faircast.experiments.ehlert.network import (
    DURATION_S,
    HIGH_BER,
    HYBLA_270,
    INTERVAL_S,
    LOW_BER,
    MAIN,
    RENO,
    SATELLITE,
    TCPS,
    WESTWOOD,
)
from faircast.figures import COLOURS, LINES, PAGE_IN, panels
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast.statistics import Estimate

AFTER_JOIN_S = 2.0
DIP, GOOD = 0.9, 0.9
"""A dip begins below this part of the median and ends at that."""
SOON = 2
"""Intervals of reports in which a dip is made good "shortly after"."""
RECEIVERS = (2, 5, 10)
LOSSY = {name: MAIN.case(name, HIGH_BER) for name in (RENO, WESTWOOD, HYBLA_270)}
DIPPING = MAIN.case(RENO, LOW_BER)
JOINING = {
    "Table 1": replace(MAIN.case(HYBLA_270, LOW_BER), fine=True),
    "Table 2": replace(MAIN.case(HYBLA_270, LOW_BER, terrestrial=True), fine=True),
}
CROWDS = {count: replace(MAIN.case(HYBLA_270, LOW_BER), receivers=count) for count in RECEIVERS}


def points(_quick: bool) -> list[Point]:
    """The runs of the tables, two with joins and drops, and more receivers."""
    courses = [*LOSSY.values(), DIPPING]
    return [
        *(with_course(case) for case in courses),
        *(with_joins(case) for case in JOINING.values()),
        *(point(case) for case in CROWDS.values()),
    ]


def losses(name: str, data: Data) -> Measured:
    """The loss that the receiver beside TCP measures, over that of the one that is alone: the ratio of the means."""
    case = LOSSY[name]
    place = case.branches[SATELLITE]

    def of(receiver: str, seed: int) -> float:
        return float(np.nanmean(course_of(data, case, seed).loss[receiver]))

    def relative(seeds: Sequence[int]) -> float:
        sums = [math.fsum(of(receiver, seed) for seed in seeds) for receiver in (place.shared, place.alone)]
        return sums[0] / sums[1] if sums[1] > 0 else math.inf

    found = [data.over_seeds(partial(of, receiver)) for receiver in (place.shared, place.alone)]
    note = f"beside TCP {percent(found[0].mean, 2)} of the packets, alone {percent(found[1].mean, 2)}"
    return Measured.of(jackknife(relative, data.seeds), note=note)


def dips(rates: NDArray[np.float64]) -> list[int]:
    """How many intervals each dip lasts: from the first below 90 % of the median to the last before 90 % again.

    The time before the rate first comes to 90 % of the median is left out, and so is a dip that the end cuts off.
    """
    level = float(np.median(rates))
    found: list[int] = []
    length, begun = 0, False
    for rate in rates.tolist():
        if rate >= GOOD * level:
            begun = True
            if length:
                found.append(length)
            length = 0
        elif begun and (length or rate < DIP * level):
            length += 1
    return found


def soon_good(data: Data) -> Measured:
    """Which part of the dips of MLDA, where it is alone, is made good within two report intervals."""
    receiver = DIPPING.branches[SATELLITE].alone
    found = {seed: dips(course_of(data, DIPPING, seed).rates[receiver]) for seed in data.seeds}
    lengths = [length for listed_ in found.values() for length in listed_]
    if not lengths:
        return Measured(value=None, note="no run has a dip, an interval below 90 % of the median after the start")

    def of(seeds: Sequence[int]) -> float:
        all_of = [length for seed in seeds for length in found[seed]]
        return sum(length <= SOON for length in all_of) / len(all_of) if all_of else math.nan

    longest = f"the longest lasts {INTERVAL_S * max(lengths):g} s"
    note = f"{plain(len(lengths) / len(data.seeds), 2)} dips per run, {longest}"
    return Measured.of(jackknife(of, data.seeds), note=note)


def after_joins(found: Fine) -> tuple[float, float, float]:
    """Packets dropped within 2 s of a join, all that were dropped, and which part of the time is within 2 s of one."""
    ends = found.probe_s * np.arange(1, found.dropped.size + 1)
    last = np.searchsorted(found.joins_s, ends, side="right") - 1
    since = np.where(last >= 0, ends - found.joins_s[np.maximum(last, 0)] if found.joins_s.size else np.inf, np.inf)
    near = since <= AFTER_JOIN_S
    return float(found.dropped[near].sum()), float(found.dropped.sum()), float(near.mean())


def drops_at_joins(label: str, data: Data) -> Measured:
    """Which part of the packets that the satellite's full queues drop is dropped within 2 s of a join."""
    found = {seed: after_joins(fine_of(data, JOINING[label], seed)) for seed in data.seeds}
    dropped = data.over_seeds(lambda seed: found[seed][1]).mean
    if not dropped:
        return Measured(value=None, note="no run has dropped packets")
    time = data.over_seeds(lambda seed: found[seed][2]).mean

    def of(seeds: Sequence[int]) -> float:
        near, everything = (math.fsum(found[seed][place] for seed in seeds) for place in (0, 1))
        return near / everything if everything else math.nan  # one run of several may have none

    joins = data.over_seeds(lambda seed: float(fine_of(data, JOINING[label], seed).joins_s.size)).mean
    note = (
        f"{plain(dropped)} packets and {plain(joins)} joins per run; {percent(time)} of the time is within 2 s of one"
    )
    return Measured.of(jackknife(of, data.seeds), note=note)


def crowd(of: str, count: int, data: Data) -> Measured:
    """What MLDA gets with so many receivers behind the satellite, or f."""
    case = CROWDS[count]
    found: dict[str, Estimate] = {
        "alone": part(alone(data, case)),
        "shared": part(shared(data, case)),
        "f": fairness(data, case),
    }
    return Measured.of(found[of])


CRITERIA = [
    *(
        Criterion(
            name=f"loss that MLDA measures beside TCP {TCPS[name]}, divided by that where it is alone, BER 1e-6",
            published="roughly the same",
            evaluate=partial(losses, name),
        )
        for name in LOSSY
    ),
    Criterion(
        name="part of the dips of MLDA alone that are made good within two report intervals, Reno, BER 1e-8",
        published="shortly after the reduction the effect is compensated",
        evaluate=soon_good,
    ),
    *(
        Criterion(
            name=f"part of the packets dropped at the satellite's downlinks within 2 s of a join, {label}, Hybla-270",
            published="the link is congested for a short time whenever a layer is joined",
            evaluate=partial(drops_at_joins, label),
        )
        for label in JOINING
    ),
    *(
        Criterion(
            name=f"{words} with {count} receivers behind the satellite, Hybla-270, BER 1e-8",
            published="number of receivers not stated",
            evaluate=partial(crowd, of, count),
        )
        for of, words in (
            ("alone", "MLDA where it is alone, % of the link,"),
            ("shared", "MLDA beside TCP, % of the link,"),
            ("f", "f"),
        )
        for count in RECEIVERS
    ),
]


def says(data: Data) -> str:
    """What is found."""
    ratios = [losses(name, data).value or math.nan for name in LOSSY]
    good = soon_good(data)
    repaired = (
        "where it is alone its rate never falls below 90 % of the median after the start"
        if good.value is None
        else f"{percent(good.value)} of its dips are made good within two report intervals ({good.note})"
    )
    joins = drops_at_joins("Table 2", data)
    congested = (
        "the satellite's queues drop nothing"
        if joins.value is None
        else f"{percent(joins.value)} of the satellite's drops are within 2 s of a join"
    )
    rates = [crowd("alone", count, data).value or math.nan for count in RECEIVERS]
    return (
        f"At a bit error rate of 1e-6 MLDA measures {listed([plain(value, 2) for value in ratios])} times the loss "
        f"beside Reno, Westwood and Hybla-270 that it measures alone; {repaired}; with both branches {congested}; with "
        f"{listed(RECEIVERS)} receivers MLDA gets "
        f"{listed([plain(value, 2) for value in rates])} % of the link where it is alone."
    )


def figure(data: Data) -> Figure:
    """Loss at both receivers over time, and when packets are dropped after joins with both branches."""
    drawn, (left, right) = panels(1, 2, width=PAGE_IN, height=2.6)
    case = LOSSY[RENO]
    place, seed = case.branches[SATELLITE], data.seeds[0]
    loss = course_of(data, case, seed).loss
    for series, (name, words) in enumerate(((place.alone, "alone"), (place.shared, "beside TCP Reno"))):
        left.plot(
            middles(), 100 * loss[name], color=COLOURS[series], linestyle=LINES[series], linewidth=0.9, label=words
        )
    left.set(xlabel="time (s)", ylabel="loss measured (%)", ylim=(0, None), xlim=(0, DURATION_S))
    left.set_title(f"over the last {case.loss_window} intervals, BER 1e-6, seed {seed}", loc="left")
    left.legend(loc="upper right")
    for series, (label, joining) in enumerate(JOINING.items()):
        share = since_join([fine_of(data, joining, seed) for seed in data.seeds])
        right.step(share[0], 100 * share[1], where="post", color=COLOURS[series], linestyle=LINES[series], label=label)
    right.axvline(AFTER_JOIN_S, color="black", linewidth=0.6)
    right.annotate("2 s", (AFTER_JOIN_S, 100), textcoords="offset points", xytext=(3, -7), fontsize=6)
    right.set(xlabel="time since the last join of a layer (s)", ylabel="packets dropped (%, summed)", ylim=(0, 105))
    right.set_xlim(0, DURATION_S)
    right.set_title("drops at the satellite's downlinks, all seeds", loc="left")
    right.legend(loc="lower right")
    return drawn


def since_join(runs: Sequence[Fine], most_s: float = DURATION_S) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Times since the last join, and which part of all drops came no later than that."""
    steps = np.arange(0, most_s + 0.5, 0.5)
    found, total = np.zeros(steps.size), 0.0
    for run in runs:
        ends = run.probe_s * np.arange(1, run.dropped.size + 1)
        last = np.searchsorted(run.joins_s, ends, side="right") - 1
        known = last >= 0
        since = ends[known] - run.joins_s[last[known]]
        found += np.array([run.dropped[known][since <= step].sum() for step in steps])
        total += float(run.dropped.sum())
    return steps, found / total if total else found


EXPERIMENTS = [
    Experiment(
        id="ehlert-x2",
        paper="ehlert",
        place="claims without a figure",
        title="Losses, dips, joins, and the number of receivers",
        published="MLDA loses as much with TCP beside it as without; dips are soon made good; each join congests the "
        "satellite's link for a short time.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
    )
]
