"""``faircast fit``: a model of measured series that draws receivers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faircast.cli.common import Json, definitions, say, table, verb
from faircast.cli.endings import print_json
from faircast.errors import InputError

if TYPE_CHECKING:
    from faircast.fitting.checking import Check, Numbers
    from faircast.fitting.model import Fitted

SHOWN = 8
"""Receivers, and pairs of them, that are shown one by one."""


@verb
def command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Measurements, a file for each receiver.", show_default=False),
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the model here, for faircast draw.", show_default=False)
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            help="Which one of several: rate, delay, loss; of LENS rtt, uplink, downlink.", show_default=False
        ),
    ] = None,
    step: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time between two levels; default: that of the first file.")
    ] = None,
    period: Annotated[
        str, typer.Option(metavar="TIME", help="Slots to look for, in which all may change at once; none for no slots.")
    ] = "15 s",
    separate: Annotated[bool, typer.Option("--separate", help="The files were not measured at the same time.")] = False,
    as_json: Json = False,
) -> None:
    """Fit a model of levels and correlations to measurements.

    Files are a CSV as links have it (time and rate, delay or loss), LENS's CSV, or Mahimahi's. The model draws any
    number of receivers: faircast draw.

    Example: faircast fit examples/measured/beam-*.csv --out beam.json
    """
    from faircast.fitting.estimate import fit
    from faircast.fitting.model import Fitted

    if out is not None and out.exists():
        try:
            Fitted.load(out)
        except InputError:
            raise InputError(f"{out} is there already and no model of faircast fit; name another file") from None
    model = fit(*files, column=column, step=step, period=None if period == "none" else period, separate=separate)
    found = model.check()
    if out is not None:
        model.save(out)
    if as_json:
        print_json(to_json(model, found))
        return
    show(model, found, period)
    if out is not None:
        say()
        say(f"{out} is the model; faircast draw {out} draws receivers")


def show(model: Fitted, found: Check, period: str) -> None:
    """What it was fitted to, how well, and what it cannot say."""
    from faircast.fitting.model import SHOWN as UNITS

    say(f"fitted: the {model.quantity} of {len(model.receivers)} {plural('receiver', len(model.receivers))}")
    definitions([("", told) for told in model.fitted_to])

    scale, unit = UNITS[model.quantity]
    rows = []
    for i, (one, measured, drawn) in enumerate(zip(model.receivers, found.measured, found.drawn, strict=True)):
        if i < SHOWN:
            name = Path(one.file).name
            rows.append([name, "measured", *cells(measured, scale, one.mean_error)])
            rows.append([name, "drawn", *cells(drawn, scale, None)])
    numbers = [f"mean [{unit}]", "5 %", "median", "95 %", "out [%]", "lag 1", "lag 10", "levels, lag 1"]
    table(["receiver", "", *numbers], rows, right=numbers, whole=["receiver"])
    left = len(model.receivers) - SHOWN
    if left > 0:
        say(f"and {left} more; --json lists them all")
    shown_pairs(model, found)
    if model.slots:
        shares = [f"{one.memory.slot_share:.2f}" for one in model.receivers[:SHOWN]]
        say(
            f"slots: levels change at {model.slots.offset / 1e9:g} s and every {model.slots.period / 1e9:g} s after; "
            f"share of the variance that stays within a slot: {', '.join(shares)}{', ..' if left > 0 else ''}"
        )
    else:
        say(f"slots: {none_why(model, period)}")
    say(
        "lag 1, lag 10: correlation of ranks so many steps apart, outages as the worst; drawn: over "
        f"{found.steps} steps"
    )
    say()
    say("What this model cannot say:")
    definitions([("", told) for told in model.cannot_say])


def none_why(model: Fitted, period: str) -> str:
    """Why the model has no slots of a period that was asked for."""
    from faircast.fitting.memory import LEAST_STEPS, SLOTS
    from faircast.quantity import seconds

    if period == "none":
        return "none were looked for"
    length = seconds(period, "the period") * 1e9
    if length <= (LEAST_STEPS - 1) * model.step:
        return f"steps of {model.step / 1e9:g} s are too long to see any of {period}"
    there = int(max(one.steps for one in model.receivers) * model.step / length)
    if there <= SLOTS:
        return f"{there} of {period} were measured, and below {SLOTS + 1} none can be seen; the model has none"
    return f"the data show none of {period}"


def shown_pairs(model: Fitted, found: Check) -> None:
    """How receivers go together, measured and drawn."""
    if not found.measured_pairs:
        say("between receivers: not known; faircast draw needs --correlation for more than one")
        return
    names = [Path(one.file).name for one in model.receivers]
    rows = []
    for (i, j), (ranks, levels) in list(found.measured_pairs.items())[:SHOWN]:
        drawn_ranks, drawn_levels = found.drawn_pairs[i, j]
        rows.append(
            [f"{names[i]}, {names[j]}", f"{ranks:.3f}", f"{drawn_ranks:.3f}", f"{levels:.3f}", f"{drawn_levels:.3f}"]
        )
    numbers = ["ranks measured", "ranks drawn", "levels measured", "levels drawn"]
    table(["between receivers", *numbers], rows, right=numbers, whole=["between receivers"])
    left = len(found.measured_pairs) - SHOWN
    if left > 0:
        say(f"and {left} more pairs; --json lists them all")
    say(f"standard error of a measured one: {model.correlation_error:.3f} at most")


def cells(of: Numbers, scale: float, error: float | None) -> list[str]:
    """The numbers of one receiver."""
    mean = f"{of.mean * scale:.4g}" + (f" ± {error * scale:.2g}" if error is not None else "")
    quantiles = [f"{x * scale:.4g}" for x in (of.low, of.median, of.high)]
    return [mean, *quantiles, f"{of.out * 100:.2f}", *(f"{x:.3f}" for x in of.lags), f"{of.values:.3f}"]


def plural(word: str, n: int) -> str:
    """The word for so many."""
    return word if n == 1 else f"{word}s"


def to_json(model: Fitted, found: Check) -> object:
    """The model, how well it fits, and what it cannot say."""
    from dataclasses import asdict

    pairs = [
        {
            "receivers": [i, j],
            "measured": {"ranks": ranks, "levels": levels},
            "drawn": {"ranks": found.drawn_pairs[i, j][0], "levels": found.drawn_pairs[i, j][1]},
        }
        for (i, j), (ranks, levels) in found.measured_pairs.items()
    ]
    receivers = [
        {"measured": asdict(measured), "drawn": asdict(drawn)}
        for measured, drawn in zip(found.measured, found.drawn, strict=True)
    ]
    return {
        "model": asdict(model),
        "receivers": receivers,
        "pairs": pairs,
        "steps_drawn": found.steps,
        "fitted_to": model.fitted_to,
        "cannot_say": model.cannot_say,
    }
