"""What the paper leaves open: one assumption changed at a time, and what becomes of the numbers that do not come out.

Rows are assumptions, columns are numbers of Tables 1 and 3; a criterion says whether any row gives what is printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.ehlert.measures import alone, fairness, part, point
from faircast.experiments.ehlert.network import (
    EVERY,
    HIGH_BER,
    HYBLA_25,
    HYBLA_270,
    LOW_BER,
    MAIN,
    TCPS,
    WIDE,
    Case,
    Changes,
)
from faircast.experiments.ehlert.published import TABLE_1, TABLE_3
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

Change = Callable[[Case], Case]
REPS = 5


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
    "TCP: packets at random moments": flow(send_jitter="13.6533 ms"),
}
"""The first is what is judged."""
FEWER = ("as judged", "loss over 1 interval", "equation alone after a loss", "queue of 20 packets")
"""With ``--quick``."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number of the paper's tables."""

    tcp: str
    ber: float
    fair: bool
    """Whether it is f; or MLDA where it is alone."""
    published: float
    """f, or per cent of the link."""
    low: float
    high: float
    """Between which it comes out, as the criteria of the tables have it."""

    @property
    def name(self) -> str:
        """In words."""
        what = "f" if self.fair else "MLDA alone (%)"
        return f"{TCPS[self.tcp]}, BER {self.ber:.0e}: {what}".replace("e-0", "e-")

    def of(self, data: Data, change: Change) -> Estimate:
        """What is measured under an assumption."""
        case = change(MAIN.case(self.tcp, self.ber))
        return fairness(data, case) if self.fair else part(alone(data, case))


QUANTITIES = (
    Quantity(tcp=HYBLA_25, ber=LOW_BER, fair=False, published=TABLE_1[HYBLA_25].alone / 3, low=0, high=60),
    Quantity(tcp=HYBLA_25, ber=LOW_BER, fair=True, published=TABLE_1[HYBLA_25].fairness, low=2, high=math.inf),
    Quantity(tcp=HYBLA_25, ber=HIGH_BER, fair=False, published=TABLE_3[HYBLA_25].alone / 3, low=0, high=24),
    Quantity(tcp=HYBLA_270, ber=LOW_BER, fair=True, published=TABLE_1[HYBLA_270].fairness, low=0.75, high=1.35),
)


def changes(quick: bool) -> dict[str, Change]:
    """What is run."""
    return {label: change for label, change in ASSUMPTIONS.items() if not quick or label in FEWER}


def points(quick: bool) -> list[Point]:
    """Every assumption in every scenario of a number."""
    about = dict.fromkeys((quantity.tcp, quantity.ber) for quantity in QUANTITIES)
    cases = (change(MAIN.case(*which)) for change in changes(quick).values() for which in about)
    return [point(case) for case in dict.fromkeys(cases)]


def nearest(quantity: Quantity, data: Data) -> Measured:
    """Which assumption brings a number nearest to the published one, by the logarithm of their quotient."""
    found = {label: quantity.of(data, change) for label, change in changes(data.quick).items()}
    defined = {label: item for label, item in found.items() if item.mean > 0 and math.isfinite(item.mean)}
    best = min(defined, key=lambda label: abs(math.log(defined[label].mean / quantity.published)))
    within = [label for label, item in found.items() if quantity.low <= item.mean <= quantity.high]
    note = f"{best}; as judged {found['as judged']}; "
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


def numbers(data: Data) -> Numbers:
    """Every number under every assumption."""
    rows = [["published", *(plain(quantity.published) for quantity in QUANTITIES)]]
    rows += [
        [label, *(str(quantity.of(data, change)) for quantity in QUANTITIES)]
        for label, change in changes(data.quick).items()
    ]
    return Numbers(columns=["assumption", *(quantity.name for quantity in QUANTITIES)], rows=rows)


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
        f"{len(data.seeds)} seeds; black line: published; grey: where the criterion holds; thin line: as judged",
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
            f"{plain(quantity.published, 2)}, criterion met by {within} of {len(found)})"
        )
    return f"Over the assumptions {'; '.join(parts)}."


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
