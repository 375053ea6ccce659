"""``faircast verify``: an archive of others is run anew and compared."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli.common import Jobs, Json, say, table, verb
from faircast.cli.endings import note, print_json
from faircast.errors import CRITERION_FAILED, shortened
from faircast.progress import Reporter

if TYPE_CHECKING:
    from faircast.archiving.record import Opened
    from faircast.archiving.verdict import Verified

LINES_SHOWN = 60


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What faircast archive has made.", show_default=False)],
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run the code of guests in it; look at it first.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep what comes out there; default: compare and remove it.")
    ] = None,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Run an archive anew and compare every table with it.

    The commands that made it are shown, not carried out: runs start from the resolved scenarios in it. Exit code 1 if
    numbers did not come out again.

    Example: faircast verify geo.zip
    """
    from faircast.archiving.record import open_archive
    from faircast.archiving.verdict import held

    opened = open_archive(file)
    if not as_json:
        introduce(opened)
    with Reporter(f"verifying {shortened(opened.record.name)}", quiet=as_json) as reporter:
        done = held(opened, allow_code=allow_code, jobs=jobs, out=out, watcher=reporter)
    for text in done.notes:
        note(text)
    if as_json:
        print_json(to_json(done))
    else:
        show(done)
    if not done.holds:
        raise typer.Exit(CRITERION_FAILED)


def introduce(opened: Opened) -> None:
    """What an archive is, and the commands that made it."""
    record = opened.record
    commit = f", commit {record.commit}" if record.commit else ""
    say(shortened(f"{opened.path} is whole: {record.kind} of {record.name}"))
    say(shortened(f"made by faircast {record.version}, build {record.build}{commit}"))
    say("recorded, and not carried out:")
    for words in opened.commands:
        say(shortened(f"  {shlex.join([Path(words[0]).name, *words[1:]])}" if words else "  a call from Python"))


def show(done: Verified) -> None:
    """File by file what came out, those first that did not."""
    from faircast.archiving.verdict import EQUAL, VERDICTS

    order = {verdict: place for place, verdict in enumerate(reversed(VERDICTS))}
    files = sorted(done.files, key=lambda file: (order[file.verdict], file.name))
    table(["file", "came out"], [[shortened(file.name), file.verdict] for file in files[:LINES_SHOWN]], whole=["file"])
    if len(files) > LINES_SHOWN:
        say(f"... and {len(files) - LINES_SHOWN} more files; --json lists them all")
    counted = ", ".join(f"{done.count(verdict)} {verdict}" for verdict in VERDICTS if done.count(verdict))
    if done.holds:
        how = "byte by byte" if done.count(EQUAL) == len(done.files) else "in all numbers"
        say(f"repeated {how}: of {len(done.files)} files {counted}")
    else:
        say(f"not repeated: of {len(done.files)} files {counted}")


def to_json(done: Verified) -> dict[str, Any]:
    """What became of an archive, for machines."""
    return {
        "file": str(done.file),
        "kind": done.kind,
        "name": done.name,
        "version": done.version,
        "build": done.build,
        "commit": done.commit,
        "commands": [list(words) for words in done.commands],
        "repeated": done.holds,
        "files": {file.name: file.verdict for file in done.files},
        "notes": list(done.notes),
    }
