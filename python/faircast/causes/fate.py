"""What became of a packet: where it was dropped, lost or marked, what the queue was like, and why."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from faircast.causes.evidence import Evidence, Link
from faircast.causes.explanation import Step, digits, moment
from faircast.causes.rows import Rows
from faircast.quantity import read

GONE = (
    "dropped-overflow",
    "dropped-active",
    "dropped-down",
    "discarded",
    "unreceived",
    "held-back",
    "lost",
    "no-route",
    "out-of-hops",
    "off-tree",
    "not-a-source",
)
"""Actions of the table of packets after which a packet does not come."""
MARKED = ("marked-incipient", "marked-moderate")


@dataclass(frozen=True)
class Trail:
    """What happened to the packets of a flow in some time."""

    evidence: Evidence
    rows: Rows
    """Of the table of packets, in the order of time."""
    way: tuple[str, ...]
    """The links to the receiver in question."""

    @classmethod
    def of(cls, evidence: Evidence, flow: str, receiver: str, start_s: float, stop_s: float) -> Trail:
        """The packets of a flow on the way to a receiver, there and back."""
        own = evidence.map.ways[flow][receiver]
        # Where links go down or turn packets take other ways than at the start.
        everywhere = not evidence.map.is_fixed(list(evidence.map.links))
        links = list(evidence.map.links) if everywhere else [*dict.fromkeys((*own.there, *own.back))]
        return cls(evidence, evidence.packets(flow, links, start_s, stop_s), own.there)

    @classmethod
    def of_ends(cls, evidence: Evidence, flow: str, receiver: str, start_s: float, stop_s: float) -> Trail:
        """Where packets of a flow ended on the way to a receiver: enough for `ends`, and little where they are many."""
        there = evidence.map.ways[flow][receiver].there
        # Where links go down or turn packets take other ways than at the start.
        links = there if evidence.map.is_fixed(list(evidence.map.links)) else list(evidence.map.links)
        return cls(evidence, evidence.packets(flow, links, start_s, stop_s, GONE), there)

    def ends(self) -> Rows:
        """Where data packets ended that did not come: on the way to the receiver, or on a node without a way on."""
        return self.rows.having(action=GONE, is_data=1, link=(*self.way, ""))

    def marks(self) -> Rows:
        """Where data packets were marked on the way to the receiver."""
        return self.rows.having(action=MARKED, is_data=1, link=self.way)

    def lost_answers(self) -> Rows:
        """Acknowledgements and reports that did not come."""
        return self.rows.having(action=GONE, is_data=0)

    def end_of(self, number: float, *, group: float = math.nan, before_s: float = math.inf) -> dict[str, Any] | None:
        """Where the last packet of that number, sent before a moment, ended; None if nothing is known of it."""
        gone = self.seen(number, group=group).having(action=GONE).where_before(before_s)
        # Where ways change it may have been on another one than that of the start.
        return gone.having(link=(*self.way, "")).last() or (None if self.is_fixed else gone.last())

    def seen(self, number: float, *, group: float = math.nan) -> Rows:
        """All that happened to the packets of that number."""
        found = self.rows.having(number=number, is_data=1)
        return found if math.isnan(group) else found.having(group=group)

    @cached_property
    def is_fixed(self) -> bool:
        """Whether the way to the receiver is the one of the start throughout."""
        return self.evidence.map.is_fixed(list(self.evidence.map.links))

    def step(self, row: Mapping[str, Any], name: str) -> Step:
        """The sentence about the end of a packet, `name` being what to call it (``packet 812``)."""
        at_s, action, link = float(row["t_s"]), str(row["action"]), str(row["link"])
        facts: dict[str, Any] = {
            "number": row["number"],
            "action": action,
            "link": link or None,
            "node": row["node"] or None,
        }
        if not link:
            text = f"{name[0].upper()}{name[1:]} came to {row['node']} at {moment(at_s)} and {_no_way(action)}."
            down = self.down(at_s)
            if down:
                text += f" Down at that moment: {down}."
                facts["down"] = down
            return Step("packet", text, at_s, facts)
        place = self.evidence.map.links[link]
        text, more = _sentence(place, action, row, at_s, name)
        return Step("packet", text, at_s, facts | more)

    def down(self, at_s: float) -> str:
        """The links that are down at a moment, in words; empty if none is."""
        found = [
            f"{one.name} (since {moment(since)})"
            for one in self.evidence.map.links.values()
            if (since := one.down_since(at_s)) is not None
        ]
        return ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")


def queue_name(queue: Mapping[str, Any]) -> str:
    """A queue for people: ``drop-tail queue, limit 50 packets``."""
    kind = {"red": "RED", "mecn": "MECN"}.get(str(queue.get("kind")), str(queue.get("kind")))
    return f"{kind} queue" + (f", limit {queue['limit']}" if "limit" in queue else "")


def thresholds(queue: Mapping[str, Any]) -> str:
    """The thresholds of RED and its relatives: ``thresholds 5, 10 and 20 packets``; empty if they are not known.

    One that the scenario leaves to the queue is made of the one below it, as in ``crates/sim/src/queue``.
    """
    is_mecn = "mid_th" in queue
    times = {"mid_th": 2.0, "max_th": 2.0 if is_mecn else 3.0}
    found: list[float] = []
    for key in ("min_th", "mid_th", "max_th") if is_mecn else ("min_th", "max_th"):
        given = read(queue.get(key, ""))
        if given is None and not (found and key in times):
            return ""
        found.append(times[key] * found[-1] if given is None else given.number)
    texts = [digits(one) for one in found]
    return f"thresholds {', '.join(texts[:-1])} and {texts[-1]} packets"


def loss_name(loss: Mapping[str, Any]) -> str:
    """A loss model for people: ``bernoulli, p = 0.01``."""
    kind = str(loss.get("kind"))
    rest = ", ".join(f"{key} = {value}" for key, value in loss.items() if key != "kind")
    return f"{kind}, {rest}" if rest else kind


def _sentence(place: Link, action: str, row: Mapping[str, Any], at_s: float, name: str) -> tuple[str, dict[str, Any]]:
    waiting, average = int(row["queue_pkts"]), float(row["average_pkts"])
    kind = str(place.queue.get("kind"))
    facts: dict[str, Any] = {"queue": kind, "queue_pkts": waiting, "average_pkts": average}
    if "limit" in place.queue:
        facts["limit"] = place.queue["limit"]
    begin = f"{name[0].upper()}{name[1:]}"
    where = f"at {place.name} ({place.from_} to {place.to}) at {moment(at_s)}"
    state = f"{waiting} packets waited" + (
        "" if math.isnan(average) else f", the average was {digits(average)} packets"
    )
    if action == "dropped-overflow":
        return f"{begin} was dropped {where}: the queue was full ({queue_name(place.queue)}); {state}.", facts
    if action == "dropped-active":
        limits = thresholds(place.queue)
        tail = f"{state}; {limits}" if limits else state
        return f"{begin} was dropped {where} by decision of the {queue_name(place.queue)}: {tail}.", facts
    if action in MARKED:
        level = "incipient" if action == "marked-incipient" else "moderate"
        # Plain ECN has one mark only.
        degree = f"{level} congestion" if kind == "mecn" else "congestion experienced"
        limits = thresholds(place.queue)
        tail = f"{state}; {limits}" if limits else state
        return f"{begin} was marked ({degree}) {where} by the {queue_name(place.queue)}: {tail}.", facts
    if action == "lost":
        facts = {"loss": place.loss_at(at_s), "leg_of": place.carrier}
        what = "leg" if place.carrier else "link"
        model = loss_name(place.loss_at(at_s))
        return (
            f"{begin} was lost at random at the far end of the {what} {place.name} ({place.from_} to {place.to}) at "
            f"{moment(at_s)}: its loss model ({model}) destroyed it.",
            facts,
        )
    if action == "held-back":
        return f"{begin} was kept from the queue {where} by the router agent there.", facts
    since = place.down_since(at_s)
    facts = {"down_since_s": since}
    down = f"the link was down (since {moment(since)})" if since is not None else "the link was down or turned away"
    verb = {
        "dropped-down": "was dropped",
        "discarded": "had waited and was removed",
        "unreceived": "was sent, but nobody received it,",
    }[action]
    return f"{begin} {verb} {where}: {down}.", facts


def _no_way(action: str) -> str:
    return {
        "no-route": "no way led on from there",
        "out-of-hops": "had crossed 64 links",
        "off-tree": "had come over a link that was no longer the way down its tree",
        "not-a-source": "had come up the tree, where members may not send",
    }[action]


def span_of(rows: Rows) -> Sequence[int]:
    """The numbers of packets, each once."""
    return sorted({int(number) for number in rows["number"] if not math.isnan(number)}) if len(rows) else []
