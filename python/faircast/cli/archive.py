"""``faircast archive``: a finished folder as one file for others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, say, verb
from faircast.cli.endings import note, print_json


@verb
def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A finished result folder.", show_default=False)],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: DIR.zip.")] = None,
    authors: Annotated[
        list[str] | None,
        typer.Option("--author", metavar="NAME", help="Who made the results; again and again."),
    ] = None,
    licence: Annotated[
        str, typer.Option(metavar="ID", help="Under which licence others may use them.", show_default=False)
    ] = "",
    as_json: Json = False,
) -> None:
    """Make one zip of a result that others can repeat and cite.

    It holds the results, the resolved scenarios, lock files, commands, versions and commit, and a description in
    RO-Crate 1.1. An archive that is there already is replaced. faircast verify runs it anew.

    Example: faircast archive results/geo-loss-short-* --out geo.zip
    """
    from faircast.archiving.pack import packed

    done = packed(folder, out=out, authors=authors or [], licence=licence)
    record = done.record
    if as_json:
        print_json(
            {"file": str(done.path), "kind": record.kind, "files": list(record.files), "notes": list(done.notes)}
        )
    else:
        size = done.path.stat().st_size
        say(f"{done.path}: {record.kind} of {record.name}, {len(record.files)} files, {size / 1e6:.2g} MB")
    for text in done.notes:
        note(text)
