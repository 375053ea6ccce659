"""Rows of the tables of runs, chosen by the words of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def places(table: pa.Table, column: str) -> dict[str, NDArray[np.bool_]]:
    """Which rows have each of the words of a column."""
    words = table[column].combine_chunks()
    codes = words.indices.to_numpy()
    return {word: codes == code for code, word in enumerate(words.dictionary.to_pylist())}
