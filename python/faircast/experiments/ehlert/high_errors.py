"""Table 3: the same as in Table 1 with a bit error rate of 1e-6."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout, low_errors
from faircast.experiments.ehlert.measures import alone, fairness, judged, of_case, part, point, ratio, readings, tcp
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

JUDGED = (RENO, WESTWOOD, HYBLA_270)
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
    high, low = (fairness(data, reading.case(name, ber)) for ber in (HIGH_BER, LOW_BER))
    return Measured(value=high.mean / low.mean, note=f"f is {high}, in Table 1 {low}")


def lost_by_reno(data: Data, reading: Reading) -> Measured:
    """By how much more Reno's f falls than Westwood's."""
    found = {
        name: [fairness(data, reading.case(name, ber)).mean for ber in (LOW_BER, HIGH_BER)] for name in (RENO, WESTWOOD)
    }
    falls_by = {name: low - high for name, (low, high) in found.items()}
    note = ", ".join(f"{TCPS[name]} {plain(low)} to {plain(high)}" for name, (low, high) in found.items())
    return Measured(value=falls_by[RENO] - falls_by[WESTWOOD], note=note)


def tcps_in_order(data: Data, reading: Reading) -> Measured:
    """TCP from Reno over Westwood and Hybla-270 to Hybla-25: the smallest quotient of neighbours."""
    found = {name: tcp(data, reading.case(name, HIGH_BER)) for name in SLOWEST_FIRST}
    rates = [item.mean for item in found.values()]
    note = ", ".join(f"{TCPS[name]} {item}" for name, item in found.items())
    return Measured(value=min(above / below for below, above in pairwise(rates)), note=f"{note} kbit/s")


STATEMENTS: list[tuple[Statement[Reading], tuple[str, ...]]] = [
    *(
        (
            Statement(
                name=f"{TCPS[name]}: MLDA where it is alone, divided by that of Table 1",
                published=f"{TABLE_3[name].alone} kbit/s, {plain(TABLE_3[name].alone / TABLE_1[name].alone, 2)}",
                measure=partial(falls, name),
                high=0.75,
            ),
            (name,),
        )
        for name in JUDGED
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
        for name in JUDGED
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
        for name in (RENO, HYBLA_270)
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
            low=0.95,
        ),
        SLOWEST_FIRST,
    ),
    (
        Statement(
            name=f"{TCPS[HYBLA_25]}: TCP divided by MLDA, f",
            published=TABLE_3[HYBLA_25].fairness,
            measure=of_case(fairness, HYBLA_25, HIGH_BER),
            low=2,
        ),
        (HYBLA_25,),
    ),
]


def columns() -> list[layout.Column]:
    """Those of the table."""
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
        points=points,
        criteria=[judged(*statement) for statement in STATEMENTS],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
