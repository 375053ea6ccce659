"""A part of a sweep that is computed apart, as array jobs of a cluster do.

Shard 3 of 16 has every sixteenth point, beginning with the third, each with all its seeds. Its folder is that of a
sweep of these points, and its manifest says which part of what it is; `faircast.merging` puts parts together.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from faircast.errors import InputError, brief
from faircast.sweep_folder import SweepPoint

SHARD = "shard"
"""Entry of the manifest: which part a folder holds."""
FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class Shard:
    """A part of the points of a sweep."""

    number: int
    """Which part it is, counted from 1."""
    of: int
    """How many parts there are."""
    points: int
    """How many points all parts have together."""
    plan: str
    """The hash of all points, without their seeds."""

    @classmethod
    def cut(cls, text: str, points: Sequence[SweepPoint]) -> Self:
        """The shard that a text such as ``3/16`` means. Raises `InputError` if there is no such part of the points."""
        found = FORM.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]):
            raise InputError(f"--shard is {brief(text)}; legal is K/N with K from 1 to N, such as 3/16")
        number, of = int(found[1]), int(found[2])
        if of > len(points):
            raise InputError(f"--shard is {text}, but there are {len(points)} points; legal are at most as many parts")
        return cls(number, of, len(points), digest_of(points))

    @classmethod
    def read(cls, manifest: dict[str, Any]) -> Self | None:
        """What the manifest of a folder says; None if it holds a whole sweep."""
        try:
            return cls(**manifest[SHARD]) if SHARD in manifest else None
        except TypeError:
            raise InputError("the manifest does not say which part of a sweep the folder holds") from None

    @property
    def label(self) -> str:
        """What stands in the name of its folder."""
        return f"shard-{self.number}-of-{self.of}"

    def is_beside(self, other: Shard) -> bool:
        """Whether both are parts of one plan."""
        return (self.of, self.points, self.plan) == (other.of, other.points, other.plan)

    def own(self, points: Sequence[SweepPoint]) -> list[SweepPoint]:
        """Its points among all."""
        return list(points[self.number - 1 :: self.of])

    def to_json(self) -> dict[str, Any]:
        """The entry of the manifest."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def digest_of(points: Sequence[SweepPoint]) -> str:
    """What tells plans apart: all points in their order, with their scenarios."""
    listed = [[dict(point.values), point.scenario.hash] for point in points]
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()[:12]


def check_part(folder: Path, manifest: dict[str, Any], wanted: Shard | None) -> None:
    """Raise `InputError` if a folder holds another part than is wanted, or a whole in place of a part."""
    if not manifest.get("calls"):
        return
    held = Shard.read(manifest)
    if held != wanted:
        there, here = (f"shard {one}" if one else "a sweep without --shard" for one in (held, wanted))
        here = f"not {here}" if here != there else "but of other points"
        raise InputError(f"{folder} holds {there}, {here}; choose another folder with --out")
