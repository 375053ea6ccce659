"""MLDA: by which shares the source sizes its layers, and by which share a receiver holds so many of them."""

from __future__ import annotations

import math
from typing import Any

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation, Step, digits, moment, rate, seconds
from faircast.causes.rows import Rows

TOLERANCE = 0.05
"""Layers fit up to so much above the share, where the scenario does not say otherwise (`join_tolerance`)."""


def sized(evidence: Evidence, flow: str, events: Rows, at_s: float) -> Explanation:
    """Why the layers carry what they do: the last time that the source sized them.

    Parameters
    ----------
    events
        Those of the session up to the moment that is asked for.
    """
    rates = events.having(event="rate")
    recent = rates.between(at_s - evidence.interval_s, at_s)
    last = recent.where(recent["after"] < recent["before"]).last() or rates.last()
    if last is None:
        headline = f"The layers of {flow} have not changed by {moment(at_s)}."
        return Explanation(flow, "", "mlda", evidence.seed, at_s, None, headline, ())
    at = last["t_s"]
    together = rates.between(at, at)
    changes = [
        f"layers up to {row['layer']:.0f} from {rate(row['before'])} to {rate(row['after'])}" for row in together
    ]
    headline = f"The source of {flow} changed the rates of its layers at {moment(at)}: {', '.join(changes)}."
    if at < at_s - evidence.interval_s:
        headline += f" Nothing has changed since, for {seconds(at_s - at)}."
    facts = {"layers": {str(int(row["layer"])): float(row["after"]) for row in together}}
    steps = [Step("change", _occasion(events, flow, at, set(together["cause"])), at, facts)]
    for kind, what, does in (
        ("limiting-receiver", "least", "as much as the base layer carries"),
        ("leading-receiver", "largest", "as much as all layers carry together"),
    ):
        who = events.having(event=kind).between(0.0, at).last()
        if who is None or not who["receiver"]:
            continue
        name = who["receiver"]
        # What it had reported is in the rates only where no bound cuts it.
        share = _reported(events.having(receiver=name), rates.having(cause_receiver=name).last(), at)
        told = "" if share is None else f", {rate(share['after'])}"
        text = f"{name} had the {what} share of all that had reported{told}, {does}; so since {moment(who['t_s'])}."
        known = math.nan if share is None else float(share["after"])
        steps.append(Step("report", text, who["t_s"], {"receiver": name, "share_bps": known}))
        if share is not None:
            steps.append(_share(share, f"{name} had computed its share"))
    return Explanation(flow, "", "mlda", evidence.seed, at_s, at, headline, tuple(steps))


def _occasion(events: Rows, flow: str, at: float, causes: set[str]) -> str:
    """What made the source size its layers at a moment."""
    if at == events["t_s"][0]:
        return f"{flow} began: the base layer has the first rate, the others carry nothing."
    if "report" not in causes:
        return "No report counted any more: all were too old, or their receivers had gone."
    fast = events.having(event="fast-decrease").between(at, at).last()
    if fast is None:
        return "A round began. At this the source sizes its layers by the reports that it has."
    return (
        f"A report of {fast['receiver']} came between two rounds: with a loss of {digits(100 * fast['loss'])} % its "
        f"share was {rate(fast['after'])}, less than the {rate(fast['before'])} of the base layer. So the source "
        "sized its layers at once."
    )


def _reported(own: Rows, used: dict[str, Any] | None, at: float) -> dict[str, Any] | None:
    """The share of a receiver that the source went by: that of the round of its report."""
    shares = own.having(event="share").between(0.0, at)
    if used is not None:
        of_round = shares.having(cause_number=used["cause_number"]).last()
        if of_round is not None:
            return of_round
    return shares.last()


def moved(evidence: Evidence, flow: str, own: Rows, of_source: Rows, event: dict[str, Any]) -> list[Step]:
    """Why a receiver joined or left layers: its share against what layers carry, or loss after a join.

    Parameters
    ----------
    own, of_source
        Events of the receiver and of its source, up to the change.
    event
        The change.
    """
    at, layer, is_left = event["t_s"], int(event["layer"]), event["event"] == "layer-dropped"
    verb = "left" if is_left else "joined"
    revoked = own.having(event="join-revoked").between(at, at).last()
    if revoked is not None:
        part = float(revoked["lost_part"])
        text = f"It had just joined the layer, and {digits(100 * part)} % of the packets since were lost: it left."
        return [Step("change", text, at, {"lost_part": part})]
    share = own.having(event="share").between(0.0, at).last()
    if share is None or (event["cause"] == "time" and share["t_s"] < at):
        text = "The source had begun anew: a receiver meets it with the base layer."
        return [Step("change", text, at, {"layer": layer})]
    share_bps = float(share["after"])
    facts: dict[str, Any] = {"share_bps": share_bps, "layer": layer}
    room_bps = share_bps * (1 + float(evidence.scenario.data["sessions"][flow].get("join_tolerance", TOLERANCE)))
    rates = of_source.having(event="rate", layer=event["layer"]).between(0.0, at)
    known = _known(rates, room_bps, at - float(share["rtt_s"]), is_left=is_left)
    text = f"Its share of its path was {rate(share_bps)}"
    if known is not None:
        facts["carried_bps"] = float(known["after"])
        text += f", and the layers up to {layer} carried {rate(facts['carried_bps'])} together"
    steps = [Step("change", f"{text}: it {verb} the layer.", at, facts)]
    steps.append(_share(share, "It had computed that share"))
    if known is not None and known["cause_receiver"]:
        who = known["cause_receiver"]
        text = (
            f"The layers up to {layer} carried so much since {moment(known['t_s'])}, when the source sized them by a "
            f"report of {who}."
        )
        steps.append(Step("report", text, known["t_s"], {"receiver": who}))
    return steps


def _known(rates: Rows, room_bps: float, since_s: float, *, is_left: bool) -> dict[str, Any] | None:
    """What the receiver went by: rates that the source has had for less than a round trip may be still on their way."""
    rows = list(rates)
    for index in range(len(rows) - 1, -1, -1):
        fits = float(rows[index]["after"]) <= room_bps
        if fits != is_left:
            return rows[index]
        if rows[index]["t_s"] < since_s:
            break
    return rates.last()


def _share(share: dict[str, Any], begin: str) -> Step:
    loss, rtt_s, before = float(share["loss"]), float(share["rtt_s"]), float(share["before"])
    facts = {"loss": loss, "rtt_s": rtt_s, "bottleneck_bps": float(share["bottleneck_bps"]), "before_bps": before}
    was = "" if math.isnan(before) else f" (it was {rate(before)} before)"
    lost = "no loss" if loss == 0.0 else f"a loss of {digits(100 * loss)} %"
    inputs = [lost, f"a round trip of {seconds(rtt_s)}"]
    if not math.isnan(facts["bottleneck_bps"]):
        inputs.append(f"a bottleneck of {rate(facts['bottleneck_bps'])}")
    text = f"{begin} at {moment(share['t_s'])}{was}, with {', '.join(inputs[:-1])} and {inputs[-1]}."
    return Step("share", text, share["t_s"], facts)
