"""``faircast list``: what there is, one line each."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.common import Json, definitions, verb
from faircast.cli.endings import print_json
from faircast.errors import choose

KINDS = ("experiments", "schemes", "flows", "queues", "losses", "agents", "topologies", "tcp", "gauges", "events")


@verb
def command(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="KIND",
            help=f"One of {', '.join(KINDS)}; default: all.",
            autocompletion=lambda: list(KINDS),
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what can be named: schemes, queues, topologies and so on.

    Example: faircast list queues
    """
    kinds = KINDS if kind is None else (choose("list of", kind, KINDS),)
    found = {name: entries(name) for name in kinds}
    if as_json:
        print_json({name: [{"name": item, "description": text} for item, text in found[name]] for name in kinds})
        return
    for name in kinds:
        if kind is None:
            print(f"{name}:")
        definitions(found[name] or [("none yet", "")], indent="  " if kind is None else "")


def entries(kind: str) -> list[tuple[str, str]]:
    """Names and descriptions of one kind."""
    if kind == "experiments":
        from faircast.experiments import REGISTRY, load

        found = [load(name) for name in REGISTRY]
        return [(experiment.id, f"{experiment.title} [{experiment.paper}]") for experiment in found]
    from faircast._native import catalogue

    return [(name, " ".join(text.split())) for name, text in catalogue().get(kind, [])]
