"""Tables of a run as columns of numpy, and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa


class Rows:
    """The rows of a table, column by column."""

    def __init__(self, columns: Mapping[str, np.ndarray]) -> None:
        self.columns = dict(columns)

    @classmethod
    def of(cls, table: pa.Table) -> Rows:
        """The rows of an Arrow table; words are Python strings."""
        return cls({name: _array(table.column(name)) for name in table.column_names})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __contains__(self, name: str) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self.row(index) for index in range(len(self)))

    def row(self, index: int) -> dict[str, Any]:
        """One row as plain values."""
        cells = ((name, values[index]) for name, values in self.columns.items())
        return {name: cell.item() if hasattr(cell, "item") else cell for name, cell in cells}

    def where(self, mask: np.ndarray) -> Rows:
        """The rows for which a condition holds."""
        return Rows({name: values[mask] for name, values in self.columns.items()})

    def having(self, **equal: Any) -> Rows:
        """The rows with these values; of several values for a column any will do."""
        mask = np.ones(len(self), dtype=bool)
        for name, wanted in equal.items():
            several = isinstance(wanted, tuple | list | set | frozenset)
            mask &= np.isin(self[name], list(wanted)) if several else np.asarray(self[name] == wanted, dtype=bool)
        return self.where(mask)

    def between(self, start_s: float, stop_s: float) -> Rows:
        """The rows from one moment to another, both included."""
        return self.where((self["t_s"] >= start_s) & (self["t_s"] <= stop_s))

    def where_any(self, holds: Callable[[dict[str, Any]], bool]) -> Rows:
        """The rows of which something holds; asked row by row, so meant for few."""
        return self.where(np.array([holds(row) for row in self], dtype=bool))

    def where_before(self, stop_s: float) -> Rows:
        """The rows before a moment."""
        return self.where(self["t_s"] < stop_s)

    def last(self) -> dict[str, Any] | None:
        """The last row; None if there is none."""
        return self.row(len(self) - 1) if len(self) else None

    def first(self) -> dict[str, Any] | None:
        """The first row; None if there is none."""
        return self.row(0) if len(self) else None

    def in_time(self) -> Rows:
        """The rows in the order of time."""
        order = np.argsort(self["t_s"], kind="stable")
        return Rows({name: values[order] for name, values in self.columns.items()})


def _array(column: pa.ChunkedArray) -> np.ndarray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        whole = column.combine_chunks()
        if isinstance(whole, pa.ChunkedArray):
            whole = whole.chunk(0) if whole.num_chunks else pa.array([], column.type)
        words = np.array([*whole.dictionary.to_pylist(), ""], dtype=object)
        return np.asarray(words[whole.indices.to_numpy(zero_copy_only=False)])
    return np.asarray(column.to_numpy())
