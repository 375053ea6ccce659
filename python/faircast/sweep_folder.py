"""What the folder of a sweep holds: its points, the measurements of their runs, warnings, tables on request.

::

    results/geo-sweep-91c0.../
        manifest.json
        points.parquet             a row for each point: what is varied, hash, wanted seeds, the whole scenario
        measurements.parquet       a row for each point, seed, subject and metric, with what is varied as columns
        warnings.parquet           the warnings of all runs, with the same columns
        measurements.journal       both while runs are computed, each from the moment it is finished
        tables/POINT/seed-1/flows.parquet     only the tables that were asked for
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from faircast.arrow import to_arrow
from faircast.campaign import PlannedRun
from faircast.engine.taken import Taken, Wanted
from faircast.errors import InputError, ResultWarning
from faircast.ledger import Ledger
from faircast.measurements import AGAIN, Key, Measurements, repeated, with_labels
from faircast.parquet import read_table, write_table
from faircast.ranges import from_ranges, to_ranges
from faircast.scenario import Resolved
from faircast.storage import new_folder, writing
from faircast.stored import conclude_seed, damage_of_seed
from faircast.summary import RunSummary
from faircast.vary import Values, as_text, known_by
from faircast.version import faircast_version
from faircast.warning import COLUMNS, Found

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

KIND = "sweep"
POINTS = "points.parquet"
WARNINGS = "warnings.parquet"
TABLES = "tables"


@dataclass(frozen=True, eq=False)
class SweepPoint:
    """One point of a sweep: a value for each varied path, and the scenario that they make."""

    values: Mapping[str, Any]
    """The value of each varied path."""
    scenario: Resolved
    seeds: tuple[int, ...]
    """The seeds that were asked for, finished or not."""

    @property
    def tables(self) -> str:
        """The name of its folder among the tables: its values, ordered by their paths, and the hash of its scenario."""
        text = "-".join(as_text(value) for _, value in sorted(self.values.items()))
        safe = "".join(letter if letter.isalnum() or letter in "_." else "-" for letter in text).strip(".-")
        short = safe.encode()[:80].decode(errors="ignore")  # file systems count bytes
        return f"{short}-{self.scenario.hash}" if safe else self.scenario.hash

    def __repr__(self) -> str:
        listed = ", ".join(f"{path} = {as_text(value)}" for path, value in self.values.items())
        return f"<point {listed}; {len(self.seeds)} seeds>"


def write_points(files: Ledger, points: Sequence[SweepPoint]) -> None:
    """Write down which points the folder is about."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {path: pa.array(column) for path, column in columns_of(points).items()}
        | {
            "hash": [point.scenario.hash for point in points],
            "values": [json.dumps(dict(point.values), ensure_ascii=False) for point in points],
            "seeds": [json.dumps(to_ranges(point.seeds)) for point in points],
            "json": [point.scenario.json for point in points],
        }
    )
    with writing(files.folder / POINTS), files.put(POINTS) as file:
        pq.write_table(table, file, compression="zstd")


def read_points(files: Ledger) -> list[SweepPoint]:
    """The points of a folder, none if it has none yet. Raises `InputError` if the file is damaged."""
    path = files.folder / POINTS
    files.demand(POINTS, again=f"what was swept stands there alone: remove {files.folder} and sweep again")
    if not path.exists():
        return []
    table = read_table(path)
    try:
        rows = zip(*(table.column(name).to_pylist() for name in ("values", "seeds", "json", "hash")), strict=True)
        found = [
            (SweepPoint(json.loads(values), Resolved(text), tuple(from_ranges(json.loads(seeds)))), digest)
            for values, seeds, text, digest in rows
        ]
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{path} is a Parquet file, but not one of the points of a sweep") from None
    for point, digest in found:
        if point.scenario.hash != digest:
            raise InputError(f"{path}: a scenario in it does not have the hash that stands beside it")
    return [point for point, _ in found]


def joined(
    own: Sequence[SweepPoint],
    held: Sequence[SweepPoint],
    folder: Path,
    make: Callable[[Values], Resolved] | None = None,
) -> list[SweepPoint]:
    """The points of a call, then those that its folder holds besides; each with all seeds ever asked for.

    Raises `InputError` if the folder holds another scenario for a point. Points that the call does not ask for are held
    against the scenario that `make` gives for them now; one that it refuses, as its file is gone, may stay.
    """
    before = {known_by(point.values): point for point in held}
    found = []
    for point in own:
        other = before.pop(known_by(point.values), None)
        if other is not None and other.scenario != point.scenario:
            raise changed(folder, point, other.scenario, point.scenario)
        seeds = {*point.seeds, *(() if other is None else other.seeds)}
        found.append(SweepPoint(point.values, point.scenario, tuple(sorted(seeds))))
    for point in before.values():
        with suppress(InputError):
            now = point.scenario if make is None else make(point.values)
            if now != point.scenario:
                break
        values = {path: point.values[path] for path in own[0].values}  # the paths in the order of this call
        found.append(SweepPoint(values, point.scenario, point.seeds))
    else:
        return found
    raise changed(folder, point, point.scenario, now)


def changed(folder: Path, point: SweepPoint, before: Resolved, now: Resolved) -> InputError:
    """The refusal to mix results of a scenario as it was and as it is."""
    listed = ", ".join(f"{path} = {as_text(value)}" for path, value in point.values.items())
    was, is_now = origins(before), origins(now)
    cause = "a file that the scenario reads has changed"
    if was != is_now:
        guests = [f"{name} was {was.get(name, 'none')} and is {is_now.get(name, 'none')}" for name in was | is_now]
        cause = f"a scheme that is a guest has changed, {', '.join(guests)}"
    return InputError(
        f"{folder} holds another scenario for the point {listed}: {cause}; remove the folder or choose another one "
        "with --out"
    )


def origins(scenario: Resolved) -> dict[str, str]:
    """Where what is a guest comes from, by the entry of the scenario that has it."""
    entries = {
        f"{table}.{name}": entry
        for table in ("flows", "sessions", "links", "nodes")
        for name, entry in scenario.data.get(table, {}).items()
    }
    return {name: entry["origin"] for name, entry in entries.items() if "origin" in entry}


def columns_of(points: Sequence[SweepPoint]) -> dict[str, list[str] | NDArray[Any]]:
    """By varied path a column: numbers or booleans where all values are, otherwise texts."""
    paths = list(points[0].values) if points else []
    return {path: typed([point.values[path] for point in points]) for path in paths}


def typed(values: Sequence[Any]) -> list[str] | NDArray[Any]:
    """Values as a column of one type: booleans, whole numbers, numbers, or else texts."""
    import numpy as np

    if all(type(value) is bool for value in values):
        return np.array(values, np.bool_)
    if all(type(value) is int and abs(value) < 2**63 for value in values):
        return np.array(values, np.int64)
    if all(type(value) is float or (type(value) is int and abs(value) < 2**53) for value in values):
        return np.array(values, np.float64)
    return [as_text(value) for value in values]


class SweepMeasurements(Measurements):
    """The measurements of a sweep, with what is varied as columns, and the warnings of its runs.

    Two points of one scenario share their runs and have rows of their own in the files.
    """

    LABELS: ClassVar[tuple[str, ...]] = ("hash", "hash", "point")
    BESIDE: ClassVar[tuple[str, ...]] = (WARNINGS,)

    def __init__(self, folder: Path, files: Ledger | None = None) -> None:
        super().__init__(folder, files)
        self.points: list[SweepPoint] = []
        self.warnings: dict[Key, list[Found]] = {}

    @classmethod
    def of(cls, files: Ledger, points: Sequence[SweepPoint]) -> SweepMeasurements:
        """The measurements of a folder, written for these points from now on."""
        found = cls(files.folder, files)
        found._read_warnings()  # before the journal, which knows better
        found.load()
        found.points = list(points)
        return found

    def record(self, key: Key, name: str, summary: RunSummary, kept: dict[str, Any]) -> None:
        """Write a finished run to the journal; what is kept of it are its warnings."""
        super().record(key, name, summary, kept)
        self.warnings[key] = [tuple(item) for item in kept["warnings"]]

    def take_over(self, other: Measurements) -> None:
        """Take note of all runs of another folder, and of their warnings."""
        super().take_over(other)
        if isinstance(other, SweepMeasurements):
            self.warnings |= other.warnings

    def write(self) -> None:
        """Write both Parquet files: equal measurements of equal points give equal files."""
        super().write()
        import pyarrow.parquet as pq

        place = self._folder / WARNINGS
        with writing(place):
            table = self.warnings_to_arrow()
            if table.num_rows:
                with self.files.put(WARNINGS) as file:
                    pq.write_table(table, file, compression="zstd")
            else:
                self.files.drop(WARNINGS)

    def finished(self) -> list[tuple[int, int]]:
        """Place of the point and seed of each finished run, in order."""
        return [
            (place, seed)
            for place, point in enumerate(self.points)
            for seed in point.seeds
            if (point.scenario.hash, seed) in self
        ]

    def to_arrow(self) -> pa.Table:
        """All as a table: point, one column per varied path, hash, seed, subject, metric, unit, value, optimum."""
        rows = self.finished()
        return with_labels(self._labels(rows), [self[self._key(*row)] for row in rows])

    def warnings_to_arrow(self) -> pa.Table:
        """The warnings: point, one column per varied path, hash, seed, kind, subject, value, message."""
        import numpy as np
        import pyarrow as pa

        rows = self.finished()
        found = [self.warnings.get(self._key(*row), []) for row in rows]
        lengths = np.array([len(listed) for listed in found], np.int64)
        flat = [item for listed in found for item in listed]
        kinds = (pa.string(), pa.string(), pa.float64(), pa.string())
        return pa.table(
            {name: repeated(values, lengths) for name, values in self._labels(rows).items()}
            | {name: pa.array([item[i] for item in flat], kinds[i]) for i, name in enumerate(COLUMNS)}
        )

    def _key(self, place: int, seed: int) -> Key:
        return self.points[place].scenario.hash, seed

    def _labels(self, rows: Sequence[tuple[int, int]]) -> dict[str, list[str] | NDArray[Any]]:
        import numpy as np

        places = [place for place, _ in rows]
        varied = columns_of(self.points).items()
        return {
            "point": np.array(places, np.int64),
            **{path: [c[i] for i in places] if isinstance(c, list) else c[places] for path, c in varied},
            "hash": [self.points[place].scenario.hash for place in places],
            "seed": np.array([seed for _, seed in rows], np.int64),
        }

    def _replay(self, record: dict[str, Any]) -> None:
        super()._replay(record)
        key = (record.get("scenario"), record.get("seed"))
        if key in self.kept:
            self.warnings[key] = [tuple(item) for item in record["kept"]["warnings"]]

    def _read_warnings(self) -> None:
        path = self._folder / WARNINGS
        if not self.files.holds(WARNINGS, AGAIN):
            return
        table = read_table(path)
        try:
            places = table.column("point").to_pylist()
            keys = zip(*(table.column(name).to_pylist() for name in ("hash", "seed")), strict=True)
            rows = zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True)
        except KeyError:
            raise InputError(f"{path} is a Parquet file, but not one of the warnings of a sweep; remove it") from None
        owner: dict[Key, int] = {}
        for place, key, row in zip(places, keys, rows, strict=True):
            if owner.setdefault(key, place) == place:  # other points of this scenario have the same
                self.warnings.setdefault(key, []).append(row)


@dataclass(eq=False)
class SweepRun(PlannedRun):
    """A run of a sweep; of its tables those are written that were asked for, and its warnings are kept."""

    wanted: dict[Path, tuple[str, ...]]
    """By folder the tables that are to be there."""

    @classmethod
    def make(cls, digest: str, seed: int, job: Any) -> SweepRun:
        """One of which no tables are wanted yet."""
        return cls(digest, seed, job, {})

    def asked(self) -> Wanted:
        """The wanted tables, and those that their folders have besides."""
        names = {name for place, names in self.wanted.items() for name in (*names, *written(place))}
        return Wanted(tuple(sorted(names)))

    def keep(self, taken: Taken) -> dict[str, Any]:
        """Write the wanted tables, with what the folder has besides."""
        for place, names in self.wanted.items():
            with writing(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                scenario, version = Resolved(self.job.scenario), faircast_version()
                with new_folder(place) as fresh:
                    for name in sorted({*names, *written(place)} & set(taken.columns)):
                        table = to_arrow(taken.columns[name])
                        with (fresh / f"{name}.parquet").open("wb") as file:
                            write_table(table, file, scenario, seeds=str(self.seed), version=version)
                    conclude_seed(fresh, scenario.hash, self.seed)
        return {"warnings": [list(item) for item in taken.warnings]}

    def recall(self, noted: dict[str, Any]) -> bool:  # noqa: ARG002 - what is kept stands in files
        """Whether the wanted tables are there, as they were written; what is damaged is reported."""
        whole = True
        for place, names in self.wanted.items():
            if not all((place / f"{name}.parquet").exists() for name in names):
                whole = False
            elif wrong := damage_of_seed(place):
                warnings.warn(f"{wrong}; the run is computed again", ResultWarning, stacklevel=2)
                whole = False
        return whole


def written(place: Path) -> set[str]:
    """The tables that the folder of a run has."""
    return {path.stem for path in place.glob("*.parquet")}
