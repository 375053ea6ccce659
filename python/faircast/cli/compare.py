"""``faircast compare``: what a result has more than another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli import until
from faircast.cli.common import Certificates, Dask, Jobs, Json, Processes, engine_of, say, table, verb
from faircast.cli.endings import note as told
from faircast.cli.endings import print_json, warn
from faircast.errors import INTERRUPTED, InputError
from faircast.progress import Reporter

if TYPE_CHECKING:
    from faircast.comparison import Comparison, Difference
    from faircast.statistics import Estimate

LINES_SHOWN = 60
NAME_SHOWN = 20
"""Signs of a name that stands above a column; longer ones stand in the title alone."""


@verb
def command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR", help="Folders of runs, or one of a sweep.", show_default=False)
    ],
    between: Annotated[
        str | None,
        typer.Option(metavar="PATH=A,B", help="Of a sweep: which values of which path; without =A,B all of them."),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="SUBJECT/METRIC", help="What to compare; again and again; 'all' for all."),
    ] = None,
    until_apart: Annotated[
        bool,
        typer.Option("--until-apart", help="Add seeds until they are apart in --metric, or --max-reps is reached."),
    ] = False,
    reps: Annotated[
        int | None, typer.Option(metavar="N", help="With --until-apart seeds at first; default: 10.")
    ] = None,
    max_reps: Annotated[int | None, until.MaxReps] = None,
    jobs: Jobs = None,
    processes: Processes = None,
    dask: Dask = None,
    certificates: Certificates = None,
    as_json: Json = False,
) -> None:
    r"""Compare results seed by seed, with intervals of differences.

    The first one is what the others are held against. A difference is told apart if its 95 % interval leaves out zero.
    Of a sweep those points are compared that differ in the one value alone. With --until-apart seeds are added to the
    folders first, and intervals are those that looking several times needs.

    Example: faircast compare results/geo-loss-sweep-delays-* \
                 --between links.bottleneck.delay
    """
    from faircast.comparison import compare
    from faircast.vary import parse_axis

    chosen: Any = between
    if between is not None and "=" in between:
        chosen = parse_axis(between, "--between")
    every = metrics == ["all"]
    if until_apart:
        from faircast.apart import compare_until_apart

        try:
            with Reporter("comparing", quiet=as_json) as reporter:
                found = compare_until_apart(
                    folders,
                    between=chosen,
                    metrics=[] if every else metrics or [],
                    reps=reps,
                    max_reps=max_reps,
                    engine=engine_of(jobs, processes, dask, certificates),
                    watcher=reporter,
                    told=None if as_json else until.tell_look,
                )
        except KeyboardInterrupt:
            told("interrupted; what was finished is kept, the same command continues")
            raise typer.Exit(INTERRUPTED) from None
    else:
        for option, given in (("--max-reps", max_reps), ("--reps", reps)):
            if given is not None:
                what = "the limit" if option == "--max-reps" else "the first number of seeds"
                raise InputError(f"{option} is {what} of --until-apart, and that is not given")
        found = compare(*folders, between=chosen, metrics=[] if every else metrics or [])
    if as_json:
        print_json(to_json(found))
        return
    show(found, found.metrics if every else found.usual)
    for note in found.notes:
        warn(note)


def show(found: Comparison, metrics: Sequence[tuple[str, str]]) -> None:
    """A table for each two that are compared."""
    for pair in dict.fromkeys((row.first, row.second) for row in found.rows):
        own = [row for key in metrics for row in found.rows if (row.subject, row.metric) == key]
        show_pair([row for row in own if (row.first, row.second) == pair], found.level)
    left = len(found.metrics) - len(set(metrics) & set(found.metrics))
    if left > 0:
        say(f"{left} more metrics: --metric SUBJECT/METRIC, or --metric all")


def show_pair(rows: Sequence[Difference], level: float) -> None:
    """What the second has more than the first: one table, or where both stand for several points one per metric."""
    if not rows:
        return
    counts = [row.difference.n for row in rows]
    n = max(counts)
    key = "pairs" if rows[0].paired else "runs"
    uneven = [key] if min(counts) < n else []
    over = f"{n} {how(rows[0], n)}"
    first, second = rows[0].first, rows[0].second
    if max(len(first), len(second)) > NAME_SHOWN:
        first, second = f"{first} (first)", f"{second} (second)"
    say(f"{second} minus {first}, {over}; means, and the difference ± half width of its {100 * level:.3g} % interval")
    rates = [max(row.of_first.high, row.of_second.high) for row in rows if row.unit == "bit/s"]
    highest = max((rate for rate in rates if math.isfinite(rate)), default=0.0)
    if not rows[0].where:
        lines = [[name_of(row, highest), *cells(row, highest, uneven)] for row in rows[:LINES_SHOWN]]
        draw(rows[0], ["metric"], lines, uneven)
        if len(rows) > LINES_SHOWN:
            say(f"... and {len(rows) - LINES_SHOWN} more metrics; --json and faircast.compare have them all")
        return
    from faircast.vary import as_text, short_names

    names = short_names(list(rows[0].where))
    by_metric: dict[str, list[list[str]]] = {}
    for row in rows:
        varied = [as_text(row.where[path]) for path in names]
        by_metric.setdefault(name_of(row, highest), []).append([*varied, *cells(row, highest, uneven)])
    say()
    for name, lines in by_metric.items():
        say(name)
        draw(rows[0], list(names.values()), lines[:LINES_SHOWN], uneven)
        if len(lines) > LINES_SHOWN:
            say(f"... and {len(lines) - LINES_SHOWN} more points; --json and faircast.compare have them all")


def draw(row: Difference, keys: list[str], lines: list[list[str]], uneven: list[str]) -> None:
    """One table; with a column for how many values each line rests on if they are not as many everywhere."""
    names = [row.first, row.second]
    if max(map(len, names)) > NAME_SHOWN:
        names = ["first", "second"]
    numbers = [*names, "difference", "relative", *uneven, "apart"]
    table([*keys, *numbers], lines, right=numbers, whole=keys)


def name_of(row: Difference, highest: float) -> str:
    """The metric with its unit."""
    from faircast.cli.view import scaled

    _, unit = scaled(highest if row.unit == "bit/s" else 0.0, row.unit)
    return f"{row.subject} {row.metric}, {unit}" if unit else f"{row.subject} {row.metric}"


def cells(row: Difference, highest: float, uneven: list[str]) -> list[str]:
    """The numbers of a line."""
    from faircast.cli.view import number, scaled

    scale, _ = scaled(highest if row.unit == "bit/s" else 0.0, row.unit)
    means = [number(replace(item, ci95=None), scale) for item in (row.of_first, row.of_second)]
    return [*means, number(row.difference, scale), share(row), *[str(row.difference.n) for _ in uneven], word(row)]


def how(row: Difference, n: int) -> str:
    """Over what a difference is taken."""
    if row.paired:
        return "pair of runs with one seed" if n == 1 else "pairs of runs, each with one seed"
    return "runs, not in pairs"


def share(row: Difference) -> str:
    """The relative difference in percent."""
    return f"{100 * row.relative:+.3g} %" if math.isfinite(row.relative) else "-"


def word(row: Difference) -> str:
    """Whether the two are told apart."""
    if row.difference.n == 0 or (row.difference.n > 1 and row.told_apart is None):  # nothing, or infinite
        return "-"
    return {None: "one seed", True: "yes", False: "no"}[row.told_apart]


def to_json(found: Comparison) -> dict[str, Any]:
    """The differences as plain values for JSON; what it cannot say is null."""
    from faircast.summary import finite

    def of(item: Estimate) -> dict[str, Any]:
        return {"mean": finite(item.mean), "ci95": finite(item.ci95), "n": item.n}

    return {
        "names": list(found.names),
        "notes": list(found.notes),
        "level": found.level,
        "differences": [
            {
                "first": row.first,
                "second": row.second,
                "where": dict(row.where),
                "subject": row.subject,
                "metric": row.metric,
                "unit": row.unit,
                "of_first": of(row.of_first),
                "of_second": of(row.of_second),
                "difference": of(row.difference),
                "relative": finite(row.relative),
                "paired": row.paired,
                "told_apart": row.told_apart,
            }
            for row in found.rows
        ],
    }
