"""What hosts wrote down as the result of a run that nobody simulated."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.hosts.records import SENDER, Values
from faircast.hosts.session import HostSession
from faircast.parquet import Origin
from faircast.results import RunResult

if TYPE_CHECKING:
    from faircast.summary import Columns


class HostResult(RunResult):
    """The tables of a session on hosts. It has no seed (`seed` is 0), no optimum, and nothing of a network.

    `without_gaps` is for pictures, whose lines end where an end was not there (`HostSession.tables`).
    """

    def __init__(self, session: HostSession, *, without_gaps: bool = False) -> None:
        scenario = session.scenario()
        version = str(session.records[0].head.get("version"))
        tables = session.tables(without_gaps=without_gaps)
        columns = {name: columns_of(table) for name, table in tables.items()}
        columns["summary"] = columns_of(summary(session, tables))
        super().__init__(Origin(scenario, 0, version), columns, None)
        self.hosts = session
        self._has_optimum = True

    @classmethod
    def read(cls, folder: str | Path) -> HostResult:
        """Read what a host wrote down, or what several in folders below this one did.

        Raises `InputError` if there is nothing of that, or it is of several sessions.
        """
        return cls(HostSession.read(Path(folder)))


def columns_of(table: Mapping[str, Values]) -> Columns:
    """Columns as the core sends them."""
    found: Columns = []
    for name, values in table.items():
        if any(isinstance(value, str) for value in values):
            words = list(dict.fromkeys(str(value) for value in values))
            codes = {word: code for code, word in enumerate(words)}
            found.append((name, "str", array("i", (codes[str(value)] for value in values)).tobytes(), words))
        elif name in WORDS:
            found.append((name, "str", b"", []))
        elif all(isinstance(value, int) for value in values) and values:
            found.append((name, "i64", array("q", values).tobytes(), None))
        else:
            found.append((name, "f64", array("d", map(float, values)).tobytes(), None))
    return found


WORDS = ("flow", "session", "receiver", "event", "cause", "cause_receiver", "who", "subject", "metric", "unit")
"""Columns of words, also where there are no rows."""


def summary(session: HostSession, tables: Mapping[str, Mapping[str, Values]]) -> dict[str, Values]:
    """The summary: means over what was written down."""
    rows = list(_summary(session, tables))
    keys = ("subject", "metric", "unit", "value")
    found: dict[str, Any] = {key: [row[place] for row in rows] for place, key in enumerate(keys)}
    return found | {"optimum": [math.nan] * len(rows)}


def _summary(session: HostSession, tables: Mapping[str, Mapping[str, Values]]) -> Iterator[tuple[str, str, str, float]]:
    flows = tables["flows"]
    host = tables.get("host", {"who": [], "t_s": [], "measured_s": []})
    measured_s = dict(zip(zip(host["who"], host["t_s"], strict=True), host["measured_s"], strict=True))

    def over_time(table: Mapping[str, Values], column: str, rows: Iterable[int], who: str) -> float:
        return mean((table[column][row], measured_s.get((who, table["t_s"][row]), 1.0)) for row in rows)

    if session.has_sender:
        yield session.name, "sending_rate", "bit/s", over_time(flows, "rate_bps", range(len(flows["t_s"])), SENDER)
    receivers = tables.get("receivers")
    if receivers is None:
        return
    for name in dict.fromkeys(receivers["receiver"]):
        rows = [row for row, value in enumerate(receivers["receiver"]) if value == name]
        for column, metric in (("rate_bps", "rate"), ("goodput_bps", "goodput")):
            yield str(name), metric, "bit/s", over_time(receivers, column, rows, str(name))
        if "loss_events" in receivers:
            yield str(name), "loss_events", "loss events", sum(float(receivers["loss_events"][row]) for row in rows)


def mean(weighted: Iterable[tuple[Any, Any]]) -> float:
    """The mean of values with weights, of those that are defined; NaN if none is."""
    known = [(float(value), float(weight)) for value, weight in weighted if not math.isnan(value)]
    total = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / total if total > 0 else math.nan
