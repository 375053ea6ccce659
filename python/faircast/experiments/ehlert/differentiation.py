"""Table 4: BER 1e-6 with the inter-arrival scheme; and what it does at 1e-8, of which the text speaks.

The paper does not say over what the scheme takes its minimum T_min. Here it is taken anew when the rate of a layer has
changed by more than 10 %: the scheme compares a gap with the time between packets when nothing is lost, and layers
change that. Over the session, the literal one, stands beside; so do mBiaz, and what a receiver could do that knew which
losses were link errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import (
    Criterion,
    Data,
    Experiment,
    Measured,
    Numbers,
    Point,
    listed,
    percent,
    plain,
)
from faircast.experiments.ehlert import layout
from faircast.experiments.ehlert.low_errors import case_of
from faircast.experiments.ehlert.measures import (
    cells,
    mistaken,
    point,
    printed_cell,
    ran,
    ratio,
    readings,
    recognised,
    told,
)
from faircast.experiments.ehlert.network import (
    HIGH_BER,
    HYBLA_270,
    LOW_BER,
    MAIN,
    READINGS,
    RENO,
    SATELLITE,
    TCPS,
    WESTWOOD,
    Case,
    Reading,
)
from faircast.experiments.ehlert.published import INCREASE_4, corrected
from faircast.experiments.judging import Statement
from faircast.experiments.judging import judged as judged_in

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

THREE = (RENO, WESTWOOD, HYBLA_270)
"""Table 4 has no Hybla-25."""
MINIMA = {"rate": "T_min since the rate changed", "session": "T_min of the session"}
BY_RATE, BY_SESSION = (MAIN.told_apart(minimum=minimum) for minimum in MINIMA)
BOUNDS = {"mBiaz": MAIN.told_apart("mbiaz"), layout.GROUND_TRUTH: MAIN.told_apart("oracle")}
"""Reported beside."""


def told_apart(of: Mapping[str, Reading]) -> dict[str, Reading]:
    """Readings with the scheme, each with both minima."""
    return {
        ", ".join(filter(None, (label, words))): reading.told_apart(minimum=minimum)
        for label, reading in of.items()
        for minimum, words in MINIMA.items()
    }


CASES = told_apart(READINGS)


def points(quick: bool) -> list[Point]:
    """With the scheme in all readings, with what else tells losses apart, and Table 3's runs."""
    told = [reading.told_apart(minimum=minimum) for reading in readings(quick) for minimum in MINIMA]
    told += BOUNDS.values()
    found = [reading.case(name, HIGH_BER) for name in THREE for reading in (*told, *readings(quick))]
    return [point(case) for case in dict.fromkeys(found)]


def was_run(data: Data, reading: Reading) -> bool:
    """Whether a reading was run, with either minimum."""
    return ran(data, reading.not_told_apart())


def against(name: str, ber: float, which: str, data: Data, reading: Reading) -> Measured:
    """What one of a branch's names gets with the scheme over what it gets without."""
    told, plainly = reading.case(name, ber), reading.not_told_apart().case(name, ber)
    subject = getattr(told.branches[SATELLITE], which)
    return Measured.of(ratio(data, (told, subject), (plainly, subject)))


def gain(name: str, ber: float, data: Data, reading: Reading) -> Measured:
    """What MLDA gets alone with the scheme over without, and what it made of both receivers' losses, by its minimum."""
    of_minima = {words: reading.not_told_apart().told_apart(minimum=minimum) for minimum, words in MINIMA.items()}
    notes = [f"{words}: {made_of_losses(data, found.case(name, ber))}" for words, found in of_minima.items()]
    return replace(against(name, ber, "alone", data, reading), note=". ".join(notes))


def made_of_losses(data: Data, case: Case) -> str:
    """Which losses were taken for what, of each receiver of the satellite's branch."""
    place = case.branches[SATELLITE]
    words = [
        f"{where} {told(data, case, receiver, recognised)} link errors recognised, "
        f"{told(data, case, receiver, mistaken).replace('none lost', 'no')} losses by congestion taken for link errors"
        for where, receiver in (("alone", place.alone), ("beside TCP", place.shared))
    ]
    return "; ".join(words)


def increase(name: str, data: Data, reading: Reading) -> Measured:
    """How much more MLDA gets where it is alone, in per cent, and what the scheme made of the losses."""
    found = gain(name, HIGH_BER, data, reading)
    assert found.value is not None
    return replace(found, value=100 * (found.value - 1), ci95=None if found.ci95 is None else 100 * found.ci95)


def statements(name: str) -> list[Statement[Reading]]:
    """The cells of a column."""
    more = f"{TCPS[name]}: by how much more than without the scheme MLDA gets where it is alone, %"
    return [
        *cells(TCPS[name], corrected(name), partial(case_of, name, HIGH_BER)),
        printed_cell(more, 100 * INCREASE_4[name], partial(increase, name)),
    ]


def criterion(statement: Statement[Reading], name: str) -> Criterion:
    """The criterion, with the other readings beside it; those that mean the same for this TCP once."""
    cases: dict[str, Reading] = {}
    for label, reading in CASES.items():
        if all(reading.case(name, HIGH_BER) != there.case(name, HIGH_BER) for there in cases.values()):
            cases[label] = reading
    return statement.judged(cases, ran=was_run)


def columns() -> list[layout.Column]:
    """The columns of Table 4; f as it follows from the rates."""
    return [
        layout.Column(
            name=TCPS[name],
            printed=corrected(name),
            cases={
                "" if reading == BY_RATE else label: reading.case(name, HIGH_BER)
                for label, reading in (CASES | BOUNDS).items()
            },
        )
        for name in THREE
    ]


def numbers(data: Data) -> Numbers:
    """The table of the paper, with what is measured, and how losses were told apart."""
    found = layout.table(data, columns())
    rows = [list(row) for row in found.rows]
    printed = (f"{100 * INCREASE_4[name]:.0f}" for name in THREE)
    rows.append(["more MLDA where it is alone (%)", layout.PRINTED, *printed])
    shown = {label: reading for label, reading in (CASES | BOUNDS).items() if _there(data, reading)}
    for label, reading in shown.items():
        gains = (against(name, HIGH_BER, "alone", data, reading).value or 0.0 for name in THREE)
        rows.append(["", label, *(plain(100 * (value - 1), 2) for value in gains)])
    for words, which, of in (
        ("link errors recognised, of so many per run, MLDA alone", "alone", recognised),
        ("link errors recognised, of so many per run, beside TCP", "shared", recognised),
        ("congestion taken for link errors, of so many per run, MLDA alone", "alone", mistaken),
        ("congestion taken for link errors, of so many per run, beside TCP", "shared", mistaken),
    ):
        for number, (label, reading) in enumerate(shown.items()):
            cases = [reading.case(name, HIGH_BER) for name in THREE]
            cells = [told(data, case, getattr(case.branches[SATELLITE], which), of) for case in cases]
            rows.append(["" if number else words, label, *cells])
    return Numbers(columns=found.columns, rows=rows)


def _there(data: Data, reading: Reading) -> bool:
    return reading.case(RENO, HIGH_BER) in data.points and reading.recovery == MAIN.recovery


def figure(data: Data) -> Figure:
    """Rates and f beside what is printed."""
    return layout.figure(data, columns())


def says(data: Data) -> str:
    """What the table shows."""
    label = next(iter(CASES))
    gains = [against(name, HIGH_BER, "alone", data, CASES[label]).value or 0.0 for name in THREE]
    bounds = [against(name, HIGH_BER, "alone", data, BOUNDS[layout.GROUND_TRUTH]).value or 0.0 for name in THREE]
    words = [f"{plain(100 * (value - 1), 2)} %" for value in gains]
    most = [f"{plain(100 * (value - 1), 2)} %" for value in bounds]
    places = [(case, case.branches[SATELLITE]) for case in (CASES[label].case(name, HIGH_BER) for name in THREE)]
    alone_, beside, wrong = (
        listed([_share(of(data, case, getattr(place, which))) for case, place in places])
        for which, of in (("alone", recognised), ("shared", recognised), ("shared", mistaken))
    )
    return (
        f"With the inter-arrival scheme ({label}) MLDA gets {listed(words)} more where it is alone, beside a receiver "
        f"with Reno, Westwood and Hybla-270; one that knew which losses are link errors would get {listed(most)} more. "
        f"The scheme recognises {alone_} of the link errors where MLDA is alone and {beside} beside TCP, where it "
        f"takes {wrong} of the losses by congestion for link errors."
    )


def _share(found: Estimate) -> str:
    return "none" if math.isnan(found.mean) else percent(found.mean)


def points_low(_quick: bool) -> list[Point]:
    """BER 1e-8 with and without the scheme, with both minima."""
    cases = [reading.case(name, LOW_BER) for name in TCPS for reading in (MAIN, BY_RATE, BY_SESSION)]
    return [point(case) for case in cases]


def no_more(name: str, which: str, words: str, identity: str = "") -> Criterion:
    """Who changes by less than 5 %, up or down."""
    made = gain if which == "alone" else partial(changed, which)
    return judged_in(
        f"{TCPS[name]}: {words} with the scheme, divided by that without",
        "negligible effect",
        partial(made, name, LOW_BER),
        {MINIMA["rate"]: BY_RATE, MINIMA["session"]: BY_SESSION},
        low=0.95,
        high=1.05,
        identity=identity,
        ran=lambda _data, _reading: True,
    )


def changed(which: str, name: str, ber: float, data: Data, reading: Reading) -> Measured:
    """`against` of a branch's name."""
    return against(name, ber, which, data, reading)


NOTHING_TO_TELL = (
    "there is about one link error in a run and no losses by congestion, so the scheme has nothing to tell apart"
)


def says_low(data: Data) -> str:
    """What is found."""
    most = max(
        (against(name, LOW_BER, "alone", data, BY_RATE).value or 0.0 for name in TCPS), key=lambda value: abs(value - 1)
    )
    changed = plain(100 * abs(most - 1), 2)
    return f"At a bit error rate of 1e-8 the scheme changes what MLDA gets where it is alone by {changed} % at most."


EXPERIMENTS = [
    Experiment(
        id="ehlert-table4",
        paper="ehlert",
        place="Table 4",
        title="Losses told apart by the inter-arrival scheme, bit error rate 1e-6",
        published="MLDA gets 26 to 32 % more where it is alone; many link errors are still taken for congestion.",
        why="As in Table 3 Westwood and Hybla-270 get more than in the paper. With T_min of the session the scheme "
        "brings MLDA less than a tenth, for the paper's 26 to 32 %: it keeps the spacing of the highest rate ever, "
        "against which hardly a gap is a link error.",
        points=points,
        criteria=[criterion(statement, name) for name in THREE for statement in statements(name)],
        figure=figure,
        says=says,
        numbers=numbers,
    ),
    Experiment(
        id="ehlert-x1",
        paper="ehlert",
        place="inter-arrival scheme with few errors",
        title="The inter-arrival scheme at a bit error rate of 1e-8",
        published="The effect is negligible, as there are few errors.",
        why="Beside Reno MLDA takes some losses by congestion for link errors, and so gets a little more with the "
        "scheme; whether that is less than 5 % few seeds do not tell, as runs differ by more.",
        points=points_low,
        criteria=[
            *(
                no_more(name, which, words)
                for which, words in (("shared", "MLDA beside TCP"), ("tcp", "TCP beside MLDA"))
                for name in TCPS
            ),
            *(no_more(name, "alone", "MLDA where it is alone", NOTHING_TO_TELL) for name in TCPS),
        ],
        says=says_low,
    ),
]
