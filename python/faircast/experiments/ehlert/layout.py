"""The paper's tables: its rows and columns, with what is measured below what is printed, and drawn beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast.experiment import Data, Numbers, plain
from faircast.experiments.ehlert.measures import alone, fairness, part, shared, tcp, with_part
from faircast.experiments.ehlert.network import LINK_KBPS, SATELLITE, Case
from faircast.experiments.ehlert.published import Printed
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

RATES = {
    "alone": ("MLDA at the receiver with MLDA alone", alone),
    "shared": ("MLDA at the receiver with TCP", shared),
    "tcp": ("TCP at the receiver with TCP", tcp),
}
"""The rows of the paper's tables, by their names in `Printed`."""
FAIRNESS = "f, TCP divided by MLDA"
PRINTED, MEASURED = "published", "measured"


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table of the paper."""

    name: str
    printed: Printed
    """What the paper does not have is NaN."""
    cases: Mapping[str, Case]
    """What is measured, by what it is called; the first is judged."""
    branch: str = SATELLITE


def table(data: Data, columns: Sequence[Column]) -> Numbers:
    """The rows of the paper; below what it prints stands what is measured, in every reading."""
    rows = []
    labels = list(dict.fromkeys(label for column in columns for label in column.cases))
    for name, (words, _) in RATES.items():
        rows.append([f"{words} (kbit/s)", PRINTED, *(_printed(column, name) for column in columns)])
        rows += [
            ["", label or MEASURED, *(_measured(data, column, name, label) for column in columns)] for label in labels
        ]
    rows.append([FAIRNESS, PRINTED, *(f"{column.printed.fairness:.2f}" for column in columns)])
    for label in labels:
        found = (_there(data, column, label) for column in columns)
        cells = [
            "" if case is None else str(fairness(data, case, c.branch)) for case, c in zip(found, columns, strict=True)
        ]
        rows.append(["", label or MEASURED, *cells])
    rows = [row for row in rows if any(row[2:])]
    return Numbers(columns=["in brackets per cent of the link", "", *(column.name for column in columns)], rows=rows)


def figure(data: Data, columns: Sequence[Column], *, height: float = 3.0) -> Figure:
    """Rates and f of every column, as printed and as measured, with what the other readings give in grey."""
    drawn, (rates, ratios) = panels(1, 2, width=PAGE_IN, height=height, width_ratios=(1.25, 1))
    _rates(rates, data, columns)
    _ratios(ratios, data, columns)
    handles = dict(zip(*reversed(rates.get_legend_handles_labels()), strict=True))
    handles |= dict(zip(*reversed(ratios.get_legend_handles_labels()), strict=True))
    drawn.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=4)
    return drawn


def _rates(axes: Axes, data: Data, columns: Sequence[Column]) -> None:
    for place, column in enumerate(columns):
        for number, (name, (words, of)) in enumerate(RATES.items()):
            x = place + 0.26 * (number - 1)
            published = 100 * getattr(column.printed, name) / LINK_KBPS[column.branch]
            _published(axes, x, published, first=place == number == 0)
            for label, case in column.cases.items():
                if case in data.points:
                    _point(axes, x, part(of(data, case, column.branch), column.branch), label, number, words)
    axes.set(ylabel="rate (% of the link)", ylim=(0, 100), xlim=(-0.6, len(columns) - 0.4))
    axes.set_xticks(range(len(columns)), [column.name.replace(" / ", ",\n") for column in columns])
    axes.set_title("rates over 600 s", loc="left")


def _ratios(axes: Axes, data: Data, columns: Sequence[Column]) -> None:
    for place, column in enumerate(columns):
        _published(axes, place, column.printed.fairness)
        for label, case in column.cases.items():
            if case in data.points:
                _point(axes, place, fairness(data, case, column.branch), label, 3, FAIRNESS)
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set(yscale="log", ylabel=FAIRNESS, xlim=(-0.6, len(columns) - 0.4))
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, 0.2), max(high, 5.5))
    plain_ticks(axes)
    axes.set_xticks(range(len(columns)), [column.name.replace(" / ", ",\n") for column in columns])
    axes.set_title("ratio of the means", loc="left")


def plain_ticks(axes: Axes) -> None:
    """Ticks of a logarithmic axis of ratios, as plain numbers."""
    low, high = axes.get_ylim()
    ticks = [tick for tick in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if low <= tick <= high]
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def _published(axes: Axes, x: float, y: float, *, first: bool = False) -> None:
    label = "published" if first else "_"
    axes.plot([x - 0.1, x + 0.1], [y, y], color="black", linewidth=1.4, label=label, zorder=2)


def _point(axes: Axes, x: float, found: Estimate, label: str, number: int, words: str) -> None:
    """What is judged with its interval, in colour; another reading beside it, in grey."""
    if label:
        drawn = ORACLE if label == GROUND_TRUTH else OTHER
        axes.plot([x + 0.07], [found.mean], **drawn, zorder=1.5)
        return
    axes.errorbar(
        [x],
        [found.mean],
        yerr=[found.ci95 or 0.0],
        color=COLOURS[number],
        marker=MARKERS[number],
        linestyle="none",
        capsize=2,
        elinewidth=0.8,
        label=words,
        zorder=3,
    )


GROUND_TRUTH = "ground truth"
"""What a receiver is called that knows which losses are link errors."""
OTHER: dict[str, Any] = {
    "color": "#999999",
    "marker": ".",
    "markersize": 3.5,
    "linestyle": "none",
    "label": "other readings",
}
ORACLE: dict[str, Any] = OTHER | {"color": "black", "marker": "*", "markersize": 4, "label": GROUND_TRUTH}
"""How other readings and that receiver are drawn."""


def _printed(column: Column, name: str) -> str:
    kbps = getattr(column.printed, name)
    return "" if math.isnan(kbps) else f"{kbps} ({plain(100 * kbps / LINK_KBPS[column.branch], 2)})"


def _there(data: Data, column: Column, label: str) -> Case | None:
    case = column.cases.get(label)
    return case if case in data.points else None


def _measured(data: Data, column: Column, name: str, label: str) -> str:
    case = _there(data, column, label)
    return "" if case is None else with_part(RATES[name][1](data, case, column.branch), column.branch)
