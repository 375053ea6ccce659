"""The tables of a run for its page: read by columns and in parts, since a file may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from faircast.results import RunResult
    from faircast.stored import StoredSeed

PART_ROWS = 1 << 18
"""Rows that are looked at together."""


@dataclass(frozen=True)
class Shown:
    """What the viewer shows of a table."""

    subject: tuple[str, ...]
    """The columns that tell series apart."""
    drawn: tuple[str, ...]
    """The columns of which extremes stay where a table is thinned; none of a table whose rows are single moments."""
    open: str = ""
    """A column without a value in rows of what has not ended: the first and the last of these stay as well."""
    state: str = ""
    """A column that holds on until it changes: every row with another value than the one before it stays."""
    always: str = ""
    """Beside a state: every row in which this column is above zero stays."""


NOT_DELIVERED = (
    "dropped_overflow_pkts",
    "dropped_active_pkts",
    "dropped_down_pkts",
    "held_back_pkts",
    "discarded_pkts",
    "lost_pkts",
    "unreceived_pkts",
)
"""Packets that did not leave a link's queue or came nowhere then, as `web/src/model/now.ts` counts them."""

SHOWN = {
    "flows": Shown(("flow",), ("rate_bps", "sending_bps", "cwnd_pkts", "srtt_s", "mean_level")),
    "receivers": Shown(("session", "receiver"), ("rate_bps", "level", "rtt_s", "loss_event_rate", "loss_rate", "loss")),
    "layers": Shown(("session", "group"), ("rate_bps", "members")),
    "queues": Shown(("link",), ("queue_pkts", "average_pkts", "sojourn_s")),
    "links": Shown(("link",), ("utilisation", *NOT_DELIVERED)),
    "dilation": Shown(("session", "link"), ("dilation_max",)),
    "routers": Shown(("link", "about", "gauge"), ("value",)),
    "acm": Shown(
        ("link",), ("sent_bits_per_symbol", "present_bits_per_symbol", "granted_bits_per_symbol", "undecoded_pkts")
    ),
    "transfers": Shown(("flow", "class"), ("completion_s", "slowdown"), open="completion_s"),
    "playback": Shown(("session", "receiver"), ("buffer_s", "stall_s", "quality"), state="quality", always="stall_s"),
    "paths": Shown(("from", "to"), ("delay_s",)),
    "events": Shown(("flow", "receiver", "event"), ()),
    "router_events": Shown(("link", "event", "about"), ()),
    "handoffs": Shown(("station",), ()),
}
"""The tables of the page. The packets are not among them: what happened to them is counted at the links."""
ONLY = {
    "events": ("t_s", "flow", "receiver", "event", "before", "after", "layer"),
    "transfers": ("t_s", "flow", "size_bytes", "class", "completion_s", "slowdown"),
    "playback": (
        *("t_s", "session", "receiver", "segment", "quality", "stall_s", "buffer_s"),
        *("missing_pkts", "enough_pkts", "sent_s"),
    ),
}
"""Tables of which the page holds some columns; of the others it holds all."""


@dataclass(frozen=True)
class Table:
    """One table of one seed, on disk or in memory."""

    name: str
    rows: int
    columns: tuple[str, ...]
    _parts: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]

    def parts(self, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Some columns part by part: numbers as arrays, texts as pairs of codes and words."""
        for batch in self._parts(columns):
            yield {name: unpacked(batch.column(batch.schema.get_field_index(name))) for name in columns}


@dataclass(frozen=True)
class Texts:
    """A column of texts."""

    codes: NDArray[np.int64]
    words: list[str]


def unpacked(column: Any) -> Any:
    """A column as floats or `Texts`."""
    import pyarrow as pa

    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    return Texts(column.indices.to_numpy(zero_copy_only=False).astype("int64"), column.dictionary.to_pylist())


def tables_of(result: RunResult) -> dict[str, Table]:
    """The tables of a seed that the page shows, those with rows."""
    found = {}
    for name, shown in SHOWN.items():
        if name not in result.names or not result.count_rows(name):
            continue
        stored = result.stored
        table = in_memory(name, result) if stored is None else on_disk(name, stored)
        if set(shown.subject) <= set(table.columns) and "t_s" in table.columns:
            found[name] = table
    return found


def in_memory(name: str, result: RunResult) -> Table:
    """A table of a result in memory."""
    table = result.table(name)

    def parts(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from table.select(list(columns)).to_batches(max_chunksize=PART_ROWS)

    return Table(name, table.num_rows, wanted(name, table.column_names), parts)


def on_disk(name: str, stored: StoredSeed) -> Table:
    """A table of a folder, of which no more than a part of some columns is in memory."""
    columns = stored.columns(name)

    def parts(columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        yield from stored.parts(name, columns, PART_ROWS)

    return Table(name, stored.rows(name), wanted(name, columns), parts)


def wanted(name: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of a table that the page holds."""
    legal = ONLY.get(name, columns)
    return tuple(column for column in columns if column in legal)
