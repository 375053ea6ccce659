"""The result of one run: Arrow tables in memory, Parquet files on disk.

Equal runs give equal files, byte for byte: the metadata of a file holds the resolved scenario, its hash, the seed and
the version of faircast, and nothing else. See the chapter ``docs/results.md``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from faircast.arrow import to_arrow
from faircast.engine.taken import Effort as Effort
from faircast.engine.taken import Taken
from faircast.errors import InputError, nearest
from faircast.interruption import give_way
from faircast.layout import Words
from faircast.parquet import Origin, write_table
from faircast.plot.of_result import Plots
from faircast.scenario import Resolved
from faircast.storage import writing
from faircast.stored import StoredSeed, conclude_seed
from faircast.summary import Columns, Layout, RunSummary, from_columns, optimum_by_key
from faircast.tables import Tables
from faircast.version import faircast_version
from faircast.viewable import Viewable

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast.display.viewer import Parts
    from faircast.hosts.session import HostSession

KEPT = ("summary", "warnings")
"""Tables that a run needs when all are written."""


class RunResult(Viewable, Tables):
    """The tables of one run, in long form: one row per subject and probe interval, the unit in the column's name.

    ``result["video", "rate"]`` is one number of the summary. See the chapter ``docs/results.md``.
    """

    hosts: HostSession | None = None
    """Of a session on hosts what they wrote down; None of what was simulated."""

    def __init__(self, origin: Origin, columns: Mapping[str, Columns], effort: Effort | None) -> None:
        self.scenario = origin.scenario
        self.seed = origin.seed
        self.version = origin.version
        self.effort = effort
        """None for a result that was read from disk."""
        self._columns = dict(columns)
        self._tables: dict[str, pa.Table] = {}
        self._stored: StoredSeed | None = None
        self._has_optimum = False
        self._metrics: RunSummary | None = None

    @classmethod
    def of(cls, scenario: Resolved, seed: int, taken: Taken) -> RunResult:
        """Take over everything that was taken of a run (`faircast.engine.taken.Everything`)."""
        return cls(Origin(scenario, seed, faircast_version()), taken.columns, taken.effort)

    @classmethod
    def read(cls, folder: str | Path) -> RunResult:
        """Read the folder of one seed; a table is read when it is asked for.

        Raises `InputError` if a file is damaged or the files do not belong together, some of that when it is found.
        """
        stored = StoredSeed(Path(folder))
        stored.check()
        return cls.from_stored(stored)

    @classmethod
    def from_stored(cls, stored: StoredSeed) -> RunResult:
        """A result whose tables lie on disk."""
        result = cls(stored.origin, {}, None)
        result._stored = stored
        return result

    @property
    def stored(self) -> StoredSeed | None:
        """Where its tables lie on disk; None for a result in memory."""
        return self._stored

    @property
    def seeds(self) -> list[int]:
        """The seed, as the only one: what several runs have, too."""
        return [self.seed]

    @property
    def plot(self) -> Plots:
        """The pictures of this run: ``result.plot.rates()``, ``.queue()``, ``.window()`` and so on."""
        return Plots(self.scenario, [self.seed], lambda _, name: self.table(name))

    @property
    def names(self) -> list[str]:
        """The tables there are."""
        return sorted(self._columns if self._stored is None else self._stored.files)

    def table(self, name: str) -> pa.Table:
        """One table by name. A `KeyError` says which there are."""
        if name not in self._tables:
            if name not in self.names:
                raise no_table(name, self.names)
            self._tables[name] = to_arrow(self._of(name)) if self._stored is None else self._stored.read(name)
        return self._tables[name]

    def __getitem__(self, key: tuple[str, str]) -> float:
        """One number of the summary, by subject and metric; a `KeyError` names what there is instead."""
        return self.metrics()[pair(key)]

    def metrics(self) -> RunSummary:
        """The summary by subject and metric, with `in`, iteration, the units and the optimum."""
        if self._metrics is None:
            in_memory = "summary" in self._columns
            self._metrics = from_columns(self._of("summary")) if in_memory else summary_of_table(self.summary)
        return self._metrics

    def report(self, out: str | Path | None = None) -> Path:
        """Write one HTML page of this run, which opens everywhere, and give its path.

        See ``docs/report.md``. By default it is ``report.html`` in the folder of the seed, or in the present folder for
        a result in memory. Raises `InputError` if the file cannot be written.
        """
        from faircast.reporting.of_run import Subject
        from faircast.reporting.report import write_run

        return write_run(Subject.of_seed(self), out).path

    def __repr__(self) -> str:
        from faircast.display.results import of_run

        return of_run(self)

    def _repr_html_(self) -> str:
        from faircast.display.results import html_of_run

        return html_of_run(self)

    def _parts(self) -> Parts:
        from faircast.display.viewer import MOST_ROWS, Parts, drawn, rows_of
        from faircast.reporting.of_run import Subject, document_of

        return Parts(
            lambda values: document_of(Subject.of_seed(self), values),
            lambda: drawn(self.plot()),
            rows_of(self) <= MOST_ROWS,
        )

    def count_rows(self, name: str) -> int:
        """The number of rows of a table, which is not made or read for that."""
        if name in self._tables or (name == "summary" and self._stored is None):  # the optimum adds rows to it
            return int(self.table(name).num_rows)
        return rows_of(self._columns[name]) if self._stored is None else self._stored.rows(name)

    def _of(self, name: str) -> Columns:
        if name == "summary" and not self._has_optimum:
            from faircast.utility.beside import with_optimum

            partial = self.effort is not None and self.effort.interrupted
            self._columns[name] = with_optimum(self._columns[name], self.scenario, partial=partial)
            self._has_optimum = True
        return self._columns[name]

    def write(self, folder: str | Path) -> None:
        """Write one Parquet file per table into a folder, which is made if it is not there, and a manifest of them.

        Raises `InputError` if there can be no such folder, `NotFinishedError` if the disk is full.
        """
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the folder {folder}: {error.strerror}") from None
        with writing(folder):
            self.write_tables(folder)
            conclude_seed(folder, self.scenario.hash, self.seed)

    def write_tables(self, folder: Path, *, release: bool = False) -> None:
        """Write one Parquet file per table into an existing folder; `release`: and keep nothing but the summary."""
        # What an interrupted run had is written in any case; it has no optimum and takes a moment.
        partial = self.effort is not None and self.effort.interrupted
        for name in self.names:
            if not partial:
                give_way()
            with (folder / f"{name}.parquet").open("wb") as file:  # Arrow itself opens no path that is not text
                write_table(self.table(name), file, self.scenario, seeds=str(self.seed), version=self.version)
            if release and name not in KEPT:
                del self._tables[name], self._columns[name]


def no_table(name: str, names: Sequence[str]) -> KeyError:
    """The complaint about a table that is not there."""
    return KeyError(f"the run has no table {name}{nearest(name, names)}; it has {', '.join(names)}")


def pair(key: object) -> tuple[str, str]:
    """What stands in brackets behind a result, if it is a subject and a metric."""
    if isinstance(key, tuple) and len(key) == 2:
        return key
    raise KeyError(f'{key!r} is not a subject and a metric; write for instance result["web-0", "goodput"]')


def rows_of(columns: Columns) -> int:
    """How many rows raw columns have."""
    _, kind, data, _ = columns[0]
    return len(data) // (4 if kind == "str" else 8)


def summary_of_table(table: pa.Table) -> RunSummary:
    """A summary table, read back, by subject and metric."""
    layout = Layout.of(*(Words.of_arrow(table.column(name)) for name in ("subject", "metric", "unit")))
    best = table.column("optimum").to_numpy() if "optimum" in table.column_names else []
    values = array("d")
    values.frombytes(table.column("value").to_numpy().tobytes())
    return RunSummary(layout, values, optimum_by_key(layout, best))
