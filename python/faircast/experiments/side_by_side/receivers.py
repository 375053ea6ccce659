"""x-all-receivers: what receivers get of what would be fair on their own path.

Satisfaction is the rate of a receiver over its max-min fair rate as the only one of its session; share is that over the
multirate max-min fair rate of the whole network. On these three paths both are equal, since no receiver stands in the
way of another, so the figure has satisfaction alone: of the median receiver and of the least. The optimum takes nothing
off for what links lose, but it does for their headers.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.comparison import ALL, counted, ranged
from faircast.experiments.side_by_side.estimates import satisfaction, share
from faircast.experiments.side_by_side.heat_map import RATIO, Grid, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SATISFACTION = views.over_receivers("satisfaction", satisfaction, unit="1", neutral=1.0)
SHARE = views.over_receivers("share", share, unit="1", neutral=1.0)
MEDIAN, LEAST, _ = SATISFACTION
SCALE = replace(RATIO, low="less than fair", high="more than is fair")


def figure(data: Data) -> Figure:
    """Satisfaction of the median receiver, and of the least."""
    of = "rate divided by its max-min fair rate"
    return draw(
        [
            Grid(squares=views.squares(MEDIAN, data), scale=SCALE, title=f"The median receiver: {of}"),
            Grid(squares=views.squares(LEAST, data), scale=SCALE, title=f"The least satisfied receiver: {of}"),
        ]
    )


def says(data: Data) -> str:
    """How many cells give less than is fair, and the ends for the least satisfied receiver."""
    less, more, _, cells = views.sides(MEDIAN, data)
    return (
        f"The median receiver gets less than its max-min fair rate in {less} of {cells} cells and more in {more}; "
        f"{views.told('what the least satisfied receiver gets, divided by that rate,', LEAST, data)}."
    )


EXPERIMENTS = [
    ALL.experiment(
        "x-all-receivers",
        place="receivers of all schemes",
        title="What receivers get of what is fair",
        criteria=[
            *counted(
                MEDIAN,
                ("it gets less than its max-min fair rate", "it gets more than its max-min fair rate"),
                ", of the median receiver",
            ),
            *ranged(LEAST, "satisfaction of the least satisfied receiver"),
        ],
        columns={"satisfaction": MEDIAN, "least": LEAST, "share": SHARE[0]},
        rows=[*SATISFACTION, *SHARE],
        figure=figure,
        says=says,
    )
]
