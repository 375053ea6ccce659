"""``faircast reproduce``: experiments of the papers, published beside measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircast.cli.common import Jobs, Json, table, verb
from faircast.cli.endings import print_json
from faircast.errors import CRITERION_FAILED, INTERRUPTED
from faircast.progress import Reporter
from faircast.statistics import with_interval

if TYPE_CHECKING:
    from faircast.report import Report


def ids_known() -> list[str]:
    """The ids of all experiments, for completion."""
    from faircast.experiments import REGISTRY

    return list(REGISTRY)


def papers_known() -> list[str]:
    """The keys of all papers, for completion."""
    from faircast.experiments import PAPERS

    return list(PAPERS)


@verb
def command(
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="See: faircast list experiments.", autocompletion=ids_known),
    ] = None,
    paper: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="All experiments of a paper, e.g. durresi.", autocompletion=papers_known),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All experiments.")] = False,
    reps: Annotated[int | None, typer.Option(metavar="N", help="Seeds; default: 10, with --quick 3.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="3 seeds and few points; verdicts are marked quick.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if a criterion does not agree.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: results/<ids>-<hash>.")] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Reproduce experiments of the papers and judge them.

    Per criterion what was published, what is measured, the range that counts as agreement and the verdict; a figure.

    Example: faircast reproduce mecn-fig8a --quick
    """
    from faircast.reproduction import reproduce
    from faircast.scenario import seeds

    if reps is not None:
        seeds(1, reps)
    with Reporter("reproducing", quiet=as_json) as reporter:
        done = reproduce(
            *(ids or []),
            paper=paper,
            everything=everything,
            reps=reps,
            quick=quick,
            jobs=jobs,
            out=out,
            watcher=reporter,
        )
    if as_json:
        reports = [{**report.to_json(), "figures": [str(path) for path in report.figures]} for report in done.reports]
        print_json({"folder": str(done.folder), "interrupted": done.interrupted, "experiments": reports})
    else:
        for report in done.reports:
            show(report)
        print(f"\n{done.runs} runs computed, {done.found} found; results in {done.folder}")
    if done.interrupted:
        print("faircast: interrupted; finished runs are kept, the same command continues", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    if strict and not all(report.holds for report in done.reports):
        raise typer.Exit(CRITERION_FAILED)


def show(report: Report) -> None:
    """One experiment on screen."""
    rows = []
    for item in report.criteria:
        measured = "-" if item.measured is None else with_interval(item.measured, item.ci95)
        rows.append(
            [item.name, published(item.published), measured, accepted(item.low, item.high), item.verdict, item.note]
        )
    seeds = f"{len(report.seeds)} seed{'s' if len(report.seeds) != 1 else ''}"
    print(f"\n{report.id}: {report.title} [{report.paper}], {seeds}: {report.verdict}")
    table(["criterion", "published", "measured", "accepted", "verdict", "reason"], rows, right=("measured",))
    if report.numbers is not None:
        columns, rows = report.numbers.columns, [list(row) for row in report.numbers.rows]
        table(columns, rows, right=columns[1:])
    print(report.says)
    for path in report.figures:
        print(f"  {path}")


def published(value: str | float) -> str:
    """What the paper says."""
    return value if isinstance(value, str) else f"{value:g}"


def accepted(low: float | None, high: float | None) -> str:
    """The accepted range."""
    if low is None and high is None:
        return ""
    if low is None:
        return f"≤ {high:g}"
    return f"≥ {low:g}" if high is None else f"{low:g} to {high:g}"
