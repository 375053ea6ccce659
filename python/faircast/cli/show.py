"""``faircast show``: what `run`, `sweep` or `reproduce` printed, once more."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, say, verb
from faircast.cli.endings import print_json
from faircast.cli.sweep import Metrics


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.", show_default=False)],
    metrics: Metrics = None,
    as_json: Json = False,
) -> None:
    """Print again what run, sweep or reproduce printed.

    All of it is read from the folder, nothing is run. Of a sweep --metric chooses what to show.

    Example: faircast show results/geo-loss-short-*
    """
    from faircast.errors import InputError
    from faircast.plot.stored import kind_of

    kind = kind_of(folder)
    if metrics and kind != "sweep":
        raise InputError(f"--metric means nothing here: {folder} holds a {kind}, not a sweep")
    if kind == "sweep":
        show_sweep(folder, metrics or [], as_json=as_json)
    elif kind == "reproduction":
        show_reproduction(folder, as_json=as_json)
    elif kind == "session":
        show_session(folder, as_json=as_json)
    else:
        show_run(folder, kind, as_json=as_json)


def show_run(folder: Path, kind: str, *, as_json: bool) -> None:
    """The summary over the finished seeds of a run, or that of one seed."""
    from faircast.cli import run
    from faircast.folder import seed_folders
    from faircast.manifest import INTERRUPTED, read_manifest, sets_of
    from faircast.reading import Runs
    from faircast.results import RunResult
    from faircast.summary import over_seeds

    if kind == "seed":
        result = RunResult.read(folder)
        rows = over_seeds({result.seed: result.metrics()})
        held, interrupted = run.Held(result.scenario, folder, (), {result.seed: folder}, rows), False
    else:
        manifest, runs = read_manifest(folder), Runs.read(folder)
        held = run.Held(runs.scenario, folder, sets_of(manifest), seed_folders(folder), runs.rows)
        interrupted = manifest.get("status") == INTERRUPTED
    if as_json:
        print_json(run.to_json(held, computed=[], failed={}, interrupted=interrupted))
    else:
        run.show(held)


def show_session(folder: Path, *, as_json: bool) -> None:
    """What is known of a session on hosts."""
    from faircast.hosts import words
    from faircast.hosts.result import HostResult
    from faircast.hosts.session import HostSession
    from faircast.report import without_nan

    session = HostSession.read(folder)
    result = HostResult(session)
    notes = words.notes(session)
    if as_json:
        rows = [dict(zip(("subject", "metric", "unit", "value"), row, strict=True)) for row in result.metrics()]
        print_json(
            {"folder": str(folder), "session": result.scenario.data, "summary": without_nan(rows), "notes": notes}
        )
        return
    for text in (*words.ran(session), *words.came(session, result), *notes):
        say(text)


def show_sweep(folder: Path, metrics: list[str], *, as_json: bool) -> None:
    """The points of a sweep."""
    from faircast.cli import sweep
    from faircast.metrics import check_metric, parse_metric
    from faircast.sweeps import SweepResult

    result = SweepResult.read(folder)
    wanted = [parse_metric(text) for text in metrics]
    for subject, metric in wanted:
        check_metric(subject, metric, result.metrics)
    if as_json:
        print_json(sweep.to_json(result))
    else:
        sweep.show(result, wanted)


def show_reproduction(folder: Path, *, as_json: bool) -> None:
    """The experiments of a reproduction that are concluded."""
    from faircast.cli import reproduce
    from faircast.report import read_reports

    done = read_reports(folder)
    if as_json:
        print_json(reproduce.to_json(done))
        return
    for report in done.reports:
        reproduce.show(report)
    say(f"\nresults in {done.folder}")
