"""Table 1: MLDA beside TCP Reno, Westwood, Hybla-25 and Hybla-270 over the satellite, BER 1e-8."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout
from faircast.experiments.ehlert.measures import alone, fairness, full, judged, of_case, part, point, readings
from faircast.experiments.ehlert.network import (
    HYBLA_25,
    HYBLA_270,
    LOW_BER,
    MAIN,
    READINGS,
    RENO,
    TCPS,
    WESTWOOD,
    Case,
    Reading,
)
from faircast.experiments.ehlert.published import TABLE_1
from faircast.experiments.judging import Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

FAIR = {RENO: (0.5, 1.1), WESTWOOD: (0.55, 1.15), HYBLA_25: (2.0, None), HYBLA_270: (0.75, 1.35)}
"""What f may be."""


def points(quick: bool) -> list[Point]:
    """All TCPs in all readings."""
    cases = (reading.case(name, LOW_BER) for reading in readings(quick) for name in TCPS)
    return [point(case) for case in dict.fromkeys(cases)]


def alone_part(data: Data, case: Case) -> Estimate:
    """MLDA where it is alone, per cent of the link."""
    return part(alone(data, case))


def order(ber: float, data: Data, reading: Reading) -> Measured:
    """f(Hybla-25) > f(Hybla-270) > f of the others: the smallest of the two quotients."""
    found = {name: fairness(data, reading.case(name, ber)).mean for name in TCPS}
    above = max(found[RENO], found[WESTWOOD])
    least = min(found[HYBLA_25] / found[HYBLA_270], found[HYBLA_270] / above)
    note = ", ".join(f"{TCPS[name]} {plain(value)}" for name, value in found.items())
    return Measured(value=least, note=f"f: {note}")


STATEMENTS: list[tuple[Statement[Reading], tuple[str, ...]]] = [
    (
        Statement(
            name="f of Hybla-25 over that of Hybla-270, and that over Reno's and Westwood's greater one: the smaller",
            published="4.88 > 1.01 > 0.85 and 0.82",
            measure=partial(order, LOW_BER),
            low=1,
        ),
        tuple(TCPS),
    ),
    *(
        (
            Statement(
                name=f"{TCPS[name]}: TCP divided by MLDA, f",
                published=TABLE_1[name].fairness,
                measure=of_case(fairness, name, LOW_BER),
                low=low,
                high=high,
            ),
            (name,),
        )
        for name, (low, high) in FAIR.items()
    ),
    *(
        (
            Statement(
                name=f"{TCPS[name]}: MLDA where it is alone, % of the link",
                published=f"{TABLE_1[name].alone} kbit/s, {TABLE_1[name].alone / 3:.0f} %",
                measure=of_case(alone_part, name, LOW_BER),
                low=None if name == HYBLA_25 else 68,
                high=60 if name == HYBLA_25 else 90,
            ),
            (name,),
        )
        for name in TCPS
    ),
    *(
        (
            Statement(
                name=f"{TCPS[name]}: MLDA and TCP together where they share, % of the link",
                published=f"{(TABLE_1[name].shared + TABLE_1[name].tcp) / 3:.0f} %",
                measure=of_case(full, name, LOW_BER),
                low=70,
            ),
            (name,),
        )
        for name in TCPS
        if name != HYBLA_25
    ),
]


def columns() -> list[layout.Column]:
    """Those of the table."""
    return [
        layout.Column(
            name=words,
            printed=TABLE_1[name],
            cases={label: reading.case(name, LOW_BER) for label, reading in READINGS.items()},
        )
        for name, words in TCPS.items()
    ]


def numbers(data: Data) -> Numbers:
    """The table of the paper, with what is measured."""
    return layout.table(data, columns())


def figure(data: Data) -> Figure:
    """Rates and f beside what is printed."""
    return layout.figure(data, columns())


def says(data: Data) -> str:
    """What the table shows."""
    cases = [MAIN.case(name, LOW_BER) for name in TCPS]
    rates = listed([plain(part(alone(data, case)).mean, 2) for case in cases])
    fair = listed([plain(fairness(data, case).mean, 2) for case in cases])
    return (
        f"Where it is alone MLDA gets {rates} % of the link beside a receiver with Reno, Westwood, Hybla-25 and "
        f"Hybla-270, and TCP gets {fair} times what MLDA gets beside it."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-table1",
        paper="ehlert",
        place="Table 1",
        title="MLDA beside four kinds of TCP over a satellite, bit error rate 1e-8",
        published="Hybla with an RTT_0 of 270 ms shares evenly; with 25 ms it starves MLDA and holds down receivers "
        "that have MLDA alone.",
        why="A receiver that has MLDA alone has a share of 90 % of the link whatever TCP does behind another downlink, "
        "and holds all layers; for the paper's 115 kbit/s beside Hybla-25 it would have to do with at most two of "
        "three, and none of the 31 assumptions of the last study brings it below 75 % of the link. An f of 1 with "
        "Hybla-270 comes out if LDA+ reckons with the loss of the last interval alone, but then Reno gets a third of "
        "what MLDA gets; and with queues of 100 or 200 packets, but then Hybla-25 gets less than twice what MLDA gets. "
        "No assumption was found that gives both columns.",
        points=points,
        criteria=[judged(*statement) for statement in STATEMENTS],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
