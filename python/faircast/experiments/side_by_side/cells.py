"""What a cell of the comparison is: a scheme, a path with its losses, and the TCP beside it.

A *situation* is a column: a path, what its last hops lose, and the variant of TCP. In each there are three kinds of
runs: a scheme's sessions **beside** TCP; TCP **alone**, without the sessions; and the **reference**, where each session
is replaced by one TCP of the same variant over each bottleneck that it crosses. The latter two know no scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faircast.experiment import Brought
from faircast.experiments.side_by_side import forward, geo, home, leo, own, tree
from faircast.experiments.side_by_side.path import Bottleneck, Path
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.schemes import NAMES, SCHEMES, Row

__all__ = [
    "ALONE",
    "BESIDE",
    "NAMES",
    "PATHS",
    "QUICK",
    "REFERENCE",
    "RUNS",
    "SCHEMES",
    "SITUATIONS",
    "Bottleneck",
    "Cell",
    "Path",
    "Situation",
    "cells",
]

BESIDE, ALONE, REFERENCE = "beside", "alone", "reference"
RUNS = (BESIDE, ALONE, REFERENCE)
PATHS: dict[str, Path] = {one.name: one for one in (leo.PATH, geo.PATH, tree.PATH, *home.PATHS, *forward.PATHS)}
PATH_NAMES: dict[str, str] = {one.name: one.title for one in PATHS.values() if not one.queue}
"""Paths that are compared with each other, each with the queues that belong to it."""
TCP_NAMES: dict[str, str] = {"sack": "SACK", "cubic": "CUBIC"}
LOSSES = (0.0, 0.01)
"""The part of the data packets that each last hop loses."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A column: a path, the losses of its last hops, and the TCP on it."""

    path: str
    """Which path, of `PATHS`; of a network of the reader's own what that is called."""
    loss: float
    """The losses of its last hops, of `LOSSES`; nothing is added to those of a network of the reader's own."""
    tcp: str
    """Which TCP, of `TCP_NAMES`."""
    network: Brought | None = None
    """The network of the reader's own, if it is one; it goes along with the runs, wherever they are computed."""
    own_queue: str = ""
    """The queue of its bottlenecks there, a key of `QUEUES`, where queues are compared."""

    def __str__(self) -> str:
        column = [] if self.network and not self.queue else [self.column]
        return ", ".join([self.on.title, *column, TCP_NAMES[self.tcp]])

    @property
    def on(self) -> Path:
        """The path itself."""
        return PATHS[self.path] if self.network is None else own.path(self.network, self.own_queue)

    @property
    def family(self) -> str:
        """The path, whatever its queue."""
        return self.on.family

    @property
    def queue(self) -> str:
        """The queue of its bottlenecks, where queues are compared."""
        return self.on.queue

    @property
    def column(self) -> str:
        """What stands above its single column: the queue, where queues are compared, or else what last hops lose."""
        if self.queue:
            return QUEUES[self.queue].title
        return "own" if self.network else f"{100 * self.loss:g} %"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one scenario is of, and the key of its point."""

    situation: Situation
    run: str
    """Who is on the path, of `RUNS`."""
    scheme: Row = ""
    """What the sessions run: of `SCHEMES`, or a scheme from elsewhere. Beside TCP only."""

    def __str__(self) -> str:
        return f"{self.scheme or self.run}: {self.situation}"


SITUATIONS = tuple(
    Situation(path=path, loss=loss, tcp=tcp) for path in PATH_NAMES for loss in LOSSES for tcp in TCP_NAMES
)
QUICK = SITUATIONS
"""The situations of a quick run: all of them, as a seed of the whole takes little more than a minute of one core."""
OF_QUEUES = tuple(
    Situation(path=one.name, loss=0.0, tcp=tcp) for one in PATHS.values() if one.queue for tcp in TCP_NAMES
)
"""The columns of the comparison of queues."""


def of_network(network: Brought, queues: Sequence[str] = ("",)) -> list[Situation]:
    """The situations of a network of the reader's own, with its own queues or each of the given ones."""
    path = f"own-{own.title(network)}"
    return [
        Situation(path=path, loss=0.0, tcp=tcp, network=network, own_queue=queue)
        for queue in queues
        for tcp in TCP_NAMES
    ]


def cells(schemes: Sequence[Row], situations: Sequence[Situation]) -> list[Cell]:
    """All cells that a comparison of these schemes needs: theirs, and those without a scheme that they are held to."""
    return [
        *(Cell(situation=situation, run=run) for situation in situations for run in (ALONE, REFERENCE)),
        *(Cell(situation=situation, run=BESIDE, scheme=scheme) for scheme in schemes for situation in situations),
    ]
