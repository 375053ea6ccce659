"""Columns as bytes: little-endian, packed by gzip, in a page written as base64; and how a page's room is shared."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircast.reporting.tables import Texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ALIGN = 8
"""A column begins at a multiple of it: a browser makes arrays of numbers at no other places."""


@dataclass
class Chunk:
    """Bytes of a page under one name, in the making."""

    name: str
    data: bytearray = field(default_factory=bytearray)

    def put(self, values: NDArray[np.generic], form: str) -> int:
        """Add an array as ``<f8``, ``<f4`` or ``<u4``; gives the place where it begins."""
        self.data += bytes(-len(self.data) % ALIGN)
        at = len(self.data)
        self.data += values.astype(form).tobytes()
        return at

    def table(self, columns: Mapping[str, Any], rows: int) -> dict[str, Any]:
        """Add a table; gives what the page says of where it lies."""
        planned: list[dict[str, Any]] = []
        for name, column in columns.items():
            if isinstance(column, Texts):
                planned.append({"name": name, "at": self.put(column.codes, "<u4"), "words": column.words})
            else:
                planned.append({"name": name, "at": self.put(column, "<f8")})
        return {"rows": rows, "columns": planned}

    def packed(self) -> bytes:
        """As a notebook gets it. Equal data give equal bytes: gzip writes no date."""
        return gzip.compress(bytes(self.data), compresslevel=6, mtime=0)

    def text(self) -> str:
        """As a page holds it."""
        return base64.b64encode(self.packed()).decode()


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """How much of `room` each gets that wants so much: small wishes are met whole, the others share what is left."""
    given = [0] * len(wanted)
    left = room
    order = sorted(range(len(wanted)), key=lambda place: wanted[place])
    for done, place in enumerate(order):
        given[place] = min(wanted[place], left // (len(wanted) - done))
        left -= given[place]
    return given
