"""``faircast send``: files to all who receive in a multicast group."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.casting import (
    GROUP,
    Format,
    Given,
    Interface,
    Open,
    PacketSize,
    Parameters,
    Results,
    Scheme,
    carry_out,
    option,
)
from faircast.cli.common import Json, verb


@verb
def command(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...", help="What to send: files, and folders with all that is in them.", show_default=False
        ),
    ],
    to: Annotated[str | None, option("--to", "GROUP:PORT", GROUP)] = None,
    max_rate: Annotated[
        str | None,
        option("--max-rate", "RATE", "The most that the network can give, as 20Mbit/s; packets are spaced by it."),
    ] = None,
    scheme: Scheme = None,
    sets: Parameters = None,
    packet_size: PacketSize = None,
    interface: Interface = None,
    open_: Open = False,
    format_: Format = None,
    ttl: Annotated[
        str | None,
        option("--ttl", "HOPS", "How many hops packets may take, 1 to 255. Default 1: they stay on the link."),
    ] = None,
    keys: Annotated[str | None, option("--keys", "FILE", "The sender's keys, sender.key of faircast keys.")] = None,
    receivers: Annotated[
        str | None,
        option("--receivers", "N", "It ends when so many have everything. Default: all with keys; 1 with --open."),
    ] = None,
    patience: Annotated[
        str | None,
        option("--patience", "SECONDS", "Give up when nobody who lacks something is heard for so long. Default 60."),
    ] = None,
    results: Results = None,
    as_json: Json = False,
) -> None:
    r"""Send files to many receivers by multicast, until all have them.

    The rate is that of a scheme of congestion control; receivers are sent what they lack. --keys or --open says who is
    believed.

    Example: faircast send examples/scenarios --to 239.255.0.1:5001 \
                 --interface lo --open --max-rate 9Mbit/s & \
             faircast receive inbox --from 239.255.0.1:5001 \
                 --interface lo --open; wait
    """
    given: dict[str, Given] = {
        "--to": to,
        "--max-rate": max_rate,
        "--scheme": scheme,
        "--set": sets,
        "--packet-size": packet_size,
    }
    given |= {"--interface": interface, "--open": open_, "--format": format_, "--ttl": ttl}
    given |= {"--keys": keys, "--receivers": receivers, "--patience": patience, "--results": results}
    carry_out("send", files, given | {"--json": as_json})
