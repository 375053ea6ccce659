"""``faircast validate``: all that is wrong with a scenario, at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, Sets, say, verb
from faircast.cli.endings import print_json, warn
from faircast.errors import BAD_INPUT, InputError


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML or JSON.", show_default=False)],
    sets: Sets = None,
    as_json: Json = False,
) -> None:
    """Check a scenario and list all that is wrong with it.

    Every problem with its path, what was given and what is legal; nothing is run.

    Example: faircast validate examples/scenarios/geo-loss.toml
    """
    from faircast.scenario import resolve
    from faircast.warning import known

    try:
        scenario = resolve(file, sets=sets or [])
    except InputError as error:
        if not as_json:
            raise
        found = error if error.problems else InputError(error.message, [("", error.message)])
        print_json({"valid": False, "problems": found.to_json()})
        raise typer.Exit(BAD_INPUT) from None
    warnings = known(scenario)
    if as_json:
        print_json({"valid": True, "problems": [], "warnings": [warning.to_json() for warning in warnings]})
        return
    say(f"{file} is a valid scenario: {scenario.name}, hash {scenario.hash}")
    for warning in warnings:
        warn(f"{warning.path}: {warning.message}")
