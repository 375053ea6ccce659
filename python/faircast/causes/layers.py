"""Levels of receivers of layers: which router blocked, which loss made RLM leave a layer, which time it was."""

from __future__ import annotations

from typing import Any

from faircast.causes.evidence import Evidence
from faircast.causes.explanation import Explanation, Step, counted, digits, listed, moment, seconds
from faircast.causes.fate import Trail, span_of
from faircast.causes.rows import Rows

CHANGES = ("layer-added", "layer-dropped")
STATES = {0: "steady", 1: "hysteresis", 2: "measurement", 3: "drop"}
PATIENCE_S = 30.0
"""How long before a layer is left the router that blocked it may have done so."""


def explain(evidence: Evidence, flow: str, receiver: str, at_s: float) -> Explanation:
    """Why a receiver of a session holds as many layers as it does."""
    kind = str(evidence.scenario.data["sessions"][flow]["scheme"])
    events = evidence.events.having(flow=flow).between(0.0, at_s)
    changes = events.having(event=CHANGES)
    if receiver:
        changes = changes.having(receiver=receiver)
    recent = changes.between(at_s - evidence.interval_s, at_s)
    event = recent.having(event="layer-dropped").last() or changes.last()
    if event is None:
        headline = f"No receiver of {flow} has joined or left a layer by {moment(at_s)}."
        return Explanation(flow, receiver, kind, evidence.seed, at_s, None, headline, ())
    at, who, layer = event["t_s"], event["receiver"], int(event["layer"])
    verb = "left" if event["event"] == "layer-dropped" else "joined"
    levels = f"from {event['before']:.0f} to {event['after']:.0f} layers"
    headline = f"{who} {verb} layer {layer} of {flow} at {moment(at)}: {levels}."
    own = events.having(receiver=who)
    if kind == "rlm":
        steps = _rlm(evidence, flow, own, event)
    elif kind == "layer-blocking":
        steps = _blocking(evidence, flow, event)
    else:
        steps = [Step("change", f"The scenario says so: {kind} follows times, not congestion.", at, {"layer": layer})]
    if at < at_s - evidence.interval_s:
        headline += f" Nothing has changed since, for {seconds(at_s - at)}."
    steps.append(Step("limit", f"At {moment(at_s)} {who} holds {event['after']:.0f} layers.", at, {"receiver": who}))
    return Explanation(flow, who, kind, evidence.seed, at_s, at, headline, tuple(steps))


def _blocking(evidence: Evidence, flow: str, event: dict[str, Any]) -> list[Step]:
    at, who, layer = event["t_s"], event["receiver"], int(event["layer"])
    if event["event"] == "layer-added":
        return [
            Step(
                "change",
                "All layers that it held came, so it joined the next one to see whether that comes, too.",
                at,
                {"layer": layer},
            )
        ]
    routers = evidence.rows("router_events")
    way = evidence.map.ways[flow][who].there
    acts = routers.having(link=way).between(at - PATIENCE_S, at) if len(routers) else routers
    # It holds one layer above those that come: what is blocked is that one or one below what it leaves.
    groups = [f"{flow}/{number}" for number in range(layer + 1)]
    block = acts.having(event="blocked", about=groups).last() if len(acts) else None
    steps = [
        Step(
            "change",
            f"Nothing of layer {layer - 1 if layer else 0} had come for long, so {who} took it for blocked and left "
            "what is above it.",
            at,
            {"layer": layer},
        )
    ]
    if block is None:
        steps.append(
            Step(
                "router",
                f"No router on its way blocked a layer of {flow} in the {PATIENCE_S:g} s before: the layer was lost or "
                "late.",
                None,
                {},
            )
        )
        return steps
    blocked = str(block["about"]).rpartition("/")[2]
    steps.append(
        Step(
            "router",
            f"The router in front of {block['link']} had blocked layer {blocked} at {moment(block['t_s'])}.",
            block["t_s"],
            {"link": block["link"], "layer": int(blocked)},
        )
    )
    told = evidence.rows("routers")
    before = told.having(link=block["link"], about="interface") if len(told) else told
    if len(before):
        times = before["t_s"]
        near = before.where(times <= block["t_s"] + evidence.interval_s)
        latest = near.having(t_s=near["t_s"].max()) if len(near) else near
        values = dict(zip(latest["gauge"], latest["value"], strict=True)) if len(latest) else {}
        unicast, multicast = values.get("unicast_mean"), values.get("multicast_mean")
        if unicast is not None and multicast is not None:
            at_row = float(latest["t_s"][0])
            phase = values.get("phase")
            facts = {
                "unicast_mean": float(unicast),
                "multicast_mean": float(multicast),
                "phase": None if phase is None else float(phase),
            }
            shown = "" if phase is None else f" (phase {phase:.0f})"
            more = "more" if multicast > unicast else "no more"
            steps.append(
                Step(
                    "router",
                    f"At {moment(at_row)} it told{shown}: sessions had {digits(float(multicast))} on average "
                    f"(R_mct), flows of "
                    f"TCP {digits(float(unicast))} (R_tcp), each in what its agent counts in a window; sessions "
                    f"had {more} than "
                    "flows.",
                    at_row,
                    facts,
                )
            )
    return steps


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
    if event["cause"] != "loss":
        return [Step("change", "It stopped: it left all layers.", at, {"layer": layer})]
    number = event["cause_number"]
    states = own.having(event="rlm-state")
    told = states.between(at, at).last()
    before = states.where_before(at).last()
    added = own.having(event="layer-added").where_before(at).last()
    lost_layer = layer if told is None or told["layer"] != told["layer"] else int(told["layer"])
    steps = []
    if told is not None and told["before"] == 2:
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
    steps.append(trail.step(end, f"packet {number:.0f} of layer {lost_layer}"))
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
