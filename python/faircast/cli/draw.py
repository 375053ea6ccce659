"""``faircast draw``: receivers of a fitted model, as traces that links of a scenario take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faircast.cli.common import Json, definitions, say, verb
from faircast.cli.endings import print_json


@verb
def command(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model of faircast fit.", show_default=False)],
    receivers: Annotated[int, typer.Option(metavar="N", help="How many.", show_default=False)],
    duration: Annotated[str, typer.Option(metavar="TIME", help="How long.", show_default=False)],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="The folder of the traces, which is made.", show_default=False)
    ],
    seed: Annotated[int, typer.Option(metavar="N", help="What random numbers begin with.")] = 1,
    correlation: Annotated[
        float | None,
        typer.Option(metavar="R", help="Of each two receivers, 0 to below 1, in place of the fitted one."),
    ] = None,
    links: Annotated[
        str, typer.Option(metavar="NAME", help="Links in links.toml; * is the receiver's number.")
    ] = "access-right-*",
    as_json: Json = False,
) -> None:
    """Draw receivers of a fitted model as traces of links.

    The folder gets receiver-0.csv and so on, for `changes` of links, and links.toml, which says so for a scenario
    beside the folder. The same model, seed and duration give the same bytes.

    Example: faircast draw beam.json --receivers 20 --duration "1 h" --out drawn
    """
    from faircast.fitting.model import Fitted

    fitted = Fitted.load(model)
    drawn = fitted.draw(receivers, duration=duration, seed=seed, correlation=correlation)
    paths = drawn.write(out, links=links)
    if as_json:
        print_json({"files": [str(path) for path in paths], "fitted_to": fitted.fitted_to, "seed": seed})
        return
    steps = drawn.values.shape[1]
    traces = f"{paths[0]} to {paths[-2].name}" if receivers > 1 else str(paths[0])
    say(f"{traces}: {steps} steps of {drawn.step / 1e9:g} s each, seed {seed}")
    say(f"{paths[-1]}: tables of links that name them, for a scenario beside {out}")
    say("drawn from a model fitted to:")
    definitions([("", told) for told in fitted.fitted_to])
