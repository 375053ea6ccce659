"""x-all: what receivers of a session get, divided by what a TCP behind the same bottleneck gets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.estimates import ratio_to_tcp
from faircast.experiments.side_by_side.heat_map import RATIO, Grid, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ID = "x-all"
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
    Experiment(
        id=ID,
        paper=views.PAPER,
        place="all schemes beside TCP",
        title="What sessions get beside TCP",
        published=views.PUBLISHED,
        points=views.points,
        criteria=views.counted(
            MEDIAN, ("a receiver gets less than a TCP beside it", "a receiver gets more than a TCP beside it")
        ),
        numbers=partial(
            views.numbers,
            ID,
            {"median": MEDIAN, "least receiver": LEAST, "greatest": GREATEST},
            bare=("least receiver", "greatest"),
        ),
        cells=partial(views.rows, ID, RATIOS),
        figure=figure,
        says=says,
        reps=views.SEEDS,
        axes=views.AXES,
        narrowed=views.narrowed,
    )
]
