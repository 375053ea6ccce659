"""Events of a run as lines: when, to whom, what, from what to what, why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.causes.evidence import evidence_of
from faircast.causes.explanation import amount, digits, rate
from faircast.causes.rows import Rows
from faircast.errors import InputError, choose
from faircast.quantity import seconds

if TYPE_CHECKING:
    from faircast.results import RunResult
    from faircast.scenario import Source


def events_of(
    source: RunResult | Source | str | Path,
    *,
    start: str | float | None = None,
    stop: str | float | None = None,
    flow: str | None = None,
    receiver: str | None = None,
    event: str | None = None,
    seed: int | None = None,
    say: Callable[[str], None],
) -> Rows:
    """The events of a run that are asked for, in the order of time.

    Raises `InputError` for names and times that are not in the run.
    """
    start_s = 0.0 if start is None else seconds(start, "--from")
    stop_s = math.inf if stop is None else seconds(stop, "--to")
    evidence = evidence_of(source, seed, say)
    if start_s > evidence.duration_s:
        raise InputError(f"--from is {start_s:g} s; the run ends at {evidence.duration_s:g} s")
    if stop_s < start_s:
        raise InputError(f"--to is {stop_s:g} s, before --from, {start_s:g} s")
    events = evidence.events
    ways = evidence.map.ways
    if flow is not None:
        of_entry = [name for name in ways if name.rpartition("-")[0] == flow]
        events = events.having(flow=of_entry or [choose("flow or session", flow, list(ways))])
    if receiver is not None:
        members = [one for name, own in ways.items() for one in own if one != name]
        events = events.having(receiver=choose("receiver", receiver, members))
    if event is not None:
        known = sorted({line.partition(" ")[2] for line, _ in _catalogue()})
        events = events.having(event=choose("event", event, known))
    return events.between(start_s, stop_s)


COLUMNS = ["time, s", "whose", "event", "change", "cause"]
OF_LAYERS = ("layer-added", "layer-dropped", "join-heard")
"""Events whose layer is what they are about, as it is of all that a time or a report has caused; that of others is the
layer of the packet that is the cause."""


def cells(rows: Iterable[dict[str, Any]], units: dict[str, str]) -> list[list[str]]:
    """Events as cells of a table with the columns `COLUMNS`, as short as they can be understood.

    Whose it is, is the receiver, or the flow if it is about none. The receiver of a report is left out where an event
    just above, at the same moment, is this receiver's.
    """
    lines: list[list[str]] = []
    told: set[tuple[float, str, str]] = set()
    for row in rows:
        flow, receiver, other = row["flow"], row["receiver"], row["cause_receiver"]
        whose = receiver if receiver.startswith(flow) else f"{flow} {receiver}".strip()
        event, cause = row["event"], row["cause"]
        if not math.isnan(row["cause_number"]):
            cause += f" {row['cause_number']:.0f}"
        told.add((row["t_s"], flow, receiver))
        if other and (row["t_s"], flow, other) not in told:
            cause += f" of {other}"
        if not math.isnan(row["layer"]):
            if event in OF_LAYERS or row["cause"] in ("time", "report"):
                event += f" {digits(row['layer'])}"
            else:
                cause += f" of layer {digits(row['layer'])}"
        change = between(row["before"], row["after"], units.get(row["event"], "1"))
        lines.append([f"{row['t_s']:.4f}", whose, event, change, cause])
    return lines


def between(before: float, after: float, unit: str) -> str:
    """From what to what, with the unit once; what there is of the two if one is missing."""
    if math.isnan(before) and math.isnan(after):
        return ""
    if math.isnan(before) or math.isnan(after):
        return amount(after if math.isnan(before) else before, unit)
    if unit == "bit/s":
        larger = rate(max(abs(before), abs(after))).partition(" ")[2]
        size = {"Gbit/s": 1e9, "Mbit/s": 1e6, "kbit/s": 1e3}.get(larger, 1.0)
        return f"{digits(before / size)} to {digits(after / size)} {larger}"
    if unit == "s":
        return f"{amount(before, unit)} to {amount(after, unit)}"
    return f"{digits(before)} to {amount(after, unit)}"


def units() -> dict[str, str]:
    """The unit of what changes, by event."""
    found = {}
    for line, about in _catalogue():
        unit = about.partition(":")[0].partition(", in ")[2]
        found[line.partition(" ")[2]] = unit or "1"
    return found


def _catalogue() -> list[tuple[str, str]]:
    from faircast import _native

    return _native.catalogue()["events"]
