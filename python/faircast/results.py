"""The result of one run: Arrow tables in memory, Parquet files on disk.

Equal runs give equal files, byte for byte: the metadata of a file holds the resolved scenario, its hash, the seed and
the version of faircast, and nothing else. See the chapter ``docs/results.md``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from faircast.errors import InputError, nearest
from faircast.scenario import Resolved
from faircast.summary import Columns, Layout, RunSummary, from_columns, optimum_by_key

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast._native import RawResult
    from faircast.plot.of_result import Plots

SCENARIO, HASH, SEED, VERSION = b"faircast.scenario", b"faircast.hash", b"faircast.seed", b"faircast.version"


@dataclass(frozen=True)
class Effort:
    """What a run took, and how far it came."""

    simulated_s: float
    """Simulated time in seconds."""
    packet_hops: int
    """Packets that left a link."""
    events: int
    """Entries taken from the calendar."""
    cpu_s: float
    """CPU seconds of checking the scenario, building the network and running it."""
    interrupted: bool
    """Whether the run was stopped before its end."""
    trace: str | None
    """Hash of everything that happened, if the scenario asked for it."""


class Origin(NamedTuple):
    """Where a table comes from: all that is needed to make it again."""

    scenario: Resolved
    seed: int
    version: str


class RunResult:
    """The tables of one run, in long form: one row per subject and probe interval, the unit in the column's name."""

    def __init__(self, origin: Origin, columns: Mapping[str, Columns], effort: Effort | None) -> None:
        self.scenario = origin.scenario
        self.seed = origin.seed
        self.version = origin.version
        self.effort = effort
        """None for a result that was read from disk."""
        self._columns = dict(columns)
        self._tables: dict[str, pa.Table] = {}
        self._has_optimum = False

    @classmethod
    def from_raw(cls, scenario: Resolved, seed: int, raw: RawResult, cpu_s: float) -> RunResult:
        """Take over what the core hands back, which keeps no tables."""
        effort = Effort(raw.simulated_s, raw.packet_hops, raw.events, cpu_s, raw.interrupted, raw.trace)
        return cls(Origin(scenario, seed, faircast_version()), raw.take_tables(), effort)

    @classmethod
    def read(cls, folder: str | Path) -> RunResult:
        """Read the folder of one seed. Raises `InputError` if a file is damaged or the files do not belong together."""
        paths = sorted(Path(folder).glob("*.parquet"))
        if not paths:
            raise InputError(f"{folder} holds no Parquet tables of a run")
        tables = {path.stem: read_table(path) for path in paths}
        origins = {path: origin_of(tables[path.stem], path) for path in paths}
        first = origins[paths[0]]
        for path, origin in origins.items():
            if origin != first:
                raise InputError(f"{path} does not belong to the same run as {paths[0].name} beside it")
        result = cls(first, {}, None)
        result._tables = tables
        return result

    @property
    def flows(self) -> pa.Table:
        """Per flow or session and probe interval: rates, window, round-trip time, losses."""
        return self.table("flows")

    @property
    def receivers(self) -> pa.Table:
        """Per receiver of a session and probe interval: rates, loss event rate, round-trip time, reports."""
        return self.table("receivers")

    @property
    def layers(self) -> pa.Table:
        """Per group of a session and probe interval: its layer, what was sent to it, how many were in it."""
        return self.table("layers")

    @property
    def queues(self) -> pa.Table:
        """Per probed queue and probe interval: occupancy, average, drops, marks."""
        return self.table("queues")

    @property
    def links(self) -> pa.Table:
        """Per link and probe interval: rate, packets, losses."""
        return self.table("links")

    @property
    def events(self) -> pa.Table:
        """What happened, to whom and why."""
        return self.table("events")

    @property
    def routers(self) -> pa.Table:
        """What router agents tell, per probe interval: numbers about interfaces, flows, groups, pairs of hosts."""
        return self.table("routers")

    @property
    def router_events(self) -> pa.Table:
        """What router agents did: groups blocked and released."""
        return self.table("router_events")

    @property
    def paths(self) -> pa.Table:
        """The ways between the pairs of nodes that the scenario names: delay and hops, at intervals and at changes."""
        return self.table("paths")

    @property
    def handoffs(self) -> pa.Table:
        """When ground stations turned to which satellites."""
        return self.table("handoffs")

    @property
    def packets(self) -> pa.Table:
        """One row per packet event, where the scenario asks for a trace."""
        return self.table("packets")

    @property
    def summary(self) -> pa.Table:
        """One number per subject and metric, after the warm-up unless its name says otherwise, with the optimum."""
        return self.table("summary")

    @property
    def warnings(self) -> pa.Table:
        """What should be known about the other tables: kind, subject, value, message."""
        return self.table("warnings")

    @property
    def plot(self) -> Plots:
        """The pictures of this run: ``result.plot.rates()``, ``.queue()``, ``.window()`` and so on."""
        from faircast.plot.of_result import Plots

        return Plots(self.scenario, [self.seed], lambda _, name: self.table(name))

    @property
    def names(self) -> list[str]:
        """The tables there are."""
        return sorted({*self._columns, *self._tables})

    def table(self, name: str) -> pa.Table:
        """One table by name."""
        if name not in self._tables:
            if name not in self._columns:
                raise KeyError(
                    f"the run has no table {name}{nearest(name, self.names)}; it has {', '.join(self.names)}"
                )
            self._tables[name] = to_arrow(self._of(name))
        return self._tables[name]

    def metrics(self) -> RunSummary:
        """The summary by subject and metric: ``result.metrics()["web-0", "goodput"]``."""
        if "summary" in self._columns:
            return from_columns(self._of("summary"))
        return summary_of_table(self.summary)

    def _of(self, name: str) -> Columns:
        if name == "summary" and not self._has_optimum:
            from faircast.utility.beside import with_optimum

            partial = self.effort is not None and self.effort.interrupted
            self._columns[name] = with_optimum(self._columns[name], self.scenario, partial=partial)
            self._has_optimum = True
        return self._columns[name]

    def write(self, folder: str | Path) -> None:
        """Write one Parquet file per table into an existing folder."""
        for name in self.names:
            with (Path(folder) / f"{name}.parquet").open("wb") as file:  # Arrow itself opens no path that is not text
                write_table(self.table(name), file, self.scenario, seeds=str(self.seed), version=self.version)


def to_arrow(columns: Columns) -> pa.Table:
    """Raw columns as an Arrow table that shares their memory."""
    import pyarrow as pa

    arrays = {}
    for name, kind, data, dictionary in columns:
        buffers = [None, pa.py_buffer(data)]
        if kind == "f64":
            arrays[name] = pa.Array.from_buffers(pa.float64(), len(data) // 8, buffers)
        elif kind == "i64":
            arrays[name] = pa.Array.from_buffers(pa.int64(), len(data) // 8, buffers)
        elif kind == "str":
            codes = pa.Array.from_buffers(pa.int32(), len(data) // 4, buffers)
            arrays[name] = pa.DictionaryArray.from_arrays(codes, pa.array(dictionary or [], pa.string()))
        else:
            raise AssertionError(f"the core sent a column {name} of the unknown kind {kind}")
    return pa.table(arrays)


def write_table(table: pa.Table, file: BinaryIO, scenario: Resolved, *, seeds: str, version: str) -> None:
    """Write a table with where it comes from, and nothing else, in its metadata."""
    import pyarrow.parquet as pq

    metadata = {
        SCENARIO: scenario.json.encode(),
        HASH: scenario.hash.encode(),
        SEED: seeds.encode(),
        VERSION: version.encode(),
    }
    pq.write_table(table.replace_schema_metadata(metadata), file, compression="zstd")


def read_table(path: Path) -> pa.Table:
    """Read one Parquet file; a damaged one gets a message that says so."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as file:
            return pq.ParquetFile(file).read()
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path} is not a whole Parquet file, perhaps truncated; remove it and run again ({reason})"
        ) from None


def origin_of(table: pa.Table, path: Path) -> Origin:
    """Where a table read from `path` comes from."""
    metadata = table.schema.metadata or {}
    try:
        scenario = Resolved(metadata[SCENARIO].decode())
        origin = Origin(scenario, int(metadata[SEED]), metadata[VERSION].decode())
        if scenario.hash.encode() != metadata[HASH]:
            raise InputError(f"{path}: the scenario in its metadata does not have the hash that stands beside it")
    except (KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is a Parquet file, but not one of a faircast run") from None
    return origin


def summary_of_table(table: pa.Table) -> RunSummary:
    """A summary table, read back, by subject and metric."""
    rows = zip(*(table.column(name).to_pylist() for name in ("subject", "metric", "unit")), strict=True)
    layout = Layout(tuple(rows))
    best = table.column("optimum").to_pylist() if "optimum" in table.column_names else []
    return RunSummary(layout, array("d", table.column("value").to_pylist()), optimum_by_key(layout, best))


def faircast_version() -> str:
    """The version of this package."""
    return installed_version("faircast")
