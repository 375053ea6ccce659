"""Which rows of a long table stay: of each series and window of time those with its lowest and highest values.

A picture of some thousand points shows all that a longer series would, as long as the extremes between two of its
points are drawn: so each window keeps, of every column that is drawn, the row with the lowest and the one with the
highest value, and each series its last row. Rows are kept whole or not at all, so all that is shown is what was
measured. Of moments, such as events, each window keeps the first and the last of a kind; and of what has not ended the
first and the last. What holds on until it changes, such as the quality of a picture, keeps every change while there is
room.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircast.reporting.tables import SHOWN, Table, Texts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int64]

LEAST_WINDOWS, MOST_WINDOWS = 4, 4000
"""How many windows a run is divided into: beyond the latter nobody tells them apart."""
UNDEFINED = "?"
"""In the place of a column: the numbers of the rows in which one is undefined."""


@dataclass
class Codes:
    """Numbers for the subjects of a table, each a combination of words or numbers."""

    columns: tuple[str, ...]
    found: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def of(self, part: dict[str, Any]) -> Rows:
        """Of each row of a part the number of its subject."""
        import numpy as np

        keys: list[Rows] = []
        values: list[Sequence[Any]] = []
        for name in self.columns:
            column = part[name]
            if isinstance(column, Texts):
                keys.append(column.codes)
                values.append(column.words)
            else:
                distinct, codes = np.unique(column, return_inverse=True)
                keys.append(codes.astype(np.int64))
                values.append([float(one) for one in distinct])
        if not len(keys[0]):
            return np.zeros(0, np.int64)
        sizes = [max(len(one), 1) for one in values]
        joined = np.ravel_multi_index(keys, sizes)
        distinct, inverse = np.unique(joined, return_inverse=True)
        here = np.unravel_index(distinct, sizes)
        names = [
            tuple(of[int(at)] for of, at in zip(values, places, strict=True)) for places in zip(*here, strict=True)
        ]
        numbers = np.array([self.found.setdefault(name, len(self.found)) for name in names], np.int64)
        result: Rows = numbers[inverse]
        return result


@dataclass(frozen=True)
class Kept:
    """What is kept of a table."""

    rows: Rows | None
    """The rows, rising; None for all."""
    window_s: float = 0.0
    """How long a window is."""
    has_changes: bool = False
    """Whether every change of the table's state is among them."""


def kept(table: Table, most: int, stop_s: float) -> Kept:
    """Which rows of a table stay, so that there are not many more than `most`."""
    import numpy as np

    if table.rows <= most:
        return Kept(None)
    shown = SHOWN[table.name]
    drawn = [column for column in shown.drawn if column in table.columns]
    subjects = Codes(shown.subject)
    telling = set()
    for part in table.parts(shown_columns(subjects, drawn)):
        subjects.of(part)
        telling |= {name for name in drawn if np.nan_to_num(part[name]).any()}
    drawn = [name for name in drawn if name in telling]  # where all is zero or nothing there are no extremes
    a_window = 2 * max(len(drawn), 1) * max(len(subjects.found), 1)
    windows = max(LEAST_WINDOWS, min(MOST_WINDOWS, most // a_window))
    found = extremes(table, subjects, drawn, windows, stop_s, shown.open)
    if drawn and not shown.open:  # a series reaches as far as it was measured; transfers are no series
        found = np.union1d(found, last_rows(table, subjects))
    if shown.state in table.columns:
        changed = changes(table, subjects, shown.state, shown.always)
        if len(changed) <= most:
            return Kept(np.union1d(found, changed), stop_s / windows, has_changes=True)
    return Kept(found, stop_s / windows)


def last_rows(table: Table, subjects: Codes) -> Rows:
    """The last row of each subject: without it a line ends before the run does."""
    import numpy as np

    last = np.full(max(len(subjects.found), 1), -1, np.int64)
    start = 0
    for part in table.parts(subjects.columns):
        subject = subjects.of(part)
        last[subject] = np.arange(start, start + len(subject))  # of several to one place the last one stays
        start += len(subject)
    return last[last >= 0]


def changes(table: Table, subjects: Codes, state: str, always: str) -> Rows:
    """The rows with another state than the row of their subject before, or with something that always counts."""
    import numpy as np

    before = np.full(max(len(subjects.found), 1), np.nan)  # a first row differs from what is not a number
    found = []
    start = 0
    for part in table.parts([*subjects.columns, state, always]):
        subject, value = subjects.of(part), part[state]
        order = np.argsort(subject, kind="stable")
        own, sorted_ = subject[order], value[order]
        is_first = np.append(True, own[1:] != own[:-1])
        last = np.where(is_first, before[own], np.append(np.nan, sorted_[:-1]))
        chosen = order[(sorted_ != last) | (part[always][order] > 0)]
        found.append(np.sort(chosen) + start)
        ends = np.append(own[1:] != own[:-1], True)
        before[own[ends]] = sorted_[ends]
        start += len(value)
    return np.concatenate(found)


def extremes(
    table: Table, subjects: Codes, drawn: Sequence[str], windows: int, stop_s: float, undefined: str = ""
) -> Rows:
    """The rows with the extremes of each subject and window; where nothing is drawn the first and last of them.

    Of those in which a column is undefined, too, the first and last.
    """
    import numpy as np

    size = max(len(subjects.found), 1) * windows
    looked = [*(drawn or [""]), *([UNDEFINED] if undefined else [])]
    best = [(name, sign, Best.of(size)) for name in looked for sign in (1.0, -1.0)]
    start = 0
    for part in table.parts(["t_s", *shown_columns(subjects, [*drawn, *filter(None, [undefined])])]):
        t_s = part["t_s"]
        window = np.clip((t_s / stop_s * windows - 1e-9).astype(np.int64), 0, windows - 1)
        key = subjects.of(part) * windows + window
        order = np.argsort(key, kind="stable")
        keys, first = np.unique(key[order], return_index=True)
        row = np.arange(start, start + len(t_s), dtype=np.float64)
        values = {"": row, **part}
        if undefined:
            values[UNDEFINED] = np.where(np.isnan(part[undefined]), row, np.nan)
        for name, sign, so_far in best:
            value = values[name]
            so_far.take(sign * value[order], order + start, keys, first)
        start += len(t_s)
    found = np.unique(np.concatenate([so_far.rows for _, _, so_far in best]))
    return found[found >= 0]


@dataclass(frozen=True)
class Best:
    """The lowest value of each subject and window so far, and in which row it stands."""

    values: Floats
    rows: Rows
    """-1 where there is none."""

    @classmethod
    def of(cls, size: int) -> Best:
        """Of none so far."""
        import numpy as np

        return cls(np.full(size, np.inf), np.full(size, -1, np.int64))

    def take(self, value: Floats, row: Rows, keys: Rows, first: Rows) -> None:
        """Look at more values, sorted by keys, each of which begins at `first`. Of equal ones the first row counts."""
        import numpy as np

        if not len(value):
            return
        known = np.where(np.isnan(value), np.inf, value)
        lowest = np.minimum.reduceat(known, first)
        group = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(value))))
        places = np.flatnonzero((known == lowest[group]) & (known < np.inf))
        there, which = np.unique(group[places], return_index=True)
        chosen, at = places[which], keys[there]
        better = known[chosen] < self.values[at]
        self.values[at[better]] = known[chosen[better]]
        self.rows[at[better]] = row[chosen[better]]


def shown_columns(subjects: Codes, drawn: Sequence[str]) -> list[str]:
    """The columns that are read."""
    return list(dict.fromkeys([*subjects.columns, *drawn]))


def read(table: Table, keep: Kept, columns: Sequence[str]) -> dict[str, Any]:
    """Some columns of a table with the rows that are kept: arrays of numbers, or `Texts`."""
    import numpy as np

    pieces: dict[str, list[Any]] = {name: [] for name in columns}
    dictionaries: dict[str, dict[str, int]] = {name: {} for name in columns}
    for part, chosen in _chosen(table, keep, columns):
        for name in columns:
            column = part[name]
            if isinstance(column, Texts):
                known = dictionaries[name]
                numbers = np.array([known.setdefault(word, len(known)) for word in column.words], np.int64)
                pieces[name].append(numbers[column.codes[chosen]] if len(numbers) else column.codes[chosen])
            else:
                pieces[name].append(column[chosen])
    found: dict[str, Any] = {}
    for name, of in pieces.items():
        whole: Any = np.concatenate(of) if of else np.zeros(0)
        found[name] = Texts(whole, list(dictionaries[name])) if dictionaries[name] else whole
    return found


def _chosen(table: Table, keep: Kept, columns: Sequence[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    import numpy as np

    start = 0
    for part in table.parts(columns):
        first = next(iter(part.values()))
        length = len(first.codes) if isinstance(first, Texts) else len(first)
        if keep.rows is None:
            yield part, slice(None)
        else:
            low, high = np.searchsorted(keep.rows, [start, start + length])
            yield part, keep.rows[low:high] - start
        start += length
