"""The question: which run, which flow, which moment; and who answers it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.causes import layers, picture, tcp, tfmcc
from faircast.causes.evidence import Evidence, evidence_of
from faircast.causes.explanation import Explanation, moment, rate
from faircast.errors import InputError, brief, nearest
from faircast.hosts.records import SENDER
from faircast.quantity import seconds

if TYPE_CHECKING:
    from faircast.results import RunResult
    from faircast.scenario import Source

ANSWERS: dict[str, Callable[[Evidence, str, str, float], Explanation]] = {
    "tcp": tcp.explain,
    "tfmcc": tfmcc.explain,
    "omcc": tfmcc.explain,
    "layer-blocking": layers.explain,
    "rlm": layers.explain,
    "smcc": layers.explain,
    "mlda": layers.explain,
    "layered-cbr": layers.explain,
}
"""Who explains a protocol: called with the run, the flow, the receiver (or nothing) and the moment."""


def why(
    source: RunResult | Source | str | Path,
    *,
    at: str | float,
    seed: int | None = None,
    flow: str | None = None,
    receiver: str | None = None,
    of_picture: bool = False,
    say: Callable[[str], None] | None = None,
) -> Explanation:
    """Why a rate, a window or a level changed: the chain of causes of the last change before a moment.

    Parameters
    ----------
    source
        A result in memory, the folder of a run or of a seed, one of its Parquet files, or a scenario. What the tables
        lack, as a rule the packets, is found by running the same seed again.
    at
        The moment: ``"37 s"``, or a number of seconds. Of the falls in the probe interval before it the largest is
        explained; if there is none there, the last change before.
    seed
        By default the lowest finished one; of a scenario its own.
    flow
        A flow or session; by default that whose rate changed most around the moment.
    receiver
        A receiver of the session: what happened to this one, rather than to the rate of all.
    of_picture
        Explain why the picture stopped of a receiver that plays its session, by default that which stands still
        longest.
    say
        Told of what takes time, such as the run that is made again; its notes hold it in any case.

    Raises
    ------
    InputError
        The source is no single run, or the moment, the flow or the receiver is not in it.
    """
    notes: list[str] = []

    def note(text: str) -> None:
        notes.append(text)
        if say is not None:
            say(text)

    at_s = seconds(at, "at")
    evidence = evidence_of(source, seed, note)
    if at_s > evidence.duration_s:
        raise InputError(f"at is {at_s:g} s; the run ends at {evidence.duration_s:g} s")
    if of_picture and flow is None and receiver is None:
        flow = _played(evidence, note)
    if evidence.is_of_hosts and receiver is None and not evidence.knows(SENDER):
        receiver = str(evidence.scenario.data["hosts"][0]["who"])
        note(f"{receiver}, as the sender's side of the session is not here")
    at_s = _told(evidence, receiver, at_s, note)
    name = _flow(evidence, flow, receiver, at_s, note)
    chosen = _receiver(evidence, name, receiver)
    kind = kind_of(evidence, name)
    if of_picture:
        if name not in evidence.scenario.data.get("sessions", {}):
            raise InputError(f"{name} is a flow between two nodes; only sessions are played")
        found = picture.explain(evidence, name, chosen, at_s)
        return Explanation(**{**vars(found), "notes": (*notes, *found.notes)})
    if kind not in ANSWERS:
        raise InputError(
            f"{name} is {kind}, which nothing changes but its own times; what can be explained: {', '.join(ANSWERS)}"
        )
    found = ANSWERS[kind](evidence, name, chosen, at_s)
    return Explanation(**{**vars(found), "notes": (*notes, *found.notes)})


def _told(evidence: Evidence, receiver: str | None, at_s: float, note: Callable[[str], None]) -> float:
    """The moment, or the last one before it of which the host that tells wrote anything down."""
    who = receiver if receiver is not None and evidence.knows(receiver) else SENDER
    told_s = evidence.told_s(who, at_s)
    if told_s < at_s:
        note(f"what {who} wrote down ends at {moment(told_s)}; this is about that moment, what came later is not known")
    return told_s


def _played(evidence: Evidence, note: Callable[[str], None]) -> str:
    sessions = evidence.scenario.data.get("sessions", {})
    played = [name for name, session in sessions.items() if "playout" in session]
    if not played:
        raise InputError("no session here has a playout, so there is no picture that could stop")
    if len(played) > 1:
        note(f"{played[0]}; --flow names another session that is played: {', '.join(played[1:])}")
    return str(played[0])


def kind_of(evidence: Evidence, flow: str) -> str:
    """The protocol of a flow or session."""
    data = evidence.scenario.data
    if flow in data.get("sessions", {}):
        return str(data["sessions"][flow]["scheme"])
    return str(entry_of(evidence, flow)["kind"])


def entry_of(evidence: Evidence, flow: str) -> dict[str, Any]:
    """What the scenario says of a flow, whose entry may stand for several."""
    flows = evidence.scenario.data.get("flows", {})
    return dict(flows.get(flow) or flows[flow.rpartition("-")[0]])


def _flow(evidence: Evidence, flow: str | None, receiver: str | None, at_s: float, note: Callable[[str], None]) -> str:
    ways = evidence.map.ways
    if flow is not None:
        if flow not in ways:
            of_entry = [name for name in ways if name.rpartition("-")[0] == flow]
            if of_entry:
                raise InputError(f"{flow} is {len(of_entry)} flows, {of_entry[0]} to {of_entry[-1]}; name one of them")
            raise InputError(
                f"there is no flow or session {brief(flow)}{nearest(flow, list(ways))}; there {_are(list(ways))}"
            )
        return flow
    if receiver is not None:
        owners = [name for name, own in ways.items() if receiver in own and receiver != name]
        if owners:
            return owners[0]
        known = [one for name, own in ways.items() for one in own if one != name]
        raise InputError(f"there is no receiver {brief(receiver)}{nearest(receiver, known)}; there {_are(known)}")
    able = [name for name in ways if kind_of(evidence, name) in ANSWERS]
    if not able:
        raise InputError(
            f"nothing here answers congestion: {', '.join(ways)}; what can be explained: {', '.join(ANSWERS)}"
        )
    if len(able) == 1:
        return able[0]
    chosen, change = _most_changed(evidence, able, at_s)
    others = [name for name in able if name != chosen]
    shown = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
    note(f"{chosen}, whose rate changed most around that moment{change}; --flow names another: {shown}")
    return chosen


def _most_changed(evidence: Evidence, able: list[str], at_s: float) -> tuple[str, str]:
    rows = evidence.rows("flows")
    if not len(rows):
        events = evidence.events.having(flow=able).where_before(at_s)
        last = events.last()
        return (str(last["flow"]) if last else able[0]), ""
    best, found = -1.0, (able[0], "")
    for name in able:
        own = rows.having(flow=name)
        times, rates = own["t_s"], np.nan_to_num(own["rate_bps"])
        here = int(np.searchsorted(times, at_s - 1e-9))
        for later in (here, here + 1):
            if 1 <= later < len(times):
                change = abs(float(rates[later] - rates[later - 1]))
                if change > best:
                    best = change
                    found = (name, f" (from {rate(float(rates[later - 1]))} to {rate(float(rates[later]))})")
    return found


def _receiver(evidence: Evidence, flow: str, receiver: str | None) -> str:
    own = evidence.map.ways[flow]
    if receiver is None:
        return ""
    if flow in own:
        raise InputError(f"{flow} is a flow with one receiver, which has no name of its own; leave --receiver out")
    if receiver in own:
        return receiver
    others = [name for name, ways in evidence.map.ways.items() if receiver in ways and receiver != name]
    if others:
        raise InputError(f"{receiver} is a receiver of {others[0]}, not of {flow}, whose receivers {_are(list(own))}")
    raise InputError(f"{flow} has no receiver {brief(receiver)}{nearest(receiver, list(own))}; there {_are(list(own))}")


def _are(names: list[str]) -> str:
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"{'is' if len(names) == 1 else 'are'} {shown}"
