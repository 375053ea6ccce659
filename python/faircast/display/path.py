"""What a way over time says of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.display.grid import Grid, described, html, some

if TYPE_CHECKING:
    from faircast.ways import PathSeries


def of_path(series: PathSeries) -> str:
    """The ``repr`` of a way over time."""
    delays = "; ".join(f"{name}: {value}" for name, value in _path(series))
    return described("PathSeries", f"{series.from_} to {series.to}, {series.end_s:g} s", delays)


def html_of_path(series: PathSeries) -> str:
    """A way over time in a few numbers."""
    rows = [[name, value] for name, value in _path(series)]
    return html(f"way from {series.from_} to {series.to}, {series.end_s:g} s", Grid(["", ""], rows, words=True))


def _path(series: PathSeries) -> list[tuple[str, str]]:
    found = series.summary
    delays = [f"{value * 1e3:.4g}" for value in (found.min_s, found.mean_s, found.max_s)]
    return [
        ("shortest, mean and longest delay", f"{', '.join(delays)} ms" if len(series.t_s) else "none"),
        ("changes of the way", str(found.changes)),
        ("lost", f"{found.lost} times, {found.without_s:.4g} s without a way"),
        ("hand-offs", some([f"{name} {number}" for name, number in found.handoffs.items()]) or "none"),
    ]
