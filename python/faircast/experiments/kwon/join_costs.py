"""What it costs to join a layer: messages to join and to leave counting layers, against packets added.

One receiver climbs through six layers beside two TCP flows, with links of 2, 8 and 32 ms, so that attempts add from one
packet to some hundred per round trip. B_0 is 1 Mbit/s, the bottleneck has 72 Mbit/s (choices).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.kwon.course import ENDS, Attempt
from faircast.experiments.kwon.measures import controls, courses, point
from faircast.experiments.kwon.network import Bottleneck, Case
from faircast.figures import COLOURS, COLUMN_IN, MARKERS, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RECEIVER = "session-0"
MAIN = Case(name="smcc-x4", base_mbps=1, layers=6, bottlenecks=(Bottleneck(mbps=72),))
CASES = {ms: replace(MAIN, link_ms=ms) for ms in (2, 8, 32)}


def points(_quick: bool) -> list[Point]:
    """All delays, with TFMCC and with what is only reported."""
    return [point(varied) for case in CASES.values() for varied in controls(case).values()]


def needed(packets: float) -> int:
    """How many counting layers add so many packets a period: those of 1, 2, 4, .. packets."""
    return math.ceil(math.log2(packets + 1)) if packets > 0 else 0


def attempts(data: Data, case: Case, end: str) -> list[Attempt]:
    """All attempts of all runs that came to this end, those that needed no counting layers left out."""
    found = [item for run in courses(data, case) for item in run.attempts(0)]
    return [item for item in found if item.end == end and item.packets_added > 0]


def everything(data: Data, end: str = ENDS[0]) -> list[Attempt]:
    """Those of all delays."""
    return [item for case in CASES.values() if case in data.points for item in attempts(data, case, end)]


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
    joins = [item.counting_joins for run in courses(data, case) for item in run.attempts(0) if item.end]
    changes = len([item for run in courses(data, case) for item in run.attempts(0) if item.end == ENDS[0]])
    return 1 + 2 * math.fsum(value for value in joins if not math.isnan(value)) / changes if changes else math.nan


def all_told(data: Data) -> Measured:
    """The same over all delays."""
    found = {ms: messages(data, case) for ms, case in CASES.items() if case in data.points}
    note = "; ".join(f"links of {ms} ms: {plain(value)}" for ms, value in found.items())
    return Measured(value=max(found.values()), note=note)


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
        name="messages to join and leave groups per successful change of level, unsuccessful attempts counted",
        published="not stated",
        evaluate=all_told,
    ),
]


def numbers(data: Data) -> Numbers:
    """By delay and packets added, in powers of two: attempts, joins in the mean, how many failed."""
    rows = []
    for ms, case in CASES.items():
        if case not in data.points:
            continue
        by_end = {end: attempts(data, case, end) for end in ENDS}
        most = max((needed(item.packets_added) for found in by_end.values() for item in found), default=0)
        for k in range(1, most + 1):
            low, high = 2 ** (k - 1), 2**k - 1
            there = {end: [x for x in found if needed(x.packets_added) == k] for end, found in by_end.items()}
            joins = [item.counting_joins for item in there[ENDS[0]]]
            mean = plain(math.fsum(joins) / len(joins)) if joins else ""
            span = str(low) if low == high else f"{low} to {high}"
            rows.append([f"{ms} ms", span, mean, *(str(len(there[end])) for end in ENDS)])
    columns = ["links", "packets added", "joins", "succeed", "fail", "given up"]
    return Numbers(columns=columns, rows=rows)


def figure(data: Data) -> Figure:
    """Joins of every successful attempt against the packets it added."""
    drawn, axes = panels(1, 1, width=COLUMN_IN, height=2.8)
    most = 1.0
    for series, (ms, case) in enumerate(CASES.items()):
        found = attempts(data, case, ENDS[0]) if case in data.points else []
        places: dict[tuple[float, float], int] = {}
        for item in found:
            place = (item.packets_added, item.counting_joins)
            places[place] = places.get(place, 0) + 1
        if places:
            x, y = zip(*places, strict=True)
            most = max(most, *x)
            shift = 0.1 * (series - 1)
            axes.scatter(
                x,
                [value + shift for value in y],
                s=[4 + 6 * math.sqrt(n) for n in places.values()],
                color=COLOURS[series],
                marker=MARKERS[series],
                alpha=0.6,
                linewidths=0,
                label=f"links of {ms} ms",
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
        f"{plain(item.counting_joins)} joins and as many leaves; with unsuccessful attempts counted a change of level "
        f"costs up to {plain(all_told(data).value or math.nan)} messages."
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
    )
]
