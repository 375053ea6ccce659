"""Journals of hosts: what one end of a session wrote down while it went on.

`crates/cast/src/results.rs` writes them: a first record that says what the others are about, then one for each
interval, with the columns of its tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from faircast.errors import InputError
from faircast.journal import Journal

JOURNAL = "session.journal"
FORMAT = 1
SENDER = "sender"
FAILED = "failed"
"""How an end ended that an error ended."""

Values = list[float] | list[int] | list[str]


@dataclass
class HostRecord:
    """What one end wrote down."""

    path: Path
    head: Mapping[str, Any]
    tables: dict[str, dict[str, Values]]
    """By name the columns, value by value; NaN in place of what is no number."""
    until_s: float = 0.0
    """How far it came, seconds from its beginning."""
    ended: str | None = None
    """How it ended: ``done``, ``incomplete``, ``interrupted``, ``failed``; None if that was never written."""
    again_s: list[float] = field(default_factory=list)
    """When it was started again."""
    left_out: int = 0
    """Events that were too many to be written."""
    damaged: int = 0
    """Records that are not as they were written; one that was cut off is none."""

    @property
    def who(self) -> str:
        """What the end is called: ``sender``, ``receiver-3``, ``probe``."""
        return str(self.head["who"])

    @property
    def name(self) -> str:
        """The session's name, which is its first group."""
        return str(self.head["name"])

    @property
    def began_s(self) -> float:
        """When it began by the host's clock, seconds since 1970."""
        return float(self.head["began_ns"]) / 1e9

    @property
    def is_sender(self) -> bool:
        """Whether it is the source's."""
        return self.who == SENDER


def journals_in(folder: Path) -> list[Path]:
    """The journals of a folder: its own, or those of the folders in it, which are of one session then."""
    own = folder / JOURNAL
    return [own] if own.is_file() else sorted(folder.glob(f"*/{JOURNAL}"))


def read(path: Path) -> HostRecord:
    """What a journal holds. Raises `InputError` if it has no beginning, or one that is not known."""
    journal = Journal(path)
    records = _records(journal, path)
    head = next(records, None)
    if head is None or head.get("kind") != "session" or not isinstance(head.get("columns"), dict):
        raise InputError(f"{path} is damaged, or cut off before its first record was whole")
    if head.get("format") != FORMAT:
        raise InputError(f"{path} is of format {head.get('format')}, which this version of faircast does not know")
    found = HostRecord(path, head, {name: {key: [] for key, _ in of} for name, of in head["columns"].items()})
    try:
        for record in records:
            _take(found, record)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} is damaged: it has a record that does not fit its first one") from None
    found.damaged = journal.damaged
    return found


def _records(journal: Journal, path: Path) -> Iterator[dict[str, Any]]:
    try:
        yield from journal.read()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _take(found: HostRecord, record: Mapping[str, Any]) -> None:
    if "again_s" in record:
        found.again_s.append(float(record["again_s"]))
        found.ended = None
        return
    found.until_s = max(found.until_s, float(record["t_s"]))
    found.left_out += int(record.get("left_out", 0))
    found.ended = record.get("ended", found.ended)
    for name, columns in record["tables"].items():
        for (key, kind), values in zip(found.head["columns"][name], columns, strict=True):
            held: Any = found.tables[name][key]
            held.extend(math.nan if value is None else value for value in values) if kind == "f64" else held.extend(
                values
            )
