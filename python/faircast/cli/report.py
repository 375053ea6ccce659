"""``faircast report``: one page of a result that opens everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircast.cli.common import Json, verb
from faircast.cli.endings import note, print_json

if TYPE_CHECKING:
    from faircast.reporting.report import Written


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Default: DIR/report.html.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Make one page of a result, with pictures that move.

    It is one HTML file with everything inside: it opens in a browser from the disk and loads nothing from anywhere. A
    run has one slider for all its pictures, a sweep its points, a reproduction its verdicts. Long series are thinned so
    that extremes stay. The path of the file is printed.

    Example: faircast report results/geo-loss-short-*
    """
    from faircast.plot.stored import kind_of

    kind = kind_of(folder)
    written = write(folder, kind, out)
    if as_json:
        shown = {"kind": kind, "report": str(written.path), "bytes": written.bytes, "notes": written.notes}
        print_json(shown)
        return
    for text in written.notes:
        note(text)
    print(written.path)


def write(folder: Path, kind: str, out: Path | None) -> Written:
    """Write the page of what a folder holds; of a run with explanations, as far as its tables tell."""
    from faircast.causes.held import KINDS, explained
    from faircast.folder import seed_folders
    from faircast.hosts.result import HostResult
    from faircast.reading import Runs
    from faircast.report import read_reports
    from faircast.reporting.of_run import Subject
    from faircast.reporting.reasons import Explainer
    from faircast.reporting.report import write_reproduction, write_run, write_sweep
    from faircast.results import RunResult
    from faircast.sweeps import SweepResult

    if kind == "sweep":
        return write_sweep(SweepResult.read(folder), out)
    if kind == "reproduction":
        return write_reproduction(read_reports(folder), out)
    if kind == "seed":
        subject = Subject.of_seed(RunResult.read(folder))
    elif kind == "session":
        subject = Subject.of_seed(HostResult.read(folder))
        subject.folder = folder
    else:
        subject = Runs.read(folder, interrupted=not seed_folders(folder)).subject()
    subject.explainer = Explainer(KINDS, explained)
    return write_run(subject, out)
