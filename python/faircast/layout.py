"""Which number of a summary means what, held in columns: a summary of many receivers has millions of rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Codes = npt.NDArray[np.int32]
    Floats = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.int64]


class Words(NamedTuple):
    """A column of words: of each row the number of its word."""

    codes: Codes
    dictionary: Sequence[str]
    """The distinct words."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Words:
        """The column of these texts."""
        import numpy as np

        known: dict[str, int] = {}
        codes = np.fromiter((known.setdefault(text, len(known)) for text in texts), np.int32)
        return cls(codes, list(known))

    @classmethod
    def of_arrow(cls, column: pa.ChunkedArray) -> Words:
        """A column of texts, of an Arrow dictionary or not."""
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        whole = column.unify_dictionaries().combine_chunks()
        if isinstance(whole, pa.ChunkedArray):
            whole = whole.chunk(0) if whole.num_chunks else pa.array([], column.type)
        return cls(whole.indices.cast(pa.int32()).to_numpy(), whole.dictionary.to_pylist())

    def to_arrow(self, start: int, end: int) -> pa.Array:
        """Some rows of the column as texts."""
        import pyarrow as pa

        codes = self.codes[start:end]
        if not len(codes):
            return pa.array([], pa.string())
        first = int(codes.min())  # rows that follow one another have words that do
        words = pa.array(self.dictionary[first : int(codes.max()) + 1], pa.string())
        return words.take(pa.array(codes - first))

    def text(self, row: int) -> str:
        """The word of a row."""
        word: str = self.dictionary[self.codes[row]]
        return word

    def code(self, word: str) -> int:
        """The number of a word, -1 if there is none. Meant for few words."""
        return self.dictionary.index(word) if word in self.dictionary else -1

    def texts(self) -> list[str]:
        """The words of all rows."""
        return [self.dictionary[code] for code in self.codes]

    def is_same(self, other: Words) -> bool:
        """Whether all rows have the same words, however they are numbered."""
        import numpy as np

        if len(self.codes) != len(other.codes):
            return False
        if list(self.dictionary) == list(other.dictionary):
            return bool(np.array_equal(self.codes, other.codes))
        own = {word: code for code, word in enumerate(self.dictionary)}
        numbers = np.array([own.get(word, -1) for word in other.dictionary], np.int32)
        return bool(np.array_equal(self.codes, numbers[other.codes])) if len(numbers) else True


class Layout:
    """Subject, metric and unit of every number of a summary."""

    def __init__(self, rows: Iterable[tuple[str, str, str]]) -> None:
        listed = list(rows)
        self.subjects, self.metrics, self.units = (Words.of(row[place] for row in listed) for place in range(3))

    @classmethod
    def of(cls, subjects: Words, metrics: Words, units: Words) -> Layout:
        """The layout that these columns are."""
        layout = cls.__new__(cls)
        layout.subjects, layout.metrics, layout.units = subjects, metrics, units
        return layout

    @property
    def columns(self) -> tuple[Words, Words, Words]:
        """Subjects, metrics and units."""
        return self.subjects, self.metrics, self.units

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Subject, metric and unit of every number, made when it is asked for."""
        return list(zip(*(column.texts() for column in self.columns), strict=True))

    def find(self, subject: str, metric: str) -> int | None:
        """The row of a subject's metric, the last one if there are several; None if there is none."""
        found = self.rows_of(subject)
        if found is None:
            return None
        hits = found[self.metrics.codes[found] == self._metrics.get(metric, -1)]
        return int(hits[-1]) if len(hits) else None

    def rows_of(self, subject: str) -> Indices | None:
        """All rows of a subject; None if there is none."""
        code = self._subjects.get(subject)
        order, starts = self._by_subject
        return None if code is None else order[starts[code] : starts[code + 1]]

    def with_metric(self, metric: str) -> Indices:
        """The rows of a metric, in order."""
        import numpy as np

        return np.flatnonzero(self.metrics.codes == self._metrics.get(metric, -1))

    def subjects_with(self, metric: str) -> list[str]:
        """Every subject that has the metric, in the order of the scenario."""
        words = self.subjects
        return [words.dictionary[code] for code in words.codes[self.with_metric(metric)]]

    def column(self, values: Mapping[tuple[str, str], float]) -> Floats:
        """A value beside every row, by subject and metric; NaN where there is none."""
        import numpy as np

        column = np.full(len(self), np.nan)
        for metric in dict.fromkeys(metric for _, metric in values):
            subjects = self.subjects_with(metric)
            column[self.with_metric(metric)] = [values.get((subject, metric), np.nan) for subject in subjects]
        return column

    def __len__(self) -> int:
        return len(self.subjects.codes)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self is other or all(a.is_same(b) for a, b in zip(self.columns, other.columns, strict=True))

    __hash__ = object.__hash__

    @cached_property
    def _subjects(self) -> Mapping[str, int]:
        return {word: code for code, word in enumerate(self.subjects.dictionary)}

    @cached_property
    def _metrics(self) -> Mapping[str, int]:
        return {word: code for code, word in enumerate(self.metrics.dictionary)}

    @cached_property
    def _by_subject(self) -> tuple[Indices, Indices]:
        """All rows by subject, and for each subject where its rows begin there."""
        import numpy as np

        codes = self.subjects.codes
        counts = np.bincount(codes, minlength=len(self.subjects.dictionary))
        return np.argsort(codes, kind="stable").astype(np.int32), np.concatenate([[0], np.cumsum(counts)])
