"""Levels of receivers of layers: which router, loss or attempt changed them, which time it was."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import itemgetter
from typing import Any

from faircast.causes import mlda, smcc
from faircast.causes.evidence import NOT_SEEN, Evidence
from faircast.causes.explanation import Explanation, Step, counted, digits, listed, moment, seconds
from faircast.causes.fate import Trail, span_of
from faircast.causes.rows import Rows

CHANGES = ("layer-added", "layer-dropped")
MEASUREMENT = 2
"""The state of RLM in which it measures its loss."""
UNDER_WAY_S = 1.0
"""What a router released within this time may not have come yet."""


def explain(evidence: Evidence, flow: str, receiver: str, at_s: float) -> Explanation:
    """Why a receiver of a session holds as many layers as it does; of MLDA also the layers' rates."""
    kind = str(evidence.scenario.data["sessions"][flow]["scheme"])
    events = evidence.events.having(flow=flow).between(0.0, at_s)
    if kind == "mlda" and not receiver:
        return mlda.sized(evidence, flow, events, at_s)
    changes = events.having(event=CHANGES)
    if receiver:
        changes = changes.having(receiver=receiver)
    recent = changes.between(at_s - evidence.interval_s, at_s)
    event = recent.having(event="layer-dropped").last() or changes.last()
    if event is None:
        headline = f"{receiver or 'No receiver'} of {flow} has {'not ' * bool(receiver)}joined or left a layer by "
        return Explanation(flow, receiver, kind, evidence.seed, at_s, None, f"{headline}{moment(at_s)}.", ())
    at, who = event["t_s"], event["receiver"]
    own = events.having(receiver=who)
    # Several layers may be joined or left at once; then it is about all of them.
    together = own.between(at, at).having(event=event["event"])
    held, layers = float(together["before"][0]), sorted(int(layer) for layer in together["layer"])
    verb = "left" if event["event"] == "layer-dropped" else "joined"
    headline = (
        f"{who} {verb} {'layer' if len(layers) == 1 else 'layers'} {listed(layers)} of {flow} at {moment(at)}: from "
        f"{held:.0f} to {counted(int(event['after']), 'layer')}."
    )
    if verb == "left" and event["after"] == 0 and event["cause"] == "time":
        steps = [Step("change", "It stopped: it left all layers.", at, {"layers": layers})]
    elif verb == "joined" and held == 0:
        steps = [Step("change", "It began: a receiver starts with the base, layer 0.", at, {"layers": layers})]
    elif kind == "smcc" and verb == "joined":
        steps = smcc.joined(evidence.scenario.data["sessions"][flow], own.between(0.0, at), event)
    elif kind == "smcc":
        steps = smcc.left(evidence.scenario.data["sessions"][flow], own.between(0.0, at), event)
    elif kind == "mlda":
        steps = mlda.moved(evidence, flow, own.between(0.0, at), events.having(receiver="").between(0.0, at), event)
    elif kind == "rlm":
        steps = _rlm(evidence, flow, own, event)
    elif kind == "layer-blocking" and verb == "left":
        steps = _silent(evidence, flow, event)
    elif kind == "layer-blocking":
        steps = _heard(evidence, flow, event)
    else:
        steps = [Step("change", f"The scenario says so: {kind} follows times, not congestion.", at, {"layers": layers})]
    if at < at_s - evidence.interval_s:
        headline += f" Nothing has changed since, for {seconds(at_s - at)}."
    last = own.having(event=CHANGES).last()
    now = int(event["after"] if last is None else last["after"])
    facts = {"receiver": who, "layers": now}
    steps.append(Step("limit", f"At {moment(at_s)} {who} holds {counted(now, 'layer')}.", at, facts))
    return Explanation(flow, who, kind, evidence.seed, at_s, at, headline, tuple(steps))


def _acts(evidence: Evidence, flow: str, who: str, layer: int, at: float) -> Rows:
    """What routers on the way to a receiver had done with a layer by a moment."""
    routers = evidence.rows("router_events")
    if not len(routers):
        return routers
    links = list(evidence.map.links)
    # Where links go down or turn the way may be another than at the start.
    way = evidence.map.ways[flow][who].there if evidence.map.is_fixed(links) else links
    return routers.having(link=way, about=f"{flow}/{layer}", event=("blocked", "released")).between(0.0, at)


def _heard(evidence: Evidence, flow: str, event: dict[str, Any]) -> list[Step]:
    """Why a receiver of blocked layers joined one more: all that it held came."""
    at, who, layer = event["t_s"], event["receiver"], int(event["layer"])
    facts = {"layer": layer}
    last = _acts(evidence, flow, who, layer - 1, at).last()
    text = f"All layers up to {layer - 1} came, so it joined the next one to see whether that comes, too."
    if last is None or last["event"] != "released":
        return [Step("change", text, at, facts)]
    released = (
        f"The router in front of {last['link']} had released layer {layer - 1} at {moment(last['t_s'])}: "
        "blocked before, it came again."
    )
    return [
        Step("change", text, at, facts),
        Step("router", released, last["t_s"], {"link": last["link"], "layer": layer - 1, "action": "released"}),
    ]


def _silent(evidence: Evidence, flow: str, event: dict[str, Any]) -> list[Step]:
    """Why a receiver of blocked layers left some: the highest one that it keeps had fallen silent."""
    at, who, silent = event["t_s"], event["receiver"], int(event["after"]) - 1
    text = (
        f"Nothing of layer {silent} had come for long, so {who} took it for blocked and left what is above it; it "
        f"keeps layer {silent} to see when that comes again."
    )
    steps = [Step("change", text, at, {"silent": silent})]
    acts = _acts(evidence, flow, who, silent, at)
    blocks: dict[str, dict[str, Any]] = {}
    for act in acts:
        if act["event"] == "blocked":
            blocks[act["link"]] = act
        elif act["t_s"] < at - UNDER_WAY_S:
            # Released only just now, its first packets would still be under way.
            blocks.pop(act["link"], None)
    block = max(blocks.values(), key=itemgetter("t_s"), default=None)
    if block is None and evidence.is_of_hosts:
        return [*steps, Step("router", f"Whether a router held it: {NOT_SEEN}", None, {"silent": silent})]
    if block is None:
        text = f"No router on its way held layer {silent} back then: its packets were lost or late."
        return [*steps, Step("router", text, None, {"silent": silent})]
    link, when = block["link"], block["t_s"]
    facts = {"link": link, "layer": silent, "action": "blocked"}
    steps.append(
        Step("router", f"The router in front of {link} had blocked layer {silent} at {moment(when)}.", when, facts)
    )
    return [*steps, *_means(evidence, link, when)]


def _means(evidence: Evidence, link: str, at: float) -> list[Step]:
    """What the router had told last before it blocked: the averages that it compares."""
    told = evidence.rows("routers")
    before = told.having(link=link, about="interface").between(0.0, at) if len(told) else told
    if not len(before):
        return []
    latest = before.having(t_s=before["t_s"].max())
    values = dict(zip(latest["gauge"], map(float, latest["value"]), strict=True))
    unicast, multicast = values.get("unicast_mean", math.nan), values.get("multicast_mean", math.nan)
    if math.isnan(multicast):
        return []
    at_row = float(latest["t_s"][0])
    flows = "no flow of TCP was there" if math.isnan(unicast) else f"a flow of TCP {digits(unicast)} (R_tcp)"
    text = (
        "A router blocks when its queue is long and a session gets clearly more than a flow of TCP. When it told last "
        f"before, at {moment(at_row)}, a session had {digits(multicast)} on average (R_mct), {flows}, in what it "
        "counts in a window."
    )
    facts = {"unicast_mean": unicast, "multicast_mean": multicast, "phase": values.get("phase")}
    return [Step("router", text, at_row, facts)]


def _rlm(evidence: Evidence, flow: str, own: Rows, event: dict[str, Any]) -> list[Step]:
    at, who, layer = event["t_s"], event["receiver"], int(event["layer"])
    if event["event"] == "layer-added":
        return [
            Step(
                "change",
                f"Its join timer had expired in the steady state: an experiment with layer {layer}.",
                at,
                {"layer": layer},
            )
        ]
    number = event["cause_number"]
    states = own.having(event="rlm-state")
    told = states.between(at, at).last()
    before = states.where_before(at).last()
    added = own.having(event="layer-added").where_before(at).last()
    lost_layer = layer if told is None or told["layer"] != told["layer"] else int(told["layer"])
    steps = []
    if told is not None and told["before"] == MEASUREMENT:
        share = (
            ""
            if told["lost_part"] != told["lost_part"]
            else f" {digits(100 * told['lost_part'])} % of packets were lost,"
        )
        text = f"It was measuring its loss:{share} more than its threshold allows."
        since = before["t_s"] if before is not None else None
        if since is not None:
            text += f" The measurement had begun at {moment(since)}."
    else:
        when = "" if added is None else f", begun at {moment(added['t_s'])}"
        text = f"A loss came soon after the experiment with layer {layer}{when}, which has failed by that."
    steps.append(Step("change", text, at, {"layer": layer, "lost_part": None if told is None else told["lost_part"]}))
    if evidence.is_of_hosts:
        text = f"It was packet {number:.0f} of layer {lost_layer}. Where it was lost: {NOT_SEEN}"
        return [*steps, Step("packet", text, None, {"number": number, "layer": lost_layer})]
    trail = Trail.of(evidence, flow, who, max(0.0, at - 5.0), at)
    end = trail.end_of(number, group=lost_layer, before_s=at)
    if end is None:
        steps.append(
            Step(
                "packet",
                f"Packet {number:.0f} of layer {lost_layer} was not lost on its way: it came late.",
                None,
                {"number": number, "layer": lost_layer},
            )
        )
        return steps
    packet = trail.step(end, f"packet {number:.0f} of layer {lost_layer}")
    if told is not None and told["before"] != MEASUREMENT and added is not None and end["t_s"] < added["t_s"]:
        early = " That was before the experiment: RLM puts every loss that it finds soon after down to it."
        packet = replace(packet, text=packet.text + early, facts=packet.facts | {"before_experiment": True})
    steps.append(packet)
    others = list(
        span_of(
            trail.ends()
            .having(group=lost_layer)
            .between(end["t_s"] - 1.0, at)
            .where_any(lambda row: row["number"] != number)
        )
    )
    if others:
        text = f"Within a second {counted(len(others), 'more packet')} of that layer did not come: {listed(others)}."
        steps.append(Step("packets", text, None, {"numbers": others}))
    return steps
