"""Lemma 1: what a join attempt adds to a link is at most three quarters of what the fastest receiver behind it gets.

The *dilation* of a link is the bandwidth that is asked for beyond it over the largest rate that one receiver there
gets. The lemma: 1.75 at most with one set of counting layers, for a receiver that goes from just above B_{j-2} to B_j
while another one behind the same link has all up to B_j. It is run as constructed: R0 has all three layers, R1 leads
layer 1 and loses a packet or two at a steady pace, chosen so that its rate is just above B_0, and R2 joins behind the
same link as R0. Then at random: four links with two receivers each, one of which joins later, beside TCP flows.

Layer 0 is apart. Definition 1 has rates from the lowest one, B_0, up; but T_0 may be any rate below it (B_{-1} is 0),
so that an attempt from layer 0 may come close to a dilation of 2. So fair rates are drawn from B_0 up, as in the
definition; what comes of lower ones is reported beside.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.kwon.course import Attempt, Course, course, course_of
from faircast.experiments.kwon.network import Bottleneck, Case, Stay, Tcps, bottleneck_link
from faircast.figures import COLOURS, COLUMN_IN, panels
from faircast.statistics import estimate
from faircast.throughput import throughput_bps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

WORST = 1.75
PACKET_BITS = 8000
BASE_MBPS, TOP = 4.0, 2
ABOVE = 1.01
"""How far above B_0 the rate of R1 is to be."""
LOSSES_FROM_S, JOINER_S = 40.0, 110.0
R0, R2, R1 = 0, 1, 2
"""By their numbers: R0 and R2 are behind the first link."""
CONSTRUCTED = Case(
    name="smcc-lemma1",
    layers=TOP + 1,
    duration_s=150,
    bottlenecks=(
        Bottleneck(mbps=1000, tcps=(), receivers=(Stay(), Stay(join_s=JOINER_S))),
        Bottleneck(mbps=1000, tcps=()),
    ),
)
LINKS = 4
FAIR_MBPS = {"random": (1.25 * BASE_MBPS, 8 * BASE_MBPS), "random-low": (0.25 * BASE_MBPS, 8 * BASE_MBPS)}
"""Between which the fair rates of a link's receivers are drawn, evenly in their logarithm, by what the runs are called.

The first are judged."""
RANDOM, LOW = FAIR_MBPS


def constructed() -> dict[str, Any]:
    """The network of the proof: R1's last link loses what comes in 4 ms, again and again."""
    scenario = CONSTRUCTED.scenario()
    outage = {"kind": "outage", "start": f"{LOSSES_FROM_S:g} s", "length": "4 ms", "period": f"{pace_s():.4f} s"}
    scenario["links"][f"receiver-{R1}"]["loss"] = outage | {"direction": "forward"}
    return scenario


def pace_s() -> float:
    """How often a loss event must come for a receiver to calculate a rate just above B_0, s."""
    goal_bps, rtt_s = ABOVE * BASE_MBPS * 1e6, CONSTRUCTED.rtt_ms / 1000
    low, high = 1e-7, 0.5
    for _ in range(100):
        p = math.sqrt(low * high)
        low, high = (p, high) if throughput_bps(PACKET_BITS / 8, rtt_s, p) > goal_bps else (low, p)
    return PACKET_BITS / (low * goal_bps)


def at_random(which: str, seed: int) -> dict[str, Any]:
    """Four links, each with up to four TCP flows and two receivers, one of which joins later."""
    draw = random.Random(seed)
    least, most = FAIR_MBPS[which]

    def bottleneck() -> Bottleneck:
        flows = draw.randint(1, 4)
        fair_mbps = least * (most / least) ** draw.random()
        late = Stay(join_s=round(draw.uniform(20, 80), 1))
        return Bottleneck(mbps=round((flows + 1) * fair_mbps, 1), tcps=(Tcps(count=flows),), receivers=(Stay(), late))

    bottlenecks = tuple(bottleneck() for _ in range(LINKS))
    return replace(
        CONSTRUCTED, name=f"smcc-lemma1-{which}", layers=4, duration_s=120, bottlenecks=bottlenecks
    ).scenario()


def points(_quick: bool) -> list[Point]:
    """The constructed case and the random ones, others for each seed."""
    return [
        Point(key=CONSTRUCTED, scenario=constructed(), reduce=course),
        *(Point(key=which, scenario=partial(at_random, which), reduce=course) for which in FAIR_MBPS),
    ]


def dilation(attempt: Attempt) -> float:
    """Of a link behind which somebody else has the layer that is tried, in the last slot of the attempt."""
    added_mbps = attempt.packets_added * PACKET_BITS / 1e6 / attempt.period_s
    return 1 + added_mbps / attempt.wants_mbps


def step(attempt: Attempt) -> float:
    """By how much a packet per period changes that."""
    return PACKET_BITS / 1e6 / attempt.period_s / attempt.wants_mbps


def to_the_top(found: Course) -> Attempt | None:
    """The attempt of R2 to come from layer 1 to layer 2."""
    wanted = (item for item in found.attempts(R2) if item.layer == TOP and item.end == "join-succeeded")
    return next(wanted, None)


def worst_constructed(data: Data) -> Measured:
    """The dilation that the attempt of R2 makes, the mean over the seeds."""
    found = [to_the_top(course_of(data, CONSTRUCTED, seed)) for seed in data.seeds]
    there = [item for item in found if item is not None]
    if not there:
        return Measured(value=math.nan, note="the attempt never succeeded")
    note = (
        f"in {len(there)} of {len(found)} runs, from {plain(there[0].has_mbps)} to {plain(there[0].wants_mbps)} Mbit/s "
        f"by {plain(there[0].packets_added)} packets"
    )
    return Measured.of(estimate([dilation(item) for item in there]), note=note)


def measured_constructed(data: Data) -> Measured:
    """The largest dilation of R0's and R2's link, as it was measured over windows of 50 ms."""
    return Measured.of(data.estimate(CONSTRUCTED, bottleneck_link(1), "dilation"))


def measured_random(which: str, data: Data) -> Measured:
    """The largest dilation of a link behind which one receiver joins, of all links and random runs."""
    found = of_links(data, which, "dilation")
    return Measured(value=max(found), note=f"of {len(found)} links; the mean of their largest is {plain(fmean(found))}")


def mean_random(data: Data) -> Measured:
    """The mean dilation of these links over time."""
    found = of_links(data, RANDOM, "dilation_mean")
    return Measured(value=fmean(found), note=f"at most {plain(max(found))}")


def of_links(data: Data, which: str, metric: str) -> list[float]:
    """A metric of all bottlenecks of some random runs."""
    return [data.run(which, seed)[bottleneck_link(n), metric] for seed in data.seeds for n in range(1, LINKS + 1)]


def of_random(data: Data, layers: range, kinds: Sequence[str] = tuple(FAIR_MBPS)) -> list[Attempt]:
    """All attempts to join these layers in random runs that added something."""
    found = [item for which in kinds for seed in data.seeds for item in course_of(data, which, seed).attempts()]
    return [item for item in found if item.end and item.layer in layers and item.packets_added > 0]


def worst_random(data: Data) -> Measured:
    """By how much the largest dilation of random runs is above 1.75 and a packet per period."""
    found = of_random(data, range(2, 4))
    if not found:
        return Measured(value=math.nan, note="no attempt")
    worst = max(found, key=lambda item: dilation(item) - step(item))
    mean = math.fsum(map(dilation, found)) / len(found)
    note = f"{len(found)} attempts; the mean is {plain(mean)}, a packet makes {plain(step(worst), 2)} of the largest"
    return Measured(value=dilation(worst) - step(worst), note=note)


def from_the_base(data: Data) -> Measured:
    """The largest dilation of attempts from layer 0 to layer 1."""
    found = [dilation(item) for item in of_random(data, range(1, 2))]
    if not found:
        return Measured(value=math.nan, note="no attempt")
    above = sum(value > WORST for value in found)
    mean = math.fsum(found) / len(found)
    return Measured(
        value=max(found), note=f"{above} of {len(found)} attempts are above 1.75; the mean is {plain(mean)}"
    )


ONE_PACKET = PACKET_BITS / 1e6 / (CONSTRUCTED.rtt_ms / 1000) / (BASE_MBPS * 2**TOP)
CRITERIA = [
    Criterion(
        name="dilation in the last slot of the constructed attempt, by the rates that are scheduled",
        published=WORST,
        evaluate=worst_constructed,
        low=WORST - ONE_PACKET,
        high=WORST + ONE_PACKET,
    ),
    Criterion(
        name="largest dilation of the link in the constructed case, measured",
        published=WORST,
        evaluate=measured_constructed,
        low=WORST - ONE_PACKET,
        high=WORST + ONE_PACKET,
    ),
    Criterion(
        name="largest dilation of a link with one joiner, measured in random runs with fair rates above B_0",
        published="1.75 at most",
        evaluate=partial(measured_random, RANDOM),
        high=WORST,
    ),
    Criterion(
        name="the same with fair rates from a quarter of B_0",
        published="not stated: rates below B_0 are outside of the definition",
        evaluate=partial(measured_random, LOW),
    ),
    Criterion(
        name="mean dilation of these links over time",
        published="much smaller",
        evaluate=mean_random,
    ),
    Criterion(
        name="largest dilation that attempts to join layer 2 or 3 can make in random runs, less one packet per period",
        published="1.75 at most",
        evaluate=worst_random,
        high=WORST,
        identity="T_S is B_S/2 at least and T_S+1 is B_S+1 at most by their bounds, and an attempt adds no more than "
        "their difference, to a packet",
    ),
    Criterion(
        name="largest dilation that attempts to join layer 1 can make in random runs",
        published="not stated: nothing bounds the rate of layer 0 from below",
        evaluate=from_the_base,
    ),
]


def figure(data: Data) -> Figure:
    """How often attempts in random runs make how much dilation, the constructed one as a line."""
    drawn, axes = panels(width=COLUMN_IN, height=2.4)
    edges = np.arange(1.0, 2.0001, 0.05)
    sorts = {"to layer 2 or 3": range(2, 4), "to layer 1": range(1, 2)}
    values = [[dilation(item) for item in of_random(data, layers)] for layers in sorts.values()]
    axes.hist(values, bins=edges.tolist(), stacked=True, color=[COLOURS[0], COLOURS[5]], label=list(sorts))
    axes.axvline(WORST, color="black", linewidth=0.8, linestyle=(0, (1, 1)), label="worst case of the lemma")
    made = measured_constructed(data).value
    if made is not None and not math.isnan(made):
        axes.plot([made], [0], marker="^", color=COLOURS[1], linestyle="none", clip_on=False, label="constructed case")
    runs = len(FAIR_MBPS) * len(data.seeds)
    axes.set(xlim=(1, 2), xlabel="dilation in the last slot of an attempt", ylabel=f"attempts in {runs} runs")
    drawn.legend(loc="outside lower center", ncols=2)
    return drawn


def says(data: Data) -> str:
    """What is found."""
    made, most = (found(data).value or math.nan for found in (measured_constructed, partial(measured_random, RANDOM)))
    low = measured_random(LOW, data).value or math.nan
    return (
        f"The constructed attempt makes a dilation of {plain(made, 4)}; in random runs no link has more than "
        f"{plain(most)} if fair rates are above B_0, but up to {plain(low)} if they may be lower."
    )


def numbers(data: Data) -> Numbers:
    """The constructed attempt, run by run."""
    rows = []
    for seed in data.seeds:
        found = to_the_top(course_of(data, CONSTRUCTED, seed))
        if found is not None:
            cells = (found.has_mbps, found.wants_mbps, found.packets_added, dilation(found))
            rows.append([str(seed), *(plain(cell, 5) for cell in cells)])
    return Numbers(columns=["seed", "from (Mbit/s)", "to (Mbit/s)", "packets per period", "dilation"], rows=rows)


EXPERIMENTS = [
    Experiment(
        id="smcc-lemma1",
        paper="kwon",
        place="Lemma 1",
        title="The worst dilation of a link",
        published="The worst dilation with one set of counting layers is 1.75; in practice it is much smaller.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
