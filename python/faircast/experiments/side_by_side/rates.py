"""x-all and x-queues: what receivers of a session get, divided by what a TCP behind the same bottleneck gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.comparison import ALL, IN_QUEUES, counted
from faircast.experiments.side_by_side.estimates import ratio_to_tcp
from faircast.experiments.side_by_side.heat_map import RATIO, Grid, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS = views.over_receivers(
    "rate of a receiver divided by that of a TCP",
    ratio_to_tcp,
    unit="1",
    neutral=1.0,
    lacks="neither the session nor TCP got anything",
    infinite="TCP got nothing",
)
MEDIAN, LEAST, GREATEST = RATIOS
TITLE = "Rate of a receiver (median) / mean of the TCPs behind its bottleneck (delayed ACKs, SACK); 1: as much"


def figure(data: Data) -> Figure:
    """The heat map of the medians."""
    return draw([Grid(squares=views.squares(MEDIAN, data), scale=RATIO, title=TITLE)])


def says(data: Data) -> str:
    """How many cells lie on either side, and the ends."""
    less, more, undecided, cells = views.sides(MEDIAN, data)
    return (
        f"A receiver of the session gets more than a TCP beside it in {more} of {cells} cells and less in {less}, and "
        f"{undecided} are undecided; {views.told('its rate divided by the rate of that TCP', MEDIAN, data)}."
    )


EXPERIMENTS = [
    comparison.experiment(
        name,
        place=place,
        title=title,
        criteria=counted(
            MEDIAN, ("a receiver gets less than a TCP beside it", "a receiver gets more than a TCP beside it")
        ),
        columns={"median": MEDIAN, "least receiver": LEAST, "greatest": GREATEST},
        bare=("least receiver", "greatest"),
        rows=RATIOS,
        figure=figure,
        says=says,
    )
    for comparison, name, place, title in (
        (ALL, "x-all", "all schemes beside TCP", "What sessions get beside TCP"),
        (IN_QUEUES, "x-queues", "all schemes in eight queues", "What sessions get beside TCP in queues of today"),
    )
]
