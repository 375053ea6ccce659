"""``faircast paths``: the way between two nodes over time, without a packet."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from faircast.cli.common import Json, Sets, say, table, verb
from faircast.cli.endings import print_json

if TYPE_CHECKING:
    from faircast.ways import PathSeries

COLUMNS = ("t_s", "event", "delay_s", "hops", "way")


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML or JSON.", show_default=False)],
    from_: Annotated[
        str, typer.Option("--from", metavar="NODE", help="Where the way starts: a node or station.", show_default=False)
    ],
    to: Annotated[str, typer.Option("--to", metavar="NODE", help="Where it ends.", show_default=False)],
    both: Annotated[bool, typer.Option("--both", help="The way back, too.")] = False,
    interval: Annotated[str, typer.Option(metavar="TIME", help="Time between two samples of the delay.")] = "1 s",
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Where to stop; default: the end of the scenario.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="0 to 2^53 - 1; default: the scenario's, 1.", show_default=False)
    ] = None,
    sets: Sets = None,
    file_csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write samples and changes, as CSV.")
    ] = None,
    as_json: Json = False,
) -> None:
    r"""Show the way between two nodes over time, without packets.

    Over which links packets go and how long they take, as the network changes. Nothing is sent and
    the scenario needs no flows. A line for each change of the way; below, the delays of all samples and the hand-offs
    of the stations on the way.

    Example: faircast paths examples/scenarios/berkeley-boston.toml \
                 --from berkeley --to boston
    """
    from faircast.ways import several

    pairs = [(from_, to), (to, from_)] if both else [(from_, to)]
    found = several(pairs, file, interval=interval, until=until, seed=seed, sets=sets or [])
    if file_csv is not None:
        write(file_csv, found)
    if as_json:
        print_json({"paths": [to_json(one) for one in found]})
        return
    for one in found:
        show(one, interval)


def write(path: Path, found: list[PathSeries]) -> None:
    """All rows as CSV; a delay that there is not is left out."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["t_s", "from", "to", *COLUMNS[1:]])
        for one in found:
            for t_s, event, delay_s, hops, way in zip(*(getattr(one, name).tolist() for name in COLUMNS), strict=True):
                shown = "" if math.isnan(delay_s) else delay_s
                writer.writerow([t_s, one.from_, one.to, event, shown, hops, way])


def changes(one: PathSeries) -> list[tuple[float, str, float, int, str]]:
    """The first row and those at which the way changed."""
    rows = zip(*(getattr(one, name).tolist() for name in COLUMNS), strict=True)
    return [row for index, row in enumerate(rows) if index == 0 or row[1]]


def to_json(one: PathSeries) -> dict[str, Any]:
    """One direction for machines."""
    summary = vars(one.summary)
    return {
        "from": one.from_,
        "to": one.to,
        "end_s": one.end_s,
        "summary": summary,
        "changes": [dict(zip(COLUMNS, row, strict=True)) for row in changes(one)],
        "handoffs": {name: times.tolist() for name, times in one.handoffs.items()},
    }


def show(one: PathSeries, interval: str) -> None:
    """One direction for people."""
    rows = [
        [f"{t_s:.3f}", "-" if math.isnan(delay_s) else f"{1000 * delay_s:.3f}", str(hops), event, way]
        for t_s, event, delay_s, hops, way in changes(one)
    ]
    say(f"{one.from_} to {one.to}, 0 to {one.end_s:g} s")
    table(["time, s", "delay, ms", "hops", "event", "way"], rows, right=["time, s", "delay, ms", "hops"])
    summary = one.summary
    if not math.isnan(summary.min_s):
        low, mean, high = (f"{1000 * value:.3f}" for value in (summary.min_s, summary.mean_s, summary.max_s))
        say(f"delay {low} to {high} ms, mean {mean} ms of samples every {interval}")
    lost = f", lost {times(summary.lost)}" if summary.lost else ""
    say(f"path changes: {summary.changes}; without a way: {summary.without_s:g} s{lost}")
    for station, number in summary.handoffs.items():
        between = summary.between_s[station]
        every = "" if math.isnan(between) else f", {between:.1f} s from one to the next"
        say(f"hand-offs of {station}: {number}{every}")
    say()


def times(number: int) -> str:
    """`once`, `3 times`."""
    return "once" if number == 1 else f"{number} times"
