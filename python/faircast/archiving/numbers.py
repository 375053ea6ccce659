"""What two tables have alike that differ in nothing but who wrote them: the versions of faircast and of Arrow.

Both stand in a Parquet file, so another version never gives equal bytes. The numbers may be equal all the same, and a
digest of them alone says so: of each column its name, whether it holds numbers or texts, and its values, row by row.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 65_536
"""Rows that are read at once."""


def digest_of(path: Path) -> str:
    """The SHA-256 of the numbers and texts of a Parquet file, whoever wrote it.

    Raises `InputError` if it is none, or has a column of another kind.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with path.open("rb") as opened:
            file = pq.ParquetFile(opened)
            names = file.schema_arrow.names
            columns = [(hashlib.sha256(), hashlib.sha256()) for _ in names]
            kinds = [_kind(field, path) for field in file.schema_arrow]
            start = 0
            for batch in file.iter_batches(ROWS):
                for column, kind, hashes in zip(batch.columns, kinds, columns, strict=True):
                    for hashed, part in zip(hashes, _parts(column, kind, start), strict=True):
                        hashed.update(part)
                start += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from None
    whole = hashlib.sha256()
    for name, kind, (values, beside) in zip(names, kinds, columns, strict=True):
        whole.update(f"{name}\0{kind}\0{values.hexdigest()}{beside.hexdigest()}\n".encode())
    return whole.hexdigest()


def writer_of(path: Path) -> str:
    """What wrote a Parquet file, as it says itself."""
    import pyarrow.parquet as pq

    return str(pq.read_metadata(path).created_by)


def writer_here() -> str:
    """What Parquet files are written by here."""
    import pyarrow as pa

    return f"parquet-cpp-arrow version {pa.cpp_version}"


def _kind(field: pa.Field, path: Path) -> str:
    """How the values of a column are written down: as texts or as numbers of one kind."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "text"
    if pa.types.is_boolean(kind):
        return "bool"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return str(kind)
    raise InputError(f"{path}: the column {field.name} is of type {field.type}, which no table of faircast has")


def _parts(column: pa.Array, kind: str, start: int) -> tuple[Any, Any]:
    """The values of a piece of a column as bytes: of texts the letters and how long each is; of numbers these.

    Beside numbers stands in which rows they are missing; `start` is the row with which the piece begins.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == "text":
        texts = column.cast(pa.large_string())
        lengths = pc.fill_null(pc.binary_length(texts), -1).to_numpy(zero_copy_only=False)
        letters = "".join(text for text in texts.to_pylist() if text is not None)
        return letters.encode(), lengths.astype("<i8")
    missing = np.flatnonzero(np.asarray(column.is_null())) + start
    numbers = pc.fill_null(column, False if kind == "bool" else 0).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(numbers, numbers.dtype.newbyteorder("<")), missing.astype("<i8")
