"""The summaries of all runs of a campaign in one Parquet file: what tables and figures rest on.

A folder that is continued takes finished runs from here instead of computing them again. While runs are computed each
goes to a journal beside the file when it is finished, with what is kept of it besides; the journal goes when the
campaign is finished. What it kept then stands in a file of its own, if the campaign wants that (`Measurements.keep`).
"""

from __future__ import annotations

import base64
import hashlib
import json
from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from faircast.errors import InputError
from faircast.journal import Journal
from faircast.ledger import Ledger
from faircast.parquet import read_table
from faircast.storage import remove, writing
from faircast.summary import Layout, RunSummary, optimum_by_key, optimum_column

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

FILE = "measurements.parquet"
JOURNAL = "measurements.journal"
KEPT = "kept.parquet"
AGAIN = "the command that made the folder computes again what it held"

Key = tuple[str, int]
"""Scenario hash and seed; behind the hash ``#1`` and so on for copies, which the Parquet file does not tell apart."""


class Measurements:
    """The summaries of a folder by scenario hash and seed, and what the journal holds beside them."""

    LABELS: ClassVar[tuple[str, ...]] = ("scenario", "name")
    """The columns of the Parquet file with the scenario's hash, with its name, and whatever else tells runs apart."""

    BESIDE: ClassVar[tuple[str, ...]] = ()
    """Files without which a run does not count as finished."""

    def __init__(self, folder: Path, files: Ledger | None = None) -> None:
        self._folder = folder
        self.files = Ledger(folder) if files is None else files
        """The files of the folder."""
        self._journal = Journal(folder / JOURNAL)
        self._runs: dict[Key, RunSummary] = {}
        self._names: dict[str, str] = {}
        self._layouts: dict[str, Layout] = {}
        self._optima: dict[tuple[str, bytes], Mapping[tuple[str, str], float]] = {}
        self._in_journal: set[str] = set()
        self.kept: dict[Key, dict[str, Any]] = {}
        """What was kept with runs beside their summaries, as `record` was given it."""

    @classmethod
    def read(cls, folder: Path, files: Ledger | None = None) -> Measurements:
        """The measurements of a folder, which may have none; of damaged files see `Ledger.holds`."""
        found = cls(folder, files)
        found.load()
        return found

    def load(self) -> None:
        """Take in what the files hold; see `read`."""
        path = self._folder / FILE
        beside = [name for name in self.BESIDE if not self.files.holds(name, AGAIN) and name in self.files.damaged]
        if self.files.holds(FILE, AGAIN) and not beside:
            try:
                self._take_rows(read_table(path))
            except (KeyError, TypeError, ValueError) as error:
                if isinstance(error, InputError):
                    raise
                raise InputError(f"{path} is a Parquet file, but not one of measurements; remove it") from None
        self._read_kept()
        for record in self._journal.read():  # behind the file, as it is newer
            self._replay(record)
        if self._journal.damaged:
            self.files.tell(JOURNAL, f"{self._folder / JOURNAL} has {self._journal.damaged} damaged records")

    @staticmethod
    def discard(files: Ledger) -> None:
        """Remove the measurements of a folder."""
        Measurements.close(files.folder)
        for name in (FILE, KEPT):
            with writing(files.folder / name):
                files.drop(name)

    @staticmethod
    def close(folder: Path) -> None:
        """Remove the journal: all that it holds has been written and nothing is left to compute."""
        with writing(folder / JOURNAL):
            remove(folder / JOURNAL)

    def __contains__(self, key: object) -> bool:
        return key in self._runs

    def __getitem__(self, key: Key) -> RunSummary:
        return self._runs[key]

    def record(self, key: Key, name: str, summary: RunSummary, kept: dict[str, Any]) -> None:
        """Write a finished run to the journal, with what is kept of it; may be called from several threads."""
        layout = _digest(summary.layout)
        records: list[dict[str, Any]] = []
        if layout not in self._in_journal:
            records.append({"layout": layout, "rows": summary.layout.rows})
        run = {"scenario": key[0], "seed": key[1], "name": name, "layout": layout}
        columns = {"values": _text(summary.values), "optimum": _text(optimum_column(summary))}
        self._journal.append(*records, run | columns | {"kept": kept})
        self._in_journal.add(layout)
        self.kept[key] = kept

    def add(self, key: Key, name: str, summary: RunSummary) -> None:
        """Take note of a finished run."""
        self._runs[key] = summary
        self._names[_plain(key)[0]] = name

    def take_over(self, other: Measurements) -> None:
        """Take note of all runs of another folder."""
        self._runs |= other._runs
        self._names |= other._names

    def write(self) -> None:
        """Write all to the Parquet file, ordered by name, hash and seed: equal measurements give equal files."""
        import pyarrow.parquet as pq

        with writing(self._folder / FILE), self.files.put(FILE) as file:
            pq.write_table(self.to_arrow(), file, compression="zstd")

    def keep(self) -> None:
        """Write what was kept of runs to a file of its own, for when the journal is gone; the same gives equal files.

        Copies have no place in it, as they have none among the measurements: they are computed again.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        runs = {key: kept for key, kept in self.kept.items() if key in self._runs and any(kept.values())}
        keys = sorted(key for key in runs if key == _plain(key))
        texts = [json.dumps(runs[key], sort_keys=True, separators=(",", ":")) for key in keys]
        columns = {"scenario": [key[0] for key in keys], "seed": [key[1] for key in keys], "kept": texts}
        with writing(self._folder / KEPT):
            if not keys:
                self.files.drop(KEPT)
                return
            with self.files.put(KEPT) as file:
                pq.write_table(pa.table(columns), file, compression="zstd", use_dictionary=False)

    def to_arrow(self) -> pa.Table:
        """All as a table ``name, scenario, seed, subject, metric, unit, value, optimum``."""
        import numpy as np

        runs = {_plain(key): run for key, run in self._runs.items()}
        keys = sorted(runs, key=lambda key: (self._names[key[0]], *key))
        return with_labels(
            {
                "name": [self._names[digest] for digest, _ in keys],
                "scenario": [digest for digest, _ in keys],
                "seed": np.array([seed for _, seed in keys], np.int64),
            },
            [runs[key] for key in keys],
        )

    def _take_rows(self, table: pa.Table) -> None:
        """Take the runs of a table of `to_arrow`; rows of one run stand together."""
        import numpy as np

        if not table.num_rows:
            return
        digest_column, name_column, *apart = self.LABELS
        codes, words = {}, {}
        for name in dict.fromkeys((digest_column, name_column, "subject", "metric", "unit")):
            codes[name], words[name] = _codes(table.column(name))
        seeds = table.column("seed").to_numpy()
        values = table.column("value").to_numpy()
        best = table.column("optimum").to_numpy()
        changes = (np.diff(codes[digest_column]) != 0) | (np.diff(seeds) != 0)
        for name in apart:
            changes |= np.diff(table.column(name).to_numpy()) != 0
        ends = [*(np.flatnonzero(changes) + 1).tolist(), table.num_rows]
        shapes: dict[tuple[bytes, ...], tuple[str, Layout]] = {}
        start = 0
        for end in ends:
            shape = tuple(codes[name][start:end].tobytes() for name in ("subject", "metric", "unit"))
            if shape not in shapes:
                texts = [[words[name][i] for i in codes[name][start:end]] for name in ("subject", "metric", "unit")]
                shapes[shape] = self._layout(list(zip(*texts, strict=True)))
            digest = words[digest_column][codes[digest_column][start]]
            name = words[name_column][codes[name_column][start]]
            columns = values[start:end].tobytes(), best[start:end].tobytes()
            self.add((digest, int(seeds[start])), name, self._run(*shapes[shape], *columns))
            start = end

    def _read_kept(self) -> None:
        path = self._folder / KEPT
        if not self.files.holds(KEPT, AGAIN):
            return
        table = read_table(path)
        try:
            columns = (table.column(name).to_pylist() for name in ("scenario", "seed", "kept"))
            found = {(digest, seed): json.loads(text) for digest, seed, text in zip(*columns, strict=True)}
        except (KeyError, TypeError, ValueError):
            found = {}
        if not found or not all(isinstance(kept, dict) for kept in found.values()):
            raise InputError(f"{path} is a Parquet file, but not one of what was kept of runs; remove it")
        self.kept |= found

    def _replay(self, record: dict[str, Any]) -> None:
        """Take a record of the journal."""
        if "rows" in record:
            self._layout([(subject, metric, unit) for subject, metric, unit in record["rows"]])
            self._in_journal.add(record["layout"])
        elif record["layout"] in self._layouts:  # otherwise its layout was cut off
            columns = (base64.b64decode(record[name]) for name in ("values", "optimum"))
            key = (record["scenario"], record["seed"])
            self.add(key, record["name"], self._run(record["layout"], self._layouts[record["layout"]], *columns))
            self.kept[key] = record["kept"]

    def _layout(self, rows: list[tuple[str, str, str]]) -> tuple[str, Layout]:
        layout = Layout(tuple(rows))
        digest = _digest(layout)
        return digest, self._layouts.setdefault(digest, layout)

    def _run(self, digest: str, layout: Layout, values: bytes, optimum: bytes) -> RunSummary:
        column = array("d", values)
        if (digest, optimum) not in self._optima:
            self._optima[digest, optimum] = optimum_by_key(layout, array("d", optimum))
        return RunSummary(layout, column, self._optima[digest, optimum])


def with_labels(labels: Mapping[str, Sequence[str] | NDArray[Any]], runs: Sequence[RunSummary]) -> pa.Table:
    """A row for each number of each run: the labels of the run, then ``subject, metric, unit, value, optimum``."""
    import numpy as np
    import pyarrow as pa

    layouts = [run.layout for run in runs]
    lengths = np.array([len(layout) for layout in layouts], np.int64)

    def of_layouts(place: int) -> pa.Array:
        words: dict[str, int] = {}
        codes = {}
        for layout in {id(layout): layout for layout in layouts}.values():
            column = layout.columns[place]
            numbers = np.array([words.setdefault(word, len(words)) for word in column.dictionary], np.int32)
            codes[id(layout)] = numbers[column.codes]
        joined = _joined([codes[id(layout)] for layout in layouts], np.int32)
        return pa.DictionaryArray.from_arrays(pa.array(joined), pa.array(list(words), pa.string()))

    return pa.table(
        {name: repeated(values, lengths) for name, values in labels.items()}
        | {
            "subject": of_layouts(0),
            "metric": of_layouts(1),
            "unit": of_layouts(2),
            "value": pa.array(_joined([np.frombuffer(run.values) for run in runs], np.float64)),
            "optimum": pa.array(_joined([optimum_column(run) for run in runs], np.float64)),
        }
    )


def repeated(values: Sequence[str] | NDArray[Any], lengths: NDArray[np.int64]) -> pa.Array:
    """A column in which each value stands so many times; texts as a dictionary, as there are few of them."""
    import numpy as np
    import pyarrow as pa

    if isinstance(values, np.ndarray):
        return pa.array(np.repeat(values, lengths))
    words: dict[str, int] = {}
    codes = np.array([words.setdefault(text, len(words)) for text in values], np.int32)
    return pa.DictionaryArray.from_arrays(pa.array(np.repeat(codes, lengths)), pa.array(list(words), pa.string()))


def _plain(key: Key) -> Key:
    """Without the mark of a copy."""
    return key[0].partition("#")[0], key[1]


def _digest(layout: Layout) -> str:
    return hashlib.sha256(json.dumps(layout.rows).encode()).hexdigest()[:12]


def _text(column: array[float] | NDArray[np.float64]) -> str:
    return base64.b64encode(column.tobytes()).decode()


def _codes(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], list[str]]:
    """A column of texts as numbers of its distinct texts."""
    import pyarrow as pa

    texts = column.cast(pa.string()).combine_chunks().dictionary_encode()
    return texts.indices.to_numpy(), texts.dictionary.to_pylist()


def _joined(columns: list[NDArray[Any]], kind: type[np.generic]) -> NDArray[Any]:
    import numpy as np

    return np.concatenate(columns) if columns else np.empty(0, kind)
