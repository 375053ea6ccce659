"""The summary of a run - one number per subject and metric - and of many runs that differ in the seed.

Summaries are what sweeps keep of thousands of runs, and those of many receivers are long: the keys are held once for
all runs of the same shape (`faircast.layout`), eight bytes per number. What stands in `faircast.rows` is made of them.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from faircast.errors import nearest
from faircast.layout import Layout as Layout
from faircast.layout import Words
from faircast.rows import Row as Row
from faircast.rows import Rows
from faircast.rows import finite as finite
from faircast.rows import to_arrow as to_arrow
from faircast.rows import to_json as to_json

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from faircast._native import RawResult

Columns = list[tuple[str, str, bytes, list[str] | None]]


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The summary of one run."""

    layout: Layout
    values: array[float]
    optimum: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """By subject and metric what would be the best rate, where there is one; empty if it was not computed."""

    def __getitem__(self, key: tuple[str, str]) -> float:
        """The value of (subject, metric); a `KeyError` names what there is instead."""
        found = self.layout.find(*key)
        if found is None:
            raise KeyError(self._unknown(*key))
        return self.values[found]

    def get(self, key: tuple[str, str], default: float = math.nan) -> float:
        """The value of (subject, metric), or `default` if there is none."""
        found = self.layout.find(*key)
        return default if found is None else self.values[found]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and len(key) == 2 and self.layout.find(*key) is not None

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[tuple[str, str, str, float]]:
        """Rows of subject, metric, unit and value."""
        words = [(column.dictionary, column.codes) for column in self.layout.columns]
        (subjects, of_subject), (metrics, of_metric), (units, of_unit) = words
        rows = zip(of_subject, of_metric, of_unit, self.values, strict=True)
        return ((subjects[s], metrics[m], units[u], value) for s, m, u, value in rows)

    def column(self, metric: str) -> dict[str, float]:
        """The values of a metric, by subject."""
        values = self.numbers()[self.layout.with_metric(metric)]
        return dict(zip(self.layout.subjects_with(metric), values.tolist(), strict=True))

    def numbers(self) -> npt.NDArray[np.float64]:
        """The values as an array that shares their memory."""
        import numpy as np

        return np.frombuffer(self.values, np.float64) if len(self.values) else np.empty(0)

    def subjects(self, metric: str) -> list[str]:
        """Every subject that has the metric, in the order of the scenario."""
        return self.layout.subjects_with(metric)

    def _unknown(self, subject: str, metric: str) -> str:
        rows = self.layout.rows_of(subject)
        if rows is not None and len(rows):
            metrics = [self.layout.metrics.text(row) for row in rows]
            return f"{subject} has no metric {metric}{nearest(metric, metrics)}; it has {', '.join(metrics)}"
        words = self.layout.subjects
        subjects = [words.dictionary[code] for code in dict.fromkeys(words.codes.tolist())]
        return f"the summary has no subject {subject}{nearest(subject, subjects)}; it has {', '.join(subjects)}"


def equal(a: RunSummary, b: RunSummary) -> bool:
    """Whether two runs have the same numbers, undefined ones (NaN) at the same places."""
    return a is b or (a.layout == b.layout and a.values.tobytes() == b.values.tobytes())


def summary_of(raw: RawResult) -> RunSummary:
    """The summary of a run straight from its raw columns."""
    return from_columns(raw.tables()["summary"])


def from_columns(columns: Columns) -> RunSummary:
    """The summary from raw columns ``subject, metric, unit, value``."""
    by_name = {name: (data, dictionary) for name, _, data, dictionary in columns}
    values = array("d")
    values.frombytes(by_name["value"][0])
    key = tuple((by_name[name][0], tuple(by_name[name][1] or ())) for name in ("subject", "metric", "unit"))
    layout = _layouts.get(key)
    if layout is None:
        layout = _layouts.setdefault(key, Layout.of(*(_words(data, dictionary) for data, dictionary in key)))
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
    import numpy as np

    column = np.asarray(values, np.float64)
    rows = np.flatnonzero(~np.isnan(column))
    keys = ((layout.subjects.text(row), layout.metrics.text(row)) for row in rows.tolist())
    return dict(zip(keys, column[rows].tolist(), strict=True))


def optimum_column(summary: RunSummary) -> npt.NDArray[np.float64]:
    """The optimum beside every value of a summary as a column, NaN where there is none."""
    return summary.layout.column(summary.optimum)


def over_seeds(runs: Mapping[int, RunSummary]) -> Rows:
    """Mean, interval and range of every metric over seeds; rows in the order of the lowest seed that has them."""
    ordered = [runs[seed] for seed in sorted(runs)]
    best = {key: value for run in reversed(ordered) for key, value in run.optimum.items()}
    return Rows.over([(run.layout, run.numbers()) for run in ordered], best)


_layouts: dict[object, Layout] = {}
_optima: dict[object, dict[tuple[str, str], float]] = {}


def _words(data: bytes, dictionary: Sequence[str]) -> Words:
    import numpy as np

    return Words(np.frombuffer(data, np.int32), dictionary)
