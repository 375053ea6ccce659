"""What viewers saw, on screen: when the picture came, how long it stood still, how good it was."""

from __future__ import annotations

from faircast.cli.common import table
from faircast.cli.web import is_bound
from faircast.rows import Row, Rows
from faircast.statistics import with_interval

COLUMNS = {
    "start-up, s, 50 %, whole run": "startup_delay_p50_all",
    "start-up, s, 95 %, whole run": "startup_delay_p95_all",
    "with stalls": "stalled_viewers",
    "stalls, mean": "stalls_mean",
    "stalled, s, mean": "stalled_mean",
    "stalled, s, 95 %": "stalled_p95",
    "quality, mean": "quality_mean",
    "quality, 5 %": "quality_p5",
    "changes of it, mean": "quality_changes_mean",
    "media rate, bit/s, mean": "media_rate_mean",
}
"""What is shown of a session's viewers, by its metric."""


def show_playout(rows: Rows) -> None:
    """A line for each session that is played.

    A percentile of the start-up delay that falls among viewers who saw nothing is written with ``≥``.
    """
    lines = []
    for name in rows.layout.subjects_with("not_started"):
        viewers, dark = (rows.get(name, f"{metric}_all") for metric in ("viewers", "not_started"))
        if viewers is None or dark is None:
            continue
        cells = [name, _number(viewers), _number(dark)]
        for metric in COLUMNS.values():
            found = rows.get(name, metric)
            if found is None or not found.over_seeds.n:
                cells.append("-")
                continue
            least = "startup" in metric and is_bound(viewers, dark, 50 if "p50" in metric else 95)
            cells.append("≥ " * least + _number(found))
        lines.append(cells)
    if lines:
        columns = ["played", "viewers, whole run", "without a picture, whole run", *COLUMNS]
        table(columns, lines, right=columns[1:], whole=[])


def _number(row: Row) -> str:
    return with_interval(row.over_seeds.mean, row.over_seeds.ci95)
