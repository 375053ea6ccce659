"""Random scenarios from the grammar that the core publishes, for `fuzz_scenarios.py`."""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from faircast import _native
from faircast.scenario import parts_of, problems, resolve

REPAIRS = 40
"""How often something of an illegal scenario is drawn anew or left out."""

Tree = dict[str, Any]
Tell = Callable[[Tree], object]
"""Is told of every scenario before it is tried."""


class DefectError(Exception):
    """What must not be."""


def expect(holds: bool, what: str) -> None:
    """Raises what must not be."""
    if not holds:
        raise DefectError(what)


class Drawing:
    """Instances of parts of the grammar, moderate in value."""

    RANGES: ClassVar = {
        "rate": (3e4, 5e6, "bit/s"),
        "duration": (1e-3, 1.0, "s"),
        "number of bytes": (60, 1500, "B"),
        "number of packets": (1, 60, "packets"),
        "queue size": (2, 60, "packets"),
        "symbol rate": (3e4, 5e6, "baud"),
        "number of decibels": (0.5, 20, "dB"),
        "frequency": (1e9, 50e9, "Hz"),
        "rain rate": (1, 100, "mm/h"),
    }
    """By kind of quantity the least, the greatest, and the unit, where there is no default to begin with."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.schema: Tree = json.loads(_native.schema())
        self.parts: Tree = self.schema["$defs"]
        self.names: dict[str, list[str]] = {}
        """By key what may stand there that is a name; a key of plain text that is not here is not drawn."""

    def part(self, name: str, share: float = 0.25, **given: Any) -> Any:
        """A part of the grammar, in which these keys are given; what is given as None is left out."""
        drawn = self.draw(self.parts[name], share=share)
        drawn.update(given)
        return {key: value for key, value in drawn.items() if value is not None}

    def variants(self, name: str) -> list[str]:
        """The parts that a part of several kinds may be."""
        return [option["$ref"].rsplit("/", 1)[1] for option in self.parts[name]["oneOf"]]

    def key_of(self, tree: Tree, key: str) -> Any:
        """What may stand in a drawn part under a key; None if no such part is known."""
        told = {(name, tree[name]) for name in ("kind", "scheme") if name in tree}
        for part in self.parts.values():
            keys = part.get("properties", {})
            if key in keys and told == {
                (name, keys[name]["const"]) for name in ("kind", "scheme") if "const" in keys.get(name, {})
            }:
                return self.draw(keys[key], key)
        return None

    def draw(self, node: Tree, key: str = "", share: float = 0.25) -> Any:
        """Something that the node of the schema describes; None if nothing can be drawn."""
        rng = self.rng
        if "$ref" in node:
            return self.draw(self.parts[node["$ref"].rsplit("/", 1)[1]] | without(node, "$ref"), key, share)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return rng.choice(node["enum"])
        for several in ("oneOf", "anyOf"):
            if several in node:
                options = [option for option in node[several] if not self.is_file(option)]
                return (
                    self.draw({"default": node.get("default"), **rng.choice(options)}, key, share) if options else None
                )
        kind = node.get("type")
        if "x-quantity" in node:
            return self.quantity(node["x-quantity"], node.get("default"))
        if kind == "object":
            return self.table(node, share)
        if kind == "array":
            items = [self.draw(node.get("items", {}), key, share) for _ in range(rng.choice([1, 2, 2, 3]))]
            return None if None in items or not items else items
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "integer":
            return self.integer(node)
        if kind == "number":
            return self.number(node)
        return rng.choice(self.names[key]) if self.names.get(key) else None

    def is_file(self, node: Tree) -> bool:
        """Whether it stands for a file, or for what only a file would hold."""
        return bool(node.get("x-file")) or node.get("$ref", "").endswith(("/Elements", "/Trace"))

    def table(self, node: Tree, share: float) -> Any:
        """A table: all that is required in it, and this share of the rest."""
        keys = {key: value for key, value in node.get("properties", {}).items() if not self.is_file(value)}
        required = set(node.get("required", ()))
        drawn = {}
        for key, value in keys.items():
            if key in required or self.rng.random() < share:
                drawn[key] = self.draw(value, key, 0.7 * share)
        if isinstance(node.get("additionalProperties"), dict):
            for name in ("a", "b")[: self.rng.choice([1, 2])]:
                drawn[name] = self.draw(node["additionalProperties"], name, share)
        return {key: value for key, value in drawn.items() if value is not None}

    def integer(self, node: Tree) -> int:
        """A few, or something near the default."""
        default = node.get("default")
        wanted = self.rng.choice([1, 1, 2, 3])
        if isinstance(default, int) and default > 4:
            wanted = int(default * self.rng.choice([0.5, 1, 2]))
        return int(min(max(wanted, node.get("minimum", 0)), node.get("maximum", wanted)))

    def number(self, node: Tree) -> float:
        """A number between the bounds, near the default if there is one."""
        default = node.get("default")
        low = node.get("minimum", node.get("exclusiveMinimum", 0.0))
        high = node.get("maximum", node.get("exclusiveMaximum", math.inf))
        if isinstance(default, int | float) and default != 0:
            wanted = default * self.rng.uniform(0.5, 2)
        else:
            wanted = self.rng.uniform(low, high) if high - low < 1000 else low + self.rng.uniform(0.1, 2)
        drawn = float(f"{min(max(wanted, low), high):.4g}")
        if drawn in (node.get("exclusiveMinimum"), node.get("exclusiveMaximum")):
            drawn = low + 1.0 if high == math.inf else (low + high) / 2
        return drawn

    def quantity(self, kind: str, default: object) -> str:
        """A quantity, often one near the default."""
        low, high, unit = self.RANGES[kind]
        value = low * (high / low) ** self.rng.random()
        if isinstance(default, str) and default[0].isdigit() and self.rng.random() < 0.7:
            number, _, unit = default.partition(" ")
            value = float(number) * self.rng.choice([0.5, 1, 1, 2])
        whole = unit in ("B", "packets", "packet")
        return f"{max(1, round(value)) if whole and value else float(f'{value:.4g}'):g} {unit}"


def without(tree: Tree, *keys: str) -> Tree:
    """A table without these keys."""
    return {key: value for key, value in tree.items() if key not in keys}


def draw(rng: random.Random, tell: Tell) -> Tree | None:
    """A legal scenario; None if what was drawn could not be made legal."""
    drawing = Drawing(rng)
    tree: Tree = {"format": 1, "name": "drawn", "duration": f"{rng.choice([1, 2, 3, 4])} s"}
    if rng.random() < 0.3:
        tree["warmup"] = f"{rng.choice([0, 0.1, 0.5, 0.9])} s"
    kind = rng.choice(drawing.variants("Topology"))
    few = {
        key: rng.choice([1, 2, 3])
        for key in ("left", "right", "hops", "depth", "fan_out")
        if key in drawing.parts[kind]["properties"]
    }
    share = 0.08 if kind == "Constellation" else 0.25
    tree["topology"] = drawing.part(kind, share, **few)
    if kind == "Constellation":
        tree["topology"] |= {"shell": rng.choice(["iridium", "iridium", tree["topology"].get("shell", "star")])}
        tree["stations"] = {f"station-{i}": drawing.part("Station") for i in range(rng.choice([2, 3]))}
    links = network(tree, drawing, tell)
    nodes = sorted({link[end] for link in links for end in ("from", "to")})
    hosts = [node for node in nodes if "router" not in node and not node.startswith("sat")] or nodes
    drawing.names |= dict.fromkeys(("from", "to", "source", "nodes"), hosts)
    own = sorted({link["name"].removesuffix(".back") for link in links})
    drawing.names |= {key: [link["name"] for link in links] for key in ("queues", "packets")}
    for name in rng.sample(own, min(len(own), rng.choice([0, 1, 1, 2]))):
        part = without(drawing.part("Link"), "from", "to", "leg_of", "simplex")
        tree.setdefault("links", {})[name] = part
    if len(nodes) > 2 and rng.random() < 0.2:
        ends = dict(zip(("from", "to"), rng.sample(nodes, 2), strict=True))
        further = drawing.part("Link", rate="1 Mbit/s", delay="10 ms", leg_of=None, **ends)
        tree.setdefault("links", {})["further"] = further
    flows = {f"f{i}": drawing.part(rng.choice(drawing.variants("Flow"))) for i in range(rng.choice([0, 1, 2]))}
    sessions = {
        f"s{i}": drawing.part(rng.choice(drawing.variants("Session")))
        for i in range(rng.choice([0 if flows else 1, 1, 1, 2]))
    }
    for one in flows.values():
        one |= {"from": one.get("from", rng.choice(hosts)), "to": one.get("to", rng.choice(hosts))}
    for one in sessions.values():
        receivers = {"nodes": [rng.choice(hosts) for _ in range(rng.choice([1, 2, 3]))]}
        one["receivers"] = without(drawing.part("Receivers"), "count") | receivers
    tree |= {key: value for key, value in (("flows", flows), ("sessions", sessions)) if value}
    drawing.names["packets_flows"] = [*flows, *sessions]
    properties = drawing.schema["properties"]
    for key in properties.keys() - tree.keys() - {"seed", "nodes", "links", "stations", "flows", "sessions"}:
        if rng.random() < 0.3 and (part := drawing.draw(properties[key], key)) is not None:
            tree[key] = part
    return legal(tree, tell, drawing)


def network(tree: Tree, drawing: Drawing, tell: Tell) -> list[Tree]:
    """The links of a drawn topology; what makes it illegal is left out of it."""
    alone: Tree = {"format": 1, "name": "map", "duration": "1 s"}
    alone |= {"nodes": {"za": {}, "zb": {}}, "flows": {"f": {"kind": "cbr", "from": "za", "to": "zb"}}}
    alone["links"] = {"zz": {"from": "za", "to": "zb", "rate": "1 Mbit/s", "delay": "1 ms"}}
    alone |= {key: tree[key] for key in ("topology", "stations") if key in tree}
    alone = legal(alone, tell, drawing) or alone | {"topology": {"kind": "dumbbell"}, "stations": {}}
    tree.pop("stations", None)
    tree |= {key: alone[key] for key in ("topology", "stations") if alone.get(key)}
    links: list[Tree] = json.loads(_native.network_map(resolve(alone).json, 1))["links"]
    links = [link for link in links if not link["name"].startswith("zz")]
    if not links:
        tree["topology"] = {"kind": "dumbbell"}
        return network(tree, drawing, tell)
    return links


def legal(tree: Tree, tell: Tell, drawing: Drawing | None = None) -> Tree | None:
    """The scenario with what its problems name drawn anew, or left out; None if that does not make it legal."""
    tree = copy.deepcopy(tree)
    anew = Counter[str]()
    for _ in range(REPAIRS):
        tell(tree)
        found = problems(tree)
        if not found:
            return tree
        for path, message in found:
            expect(bool(message.strip()), f"a problem of {path!r} has no message")
            expect(bool(path), f"a problem names no key: {message}")
        path = found[0][0]
        anew[path] += 1
        if drawing is not None and anew[path] < 4 and draw_anew(tree, parts_of(path), drawing):
            continue
        if not leave_out(tree, parts_of(path)):
            return None
    return None


def draw_anew(tree: Tree, parts: list[str], drawing: Drawing) -> bool:
    """Draws what a path names; False if that is in no known part of the grammar."""
    place: Any = tree
    for part in parts[:-1]:
        try:
            place = place[int(part) if isinstance(place, list) and part.isdigit() else part]
        except (KeyError, IndexError, TypeError):
            return False
    drawn = drawing.key_of(place, parts[-1]) if isinstance(place, dict) and place is not tree else None
    if drawn is not None:
        place[parts[-1]] = drawn
    return drawn is not None


def leave_out(tree: Tree, parts: list[str]) -> bool:
    """Leaves out what a path names, or the part in which it is missing; False if nothing can be."""
    place: Any = tree
    removable: tuple[Any, Any] | None = None
    for part in parts:
        key: Any = int(part) if isinstance(place, list) and part.isdigit() else part
        try:
            inner = place[key]
        except (KeyError, IndexError, TypeError):
            break
        if not (place is tree and key in ("format", "duration", "topology")) and key not in ("kind", "scheme"):
            removable = (place, key)
        place = inner
    if removable is None:
        return False
    del removable[0][removable[1]]
    return True
