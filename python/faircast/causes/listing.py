"""Events of a run as lines: when, to whom, what, from what to what, why."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.causes.evidence import evidence_of
from faircast.causes.explanation import amount, digits
from faircast.causes.question import moment_of
from faircast.causes.rows import Rows
from faircast.errors import InputError
from faircast.scenario import choose

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
    start_s = 0.0 if start is None else moment_of(start, "--from")
    stop_s = math.inf if stop is None else moment_of(stop, "--to")
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


def cells(row: dict[str, Any], units: dict[str, str]) -> list[str]:
    """An event as cells: time, flow, receiver, event, change, cause, and what else it tells."""
    before, after = row["before"], row["after"]
    unit = units.get(row["event"], "1")
    if math.isnan(before) and math.isnan(after):
        change = ""
    elif math.isnan(before) or math.isnan(after):
        change = amount(after if math.isnan(before) else before, unit)
    else:
        change = f"{amount(before, unit)} to {amount(after, unit)}"
    number = "" if math.isnan(row["cause_number"]) else f" {row['cause_number']:.0f}"
    cause = f"{row['cause']}{number}" + (f" of {row['cause_receiver']}" if row["cause_receiver"] else "")
    layer = "" if math.isnan(row["layer"]) else digits(row["layer"])
    return [f"{row['t_s']:.4f}", row["flow"], row["receiver"], row["event"], layer, change, cause]


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
