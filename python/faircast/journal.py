"""A file to which records are appended as they come, and which survives whatever ends its writer.

A record is one line: a checksum, the length of what follows, JSON. Every record begins with a line break, so that one
which was cut off, by a kill, a full disk or a power cut, spoils itself only: reading passes over it, appending goes on
behind it. One that is all there, but not as it was written, is counted.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircast.storage import sync, writing

HEAD = 20
"""Bytes in which checksum and length have room."""


class Journal:
    """Records in a file, in the order in which they were appended; there need not be a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        """Records that were not as they were written, when it was read last; those that were cut off do not count."""
        self._lock = threading.Lock()
        self._coming = threading.Lock()
        self._waiting: list[_Entry] = []

    def read(self) -> Iterator[dict[str, Any]]:
        """All whole records."""
        self.damaged = 0
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                text = _whole(line.rstrip(b"\n"))
                if text is not None:
                    yield json.loads(text)
                elif not _is_cut_off(line.rstrip(b"\n")):
                    self.damaged += 1

    def append(self, *records: dict[str, Any]) -> None:
        """Append records and bring them to the disk; may be called from several threads.

        What has come from others while the disk was busy is brought there together: that takes no longer than one.
        """
        texts = [json.dumps(record, separators=(",", ":")).encode() for record in records]
        own = _Entry(b"".join(b"\n%s %d %s" % (_checksum(text), len(text), text) for text in texts))
        with self._coming:
            self._waiting.append(own)
        with self._lock, writing(self.path):
            if own.is_written:
                return
            with self._coming:
                entries, self._waiting = self._waiting, []
            if own not in entries:  # whoever took it has failed
                entries.append(own)
            data = memoryview(b"".join(entry.data for entry in entries))
            is_new = not self.path.exists()
            with self.path.open("ab", buffering=0) as file:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            if is_new:
                sync(self.path.parent)
            for entry in entries:
                entry.is_written = True


@dataclass(eq=False)
class _Entry:
    """What one call appends."""

    data: bytes
    is_written: bool = False


def _whole(line: bytes) -> bytes | None:
    """The text of a record, if it is as it was written."""
    checksum, _, rest = line.partition(b" ")
    _, _, text = rest.partition(b" ")
    for found in (text, rest):  # records of earlier versions have no length
        if found and checksum == _checksum(found):
            return found
    return None


def _is_cut_off(line: bytes) -> bool:
    """Whether what is there of a record is less than all of it."""
    if len(line) < HEAD:
        return True
    _, length, text = [*line.split(b" ", 2), b"", b""][:3]
    return length.isdigit() and len(text) < int(length)


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)
