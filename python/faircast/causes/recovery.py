"""What holds the rate of TFMCC and OMCC down after a trouble, since when, and until when by the rule that holds it."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np

from faircast.causes.equation import Inputs
from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Step, digits, moment, rate, seconds
from faircast.causes.rows import Rows

DEEP = 0.25
"""A trouble begins where the rate falls below this part of the highest of the last minute,"""
BACK = 0.5
"""and is over when it is above this part of that."""
MEMORY_S = 60.0
SMALL = 0.01
"""What is asked for and what is sent are the same if they differ by less than this part."""
STEPS = 1000
"""In which a time is computed."""
OLD_WEIGHTS = 5.0
"""Of the closed loss intervals beside an open one, whose weight is 1 (RFC 4654 section 5.4, n = 8)."""


def steps(evidence: Evidence, events: Rows, flow: str, at_s: float, inputs: Inputs | None) -> list[Step]:
    """What is to be said at a moment of a session that is not back yet; nothing if it is.

    `inputs` are those of the last report of the receiver that limits.
    """
    ended = events.having(event="slow-start-ended").first()
    if ended is None:
        return []
    rates = events.having(event="rate").between(ended["t_s"], at_s)
    trouble = begun(rates)
    if trouble is None:
        return []
    since_s, before_bps = trouble
    last = rates.row(len(rates) - 1)
    now_bps, aim_bps = last["after"], BACK * before_bps
    facts: dict[str, Any] = {"since_s": since_s, "before_bps": before_bps, "now_bps": now_bps}
    head = (
        f"Since {moment(since_s)} the rate is below half of what it was before, {rate(before_bps)}; at {moment(at_s)} "
        f"it is {rate(now_bps)}."
    )
    limit = events.having(event="limiting-receiver").where_before(at_s + 1e-12).last()
    nobody = limit is not None and not limit["receiver"]
    report = events.having(event="report").where_before(at_s + 1e-12).last()
    if report is None or inputs is None or nobody or (last["cause"] == "time" and last["t_s"] > report["t_s"]):
        rule, more = _silence(evidence, flow, report, nobody=nobody)
    elif min(report["after"], inputs.max_bps) > (1 + SMALL) * now_bps:
        rule, more = _growth(evidence, flow, at_s, report, inputs, now_bps, aim_bps)
    else:
        rule, more = _history(evidence, events, flow, at_s, report, inputs, since_s, now_bps, aim_bps)
    return [Step("recovery", f"{head} {rule}", since_s, facts | more)]


def begun(rates: Rows) -> tuple[float, float] | None:
    """When the rate fell below half of what it was, and what that was, bit/s; None if it is back."""
    times, values = rates["t_s"].tolist(), rates["after"].tolist()
    highest: deque[tuple[float, float]] = deque()
    trouble: tuple[float, float] | None = None
    below_s = math.inf
    for t_s, bps in zip(times, values, strict=True):
        if trouble is not None:
            if bps >= BACK * trouble[1]:
                trouble = None
                highest.clear()
            else:
                continue
        while highest and highest[-1][1] <= bps:
            highest.pop()
        highest.append((t_s, bps))
        while highest[0][0] < t_s - MEMORY_S:
            highest.popleft()
        most = highest[0][1]
        below_s = math.inf if bps >= BACK * most else min(below_s, t_s)
        if bps < DEEP * most:
            trouble = (below_s, most)
    return trouble


def _silence(
    evidence: Evidence, flow: str, report: dict[str, Any] | None, *, nobody: bool
) -> tuple[str, dict[str, Any]]:
    """The source hears nothing."""
    session = evidence.scenario.data["sessions"][flow]
    heard = "no report has come yet" if report is None else f"the last report came at {moment(report['t_s'])}"
    if nobody or report is None:
        times, gaps, rtts = session.get("silence_rtts", 10), session.get("silence_gaps", 5), "R_max"
    else:
        times, gaps, rtts = session.get("halving_rtts", 4), session.get("halving_gaps", 2), "R"
    who = "nobody limits it and " if nobody else ""
    text = (
        f"Silence holds it down: {who}{heard}. Each {digits(times)} {rtts}, or {digits(gaps)} gaps between packets if "
        "that is longer, it is halved, until the next report comes (RFC 4654 section 3.3)."
    )
    return text, {"held_by": "silence", "until_s": None}


def _growth(
    evidence: Evidence, flow: str, at_s: float, report: dict[str, Any], inputs: Inputs, now_bps: float, aim_bps: float
) -> tuple[str, dict[str, Any]]:
    """It may grow by a packet per R_max in each R_max only."""
    asked_bps = report["after"]
    text = (
        f"Growth holds it down: {report['receiver']} asks for {rate(asked_bps)}, and the rate grows by a packet per "
        "R_max in each R_max at most (RFC 4654 section 3.3)."
    )
    facts: dict[str, Any] = {"held_by": "growth", "asked_bps": asked_bps, "until_s": None}
    speed = speed_bps2(evidence, flow, at_s, inputs)
    if math.isinf(speed):
        return text, facts
    goal = min(asked_bps, aim_bps)
    until_s = at_s + (goal - now_bps) / speed
    facts |= {"speed_bps2": speed, "until_s": until_s}
    name = "half of the rate before" if goal == aim_bps else "what is asked for"
    text += (
        f" With R_max = {seconds(math.sqrt(8 * inputs.packet_bytes / speed))} that is {rate(speed)} each second, so "
        f"that it has {name}, {rate(goal)}, at {moment(until_s)}, sooner if R_max falls."
    )
    return text, facts


def _history(
    evidence: Evidence,
    events: Rows,
    flow: str,
    at_s: float,
    report: dict[str, Any],
    inputs: Inputs,
    since_s: float,
    now_bps: float,
    aim_bps: float,
) -> tuple[str, dict[str, Any]]:
    """What the receiver remembers of losses, or its round-trip time."""
    receiver = report["receiver"]
    if inputs.p <= 0:
        text = f"What {receiver} receives holds it down: without a loss event it asks for twice that."
        return text, {"held_by": "receive-rate", "until_s": None}
    calm = events.having(event="report").where_before(since_s).last()
    if calm is not None and replace(inputs, rtt_s=calm["rtt_s"]).rate_bps() >= aim_bps:
        text = (
            f"The round-trip time of {receiver} holds it down: with R = {seconds(inputs.rtt_s)} it asks for "
            f"{rate(report['after'])}, and would ask for {rate(replace(inputs, rtt_s=calm['rtt_s']).rate_bps())} with "
            f"the {seconds(calm['rtt_s'])} of before, until enough packets have been measured (RFC 4654 section 4.3.2)."
        )
        return text, {"held_by": "round-trip-time", "rtt_s": inputs.rtt_s, "rtt_before_s": calm["rtt_s"]}
    text = (
        f"The loss history of {receiver} holds it down: it asks for {rate(report['after'])}, with p = "
        f"{digits(inputs.p)} from its last eight loss intervals (RFC 4654 section 5.4)."
    )
    facts: dict[str, Any] = {"held_by": "loss-history", "p": inputs.p, "receiver": receiver, "until_s": None}
    needed = loss_event_rate(inputs, aim_bps)
    loss = events.having(event="loss-event", receiver=receiver).where_before(at_s + 1e-12).last()
    if needed is None or loss is None:
        return text, facts
    mean = 1 / loss["after"] if loss["after"] > 0 else 1 / inputs.p
    session = evidence.scenario.data["sessions"][flow]
    threshold = session.get("discount_threshold", 0.5) if session.get("discounting", True) else 1.0
    whole = open_interval(mean, 1 / needed, threshold)
    so_far = min(sent_since(events, loss["t_s"], at_s) / (8 * inputs.packet_bytes), whole)
    until_s = at_s + time_to_send(
        inputs, mean, threshold, (so_far, whole), now_bps, speed_bps2(evidence, flow, at_s, inputs)
    )
    facts |= {"p_needed": needed, "packets": whole, "packets_so_far": so_far, "until_s": until_s}
    text += (
        f" Its last loss event was at {moment(loss['t_s'])}. For half of the rate before p must be {digits(needed)}: "
        f"by sections 5.4 and 5.5 that takes about {digits(whole)} packets in a row without a loss, of which "
        f"{digits(so_far)} have been sent; the others are by about {moment(until_s)}, if none is lost."
    )
    return text, facts


def loss_event_rate(inputs: Inputs, aim_bps: float) -> float | None:
    """The loss event rate with which the receiver asks for `aim_bps`; None if it is as high as that already."""
    if inputs.asked_bps() >= aim_bps:
        return None
    low, high = 1e-9, inputs.p
    for _ in range(100):
        middle = math.sqrt(low * high)
        asked = replace(inputs, p=middle).asked_bps()
        low, high = (middle, high) if asked > aim_bps else (low, middle)
    return math.sqrt(low * high)


def speed_bps2(evidence: Evidence, flow: str, at_s: float, inputs: Inputs) -> float:
    """By how much the rate may grow, bit/s each second; infinite where nothing tells. OMCC multiplies the increase."""
    flows = evidence.rows("flows")
    own = flows.having(flow=flow).where_before(at_s + 1e-9).last() if "max_rtt_s" in flows else None
    if own is None or math.isnan(own["max_rtt_s"]) or evidence.scenario.data["sessions"][flow]["scheme"] != "tfmcc":
        return math.inf
    return float(8 * inputs.packet_bytes / own["max_rtt_s"] ** 2)


def mean_interval(packets: float, mean: float, threshold: float) -> float:
    """The mean loss interval with so many packets since the last loss event, where the closed ones are all `mean`.

    Beyond twice the mean the closed ones are discounted, down to `threshold` (RFC 4654 section 5.5).
    """
    factor = max(threshold, 2 * mean / packets) if packets > 2 * mean else 1.0
    return max(mean, (packets + OLD_WEIGHTS * factor * mean) / (1 + OLD_WEIGHTS * factor))


def open_interval(mean: float, aim: float, threshold: float) -> float:
    """How many packets without a loss make the mean loss interval `aim` where the closed ones are all `mean`."""
    if aim <= mean:
        return mean
    low, high = mean, (1 + OLD_WEIGHTS) * aim
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if mean_interval(middle, mean, threshold) < aim else (low, middle)
    return 0.5 * (low + high)


def time_to_send(
    inputs: Inputs, mean: float, threshold: float, packets: tuple[float, float], now_bps: float, speed: float
) -> float:
    """How long it takes from so many packets without a loss to so many, seconds, if none is lost.

    The rate follows what is asked for then, growing by `speed` bit/s each second at most.
    """
    sent, whole = packets
    bps, time_s, part = now_bps, 0.0, (whole - sent) / STEPS
    for _ in range(STEPS):
        lasts_s = 8 * inputs.packet_bytes * part / bps
        sent, time_s = sent + part, time_s + lasts_s
        asked = replace(inputs, p=min(inputs.p, 1 / mean_interval(sent, mean, threshold))).rate_bps()
        bps = max(bps, min(asked, bps + speed * lasts_s))
    return time_s


def sent_since(events: Rows, start_s: float, at_s: float) -> float:
    """What was sent from one moment to another, bits, by the rates of the source."""
    rates = events.having(event="rate").where_before(at_s)
    if not len(rates):
        return 0.0
    times, values = rates["t_s"], rates["after"]
    first = int(np.searchsorted(times, start_s, side="right")) - 1
    values = values[max(first, 0) :]
    times = np.append(np.maximum(times[max(first, 0) :], start_s), at_s)
    return float(np.sum(values * np.diff(times)))
