"""What it costs to join a layer: messages to join and to leave counting layers, against packets added.

There are two layers. S1 holds layer 0 at three quarters of B_0, S2 holds layer 1 at three halves, each beside two TCP
flows; eight receivers behind a link that loses nothing come one after the other and join both layers. B_0 goes from
0.25 to 64 Mbit/s, so that an attempt adds from one packet to some hundred per round trip (all of this is choice). What
attempts cost where many fail is seen in the runs of Fig. 11.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.kwon import six_receivers
from faircast.experiments.kwon.course import ENDS, Attempt
from faircast.experiments.kwon.measures import controls, courses, point, reported
from faircast.experiments.kwon.network import Bottleneck, Case, Stay
from faircast.figures import COLOURS, COLUMN_IN, MARKERS, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOW, FAST = 0.75, 1.5
"""Fair rates of S1 and S2, as parts of B_0."""
JOINERS, FIRST_S, EVERY_S = 8, 40.0, 8.0
REPS = 5
BASES_MBPS = (0.25, 1.0, 4.0, 16.0, 64.0)


def network(base_mbps: float) -> Case:
    """The network for this B_0."""
    joiners = tuple(Stay(join_s=FIRST_S + EVERY_S * k) for k in range(JOINERS))
    return Case(
        name="smcc-x4",
        base_mbps=base_mbps,
        layers=2,
        duration_s=140,
        bottlenecks=(
            Bottleneck(mbps=3 * SLOW * base_mbps),
            Bottleneck(mbps=3 * FAST * base_mbps),
            Bottleneck(mbps=1000, tcps=(), receivers=joiners),
        ),
    )


CASES = {base: network(base) for base in BASES_MBPS}
SIX = six_receivers.MAIN


def points(_quick: bool) -> list[Point]:
    """All B_0, where nothing fails; and the network of Fig. 11, with TFMCC and with what is only reported."""
    return [point(case) for case in (*CASES.values(), *controls(SIX).values())]


def needed(packets: float) -> int:
    """How many counting layers add so many packets a period: those of 1, 2, 4, .. packets."""
    return math.ceil(math.log2(packets + 1)) if packets > 0 else 0


def attempts(data: Data, case: Case, end: str) -> list[Attempt]:
    """All attempts of all runs that came to this end, those that needed no counting layers left out."""
    found = [item for run in courses(data, case) for item in run.attempts()]
    return [item for item in found if item.end == end and item.packets_added > 0]


def everything(data: Data, end: str = ENDS[0]) -> list[Attempt]:
    """The attempts with all B_0 that came to this end."""
    return [item for case in CASES.values() for item in attempts(data, case, end)]


def beyond(data: Data) -> Measured:
    """By how many joins a successful attempt is farthest from the logarithm."""
    found = everything(data)
    if not found:
        return Measured(value=math.nan, note="no attempt succeeded")
    off = [item.counting_joins - needed(item.packets_added) for item in found]
    most = max(item.packets_added for item in found)
    fewer, more = sum(x < 0 for x in off), sum(x > 0 for x in off)
    note = f"{len(found)} attempts, with up to {plain(most)} packets added; {fewer} with fewer joins, {more} with more"
    return Measured(value=max(map(abs, off)), note=note)


def growth(data: Data) -> Measured:
    """How many joins are added where twice as many packets are: the slope over the logarithm."""
    found = everything(data)
    x = np.array([math.log2(item.packets_added) for item in found])
    y = np.array([item.counting_joins for item in found])
    if x.size < 2 or np.ptp(x) == 0:
        return Measured(value=math.nan, note="too few attempts succeeded")
    return Measured(value=float(np.polyfit(x, y, 1)[0]), note=f"{x.size} attempts")


def messages(data: Data, case: Case) -> float:
    """Messages for one change to a higher level: joins and leaves of counting layers, and one join of the layer.

    Those of attempts that do not succeed are counted.
    """
    ended = [item for run in courses(data, case) for item in run.attempts() if item.end]
    joins = math.fsum(item.counting_joins for item in ended if not math.isnan(item.counting_joins))
    changes = sum(item.end == ENDS[0] for item in ended)
    return 1 + 2 * joins / changes if changes else math.nan


def in_the_six(data: Data) -> Measured:
    """Messages for one change in the network of Fig. 11, and how attempts ended; beside it what else is in control."""
    ended = [item.end for run in courses(data, SIX) for item in run.attempts() if item.end]
    parts = ", ".join(plain(ended.count(end) / len(data.seeds)) for end in ENDS)
    alone = {base: messages(data, case) for base, case in CASES.items()}
    lossless = "; ".join(f"{base:g} Mbit/s {plain(value)}" for base, value in alone.items())
    return Measured(
        value=messages(data, SIX),
        note=f"of its attempts per run succeed, fail and are given up {parts}; without losses, by B_0: {lossless}",
        beside="; ".join(f"{label}: {plain(messages(data, case))}" for label, case in reported(SIX).items()),
    )


CRITERIA = [
    Criterion(
        name="most by which the joins of a successful attempt differ from the logarithm of the packets added",
        published="k joins add up to 2^k packets",
        evaluate=beyond,
        high=1,
    ),
    Criterion(
        name="joins more where twice as many packets are added",
        published="1",
        evaluate=growth,
        low=0.75,
        high=1.25,
    ),
    Criterion(
        name="messages to join and leave groups per change to a higher level in Fig. 11, all attempts counted",
        published="not stated",
        evaluate=in_the_six,
    ),
]


def numbers(data: Data) -> Numbers:
    """By network and packets added, in powers of two: joins in the mean, and what became of attempts."""
    rows = []
    for label, case in {**{f"B_0 = {base:g} Mbit/s": case for base, case in CASES.items()}, "Fig. 11": SIX}.items():
        by_end = {end: attempts(data, case, end) for end in ENDS}
        most = max((needed(item.packets_added) for found in by_end.values() for item in found), default=0)
        for k in range(1, most + 1):
            low, high = 2 ** (k - 1), 2**k - 1
            there = {end: [x for x in found if needed(x.packets_added) == k] for end, found in by_end.items()}
            joins = [item.counting_joins for item in there[ENDS[0]]]
            mean = plain(math.fsum(joins) / len(joins)) if joins else ""
            span = str(low) if low == high else f"{low} to {high}"
            if any(there.values()):
                rows.append([label, span, mean, *(str(len(there[end])) for end in ENDS)])
    columns = ["network", "packets added", "joins", "succeed", "fail", "given up"]
    return Numbers(columns=columns, rows=rows)


def figure(data: Data) -> Figure:
    """Joins of every successful attempt against the packets it added."""
    drawn, axes = panels(1, 1, width=COLUMN_IN, height=2.8)
    most = 1.0
    for series, (base, case) in enumerate(CASES.items()):
        found = attempts(data, case, ENDS[0])
        places: dict[tuple[float, float], int] = {}
        for item in found:
            place = (item.packets_added, item.counting_joins)
            places[place] = places.get(place, 0) + 1
        if places:
            x, y = zip(*places, strict=True)
            most = max(most, *x)
            axes.scatter(
                x,
                y,
                s=[4 + 6 * math.sqrt(n) for n in places.values()],
                color=COLOURS[series],
                marker=MARKERS[series],
                alpha=0.6,
                linewidths=0,
                label=f"$B_0$ = {base:g} Mbit/s",
            )
    steps = np.arange(1, 2 ** needed(most))
    exact = [needed(float(step)) for step in steps]
    axes.step(steps, exact, where="post", color="black", linewidth=0.8, label=r"$\lceil\log_2(n+1)\rceil$", zorder=0.5)
    axes.set_xscale("log", base=2)
    ticks = [2**k for k in range(0, needed(most) + 1, 2)]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set(xlabel="packets added per round trip, n", ylabel="counting layers joined", ylim=(0, None))
    axes.legend(loc="upper left")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    found = everything(data)
    if not found:
        return "No attempt succeeded."
    item = max(found, key=lambda one: one.packets_added)
    return (
        f"The attempt that added most, {plain(item.packets_added)} packets per round trip, took "
        f"{plain(item.counting_joins)} joins and as many leaves; in the network of Fig. 11 a change to a higher level "
        f"costs {plain(in_the_six(data).value or math.nan)} messages, unsuccessful attempts counted."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-x4",
        paper="kwon",
        place="cost of joins",
        title="Messages to join and leave per successful change of level",
        published="With counting layers k joins, and no leave before the end, add up to 2^k packets per round trip.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
