"""The summaries of all runs of a reproduction or a sweep in one Parquet file: what tables and figures rest on.

A folder that is continued takes finished runs from here instead of computing them again.
"""

from __future__ import annotations

import math
from array import array
from pathlib import Path
from typing import TYPE_CHECKING

from faircast.folder import writing
from faircast.results import read_table
from faircast.scenario import Resolved
from faircast.summary import Layout, RunSummary

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "measurements.parquet"
SCENARIOS = "scenarios.json"


class Measurements:
    """Summaries by scenario hash and seed."""

    def __init__(self) -> None:
        self._runs: dict[tuple[str, int], RunSummary] = {}
        self._names: dict[str, str] = {}

    @classmethod
    def read(cls, folder: Path) -> Measurements:
        """Those of a folder; none if it has no such file. Raises `InputError` if the file is damaged."""
        found = cls()
        path = folder / FILE
        if not path.exists():
            return found
        columns = read_table(path).to_pydict()
        rows: dict[tuple[str, int], list[tuple[str, str, str]]] = {}
        values: dict[tuple[str, int], array[float]] = {}
        best: dict[tuple[str, int], dict[tuple[str, str], float]] = {}
        keys = zip(columns["scenario"], columns["seed"], strict=True)
        texts = zip(columns["subject"], columns["metric"], columns["unit"], strict=True)
        for key, row, value, optimum in zip(keys, texts, columns["value"], columns["optimum"], strict=True):
            rows.setdefault(key, []).append(row)
            values.setdefault(key, array("d")).append(value)
            if not math.isnan(optimum):
                best.setdefault(key, {})[row[:2]] = optimum
        layouts: dict[tuple[tuple[str, str, str], ...], Layout] = {}
        for key, listed in rows.items():
            shape = tuple(listed)
            found._runs[key] = RunSummary(layouts.setdefault(shape, Layout(shape)), values[key], best.get(key, {}))
        found._names = dict(zip(columns["scenario"], columns["name"], strict=True))
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._runs

    def __getitem__(self, key: tuple[str, int]) -> RunSummary:
        return self._runs[key]

    def add(self, scenario: Resolved, seed: int, summary: RunSummary) -> None:
        """Take note of a finished run."""
        self._runs[scenario.hash, seed] = summary
        self._names[scenario.hash] = scenario.name

    def write(self, folder: Path) -> None:
        """Write all, ordered by name, hash and seed: equal measurements give equal files."""
        import pyarrow.parquet as pq

        path = folder / FILE
        fresh = folder / f".{FILE}"
        with writing(path):
            try:
                pq.write_table(self.to_arrow(), fresh, compression="zstd")
                fresh.replace(path)
            finally:
                fresh.unlink(missing_ok=True)

    def to_arrow(self) -> pa.Table:
        """All as a table ``name, scenario, seed, subject, metric, unit, value, optimum``."""
        import numpy as np
        import pyarrow as pa

        keys = sorted(self._runs, key=lambda key: (self._names[key[0]], *key))
        lengths = [len(self._runs[key].values) for key in keys]
        rows = [row for key in keys for row in self._runs[key].layout.rows]
        values = [np.frombuffer(self._runs[key].values, dtype=np.float64) for key in keys]
        best = [self._runs[key].optimum.get(row[:2], math.nan) for key in keys for row in self._runs[key].layout.rows]

        def texts(column: list[str]) -> pa.Array:
            return pa.array(column, pa.string()).dictionary_encode()

        def repeated(column: list[str]) -> pa.Array:
            codes = np.repeat(np.arange(len(column), dtype=np.int32), lengths)
            distinct = list(dict.fromkeys(column))
            place = np.array([distinct.index(text) for text in column], dtype=np.int32)
            return pa.DictionaryArray.from_arrays(
                pa.array(place[codes] if column else codes), pa.array(distinct, pa.string())
            )

        return pa.table(
            {
                "name": repeated([self._names[digest] for digest, _ in keys]),
                "scenario": repeated([digest for digest, _ in keys]),
                "seed": pa.array(np.repeat(np.array([seed for _, seed in keys], dtype=np.int64), lengths)),
                "subject": texts([row[0] for row in rows]),
                "metric": texts([row[1] for row in rows]),
                "unit": texts([row[2] for row in rows]),
                "value": pa.array(np.concatenate(values) if values else np.empty(0)),
                "optimum": pa.array(best, pa.float64()),
            }
        )
