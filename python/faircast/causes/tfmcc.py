"""Rates of TFMCC and OMCC: from the rate back to a report, its inputs, a loss event, a packet."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from faircast.causes import recovery
from faircast.causes.equation import Inputs
from faircast.causes.evidence import NOT_SEEN, Evidence
from faircast.causes.explanation import Explanation, Step, by, counted, digits, listed, moment, rate, seconds
from faircast.causes.fate import Trail, span_of
from faircast.causes.rows import Rows
from faircast.hosts.records import SENDER
from faircast.quantity import BYTES, RATES, read

SMALL = 0.01
"""A change of an input by less than this part is not mentioned."""
ROUND_TRIPS = 12
"""Round-trip times before a loss event in which its packet is looked for: it was sent one before, found one after."""


def explain(evidence: Evidence, flow: str, receiver: str, at_s: float) -> Explanation:
    """Why the rate of a session is what it is, or what one of its receivers found."""
    events = evidence.events.having(flow=flow).between(0.0, at_s)
    if receiver:
        return _of_receiver(evidence, events, flow, receiver, at_s)
    rates = events.having(event="rate")
    target = chosen(rates, at_s, evidence.interval_s)
    report = events.having(event="report").last()
    if target is None and report is None:
        return _nothing(evidence, flow, at_s)
    ramping = report is not None and _in_slow_start(events, report)
    if target is None or (report is not None and ramping and target["t_s"] <= report["t_s"]):
        assert report is not None
        return _in_ramp(evidence, events, flow, report, at_s)
    if is_steady(rates, target, at_s, evidence.interval_s):
        found = _steady(evidence, events, flow, target, report, at_s)
    else:
        found = _of_rate(evidence, events, flow, target, at_s)
    inputs = None if report is None else inputs_of(evidence, flow, report)
    return replace(found, steps=(*found.steps, *recovery.steps(evidence, events, flow, at_s, inputs)))


def chosen(rows: Rows, at_s: float, interval_s: float) -> dict[str, Any] | None:
    """The largest fall in the interval before a moment; without one the last change before it.

    A fall by less than a hundredth counts only where nothing has risen.
    """
    recent = rows.between(at_s - interval_s, at_s)
    if not len(recent):
        return rows.last()
    part = recent["after"] / recent["before"]
    rises = recent.where(part >= 1)
    return rises.last() if part.min() > 1 - SMALL and len(rises) else recent.row(int(part.argmin()))


def is_steady(rows: Rows, target: dict[str, Any], at_s: float, interval_s: float) -> bool:
    """Whether rates in the interval before a moment, without any those of the last change, are within a hundredth."""
    recent = rows.between(at_s - interval_s, at_s)
    values = [*recent["before"], *recent["after"]] if len(recent) else [target["before"], target["after"]]
    return bool(max(values) <= (1 + SMALL) * min(values))


def _steady(
    evidence: Evidence,
    events: Rows,
    flow: str,
    target: dict[str, Any],
    report: dict[str, Any] | None,
    at_s: float,
) -> Explanation:
    """Nothing to explain but what holds the rate where it is."""
    now = events.having(event="rate").last() or target
    interval = seconds(evidence.interval_s)
    headline = (
        f"The rate of {flow} stayed about {rate(now['after'])}: in the {interval} before {moment(at_s)} nothing "
        "changed it by more than a hundredth."
    )
    steps = [_who_limits(events, at_s, "" if report is None else report["receiver"])]
    if report is None:
        return Explanation(flow, "", _kind(evidence, flow), evidence.seed, at_s, target["t_s"], headline, tuple(steps))
    inputs = inputs_of(evidence, flow, report)
    steps.insert(0, _equation(inputs, report, now["after"], report["receiver"]))
    return Explanation(
        flow,
        "",
        _kind(evidence, flow),
        evidence.seed,
        at_s,
        target["t_s"],
        headline,
        tuple(steps),
        inputs.what_ifs(),
        inputs.rate_bps(),
    )


def inputs_of(evidence: Evidence, flow: str, report: dict[str, Any]) -> Inputs:
    """What a report of the limiting receiver says, and what the session's parameters make of it."""
    session = evidence.scenario.data["sessions"][flow]
    size, most = read(session.get("packet_size", "1000 B")), read(session.get("max_rate", ""))
    return Inputs(
        packet_bytes=size.number * BYTES[size.unit] if size else 1000.0,
        receive_bps=report["receive_bps"],
        rtt_s=report["rtt_s"],
        p=report["loss_event_rate"],
        factor=report["factor"],
        is_capped=session.get("f_apply") == "receive-rate",
        max_bps=min(most.number * RATES[most.unit] if most else math.inf, evidence.map.line_bps(flow)),
    )


def _in_slow_start(events: Rows, report: dict[str, Any]) -> bool:
    return not len(events.having(event="slow-start-ended").where_before(report["t_s"] + 1e-12))


def _of_rate(evidence: Evidence, events: Rows, flow: str, target: dict[str, Any], at_s: float) -> Explanation:
    at, before, after = target["t_s"], target["before"], target["after"]
    verb = "fell" if after < before else "rose"
    headline = f"The rate of {flow} {verb} from {rate(before)} to {rate(after)} ({by(before, after)}) at {moment(at)}."
    facts = {"before_bps": before, "after_bps": after}
    if target["cause"] == "application":
        return _of_rest(evidence, events, flow, target, at_s, headline)
    if target["cause"] == "time":
        return _of_silence(evidence, events, flow, target, at_s, headline)
    limits = target["cause_receiver"]
    reports = events.having(event="report").where_before(at + 1e-12)
    report = reports.last()
    steps = [
        Step(
            "change",
            f"The source changed its rate when a report of {limits} came (feedback round "
            f"{digits(target['cause_number'])}).",
            at,
            {**facts, "receiver": limits},
        )
    ]
    if report is None:
        return Explanation(flow, "", _kind(evidence, flow), evidence.seed, at_s, at, headline, tuple(steps))
    inputs = inputs_of(evidence, flow, report)
    # No other rule takes more than a report asks for.
    is_halved = evidence.scenario.data["sessions"][flow].get("data_limited") == "rfc5348" and after < before
    steps.append(_equation(inputs, report, after, limits, is_halved=is_halved))
    earlier = reports.where_before(report["t_s"]).last()
    new = events.having(event="limiting-receiver").between(report["t_s"], at).last()
    grew, is_new = False, False
    if new is not None or (earlier is not None and earlier["receiver"] != report["receiver"]):
        old = earlier["receiver"] if earlier is not None else ""
        text = f"{limits} limits from this report on" + (f" in place of {old}." if old and old != limits else ".")
        steps.append(Step("limit", text, report["t_s"], {"receiver": limits, "before": old or None}))
        grew = is_new = True
    elif earlier is not None:
        changes, grew = _differences(inputs, inputs_of(evidence, flow, earlier))
        if abs(inputs.rtt_s / inputs_of(evidence, flow, earlier).rtt_s - 1) >= SMALL:
            changes += _queue_on_the_way(evidence, flow, limits, report["t_s"])
        steps.append(
            Step(
                "inputs",
                changes,
                report["t_s"],
                {"before": vars(inputs_of(evidence, flow, earlier)), "after": vars(inputs)},
            )
        )
    start_s = earlier["t_s"] if earlier is not None else 0.0
    if after < before and grew:
        steps += _loss_event(evidence, events, flow, limits, start_s, report, is_new=is_new)
    elif after >= before and evidence.knows(limits):
        steps.append(_since_loss(events, limits, report, earlier))
    steps.append(_who_limits(events, at_s, limits))
    what_ifs = inputs.what_ifs()
    return Explanation(
        flow, "", _kind(evidence, flow), evidence.seed, at_s, at, headline, tuple(steps), what_ifs, inputs.rate_bps()
    )


def _equation(inputs: Inputs, report: dict[str, Any], after: float, limits: str, *, is_halved: bool = False) -> Step:
    asked = report["after"]
    facts = {"asked_bps": asked, **vars(inputs)}
    if inputs.p > 0:
        factor = f", times f(N) = {digits(inputs.factor)}" if inputs.factor != 1 else ""
        text = (
            f"{limits} asked for {rate(asked)}: the throughput equation with R = {seconds(inputs.rtt_s)} and p = "
            f"{digits(inputs.p)} (one loss event in {digits(1 / inputs.p)} packets){factor}. It received "
            f"{rate(inputs.receive_bps)}."
        )
    else:
        text = f"{limits} has had no loss, so it asked for twice what it received, 2 x {rate(inputs.receive_bps)}."
    if is_halved and after < (1 - SMALL) * asked:
        text += (
            f" The source went to {rate(after)}: there was a loss while the application had less to send than its "
            'rate, and data_limited = "rfc5348" then halves what it is allowed by.'
        )
    elif abs(after / asked - 1) > SMALL:
        text += (
            f" The source went to {rate(after)}: its rate grows by a packet per R_max in each R_max at most."
            if after < asked
            else f" The source went to {rate(after)}, the nearest that its bounds allow."
        )
    return Step("report", text, report["t_s"], facts)


def _differences(now: Inputs, before: Inputs) -> tuple[str, bool]:
    """What changed of the inputs since the last report, and whether p grew."""
    told, grew = [], False
    names = (("p", "p", digits), ("rtt_s", "R", seconds), ("factor", "f(N)", digits))
    for field, name, shown in names:
        old, new = getattr(before, field), getattr(now, field)
        if old == new or (old > 0 and abs(new / old - 1) < SMALL and not (field == "p" and new > old)):
            continue
        alone = Inputs(**{**vars(before), field: new}).rate_bps()
        verb = "rose" if new > old else "fell"
        told.append(
            f"{name} {verb} from {shown(old)} to {shown(new)}, which alone turns {rate(before.rate_bps())} into "
            f"{rate(alone)}"
        )
        grew = grew or (field == "p" and new > old)
    if not told:
        return "Since the last report neither p nor R has changed by more than a hundredth.", grew
    return "Since the last report " + "; ".join(told) + ".", grew


def _loss_event(
    evidence: Evidence,
    events: Rows,
    flow: str,
    receiver: str,
    start_s: float,
    report: dict[str, Any],
    *,
    is_new: bool,
) -> list[Step]:
    """The loss event that a report tells of for the first time, and the packets of it; `is_new`: it limits anew."""
    if not evidence.knows(receiver):
        text = f"What {receiver} lost is in what it wrote down itself, which is not here; its report tells p alone."
        return [Step("loss-event", text, None, {"receiver": receiver})]
    # A report is one way under way: what it tells happened before the last one came, by less than a round trip.
    rtt_s = report["rtt_s"]
    found = events.having(event="loss-event", receiver=receiver).between(start_s - rtt_s, report["t_s"])
    event = found.last()
    if event is None and is_new:
        last = events.having(event="loss-event", receiver=receiver).where_before(report["t_s"]).last()
        if last is not None and _least_rate(events, last["t_s"], report["t_s"]) > report["after"]:
            # Ever since the source has been faster than that: the report has waited for its turn in a feedback round.
            return packets_of(evidence, flow, receiver, last, rtt_s)
        since = "so far" if last is None else f"since {moment(last['t_s'])}"
        text = (
            f"{receiver} has found no loss event {since}. It limits because the rate has come above what it asks for: "
            "the rate rose, or its round-trip time did."
        )
        return [Step("loss-event", text, None if last is None else last["t_s"], {"receiver": receiver})]
    if event is None:
        text = (
            f"{receiver} found no loss event since its last report; p rose as its last loss interval was shorter "
            "than the mean."
        )
        return [Step("loss-event", text, None, {})]
    return packets_of(evidence, flow, receiver, event, rtt_s)


def _least_rate(events: Rows, start_s: float, end_s: float) -> float:
    """The source's least rate in this time; nought before its first change."""
    rates = events.having(event="rate")
    first = rates.where_before(start_s).last()
    rates_bps = [0.0 if first is None else float(first["after"])]
    return min(rates_bps + [float(row["after"]) for row in rates.between(start_s, end_s - 1e-9)])


def packets_of(evidence: Evidence, flow: str, receiver: str, event: dict[str, Any], rtt_s: float) -> list[Step]:
    """A loss event and what became of its packets."""
    at, number = event["t_s"], event["cause_number"]
    marked = event["cause"] == "mark"
    what = "came with a congestion mark" if marked else "did not come"
    steps = [
        Step(
            "loss-event",
            f"{receiver} found a loss event at {moment(at)}: packet {digits_of(number)} {what}. Its loss event "
            f"rate p was "
            f"{digits(event['after'])} then.",
            at,
            {"receiver": receiver, "number": number, "p": event["after"], "cause": event["cause"]},
        )
    ]
    if evidence.is_of_hosts:
        text = f"Where it was lost is not known: {NOT_SEEN}"
        return [*steps, Step("packet", text, None, {"number": number})]
    start_s = max(0.0, at - max(ROUND_TRIPS * rtt_s, 5 * evidence.interval_s))
    trail = Trail.of(evidence, flow, receiver, start_s, at)
    end = trail.marks().having(number=number).last() if marked else trail.end_of(number, before_s=at)
    if end is None:
        steps.append(_unknown(trail, number))
        return steps
    steps.append(trail.step(end, f"packet {digits_of(number)}"))
    others = span_of(trail.ends().between(end["t_s"], at).where_any(lambda row: row["number"] != number))
    if others and not marked:
        steps.append(
            Step(
                "packets",
                f"Before it was found {counted(len(others), 'more packet')} did not come "
                f"({listed(list(others))}). Losses "
                f"within a round-trip time of the first, {seconds(rtt_s)}, belong to the same loss event.",
                None,
                {"numbers": list(others)},
            )
        )
    return steps


def _unknown(trail: Trail, number: float) -> Step:
    seen = trail.seen(number).last()
    if seen is None:
        return Step(
            "packet",
            f"Packet {digits_of(number)} was not seen on the way to the receiver in the time before.",
            None,
            {},
        )
    down = trail.down(float(seen["t_s"]))
    place = seen["link"] or seen["node"]
    text = f"Packet {digits_of(number)} was last seen at {place} at {moment(seen['t_s'])} ({seen['action']})"
    text += (
        f"; from there it was not sent on. Down at that moment: {down}." if down else "; from there it was not sent on."
    )
    return Step("packet", text, seen["t_s"], {"number": number, "link": seen["link"] or None, "down": down or None})


def digits_of(number: float) -> str:
    """The number of a packet, whole."""
    return "of unknown number" if math.isnan(number) else f"{number:.0f}"


def _queue_on_the_way(evidence: Evidence, flow: str, receiver: str, at_s: float) -> str:
    """Where most packets waited, if the result holds queues of the way and somebody waited."""
    queues = evidence.rows("queues")
    way = evidence.map.ways[flow][receiver].there
    rows = queues.having(link=way).between(at_s - evidence.interval_s, at_s) if len(queues) else queues
    if not len(rows):
        return ""
    most = rows.row(int(rows["queue_pkts"].argmax()))
    if most["queue_pkts"] <= 0:
        return ""
    waiting = counted(int(most["queue_pkts"]), "packet")
    return f" Along the path most packets waited at {most['link']}: {waiting} at {moment(most['t_s'])}."


def _since_loss(events: Rows, receiver: str, report: dict[str, Any], earlier: dict[str, Any] | None) -> Step:
    last = events.having(event="loss-event", receiver=receiver).where_before(report["t_s"]).last()
    if last is None:
        text = f"{receiver} has not found any loss event."
    else:
        text = f"{receiver} has found no loss event since {moment(last['t_s'])}"
        same = earlier is not None and earlier["receiver"] == receiver
        if same and earlier is not None and report["loss_event_rate"] < earlier["loss_event_rate"]:
            text += ", so its loss interval grows and p falls"
        elif same and earlier is not None and report["rtt_s"] < earlier["rtt_s"]:
            text += "; its round-trip time has become shorter"
        text += "."
    return Step(
        "loss-event", text, None if last is None else last["t_s"], {"since_s": None if last is None else last["t_s"]}
    )


def _who_limits(events: Rows, at_s: float, receiver: str) -> Step:
    last = events.having(event="limiting-receiver").where_before(at_s + 1e-12).last()
    name = receiver if last is None else last["receiver"]
    limits = "limits the rate" if last is None else f"has limited the rate since {moment(last['t_s'])}"
    text = f"At {moment(at_s)} {name or 'no receiver'} {limits}."
    return Step("limit", text, None if last is None else last["t_s"], {"receiver": name or None})


def _of_rest(
    evidence: Evidence, events: Rows, flow: str, target: dict[str, Any], at_s: float, headline: str
) -> Explanation:
    """A rate halved as nobody reports of what is not sent."""
    at = target["t_s"]
    text = (
        "The application had nothing to send. So nobody had anything to report of, and the source halves its rate for "
        "that silence as for any other (RFC 4654, section 3.6): nothing was lost."
    )
    facts = {"before_bps": target["before"], "after_bps": target["after"]}
    steps = (Step("application", text, at, facts), _who_limits(events, at_s, ""))
    return Explanation(flow, "", _kind(evidence, flow), evidence.seed, at_s, at, headline, steps)


def _of_silence(
    evidence: Evidence, events: Rows, flow: str, target: dict[str, Any], at_s: float, headline: str
) -> Explanation:
    at = target["t_s"]
    last = events.having(event="report").where_before(at).last()
    limit = events.having(event="limiting-receiver").where_before(at).last()
    name = limit["receiver"] if limit is not None else ""
    heard = (
        f"the last report of {last['receiver']} had come at {moment(last['t_s'])}" if last else "no report had come yet"
    )
    steps = [
        Step(
            "change",
            f"The source halved its rate by itself: {'its limiting receiver ' + name if name else 'everybody'} "
            f"had been "
            f"silent too long; {heard}.",
            at,
            {"before_bps": target["before"], "after_bps": target["after"], "receiver": name or None},
        )
    ]
    if last is not None and not evidence.is_of_hosts:
        trail = Trail.of(evidence, flow, last["receiver"], last["t_s"] - last["rtt_s"], at)
        gone = trail.ends().between(last["t_s"] - last["rtt_s"], at)
        answers = trail.lost_answers().between(last["t_s"] - last["rtt_s"], at)
        for rows, what in ((gone, "data packet"), (answers, "report or other message")):
            first = rows.first()
            if first is not None:
                step = trail.step(first, "the first of them")
                several = "data packets" if what == "data packet" else "reports and other messages"
                steps.append(
                    Step(
                        "packets",
                        f"Meanwhile {counted(len(rows), what, several)} did not come through. {step.text}",
                        step.t_s,
                        step.facts | {"count": len(rows)},
                    )
                )
        if not len(gone) and not len(answers):
            steps.append(_unknown_silence(trail, at))
    steps.append(_who_limits(events, at_s, name))
    return Explanation(flow, "", _kind(evidence, flow), evidence.seed, at_s, at, headline, tuple(steps))


def _unknown_silence(trail: Trail, at: float) -> Step:
    down = trail.down(at)
    text = (
        f"Down at that moment: {down}."
        if down
        else "No packet was lost meanwhile: the receiver left, or packets are far apart."
    )
    return Step("packets", text, None, {"down": down or None})


def _in_ramp(evidence: Evidence, events: Rows, flow: str, report: dict[str, Any], at_s: float) -> Explanation:
    inputs = inputs_of(evidence, flow, report)
    target = min(report["after"], 2 * report["before"], inputs.max_bps)
    headline = (
        f"{flow} is in slow start at {moment(at_s)}: no loss has been reported. Since {moment(report['t_s'])} "
        f"its rate goes "
        f"from {rate(report['before'])} to {rate(target)} within a round-trip time."
    )
    steps = [
        Step(
            "report",
            f"{report['receiver']} has the lowest receive rate of those that reported, {rate(inputs.receive_bps)}; the "
            f"source goes to twice that, 2 x X_recv, within R = {seconds(inputs.rtt_s)}.",
            report["t_s"],
            vars(inputs),
        ),
        _who_limits(events, at_s, report["receiver"]),
    ]
    return Explanation(
        flow,
        "",
        _kind(evidence, flow),
        evidence.seed,
        at_s,
        report["t_s"],
        headline,
        tuple(steps),
        inputs.what_ifs(),
        inputs.rate_bps(),
    )


def _of_receiver(evidence: Evidence, events: Rows, flow: str, receiver: str, at_s: float) -> Explanation:
    losses = events.having(event="loss-event", receiver=receiver)
    event = losses.last()
    kind = _kind(evidence, flow)
    told_s = evidence.told_s(SENDER, at_s)
    if event is None:
        headline = f"{receiver} has found no loss event by {moment(at_s)}."
        nobody = (_who_limits(events, told_s, ""),)
        return Explanation(flow, receiver, kind, evidence.seed, at_s, None, headline, nobody)
    measured = evidence.rows("receivers")
    rtt_s = math.nan
    if len(measured):
        own = measured.having(receiver=receiver).where_before(event["t_s"] + evidence.interval_s).last()
        rtt_s = math.nan if own is None else own["rtt_s"]
    rtt_s = 1.0 if math.isnan(rtt_s) else rtt_s
    earlier = losses.where_before(event["t_s"]).last()
    was = f", {digits(earlier['after'])} after the one before" if earlier is not None else ""
    headline = (
        f"{receiver} found its last loss event before {moment(at_s)} at {moment(event['t_s'])}; its loss event "
        f"rate p was "
        f"{digits(event['after'])} then{was}."
    )
    steps = (*packets_of(evidence, flow, receiver, event, rtt_s), _who_limits(events, told_s, ""))
    return Explanation(flow, receiver, kind, evidence.seed, at_s, event["t_s"], headline, steps)


def _nothing(evidence: Evidence, flow: str, at_s: float) -> Explanation:
    headline = (
        f"The rate of {flow} has not changed by {moment(at_s)}: no report has come, and nothing was due without one."
    )
    return Explanation(flow, "", _kind(evidence, flow), evidence.seed, at_s, None, headline, ())


def _kind(evidence: Evidence, flow: str) -> str:
    return str(evidence.scenario.data["sessions"][flow]["scheme"])
