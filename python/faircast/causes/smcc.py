"""Layers of SMCC: by which attempt a receiver joined one, after which loss it left one."""

from __future__ import annotations

from typing import Any

from faircast.causes.explanation import Step, counted, digits, moment, rate, seconds
from faircast.causes.rows import Rows
from faircast.quantity import RATES, read


def joined(session: dict[str, Any], own: Rows, event: dict[str, Any]) -> list[Step]:
    """Why a receiver of this session has joined a layer; `own` is what happened to it until then."""
    at, layer = event["t_s"], event["layer"]
    attempt = own.having(event="join-succeeded", layer=layer).between(at, at).last()
    if attempt is None:
        return []
    before, after, added = attempt["before"], attempt["after"], attempt["packets_added_pkts"]
    facts = {"layer": int(layer), "before_bps": before, "after_bps": after, "packets_added": added}
    begun = own.having(event="join-begun", layer=layer).last()
    if added > 0 and begun is not None:
        period = seconds(attempt["period_s"])
        text = (
            f"It had added a packet per {period} each {period} since {moment(begun['t_s'])}, {digits(added)} in the "
            f"end, by {counted(int(attempt['counting_joins']), 'counting layer')}, and lost none. By that it had as "
            f"much as with layer {layer:.0f}, {rate(after)} instead of {rate(before)}."
        )
    else:
        text = (
            f"It joined layer {layer:.0f} without adding packets one by one: with it there are {rate(after)}, without "
            f"it {rate(before)}."
        )
    steps = [Step("change", text, at, facts)]
    waiting = own.having(event="join-waiting", layer=layer).last()
    if waiting is not None:
        reason = f"its calculated rate was above the most that layer {layer - 1:.0f} stands for"
        if _windowed(session):
            reason = (
                f"the layers up to {layer - 1:.0f} carried the most that they stand for, or its calculated rate was "
                "above that"
            )
        text = f"It had decided to try the layer at {moment(waiting['t_s'])}, since {reason}."
        steps.append(Step("decision", text, waiting["t_s"], {"layer": int(layer)}))
    return steps


def left(session: dict[str, Any], own: Rows, event: dict[str, Any]) -> list[Step]:
    """Why a receiver of this session has left a layer."""
    at, layer = event["t_s"], int(event["layer"])
    facts: dict[str, Any] = {"layer": layer}
    if _windowed(session):
        text = f"It had lost a packet. With windows any loss takes the highest layer, here layer {layer}."
    else:
        facts["least_bps"] = _bounds_bps(session)[layer - 1]
        text = (
            f"Its calculated rate had fallen below {rate(facts['least_bps'])}, the least that layer {layer} stands for."
        )
    text += " By leaving it says so to the source, which counts it to the layer below from then on."
    steps = [Step("change", text, at, facts)]
    losses = own.having(event="loss-event")
    last = losses.last()
    if last is None:
        return steps
    earlier = losses.where_before(last["t_s"]).last()
    was = "" if earlier is None else f"; before it was {digits(100 * earlier['after'])} %"
    number = counted(len(losses.between(at - 10.0, at)), "loss event")
    text = (
        f"The last loss event before that was at {moment(last['t_s'])}. By it the loss event rate became "
        f"{digits(100 * last['after'])} %{was}. There had been {number} within 10 s."
    )
    return [*steps, Step("loss", text, last["t_s"], {"p": last["after"], "number": last["cause_number"]})]


def _windowed(session: dict[str, Any]) -> bool:
    """Whether windows control the layers: then there is no rate below which a layer is left."""
    return session.get("control") == "pgmcc"


def _bounds_bps(session: dict[str, Any]) -> list[float]:
    """The bounds of a session's layers, as `bounds` or the progression says."""

    def bps(text: str) -> float:
        quantity = read(text)
        assert quantity is not None, "a scenario that ran is legal"
        return quantity.number * RATES[quantity.unit]

    if "bounds" in session:
        return [bps(bound) for bound in session["bounds"]]
    base, growth = bps(session.get("base_rate", "1 Mbit/s")), float(session.get("growth", 2))
    return [base * growth**layer for layer in range(int(session.get("layers", 4)))]
