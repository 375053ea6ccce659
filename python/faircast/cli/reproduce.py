"""``faircast reproduce``: experiments of the papers, published beside measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli.common import Certificates, Dask, Jobs, Json, Processes, engine_of, say, table, verb
from faircast.cli.endings import note, print_json
from faircast.errors import CRITERION_FAILED, INTERRUPTED, NOT_FINISHED
from faircast.experiment import plain
from faircast.progress import Reporter
from faircast.statistics import with_interval

if TYPE_CHECKING:
    from faircast.report import Report, Reproduction


CLAIMS = {"checks": "expected", "side-by-side": "published", "queues": "published", "operator": "expected"}
"""What stands above claims that are not those of a paper."""


def ids_known() -> list[str]:
    """The ids of all experiments, for completion."""
    from faircast.experiments import REGISTRY

    return list(REGISTRY)


def papers_known() -> list[str]:
    """The keys of all papers, for completion."""
    from faircast.experiments import PAPERS

    return list(PAPERS)


def axes_known() -> list[str]:
    """The axes of all experiments that have some, for completion."""
    from faircast.experiments import APART, select

    experiments = [experiment for paper in APART for experiment in select(paper=paper)]
    return list(dict.fromkeys(f"{axis.name}=" for experiment in experiments for axis in experiment.axes))


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
    everything: Annotated[
        bool, typer.Option("--all", help="All experiments but those of side-by-side and queues.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AXIS=A,B",
            help="Some cells of x-all, x-queues and their like, e.g. path=geo.",
            autocompletion=axes_known,
        ),
    ] = None,
    reps: Annotated[
        int | None, typer.Option(metavar="N", help="Seeds; default: 10, up to 40 while undecided; with --quick 3.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="3 seeds and few points; verdicts are marked quick.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 1 if a criterion does not agree.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: results/<ids>-<hash>.")] = None,
    jobs: Jobs = None,
    processes: Processes = None,
    dask: Dask = None,
    certificates: Certificates = None,
    as_json: Json = False,
) -> None:
    """Reproduce experiments of the papers and judge them.

    Per criterion what was published, what is measured, the range that counts as agreement and the verdict; a figure.

    --only narrows x-all and its like to schemes, paths, loss or tcp, with the numbers of the whole: --only
    scheme=tfmcc,mlda --only path=geo. A scheme may be one from outside, or a TOML file of a session's parameters, and a
    path a scenario file with a network of your own: --only path=mine.toml.

    Example: faircast reproduce x-all --only scheme=tfmcc --only path=geo --quick
    """
    from faircast.narrowing import parse
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
            engine=engine_of(jobs, processes, dask, certificates),
            out=out,
            only=parse(only or []),
            watcher=reporter,
        )
    if as_json:
        print_json(to_json(done))
    else:
        for report in done.reports:
            show(report)
        say(f"\n{done.runs} runs computed, {done.found} reused; results in {done.folder}")
    if done.interrupted:
        note("interrupted; finished runs are kept, the same command continues")
        raise typer.Exit(INTERRUPTED)
    for line in done.failed:
        note(f"{line}; the same command tries it anew")
    if done.failed:
        raise typer.Exit(NOT_FINISHED)
    if strict and not all(report.holds for report in done.reports):
        raise typer.Exit(CRITERION_FAILED)


def to_json(done: Reproduction) -> dict[str, Any]:
    """What a folder holds, for machines."""
    reports = [{**report.to_json(), "figures": [str(path) for path in report.figures]} for report in done.reports]
    return {
        "folder": str(done.folder),
        "interrupted": done.interrupted,
        "failed": list(done.failed),
        "experiments": reports,
    }


def show(report: Report) -> None:
    """One experiment on screen: what the paper says and what came out, then criterion by criterion with the notes."""
    seeds = f"{len(report.seeds)} seed{'s' if len(report.seeds) != 1 else ''}"
    place = f"{report.place}, " if report.place else ""
    claim = CLAIMS.get(report.paper, "the paper says")
    say(f"\n{report.id}: {report.title} [{report.paper}]")
    if report.published:
        say(f"  {place}{claim}: {report.published}")
    say(f"  Measured over {seeds}: {report.says}")
    say(f"  Verdict: {report.verdict}{f'. {report.why}' if report.why else ''}")
    rows = []
    for number, item in enumerate(report.criteria, 1):
        measured = "-" if item.measured is None else with_interval(item.measured, item.ci95)
        rows.append([str(number), item.name, published(item.published), measured, item.rule, item.verdict])
    table(["no.", "criterion", claim, "measured", "rule", "verdict"], rows, right=("measured",))
    for number, item in enumerate(report.criteria, 1):
        if item.note:
            say(f"{number}: {item.note}")
    if report.numbers is not None:
        columns, rows = report.numbers.columns, [list(row) for row in report.numbers.rows]
        texts = (columns[0], *report.numbers.whole)
        table(columns, rows, right=[name for name in columns if name not in texts], whole=texts[1:])
        if report.numbers.note:
            say(f"  {report.numbers.note}")
    for path in report.figures:
        say(f"  {path}")


def published(value: str | float) -> str:
    """What the paper says."""
    return value if isinstance(value, str) else plain(value)
