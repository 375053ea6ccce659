"""Nodes and links of a scenario from a graph with coordinates.

The delay of a link is the great circle between its ends, over the speed of light in fibre, times a factor for cables
that take detours. The radius is the mean of the earth's three, (2 · 6378.137 + 6356.752)/3 km; the speed is 200 000
km/s, 5 us per km, what light has in glass with an index of 1.5. Both the speed and the factor are choices and can be
given.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from faircast.errors import InputError, brief
from faircast.maps.graphml import Edge, Element, Graph, read_graphml
from faircast.quantity import RATES, read, seconds

RADIUS_KM = 6371.0088
SPEED_KM_S = 200_000.0
LIGHT_KM_S = 299_792.458
LATITUDES = ("Latitude", "latitude", "lat", "latitude_deg")
"""Names of the Topology Zoo, of others, and of this project's viewer."""
LONGITUDES = ("Longitude", "longitude", "lon", "longitude_deg")
SPEEDS = ("LinkSpeedRaw", "capacity_bps")
"""Names of a link's rate, bit/s."""
NAMED = 40
"""Characters of a label that become a name."""
SLOWEST, FASTEST = 10.0, 1e13
"""Rates that a link may have, bit/s."""
LONGEST_S = 3600.0
"""The longest delay that a link may have."""
SHOWN = 5
"""Names of a remark that are shown."""


@dataclass(frozen=True, kw_only=True)
class MapLink:
    """A link of a network that was read.

    Parameters
    ----------
    name
        ``FROM--TO``; of several between two nodes ``FROM--TO--2`` and so on: names of nodes have
        no two dashes in a row.
    source, target
        The nodes at its ends.
    rate
        bit/s.
    delay
        ns.
    rate_back
        Of the direction back if it is another; ``None`` if it is not.
    is_simplex
        Whether there is no direction back.
    """

    name: str
    source: str
    target: str
    rate: float
    delay: int
    rate_back: float | None = None
    is_simplex: bool = False


@dataclass(frozen=True, kw_only=True)
class Network:
    """Nodes and links of a scenario, read from a file by `faircast.network`.

    Parameters
    ----------
    name
        Of the network, as a scenario may be called.
    file
        Where it comes from.
    nodes
        Their names, in the order of the file.
    links
        The links.
    remarks
        What was chosen or left out, a sentence each.
    """

    name: str
    file: str
    nodes: tuple[str, ...]
    links: tuple[MapLink, ...]
    remarks: tuple[str, ...]

    def tables(self) -> dict[str, Any]:
        """``{"nodes": .., "links": ..}`` as a scenario has them, to which flows and sessions are added."""
        links = {}
        for link in self.links:
            links[link.name] = {
                "from": link.source,
                "to": link.target,
                "rate": _rate(link.rate),
                "delay": f"{link.delay / 1e6:.6f}".rstrip("0").rstrip(".") + " ms",
            }
            if link.rate_back is not None:
                links[link.name]["back"] = {"rate": _rate(link.rate_back)}  # type: ignore[assignment]
            if link.is_simplex:
                links[link.name]["simplex"] = True  # type: ignore[assignment]
        return {"nodes": {node: {} for node in self.nodes}, "links": links}

    def toml(self, *, duration: str = "60 s") -> str:
        """A scenario in TOML that has this network and lacks only what is sent."""
        tables = self.tables()
        lines = [f"# The network of {_comment(self.file)}. Add flows or sessions."]
        lines += [f"# {_comment(remark)}" for remark in self.remarks]
        lines += ["format = 1", f'name = "{self.name}"', f'duration = "{duration}"', ""]
        lines += [f"[nodes.{node}]" for node in self.nodes]
        for name, link in tables["links"].items():
            lines += ["", f"[links.{name}]"]
            for key, value in link.items():
                if key == "back":
                    lines.append(f'back = {{ rate = "{value["rate"]}" }}')
                else:
                    lines.append(f"{key} = true" if value is True else f'{key} = "{value}"')
        return "\n".join(lines) + "\n"


def network(
    file: str | Path,
    *,
    rate: str | None = None,
    delay: str | float | None = None,
    speed: float = SPEED_KM_S,
    detour: float = 1.0,
    merge: bool = False,
    largest: bool = False,
    undirected: bool = False,
) -> Network:
    """A network from a file in GraphML, as the Topology Zoo has them.

    Parameters
    ----------
    file
        The file: nodes with ``Latitude``, ``Longitude`` and ``label``, edges with ``LinkSpeedRaw``, bit/s.
    rate
        Of links of which the file says none, as ``"10 Gbit/s"``; without it that is an error.
    delay
        Of links of which an end has no coordinates; without it that is an error.
    speed
        Of light in fibre, km/s.
    detour
        By what cables are longer than the great circle.
    merge
        Whether links between the same two nodes become one, with the sum of their rates. Otherwise they stay, and
        packets take the first one of the shortest.
    largest
        Whether only the largest part that hangs together is taken.
    undirected
        Whether every edge is a link with both directions, even if the file gives it one: copies of maps are often
        saved so.

    Returns
    -------
    Network
        `Network.tables` is for scenarios in Python, `Network.toml` for a file.

    Raises
    ------
    InputError
        If the file cannot be read, or does not say what no option says either.
    """
    path = Path(file)
    if not 0 < speed <= LIGHT_KM_S:
        raise InputError(f"the speed is {brief(speed)}; legal is above 0 up to {LIGHT_KM_S} km/s, light in vacuum")
    if not 1 <= detour <= 10:
        raise InputError(f"the detour is {brief(detour)}; legal is 1 to 10")
    given_rate = None if rate is None else _given_rate(rate)
    given_delay = None if delay is None else round(seconds(delay, "the delay") * 1e9)
    if given_delay is not None and given_delay > LONGEST_S * 1e9:
        raise InputError(f"the delay is {brief(delay)}; legal is up to 1 h")
    graph = read_graphml(path)
    if undirected:
        graph = replace(graph, edges=[replace(edge, is_directed=False) for edge in graph.edges])
    remarks: list[str] = []
    names = _names(graph, remarks)
    places = {node: _place(path, element) for node, element in graph.nodes.items()}
    reader = _Links(path, graph, names, places, given_rate, given_delay, speed, detour)
    links = reader.links(merge=merge)
    remarks += reader.remarks
    nodes, links = _parts(list(names.values()), links, largest, remarks)
    if not links:
        raise InputError(f"{path} has no links; legal is a graph with an edge between two nodes")
    said = graph.data.get("label") or graph.data.get("Network") or ""
    return Network(
        name=_plain(said) or _plain(path.stem) or "network",
        file=path.name,
        nodes=tuple(nodes),
        links=tuple(links),
        remarks=tuple(remarks),
    )


class _Links:
    """From edges to links."""

    def __init__(
        self,
        path: Path,
        graph: Graph,
        names: dict[str, str],
        places: dict[str, tuple[float, float] | None],
        rate: float | None,
        delay: int | None,
        speed: float,
        detour: float,
    ) -> None:
        self.path = path
        self.graph = graph
        self.names = names
        self.places = places
        self.rate = rate
        self.delay = delay
        self.speed = speed
        self.detour = detour
        self.remarks: list[str] = []

    def links(self, *, merge: bool) -> list[MapLink]:
        """All links, with names of their own."""
        loops = [edge for edge in self.graph.edges if edge.source == edge.target]
        if loops:
            of = _some([self.names[edge.source] for edge in loops])
            self.remarks.append(f"Left out, as they lead from a node to itself: {_count(len(loops), 'edge')} at {of}.")
        pairs = self.paired([edge for edge in self.graph.edges if edge.source != edge.target])
        self.said_of_rates([*(one for one, _ in pairs), *(back for one, back in pairs if back and back is not one)])
        self.said_of_delays([edge for edge, _ in pairs])
        made = [self.link(edge, back) for edge, back in pairs]
        between: dict[frozenset[str], list[MapLink]] = {}
        for link in made:
            between.setdefault(frozenset((link.source, link.target)), []).append(link)
        several = {ends: some for ends, some in between.items() if len(some) > 1}
        if several:
            of = _some([some[0].name for some in several.values()])
            how = (
                "as one with the sum of their rates"
                if merge
                else ("as links of their own, of which packets take the first of the shortest")
            )
            self.remarks.append(f"Several links between two nodes are taken {how}: {of}.")
        if merge:
            return [_merged(some) for some in between.values()]
        counts: Counter[frozenset[str]] = Counter()
        result = []
        for link in made:
            ends = frozenset((link.source, link.target))
            counts[ends] += 1
            number = counts[ends]
            result.append(link if number == 1 else replace(link, name=f"{link.name}--{number}"))
        return result

    def paired(self, edges: Sequence[Edge]) -> list[tuple[Edge, Edge | None]]:
        """Each edge, of those with a direction with the first that leads back and has no partner yet."""
        waiting: dict[tuple[str, str], list[int]] = {}
        pairs: list[tuple[Edge, Edge | None]] = []
        for edge in edges:
            if not edge.is_directed:
                pairs.append((edge, edge))
                continue
            back = waiting.get((edge.target, edge.source))
            if back:
                first = back.pop(0)
                pairs[first] = (pairs[first][0], edge)
            else:
                waiting.setdefault((edge.source, edge.target), []).append(len(pairs))
                pairs.append((edge, None))
        lone = [edge for edge, back in pairs if back is None]
        if lone:
            of = _some([f"{self.names[edge.source]} to {self.names[edge.target]}" for edge in lone])
            self.remarks.append(
                f"Simplex, as no edge leads back: {_count(len(lone), 'link')}, {of}; undirected gives both directions."
            )
        return pairs

    def link(self, edge: Edge, back: Edge | None) -> MapLink:
        source, target = self.names[edge.source], self.names[edge.target]
        rate = self.rate_of(edge)
        rate_back = None if back is None or back is edge else self.rate_of(back)
        return MapLink(
            name=f"{source}--{target}",
            source=source,
            target=target,
            rate=rate,
            delay=self.delay_of(edge),
            rate_back=None if rate_back == rate else rate_back,
            is_simplex=back is None,
        )

    def rate_of(self, edge: Edge) -> float:
        said = _number(self.path, edge, SPEEDS)
        if said is None or said == 0:
            assert self.rate is not None
            return self.rate
        if not SLOWEST <= said <= FASTEST:
            raise InputError(f"{self.path}, line {edge.line}: {said:g} bit/s are not legal; legal are 10 to 1e13 bit/s")
        return float(round(said))

    def delay_of(self, edge: Edge) -> int:
        one, other = self.places[edge.source], self.places[edge.target]
        if one is None or other is None:
            assert self.delay is not None
            return self.delay
        return round(great_circle_km(one, other) * self.detour / self.speed * 1e9)

    def said_of_rates(self, edges: Sequence[Edge]) -> None:
        silent = [edge for edge in edges if not _number(self.path, edge, SPEEDS)]
        if not silent:
            return
        if self.rate is None:
            at = silent[0]
            more = f", nor have {len(silent) - 1} more" if len(silent) > 1 else ""
            raise InputError(
                f"{self.path}, line {at.line}: the edge from {self.names[at.source]} to {self.names[at.target]} has no "
                f"LinkSpeedRaw{more}; give a rate for them"
            )
        self.remarks.append(f"The file says no rate of {_count(len(silent), 'edge')}: {_rate(self.rate)}, as given.")

    def said_of_delays(self, edges: Sequence[Edge]) -> None:
        nowhere = [node for node, place in self.places.items() if place is None]
        told = f"Delays are great circles at {self.speed:g} km/s" + (
            f", times {self.detour:g}." if self.detour != 1 else "."
        )
        self.remarks.append(told)
        touched = [edge for edge in edges if self.places[edge.source] is None or self.places[edge.target] is None]
        if touched and self.delay is None:
            at = nowhere[0]
            more = f", nor have {len(nowhere) - 1} more" if len(nowhere) > 1 else ""
            raise InputError(
                f"{self.path}, line {self.graph.nodes[at].line}: the node {self.names[at]} has no coordinates{more}, "
                f"so {_count(len(touched), 'edge')} cannot have a delay; give one for them"
            )
        if touched:
            of = _some([self.names[node] for node in nowhere])
            verb = "has" if len(nowhere) == 1 else "have"
            length = f"{(self.delay or 0) / 1e6:g} ms, as given"
            self.remarks.append(f"{of} {verb} no coordinates: {_count(len(touched), 'link')} of {length}.")


def great_circle_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The way over the earth between two places, degrees of latitude and longitude; by the haversine."""
    (a, b), (c, d) = ((math.radians(x), math.radians(y)) for x, y in (one, other))
    half = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * RADIUS_KM * math.asin(math.sqrt(min(half, 1.0)))


def _names(graph: Graph, remarks: list[str]) -> dict[str, str]:
    """A name for each node: its label, as far as names may have its signs."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    again: list[str] = []
    changed: list[str] = []
    for node, element in graph.nodes.items():
        label = element.data.get("label") or node
        plain = _plain(label) or f"node-{_plain(node) or len(names)}"
        name, number = plain, 1
        while name in taken:
            number += 1
            name = f"{plain}-{number}"
        if number > 1:
            again.append(name)
        elif name != label:
            changed.append(f"{name} ({brief(label)})")
        taken.add(name)
        names[node] = name
    if again:
        remarks.append(f"Labels that are there several times have numbers behind: {_some(again)}.")
    if changed:
        remarks.append(f"Names have letters, digits, - and _ only: {_some(changed)}.")
    return names


def _plain(label: str) -> str:
    """A label with the signs that names may have: letters without accents, digits, ``-`` and ``_``."""
    text = unicodedata.normalize("NFKD", label)
    text = "".join(sign for sign in text if not unicodedata.combining(sign))
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign == "_") else "-" for sign in text)
    return "-".join(part for part in kept.split("-") if part)[:NAMED].strip("-")


def _place(path: Path, element: Element) -> tuple[float, float] | None:
    latitude, longitude = _number(path, element, LATITUDES), _number(path, element, LONGITUDES)
    if latitude is None or longitude is None:
        return None
    if not (-90 <= latitude <= 90 and -360 <= longitude <= 360):
        raise InputError(
            f"{path}, line {element.line}: latitude {latitude:g}, longitude {longitude:g} is no place on the earth"
        )
    return latitude, longitude


def _number(path: Path, element: Element, names: Sequence[str]) -> float | None:
    """What is said of an element under the first of these names that it has; None if nothing is."""
    for name in names:
        text = element.data.get(name, "")
        if text:
            try:
                number = float(text)
            except ValueError:
                number = math.nan
            if not math.isfinite(number):
                raise InputError(f"{path}, line {element.line}: {name} is {brief(text)}; legal is a number")
            return number
    return None


def _merged(links: Sequence[MapLink]) -> MapLink:
    """One link for several between two nodes, which have one delay: the sum of their rates in each direction."""
    first = links[0]
    forth = back = 0.0
    for link in links:
        returned = 0.0 if link.is_simplex else link.rate if link.rate_back is None else link.rate_back
        along = link.source == first.source
        forth += link.rate if along else returned
        back += returned if along else link.rate
    return replace(
        first,
        rate=forth,
        rate_back=None if back in (0.0, forth) else back,
        is_simplex=back == 0,
    )


def _parts(
    nodes: list[str], links: list[MapLink], largest: bool, remarks: list[str]
) -> tuple[list[str], list[MapLink]]:
    """What hangs together, by links in either direction; all of it, or the largest part."""
    beside: dict[str, list[str]] = {node: [] for node in nodes}
    for link in links:
        beside[link.source].append(link.target)
        beside[link.target].append(link.source)
    part_of: dict[str, int] = {}
    sizes: list[int] = []
    for node in nodes:
        if node in part_of:
            continue
        part_of[node] = len(sizes)
        found = [node]
        for one in found:
            for other in beside[one]:
                if other not in part_of:
                    part_of[other] = len(sizes)
                    found.append(other)
        sizes.append(len(found))
    if len(sizes) == 1:
        return nodes, links
    rest = _some([str(size) for size in sorted(sizes, reverse=True)])
    if not largest:
        remarks.append(
            f"There are {len(sizes)} parts that do not hang together, of {rest} nodes: nothing can be sent between."
        )
        return nodes, links
    best = sizes.index(max(sizes))
    remarks.append(f"Of {len(sizes)} parts that do not hang together, of {rest} nodes, the largest is taken.")
    return [node for node in nodes if part_of[node] == best], [link for link in links if part_of[link.source] == best]


def _given_rate(text: str) -> float:
    found = read(text)
    if found is None or found.unit not in RATES or not SLOWEST <= found.number * RATES[found.unit] <= FASTEST:
        raise InputError(f"the rate is {brief(text)}; legal is 10 bit/s to 10000 Gbit/s, such as '10 Gbit/s'")
    return float(round(found.number * RATES[found.unit]))


def _rate(bps: float) -> str:
    """A rate in the largest unit in which it is whole, or has at most three decimals."""
    for unit, size in (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 10**3)):
        if bps >= size and round(bps) * 1000 % size == 0:
            return f"{round(bps) / size:.3f}".rstrip("0").rstrip(".") + f" {unit}"
    return f"{round(bps)} bit/s"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:SHOWN])
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown


def _count(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def _comment(text: str) -> str:
    """Text for one line of a comment in TOML, which has no place for signs that nobody sees."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
