"""What is said of a session on hosts: who wrote it down, who limited it and when, and what is not known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from faircast.display.grid import rate_unit
from faircast.hosts.records import FAILED, HostRecord
from faircast.hosts.session import HostSession, moment
from faircast.plot.frame import time_text

if TYPE_CHECKING:
    from faircast.results import RunResult

NOT_SEEN = (
    "Hosts do not see what is between them: there are no links, no queues, no paths and no optimum here, and where a "
    "packet was lost is not known."
)
MOST = 6
"""Of receivers that are named."""


def ran(session: HostSession) -> list[str]:
    """What was written down, by whom."""
    first = session.records[0]
    ends = ", ".join(end(one) for one in session.records)
    said = [
        f"Measured on hosts, not simulated: {span(session.until_s)} of the session {session.name} "
        f"({first.head['session'].get('scheme')}), as seen by {ends}.",
        f"Time zero is {moment(session.began_s)} by the host's clock.",
    ]
    if len(session.records) > 1:
        said.append("Their times are put together by their clocks; by what these differ, so do the times here.")
    return said


def span(time_s: float) -> str:
    """A time to a tenth of a second."""
    return f"{time_s:.1f} s"


def end(record: HostRecord) -> str:
    """Who and where."""
    return f"{record.who} on {record.head.get('host') or 'a host'} ({record.head['interface']})"


def rates_are(session: HostSession) -> str:
    """What the rate of the session is."""
    if session.has_sender:
        return "What the sender sent: it does not know what came."
    return f"What came to {session.records[0].who}."


def came(session: HostSession, result: RunResult) -> list[str]:
    """What came out: rates, who limited, what the rate followed last."""
    said = []
    metrics = result.metrics()
    for subject, metric, _, value in metrics:
        if metric == "sending_rate":
            said.append(f"The sender sent {rate(value)} on average while it was written down.")
        elif metric == "rate":
            said.append(f"{subject} received {rate(value)} on average while it was a member.")
    events = [dict(zip(columns, row, strict=True)) for columns, row in rows_of(result)]
    # Who limits is known as long as the end that tells of it wrote: of several the sender.
    told_s = session.ends_s(session.records[0]) if session.has_sender else session.until_s
    said += limited(events, told_s, is_cut=told_s < session.until_s - session.records[0].head["interval_s"])
    said += followed(events)
    return said


def rows_of(result: RunResult) -> list[tuple[Sequence[str], Sequence[Any]]]:
    """Who limits and what is reported, row by row."""
    table = result.table("events")
    names = ("t_s", "receiver", "event", "before", "after", "receive_bps", "rtt_s", "loss_event_rate")
    keys = [name for name in names if name in table.column_names]
    columns = [table.column(name).to_pylist() for name in keys]
    return [(keys, row) for row in zip(*columns, strict=True)]


def limited(events: Sequence[dict[str, Any]], until_s: float, *, is_cut: bool) -> list[str]:
    """Who limited for which part of the time; `is_cut` if others wrote longer than the end that tells."""
    changes = [(one["t_s"], one["receiver"]) for one in events if one["event"] == "limiting-receiver"]
    if not changes:
        return ["No receiver was named that limits."]
    held: dict[str, float] = {}
    for (since_s, who), (end_s, _) in pairwise([*changes, (until_s, "")]):
        held[who] = held.get(who, 0.0) + max(0.0, end_s - since_s)
    total = sum(held.values())
    if total <= 0:
        return [f"{changes[-1][1] or 'Nobody'} limited the rate at the end."]
    ranked = sorted(held.items(), key=lambda item: -item[1])
    named = ", ".join(f"{who or 'nobody'} {part / total:.0%} of the time" for who, part in ranked[:MOST])
    more = f" and {len(ranked) - MOST} others the rest" if len(ranked) > MOST else ""
    times = len(changes) - 1
    changed = "It never changed." if not times else f"That changed {times} time{'s' * (times != 1)}."
    when = f"From {span(changes[0][0])} on"
    if is_cut:
        when = f"From {span(changes[0][0])} to {span(until_s)}, while the sender wrote it down,"
    return [f"{when} the rate was limited by {named}{more}. {changed}"]


def followed(events: Sequence[dict[str, Any]]) -> list[str]:
    """What the rate followed by the last report of who limits."""
    report = next((one for one in reversed(events) if one["event"] == "report"), None)
    if report is None:
        return []
    who, at = report["receiver"], span(report["t_s"])
    p, rtt_s = report.get("loss_event_rate", math.nan), report.get("rtt_s", math.nan)
    if p > 0:
        rule = f"the throughput equation with p = {p:.4g} and R = {time_text(rtt_s)}"
    else:
        rule = f"no loss, so twice what it received, at R = {time_text(rtt_s)}"
    return [f"By its last report, at {at}, {who} asked for {rate(report['after'])}: {rule}."]


def notes(session: HostSession) -> list[str]:
    """What is not there."""
    said = [NOT_SEEN]
    if not session.has_sender:
        said.append(
            "The sender's side is not here: its rate is known as its packets tell it, and what was reported to it is "
            "not. What its own --results wrote, beside this in one folder, is read together with it."
        )
    for record in session.records:
        said += of_record(record)
    return said


def of_record(record: HostRecord) -> list[str]:
    """What is to be known of what one end wrote down."""
    said = []
    if record.ended is None:
        said.append(
            f"What {record.who} wrote has no end: it goes on, or was killed, or its disk was full. It is there up to "
            f"{span(record.until_s)}; what came after the last whole second is not."
        )
    elif record.ended == FAILED:
        said.append(
            f"{record.who} ended at {span(record.until_s)} by an error, which it said itself; what came after the last "
            "whole second is not there."
        )
    elif record.ended != "done":
        said.append(f"{record.who} ended {record.ended}.")
    if record.again_s:
        times = ", ".join(span(at) for at in record.again_s[:MOST])
        said.append(f"{record.who} was started again at {times}; what was in between is not there.")
    if record.left_out:
        said.append(
            f"{record.left_out} events of {record.who} are not there: of a kind the first 250 of each second are kept."
        )
    if record.damaged:
        said.append(f"{record.damaged} records of {record.path} are damaged and left out.")
    return said


def table(result: RunResult) -> list[dict[str, Any]]:
    """The most important numbers as a table."""
    metrics = result.metrics()
    subjects = list(dict.fromkeys(subject for subject, *_ in metrics))
    highest = max((value for _, metric, unit, value in metrics if unit == "bit/s" and value == value), default=0.0)
    factor, unit = rate_unit(highest)
    rows = []
    for subject in subjects:
        rates = [metrics.get((subject, name)) for name in ("sending_rate", "rate", "goodput")]
        events = metrics.get((subject, "loss_events"))
        cells = ["-" if math.isnan(value) else f"{value * factor:.4g}" for value in rates]
        rows.append([subject, *cells, "-" if math.isnan(events) else f"{events:.0f}"])
    head = ["session, receiver", f"sent, {unit}", f"received, {unit}", f"goodput, {unit}", "loss events"]
    return [{"title": "Rates, means over what was written down", "columns": head, "rows": rows}]


def rate(bps: float) -> str:
    """A rate for people."""
    if math.isnan(bps):
        return "an unknown rate"
    factor, unit = rate_unit(bps)
    return f"{bps * factor:.4g} {unit}"
