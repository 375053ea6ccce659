"""Table 1: MLDA beside TCP Reno, Westwood, Hybla-25 and Hybla-270 over the satellite, BER 1e-8."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout
from faircast.experiments.ehlert.measures import (
    alone,
    cells,
    fairness,
    judged,
    over_subsets,
    part,
    point,
    readings,
)
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


def points(quick: bool) -> list[Point]:
    """All TCPs in all readings."""
    cases = (reading.case(name, LOW_BER) for reading in readings(quick) for name in TCPS)
    return [point(case) for case in dict.fromkeys(cases)]


def order(ber: float, data: Data, reading: Reading) -> Measured:
    """f(Hybla-25) > f(Hybla-270) > f of the others: the smallest of the two quotients."""

    def least(some: Data) -> float:
        found = {name: fairness(some, reading.case(name, ber)).mean for name in TCPS}
        above = max(found[RENO], found[WESTWOOD])
        return min(found[HYBLA_25] / found[HYBLA_270], found[HYBLA_270] / above)

    note = ", ".join(f"{TCPS[name]} {plain(fairness(data, reading.case(name, ber)).mean)}" for name in TCPS)
    return Measured.of(over_subsets(data, least), note=f"f: {note}")


def case_of(name: str, ber: float, reading: Reading) -> Case:
    """The case of a column, in a reading."""
    return reading.case(name, ber)


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
        (statement, (name,))
        for name, printed in TABLE_1.items()
        for statement in cells(TCPS[name], printed, partial(case_of, name, LOW_BER))
    ),
]


def columns() -> list[layout.Column]:
    """The columns of Table 1."""
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
        why="Where MLDA is alone its receiver has a share of 90 % of the link whatever TCP does behind another "
        "downlink, and holds all layers; for the paper's 115 kbit/s beside Hybla-25 it would have to do with at "
        "most two of three. What could couple the two receivers is one uplink for both that acknowledgements fill: "
        "in ehlert-x4, with every packet acknowledged and 10 places in its queue, MLDA has half of the link there "
        "and f is 2.8, but then TCP has 69 % of the link instead of 48, and fewer cells agree than in any other "
        "reading. An f of 1 with Hybla-270 comes out if LDA+ uses the loss of the last interval alone, but "
        "then Reno gets a third of what MLDA gets; and with queues of 100 or 200 packets f falls with Hybla-25, "
        "too. No assumption was found that gives both columns.",
        points=points,
        criteria=[judged(*statement) for statement in STATEMENTS],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
