"""Why the inter-arrival scheme helps MLDA without TCP on the link and hardly beside it.

The scheme holds the gap that a loss leaves against T_min, the least time between two packets ([Ehlert], equation 2).
MLDA's packets are evenly spaced when they are sent. A packet of TCP that stands before one of them in the queue delays
it, and the next one comes sooner after it. Once two have come less than two thirds of their distance apart, the gap of
a single loss is longer than three times T_min and counts as congestion. A packet of TCP delays by as long as it takes
to send: if that is the cause, a faster downlink must help. So the rate of the downlinks over GEO is what is changed, at
1 % loss beside SACK, which can use little more of a faster link as it is held by the losses; all else is the
comparison's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.side_by_side import geo, runs
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.comparison import ALL
from faircast.experiments.side_by_side.surprises.intervals import less
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate, jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

Key = tuple[str, float]
"""The row, and the rate of the downlinks, Mbit/s."""

LOSS = 0.01
RATES_MBPS = (0.3, 0.6, 1.2, 2.4, 4.8, 9.6)
MLDA, IAS = "mlda", "mlda-ias"
BESIDE_TCP, ALONE = "film-0", "film-1"
RECEIVERS = {BESIDE_TCP: "beside TCP", ALONE: "without TCP"}
HERE = geo.DOWN_MBPS
"""The rate that the comparison has."""


def scenario(key: Key) -> dict[str, Any]:
    """GEO of the comparison with 1 % loss beside SACK, but for the rate of the downlinks."""
    row, mbps = key
    made = runs.scenario(Cell(situation=Situation(path="geo", loss=LOSS, tcp="sack"), run=BESIDE, scheme=row))
    made["name"] = f"x-all-mlda-ias-{row}-{mbps:g}"
    made["topology"]["branches"]["sat"]["down"]["rate"] = f"{1000 * mbps:g} kbit/s"
    return made


def points(quick: bool) -> list[Point]:
    """With and without the scheme, over all rates."""
    rates = (HERE, RATES_MBPS[-1]) if quick else RATES_MBPS
    return [Point(key=(row, mbps), scenario=scenario((row, mbps))) for row in (IAS, MLDA) for mbps in rates]


def rates_mbps(data: Data) -> list[float]:
    """The rates that were run."""
    return [mbps for mbps in RATES_MBPS if (IAS, mbps) in data.points]


def recognised(data: Data, mbps: float, receiver: str) -> Estimate:
    """Which part of the errors of its link a receiver recognised, those of all seeds together, per cent."""

    def of(seeds: Sequence[int]) -> float:
        found = [data.run((IAS, mbps), seed) for seed in seeds]
        told, missed = (
            sum(run[receiver, metric] for run in found) for metric in ("link_losses_recognised", "link_losses_missed")
        )
        return 100 * told / (told + missed)

    return jackknife(of, data.seeds)


def gain(data: Data, mbps: float, receiver: str) -> Estimate:
    """The rate of a receiver with the scheme by that without, ratio of means over the seeds."""

    def of(seeds: Sequence[int]) -> float:
        with_it, without = (sum(data.run((row, mbps), seed)[receiver, "rate"] for seed in seeds) for row in (IAS, MLDA))
        return with_it / without

    return jackknife(of, data.seeds)


def measured(receiver: str, data: Data) -> Measured:
    """What the comparison's downlink gives."""
    return Measured.of(recognised(data, HERE, receiver), note=f"rate times {gain(data, HERE, receiver)}")


def catches_up(data: Data) -> Measured:
    """How much more the receiver beside TCP recognises at the fastest downlink."""
    slow, fast = (recognised(data, mbps, BESIDE_TCP) for mbps in (HERE, rates_mbps(data)[-1]))
    other = recognised(data, rates_mbps(data)[-1], ALONE)
    note = f"{fast} % and {slow} %; without TCP {other} %"
    return Measured.above(less(fast, slow), note=note)


CRITERIA = [
    Criterion(
        name=f"beside TCP: errors of the link recognised at {RATES_MBPS[-1]:g} Mbit/s minus those at {1000 * HERE:g} "
        "kbit/s, %",
        published="not stated",
        evaluate=catches_up,
        rule="more are recognised",
    ),
    *(
        Criterion(
            name=f"{words}, {1000 * HERE:g} kbit/s: errors of the link recognised, %",
            published="a rather high amount of link errors is declared congestion",
            evaluate=partial(measured, receiver),
        )
        for receiver, words in RECEIVERS.items()
    ),
]


def numbers(data: Data) -> Numbers:
    """By rate of the downlink what is recognised and gained."""
    rows = [
        [f"{1000 * mbps:g}"] + [str(of(data, mbps, receiver)) for of in (recognised, gain) for receiver in RECEIVERS]
        for mbps in rates_mbps(data)
    ]
    named = [
        f"{what}, {words}" for what in ("recognised (%)", "rate by that without IAS") for words in RECEIVERS.values()
    ]
    return Numbers(columns=["downlink (kbit/s)", *named], rows=rows)


def figure(data: Data) -> Figure:
    """What part of link errors is recognised, and what that gains, against the rate of the downlink."""
    drawn, (parts, gains) = panels(1, 2, width=PAGE_IN, height=2.8)
    swept = rates_mbps(data)
    for series, (receiver, words) in enumerate(RECEIVERS.items()):
        for axes, of in ((parts, recognised), (gains, gain)):
            curve(axes, swept, [of(data, mbps, receiver) for mbps in swept], label=words, series=series)
    for axes in (parts, gains):
        axes.set_xscale("log")
        axes.set_xticks(swept, [f"{mbps:g}" for mbps in swept])
        axes.minorticks_off()
        axes.set_xlabel("downlink (Mbit/s)")
    parts.set(ylabel="link errors recognised (%)", ylim=(0, 100))
    gains.set(ylabel="rate with IAS / rate without", ylim=(0, None))
    gains.axhline(1, color="black", linewidth=0.6)
    drawn.legend(*parts.get_legend_handles_labels(), title="receiver", loc="outside lower center", ncols=2)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    fast = rates_mbps(data)[-1]
    there, without = (recognised(data, HERE, receiver).mean / 100 for receiver in RECEIVERS)
    late, late_without = (recognised(data, fast, receiver).mean / 100 for receiver in RECEIVERS)
    return (
        f"On a downlink of {1000 * HERE:g} kbit/s the inter-arrival scheme recognises {percent(there)} of the link's "
        f"errors beside TCP and {percent(without)} without, on one of {plain(fast)} Mbit/s {percent(late)} and "
        f"{percent(late_without)}. A packet of TCP in the queue delays one of MLDA, the next comes sooner after it, "
        f"and T_min is then too short for any gap; on a faster link that delay is shorter."
    )


EXPERIMENTS = [
    Experiment(
        id="x-all-mlda-ias",
        paper=ALL.paper,
        place="MLDA with IAS over GEO",
        title="MLDA with IAS: link errors recognised beside TCP and without",
        published=ALL.published,
        points=points,
        criteria=CRITERIA,
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
