"""``faircast why``: the chain of causes of one moment of a run, in words."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, table, verb
from faircast.cli.endings import print_json
from faircast.cli.terminal import columns

LONGEST_LINE = 100
"""Columns of a line of text on a wide screen: longer ones are hard to read."""


@verb
def command(
    source: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of a run, or a scenario file.", show_default=False)
    ],
    at: Annotated[str, typer.Option(metavar="TIME", help="The moment, such as '37 s'.", show_default=False)],
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Default: the lowest finished one.", show_default=False)
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Default: that whose rate changed most then.", show_default=False),
    ] = None,
    receiver: Annotated[
        str | None, typer.Option(metavar="NAME", help="A receiver of the session.", show_default=False)
    ] = None,
    picture: Annotated[bool, typer.Option("--picture", help="Why a receiver's picture stopped.")] = False,
    as_json: Json = False,
) -> None:
    """Say why a rate, a window or a level changed, down to the packet.

    The largest fall in the probe interval before the moment is explained, or the last change before it. What the
    result does not hold, as a rule the packets, is found by running the same seed again.

    Example: faircast why examples/scenarios/tfmcc-beside-tcp.toml --at '61.3 s'
    """
    from faircast.causes import why
    from faircast.causes.explanation import WHAT_IF_COLUMNS

    found = why(source, at=at, seed=seed, flow=flow, receiver=receiver, of_picture=picture, say=tell)
    if as_json:
        print_json(found.to_json())
        return
    width = min(columns() or LONGEST_LINE, LONGEST_LINE)
    # The notes have been told while it was looked for.
    print(replace(found, what_ifs=(), notes=()).wrapped(width))
    if found.what_ifs:
        import textwrap

        print()
        print(textwrap.fill(found.what_ifs_title, width))
        table(WHAT_IF_COLUMNS, found.what_if_rows(), right=WHAT_IF_COLUMNS[1:])


def tell(text: str) -> None:
    """Say something beside the result."""
    print(f"faircast: {text}", file=sys.stderr)
