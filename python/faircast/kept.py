"""Plain values as JSON and back: what experiments keep of a run beside its summary, on its way through a file.

Texts, numbers, lists, tuples, dictionaries, bytes, NumPy arrays and scalars, Arrow tables. What comes back equals what
went in, tuples and NaN included. It is no pickle, so that a result folder from elsewhere cannot bring code with it.
"""

from __future__ import annotations

import base64
import io
from typing import Any


def to_json(value: Any) -> Any:
    """`value` as something `json` can write. Raises `TypeError` for what has no such form."""
    import numpy as np
    import pyarrow as pa

    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [to_json(item) for item in value]
    if type(value) is tuple:
        return {"tuple": [to_json(item) for item in value]}
    if type(value) is dict:
        return {"dict": [[to_json(key), to_json(item)] for key, item in value.items()]}
    if type(value) is bytes:
        return {"bytes": _text(value)}
    if isinstance(value, np.generic):
        return {"scalar": _array(np.asarray(value))}
    if type(value) is np.ndarray:
        return {"array": _array(value)}
    if isinstance(value, pa.Table):
        with io.BytesIO() as file:
            with pa.ipc.new_stream(file, value.schema) as stream:
                stream.write_table(value)
            return {"table": _text(file.getvalue())}
    raise TypeError(f"a value of {type(value).__name__} has no form in JSON")


def from_json(value: Any) -> Any:
    """What `to_json` was given."""
    import numpy as np
    import pyarrow as pa

    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, inner),) = value.items()
    if kind == "tuple":
        return tuple(from_json(item) for item in inner)
    if kind == "dict":
        return {from_json(key): from_json(item) for key, item in inner}
    if kind == "table":
        return pa.ipc.open_stream(pa.py_buffer(_bytes(inner))).read_all()
    if kind == "bytes":
        return _bytes(inner)
    array = np.load(io.BytesIO(_bytes(inner)), allow_pickle=False)
    return array[()] if kind == "scalar" else array


def _array(value: Any) -> str:
    import numpy as np

    if value.dtype.hasobject:
        raise TypeError("an array of objects has no form in JSON")
    with io.BytesIO() as file:
        np.save(file, value, allow_pickle=False)
        return _text(file.getvalue())


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
