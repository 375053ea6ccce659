"""Paths of a reader's own: a network from a scenario file, which also says who sends where over it.

The file is a scenario. Of it the comparison takes the network, ``duration`` and ``warmup``; of each session the source
and the nodes of its receivers, of each flow its ends; and from ``probes.queues`` which links limit. All else is refused
where the file says it, as the comparison says it, the same for all schemes; but for the ``scheme`` of a session and the
``kind`` of a flow, which a scenario cannot lack: the rows of the comparison take the place of the former, and the
latter is TCP.

An entry is limited by the narrowest of the named links on its way. What the other paths have in their files follows
from the network: in the reference the TCP in place of a session goes to its first receiver behind each of these links,
the longest round trip has the longest propagation there and back in the run and a full queue, and TCP puts off each
packet by up to one packet's time where that queue is drop-tail. Packets have 1000 B. The losses are the network's own.

A network is known by what it says when it is read, files that it names included, and not by its file, which may change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path as File
from typing import Any

from faircast import quantity
from faircast.errors import InputError, brief, nearest
from faircast.experiment import Brought, listed
from faircast.experiments.side_by_side.path import Agent, Bottleneck, Path
from faircast.experiments.side_by_side.queues import LONGEST_BDP, QUEUES
from faircast.scenario import Resolved, resolve
from faircast.scenario import read as read_scenario

SUFFIX = ".toml"
PACKET_BYTES = 1000
NETWORK = ("topology", "stations", "nodes", "links", "reroute_interval")
"""What of a scenario is its network."""
TAKEN: dict[str, tuple[str, ...]] = {
    "": ("format", "name", "description", "duration", "warmup", "flows", "sessions", "probes", *NETWORK),
    "probes": ("queues",),
    "flows": ("kind", "from", "to", "count"),
    "sessions": ("scheme", "source", "receivers"),
    "receivers": ("nodes", "count"),
}
"""The keys that a file may have: at the top, and in each of these tables."""


def read(file: str) -> Brought:
    """The network of a scenario file, with all that the comparison takes from it.

    Raises `InputError` if there is no such file, if the scenario is not legal, or if it is none for a comparison.
    """
    if not File(file).is_file():
        lacks = "this is no file" if File(file).exists() else "there is no such file"
        raise InputError(f"path {brief(file)}: {lacks}; it has a network, and who sends where over it, as a scenario")
    tree = read_scenario(file)
    if problems := refused(tree):
        told = "problem" if len(problems) == 1 else "problems"
        raise InputError(f"path {brief(file)} has {len(problems)} {told} for a comparison", problems)
    resolve(file)
    # Queues that are measured in bandwidth-delay products hold the packets of the comparison.
    scenario = resolve(file, sets=[assignment for name in tree.get("flows", {}) for assignment in packets(name)])
    try:
        return Brought.of(file, record(scenario))
    except InputError as error:
        raise InputError(f"path {brief(file)}: {error.message}", error.problems) from None


def packets(flow: str) -> list[str]:
    """Assignments by which the packets of a flow are those of the comparison."""
    return [f"flows.{flow}.mss='{PACKET_BYTES} B'", f"flows.{flow}.hdr='0 B'"]


def refused(tree: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a scenario, as it was written, says that is the comparison's, as pairs of path and message."""
    found: list[tuple[str, str]] = []

    def look(table: object, path: str, kind: str) -> None:
        for key in table if isinstance(table, Mapping) else ():
            if key not in TAKEN[kind]:
                said = f"the comparison itself says this, the same for all; legal here are {', '.join(TAKEN[kind])}"
                found.append((f"{path}.{key}".lstrip("."), said))

    def inner(key: str) -> Iterable[tuple[str, Any]]:
        entries = tree.get(key)
        return entries.items() if isinstance(entries, Mapping) else ()

    look(tree, "", "")
    look(tree.get("probes"), "probes", "probes")
    for name, flow in inner("flows"):
        look(flow, f"flows.{name}", "flows")
        if isinstance(flow, Mapping) and flow.get("kind", "tcp") != "tcp":
            found.append((f"flows.{name}.kind", 'what is beside sessions here is TCP: write kind = "tcp"'))
    for name, session in inner("sessions"):
        look(session, f"sessions.{name}", "sessions")
        if isinstance(session, Mapping):
            look(session.get("receivers"), f"sessions.{name}.receivers", "receivers")
    return found


def record(scenario: Resolved) -> dict[str, Any]:
    """What the comparison takes from a scenario, as plain values. Raises `InputError` if it is none for it."""
    from faircast import _native

    data = scenario.data
    map_ = json.loads(_native.network_map(scenario.json, scenario.seed))
    links = {link["name"]: link for link in map_["links"]}
    limiting = data["probes"]["queues"]
    sessions = {one["name"]: one for one in map_["flows"] if one["name"] in data.get("sessions", {})}
    flows = {one["name"]: one for one in map_["flows"] if one["name"] not in sessions}
    if not sessions or not flows:
        lacks = "session" if not sessions else "flow of TCP"
        raise InputError(f"it has no {lacks}; a comparison needs sessions, and TCP beside them")
    behind = {
        receiver["name"]: bottleneck(receiver, limiting, links)
        for entry in map_["flows"]
        for receiver in entry["receivers"]
    }
    bottlenecks: list[dict[str, Any]] = []
    instead: dict[str, tuple[str, str]] = {}
    for link in limiting:
        receivers = [receiver for one in sessions.values() for receiver in one["receivers"]]
        there = [receiver["name"] for receiver in receivers if behind[receiver["name"]] == link]
        placed = {}
        for name, session in sessions.items():
            first = next((one for one in session["receivers"] if behind[one["name"]] == link), None)
            if first is not None and first["node"] != session["source"]:
                placed[f"instead-{name}-{len(bottlenecks)}"] = (session["source"], first["node"])
        instead |= placed
        bottlenecks.append(
            {
                "link": link,
                "mbps": links[link]["rate_bps"] / 1e6,
                "header_bytes": links[link]["header_bytes"],
                "tcps": [name for name in flows if behind[name] == link],
                "receivers": there,
                "instead": list(placed),
            }
        )
    if idle := [one["link"] for one in bottlenecks if not one["tcps"] and not one["receivers"]]:
        raise InputError(f"probes.queues names {listed(idle)}, which limits no receiver and no TCP: leave it out")
    if not any(one["tcps"] and one["receivers"] for one in bottlenecks):
        raise InputError("no link of probes.queues limits receivers and TCP, so nothing can be compared")
    ends = {name: (one["source"], one["receivers"][0]["node"]) for name, one in flows.items()}
    return {
        "name": data["name"],
        "duration": data["duration"],
        "warmup": data["warmup"],
        "network": {key: data[key] for key in NETWORK if key in data},
        "bottlenecks": bottlenecks,
        "queues": {name: links[name]["queue"] for link in limiting for name in (link, other(link)) if name in links},
        "members": {
            name: (one["source"], [receiver["node"] for receiver in one["receivers"]]) for name, one in sessions.items()
        },
        "ends": ends | instead,
        "round_trips_s": round_trips_s(scenario, map_["flows"], behind),
    }


def bottleneck(entry: Mapping[str, Any], limiting: list[str], links: Mapping[str, Any]) -> str:
    """The narrowest of the named links on the way to a receiver, of equal ones the first. Raises `InputError`."""
    way, name = entry["there"], entry["name"]
    named: list[str] = [link for link in way if link in limiting]
    if named:
        return min(named, key=lambda link: int(links[link]["rate_bps"]))
    if not way:
        raise InputError(f"{name} is on the node of its source, so no link limits it: leave it out")
    narrowest: str = min(way, key=lambda link: int(links[link]["rate_bps"]))
    if not limiting:
        raise InputError(
            "it names no bottleneck: say which links limit, in the direction of the data, as "
            f'[probes] queues = ["{narrowest}"]; that is the narrowest on the way to {name}'
        )
    raise InputError(
        f"no link of probes.queues ({', '.join(limiting)}) is on the way to {name}, which leads over {', '.join(way)}; "
        f"the narrowest is {narrowest}{nearest(narrowest, limiting)}"
    )


def round_trips_s(scenario: Resolved, flows: list[Any], behind: Mapping[str, str]) -> dict[str, float]:
    """By limiting link the longest propagation there and back, at any time of the run, of what it limits."""
    from faircast.ways import several

    pairs = {
        receiver["name"]: (flow["source"], receiver["node"])
        for flow in flows
        for receiver in flow["receivers"]
        if flow["source"] != receiver["node"]
    }
    both = list(dict.fromkeys(way for one, two in pairs.values() for way in ((one, two), (two, one))))
    ways = several(both, scenario, interval=scenario.data["duration"])
    longest = {pair: way.summary.max_s for pair, way in zip(both, ways, strict=True)}
    found: dict[str, float] = {}
    for name, (one, two) in pairs.items():
        found[behind[name]] = max(found.get(behind[name], 0.0), longest[one, two] + longest[two, one])
    return found


def other(link: str) -> str:
    """A link's direction back, or of that the one forward."""
    return link.removesuffix(".back") if link.endswith(".back") else f"{link}.back"


@lru_cache(maxsize=64)
def path(network: Brought, queue: str = "") -> Path:
    """The path of a network, with one of `QUEUES` at its bottlenecks, or its own queues."""
    said = network.said
    name = title(network)
    bottlenecks = tuple(
        Bottleneck(
            link=one["link"],
            mbps=one["mbps"],
            header_bytes=one["header_bytes"],
            tcps=tuple(one["tcps"]),
            receivers=tuple(one["receivers"]),
            instead=tuple(one["instead"]),
        )
        for one in said["bottlenecks"]
    )
    queues = {link: QUEUES[queue].config if queue else said["queues"][link] for link in said["round_trips_s"]}
    wire = {one.link: (PACKET_BYTES + one.header_bytes) * 8 / (1e6 * one.mbps) for one in bottlenecks}
    return Path(
        name=f"own-{name}{f'-{queue}' if queue else ''}",
        title=f"own: {name}",
        about=f"own network: {name}",
        family=network.file,
        queue=queue,
        bottlenecks=bottlenecks,
        members={session: (source, tuple(nodes)) for session, (source, nodes) in said["members"].items()},
        ends={flow: (one, two) for flow, (one, two) in said["ends"].items()},
        duration_s=quantity.seconds(said["duration"], "duration"),
        warmup_s=quantity.seconds(said["warmup"], "warmup"),
        packet_bytes=PACKET_BYTES,
        longest_rtt_s=max(
            rtt_s + waiting_s(queues[link], rtt_s, wire[link]) for link, rtt_s in said["round_trips_s"].items()
        ),
        jitters_s={
            flow: wire[one.link]
            for one in bottlenecks
            if queues[one.link]["kind"] == "drop-tail"
            for flow in (*one.tcps, *one.instead)
        },
        network=partial(made, network, queue),
    )


def title(network: Brought) -> str:
    """What a network is called for readers, by its file."""
    return File(network.file).stem


def waiting_s(queue: Mapping[str, Any], rtt_s: float, packet_s: float) -> float:
    """How long a full queue takes to send: a drop-tail one up to its limit, others no more than `LONGEST_BDP`."""
    most = LONGEST_BDP * rtt_s
    found = quantity.read(queue.get("limit"))
    if queue["kind"] != "drop-tail" or found is None:
        return most
    if found.unit == "BDP":
        return found.number * rtt_s
    packets = found.number if found.unit == "packets" else found.number * quantity.BYTES[found.unit] / PACKET_BYTES
    return packets * packet_s


def made(network: Brought, queue: str, _loss: float, agent: Agent, _seed: int) -> dict[str, Any]:
    """Nodes and links, with the agent, and the queue if that is given, at the bottlenecks; the same with all seeds."""
    said = network.said
    found: dict[str, Any] = said["network"]
    links = found.setdefault("links", {})

    def direction(name: str) -> dict[str, Any]:
        of: dict[str, Any] = links.setdefault(name.removesuffix(".back"), {})
        return of.setdefault("back", {}) if name.endswith(".back") else of

    for one in said["bottlenecks"]:
        link = one["link"]
        if queue:
            if other(link) in said["queues"]:
                direction(other(link)).setdefault("queue", said["queues"][other(link)])
            direction(link)["queue"] = QUEUES[queue].config
        if agent:
            direction(link)["agent"] = dict(agent)
    return found
