"""What a reproduction says of itself: the verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.display.grid import ROWS_SHOWN, Grid, described, html

if TYPE_CHECKING:
    from faircast.report import Reproduction


def of_reproduction(found: Reproduction) -> str:
    """The ``repr`` of a reproduction."""
    verdicts = [f"{report.id}: {report.verdict}" for report in found.reports]
    count = f"{len(verdicts)} experiment{'s' * (len(verdicts) != 1)} in {found.folder}"
    more = [f"and {len(verdicts) - ROWS_SHOWN} more"] if len(verdicts) > ROWS_SHOWN else []
    state = "interrupted" if found.interrupted else ""
    return described("Reproduction", count, *verdicts[:ROWS_SHOWN], *more, state)


def html_of_reproduction(found: Reproduction) -> str:
    """The verdicts, each with what its figure shows."""
    rows = [[report.id, report.verdict, report.says] for report in found.reports]
    grid = Grid(["experiment", "verdict", "what it shows"], rows, words=True)
    return html(f"reproduction in {found.folder}", grid, notes=["interrupted"] * found.interrupted)
