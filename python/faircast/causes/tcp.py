"""Windows of TCP: from a reduction or a time-out back to the segments that were lost or marked."""

from __future__ import annotations

import math
from typing import Any

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation, Step, counted, digits, listed, moment, seconds
from faircast.causes.fate import Trail, span_of
from faircast.quantity import read

REDUCTIONS = ("loss-reduction", "incipient-reduction", "moderate-reduction", "timeout", "unused-window")
ROUND_TRIPS = 8
"""Round-trip times before a reduction in which its segments are looked for."""


def explain(evidence: Evidence, flow: str, receiver: str, at_s: float) -> Explanation:
    """Why the window of a connection is what it is."""
    del receiver
    events = evidence.events.having(flow=flow, event=REDUCTIONS).between(0.0, at_s)
    event = events.between(at_s - evidence.interval_s, at_s).last() or events.last()
    steps: list[Step] = []
    if event is None:
        headline = f"The window of {flow} has not been reduced by {moment(at_s)}: no segment was lost or marked."
        return Explanation(flow, "", "tcp", evidence.seed, at_s, None, headline, (_state(evidence, flow, at_s),))
    at = event["t_s"]
    if event["event"] == "timeout":
        headline, steps = _of_timeout(evidence, flow, event)
    elif event["event"] == "loss-reduction":
        headline, steps = _of_loss(evidence, flow, event)
    elif event["event"] == "unused-window":
        headline, steps = _of_unused(flow, event)
    else:
        headline, steps = _of_mark(evidence, flow, event)
    if at < at_s - evidence.interval_s:
        headline += f" Nothing has reduced it since, for {seconds(at_s - at)}."
    steps.append(_state(evidence, flow, at_s))
    return Explanation(flow, "", "tcp", evidence.seed, at_s, at, headline, tuple(steps))


def _windows(event: dict[str, Any]) -> dict[str, Any]:
    names = ("cwnd_before_pkts", "cwnd_after_pkts", "ssthresh_before_pkts", "ssthresh_after_pkts")
    return {name: event[name] for name in names}


def _change(event: dict[str, Any]) -> str:
    threshold = digits(event["ssthresh_after_pkts"])
    was = digits(event["ssthresh_before_pkts"])
    moved = f"ssthresh from {was} to {threshold}" if was != threshold else f"ssthresh stayed {threshold}"
    return f"cwnd from {digits(event['cwnd_before_pkts'])} to {digits(event['cwnd_after_pkts'])} packets, {moved}"


def _trail(evidence: Evidence, flow: str, at: float) -> Trail:
    rtt = _srtt(evidence, flow, at)
    start = at - max(ROUND_TRIPS * rtt, 2 * evidence.interval_s)
    return Trail.of(evidence, flow, flow, max(0.0, start), at)


def _srtt(evidence: Evidence, flow: str, at: float) -> float:
    rows = evidence.rows("flows")
    last = rows.having(flow=flow).where_before(at + evidence.interval_s).last() if len(rows) else None
    value = math.nan if last is None else last["srtt_s"]
    return 1.0 if math.isnan(value) else float(value)


def _of_loss(evidence: Evidence, flow: str, event: dict[str, Any]) -> tuple[str, list[Step]]:
    at, number = event["t_s"], event["cause_number"]
    headline = f"{flow} reduced its window at {moment(at)} after a loss: {_change(event)}."
    steps = [
        Step(
            "change",
            f"Duplicate acknowledgements showed that segment {number:.0f} was missing.",
            at,
            {"number": number, **_windows(event)},
        )
    ]
    trail = _trail(evidence, flow, at)
    end = trail.end_of(number, before_s=at)
    if end is None:
        steps.append(_not_lost(trail, number, at))
        return headline, steps
    steps.append(trail.step(end, f"segment {number:.0f}"))
    others = list(span_of(trail.ends().between(end["t_s"], at).where_any(lambda row: row["number"] != number)))
    if others:
        text = (
            f"{counted(len(others), 'more segment')} of the same window did not come, up to the reduction: "
            f"{listed(others)}. "
            "One reduction answers all of them."
        )
        steps.append(Step("packets", text, None, {"numbers": others}))
    return headline, steps


def _not_lost(trail: Trail, number: float, at: float) -> Step:
    seen = trail.seen(number).last()
    where = (
        f"; it was last seen at {seen['link'] or seen['node']} at {moment(seen['t_s'])} ({seen['action']})"
        if seen
        else ""
    )
    down = trail.down(at)
    tail = f" Down at that moment: {down}." if down else ""
    return Step(
        "packet",
        f"Segment {number:.0f} was not dropped or lost on its way{where}: it came late or out of order.{tail}",
        None,
        {"number": number, "down": down or None},
    )


def _of_timeout(evidence: Evidence, flow: str, event: dict[str, Any]) -> tuple[str, list[Step]]:
    at, number, timer = event["t_s"], event["cause_number"], event["before"]
    headline = f"{flow} had a time-out at {moment(at)}: {_change(event)}."
    steps = [
        Step(
            "change",
            f"The retransmission timer, {seconds(timer)}, expired: segment {number:.0f}, the first outstanding "
            f"one, had not "
            "been acknowledged.",
            at,
            {"number": number, "timer_s": timer, **_windows(event)},
        )
    ]
    start = max(0.0, at - 2 * timer - 2 * evidence.interval_s)
    trail = Trail.of(evidence, flow, flow, start, at)
    ends = trail.ends().having(number=number)
    for index, end in enumerate(ends):
        again = "the repetition of segment" if end["is_retransmission"] else "segment"
        if index < 3:
            steps.append(trail.step(end, f"{again} {number:.0f}"))
    if not len(ends):
        answers = trail.lost_answers()
        first = answers.first()
        if first is not None:
            step = trail.step(first, "the first of them")
            text = f"The segment came, but {counted(len(answers), 'acknowledgement')} did not come back. {step.text}"
            steps.append(Step("packets", text, step.t_s, step.facts | {"count": len(answers)}))
        else:
            steps.append(_not_lost(trail, number, at))
    others = list(span_of(trail.ends().where_any(lambda row: row["number"] != number)))
    if others:
        several = counted(len(others), "other segment")
        text = f"In the {seconds(at - start)} before {several} did not come either: {listed(others)}."
        steps.append(Step("packets", text, None, {"numbers": others}))
    return headline, steps


def _of_unused(flow: str, event: dict[str, Any]) -> tuple[str, list[Step]]:
    at = event["t_s"]
    headline = f"{flow} reduced its window at {moment(at)} as its application had not used it: {_change(event)}."
    text = "Before that the application had nothing to send, or little, for long; nothing was lost."
    return headline, [Step("application", text, at, _windows(event))]


def _of_mark(evidence: Evidence, flow: str, event: dict[str, Any]) -> tuple[str, list[Step]]:
    at, level = event["t_s"], event["event"].partition("-")[0]
    flows = evidence.scenario.data.get("flows", {})
    degree = f" ({level})" if dict(flows.get(flow) or flows[flow.rpartition("-")[0]]).get("ecn") == "mecn" else ""
    headline = f"{flow} reduced its window at {moment(at)} after a congestion mark{degree}: {_change(event)}."
    number = event["cause_number"]
    steps = [
        Step(
            "change",
            f"The acknowledgement that asks for segment {number:.0f} carried the echo of a mark.",
            at,
            {"number": number, "level": level, **_windows(event)},
        )
    ]
    trail = _trail(evidence, flow, at)
    marks = trail.marks().where_any(lambda row: row["number"] < number).where_before(at)
    last = marks.last()
    if last is None:
        text = "No segment before that is known to have been marked on the way: it was marked earlier than was looked."
        return headline, [*steps, Step("packet", text, None, {"number": None})]
    return headline, [*steps, trail.step(last, f"segment {last['number']:.0f}")]


def _state(evidence: Evidence, flow: str, at_s: float) -> Step:
    """What limits the connection at the moment that was asked for."""
    rows = evidence.rows("flows")
    own = rows.having(flow=flow) if len(rows) else rows
    after = own.where(own["t_s"] >= at_s - 1e-9).first() if len(own) else None
    row = after or (own.last() if len(own) else None)
    if row is None:
        return Step("limit", f"The table flows has no row of {flow} at that time.", None, {})
    cwnd, ssthresh = row["cwnd_pkts"], row["ssthresh_pkts"]
    held = row["window_limited_s"]
    facts = {"cwnd_pkts": cwnd, "ssthresh_pkts": ssthresh, "window_limited_s": held}
    at = moment(row["t_s"])
    if held > evidence.interval_s / 2:
        wnd = _parameter(evidence, flow, "wnd")
        limit = f", {wnd}" if wnd else ""
        part = f"{seconds(held)} of the last {seconds(evidence.interval_s)}"
        text = f"At {at} the receiver's window{limit}, held it: for {part}."
    elif row.get("application_waiting_pkts") == 0:
        facts["application_waiting_pkts"] = 0.0
        text = f"At {at} its application limited it: nothing waited to be sent."
    elif cwnd < ssthresh:
        text = f"At {at} it is in slow start: cwnd is {digits(cwnd)} packets, ssthresh {digits(ssthresh)}."
    else:
        text = (
            f"At {at} it is in congestion avoidance: cwnd is {digits(cwnd)} packets, ssthresh "
            f"{digits(ssthresh)}; the window "
            "limits it and grows until the next loss or mark."
        )
    return Step("limit", text, row["t_s"], facts)


def _parameter(evidence: Evidence, flow: str, key: str) -> str:
    flows = evidence.scenario.data.get("flows", {})
    entry = flows.get(flow) or flows.get(flow.rpartition("-")[0], {})
    value = entry.get(key)
    return str(value) if read(value) is not None else ""
