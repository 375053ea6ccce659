"""Tables of the core as Arrow tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast.summary import Columns


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


def to_bytes(columns: Columns) -> bytes:
    """Raw columns as an Arrow stream, compressed."""
    import pyarrow as pa

    table = to_arrow(columns)
    batch = pa.RecordBatch.from_arrays([column.chunk(0) for column in table.columns], schema=table.schema)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
        stream.write_batch(batch)  # also one of no rows: it brings the words of the columns
    found: bytes = sink.getvalue().to_pybytes()
    return found


def from_bytes(data: bytes) -> Columns:
    """What `to_bytes` was given."""
    import pyarrow as pa

    batch = pa.ipc.open_stream(pa.py_buffer(data)).read_next_batch()
    found: Columns = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            words = column.dictionary.to_pylist()
            found.append((name, "str", _content(column.indices, 4), words))
        else:
            kind = "f64" if pa.types.is_floating(column.type) else "i64"
            found.append((name, kind, _content(column, 8), None))
    return found


def _content(array: pa.Array, size: int) -> bytes:
    """The values of an array that has no gaps and begins at the start of its memory."""
    buffer = array.buffers()[1]
    assert array.offset == 0, "a batch that was read begins where its memory does"
    found: bytes = buffer[: len(array) * size].to_pybytes() if buffer is not None else b""
    return found
