"""Table 3: the same as in Table 1 with a bit error rate of 1e-6."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout, low_errors
from faircast.experiments.ehlert.measures import (
    CELL,
    alone,
    cells,
    fairness,
    judged,
    over_subsets,
    part,
    point,
    ratio,
    readings,
    tcp,
)
from faircast.experiments.ehlert.network import (
    HIGH_BER,
    HYBLA_25,
    HYBLA_270,
    LOW_BER,
    MAIN,
    READINGS,
    RENO,
    SATELLITE,
    TCPS,
    WESTWOOD,
    Reading,
)
from faircast.experiments.ehlert.published import TABLE_1, TABLE_3
from faircast.experiments.judging import Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

THREE = (RENO, WESTWOOD, HYBLA_270)
"""Of Hybla-25 the text says nothing here."""
HALF = 0.5
"""To which part of Table 1 the text says that MLDA falls."""
SLOWEST_FIRST = (RENO, WESTWOOD, HYBLA_270, HYBLA_25)


def points(quick: bool) -> list[Point]:
    """All TCPs in all readings, and the runs of Table 1."""
    cases = (reading.case(name, HIGH_BER) for reading in readings(quick) for name in TCPS)
    return [*(point(case) for case in dict.fromkeys(cases)), *low_errors.points(quick)]


def falls(name: str, data: Data, reading: Reading) -> Measured:
    """What MLDA gets where it is alone, over what it gets in Table 1."""
    high, low = (reading.case(name, ber) for ber in (HIGH_BER, LOW_BER))
    receiver = high.branches[SATELLITE].alone
    note = f"{alone(data, high)} and {alone(data, low)} kbit/s"
    return Measured.of(ratio(data, (high, receiver), (low, receiver)), note=note)


def alike(name: str, data: Data, reading: Reading) -> Measured:
    """What MLDA gets beside TCP over what it gets alone."""
    case = reading.case(name, HIGH_BER)
    place = case.branches[SATELLITE]
    return Measured.of(ratio(data, (case, place.shared), (case, place.alone)))


def of_fairness(name: str, data: Data, reading: Reading) -> Measured:
    """F over that of Table 1."""
    high, low = (reading.case(name, ber) for ber in (HIGH_BER, LOW_BER))
    found = over_subsets(data, lambda some: fairness(some, high).mean / fairness(some, low).mean)
    return Measured.of(found, note=f"f is {fairness(data, high)}, in Table 1 {fairness(data, low)}")


def lost_by_reno(data: Data, reading: Reading) -> Measured:
    """By how much more Reno's f falls than Westwood's."""

    def by_name(some: Data) -> dict[str, list[float]]:
        bers = (LOW_BER, HIGH_BER)
        return {name: [fairness(some, reading.case(name, ber)).mean for ber in bers] for name in (RENO, WESTWOOD)}

    def more(some: Data) -> float:
        falls_by = {name: low - high for name, (low, high) in by_name(some).items()}
        return falls_by[RENO] - falls_by[WESTWOOD]

    note = ", ".join(f"{TCPS[name]} {plain(low)} to {plain(high)}" for name, (low, high) in by_name(data).items())
    return Measured.of(over_subsets(data, more), note=note)


def tcps_in_order(data: Data, reading: Reading) -> Measured:
    """TCP from Reno over Westwood and Hybla-270 to Hybla-25: the smallest quotient of neighbours."""

    def least(some: Data) -> float:
        rates = [tcp(some, reading.case(name, HIGH_BER)).mean for name in SLOWEST_FIRST]
        return min(above / below for below, above in pairwise(rates))

    note = ", ".join(f"{TCPS[name]} {tcp(data, reading.case(name, HIGH_BER))}" for name in SLOWEST_FIRST)
    return Measured.of(over_subsets(data, least), note=f"{note} kbit/s")


STATEMENTS: list[tuple[Statement[Reading], tuple[str, ...]]] = [
    *(
        (
            Statement(
                name=f"{TCPS[name]}: MLDA where it is alone, divided by that of Table 1",
                published=f"roughly half; {plain(TABLE_3[name].alone / TABLE_1[name].alone, 2)} from the rates",
                measure=partial(falls, name),
                low=(1 - CELL) * HALF,
                high=(1 + CELL) * HALF,
            ),
            (name,),
        )
        for name in THREE
    ),
    *(
        (
            Statement(
                name=f"{TCPS[name]}: MLDA beside TCP divided by MLDA where it is alone",
                published=f"{plain(TABLE_3[name].shared / TABLE_3[name].alone, 2)}, almost equal",
                measure=partial(alike, name),
                low=0.8,
                high=1.2,
            ),
            (name,),
        )
        for name in THREE
    ),
    *(
        (
            Statement(
                name=f"{TCPS[name]}: f divided by that of Table 1",
                published=f"{TABLE_3[name].fairness:g} after {TABLE_1[name].fairness:g}",
                measure=partial(of_fairness, name),
                high=1,
            ),
            (name,),
        )
        for name in THREE
    ),
    (
        Statement(
            name="by how much more f falls against Table 1 with Reno than with Westwood",
            published="by 0.10 with Reno, by 0.04 with Westwood",
            measure=lost_by_reno,
            low=0,
        ),
        (RENO, WESTWOOD),
    ),
    (
        Statement(
            name="TCP from Reno, Westwood, Hybla-270 to Hybla-25: the smallest quotient of one and the one before",
            published="90, 101, 107 and 144 kbit/s",
            measure=tcps_in_order,
            low=1,
        ),
        SLOWEST_FIRST,
    ),
    *(
        (statement, (name,))
        for name, printed in TABLE_3.items()
        for statement in cells(TCPS[name], printed, partial(low_errors.case_of, name, HIGH_BER))
    ),
]


def columns() -> list[layout.Column]:
    """The columns of Table 3."""
    return [
        layout.Column(
            name=words,
            printed=TABLE_3[name],
            cases={label: reading.case(name, HIGH_BER) for label, reading in READINGS.items()},
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
    cases = [MAIN.case(name, HIGH_BER) for name in TCPS]
    rates = listed([plain(part(alone(data, case)).mean, 2) for case in cases])
    fair = listed([plain(fairness(data, case).mean, 2) for case in cases])
    return (
        f"Where it is alone MLDA gets {rates} % of the link beside a receiver with Reno, Westwood, Hybla-25 and "
        f"Hybla-270, and TCP gets {fair} times what MLDA gets beside it."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-table3",
        paper="ehlert",
        place="Table 3",
        title="MLDA beside four kinds of TCP over a satellite, bit error rate 1e-6",
        published="MLDA falls to half, alike with and without TCP beside it, and TCP gets a smaller part than with "
        "fewer errors, least so Westwood.",
        why="Hybla-25 is as in Table 1. Westwood and Hybla-270 get a quarter to a third more than in the paper, and as "
        "MLDA has what LDA+ allows it at this error rate, f is above 1, where the paper has less. With the loss of "
        "the last interval alone MLDA takes more and both columns come out, but Table 1 does not.",
        points=points,
        criteria=[judged(*statement) for statement in STATEMENTS],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
