"""``faircast sweep``: a scenario at many points, each with the same seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli import until
from faircast.cli.common import (
    Certificates,
    Dask,
    Jobs,
    Json,
    Label,
    Processes,
    Sets,
    engine_of,
    one_place,
    say,
    table,
    verb,
)
from faircast.cli.endings import note, print_json, warn
from faircast.cli.until import many
from faircast.errors import INTERRUPTED, NOT_FINISHED, brief
from faircast.progress import Reporter

if TYPE_CHECKING:
    from faircast.metrics import Metric
    from faircast.sweeps import SweepResult

LINES_SHOWN = 200
"""Points in the table."""

Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", metavar="SUBJECT/METRIC", help="What to show, for instance video/rate; again and again."),
]


@verb
def command(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A scenario in TOML or JSON, or the folder of a sweep to go on with."),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="PATH=A,B,C", help="Values of a path; again and again for the product."),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option("--list", metavar="FILE.csv", help="Points as rows; the first line names the paths."),
    ] = None,
    design: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Draw points from ranges PATH=1..9:log: latin, sobol, sobol-indices."),
    ] = None,
    samples: Annotated[int | None, typer.Option(metavar="N", help="Of a design; default: 64, of indices 256.")] = None,
    reps: Annotated[int | None, typer.Option(metavar="N", help="Seeds of every point; default: 1.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed; default: the scenario's, 1.")] = None,
    sets: Sets = None,
    tables: Annotated[
        str,
        typer.Option(metavar="NAME,..", help="Tables of each run to write: flows,queues.", show_default=False),
    ] = "",
    metrics: Metrics = None,
    shard: Annotated[
        str | None,
        typer.Option(metavar="K/N", help="Compute a part of the points, from 1/N to N/N; faircast merge joins them."),
    ] = None,
    until_ci: Annotated[list[str] | None, until.UntilCi] = None,
    until_apart: Annotated[str | None, until.UntilApartOption] = None,
    max_reps: Annotated[int | None, until.MaxReps] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: results/<name>-sweep-<hash>.")] = None,
    label: Label = "",
    jobs: Jobs = None,
    processes: Processes = None,
    dask: Dask = None,
    certificates: Certificates = None,
    as_json: Json = False,
) -> None:
    r"""Run a scenario with many values of its keys, side by side.

    All points have the same seeds. Points are the product of all --vary; values are split at commas outside quotes and
    brackets and read as those of --set. The path `scenario` varies the file itself. Runs that are finished are kept:
    the same command continues, and more values or more --reps go to the same folder. With --until-ci or --until-apart
    each point gets as many seeds as that takes, from --reps (10) to --max-reps.

    Example: faircast sweep examples/scenarios/geo-loss.toml \
                 --vary links.bottleneck.delay='50 ms','250 ms' \
                 --reps 2 --label delays
    """
    from faircast.errors import InputError
    from faircast.metrics import check_metric, parse_metric
    from faircast.sweeps import sweep
    from faircast.vary import parse_axis, read_rows

    one_place(out, label)
    axes: dict[str, list[Any]] = {}
    for text in vary or []:
        path, values = parse_axis(text)
        if path in axes:
            raise InputError(f"--vary {path} is given twice; give all its values in one list")
        axes[path] = values
    rows = None if listed is None else read_rows(listed)
    wanted = [parse_metric(text) for text in metrics or []]
    goal = until.asked(until_ci or [], until_apart, metrics or [])
    names = [name.strip() for name in tables.split(",")] if tables.strip() else []
    with Reporter("sweeping", quiet=as_json) as reporter:
        result = sweep(
            file,
            vary=axes,
            rows=rows,
            design=design,
            samples=samples,
            reps=reps,
            seed=seed,
            sets=sets or [],
            engine=engine_of(jobs, processes, dask, certificates),
            out=out,
            label=label,
            tables=names,
            shard=shard,
            until=goal,
            max_reps=max_reps,
            metrics=metrics or [],
            watcher=reporter,
            told=None if as_json else until.tell_look,
        )
    for subject, metric in wanted if result.metrics else []:
        check_metric(subject, metric, result.metrics)
    if as_json:
        print_json(to_json(result))
    else:
        show(result, wanted)
        say(f"{result.computed} runs computed, {result.found} reused")
    if result.interrupted:
        note("interrupted; what was finished is kept, the same command continues")
        raise typer.Exit(INTERRUPTED)
    if result.failed:
        raise typer.Exit(NOT_FINISHED)


def show(result: SweepResult, metrics: Sequence[Metric] = ()) -> None:
    """The points on screen by the metrics, unless said the rates of sessions and flows; then the warnings.

    Raises `InputError` if a metric is asked for that no point has.
    """
    from faircast.cli.view import headline, number, scaled
    from faircast.metrics import SHOWN, headline_metrics, is_least
    from faircast.statistics import estimate
    from faircast.vary import as_text, short_names

    chosen = list(metrics or ([] if result.until is None else result.until.metrics))
    chosen = chosen or headline_metrics([point.scenario for point in result.points], result.metrics)[:SHOWN]
    units = {key: result.unit(*key) for key in chosen}
    names = short_names(result.varied)
    shared = {names[path]: path for path in result.varied if names[path] != path}
    several = any(len(result.runs(point)) > 1 for point in result.points)
    which = "interval at the stop" if until.stop_of(result, 0) else "95 % interval"
    interval = f", mean ± half width of the {which}" if several else ""
    points = many(len(result.points), "point")
    title = headline(result.name, result.sets, len(result.done))
    say(f"{title}, {points}; after the warm-up unless said{interval}")
    for name, path in shared.items():
        say(f"  {name}: {path}")
    shown = result.points[:LINES_SHOWN]
    cells = [[as_text(point.values[path]) for path in result.varied] for point in shown]
    columns = [names[path] for path in result.varied]
    counts = [len(result.runs(point)) for point in result.points]
    if result.stops:
        counts = [stop.seeds for stop in result.stops]
    if len(set(counts)) > 1:
        columns.append("seeds")
        for line, done in zip(cells, counts, strict=False):
            line.append(str(done))
    found = {key: [until.shown(result, place, key) for place in range(len(shown))] for key in chosen}
    highest: dict[str, float] = {}
    for key, items in found.items():
        highest[units[key]] = max([highest.get(units[key], 0), *(item.high for item in items if item.n)])
    for key, items in found.items():
        scale, unit = scaled(highest[units[key]], units[key])
        heading = f"{key[0]} {key[1]}"
        columns.append(f"{heading}, {unit}" if unit else heading)
        for line, item, point in zip(cells, items, shown, strict=True):
            least = item.n > 0 and any(is_least(run, *key) for run in result.runs(point).values())
            line.append("≥ " * least + number(item if item.n else estimate([]), scale))
    numbers = columns[len(result.varied) :]
    table(columns, cells, right=numbers, whole=columns[: len(result.varied)])
    if len(result.points) > LINES_SHOWN:
        say(f"... and {len(result.points) - LINES_SHOWN} more points in {result.folder / 'measurements.parquet'}")
    if not metrics:
        tell_more(result, chosen)
    until.tell(result)
    for warning in [*idle_lines(result), *warning_lines(result), *failed_lines(result)]:
        warn(warning)
    if result.missing:
        asked = many(sum(len(point.seeds) for point in result.points), "run")
        say(f"{result.missing} of {asked} are missing; faircast sweep {result.folder} goes on with them")
    say(f"results in {result.folder}")


def tell_more(result: SweepResult, shown: Sequence[Metric]) -> None:
    """What else there is, and how to draw it."""
    left, subjects = len(result.metrics) - len(shown), len({subject for subject, _ in result.metrics})
    if left > 0 and shown:
        say(f"{many(left, 'more metric')} of {many(subjects, 'subject')}: --metric SUBJECT/METRIC")
        say(f"to draw one: faircast plot {result.folder} {'/'.join(shown[0])}")


def idle_lines(result: SweepResult) -> list[str]:
    """The varied paths that change nothing, so that nobody takes equal numbers for a result."""
    from faircast.vary import as_text

    lines = []
    for path in result.without_effect():
        values = list(dict.fromkeys(as_text(point.values[path]) for point in result.points))
        listed = ", ".join(map(brief, values[:5])) + (", .." if len(values) > 5 else "")
        lines.append(
            f"{path} changes nothing: every number of every run is the same at {listed}; another key may decide"
        )
    return lines


def failed_lines(result: SweepResult, most: int = 5) -> list[str]:
    """The runs that were given up, at most so many."""
    from faircast.vary import describe

    lines = [
        f"the run with {describe(item.values)} and seed {item.seed} was given up: {item.reason}"
        for item in result.failed[:most]
    ]
    more = len(result.failed) - most
    return [*lines, f"{more} more runs were given up; --json lists them"] if more > 0 else lines


def warning_lines(result: SweepResult, most: int = 5) -> list[str]:
    """The warnings of all runs, at most so many of each kind: each once, in its worst words, with where that was."""
    from faircast.vary import describe

    runs = sum(len(result.runs(point)) for point in result.points)
    merged: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in result.warnings.to_pylist():
        merged.setdefault((row["kind"], row["subject"]), []).append(row)
    lines: list[str] = []
    by_kind: dict[str, int] = {}
    for (kind, _), rows in merged.items():
        by_kind[kind] = by_kind.get(kind, 0) + 1
        if by_kind[kind] <= most:
            worst = max(rows, key=lambda row: row["value"])
            values = describe({path: worst[path] for path in result.varied})
            lines.append(f"{worst['message']} (in {len(rows)} of {many(runs, 'run')}, the worst at {values})")
    more = {kind: number - most for kind, number in by_kind.items() if number > most}
    return lines + [f"{number} more of the kind {kind}; see warnings.parquet" for kind, number in more.items()]


def to_json(result: SweepResult) -> dict[str, Any]:
    """The sweep for machines: a summary for each point."""
    from faircast import summary

    return {
        "scenario": result.name,
        "sets": result.sets,
        "folder": str(result.folder),
        "varied": list(result.varied),
        "seeds": result.seeds,
        "computed": result.computed,
        "found": result.found,
        "interrupted": result.interrupted,
        "missing": result.missing,
        "failed": [{**item._asdict(), "values": dict(item.values)} for item in result.failed],
        "until": until.to_json(result),
        "design": None if result.design is None else result.design.to_json(),
        "without_effect": result.without_effect(),
        "warnings": [plain(row) for row in result.warnings.to_pylist()],
        "points": [
            {
                "values": dict(point.values),
                "hash": point.scenario.hash,
                "seeds": list(result.runs(point)),
                "summary": summary.to_json(result.rows(point)),
            }
            for point in result.points
        ],
    }


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of a table with null for what JSON cannot say."""
    from faircast.summary import finite

    return {key: finite(value) if isinstance(value, float) else value for key, value in row.items()}
