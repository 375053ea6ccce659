"""What the paper leaves open: one assumption changed at a time, and the return link's crossed.

Rows are assumptions; columns are numbers of Tables 1 and 3 that do not come out, and how many of the 55 cells of all
tables are within a quarter of what is printed. Crossed are: an uplink of each receiver or one for all, its queue, how
TCP acknowledges, and MLDA's loss window. None of it is judged: what fits best of many was looked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.ehlert.measures import CELL, alone, fairness, part, point, shared, tcp
from faircast.experiments.ehlert.network import (
    DELAYED,
    EVERY,
    HIGH_BER,
    HYBLA_25,
    HYBLA_270,
    LOW_BER,
    MAIN,
    RENO,
    SATELLITE,
    TCPS,
    WIDE,
    Case,
    Changes,
)
from faircast.experiments.ehlert.published import (
    INCREASE_4,
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    Printed,
    corrected,
)
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

Change = Callable[[Case], Case]
REPS = 10


def mlda(**values: Any) -> Change:
    """Other parameters of MLDA; those of LDA+ begin with ``lda_``."""
    return partial(_with, "mlda", tuple((name.replace("lda_", "lda.", 1), value) for name, value in values.items()))


def flow(**values: Any) -> Change:
    """Other parameters of TCP."""
    return partial(_with, "flow", tuple(values.items()))


def other(**values: Any) -> Change:
    """Other fields of the case."""
    return lambda case: replace(case, **values)


def _with(field: str, changes: Changes, case: Case) -> Case:
    more: Any = {field: (*getattr(case, field), *changes)}
    return replace(case, **more)


def as_it_is(case: Case) -> Case:
    """What is judged."""
    return case


ASSUMPTIONS: dict[str, Change] = {
    "as judged": as_it_is,
    "report interval 1 s": mlda(report_interval="1 s"),
    "report interval 2 s": mlda(report_interval="2 s"),
    "report interval 10 s": mlda(report_interval="10 s"),
    "loss over 1 interval": other(loss_window=1),
    "loss over 4 intervals": other(loss_window=4),
    "loss over 24 intervals": other(loss_window=24),
    "first increase 2 kbit/s": mlda(lda_first_increase="2 kbit/s"),
    "first increase 40 kbit/s": mlda(lda_first_increase="40 kbit/s"),
    "equation alone after a loss": mlda(lda_loss_rule="equation"),
    "equation for delayed ACKs": mlda(lda_acked_packets=2),
    "no bound of the increase": mlda(lda_drift_cap=False),
    "no fast decrease": mlda(fast_decrease=False),
    "bottleneck known": mlda(bottleneck="300 kbit/s"),
    "TCP equation in place of LDA+": mlda(rate_rule="equation"),
    "no tolerance at joins": mlda(join_tolerance=0),
    "leaves take 2 s": other(leave_s=2.0),
    "queue of 10 packets": other(queue=10),
    "queue of 20 packets": other(queue=20),
    "queue of 100 packets": other(queue=100),
    "queue of 200 packets": other(queue=200),
    "uplink of 64 kbit/s": other(uplink=WIDE),
    "every packet acknowledged": other(uplink=EVERY),
    "TCP: SACK": other(recovery="sack"),
    "TCP: Reno's recovery": other(recovery="reno"),
    "TCP: slow start to 16 packets": flow(initial_ssthresh="16 packets"),
    "TCP: slow start to 32 packets": flow(initial_ssthresh="32 packets"),
    "TCP: window of 32 packets": flow(wnd="32 packets"),
    "TCP: window of 128 packets": flow(wnd="128 packets"),
    "TCP: time-outs from 0.2 s": flow(rto_min="0.2 s"),
    "TCP: without jitter": other(jitter=False),
}
"""The first is what is judged."""
JUDGED = next(iter(ASSUMPTIONS))


def _crossed() -> dict[str, Change]:
    """Every reading of the return link and of the loss window; that of `MAIN` is the first."""
    found = {}
    for one, places, uplink, window in product((False, True), (50, 10), (DELAYED, EVERY), (8, 1)):
        words = f"{'one uplink' if one else 'own uplinks'}, {places} places, "
        words += f"{'delayed ACKs' if uplink == DELAYED else 'ACKs of all'}, loss over {window}"
        found[words] = other(one_uplink=one, uplink_queue=places, uplink=uplink, loss_window=window)
    return found


CROSSED = _crossed()
PHASES = {
    f"{label}, no jitter": partial(lambda change, case: replace(change(case), jitter=False), change)
    for label, change in CROSSED.items()
    if label.startswith("one uplink") and label.endswith("over 8")
}
"""One uplink for all, with the phases of packets left to decide."""
FEWER = (JUDGED, "loss over 1 interval", "equation alone after a loss", "queue of 20 packets")
"""Readings that are run with ``--quick``."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number of the paper's tables."""

    tcp: str
    ber: float
    fair: bool
    """Whether it is f; or MLDA where it is alone."""
    published: float
    """f, or per cent of the link."""

    @property
    def low(self) -> float:
        """From where on it comes out, as the cells of the tables have it."""
        return (1 - CELL) * self.published

    @property
    def high(self) -> float:
        """Up to where."""
        return (1 + CELL) * self.published

    @property
    def name(self) -> str:
        """The quantity in words."""
        what = "f" if self.fair else "MLDA alone (%)"
        return f"{TCPS[self.tcp]}, BER {self.ber:.0e}: {what}".replace("e-0", "e-")

    def of(self, data: Data, change: Change) -> Estimate:
        """What is measured under an assumption."""
        case = change(MAIN.case(self.tcp, self.ber))
        return fairness(data, case) if self.fair else part(alone(data, case))


QUANTITIES = (
    Quantity(tcp=HYBLA_25, ber=LOW_BER, fair=False, published=TABLE_1[HYBLA_25].alone / 3),
    Quantity(tcp=HYBLA_25, ber=LOW_BER, fair=True, published=TABLE_1[HYBLA_25].fairness),
    Quantity(tcp=HYBLA_25, ber=HIGH_BER, fair=False, published=TABLE_3[HYBLA_25].alone / 3),
    Quantity(tcp=HYBLA_270, ber=LOW_BER, fair=True, published=TABLE_1[HYBLA_270].fairness),
)
TABLES: dict[float, dict[str, Printed]] = {LOW_BER: TABLE_1, HIGH_BER: TABLE_3}
ABOUT = {
    **{("", ber, name): MAIN.case(name, ber) for ber, table in TABLES.items() for name in table},
    **{("told", HIGH_BER, name): MAIN.told_apart().case(name, HIGH_BER) for name in TABLE_4},
    ("both", LOW_BER, HYBLA_270): MAIN.case(HYBLA_270, LOW_BER, terrestrial=True),
}
"""The runs of all tables."""
CELLS = 55
"""Three rates and f in each of 13 columns, and in those of Table 4 what the scheme brings."""


def changes(quick: bool) -> dict[str, Change]:
    """What is run: one assumption at a time, then what is crossed."""
    alone_ = {label: change for label, change in ASSUMPTIONS.items() if not quick or label in FEWER}
    return alone_ if quick else alone_ | CROSSED | PHASES


def points(quick: bool) -> list[Point]:
    """Every assumption in every scenario of the tables."""
    cases = (change(case) for change in changes(quick).values() for case in ABOUT.values())
    return [point(case) for case in dict.fromkeys(cases)]


def column(case: Case, data: Data, branch: str = SATELLITE) -> list[float]:
    """What the paper has in a column: MLDA alone, MLDA beside TCP, TCP (kbit/s), and f."""
    return [of(data, case, branch).mean for of in (alone, shared, tcp, fairness)]


def of_column(printed: Printed) -> list[float]:
    """What the paper prints in a column, in the order of `column`."""
    return [printed.alone, printed.shared, printed.tcp, printed.fairness]


def cells(change: Change, data: Data) -> list[tuple[float, float]]:
    """Every cell of the tables: what is measured, as means, and what is printed."""
    found: list[tuple[float, float]] = []
    for (kind, ber, name), judged in ABOUT.items():
        case = change(judged)
        match kind:
            case "both":
                for branch, printed in TABLE_2.items():
                    found += zip(column(case, data, branch), of_column(printed), strict=True)
            case "told":
                found += zip(column(case, data), of_column(corrected(name)), strict=True)
                plainly = change(ABOUT["", ber, name])
                more = alone(data, case).mean / alone(data, plainly).mean - 1
                found.append((more, INCREASE_4[name]))
            case _:
                found += zip(column(case, data), of_column(TABLES[ber][name]), strict=True)
    assert len(found) == CELLS
    return found


def fit(change: Change, data: Data) -> tuple[int, float]:
    """How many cells are within a quarter of what is printed; and how far all are from it, as a part, at most twice."""
    off = [abs(measured / printed - 1) for measured, printed in cells(change, data)]
    return sum(part_ <= CELL for part_ in off), math.fsum(min(part_, 2.0) for part_ in off)


def best(data: Data) -> str:
    """What fits best of what is crossed: the most cells, and of those with as many the nearest."""
    found = {label: fit(change, data) for label, change in CROSSED.items()}
    return min(found, key=lambda label: (-found[label][0], found[label][1]))


def best_crossed(data: Data) -> Measured:
    """How many cells the reading has that fits best, and the judged one beside."""
    if data.quick:
        return Measured(value=None, note="not run")
    label = best(data)
    counts = {other_: fit(change, data)[0] for other_, change in CROSSED.items()}
    note = (
        f"{label}; as judged {counts[next(iter(CROSSED))]}; all from {min(counts.values())} to {max(counts.values())}"
    )
    return Measured(value=float(counts[label]), note=note)


def named(name: str, ber: float, label: str, data: Data) -> Measured:
    """F of a column in a crossed reading, with its rates; without jitter, too."""
    if data.quick:
        return Measured(value=None, note="not run")
    notes = []
    for words, change in (("with jitter", CROSSED[label]), ("without", PHASES[f"{label}, no jitter"])):
        rates = column(change(MAIN.case(name, ber)), data)
        parts = " / ".join(plain(rate / 3) for rate in rates[:3])
        notes.append(f"{words} {parts} % of the link, f {plain(rates[3])}")
    return Measured.of(fairness(data, CROSSED[label](MAIN.case(name, ber))), note="; ".join(notes))


def nearest(quantity: Quantity, data: Data) -> Measured:
    """Which assumption brings a number nearest to the published one, by the logarithm of their quotient."""
    found = {label: quantity.of(data, change) for label, change in changes(data.quick).items()}
    defined = {label: item for label, item in found.items() if item.mean > 0 and math.isfinite(item.mean)}
    best = min(defined, key=lambda label: abs(math.log(defined[label].mean / quantity.published)))
    within = [label for label, item in found.items() if quantity.low <= item.mean <= quantity.high]
    note = f"{best}; as judged {found[JUDGED]}; "
    note += f"the criterion would hold with {len(within)} of {len(found)}"
    note += f": {', '.join(within)}" if within else ""
    return Measured.of(defined[best], note=note)


CRITERIA = [
    Criterion(
        name=f"{quantity.name}, with the assumption that brings it nearest to what is published",
        published=float(f"{quantity.published:.3g}"),
        evaluate=partial(nearest, quantity),
    )
    for quantity in QUANTITIES
]
CRITERIA += [
    Criterion(
        name=f"cells of {CELLS} of all tables within a quarter, with the reading that fits best of {len(CROSSED)}",
        published=float(CELLS),
        evaluate=best_crossed,
    ),
    *(
        Criterion(
            name=f"{label}: f of {TCPS[name]}, BER {ber:.0e}".replace("e-0", "e-"),
            published=TABLES[ber][name].fairness,
            evaluate=partial(named, name, ber, label),
        )
        for name, ber, label in (
            (RENO, HIGH_BER, "one uplink, 50 places, delayed ACKs, loss over 8"),
            (HYBLA_25, LOW_BER, "one uplink, 10 places, ACKs of all, loss over 8"),
        )
    ),
]


def numbers(data: Data) -> Numbers:
    """Every number under every assumption."""
    rows = [["published", *(plain(quantity.published) for quantity in QUANTITIES), str(CELLS)]]
    rows += [
        [label, *(str(quantity.of(data, change)) for quantity in QUANTITIES), str(fit(change, data)[0])]
        for label, change in changes(data.quick).items()
    ]
    columns = ["assumption", *(quantity.name for quantity in QUANTITIES), f"cells of {CELLS} within a quarter"]
    return Numbers(columns=columns, rows=rows)


def figure(data: Data) -> Figure:
    """A panel for each number, a row for each assumption; what is published is a line, what would agree is grey."""
    shown = changes(data.quick)
    drawn, grid = panels(1, len(QUANTITIES), width=PAGE_IN, height=0.9 + 0.155 * len(shown), sharey=True)
    rows = list(range(len(shown)))
    for column, (axes, quantity) in enumerate(zip(grid, QUANTITIES, strict=True)):
        found = [quantity.of(data, change) for change in shown.values()]
        axes.errorbar(
            [item.mean for item in found],
            rows,
            xerr=[item.ci95 or 0.0 for item in found],
            color=COLOURS[column],
            marker=MARKERS[column],
            markersize=3,
            linestyle="none",
            elinewidth=0.8,
            zorder=3,
        )
        axes.axvline(found[0].mean, color=COLOURS[column], linewidth=0.6, zorder=1)
        axes.axvline(quantity.published, color="black", linewidth=1.4, zorder=2)
        most = max(*(item.mean + (item.ci95 or 0) for item in found if math.isfinite(item.mean)), quantity.published)
        axes.set_xlim(-0.04 * most, 1.1 * most)
        axes.axvspan(quantity.low, min(quantity.high, 1.1 * most), color="#e6e6e6", zorder=0, linewidth=0)
        title, _, what = quantity.name.partition(": ")
        axes.set_title(title.replace(", ", ",\n"), loc="left")
        axes.set_xlabel("f, TCP / MLDA" if quantity.fair else what.replace("(%)", "(% of link)"))
    grid[0].set_yticks(rows, list(shown))
    grid[0].set_ylim(len(shown) - 0.5, -0.5)
    drawn.suptitle(
        f"{len(data.seeds)} seeds; black line: published; grey: within a quarter; thin line: as judged",
        fontsize=7,
    )
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    parts = []
    for quantity in QUANTITIES:
        found = {label: quantity.of(data, change).mean for label, change in changes(data.quick).items()}
        finite = [value for value in found.values() if math.isfinite(value)]
        within = sum(quantity.low <= value <= quantity.high for value in found.values())
        parts.append(
            f"{quantity.name} goes from {plain(min(finite), 2)} to {plain(max(finite), 2)} (published "
            f"{plain(quantity.published, 2)}, within a quarter by {within} of {len(found)})"
        )
    said = f"Over the assumptions {'; '.join(parts)}."
    if data.quick:
        return said
    most = best_crossed(data)
    return (
        f"{said} Of the {len(CROSSED)} readings of return link and loss window that are crossed *{best(data)}* has the "
        f"most cells of all tables within a quarter, {plain(most.value or 0)} of {CELLS}; what is judged has "
        f"{fit(ASSUMPTIONS[JUDGED], data)[0]}."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-x4",
        paper="ehlert",
        place="what is left open",
        title="What would have to be true for the numbers that do not come out",
        published="Timers, queues and constants are not stated.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
