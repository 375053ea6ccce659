"""``faircast validate``: all that is wrong with a scenario, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, print_json, verb
from faircast.errors import BAD_INPUT, InputError
from faircast.scenario import count, problems, resolve


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML or JSON.", show_default=False)],
    sets: Annotated[list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="Change a value first.")] = None,
    as_json: Json = False,
) -> None:
    """Check a scenario without running it; every problem with its path, what was given and what is legal.

    Example: faircast validate geo.toml
    """
    found = problems(file, sets=sets or [])
    if as_json:
        print_json({"valid": not found, "problems": [{"path": path, "message": text} for path, text in found]})
        if found:
            raise typer.Exit(BAD_INPUT)
    elif found:
        raise InputError(f"{file} {count(found)}", found)
    else:
        scenario = resolve(file, sets=sets or [])
        print(f"{file} is a legal scenario: {scenario.name}, hash {scenario.hash}")
