"""GraphML, as far as the Topology Zoo and this project's viewer write it: nodes, edges, and what is said of them.

It is read with expat, which comes with Python: as it reads, it knows the line, which a tree of elements or networkx
would not; networkx would also be a large dependence for a small part of it. A document type is refused, and with it all
entities that a file could declare: those that unfold to gigabytes, and those that name other files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from faircast.errors import InputError, brief

LARGEST = 1 << 26
"""Bytes of a file at most."""
SPACE = "http://graphml.graphdrawing.org/xmlns"


@dataclass(frozen=True, kw_only=True)
class Element:
    """A node, an edge or the graph: the line on which it begins, and what is said of it by the names of keys."""

    line: int
    data: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Edge(Element):
    """An edge between two nodes, by their ids."""

    source: str
    target: str
    is_directed: bool


@dataclass(frozen=True, kw_only=True)
class Graph(Element):
    """A graph: nodes by their ids in the order of the file, and edges."""

    nodes: dict[str, Element] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


class _Wrong(Exception):  # noqa: N818 - becomes an InputError with the file's name
    pass


class _Reader:
    """What expat calls."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.keys: dict[str, tuple[str, str]] = {}
        self.defaults: dict[tuple[str, str], str] = {}
        self.graph: Graph | None = None
        self.directed = False
        self.path: list[str] = []
        self.of: list[tuple[str, Element]] = []
        self.text: list[str] | None = None
        self.key = ""

    @property
    def line(self) -> int:
        return int(self.parser.CurrentLineNumber)

    def doctype(self, *_: Any) -> None:
        raise _Wrong("a document type; legal is a file without one, as its entities could be anything")

    def start(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        above = self.path[-1] if self.path else ""
        self.path.append(name)
        if not above and name != "graphml":
            raise _Wrong(f"the file is {brief(name)}; legal is graphml")
        if name == "key":
            self.keys[given.get("id", "")] = (given.get("for", "all"), given.get("attr.name", given.get("id", "")))
            self.key = given.get("id", "")
        elif name == "graph":
            if self.graph is not None:
                raise _Wrong("a second graph; legal is one")
            self.directed = given.get("edgedefault") == "directed"
            self.graph = Graph(line=self.line)
            self.of.append(("graph", self.graph))
        elif name == "node" and self.graph is not None:
            node = given.get("id")
            if node is None:
                raise _Wrong("the node has no id")
            if node in self.graph.nodes:
                before = self.graph.nodes[node].line
                raise _Wrong(f"the node {brief(node)} is there a second time, after line {before}")
            self.graph.nodes[node] = Element(line=self.line)
            self.of.append(("node", self.graph.nodes[node]))
        elif name == "edge" and self.graph is not None:
            self.edge(given)
        elif name == "hyperedge":
            raise _Wrong("a hyperedge, between more than two nodes; legal are edges")
        elif name in ("data", "default"):
            self.key = given.get("key", "") if name == "data" else self.key
            self.text = []

    def edge(self, given: dict[str, str]) -> None:
        assert self.graph is not None
        if "source" not in given or "target" not in given:
            raise _Wrong("the edge has no source or no target")
        directed = {"true": True, "false": False}.get(given.get("directed", ""), self.directed)
        edge = Edge(line=self.line, source=given["source"], target=given["target"], is_directed=directed)
        self.graph.edges.append(edge)
        self.of.append(("edge", edge))

    def end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        self.path.pop()
        if name in ("data", "default") and self.text is not None:
            text, self.text = "".join(self.text).strip(), None
            kind, known = self.keys.get(self.key, ("", ""))
            if name == "default":
                self.defaults[kind, known] = text
            elif self.key not in self.keys:
                raise _Wrong(f"there is no key {brief(self.key)}")
            elif self.of:
                self.of[-1][1].data[known] = text
        elif name in ("graph", "node", "edge") and self.of:
            self.of.pop()

    def characters(self, text: str) -> None:
        if self.text is not None:
            self.text.append(text)


def read_graphml(path: Path) -> Graph:
    """The graph of a file. Raises `InputError` with file and line if it is none that can be read."""
    try:
        if not path.is_file():
            raise InputError(f"{path} is {'a folder' if path.is_dir() else 'not there'}; give a file in GraphML")
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path} has more than {LARGEST} bytes, which is the limit")
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    reader = _Reader()
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InputError(f"{path}, line {error.lineno}: no legal XML: {expat.ErrorString(error.code)}") from error
    except _Wrong as wrong:
        raise InputError(f"{path}, line {reader.line}: {wrong}") from None
    graph = reader.graph
    if graph is None or not graph.nodes:
        raise InputError(
            f"{path} has no {'graph' if graph is None else 'nodes'}; legal is a graph with nodes and edges"
        )
    for edge in graph.edges:
        for end in (edge.source, edge.target):
            if end not in graph.nodes:
                raise InputError(f"{path}, line {edge.line}: there is no node {brief(end)}")
    for (kind, name), text in reader.defaults.items():
        of: dict[str, list[Element]] = {"node": [*graph.nodes.values()], "edge": [*graph.edges], "graph": [graph]}
        for element in of.get(kind, [graph, *graph.nodes.values(), *graph.edges]):
            element.data.setdefault(name, text)
    return graph
