"""``faircast keys``: files with keys for a sender and its receivers."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.casting import carry_out, option
from faircast.cli.common import Json, verb


@verb
def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder for them.", show_default=False)],
    receivers: Annotated[str | None, option("--receivers", "N", "For how many receivers, 1 to 1000000.")] = None,
    as_json: Json = False,
) -> None:
    """Draw keys for faircast send and receive.

    A file for the sender and one for each receiver, all with mode 0600. Give each its own, by a way that you trust.

    Example: faircast keys keys --receivers 3
    """
    carry_out("keys", [folder], {"--receivers": receivers, "--json": as_json})
