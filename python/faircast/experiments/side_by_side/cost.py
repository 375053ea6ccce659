"""x-all-cost: what sessions cost in messages, for each receiver and second, by kind."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data
from faircast.experiments.side_by_side import views
from faircast.experiments.side_by_side.comparison import ALL, ranged
from faircast.experiments.side_by_side.estimates import cost
from faircast.experiments.side_by_side.heat_map import Grid, Scale, decades, draw, short
from faircast.experiments.side_by_side.measures import KINDS, MEMBERSHIP
from faircast.experiments.side_by_side.views import Place, Quantity
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def of_kind(kind: str, unit: str, data: Data, place: Place) -> Estimate:
    """Messages of a kind; `unit` is a field of `Cost`."""
    found: Estimate = getattr(cost(data, place[1], place[0])[kind], unit)
    return found


def of_membership(unit: str, data: Data, place: Place) -> Estimate:
    """Messages of all kinds about membership; without an interval."""
    found = cost(data, place[1], place[0])
    total = math.fsum(getattr(found[kind], unit).mean for kind in MEMBERSHIP)
    return Estimate(total, None, len(data.seeds), total, total)


UNITS = {"packets": "messages", "bytes": "bytes"}
EACH = [
    Quantity(name=name, unit=f"{word} per receiver and second", of=partial(of_kind, kind, unit))
    for kind, name in KINDS.items()
    for unit, word in UNITS.items()
]
FEEDBACK, FEEDBACK_BYTES = EACH[:2]
MEMBERS = Quantity(
    name="messages about membership", unit="messages per receiver and second", of=partial(of_membership, "packets")
)
SCALE = Scale(
    place=lambda value: decades(value, 0.01, 100),
    text=short,
    marks=[(0.01, "0.01"), (0.1, "0.1"), (1.0, "1"), (10.0, "10"), (100.0, "100")],
    low="few",
    high="many",
)


def figure(data: Data) -> Figure:
    """Feedback, and below it messages about membership."""
    each = "per receiver and second"
    return draw(
        [
            Grid(squares=views.squares(FEEDBACK, data), scale=SCALE, title=f"Messages of feedback {each}"),
            Grid(squares=views.squares(MEMBERS, data), scale=SCALE, title=f"Messages about membership {each}"),
        ]
    )


def says(data: Data) -> str:
    """The ends of both."""
    feedback = views.told("The number of feedback messages per receiver and second", FEEDBACK, data)
    return f"{feedback}; {views.told('that of messages about membership', MEMBERS, data)}."


EXPERIMENTS = [
    ALL.experiment(
        "x-all-cost",
        place="cost of all schemes",
        title="What sessions cost in messages",
        criteria=[
            *ranged(FEEDBACK, "messages of feedback per receiver and second"),
            *ranged(MEMBERS, "messages about membership per receiver and second"),
        ],
        columns={"feedback (1/s)": FEEDBACK, "feedback (B/s)": FEEDBACK_BYTES, "membership (1/s)": MEMBERS},
        rows=EACH,
        figure=figure,
        says=says,
    )
]
