"""x-all-course and x-queues-course: how steady rates are, how long it takes until they are, and how full links are.

Steadiness is the coefficient of variation of what a receiver gets in bins of 0.1, 1 and 10 s, given where a bin holds
five packets or more at the mean rate; drawn is that at 1 s of the median receiver, divided by that of the median TCP of
the same runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.cells import Situation
from faircast.experiments.side_by_side.comparison import ALL, IN_QUEUES, counted, ranged
from faircast.experiments.side_by_side.estimates import Spread, beside, settling, utilisation, variation
from faircast.experiments.side_by_side.heat_map import RATIO, Grid, Scale, decades, draw, short
from faircast.experiments.side_by_side.measures import BINS_S
from faircast.experiments.side_by_side.schemes import Row
from faircast.experiments.side_by_side.views import Place, Quantity
from faircast.statistics import Estimate, jackknife_of_ratio

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DRAWN_S = 1
FEW = "a bin would have fewer than five packets"


def of_receivers(bin_s: float, data: Data, situation: Situation, scheme: Row) -> Spread:
    """The variation of receivers."""
    return variation(data, beside(situation, scheme), situation.on.receivers, bin_s)


def of_tcps(bin_s: float, data: Data, situation: Situation, scheme: Row) -> Spread:
    """The variation of TCP flows beside them."""
    return variation(data, beside(situation, scheme), situation.on.tcps, bin_s)


def unevenness(data: Data, place: Place) -> Estimate:
    """The variation of the median receiver divided by that of the median TCP flow."""
    scheme, situation = place
    cell, path, at = beside(situation, scheme), situation.on, BINS_S.index(DRAWN_S)

    def middle(kind: str, names: Sequence[str], seeds: Sequence[int]) -> float:
        means = []
        for name in names:
            found = [data.reduced(cell, seed)[kind][name]["cov"][at] for seed in seeds]
            there = [one for one in found if one is not None]
            means += [math.fsum(there) / len(there)] if there else []
        return median(means) if means else math.nan

    def of(seeds: Sequence[int]) -> float:
        below = middle("tcps", path.tcps, seeds)
        return middle("receivers", path.receivers, seeds) / below if below > 0 else math.nan

    return jackknife_of_ratio(of, data.seeds)


def settled(which: str, data: Data, place: Place) -> Estimate:
    """The time to settle of receivers; `which` is a field of `Settling`."""
    found = settling(data, beside(place[1], place[0]), place[1].on.receivers)
    value = getattr(found, which)
    return Estimate(value, None, found.n, found.low_s, found.high_s)


def used(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The utilisation of bottlenecks."""
    return utilisation(data, beside(situation, scheme))


VARIATIONS = [
    quantity
    for bin_s in BINS_S
    for who, of in (("a receiver", of_receivers), ("a TCP beside it", of_tcps))
    for quantity in views.over_receivers(
        f"coefficient of variation of {who} in {bin_s:g} s", partial(of, bin_s), unit="1", lacks=FEW
    )
]
UNEVEN = Quantity(
    name=f"coefficient of variation in {DRAWN_S} s, receiver divided by TCP",
    unit="1",
    of=unevenness,
    over="median",
    neutral=1.0,
    lacks=FEW,
)
NEVER = "the median run never settles"
SETTLED = Quantity(name="time to settle", unit="s", of=partial(settled, "median_s"), over="median", infinite=NEVER)
SETTLINGS = [
    SETTLED,
    Quantity(name="time to settle", unit="s", of=partial(settled, "low_s"), over="low end of the interval"),
    Quantity(name="time to settle", unit="s", of=partial(settled, "high_s"), over="high end of the interval"),
    Quantity(name="part of receivers and runs that never settle", unit="1", of=partial(settled, "unsettled")),
]
USED = views.over_receivers("utilisation of bottlenecks", used, unit="1")
STEADY = Scale(
    place=RATIO.place,
    text=short,
    marks=RATIO.marks,
    low="steadier",
    high="less steady than TCP",
    undecided=RATIO.undecided,
)
SECONDS = Scale(
    place=lambda value: decades(value, 5, 1000),
    text=lambda value: "never" if math.isinf(value) else short(value),
    marks=[(5.0, "5 s"), (30.0, "30 s"), (200.0, "200 s"), (1000.0, "1000 s")],
    low="at once",
    high="late, or never",
)
PART = Scale(
    place=lambda value: max(0.0, min(1.0, value)),
    text=short,
    marks=[(0.0, "0"), (0.5, "0.5"), (1.0, "1")],
    low="idle",
    high="full",
)


def figure(data: Data) -> Figure:
    """Steadiness, time to settle, utilisation."""
    steady = "Coefficient of variation in 1 s of the median receiver, divided by TCP's"
    settle = "Time until rates have settled, s (median receiver of the median run)"
    said = views.squares(SETTLED, data).items()
    settled_squares = {place: replace(one, reason="") for place, one in said}  # "never" says it already
    full = "Utilisation of the bottleneck (the median of them)"
    return draw(
        [
            Grid(squares=views.squares(UNEVEN, data), scale=STEADY, title=steady),
            Grid(squares=settled_squares, scale=SECONDS, title=settle),
            Grid(squares=views.squares(USED[0], data), scale=PART, title=full),
        ]
    )


def says(data: Data) -> str:
    """How many cells are steadier than TCP, never settle, and how full links are."""
    steadier, less, _, cells = views.sides(UNEVEN, data)
    never = sum(math.isinf(one.value) for one in views.squares(SETTLED, data).values())
    return (
        f"In bins of {DRAWN_S} s the median receiver's rate is steadier than TCP's in {steadier} of {cells} cells and "
        f"less steady in {less}; in {never} cells the median run never settles; "
        f"{views.told('the utilisation of the median bottleneck', USED[0], data)}."
    )


EXPERIMENTS = [
    comparison.experiment(
        name,
        place=place,
        title=title,
        criteria=[
            *counted(UNEVEN, ("a receiver's rate is steadier than TCP's", "it is less steady than TCP's")),
            *ranged(SETTLED, "time to settle (s)"),
            *ranged(USED[0], "utilisation of the median bottleneck"),
        ],
        columns={"variation / TCP's": UNEVEN, "settled (s)": SETTLED, "utilisation": USED[0]},
        rows=[UNEVEN, *VARIATIONS, *SETTLINGS, *USED],
        figure=figure,
        says=says,
    )
    for comparison, name, place, title in (
        (ALL, "x-all-course", "course of all schemes", "How steady rates are, and how full links"),
        (IN_QUEUES, "x-queues-course", "course in eight queues", "How steady rates are in queues of today"),
    )
]
