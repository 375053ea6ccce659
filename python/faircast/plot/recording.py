"""What pictures are drawn from: the tables of one or more seeds of a scenario, as numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, choose
from faircast.quantity import seconds
from faircast.scenario import Resolved

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

ENDS = 1e-9
"""What a moment may lie beside the end of an interval, seconds."""


@dataclass(frozen=True)
class Recording:
    """The tables of the seeds of one scenario, each read when it is needed."""

    scenario: Resolved
    seeds: tuple[int, ...]
    read: Callable[[int, str], pa.Table]
    """A table of a seed by name; called with what `seeds` has."""
    sets: tuple[str, ...] = ()
    """What was set on the command line, for the title."""
    folder: Path | None = None
    """Where it was read from; None for a result in memory."""

    def of(self, seed: int | None) -> Recording:
        """The recording of one seed only, of all for None. Raises `InputError` if there is no such seed."""
        if seed is None:
            return self
        if seed not in self.seeds:
            there = f"{self.seeds[0]} to {self.seeds[-1]}" if len(self.seeds) > 8 else ", ".join(map(str, self.seeds))
            raise InputError(f"there is no seed {seed}; there {'is' if len(self.seeds) == 1 else 'are'} {there}")
        return Recording(self.scenario, (seed,), self.read, self.sets, self.folder)

    def holds(self, name: str) -> bool:
        """Whether there is a table of this name: a sweep writes those only that it was asked for."""
        try:
            self.read(self.seeds[0], name)
        except KeyError:
            return False
        return True

    def time(self, key: str) -> float:
        """A time of the scenario in seconds: ``duration``, ``warmup``, ``probes.interval``."""
        found: Any = self.scenario.data
        for part in key.split("."):
            found = found[part]
        return seconds(found, key)

    def again(self, assignment: str) -> str:
        """The command that runs this once more with something set."""
        source = str(self.folder) if self.folder is not None else "FILE"
        quoted = f"'{source}'" if " " in source else source
        return f"faircast run {quoted} --set '{assignment}'"


@dataclass(frozen=True)
class Cut:
    """Which part of a recording is drawn."""

    start_s: float
    stop_s: float
    flows: tuple[str, ...] = ()
    """Names of flows, groups of flows, sessions or receivers; empty for all."""
    links: tuple[str, ...] = ()
    """Names of links; empty for those that the picture chooses."""
    every_s: float | None = None
    """Means are taken over so long; None for what suits the width."""

    @classmethod
    def of(
        cls,
        recording: Recording,
        *,
        start: str | float | None = None,
        stop: str | float | None = None,
        every: str | float | None = None,
        flows: Iterable[str] = (),
        links: Iterable[str] = (),
    ) -> Cut:
        """What somebody wants of a recording. Raises `InputError` for times beyond the run, or the wrong way round."""
        duration = recording.time("duration")
        begin = 0.0 if start is None else seconds(start, "--from")
        end = duration if stop is None else seconds(stop, "--to")
        for name, at in (("--from", begin), ("--to", end)):
            if at > duration + ENDS:
                raise InputError(f"{name} is {at:g} s, beyond the end of the run at {duration:g} s")
        if begin >= end:
            raise InputError(f"--from is {begin:g} s, not before --to, {end:g} s")
        step = None if every is None else seconds(every, "--every")
        if step is not None and not 0 < step <= end - begin:
            raise InputError(f"--every is {step:g} s; legal is more than 0 s and at most the {end - begin:g} s shown")
        return cls(begin, end, tuple(flows), tuple(links), step)


@dataclass(frozen=True)
class Series:
    """A column over time for each seed: means over equal bins, with the extremes in them."""

    t_s: Column
    """The middle of each bin, or the moment where there is one value for each."""
    mean: Column
    """Seeds by bins; NaN where there is none."""
    low: Column
    high: Column
    bin_s: float
    """How long a bin is, 0 if values were not put together."""

    @property
    def is_defined(self) -> bool:
        """Whether there is any value."""
        import numpy as np

        return not bool(np.isnan(self.mean).all())

    def highest(self) -> float:
        """The highest value, 0 if there is none."""
        import numpy as np

        return float(np.nanmax(self.high)) if self.is_defined else 0.0

    def over_seeds(self) -> Column:
        """The mean over seeds."""
        import numpy as np

        return nan_of(np.nanmean, list(self.mean))

    def where(self, other: Series) -> Series:
        """The series where another one of the grid is defined, NaN elsewhere."""
        import numpy as np

        gone = np.isnan(other.mean)
        mean, low, high = (np.where(gone, np.nan, values) for values in (self.mean, self.low, self.high))
        return Series(self.t_s, mean, low, high, self.bin_s)

    @classmethod
    def added(cls, several: Sequence[Series]) -> Series:
        """The sum of several series of one grid."""
        mean, low, high = (sum(getattr(series, name) for series in several) for name in ("mean", "low", "high"))
        return cls(several[0].t_s, mean, low, high, several[0].bin_s)

    @classmethod
    def averaged(cls, several: Sequence[Series]) -> Series:
        """The mean of several series of one grid, their lowest and their highest."""
        import numpy as np

        mean = nan_of(np.nanmean, [series.mean for series in several])
        low = nan_of(np.nanmin, [series.mean for series in several])
        high = nan_of(np.nanmax, [series.mean for series in several])
        return cls(several[0].t_s, mean, low, high, several[0].bin_s)


@dataclass
class Grid:
    """The moments of a table, and how they are put together."""

    cut: Cut
    step_s: float
    """Between two rows of one subject."""
    points: int
    """As many as can be told apart."""
    is_mean: bool
    """Whether values stand for the interval that ends at their moment, and not for the moment."""
    bin_s: float = field(init=False)

    def __post_init__(self) -> None:
        span = self.cut.stop_s - self.cut.start_s
        wanted = span / self.points if self.cut.every_s is None else self.cut.every_s
        self.bin_s = self.step_s * (
            round_up(wanted / self.step_s) if self.cut.every_s is None else max(1, round(wanted / self.step_s))
        )

    @property
    def puts_together(self) -> bool:
        """Whether a bin has more than one row."""
        return self.bin_s > self.step_s * 1.5

    def series(self, t_s: Sequence[Column], values: Sequence[Column]) -> Series:
        """A column of one subject: moments and values of each seed."""
        import numpy as np

        start, stop = self.cut.start_s, self.cut.stop_s
        bins = max(1, int(np.ceil((stop - start) / self.bin_s - ENDS)))
        shape = (len(values), bins)
        total, number = np.zeros(shape), np.zeros(shape)
        low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
        for row, (t, value) in enumerate(zip(t_s, values, strict=True)):
            # A row stands for the interval that ends at its moment, thus the bin is the one that ends there or later.
            there = (t > start + ENDS) & (t <= stop + ENDS) & ~np.isnan(value)
            place = np.ceil((t[there] - start) / self.bin_s - ENDS).astype(int) - 1
            np.add.at(total[row], place, value[there])
            np.add.at(number[row], place, 1)
            np.minimum.at(low[row], place, value[there])
            np.maximum.at(high[row], place, value[there])
        empty = number == 0
        mean = np.divide(total, number, out=np.full(shape, np.nan), where=~empty)
        low[empty], high[empty] = np.nan, np.nan
        ends = start + self.bin_s * np.arange(1, bins + 1)
        middle = ends if not self.is_mean and not self.puts_together else ends - self.bin_s / 2
        return Series(np.minimum(middle, stop), mean, low, high, self.bin_s if self.puts_together else 0.0)


@dataclass(frozen=True)
class Texts:
    """A column of texts: numbers of its distinct words."""

    codes: NDArray[np.int32]
    words: list[str]

    def __eq__(self, word: object) -> Any:
        """Where the word stands."""
        return self.codes == (self.words.index(word) if word in self.words else -1)

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, row: int) -> str:
        return self.words[int(self.codes[row])]


def columns(recording: Recording, name: str, wanted: Sequence[str]) -> list[dict[str, Any]]:
    """Columns of a table, seed by seed: numbers as arrays of floats, texts as `Texts`; without those it has not."""
    found = []
    for seed in recording.seeds:
        table = recording.read(seed, name)
        found.append({key: array_of(table, key) for key in wanted if key in table.column_names})
    return found


def array_of(table: pa.Table, name: str) -> Any:
    """One column, as `columns` has it."""
    import pyarrow as pa

    column = table.column(name)
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64()).to_numpy()
    texts = column.cast(pa.string()).combine_chunks().dictionary_encode()
    return Texts(texts.indices.to_numpy(zero_copy_only=False), texts.dictionary.to_pylist())


def by_subject(
    recording: Recording, name: str, subject: str, value: str, grid: Grid, subjects: Sequence[str]
) -> dict[str, Series]:
    """A column of a table by subject, those asked for; a subject without rows has only NaN."""
    tables = columns(recording, name, ("t_s", subject, value))
    found = {}
    for one in subjects:
        chosen = [table[subject] == one for table in tables]
        t_s = [table["t_s"][rows] for table, rows in zip(tables, chosen, strict=True)]
        found[one] = grid.series(t_s, [table[value][rows] for table, rows in zip(tables, chosen, strict=True)])
    return found


def has(recording: Recording, name: str, column: str | None = None) -> bool:
    """Whether a table has rows in any seed, and a column in which something is defined."""
    import numpy as np

    for seed in recording.seeds if recording.holds(name) else ():
        table = recording.read(seed, name)
        if not table.num_rows or (column is not None and column not in table.column_names):
            continue
        if column is None or not np.isnan(array_of(table, column)).all():
            return True
    return False


def nan_of(of: Callable[..., Any], several: Sequence[Column]) -> Column:
    """`numpy.nanmean` and the like over several arrays, without a warning where all are NaN."""
    import warnings

    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        result: Column = of(np.stack(several), axis=0)
    return result


def round_up(number: float) -> int:
    """The next of 1, 2, 5, 10, 20, 50 and so on."""
    power = 1
    while True:
        for digit in (1, 2, 5):
            if number <= digit * power * (1 + ENDS):
                return digit * power
        power *= 10


def check_names(kind: str, wanted: Iterable[str], legal: Sequence[str]) -> None:
    """Raise an `InputError` for the first name that is not legal."""
    for name in wanted:
        choose(kind, name, legal)
