"""Pictures of those who play a session: which segment was not there when it was due, and what had become of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation, Step, counted, moment, rate, seconds
from faircast.causes.fate import Trail
from faircast.causes.rows import Rows
from faircast.errors import InputError
from faircast.quantity import seconds as read

PLACES = {
    "dropped-overflow": "dropped at the full queue of",
    "dropped-active": "dropped by decision of the queue of",
    "dropped-down": "dropped while it was down by",
}
"""How it is said where packets ended."""


def explain(evidence: Evidence, flow: str, receiver: str, at_s: float) -> Explanation:
    """Why the picture of a receiver stopped last by a moment; without a name that which stands still longest then."""
    rows = _rows(evidence, flow)
    stopped = rows.where(rows["stall_s"] > 0).where_any(lambda row: row["t_s"] <= at_s)
    if receiver:
        stopped = stopped.having(receiver=receiver)
    kind = str(evidence.scenario.data["sessions"][flow]["scheme"])
    row = _choice(stopped, at_s)
    if row is None:
        whose = f"The picture of {receiver}" if receiver else f"No picture of {flow}"
        headline = f"{whose} has {'not ' * bool(receiver)}stopped by {moment(at_s)}."
        return Explanation(flow, receiver, kind, evidence.seed, at_s, None, headline, _dark(rows, flow, receiver))
    who, since, until = str(row["receiver"]), float(row["t_s"]), float(row["t_s"] + row["stall_s"])
    own = stopped.having(receiver=who)
    # Segments that were skipped one after the other are one stall; the first of them is explained.
    for earlier in reversed(list(own.where_before(since))):
        if earlier["layers"] == 0 and abs(earlier["t_s"] + earlier["stall_s"] - since) < 1e-6:
            since, row = float(earlier["t_s"]), earlier
    skipped = len(own.between(since, at_s).having(layers=0))
    headline = f"The picture of {who} stopped at {moment(since)}"
    headline += f", for {seconds(until - since)}." if until <= at_s else f" and stands still at {moment(at_s)}."
    steps = [_due(row, skipped)]
    steps += _sent(evidence, flow, row) if math.isnan(row["sent_s"]) else _lost(evidence, flow, who, row)
    return Explanation(flow, who, kind, evidence.seed, at_s, since, headline, tuple(steps))


def _rows(evidence: Evidence, flow: str) -> Rows:
    rows = evidence.rows("playback")
    if "session" not in rows or "playout" not in evidence.scenario.data["sessions"].get(flow, {}):
        raise InputError(f"nobody plays {flow}: it has no playout, so there is no picture that could stop")
    return rows.having(session=flow)


def _choice(stopped: Rows, at_s: float) -> dict[str, Any] | None:
    """The stall of a moment that is longest by then; the last one before if nothing stands still."""
    if not len(stopped):
        return None
    ends = stopped["t_s"] + stopped["stall_s"]
    now = stopped.where(ends >= at_s)
    if len(now):
        return now.row(int(np.argmin(now["t_s"])))
    return stopped.row(int(np.argmax(ends)))


def _dark(rows: Rows, flow: str, receiver: str) -> tuple[Step, ...]:
    """That a receiver has seen nothing at all."""
    if not receiver or len(rows.having(receiver=receiver)):
        return ()
    text = f"{receiver} has seen nothing of {flow}: never were as many whole segments there in a row as start asks."
    return (Step("change", text, None, {"receiver": receiver}),)


def _due(row: dict[str, Any], skipped: int) -> Step:
    missing, enough, segment = int(row["missing_pkts"]), int(row["enough_pkts"]), int(row["segment"])
    text = f"Segment {segment} was due then"
    if not enough:
        text += ", of which the source had sent nothing."
    else:
        text += f", and {missing} of the {counted(enough, 'packet')} that are enough had not come."
    if skipped > 1:
        text += f" {skipped - 1} more after it {'were' if skipped > 2 else 'was'} not there in time."
    facts = {"segment": segment, "missing": missing, "enough": enough, "skipped": skipped}
    return Step("change", text, float(row["t_s"]), facts)


def _sent(evidence: Evidence, flow: str, row: dict[str, Any]) -> list[Step]:
    """What kept the source from sending a segment in time."""
    due = float(row["t_s"])
    steps = [Step("limit", f"The source had not sent them by {moment(due)}.", due, {})]
    flows = evidence.rows("flows")
    if not len(flows):
        return steps
    before = flows.having(flow=flow).where_before(due).last()
    if before is None or math.isnan(before["rate_bps"]):
        return steps
    sending = float(before.get("sending_bps", math.nan))
    sent = rate(sending if not math.isnan(sending) else float(before["rate_bps"]))
    text = f"Its rate was {sent} at {moment(before['t_s'])}"
    media = evidence.scenario.data["sessions"][flow]["playout"].get("media_rate")
    if media is not None:
        lowest = media if isinstance(media, str) else media[0]
        text += f"; the media take {lowest}{'' if isinstance(media, str) else ' at the least'}"
    text += f". What had lowered it says faircast why --flow {flow} --at '{before['t_s']:g} s'."
    return [*steps, Step("inputs", text, float(before["t_s"]), {"sending": sent})]


def _lost(evidence: Evidence, flow: str, who: str, row: dict[str, Any]) -> list[Step]:
    """Where packets of a segment were lost that the source had sent in time."""
    due, sent = float(row["t_s"]), float(row["sent_s"])
    steps = [Step("limit", f"The source had sent these by {moment(sent)}.", sent, {})]
    length = evidence.scenario.data["sessions"][flow]["playout"].get("segment", "2 s")
    begin = sent - read(length, "segment")
    trail = Trail.of_ends(evidence, flow, who, begin, due)
    ends = trail.ends()
    if "group" in ends and len(ends.having(group=0)):
        ends = ends.having(group=0)
    if not len(ends):
        text = f"None of its packets was lost on the way to {who} from {moment(begin)} on: they came too late."
        return [*steps, Step("packet", text, begin, {})]
    places: dict[str, int] = {}
    for end in ends:
        action = str(end["action"])
        place = f"{PLACES.get(action, action.replace('-', ' ') + ' at')} {end['link'] or end['node']}"
        places[place] = places.get(place, 0) + 1
    told = ", ".join(f"{number} {place}" for place, number in sorted(places.items(), key=lambda item: -item[1]))
    text = f"From {moment(begin)} to {moment(due)} packets of {flow} did not come to {who}: {told}."
    first = ends.row(0)
    return [
        *steps,
        Step("packet", text, begin, {"lost": len(ends)}),
        trail.step(first, f"packet {int(first['number'])}" if not math.isnan(first["number"]) else "the first of them"),
    ]
