"""The comparisons as tables in which every number opens its network in the laboratory."""

from __future__ import annotations

import math
import re
from html import escape
from itertools import groupby

from networks_behind import networks
from pages import all_numbers, cells

from faircast.experiments.side_by_side.cells import BESIDE, TCP_NAMES, Situation
from faircast.experiments.side_by_side.comparison import ALL, IN_QUEUES, Comparison
from faircast.experiments.side_by_side.schemes import label

COMPARISONS: dict[str, Comparison] = {"x-all": ALL, "x-queues": IN_QUEUES}
"""Views of which there is such a table: what a receiver has divided by what a TCP beside it has."""
STEPS = (2, 8)
"""Factors by which a number lies to one side of 1, from which on its colour is a step stronger."""


def living_table(name: str) -> str:
    """The table of a view, as HTML. Numbers are those of the appendix, colours say which side of 1 they lie on."""
    comparison = COMPARISONS[name]
    numbers = numbers_of(name, comparison.paper)
    there = {
        (one.cell.scheme, one.cell.situation): one.address
        for one in networks(name)
        if one.cell is not None and one.cell.run == BESIDE
    }
    situations = list(dict.fromkeys(situation for _, situation in there))
    situations.sort(key=lambda one: [other.family for other in comparison.situations].index(one.family))
    rows = []
    for scheme in dict.fromkeys(scheme for scheme, _ in there):
        found = [f'<th scope="row">{escape(label(scheme))}</th>']
        for situation in situations:
            written = comparison.written((scheme, situation))
            number = numbers[written["scheme"], " ".join(list(written.values())[1:])]
            found.append(cell(number, f"{label(scheme)}, {situation}", there[scheme, situation]))
        rows.append(f"<tr>{''.join(found)}</tr>")
    return (
        '<div class="living" tabindex="0" role="region" aria-label="Every number opens its network in the laboratory">'
        f'<table class="cells"><thead>{head(situations)}</thead><tbody>{"".join(rows)}</tbody></table></div>\n'
        '<p class="living-key">Below 1 TCP gets more (blue), above 1 the session (orange); striped cells are '
        "undecided: the 95 % interval, as it is printed, reaches 1. A click opens the network in the laboratory.</p>"
    )


def head(situations: list[Situation]) -> str:
    """Three lines: the path, the queue or the loss, the TCP."""

    def line(name: str, keys: list[tuple[str, ...]]) -> str:
        spans = [(key, len(list(same))) for key, same in groupby(keys)]
        return f'<tr><th scope="row">{name}</th>' + "".join(
            f'<th scope="col" colspan="{count}">{escape(key[-1])}</th>' for key, count in spans
        )

    second = "queue" if situations[0].queue else "loss"
    paths: list[tuple[str, ...]] = [(re.sub(r", .*", "", one.on.title),) for one in situations]
    return "</tr>".join(
        [
            line("path", paths),
            line(second, [(*path, one.column) for path, one in zip(paths, situations, strict=True)]),
            line("TCP", [(str(one), TCP_NAMES[one.tcp]) for one in situations]),
            "",
        ]
    )


def numbers_of(name: str, paper: str) -> dict[tuple[str, str], str]:
    """The numbers of the appendix, with their intervals, by scheme and column."""
    rows = [cells(line) for line in all_numbers(name, paper).split("\n") if line.startswith("| ")]
    return {(row[0], row[1]): row[2] for row in rows[1:]}


def cell(number: str, about: str, address: str) -> str:
    """One cell; what it is of, and its interval, are read by those who do not see the table as a whole."""
    text, _, _ = number.partition(" ")
    return (
        f'<td class="{shade(number)}"><a href="{address}" title="{escape(f"{about}: {number}")}" '
        f'aria-label="{escape(f"{about}: {number}")}">{text}</a></td>'
    )


def shade(number: str) -> str:
    """The class of a cell: ``below-2``, ``above-3``, ``undecided``, or none of a cell without a number."""
    found = re.match(r"([\d.]+)(?: \(([\d.]+) to ([\d.]+)\)| ± ([\d.]+))?", number)
    if found is None:
        return "none"
    value = float(found[1])
    low, high = (float(found[2]), float(found[3])) if found[2] else (value, value)
    if found[4]:
        low, high = value - float(found[4]), value + float(found[4])
    if low <= 1 <= high:
        return "undecided"
    away = math.inf if value == 0 else max(value, 1 / value)
    return f"{'below' if value < 1 else 'above'}-{1 + sum(away >= step for step in STEPS)}"
