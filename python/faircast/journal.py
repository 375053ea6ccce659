"""A file to which records are appended as they come, and which survives whatever ends its writer.

A record is one line, a checksum and JSON. Every record begins with a line break, so that one which was cut off, by a
kill, a full disk or a power cut, spoils itself only: reading passes over it, appending goes on behind it.
"""

from __future__ import annotations

import json
import os
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from faircast.storage import sync, writing


class Journal:
    """Records in a file, in the order in which they were appended; there need not be a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()

    def read(self) -> Iterator[dict[str, Any]]:
        """All whole records."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            for line in file:
                checksum, _, text = line.strip(b"\n").partition(b" ")
                if text and checksum == _checksum(text):
                    yield json.loads(text)

    def append(self, *records: dict[str, Any]) -> None:
        """Append records and bring them to the disk; may be called from several threads."""
        texts = [json.dumps(record, separators=(",", ":")).encode() for record in records]
        data = memoryview(b"".join(b"\n%s %s" % (_checksum(text), text) for text in texts))
        with self._lock, writing(self.path):
            is_new = not self.path.exists()
            with self.path.open("ab", buffering=0) as file:
                while data:
                    data = data[file.write(data) :]
                os.fsync(file.fileno())
            if is_new:
                sync(self.path.parent)


def _checksum(text: bytes) -> bytes:
    return b"%08x" % zlib.crc32(text)
