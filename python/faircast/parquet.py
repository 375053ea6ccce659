"""Tables as Parquet files, with where they come from in their metadata, and nothing else there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from faircast.errors import InputError
from faircast.libraries import room
from faircast.scenario import Resolved

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

SCENARIO, HASH, SEED, VERSION = b"faircast.scenario", b"faircast.hash", b"faircast.seed", b"faircast.version"


class Origin(NamedTuple):
    """Where a table comes from: all that is needed to make it again."""

    scenario: Resolved
    seed: int
    version: str


def provenance(scenario: Resolved, *, seeds: str, version: str) -> dict[bytes, bytes]:
    """Where a table comes from, and nothing else, as its metadata says it."""
    return {
        SCENARIO: scenario.json.encode(),
        HASH: scenario.hash.encode(),
        SEED: seeds.encode(),
        VERSION: version.encode(),
    }


def write_table(table: pa.Table, file: BinaryIO, scenario: Resolved, *, seeds: str, version: str) -> None:
    """Write a table with where it comes from in its metadata."""
    write_parts(iter([table]), file, scenario, seeds=seeds, version=version)


def write_parts(parts: Iterator[pa.Table], file: BinaryIO, scenario: Resolved, *, seeds: str, version: str) -> None:
    """Write a table that comes in parts, at least one, with where it comes from in its metadata."""
    import pyarrow.parquet as pq

    metadata = provenance(scenario, seeds=seeds, version=version)
    first = next(parts).replace_schema_metadata(metadata)
    with pq.ParquetWriter(file, first.schema, compression="zstd") as writer:
        writer.write_table(first)
        for part in parts:
            writer.write_table(part.replace_schema_metadata(metadata))


def read_table(path: Path) -> pa.Table:
    """Read one Parquet file; a damaged one gets a message that says so."""
    return _read(path, lambda file: file.read(use_threads=room() is None))


def read_metadata(path: Path) -> Mapping[bytes, bytes] | None:
    """The metadata of a Parquet file, of which only the end is read."""
    found: Mapping[bytes, bytes] | None = _read(path, lambda file: file.schema_arrow.metadata)
    return found


def read_rows(path: Path) -> int:
    """How many rows a Parquet file has; only its end is read."""
    return int(_read(path, lambda file: file.metadata.num_rows))


def read_columns(path: Path) -> list[str]:
    """The names of the columns of a Parquet file; only its end is read."""
    return list(_read(path, lambda file: file.schema_arrow.names))


def read_parts(path: Path, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Some columns of a Parquet file in parts of at most so many rows, each read when it is asked for."""
    import pyarrow.parquet as pq

    with path.open("rb") as opened:
        file = _complained(path, lambda: pq.ParquetFile(opened))
        options: dict[str, Any] = {"batch_size": rows, "columns": list(columns), "use_threads": room() is None}
        for group in range(file.metadata.num_row_groups):  # one by one: Arrow keeps all that it has read of several
            parts = file.iter_batches(row_groups=[group], **options)
            while (part := _complained(path, partial(next, parts, None))) is not None:
                yield part


def _read(path: Path, what: Callable[[pq.ParquetFile], Any]) -> Any:
    import pyarrow.parquet as pq

    def read() -> Any:
        with path.open("rb") as file:
            return what(pq.ParquetFile(file))

    return _complained(path, read)


def _complained(path: Path, read: Callable[[], Any]) -> Any:
    """What `read` gives; of what goes wrong with a Parquet file a message says so."""
    import pyarrow as pa

    try:
        return read()
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowInvalid, pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError | IsADirectoryError):
            raise InputError(f"cannot read {path}: {error.strerror}") from None
        reason = str(error).splitlines()[0]
        raise InputError(
            f"{path} is not a whole Parquet file, perhaps truncated; remove it and run again ({reason})"
        ) from None


def origin_of(table: pa.Table, path: Path) -> Origin:
    """Where a table read from `path` comes from."""
    return origin_from(table.schema.metadata, path)


def origin_from(metadata: Mapping[bytes, bytes] | None, path: Path) -> Origin:
    """Where a table comes from, as its metadata say."""
    metadata = metadata or {}
    try:
        scenario = Resolved(metadata[SCENARIO].decode())
        if b"," in metadata[SEED]:
            raise InputError(f"{path} is the summary of several seeds; read the folder it lies in")
        origin = Origin(scenario, int(metadata[SEED]), metadata[VERSION].decode())
        if scenario.hash.encode() != metadata[HASH]:
            raise InputError(f"{path}: the scenario in its metadata does not have the hash that stands beside it")
    except (KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is a Parquet file, but not one of a faircast run") from None
    return origin
