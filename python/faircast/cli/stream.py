"""``faircast stream``: standard input to standard output of all who receive in a multicast group."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.casting import Given, Interface, Open, PacketSize, Parameters, Results, Scheme, carry_out, option
from faircast.cli.common import verb


@verb
def command(
    to: Annotated[
        str | None,
        option("--to", "GROUP:PORT", "Send standard input to this group, the first of the session, as 239.1.2.3:5000."),
    ] = None,
    from_: Annotated[
        str | None,
        option("--from", "GROUP:PORT", "Receive from this group, the first of the session, to standard output."),
    ] = None,
    max_rate: Annotated[
        str | None,
        option(
            "--max-rate",
            "RATE",
            "With --to, required: the most that the network can give, as 20Mbit/s; packets are spaced by it.",
        ),
    ] = None,
    delay: Annotated[
        str | None,
        option(
            "--delay",
            "SECONDS",
            "With --to: what is not repaired after so long is given up, 0.1 to 1000. Default 5.",
        ),
    ] = None,
    live: Annotated[
        bool,
        typer.Option(
            "--live", help="With --to: never hold the input up; what cannot be sent within the delay is left out."
        ),
    ] = False,
    receivers: Annotated[
        str | None,
        option(
            "--receivers",
            "N",
            "With --to: begin when so many are there, and end when so many have come to the end. Default 1.",
        ),
    ] = None,
    source: Annotated[
        str | None,
        option("--source", "ADDR", "With --from: take what this host sends, and no other (source-specific multicast)."),
    ] = None,
    scheme: Scheme = None,
    sets: Parameters = None,
    packet_size: PacketSize = None,
    interface: Interface = None,
    open_: Open = False,
    ttl: Annotated[
        str | None,
        option(
            "--ttl", "HOPS", "With --to: how many hops packets may take, 1 to 255. Default 1: they stay on the link."
        ),
    ] = None,
    keys: Annotated[
        str | None, option("--keys", "FILE", "The keys of this end, sender.key or receiver-N.key of faircast keys.")
    ] = None,
    patience: Annotated[
        str | None,
        option(
            "--patience",
            "SECONDS",
            "Give up when nothing comes for so long, or nobody is heard behind the end. Default: wait; 60 with --to.",
        ),
    ] = None,
    results: Results = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing unless it ends badly.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines, on standard error.")] = False,
) -> None:
    r"""Carry standard input to standard output of all who receive.

    It comes out in order and as it comes in; what cannot be repaired within the delay is a gap, which is said. All that
    is said goes to standard error.

    Example: faircast stream --from 239.255.0.1:5004 --interface lo \
                 --open --patience 60 > copy & \
             cat examples/scenarios/* | faircast stream --interface lo \
                 --to 239.255.0.1:5004 --open --max-rate 9Mbit/s; wait
    """
    given: dict[str, Given] = {"--to": to, "--from": from_, "--max-rate": max_rate, "--delay": delay, "--live": live}
    given |= {"--receivers": receivers, "--source": source, "--scheme": scheme, "--set": sets}
    given |= {"--packet-size": packet_size, "--interface": interface, "--open": open_, "--ttl": ttl, "--keys": keys}
    given |= {"--patience": patience, "--results": results, "--quiet": quiet, "--json": as_json}
    carry_out("stream", [], given)
