"""``faircast probe``: what a session of multicast does, each second."""

from __future__ import annotations

from typing import Annotated

import typer

from faircast.cli.casting import (
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
    from_: From = None,
    source: Source = None,
    scheme: Scheme = None,
    sets: Parameters = None,
    packet_size: PacketSize = None,
    interface: Interface = None,
    open_: Open = False,
    keys: ReceiverKeys = None,
    report: Annotated[
        bool,
        typer.Option(
            "--report",
            help="Report as a receiver does: its RTT is measured, and it may limit. Default: say nothing.",
        ),
    ] = False,
    seconds: Annotated[
        str | None, option("--for", "SECONDS", "End after so long. Default: go on until Ctrl-C.")
    ] = None,
    results: Results = None,
    as_json: Json = False,
) -> None:
    r"""Say each second who limits a session, and what is seen of it.

    It receives as any member does: the source's rate and what comes of it, losses, the round-trip time, and what the
    throughput equation says for these. It sends nothing unless --report is given.

    Example: faircast probe --from 239.255.0.1:5003 --interface lo \
                 --open --for 4 & \
             faircast send examples/scenarios --to 239.255.0.1:5003 \
                 --interface lo --open --max-rate 90kbit/s --patience 3; wait
    """
    given: dict[str, Given] = {
        "--from": from_,
        "--source": source,
        "--scheme": scheme,
        "--set": sets,
        "--packet-size": packet_size,
    }
    given |= {"--interface": interface, "--open": open_, "--keys": keys, "--report": report, "--for": seconds}
    carry_out("probe", [], given | {"--results": results, "--json": as_json})
