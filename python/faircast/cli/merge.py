"""``faircast merge``: the shards of a sweep put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, say, verb
from faircast.cli.endings import print_json
from faircast.cli.sweep import Metrics, show, to_json
from faircast.errors import NOT_FINISHED


@verb
def command(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="The folders of all shards.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the whole sweep, which is made.")],
    metrics: Metrics = None,
    as_json: Json = False,
) -> None:
    r"""Put the shards of a sweep together in one folder.

    Shards are computed by `faircast sweep ... --shard K/N`, on machines that need not know of each other. The files of
    the folder are those that one sweep of all points would have written. Shards that are missing or unfinished are
    named as array jobs are: 3,7-9.

    Example: faircast merge part-* --out whole
    """
    from faircast.merging import merge
    from faircast.metrics import check_metric, parse_metric

    wanted = [parse_metric(text) for text in metrics or []]
    result = merge(*folders, out=out)
    for subject, metric in wanted:
        check_metric(subject, metric, result.metrics)
    if as_json:
        print_json(to_json(result))
    else:
        show(result, wanted)
        say(f"{result.found} runs of {len(folders)} shards")
    if result.failed:
        raise typer.Exit(NOT_FINISHED)
