"""``faircast lab``: the laboratory in a browser of this machine."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import quote

import typer

from faircast.cli.common import Json, say, verb

if TYPE_CHECKING:
    from faircast.laboratory import Page

Folder = Annotated[
    Path | None,
    typer.Argument(metavar="[DIR]", help="A result folder, to look at and to go on from.", show_default=False),
]
Browser = Annotated[bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")]
Idle = Annotated[
    str | None,
    typer.Option("--idle", metavar="TIME", help="End when nobody has asked for anything for so long, such as 10 min."),
]
RESULT = "result.html"
MOST_SEEDS = 100
"""Seeds that the laboratory takes, as `web/src/lab/share.ts` says: of more it is opened with the first."""


@verb
def command(folder: Folder = None, browser: Browser = True, idle: Idle = None, as_json: Json = False) -> None:
    """Try scenarios in a browser: edit, turn knobs, see.

    The laboratory is served to this machine alone, at a free port, until Ctrl-C; everything runs in its page. With DIR
    the scenario of that result is opened with its seeds, and a link leads to what it gave; of a sweep or a reproduction
    what it gave comes first. --json prints the address for machines.

    Example: faircast lab --no-browser --idle 2s
    """
    import webbrowser

    from faircast.laboratory import Laboratory, built
    from faircast.quantity import seconds

    longest = None if idle is None else seconds(idle, "--idle")
    pages, where = built(), ""
    if folder is not None:
        result, where = opened(folder)
        pages[RESULT] = result
    laboratory = Laboratory(pages)
    address = laboratory.address + where
    try:
        if as_json:
            print(json.dumps({"address": address}), flush=True)
        else:
            print(address, flush=True)
            say("Ctrl-C ends the laboratory.")
        if browser:
            webbrowser.open(address)
        while longest is None or time.monotonic() - laboratory.heard < longest:
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
    finally:
        laboratory.close()


def opened(folder: Path) -> tuple[Page, str]:
    """The page of a result, and what the address has beside that of the laboratory to begin there."""
    from faircast.cli.report import write
    from faircast.folder import seed_folders
    from faircast.laboratory import KINDS, Page, fragment
    from faircast.plot.stored import kind_of
    from faircast.reading import Runs
    from faircast.reporting.toml import toml_of
    from faircast.results import RunResult

    kind = kind_of(folder)
    with tempfile.TemporaryDirectory() as place:
        written = write(folder, kind, Path(place) / RESULT)
        page = Page(written.path.read_bytes(), KINDS[".html"])
    if kind == "seed":
        result = RunResult.read(folder)
        scenario, seeds = result.scenario, [result.seed]
    elif kind == "run":
        runs = Runs.read(folder, interrupted=not seed_folders(folder))
        scenario, seeds = runs.scenario, sorted(runs.seeds)
    else:
        return page, RESULT
    named = quote(folder.resolve().name)
    return page, f"?result={named}#{fragment(toml_of(scenario.data), ', '.join(map(str, seeds[:MOST_SEEDS])))}"
