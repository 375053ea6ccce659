"""``faircast network``: a network from a file in GraphML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, say, verb
from faircast.cli.endings import print_json
from faircast.errors import InputError


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A network in GraphML.", show_default=False)],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The scenario to begin with.", show_default=False)],
    rate: Annotated[
        str | None, typer.Option(metavar="RATE", help="Of links of which the file says none.", show_default=False)
    ] = None,
    delay: Annotated[
        str | None, typer.Option(metavar="TIME", help="Of links of which an end has no place.", show_default=False)
    ] = None,
    speed: Annotated[float, typer.Option(metavar="KM/S", help="Of light in the fibre.")] = 200_000.0,
    detour: Annotated[float, typer.Option(metavar="F", help="Length of cables over the great circle.")] = 1.0,
    merge: Annotated[bool, typer.Option("--merge", help="Links between the same two nodes become one.")] = False,
    largest: Annotated[bool, typer.Option("--largest", help="Take the largest part that hangs together.")] = False,
    undirected: Annotated[
        bool, typer.Option("--undirected", help="Edges are links with both directions, whatever the file says.")
    ] = False,
    as_json: Json = False,
) -> None:
    r"""Make a network of links from GraphML with coordinates.

    The Topology Zoo's form: delays are great circles over the speed in fibre, rates LinkSpeedRaw or --rate. The file
    that is written is a scenario to which flows or sessions are added.

    Example: faircast network examples/networks/ring.graphml \
                 --rate "10 Gbit/s" --delay "2 ms" --out ring.toml
    """
    from faircast.maps.network import network
    from faircast.storage import new_file

    if out.exists():
        raise InputError(f"{out} is there already; name a new file")
    made = network(
        file,
        rate=rate,
        delay=delay,
        speed=speed,
        detour=detour,
        merge=merge,
        largest=largest,
        undirected=undirected,
    )
    try:
        with new_file(out) as stream:
            stream.write(made.toml().encode())
    except FileNotFoundError as error:
        raise InputError(f"{out} cannot be written: there is no folder {out.parent}") from error
    if as_json:
        print_json({"file": str(out), "name": made.name, **made.tables(), "remarks": list(made.remarks)})
        return
    delays = [link.delay / 1e6 for link in made.links]
    links = f"{len(made.links)} links with delays of {min(delays):.3g} to {max(delays):.3g} ms"
    links = links if len(delays) > 1 else f"1 link with a delay of {delays[0]:.3g} ms"
    say(f"{out}: {len(made.nodes)} nodes, {links}; add flows or sessions")
    for remark in made.remarks:
        say(remark)
