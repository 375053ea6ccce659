"""A session as its hosts wrote it down, one or several of them together."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from faircast.errors import InputError
from faircast.hosts import groups
from faircast.hosts.records import SENDER, HostRecord, Values, journals_in, read
from faircast.quantity import seconds
from faircast.scenario import Resolved

EVENTS = "events"
"""The table whose rows are of moments; those of all others are of intervals."""
OF_ONE = "flows"
"""The table that one end has for the session: the sender if it is there."""
HEARD = "limiting-receiver"
"""What members note, too, when they hear of it."""


@dataclass(frozen=True)
class HostSession:
    """A session by what was written down of it."""

    folder: Path
    records: Sequence[HostRecord]
    """The sender's first, if it is there."""

    @classmethod
    def read(cls, folder: Path) -> HostSession:
        """The session in a folder. Raises `InputError` if there is none, or the folders in it are of several."""
        found = [read(path) for path in journals_in(folder)]
        if not found:
            raise InputError(f"{folder} holds no session that was written down")
        found.sort(key=lambda record: (not record.is_sender, record.began_s))
        first = found[0]
        for record, other in pairwise(found):
            if (record.name, scheme(record)) != (other.name, scheme(other)):
                both = " and ".join(f"{one.name} ({scheme(one)}) in {one.path.parent}" for one in (record, other))
                raise InputError(f"{folder} holds several sessions, {both}; give the folder of one")
        names = [record.who for record in found]
        if twice := next((who for who in names if names.count(who) > 1), None):
            raise InputError(f"{folder} holds {twice} of {first.name} more than once; give a folder with one of them")
        return cls(folder, found)

    @property
    def name(self) -> str:
        """Its first group."""
        return self.records[0].name

    @property
    def began_s(self) -> float:
        """Time zero: when the first of them began."""
        return min(record.began_s for record in self.records)

    @property
    def until_s(self) -> float:
        """How far the last of them came."""
        return max(self.ends_s(record) for record in self.records)

    def ends_s(self, record: HostRecord) -> float:
        """How far one of them came, in the session's time."""
        return record.until_s + self.offset_s(record)

    @property
    def has_sender(self) -> bool:
        """Whether the sender's side is known."""
        return self.records[0].is_sender

    def offset_s(self, record: HostRecord) -> float:
        """What is added to an end's times, by the hosts' clocks."""
        first_ns = min(int(one.head["began_ns"]) for one in self.records)
        return (int(record.head["began_ns"]) - first_ns) / 1e9

    def shift_s(self, record: HostRecord) -> float:
        """What is added to the ends of its intervals: the offset in whole ones, so that all ends have the same."""
        interval_s = float(self.records[0].head["interval_s"])
        return round(self.offset_s(record) / interval_s) * interval_s

    def scenario(self) -> Resolved:
        """What is known of it, as a scenario says it; ``hosts`` tells that it is none."""
        hosts = [
            {
                "who": record.who,
                "host": record.head.get("host"),
                "interface": record.head.get("interface"),
                "began": moment(record.began_s),
                "until": f"{self.ends_s(record):.9g} s",
                "ended": record.ended or "not written",
                "version": record.head.get("version"),
            }
            for record in self.records
        ]
        # Something has to be the end of an axis, also of what ended within its first interval.
        until_s = max(self.until_s, self.records[0].head["interval_s"])
        until_s = max(until_s, *(record.until_s + self.shift_s(record) for record in self.records))
        data = {
            "name": self.name,
            "duration": f"{until_s:.9g} s",
            "warmup": "0 s",
            "probes": {"interval": f"{self.records[0].head['interval_s']:g} s", "flows": True, "events": True},
            "sessions": {self.name: self.records[0].head["session"]},
            "hosts": hosts,
        }
        return Resolved(json.dumps(data, sort_keys=True, separators=(",", ":")), seed=0)

    def tables(self, *, without_gaps: bool = False) -> dict[str, dict[str, Values]]:
        """The tables of all ends together, in the order of time.

        Events keep their times; rows of intervals stand at the nearest end of an interval of the one that began first.
        With `without_gaps` an interval in which an end was started again has no row: it was not there for all of it.
        """
        found: dict[str, list[dict[str, Values]]] = {}
        for place, record in enumerate(self.records):
            for name, columns in record.tables.items():
                if name == OF_ONE and place > 0:
                    continue
                own: dict[str, Values] = whole(record, columns) if without_gaps and name != EVENTS else dict(columns)
                offset_s = self.offset_s(record) if name == EVENTS else self.shift_s(record)
                own["t_s"] = [float(t_s) + offset_s for t_s in own["t_s"]]
                if name == "host":
                    own["who"] = [record.who] * len(own["t_s"])
                if name == EVENTS and self.has_sender and not record.is_sender:
                    own = without(own, "event", HEARD)
                found.setdefault(name, []).append(own)
        tables = {name: together(several) for name, several in found.items()}
        if groups.TABLE in tables:
            tables[groups.TABLE] = groups.joined(tables[groups.TABLE])
        return {name: in_time(table) for name, table in tables.items()}


def scheme(record: HostRecord) -> str:
    """The scheme of the session."""
    return str(record.head["session"].get("scheme"))


def moment(since_1970_s: float) -> str:
    """A moment for people."""
    return datetime.fromtimestamp(since_1970_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def is_of_hosts(data: Mapping[str, Any]) -> bool:
    """Whether what stands in the place of a scenario is of a session on hosts."""
    return "hosts" in data


def knows(data: Mapping[str, Any], who: str) -> bool:
    """Whether what an end wrote down is there: ``sender``, or a receiver by its name."""
    return any(one["who"] == who for one in data["hosts"])


def told_until_s(data: Mapping[str, Any], who: str) -> float:
    """How far what an end wrote down comes."""
    return next(seconds(one["until"], "until") for one in data["hosts"] if one["who"] == who)


def of_sender(data: Mapping[str, Any]) -> bool:
    """Whether the sender's side is known."""
    return knows(data, SENDER)


def together(several: Sequence[Mapping[str, Values]]) -> dict[str, Values]:
    """Tables one below the other; what one of them has no column for is not known."""
    keys = dict.fromkeys(key for table in several for key in table)
    found: dict[str, Values] = {}
    for key in keys:
        filled: list[Any] = []
        for table in several:
            filled += table.get(key) or [math.nan] * len(table["t_s"])
        found[key] = filled
    return found


def without(table: Mapping[str, Values], column: str, word: str) -> dict[str, Values]:
    """The rows with another word in a column."""
    return of_rows(table, [row for row, value in enumerate(table[column]) if value != word])


def whole(record: HostRecord, table: Mapping[str, Values]) -> dict[str, Values]:
    """The rows of intervals in which an end was not started again."""
    interval_s = float(record.head["interval_s"])
    broken = {math.floor(again_s / interval_s) + 1 for again_s in record.again_s}
    times: Sequence[Any] = table["t_s"]
    return of_rows(table, [row for row, t_s in enumerate(times) if round(t_s / interval_s) not in broken])


def of_rows(table: Mapping[str, Values], rows: Sequence[int]) -> dict[str, Values]:
    """Some of the rows."""
    return {key: [values[row] for row in rows] for key, values in table.items()}  # type: ignore[misc]


def in_time(table: Mapping[str, Values]) -> dict[str, Values]:
    """The rows in the order of time."""
    times = table["t_s"]
    return of_rows(table, sorted(range(len(times)), key=times.__getitem__))
