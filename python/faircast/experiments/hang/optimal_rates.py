"""Table 1: the rates that maximise the total utility on the network of Fig. 3, computed with `faircast.utility`.

Six links with the capacities 3, 1, 1, 1, 1, 1 Mbit/s lead from S to two unicast receivers and, with one stream, to two
multicast receivers. Of all sessions only one unicast flow, x, and the multicast session, y, share a link, c2. The
conditions that the paper prints have a sign wrong (docs/omcc.md), its rates are right; its first column weighs the
sessions by one over the number of their links, 1/3 and 1/4, without a reason.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Point

CAPACITIES_MBPS = {"c1": 3, "c2": 1, "c3": 1, "c4": 1, "c5": 1, "c6": 1}
COLUMNS: dict[str, dict[str, Any]] = {
    "one vote per session, logarithmic utility": {
        "weights": (1 / 3, 1 / 4),
        "utility": "proportional",
        "orientation": "session",
    },
    "one vote per receiver, logarithmic utility": {
        "weights": (1.0, 1.0),
        "utility": "proportional",
        "orientation": "receiver",
    },
    "one vote per receiver, TCP's utility": {
        "weights": (1.0, 1.0),
        "utility": "potential-delay",
        "orientation": "receiver",
    },
}
PUBLISHED = {
    "one vote per session, logarithmic utility": (0.57, 0.43, 0.75),
    "one vote per receiver, logarithmic utility": (0.33, 0.67, 2.03),
    "one vote per receiver, TCP's utility": (0.41, 0.59, 1.44),
}
"""x, y and fairness as printed."""
EXACT = {
    "one vote per session, logarithmic utility": (4 / 7, 3 / 7),
    "one vote per receiver, logarithmic utility": (1 / 3, 2 / 3),
    "one vote per receiver, TCP's utility": (2**0.5 - 1, 2 - 2**0.5),
}
"""1/(3x) = 1/(4y); 1/x = 2/y; 1/x² = 2/y²; each with x + y = 1."""
TOLERANCE = 1e-3
WHO = {"x": "unicast flow", "y": "multicast session"}


def rates(column: str) -> tuple[float, float]:
    """X and y of a column, Mbit/s."""
    from faircast.utility.optimum import solve
    from faircast.utility.problem import Demand, Link, Problem

    settings = dict(COLUMNS[column])
    of_x, of_y = settings.pop("weights")
    problem = Problem(
        links=tuple(Link(name=name, capacity=1e6 * mbps) for name, mbps in CAPACITIES_MBPS.items()),
        demands=(
            Demand(name="r1", routes=((0, 2),), weight=of_x),
            Demand(name="r2", routes=((0, 1, 3),), weight=of_x),
            Demand(name="r3 and r4", routes=((0, 1, 4), (0, 1, 5)), weight=of_y),
        ),
        **settings,
    )
    found = solve(problem).rates
    return found["r2"] / 1e6, found["r3 and r4"] / 1e6


def points(_quick: bool) -> list[Point]:
    """Nothing is simulated."""
    return []


def rate(column: str, which: int, _data: Data) -> Measured:
    """X or y."""
    found = rates(column)[which]
    printed = PUBLISHED[column][which]
    same = "as printed" if round(found, 2) == printed else f"not the {printed} that is printed"
    return Measured(value=found, note=f"{found:.2f}, {same}")


def as_printed(_data: Data) -> Measured:
    """How many of the six rates are, rounded, those that are printed."""
    equal = sum(
        round(found, 2) == printed
        for column in COLUMNS
        for found, printed in zip(rates(column), PUBLISHED[column][:2], strict=True)
    )
    return Measured(value=equal)


def fairness(column: str, _data: Data) -> Measured:
    """y/x."""
    x, y = rates(column)
    printed_x, printed_y, printed = PUBLISHED[column]
    note = f"{printed_y / printed_x:.2f} from the printed x and y" if abs(printed - y / x) > 0.005 else ""
    return Measured(value=y / x, note=note)


def criteria() -> list[Criterion]:
    """X and y of each column, and fairness reported."""
    found = []
    for column in COLUMNS:
        for which, name in enumerate("xy"):
            exact = EXACT[column][which]
            found.append(
                Criterion(
                    name=f"{column}: rate of the {WHO[name]} ({name}), Mbit/s",
                    published=PUBLISHED[column][which],
                    evaluate=partial(rate, column, which),
                    low=exact - TOLERANCE,
                    high=exact + TOLERANCE,
                )
            )
        found.append(
            Criterion(
                name=f"{column}: multicast divided by unicast (y/x)",
                published=PUBLISHED[column][2],
                evaluate=partial(fairness, column),
            )
        )
    printed = Criterion(
        name="how many of the six rates are as printed when rounded", published=6.0, evaluate=as_printed, low=6
    )
    return [*found, printed]


def says(_data: Data) -> str:
    """What the table shows."""
    parts = [f"{x:.2f} and {y:.2f} Mbit/s ({column})" for column in COLUMNS for x, y in [rates(column)]]
    return f"On the link that they share the unicast flow and the multicast session should get {'; '.join(parts)}."


EXPERIMENTS = [
    Experiment(
        id="omcc-table1",
        paper="hang",
        place="Table 1",
        title="Optimal rates by utility",
        published="Multicast gets more than unicast if receivers are counted, and less if sessions are.",
        points=points,
        criteria=criteria(),
        says=says,
        reps=1,
    )
]
