"""Reading results: one run, all seeds of a run as one table, sweeps, reproductions. See ``docs/results.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from faircast.display.grid import ranges
from faircast.errors import InputError
from faircast.ledger import Ledger
from faircast.manifest import MANIFEST, read_manifest, sets_of
from faircast.parquet import Origin, provenance
from faircast.plot.of_result import Plots
from faircast.ranges import from_ranges
from faircast.report import read_reports
from faircast.results import RunResult, no_table, pair
from faircast.rows import Rows, to_arrow
from faircast.statistics import Estimate, estimate
from faircast.stored import StoredSeed
from faircast.summary import RunSummary, over_seeds
from faircast.tables import Tables
from faircast.viewable import Viewable

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast.display.viewer import Parts
    from faircast.report import Reproduction
    from faircast.reporting.of_run import Subject
    from faircast.scenario import Resolved
    from faircast.sweeps import SweepResult


class Runs(Viewable, Tables):
    """The runs of one scenario with different seeds, as one table each with the column ``seed`` in front.

    ``runs["video", "rate"]`` is the mean of a metric over the seeds with its interval, ``runs.of(3)`` the result of one
    seed; iteration gives the results in the order of the seeds. Of a folder each table is read when it is asked for,
    and then kept; of runs in memory all tables of all seeds are.
    """

    def __init__(
        self,
        sources: Mapping[int, RunResult | Path],
        *,
        folder: Path | None = None,
        interrupted: Sequence[int] = (),
        sets: Sequence[str] = (),
    ) -> None:
        self._sources = dict(sorted(sources.items()))
        self.folder = folder
        """None for runs in memory."""
        self.interrupted = sorted(interrupted)
        """The seeds that were stopped before their end."""
        self.sets = list(sets)
        """What was changed in the scenario's file by ``--set``, as far as it is known."""
        self._tables: dict[str, pa.Table] = {}
        self._origin = self._first_origin()

    @classmethod
    def read(cls, folder: str | Path, *, interrupted: bool = False) -> Runs:
        """Read the folder of a run: its finished seeds, and with `interrupted` what those have that were stopped.

        Raises `InputError` if it holds something else, nothing that is finished, or if a file is damaged; of tables the
        latter when they are read.
        """
        from faircast.folder import seed_folders

        folder = Path(folder)
        manifest = read_manifest(folder)
        if manifest["kind"] != "run":
            raise InputError(f"{folder} holds a {manifest['kind']}, not a run")
        files = Ledger(folder, manifest)
        files.demand(*files.names, again=f"faircast run {folder} makes it again")
        finished: dict[int, Path] = seed_folders(folder)
        partial = {seed: at for seed, at in seed_folders(folder, "-interrupted").items() if seed not in finished}
        if not finished and not (interrupted and partial):
            ask = f"; interrupted=True reads what there is of {len(partial)}" if partial else ""
            raise InputError(f"{folder} holds no finished seed of {manifest.get('name', 'its scenario')}{ask}")
        sources: dict[int, RunResult | Path] = dict(finished)
        if interrupted:
            sources |= partial
        stopped = list(partial) if interrupted else ()
        runs = cls(sources, folder=folder, interrupted=stopped, sets=sets_of(manifest))
        if manifest.get("hash") not in (None, runs.scenario.hash):
            raise InputError(f"{folder / MANIFEST} names another scenario than the seeds beside it")
        return runs

    @property
    def scenario(self) -> Resolved:
        """The scenario, with all its defaults."""
        return self._origin.scenario

    @property
    def version(self) -> str:
        """The version of faircast that ran it."""
        return self._origin.version

    @property
    def seeds(self) -> list[int]:
        """The seeds, in order."""
        return list(self._sources)

    @property
    def names(self) -> list[str]:
        """The tables there are."""
        return self.of(self.seeds[0]).names

    def of(self, seed: int) -> RunResult:
        """The result of one seed. A `KeyError` says which seeds there are."""
        if seed not in self._sources:
            raise KeyError(f"there is no seed {seed}; there are {ranges(self.seeds)}")
        source = self._sources[seed]
        if isinstance(source, RunResult):
            return source
        stored = StoredSeed(source)
        if (stored.origin.scenario, stored.origin.seed) != (self.scenario, seed):
            raise InputError(f"{source} belongs to another run; remove it and run again")
        return RunResult.from_stored(stored)

    def table(self, name: str) -> pa.Table:
        """One table of all seeds, ``seed`` its first column; ``summary`` seed by seed, unlike the property."""
        import numpy as np
        import pyarrow as pa

        if name not in self._tables:
            if name not in self.names:
                raise no_table(name, self.names)
            parts = []
            for result in self:
                part = result.table(name).replace_schema_metadata(None)
                seeds = pa.array(np.full(part.num_rows, result.seed, np.int64))
                parts.append(part.add_column(0, "seed", seeds))
            try:
                whole = pa.concat_tables(parts)
            except pa.ArrowInvalid:
                raise InputError(f"the tables {name} of the seeds have different columns; run them again") from None
            text = ",".join(map(str, self.seeds))
            metadata = provenance(self.scenario, seeds=text, version=self.version)
            self._tables[name] = whole.replace_schema_metadata(metadata)
        return self._tables[name]

    @property
    def summary(self) -> pa.Table:
        """The summary over the seeds: subject, metric, unit, mean, ci95, n, min, max, optimum."""
        return to_arrow(self.rows)

    @cached_property
    def summaries(self) -> dict[int, RunSummary]:
        """The summary of every seed."""
        return {result.seed: result.metrics() for result in self}

    @cached_property
    def rows(self) -> Rows:
        """The summary over the seeds, row by row."""
        return over_seeds(self.summaries)

    def values(self, subject: str, metric: str) -> dict[int, float]:
        """A number of the summary seed by seed; a `KeyError` names what there is instead."""
        key = (subject, metric)
        found = {seed: summary[key] for seed, summary in self.summaries.items() if key in summary}
        return found or {self.seeds[0]: self.summaries[self.seeds[0]][key]}

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        """Mean and 95 % interval of a metric over the seeds; a `KeyError` names what there is instead."""
        return estimate(list(self.values(*pair(key)).values()))

    @property
    def plot(self) -> Plots:
        """The pictures of these runs, the seeds as a band: ``runs.plot.rates()``, ``.queue()``, ``.window()``, .."""

        @cache
        def read(seed: int, name: str) -> pa.Table:
            return self.of(seed).table(name)

        return Plots(self.scenario, self.seeds, read, sets=self.sets, folder=self.folder)

    def report(self, out: str | Path | None = None) -> Path:
        """Write one HTML page of these runs, which opens everywhere, and give its path.

        See ``docs/report.md``. By default it is ``report.html`` in their folder, or in the present folder for runs in
        memory. Raises `InputError` if the file cannot be written.
        """
        from faircast.reporting.report import write_run

        return write_run(self.subject(), out).path

    def _parts(self) -> Parts:
        from faircast.display.viewer import MOST_ROWS, Parts, drawn, rows_of
        from faircast.reporting.of_run import document_of

        return Parts(
            lambda values: document_of(self.subject(), values),
            lambda: drawn(self.plot()),
            # A seed has about as many rows as another; thousands of folders would take long to look at.
            rows_of(self.of(self.seeds[0])) * len(self) <= MOST_ROWS,
        )

    def subject(self) -> Subject:
        """What a page of these runs is about: with their warnings, and what is not finished."""
        from faircast.folder import seed_folders
        from faircast.reporting.of_run import Subject
        from faircast.warning import COLUMNS, merged, of_folder

        if self.folder is None:
            tables = {one.seed: one.warnings for one in self if "warnings" in one.names}
            warnings = merged(
                {
                    seed: list(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True))
                    for seed, table in tables.items()
                }
            )
        else:
            stored = seed_folders(self.folder) | seed_folders(self.folder, "-interrupted")
            warnings = of_folder({seed: at for seed, at in stored.items() if seed in self.seeds})
        return Subject(
            self.scenario,
            self.version,
            list(self),
            Rows.of(self.rows),
            [one.to_json() for one in warnings],
            self.folder,
            self.sets,
            self._lacking(),
        )

    def _lacking(self) -> list[str]:
        said = []
        if self.interrupted:
            said.append(f"Interrupted before the end: seed {ranges(self.interrupted)}; the page has what is there.")
        if self.folder is not None:
            asked = from_ranges(read_manifest(self.folder).get("seeds", []))
            if missing := [seed for seed in asked if seed not in self.seeds]:
                said.append(f"Not finished: seed {ranges(missing)}; faircast run {self.folder} goes on.")
        return said

    def __iter__(self) -> Iterator[RunResult]:
        return (self.of(seed) for seed in self.seeds)

    def __len__(self) -> int:
        return len(self._sources)

    def __repr__(self) -> str:
        from faircast.display.results import of_runs

        return of_runs(self)

    def _repr_html_(self) -> str:
        from faircast.display.results import html_of_runs

        return html_of_runs(self)

    def _first_origin(self) -> Origin:
        seed, source = next(iter(self._sources.items()))
        if isinstance(source, RunResult):
            return Origin(source.scenario, seed, source.version)
        return StoredSeed(source).origin


def read(path: str | Path, *, interrupted: bool = False) -> RunResult | Runs | SweepResult | Reproduction:
    """Read a result from disk, whatever kind it is.

    Parameters
    ----------
    path
        The folder of a run gives `Runs`, all its finished seeds as one table each; that of one seed, or one of its
        Parquet files, `RunResult`; that of a sweep `SweepResult`; that of a reproduction `Reproduction`.
    interrupted
        Whether seeds of a run count that were stopped before their end: what they have until then.

    Raises
    ------
    InputError
        There is nothing, or something else, or a file is damaged. Tables are read, and held against their SHA-256, when
        they are asked for.
    """
    path = Path(path)
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError) as error:  # no path is so long, or has a zero byte
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    if not is_there:
        raise InputError(f"cannot read {path}: there is no such file or folder")
    if not is_folder:
        return _file(path)
    if not (path / MANIFEST).exists() and any(path.glob("*.parquet")):
        return RunResult.read(path)
    kind = read_manifest(path)["kind"]
    if kind == "run":
        return Runs.read(path, interrupted=interrupted)
    if kind == "seed":
        return RunResult.read(path)
    if kind == "reproduction":
        return read_reports(path)
    if kind == "sweep":
        from faircast.sweeps import SweepResult

        return SweepResult.read(path)
    raise InputError(f"{path} holds a {kind}; faircast.read reads runs, their seeds, sweeps and reproductions")


def _file(path: Path) -> RunResult:
    if path.suffix != ".parquet":
        raise InputError(
            f"{path} is no result: that is a folder, or a Parquet file in one; faircast.run runs a scenario"
        )
    stored = StoredSeed.of_file(path)
    result = RunResult.from_stored(stored)
    if path.stem == "summary" and "mean" in result.summary.column_names:
        raise InputError(f"{path} is the summary over seeds; read the folder it lies in")
    return result
