"""The summary over several runs, a row for each subject and metric, held in columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from faircast.interruption import give_way
from faircast.layout import Layout, Words
from faircast.statistics import Estimate, estimate

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Floats = npt.NDArray[np.float64]
    Indices = npt.NDArray[np.int64]

AT_ONCE = 10_000
"""Rows between two looks whether they are still wanted."""
PART = 1 << 17
"""Rows of a part of a table."""


@dataclass(frozen=True, slots=True)
class Row:
    """One subject and metric over all seeds."""

    subject: str
    metric: str
    unit: str
    over_seeds: Estimate
    optimum: float = math.nan
    """What would be the best rate; NaN where that means nothing."""


class Rows(Sequence[Row]):
    """Rows in columns; one is made when it is asked for."""

    def __init__(self, layout: Layout, estimates: Estimates, optimum: Floats) -> None:
        self.layout = layout
        self.estimates = estimates
        self.optimum = optimum

    @classmethod
    def over(cls, runs: Sequence[tuple[Layout, Floats]], best: Mapping[tuple[str, str], float]) -> Rows:
        """The rows of runs, each with its layout and values, in the order in which the runs first have them."""
        layout, values = _aligned(runs)
        return cls(layout, Estimates.of(values), layout.column(best))

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Rows:
        """Rows one by one, put into columns."""
        import numpy as np

        if isinstance(rows, Rows):
            return rows
        layout = Layout((row.subject, row.metric, row.unit) for row in rows)
        estimates = Estimates.listed([row.over_seeds for row in rows])
        return cls(layout, estimates, np.array([row.optimum for row in rows], np.float64))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self._row(row) for row in range(*place.indices(len(self)))]
        return self._row(range(len(self))[place])

    def __len__(self) -> int:
        return len(self.layout)

    def __iter__(self) -> Iterator[Row]:
        return map(self._row, range(len(self)))

    def get(self, subject: str, metric: str) -> Row | None:
        """The row of a subject's metric; None if there is none."""
        row = self.layout.find(subject, metric)
        return None if row is None else self._row(row)

    def _row(self, row: int) -> Row:
        subject, metric, unit = (column.text(row) for column in self.layout.columns)
        return Row(subject, metric, unit, self.estimates[row], float(self.optimum[row]))


@dataclass(frozen=True)
class Estimates:
    """Estimates in columns."""

    mean: Floats
    ci95: Floats
    """NaN for none."""
    n: Indices
    low: Floats
    high: Floats

    @classmethod
    def of(cls, values: Floats) -> Estimates:
        """The estimates of columns, a row for each run; NaN counts for no value."""
        import numpy as np

        if len(values) == 1:
            (one,) = values
            return cls(one + 0.0, np.full(len(one), math.nan), (~np.isnan(one)).astype(np.int64), one, one)
        nothing = np.zeros(values.shape[1])
        found = cls(nothing, nothing.copy(), np.full(len(nothing), len(values)), nothing.copy(), nothing.copy())
        # Most counts are zero in all runs.
        for done, row in enumerate(np.flatnonzero(np.any(values != 0, axis=0))):
            if done % AT_ONCE == 0:
                give_way()
            found._put(int(row), estimate(values[:, row].tolist()))
        return found

    @classmethod
    def listed(cls, estimates: Sequence[Estimate]) -> Estimates:
        """Estimates one by one, put into columns."""
        import numpy as np

        nothing = np.zeros(len(estimates))
        found = cls(nothing, nothing.copy(), nothing.astype(np.int64), nothing.copy(), nothing.copy())
        for row, one in enumerate(estimates):
            found._put(row, one)
        return found

    def __getitem__(self, row: int) -> Estimate:
        half = float(self.ci95[row])
        known = None if math.isnan(half) else half
        return Estimate(float(self.mean[row]), known, int(self.n[row]), float(self.low[row]), float(self.high[row]))

    def _put(self, row: int, one: Estimate) -> None:
        self.mean[row], self.low[row], self.high[row] = one.mean, one.low, one.high
        self.ci95[row] = math.nan if one.ci95 is None else one.ci95
        self.n[row] = one.n


def to_arrow(rows: Sequence[Row]) -> pa.Table:
    """The summary over seeds as a table ``subject, metric, unit, mean, ci95, n, min, max, optimum``."""
    return _table(Rows.of(rows), 0, len(rows))


def parts(rows: Rows) -> Iterator[pa.Table]:
    """The summary over seeds as a table in parts, as texts take far more room than what they are made of."""
    for start in range(0, max(1, len(rows)), PART):
        give_way()
        yield _table(rows, start, start + PART)


def _table(rows: Rows, start: int, end: int) -> pa.Table:
    import pyarrow as pa

    found, texts = rows.estimates, (column.to_arrow(start, end) for column in rows.layout.columns)
    return pa.table(
        dict(zip(("subject", "metric", "unit"), texts, strict=True))
        | {
            "mean": pa.array(found.mean[start:end]),
            "ci95": pa.array(found.ci95[start:end], from_pandas=True),
            "n": pa.array(found.n[start:end]),
            "min": pa.array(found.low[start:end]),
            "max": pa.array(found.high[start:end]),
            "optimum": pa.array(rows.optimum[start:end]),
        }
    )


def to_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The summary over seeds for machines; what JSON cannot say (NaN, infinity) is null."""
    return [
        {
            "subject": row.subject,
            "metric": row.metric,
            "unit": row.unit,
            "mean": finite(row.over_seeds.mean),
            "ci95": finite(row.over_seeds.ci95),
            "n": row.over_seeds.n,
            "min": finite(row.over_seeds.low),
            "max": finite(row.over_seeds.high),
            "optimum": finite(row.optimum),
        }
        for row in rows
    ]


def finite(value: float | None) -> float | None:
    """`value`, or None where JSON has no number for it."""
    return value if value is not None and abs(value) < float("inf") else None


def _aligned(runs: Sequence[tuple[Layout, Floats]]) -> tuple[Layout, Floats]:
    """One layout for all runs, and their values by it, a row for each run; NaN for what a run does not have."""
    import numpy as np

    if not runs:
        return Layout([]), np.empty((0, 0))
    first = runs[0][0]
    if all(layout == first for layout, _ in runs[1:]) and _is_distinct(first):
        return first, np.stack([values for _, values in runs])
    codes, dictionaries = _united([layout for layout, _ in runs])
    keys = [subjects.astype(np.int64) * len(dictionaries[1]) + metrics for subjects, metrics, _ in codes]
    distinct, at = np.unique(np.concatenate(keys), return_index=True)
    order = np.argsort(at)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    aligned = np.full((len(runs), len(order)), math.nan)
    for row, (own, (_, values)) in enumerate(zip(keys, runs, strict=True)):
        aligned[row, place[np.searchsorted(distinct, own)]] = values
    kept = [np.concatenate(column)[at[order]] for column in zip(*codes, strict=True)]
    return Layout.of(*(Words(column, words) for column, words in zip(kept, dictionaries, strict=True))), aligned


def _is_distinct(layout: Layout) -> bool:
    """Whether no subject has a metric twice, as a link may that is called as a flow is."""
    import numpy as np

    keys = layout.subjects.codes.astype(np.int64) * len(layout.metrics.dictionary) + layout.metrics.codes
    keys.sort()
    return not bool(np.any(keys[1:] == keys[:-1]))


def _united(layouts: Sequence[Layout]) -> tuple[list[list[npt.NDArray[np.int32]]], list[list[str]]]:
    """The codes of subjects, metrics and units of each layout, in dictionaries that are the same for all."""
    import numpy as np

    known: list[dict[str, int]] = [{}, {}, {}]
    codes = []
    for layout in layouts:
        own = []
        for words, column in zip(known, layout.columns, strict=True):
            numbers = [words.setdefault(word, len(words)) for word in column.dictionary]
            own.append(np.array(numbers, np.int32)[column.codes])
        codes.append(own)
    return codes, [list(words) for words in known]
