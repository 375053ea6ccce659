"""x-all-harm and x-queues-harm: what TCP loses beside a session, more than it loses beside TCPs in the session's place.

Harm in rate is (alone - beside) / alone, in delay (beside - alone) / beside, of the time that TCP's own packets wait at
the bottleneck in the mean; drawn is the median over the bottlenecks of what it is more than in the reference. What a
delay is in milliseconds is among the numbers, too: a wait that is twice as long counts the same whether it was one
packet's or fifty.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.cells import ALONE, BESIDE, REFERENCE, Cell, Situation
from faircast.experiments.side_by_side.comparison import ALL, IN_QUEUES, counted
from faircast.experiments.side_by_side.estimates import Spread, harm_in_delay, harm_in_rate, wait_ms
from faircast.experiments.side_by_side.heat_map import Grid, Scale, draw, linear, signed
from faircast.experiments.side_by_side.schemes import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def excess_in_rate(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The harm in rate, minus that of the reference."""
    return harm_in_rate(data, situation, scheme).excess


def excess_in_delay(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The harm in delay, minus that of the reference."""
    return harm_in_delay(data, situation, scheme).excess


def delay_ms(run: str, data: Data, situation: Situation, scheme: Row) -> Spread:
    """How long TCP's packets wait in the runs of one kind."""
    return wait_ms(data, Cell(situation=situation, run=run, scheme=scheme if run == BESIDE else ""))


RATES = views.over_receivers(
    "harm to TCP in rate, minus that of the reference",
    excess_in_rate,
    unit="1",
    neutral=0.0,
    lacks="TCP alone got nothing",
)
DELAYS = views.over_receivers(
    "harm to TCP in delay, minus that of the reference",
    excess_in_delay,
    unit="1",
    neutral=0.0,
    lacks="no packet of TCP left the queue",
    infinite="TCP, which waits where it is alone, does not wait any more",
    most=1.0,
    beyond="beyond 1, in the colour of the end: TCP alone waits longer than beside the session or the reference",
)
WAITS = [
    quantity
    for run, words in {BESIDE: "beside the session", ALONE: "of TCP alone", REFERENCE: "in the reference"}.items()
    for quantity in views.over_receivers(
        f"mean wait of TCP's packets {words}",
        partial(delay_ms, run),
        unit="ms",
        lacks="no packet of TCP left the queue",
    )
]
RATE, DELAY = RATES[0], DELAYS[0]
SCALE = Scale(
    place=linear,
    text=signed,
    marks=[(-0.5, "≤ -0.5"), (-0.25, "-0.25"), (0.0, "0"), (0.25, "0.25"), (0.5, "≥ 0.5")],
    low="less harm",
    high="more than TCP does",
    undecided="undecided: the 95 % interval includes 0",
)


def figure(data: Data) -> Figure:
    """Harm in rate, and below it in delay."""
    return draw(
        [
            Grid(
                squares=views.squares(RATE, data),
                scale=SCALE,
                title="Part of its rate that TCP loses, less what it loses beside TCP (median bottleneck)",
            ),
            Grid(
                squares=views.squares(DELAY, data),
                scale=SCALE,
                title="Part of TCP's wait in the queue that a session adds, less what TCP adds (median bottleneck)",
            ),
        ]
    )


def says(data: Data) -> str:
    """How many cells harm TCP more than TCP does, in rate and in delay."""
    less, more, _, cells = views.sides(RATE, data)
    shorter, longer, _, _ = views.sides(DELAY, data)
    difference = views.told("the difference of the harms", RATE, data)
    return (
        f"A session takes more of TCP's rate than TCP in its place does in {more} of {cells} cells and less in {less} "
        f"({difference}); TCP's packets wait longer in {longer} and shorter in {shorter}."
    )


EXPERIMENTS = [
    comparison.experiment(
        name,
        place=place,
        title=title,
        criteria=[
            *counted(RATE, ("TCP loses less than beside TCP", "TCP loses more than beside TCP"), ", in rate"),
            *counted(DELAY, ("TCP waits shorter than beside TCP", "TCP waits longer"), ", in delay"),
        ],
        columns={"rate, median": RATE, "rate, greatest": RATES[2], "delay, median": DELAY},
        rows=[*RATES, *DELAYS, *WAITS],
        figure=figure,
        says=says,
    )
    for comparison, name, place, title in (
        (ALL, "x-all-harm", "harm of all schemes", "What TCP loses beside sessions"),
        (IN_QUEUES, "x-queues-harm", "harm in eight queues", "What TCP loses beside sessions in queues of today"),
    )
]
