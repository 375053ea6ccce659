"""``faircast sensitivity``: what a metric depends on, of the ranges that a sweep varied."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli.common import Json, say, table, verb
from faircast.cli.endings import print_json, warn

if TYPE_CHECKING:
    from faircast.sobol import Index, Sensitivity

NOISY = 0.1
"""Part of the variance by the seeds alone from which on a warning says so."""


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A sweep of the design.", show_default=False)],
    metric: Annotated[
        str, typer.Option("--metric", metavar="SUBJECT/METRIC", help="What depends, for instance video/rate.")
    ],
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="PNG, PDF or SVG; default: DIR/plots/sensitivity-...pdf, .png.")
    ] = None,
    as_json: Json = False,
) -> None:
    r"""Say which ranges decide a metric: Sobol' indices of a sweep.

    The sweep has the design sobol-indices. The first-order index of a range is the part of the metric's variance that
    it brings about by itself, the total index has besides what it does together with others.

    Example: faircast sensitivity results/space --metric file/rate
    """
    from faircast.plot.picture import check_suffix
    from faircast.sobol import sensitivity

    if figure is not None:
        check_suffix(figure)
    found = sensitivity(folder, metric)
    written = save(found, figure)
    if as_json:
        print_json(to_json(found) | {"files": [str(path) for path in written]})
        return
    show(found)
    for path in written:
        print(path)


def save(found: Sensitivity, file: Path | None) -> list[Path]:
    """Write the picture to a file, or as PDF and PNG among the plots of the folder."""
    from faircast.cli.plot import write

    return write(found.plot(), found.folder / "plots", "", file)


def show(found: Sensitivity) -> None:
    """Both indices of all paths, the most important one first."""
    from faircast.cli.view import scaled
    from faircast.statistics import with_interval
    from faircast.vary import short_names

    scale, unit = scaled(found.mean + found.deviation, found.unit)
    spread = with_interval(scale(found.deviation), None)
    several = len(found.seeds) > 1
    say(
        f"{found.name}: {found.subject} {found.metric} has {with_interval(scale(found.mean), None)}"
        f"{f' {unit}' if unit else ''} on average over the points, standard deviation {spread}; {found.samples} "
        f"samples, {len(found.seeds)} seed{'s' if several else ''}; indices, their 95 % intervals over the points"
        f"{' and half widths of those over the seeds' if several else ''}"
    )
    names = short_names(list(found.total))
    columns = ["path", "first order", "over points", "over seeds", "total", "total over points", "total over seeds"]
    order = sorted(found.total, key=lambda path: -found.total[path].value)
    rows = [[names[path], *cells(found.first[path]), *cells(found.total[path])] for path in order]
    table(columns, rows, right=columns[1:], whole=columns)
    if found.noise is not None:
        say(f"{100 * found.noise:.2g} % of the variance between the points comes from the seeds")
        if found.noise > NOISY:
            warn(
                f"{100 * found.noise:.2g} % of the variance between the points is noise of the seeds, which belongs to "
                "no range and makes total indices larger; more --reps make it smaller"
            )
    rest = 1 - sum(index.value for index in found.first.values())
    say(f"first-order indices leave {100 * max(0.0, rest):.2g} % of the variance to what ranges do together")


def cells(index: Index) -> list[str]:
    """An index with both intervals; the latter is empty with one seed."""
    over = "" if index.seeds is None else f"{index.seeds:.2g}"
    return [f"{index.value:.2f}", f"{index.low:.2f} to {index.high:.2f}", over]


def to_json(found: Sensitivity) -> dict[str, Any]:
    """The indices as plain values for JSON."""
    return {
        "folder": str(found.folder),
        "scenario": found.name,
        "subject": found.subject,
        "metric": found.metric,
        "unit": found.unit,
        "samples": found.samples,
        "seeds": list(found.seeds),
        "mean": found.mean,
        "deviation": found.deviation,
        "noise": found.noise,
        "indices": found.table.to_pylist(),
    }
