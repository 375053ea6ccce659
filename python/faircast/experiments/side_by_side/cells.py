"""What a cell of the comparison is: a scheme, a path with its losses, and the TCP beside it.

A *situation* is a column: a path, what its last hops lose, and the variant of TCP. In each there are three kinds of
runs: a scheme's sessions **beside** TCP; TCP **alone**, without the sessions; and the **reference**, where each session
is replaced by one TCP of the same variant over each bottleneck that it crosses. The latter two know no scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faircast.experiments.side_by_side import geo, leo, tree
from faircast.experiments.side_by_side.path import Bottleneck, Path
from faircast.experiments.side_by_side.schemes import NAMES, SCHEMES

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
PATHS: dict[str, Path] = {one.PATH.name: one.PATH for one in (leo, geo, tree)}
PATH_NAMES: dict[str, str] = {"leo": "LEO", "geo": "GEO", "tree": "tree"}
TCP_NAMES: dict[str, str] = {"sack": "SACK", "cubic": "CUBIC"}
LOSSES = (0.0, 0.01)
"""The part of the data packets that each last hop loses."""


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A column: a path, the losses of its last hops, and the TCP on it."""

    path: str
    """Which path, of `PATH_NAMES`."""
    loss: float
    """The losses of its last hops, of `LOSSES`."""
    tcp: str
    """Which TCP, of `TCP_NAMES`."""

    def __str__(self) -> str:
        return f"{PATH_NAMES[self.path]}, {100 * self.loss:g} %, {TCP_NAMES[self.tcp]}"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """What one scenario is of, and the key of its point."""

    situation: Situation
    run: str
    """Who is on the path, of `RUNS`."""
    scheme: str = ""
    """What the sessions run: of `SCHEMES`, or a scheme from elsewhere. Beside TCP only."""

    def __str__(self) -> str:
        return f"{self.scheme or self.run}: {self.situation}"


SITUATIONS = tuple(
    Situation(path=path, loss=loss, tcp=tcp) for path in PATH_NAMES for loss in LOSSES for tcp in TCP_NAMES
)
QUICK = SITUATIONS
"""The situations of a quick run: all of them, as a seed of the whole takes little more than a minute of one core."""


def cells(schemes: Sequence[str], situations: Sequence[Situation]) -> list[Cell]:
    """All cells that a comparison of these schemes needs: theirs, and those without a scheme that they are held to."""
    return [
        *(Cell(situation=situation, run=run) for situation in situations for run in (ALONE, REFERENCE)),
        *(Cell(situation=situation, run=BESIDE, scheme=scheme) for scheme in schemes for situation in situations),
    ]
