"""Table 2: the satellite branch beside a terrestrial one of 768 kbit/s, BER 1e-8 (choice: the paper does not say)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert import layout
from faircast.experiments.ehlert.measures import (
    CELL,
    alone,
    cells,
    fairness,
    judged,
    over_subsets,
    part,
    point,
    rate,
    ratio,
    readings,
    shared,
)
from faircast.experiments.ehlert.network import (
    HYBLA_270,
    LOW_BER,
    MAIN,
    READINGS,
    RENO,
    SATELLITE,
    TERRESTRIAL,
    Case,
    Reading,
)
from faircast.experiments.ehlert.published import TABLE_2, TABLE_2_RENO, Printed
from faircast.experiments.judging import Statement

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OVER_SATELLITE = (HYBLA_270, RENO)
"""What TCP over the satellite is; the second is a single remark of the text."""


def case(reading: Reading, name: str = HYBLA_270) -> Case:
    """Both branches."""
    return reading.case(name, LOW_BER, terrestrial=True)


def points(quick: bool) -> list[Point]:
    """Both TCPs in all readings."""
    cases = [case(reading, name) for reading in readings(quick) for name in OVER_SATELLITE]
    return [point(found) for found in dict.fromkeys(cases)]


def by_run(data: Data) -> str:
    """What TCP gets over what MLDA gets beside it on the ground, of each run."""
    found = case(MAIN)
    place = found.branches[TERRESTRIAL]

    def of(seed: int) -> float:
        got, beside = (rate(data, found, name, seed) for name in (place.tcp, place.shared))
        return got / beside if beside else math.inf

    return listed([plain(value, 2) for value in sorted(map(of, data.seeds))])


def reno_fairness(data: Data, reading: Reading) -> Measured:
    """F over the satellite with Reno there."""
    return Measured.of(fairness(data, case(reading, RENO)))


def reno_less(data: Data, reading: Reading) -> Measured:
    """By how much f with Reno over the satellite is above that with Hybla-270."""
    reno, hybla = (case(reading, name) for name in (RENO, HYBLA_270))
    found = over_subsets(data, lambda some: fairness(some, reno).mean - fairness(some, hybla).mean)
    return Measured.of(found, note=f"{fairness(data, reno)} with Reno, {fairness(data, hybla)} with Hybla-270")


def alike(data: Data, reading: Reading) -> Measured:
    """What MLDA gets beside TCP over what it gets alone, over the satellite."""
    found = case(reading)
    place = found.branches[SATELLITE]
    note = f"{shared(data, found)} and {alone(data, found)} kbit/s"
    return Measured.of(ratio(data, (found, place.shared), (found, place.alone)), note=note)


RENO_PRINTED = Printed(math.nan, math.nan, math.nan, TABLE_2_RENO)
"""The text has f alone."""
NAMES = {SATELLITE: "satellite / Hybla-270", TERRESTRIAL: "terrestrial / Reno"}
HYBLA, BOTH = (HYBLA_270,), OVER_SATELLITE
STATEMENTS: list[tuple[Statement[Reading], tuple[str, ...]]] = [
    *(
        (statement, HYBLA)
        for branch, words in NAMES.items()
        for statement in cells(words, TABLE_2[branch], case, branch)
    ),
    (
        Statement(
            name="satellite: f with Reno instead of Hybla-270",
            published=TABLE_2_RENO,
            measure=reno_fairness,
            low=(1 - CELL) * TABLE_2_RENO,
            high=(1 + CELL) * TABLE_2_RENO,
        ),
        (RENO,),
    ),
    (
        Statement(
            name="satellite: f with Reno minus f with Hybla-270",
            published=f"{TABLE_2_RENO} instead of {TABLE_2[SATELLITE].fairness}: even worse",
            measure=reno_less,
            high=0,
        ),
        BOTH,
    ),
    (
        Statement(
            name="satellite: MLDA beside TCP divided by MLDA where it is alone",
            published="192.09 and 202.99 kbit/s, nearly equal",
            measure=alike,
            low=0.8,
            high=1.2,
        ),
        HYBLA,
    ),
]


def columns() -> list[layout.Column]:
    """The columns of Table 2, and the satellite's with Reno, of which the paper has f alone."""
    found = [
        layout.Column(
            name=name,
            printed=TABLE_2[branch],
            cases={label: case(reading) for label, reading in READINGS.items()},
            branch=branch,
        )
        for branch, name in NAMES.items()
    ]
    reno = {label: case(reading, RENO) for label, reading in READINGS.items() if reading.recovery == MAIN.recovery}
    return [*found, layout.Column(name="satellite / Reno", printed=RENO_PRINTED, cases=reno)]


def numbers(data: Data) -> Numbers:
    """The table of the paper, with what is measured."""
    return layout.table(data, columns())


def figure(data: Data) -> Figure:
    """Rates and f beside what is printed."""
    return layout.figure(data, columns())


def says(data: Data) -> str:
    """What the table shows."""
    found = case(MAIN)
    satellite, terrestrial = (part(alone(data, found, branch), branch).mean for branch in (SATELLITE, TERRESTRIAL))
    fairs = [fairness(data, found, branch).mean for branch in (SATELLITE, TERRESTRIAL)]
    return (
        f"Where it is alone MLDA gets {plain(satellite, 2)} % of the satellite's link and {plain(terrestrial, 2)} % of "
        f"the terrestrial one; TCP gets {plain(fairs[0], 2)} times what MLDA gets beside it over the satellite and "
        f"{plain(fairs[1], 2)} times as much on the ground (by run, in order of size, {by_run(data)})."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-table2",
        paper="ehlert",
        place="Table 2",
        title="A satellite and a terrestrial branch with one session",
        published="On the ground all is well; over the satellite MLDA has 68 % of the link, with TCP and without, and "
        "leaves TCP 0.39 times as much.",
        why="The base layer has what MLDA gets beside Hybla-270, about a third of the satellite's link, and with three "
        "layers the next one is as wide as the whole link: both receivers there hold the base alone, as in the "
        "paper. For the paper's 192 kbit/s LDA+ would have to take twice its share beside the same TCP, more than "
        "in Table 1. The paper's cause, congestion by joins, is not there: what queues drop is not dropped within "
        "2 s of a join. With the loss of the last interval alone f is 1.0, and with Reno instead of Hybla-270 it "
        "is 0.36, near the paper's 0.31. The ground agrees; without random times of TCP the phases of packets keep "
        "the receiver there at one layer for long, and f is 2.4.",
        points=points,
        criteria=[judged(*statement) for statement in STATEMENTS],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
