"""What the verbs that send and receive files by multicast share: options, and the way to the compiled commands.

The commands are those of the program of `crates/cast`, with the same options, checks and sentences: the verbs here say
what there is, for helps and shells, and hand on what was given as it was given.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from faircast.errors import InputError, NotFinishedError

Given = str | bool | list[str] | None
"""A value of an option as it stood on the command line."""


def option(name: str, metavar: str, about: str) -> typer.models.OptionInfo:
    """An option with a value. Whether it is needed, and what is legal, the command says."""
    found: typer.models.OptionInfo = typer.Option(name, metavar=metavar, help=about, show_default=False)
    return found


GROUP = "The first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000."
From = Annotated[str | None, option("--from", "GROUP:PORT", GROUP)]
Source = Annotated[
    str | None,
    option("--source", "ADDR", "Take what this host sends, and no other (source-specific multicast)."),
]
ReceiverKeys = Annotated[
    str | None, option("--keys", "FILE", "The keys of a receiver, receiver-N.key of faircast keys.")
]
Scheme = Annotated[
    str | None, option("--scheme", "NAME", "The scheme, as scenarios name it; both ends alike. Default tfmcc.")
]
Parameters = Annotated[
    list[str] | None, option("--set", "KEY=VALUE", "A parameter of the scheme, as in scenarios; both ends alike.")
]
PacketSize = Annotated[
    str | None,
    option(
        "--packet-size",
        "BYTES",
        "IP packets with data are this long at most, 256 to 9000; both ends alike. Default 1280.",
    ),
]
Interface = Annotated[
    str | None, option("--interface", "NAME", "The interface; default: that of the route to the group.")
]
Format = Annotated[
    str | None,
    option(
        "--format",
        "NAME",
        "How packets are written: faircast, or norm, which NORM (RFC 5740) reads and needs --open. Default faircast.",
    ),
]
Open = Annotated[bool, typer.Option("--open", help="No keys: nothing is encrypted, and everybody is believed.")]


Results = Annotated[
    str | None,
    option(
        "--results",
        "DIR",
        "A folder for rates, gauges and events, which faircast plot, why and report read. Default: none.",
    ),
]


def carry_out(verb: str, words: Sequence[str], options: Mapping[str, Given]) -> None:
    """Hand a command on with what was given, and end with its exit code. Raises `InputError` where there is none.

    Of what it has written down tables are made.
    """
    from faircast import _native

    if sys.platform != "linux":
        raise InputError(f"faircast {verb} uses sockets as Linux has them; this system is {sys.platform}")
    code = _native.cast([verb, *worded(options), "--", *words])
    results = options.get("--results")
    if isinstance(results, str) and code != BAD_INPUT:
        make_tables(Path(results))
    raise typer.Exit(code)


BAD_INPUT = 2


def make_tables(folder: Path) -> None:
    """Make tables of what a session has written into a folder. What stands in the way is told, and ends nothing."""
    from faircast.cli.endings import note
    from faircast.hosts.folder import conclude
    from faircast.hosts.records import JOURNAL

    if not (folder / JOURNAL).is_file():
        return
    try:
        conclude(folder)
    except (InputError, NotFinishedError) as error:
        note(f"no tables were made in {folder}: {error}")


def worded(options: Mapping[str, Given]) -> list[str]:
    """Options as words; what was not given is none."""
    listed: list[str] = []
    for name, value in options.items():
        match value:
            case None | False:
                pass
            case True:
                listed.append(name)
            case str():
                listed.append(f"{name}={value}")
            case _:
                listed.extend(f"{name}={one}" for one in value)
    return listed
