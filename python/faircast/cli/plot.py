"""``faircast plot``: pictures of results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircast.cli.common import Json, verb
from faircast.cli.endings import print_json
from faircast.errors import InputError
from faircast.plot import PICTURES

if TYPE_CHECKING:
    from faircast.plot.picture import Picture

WIDTHS = ("page", "column")


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.", show_default=False)],
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help=f"Of a run: {', '.join(PICTURES)}.",
            autocompletion=lambda: list(PICTURES),
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="This seed only; default: all.")] = None,
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Where it begins.")] = None,
    stop: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Where it ends.")] = None,
    every: Annotated[
        str | None, typer.Option(metavar="TIME", help="Means are taken over so long; default: what suits the width.")
    ] = None,
    flows: Annotated[
        list[str] | None,
        typer.Option("--flow", metavar="NAME", help="A flow, group, session or receiver; again and again."),
    ] = None,
    links: Annotated[list[str] | None, typer.Option("--link", metavar="NAME", help="A link; again and again.")] = None,
    width: Annotated[
        str, typer.Option(metavar="|".join(WIDTHS), help="Of a paper.", autocompletion=lambda: list(WIDTHS))
    ] = "page",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="PNG, PDF or SVG; default: DIR/plots/WHAT.pdf and .png.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw a result over time.

    Without WHAT it is the picture that fits a run best. The paths of the files are printed.

    Example: faircast plot results/geo-loss-1c2d3e4f5a6b rates --from 60s
    """
    from faircast.plot.picture import check_suffix
    from faircast.plot.stored import kind_of

    if out is not None:
        check_suffix(out)
        if len(what or []) > 1:
            raise InputError(f"--out names one file, and there are {len(what or [])} pictures; draw one at a time")
    kind = kind_of(folder)
    if kind == "reproduction":
        tell_figures(folder, as_json=as_json)
        return
    from faircast.plot.draw import fitting, picture
    from faircast.plot.stored import recording_of

    recording = recording_of(folder)
    names = list(dict.fromkeys(what or [fitting(recording)]))
    pictures = [
        picture(
            recording,
            name,
            seed=seed,
            start=start,
            stop=stop,
            every=every,
            flows=flows or (),
            links=links or (),
            width=width,
        )
        for name in names
    ]
    place = (recording.folder or folder) / "plots"
    shown = [f"seed-{recording.seeds[0]}"] if kind == "seed" else [] if seed is None else [f"seed-{seed}"]
    shown += [f"{key}-{value}" for key, value in (("from", start), ("to", stop), ("every", every)) if value]
    shown += [*(flows or []), *(links or [])]
    suffix = "".join(f"-{part}" for part in shown)
    if width != "page":
        suffix += f"-{width}"
    written = [(one, write(one, place, suffix, out)) for one in pictures]
    if as_json:
        listed = [{"picture": one.name, "files": [str(path) for path in paths]} for one, paths in written]
        print_json({"folder": str(folder), "pictures": listed})
        return
    for _, paths in written:
        for path in paths:
            print(path)


def write(picture: Picture, place: Path, suffix: str, out: Path | None) -> list[Path]:
    """Write one picture to the file that was asked for, or as PDF and PNG to its place."""
    from faircast.manifest import safe

    if out is not None:
        return [picture.save(out)]
    name = safe(f"{picture.name}{suffix}")
    return [picture.save(place / f"{name}.{form}") for form in ("pdf", "png")]


def tell_figures(folder: Path, *, as_json: bool) -> None:
    """Say where the figures of a reproduction lie, which it has drawn itself."""
    from faircast.report import read_reports

    reports: Sequence[tuple[str, list[str]]] = [
        (report.id, [str(path) for path in report.figures]) for report in read_reports(folder).reports
    ]
    if as_json:
        print_json({"folder": str(folder), "pictures": [{"picture": name, "files": files} for name, files in reports]})
        return
    print(f"{folder} holds a reproduction; it has drawn its figures itself:")
    for name, files in reports:
        for path in files or [f"{name}: no figure"]:
            print(f"  {path}")
