"""``faircast events``: what happened in a run, and why."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from faircast.cli.common import Json, table, verb
from faircast.cli.endings import print_json
from faircast.cli.why import tell


@verb
def command(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a run, or a scenario file.", show_default=False)
    ],
    start: Annotated[str | None, typer.Option("--from", metavar="TIME", help="Where it begins.")] = None,
    stop: Annotated[str | None, typer.Option("--to", metavar="TIME", help="Where it ends.")] = None,
    flow: Annotated[str | None, typer.Option(metavar="NAME", help="A flow, an entry of flows or a session.")] = None,
    receiver: Annotated[str | None, typer.Option(metavar="NAME", help="A receiver of a session.")] = None,
    event: Annotated[str | None, typer.Option(metavar="NAME", help="As faircast list events has them.")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Default: the lowest finished one.", show_default=False)
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what happened in a run, and what it came from.

    A line for each event: when; to which receiver or flow; which layer was joined or left; what changed, from what to
    what; and the packet, mark or report that it came from. --json has all columns.

    Example: faircast events examples/scenarios/geo-loss.toml --from '290 s'
    """
    from faircast.causes.listing import COLUMNS, cells, events_of, units

    found = events_of(source, start=start, stop=stop, flow=flow, receiver=receiver, event=event, seed=seed, say=tell)
    if as_json:
        print_json({"events": [{key: plain(value) for key, value in row.items()} for row in found]})
        return
    rows = cells(found, units())
    if not rows:
        print("no such events")
        return
    table(COLUMNS, rows, right=COLUMNS[:1], whole=["whose", "event", "change"])


def plain(value: Any) -> Any:
    """A cell for JSON; a number that there is not is null."""
    return None if isinstance(value, float) and math.isnan(value) else value
