"""Web traffic on screen: how long transfers took, and how many came to no end."""

from __future__ import annotations

from faircast import metrics
from faircast.cli.common import table
from faircast.rows import Row, Rows
from faircast.statistics import with_interval

PERCENTS = (50, 95, 99)


def show_web(rows: Rows) -> None:
    """A line for each entry of web traffic, and for each of its classes of size in which something arrived.

    A percentile that falls among transfers that the run found unfinished is written with ``≥``.
    """
    lines = []
    for name in rows.layout.subjects_with("transfers"):
        number = 0
        while (transfers := rows.get(name, "transfers" + _suffix(number))) is not None:
            if number == 0 or transfers.over_seeds.high > 0:
                lines.append([name if number == 0 else f"  class {number}", *_cells(rows, name, _suffix(number))])
            number += 1
    if not lines:
        return
    times = [f"{what} {percent} %" for what in ("completion, s,", "slowdown") for percent in PERCENTS]
    columns = ["web traffic", "transfers", "unfinished", *times]
    table(columns, lines, right=columns[1:], whole=[])


def is_bound(transfers: Row, unfinished: Row, percent: int) -> bool:
    """Whether a percentile falls among unfinished transfers, in the seed with the most of them at least."""
    return metrics.is_bound(transfers.over_seeds.low, unfinished.over_seeds.high, percent)


def _suffix(number: int) -> str:
    return f"_class_{number}" if number else ""


def _cells(rows: Rows, name: str, suffix: str) -> list[str]:
    transfers, unfinished = (rows.get(name, key + suffix) for key in ("transfers", "unfinished"))
    if transfers is None or unfinished is None:
        return []
    cells = [_number(transfers), _number(unfinished)]
    for what in ("completion", "slowdown"):
        for percent in PERCENTS:
            found = rows.get(name, f"{what}_p{percent}{suffix}")
            if found is None or not found.over_seeds.n:
                cells.append("-")
            else:
                cells.append("≥ " * is_bound(transfers, unfinished, percent) + _number(found))
    return cells


def _number(row: Row) -> str:
    return with_interval(row.over_seeds.mean, row.over_seeds.ci95)
