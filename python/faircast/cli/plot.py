"""``faircast plot``: pictures of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircast.cli.common import Json, say, verb
from faircast.cli.endings import print_json
from faircast.errors import InputError
from faircast.plot import PICTURES

if TYPE_CHECKING:
    from faircast.plot.picture import Picture
    from faircast.sweeps import SweepResult

WIDTHS = ("page", "column")


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.", show_default=False)],
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help=f"Of a run: {', '.join(PICTURES)}. Of a sweep: SUBJECT/METRIC, such as video/rate.",
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
    x: Annotated[str | None, typer.Option("--x", metavar="PATH", help="Of a sweep: what is varied along x.")] = None,
    series: Annotated[str | None, typer.Option(metavar="PATH", help="Of a sweep: what tells the lines apart.")] = None,
    width: Annotated[
        str, typer.Option(metavar="|".join(WIDTHS), help="Of a paper.", autocompletion=lambda: list(WIDTHS))
    ] = "page",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="PNG, PDF or SVG; default: DIR/plots/WHAT.pdf and .png.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Draw a result over time, or a sweep over what it varies.

    Without WHAT it is the picture that fits a run best. The paths of the files are printed.

    Example: faircast plot results/geo-loss-short-* rates --from 40s
    """
    from faircast.plot.picture import check_suffix
    from faircast.plot.stored import kind_of

    if out is not None:
        check_suffix(out)
        if len(what or []) > 1 and kind_of(folder) != "sweep":
            raise InputError(f"--out names one file, and there are {len(what or [])} pictures; draw one at a time")
    kind = kind_of(folder)
    over_time = {"--seed": seed, "--from": start, "--to": stop, "--every": every, "--flow": flows, "--link": links}
    if kind == "reproduction":
        tell_figures(folder, as_json=as_json)
        return
    if kind == "sweep":
        refuse(over_time, f"{folder} holds a sweep, which is not drawn over time")
        from faircast.design import INDICES
        from faircast.plot.sweep import picture_of
        from faircast.sweeps import SweepResult

        result = SweepResult.read(folder)
        if result.design is not None and result.design.kind == INDICES and x is None and series is None:
            pictures = of_indices(result, what or [], width)
            if out is not None and len(pictures) > 1:
                raise InputError(f"--out names one file, and there are {len(pictures)} pictures; draw one at a time")
        else:
            pictures = [picture_of(result, what or [], x=x, series=series, width=width)]
        place = folder / "plots"
        suffix = "".join(f"-{name}-{path}" for name, path in (("x", x), ("series", series)) if path)
    else:
        refuse({"--x": x, "--series": series}, f"{folder} holds a {kind}, not a sweep")
        if kind == "session":
            refuse({"--seed": seed}, f"{folder} holds a session on hosts, which has no seed")
        from faircast.plot.draw import fitting, picture
        from faircast.plot.stored import recording_of

        recording = recording_of(folder)
        names = list(dict.fromkeys(what or [fitting(recording)]))
        if metric := next((name for name in names if "/" in name), None):
            raise InputError(
                f"{metric} is a metric: those are drawn of a sweep, and {folder} holds a {kind}; "
                f"of that there are: {', '.join(PICTURES)}"
            )
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


def of_indices(result: SweepResult, what: Sequence[str], width: str) -> list[Picture]:
    """The Sobol' indices of metrics; without any of the rates of sessions and flows."""
    from faircast.plot.sweep import parsed, usual
    from faircast.sobol import sensitivity

    metrics = [parsed(result, text) for text in dict.fromkeys(what)] or usual(result)
    return [sensitivity(result, "/".join(metric)).plot(width=width) for metric in metrics]


def write(picture: Picture, place: Path, suffix: str, out: Path | None) -> list[Path]:
    """Write one picture to the file that was asked for, or as PDF and PNG to its place."""
    from faircast.workplace import safe

    if out is not None:
        return [picture.save(out)]
    name = safe(f"{picture.name}{suffix}")
    return [picture.save(place / f"{name}.{form}") for form in ("pdf", "png")]


def refuse(options: Mapping[str, object], because: str) -> None:
    """Raise an `InputError` if an option is given that means nothing here."""
    for name, value in options.items():
        if value is not None and value != []:
            raise InputError(f"{name} means nothing here: {because}")


def tell_figures(folder: Path, *, as_json: bool) -> None:
    """Say where the figures of a reproduction lie, which it has drawn itself."""
    from faircast.report import read_reports

    reports: Sequence[tuple[str, list[str]]] = [
        (report.id, [str(path) for path in report.figures]) for report in read_reports(folder).reports
    ]
    if as_json:
        print_json({"folder": str(folder), "pictures": [{"picture": name, "files": files} for name, files in reports]})
        return
    say(f"{folder} holds a reproduction; it has drawn its figures itself:")
    for name, files in reports:
        for path in files or [f"{name}: no figure"]:
            say(f"  {path}")
