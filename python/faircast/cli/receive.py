"""``faircast receive``: files from a multicast group into a folder."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.casting import (
    Format,
    From,
    Given,
    Interface,
    Open,
    PacketSize,
    Parameters,
    ReceiverKeys,
    Results,
    Scheme,
    Source,
    carry_out,
    option,
)
from faircast.cli.common import Json, verb


@verb
def command(
    folder: Annotated[str, typer.Argument(metavar="DIR", help="The folder for the files.", show_default=False)],
    from_: From = None,
    source: Source = None,
    scheme: Scheme = None,
    sets: Parameters = None,
    packet_size: PacketSize = None,
    interface: Interface = None,
    open_: Open = False,
    format_: Format = None,
    keys: ReceiverKeys = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace other files that have the names already, which stay otherwise.")
    ] = False,
    patience: Annotated[
        str | None, option("--patience", "SECONDS", "Give up when nothing has come for so long. Default: wait.")
    ] = None,
    results: Results = None,
    as_json: Json = False,
) -> None:
    r"""Receive files from a multicast group into a folder.

    It asks for what it lacks until all is there, and goes on where it was when it is started again, after whatever end.

    Example: faircast receive inbox --from 239.255.0.1:5002 \
                 --interface lo --open --patience 60 & \
             faircast send examples/scenarios --to 239.255.0.1:5002 \
                 --interface lo --open --max-rate 9Mbit/s; wait
    """
    given: dict[str, Given] = {
        "--from": from_,
        "--source": source,
        "--scheme": scheme,
        "--set": sets,
        "--packet-size": packet_size,
    }
    given |= {"--interface": interface, "--open": open_, "--format": format_, "--keys": keys}
    given |= {"--replace": replace, "--patience": patience, "--results": results, "--json": as_json}
    carry_out("receive", [folder], given)
