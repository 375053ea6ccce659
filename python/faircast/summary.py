"""The summary of a run - one number per subject and metric - and of many runs that differ in the seed.

Summaries are what sweeps keep of thousands of runs, hence held without Arrow: the keys once for all runs of the same
shape, eight bytes per number.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircast.errors import nearest
from faircast.statistics import Estimate, estimate

if TYPE_CHECKING:
    import pyarrow as pa

    from faircast._native import RawResult

Columns = list[tuple[str, str, bytes, list[str] | None]]


class Layout:
    """Which number of a summary means what."""

    __slots__ = ("index", "rows")

    def __init__(self, rows: tuple[tuple[str, str, str], ...]) -> None:
        self.rows = rows
        """Subject, metric and unit of every number."""
        self.index = {(subject, metric): i for i, (subject, metric, _) in enumerate(rows)}


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of one run."""

    layout: Layout
    values: array[float]
    optimum: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By subject and metric what would be the best rate, where there is one; empty if it was not computed."""

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The value of (subject, metric); a `KeyError` names what there is instead."""
        found = self.layout.index.get(key)
        if found is None:
            raise KeyError(self._unknown(*key))
        return self.values[found]

    def get(self, key: tuple[str, str], default: float = math.nan) -> float:
        """The value of (subject, metric), or `default` if there is none."""
        found = self.layout.index.get(key)
        return default if found is None else self.values[found]

    def __contains__(self, key: object) -> bool:
        return key in self.layout.index

    def __iter__(self) -> Iterator[tuple[str, str, str, float]]:
        """Rows of subject, metric, unit and value."""
        return ((*row, value) for row, value in zip(self.layout.rows, self.values, strict=True))

    def subjects(self, metric: str) -> list[str]:
        """Every subject that has the metric, in the order of the scenario."""
        return [subject for subject, name, _ in self.layout.rows if name == metric]

    def _unknown(self, subject: str, metric: str) -> str:
        metrics = [name for owner, name, _ in self.layout.rows if owner == subject]
        if metrics:
            return f"{subject} has no metric {metric}{nearest(metric, metrics)}; it has {', '.join(metrics)}"
        subjects = list(dict.fromkeys(owner for owner, _, _ in self.layout.rows))
        return f"the summary has no subject {subject}{nearest(subject, subjects)}; it has {', '.join(subjects)}"


@dataclass(frozen=True, slots=True)
class Row:
    """One subject and metric over all seeds."""

    subject: str
    metric: str
    unit: str
    over_seeds: Estimate
    optimum: float = math.nan
    """What would be the best rate; NaN where that means nothing."""


def equal(a: RunSummary, b: RunSummary) -> bool:
    """Whether two runs have the same numbers, undefined ones (NaN) at the same places."""
    return a is b or (a.layout.rows == b.layout.rows and a.values.tobytes() == b.values.tobytes())


def summary_of(raw: RawResult) -> RunSummary:
    """The summary of a run straight from its raw columns."""
    return from_columns(raw.tables()["summary"])


def from_columns(columns: Columns) -> RunSummary:
    """The summary from raw columns ``subject, metric, unit, value``."""
    by_name = {name: (data, dictionary) for name, _, data, dictionary in columns}
    texts = [by_name[name] for name in ("subject", "metric", "unit")]
    values = array("d")
    values.frombytes(by_name["value"][0])
    key = tuple((data, tuple(dictionary or ())) for data, dictionary in texts)
    layout = _layouts.get(key)
    if layout is None:
        decoded = [_decode(data, dictionary or []) for data, dictionary in texts]
        layout = _layouts.setdefault(key, Layout(tuple(zip(*decoded, strict=True))))
    if "optimum" not in by_name:
        return RunSummary(layout, values)
    data, _ = by_name["optimum"]
    known = _optima.get((key, data))
    if known is None:
        best: array[float] = array("d")
        best.frombytes(data)
        known = _optima.setdefault((key, data), optimum_by_key(layout, best))
    return RunSummary(layout, values, known)


def optimum_by_key(layout: Layout, values: Sequence[float]) -> dict[tuple[str, str], float]:
    """A column ``optimum`` by subject and metric, without the rows to which it does not apply."""
    pairs = zip(layout.rows, values, strict=False)
    return {(subject, metric): value for (subject, metric, _), value in pairs if not math.isnan(value)}


def over_seeds(runs: Mapping[int, RunSummary]) -> list[Row]:
    """Mean, interval and range of every metric over seeds; rows in the order of the lowest seed that has them."""
    ordered = [runs[seed] for seed in sorted(runs)]
    rows: dict[tuple[str, str], str] = {}
    for run in ordered:
        for subject, metric, unit in run.layout.rows:
            rows.setdefault((subject, metric), unit)
    best = {key: value for run in reversed(ordered) for key, value in run.optimum.items()}
    return [
        Row(*key, unit, estimate([run[key] for run in ordered if key in run]), best.get(key, math.nan))
        for key, unit in rows.items()
    ]


def to_arrow(rows: Sequence[Row]) -> pa.Table:
    """The summary over seeds as a table ``subject, metric, unit, mean, ci95, n, min, max, optimum``."""
    import pyarrow as pa

    estimates = [row.over_seeds for row in rows]
    return pa.table(
        {
            "subject": pa.array([row.subject for row in rows], pa.string()),
            "metric": pa.array([row.metric for row in rows], pa.string()),
            "unit": pa.array([row.unit for row in rows], pa.string()),
            "mean": pa.array([item.mean for item in estimates], pa.float64()),
            "ci95": pa.array([item.ci95 for item in estimates], pa.float64()),
            "n": pa.array([item.n for item in estimates], pa.int64()),
            "min": pa.array([item.low for item in estimates], pa.float64()),
            "max": pa.array([item.high for item in estimates], pa.float64()),
            "optimum": pa.array([row.optimum for row in rows], pa.float64()),
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


_layouts: dict[object, Layout] = {}
_optima: dict[object, dict[tuple[str, str], float]] = {}


def _decode(data: bytes, dictionary: list[str]) -> list[str]:
    codes = array("i")
    codes.frombytes(data)
    return [dictionary[code] for code in codes]
