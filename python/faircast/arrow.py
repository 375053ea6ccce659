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
