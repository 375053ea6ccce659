"""What sweeps and comparisons say of themselves in notebooks: small tables, as results do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from faircast.display.grid import ROWS_SHOWN, Grid, described, html, ranges, rate_unit, some
from faircast.metrics import SHOWN, headline_metrics
from faircast.statistics import scaled as in_unit
from faircast.statistics import with_interval
from faircast.vary import as_text, short_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from faircast.comparison import Comparison
    from faircast.statistics import Estimate
    from faircast.sweeps import SweepResult


def head_of(result: SweepResult) -> str:
    """``sweep of geo: 4 points, seeds 1 to 10``."""
    points = f"{len(result.points)} point{'s' * (len(result.points) != 1)}"
    done = result.done
    return f"{result.name}, {points}, {len(done)} seed{'s' * (len(done) != 1)}{': ' if done else ''}{ranges(done)}"


def of_sweep(result: SweepResult) -> str:
    """The ``repr`` of a sweep."""
    return described(
        "SweepResult",
        head_of(result),
        f"varied: {some(result.varied)}",
        f"{result.missing} runs are missing" if result.missing else "",
        f"in {result.folder}",
    )


def html_of_sweep(result: SweepResult) -> str:
    """The points with the rates of sessions and flows."""
    names = short_names(result.varied)
    shown = headline_metrics([point.scenario for point in result.points], result.metrics)[:SHOWN]
    found = {key: [result.estimate(point, *key) for point in result.points] for key in shown}
    factor, unit = unit_of(item for items in found.values() for item in items)
    columns = [", ".join(names.values()), *(f"{subject} {metric}, {unit}" for subject, metric in shown)]
    rows = [
        [", ".join(as_text(point.values[path]) for path in names), *(text(found[key][place], factor) for key in shown)]
        for place, point in enumerate(result.points)
    ]
    more = [f"and {len(rows) - ROWS_SHOWN} more points"] if len(rows) > ROWS_SHOWN else []
    return html(head_of(result), Grid(columns, rows[:ROWS_SHOWN]), notes=[*more, f"in {result.folder}"])


def html_of_comparison(found: Comparison) -> str:
    """The usual metrics with their differences."""
    rows = [row for key in found.usual for row in found.rows if (row.subject, row.metric) == key]
    factor, unit = unit_of(item for row in rows if row.unit == "bit/s" for item in (row.of_first, row.of_second))
    lines = []
    for row in rows[:ROWS_SHOWN]:
        by = factor if row.unit == "bit/s" else 1.0
        shown = unit if row.unit == "bit/s" else row.unit
        where = f" at {', '.join(map(as_text, row.where.values()))}" if row.where else ""
        means = [f"{item.mean * by:.4g}" for item in (row.of_first, row.of_second)]
        apart = {None: "one seed", True: "yes", False: "no"}[row.told_apart]
        name = f"{row.subject} {row.metric}, {shown}, {row.second} minus {row.first}{where}"
        lines.append([name, *means, text(row.difference, by), apart])
    columns = ["metric", "first", "second", "difference", "told apart"]
    return html(f"{' and '.join(found.names)}", Grid(columns, lines), notes=found.notes)


def unit_of(items: Iterable[Estimate]) -> tuple[float, str]:
    """A factor and a unit for these rates."""
    return rate_unit(max((item.high for item in items if item.n and math.isfinite(item.high)), default=0.0))


def text(item: Estimate, factor: float) -> str:
    """Mean and half width."""
    if item.n == 0:
        return "-"
    shown = in_unit(item, factor)
    return with_interval(shown.mean, shown.ci95)
