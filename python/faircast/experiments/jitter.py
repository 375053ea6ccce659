"""Which senders of a scenario leave it to the phases of packets who loses at a drop-tail queue.

TCP sends when an ACK comes, and ACKs come as packets leave the bottleneck, so that each packet meets a full queue at
the same moment of its round and the same sender loses again and again, or never (Floyd and Jacobson, 1992). It is the
same with packets sent at a constant rate. A random time of up to a packet's at the bottleneck takes that away. One rule
holds for all experiments: what is judged has that time, and what a paper's own simulator did without stands beside it.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from faircast import _native
from faircast.quantity import BYTES, read, seconds

if TYPE_CHECKING:
    from faircast.scenario import Resolved

ENOUGH = 0.9
"""The part of a packet's time that is enough: a scenario may have left out headers."""


def one_packet(wire_bytes: float, mbps: float) -> dict[str, str]:
    """The key of a TCP flow with the time of a packet at its bottleneck."""
    return {"send_jitter": f"{wire_bytes * 8 / mbps / 1000:.6g} ms"}


def left_to_phases(scenario: Resolved) -> dict[str, str]:
    """By flow that sends in phase its narrowest link, which is drop-tail and shared; empty if there is none."""
    network = json.loads(_native.network_map(scenario.json, scenario.seed))
    links = {link["name"]: link for link in network["links"]}
    entries = _entries(scenario.data.get("flows", {}))
    narrowest: dict[str, str] = {}
    crossed: Counter[str] = Counter()
    for flow in network["flows"]:
        ways = [receiver["there"] for receiver in flow["receivers"] if receiver["there"]]
        crossed.update(set().union(*ways) if ways else ())
        if flow["name"] in entries and ways:
            narrowest[flow["name"]] = min(ways[0], key=lambda name: float(links[name]["rate_bps"]))
    found = {}
    for name, at in narrowest.items():
        is_drop_tail = links[at]["queue"]["kind"] == "drop-tail"
        if crossed[at] > 1 and is_drop_tail and _in_phase(entries[name], links[at]["rate_bps"]):
            found[name] = at
    return found


def _entries(flows: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """By the name of a flow its entry, with its own value of what is a list."""
    found = {}
    for name, entry in flows.items():
        if entry["kind"] == "web":  # arrives at random
            continue
        count = entry.get("count")
        for index in range(1 if count is None else count):
            own = {key: value[index] if isinstance(value, list) else value for key, value in entry.items()}
            found[name if count is None else f"{name}-{index}"] = own
    return found


def _in_phase(flow: dict[str, Any], rate_bps: float) -> bool:
    if flow["kind"] == "cbr":
        return float(flow["jitter"]) == 0
    if flow["kind"] != "tcp" or flow.get("segments") is not None:
        return False
    packet_s = 8 * (_bytes(flow["mss"]) + _bytes(flow["hdr"])) / rate_bps
    return seconds(flow["send_jitter"], "send_jitter") < ENOUGH * packet_s


def _bytes(text: str) -> float:
    found = read(text)
    assert found is not None, text
    return found.number * BYTES[found.unit]
