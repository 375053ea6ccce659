"""The folder of a run: one folder per seed, the summary over seeds, a manifest.

::

    results/geo-3f0c9a12be77/
        manifest.json                 what, when, where, how long; the only file that differs between equal runs
        summary.parquet               mean and 95 % interval over the finished seeds
        seed-1/flows.parquet ...      one file per table
        seed-1/manifest.json          what the run took; length and SHA-256 of every file beside it
        seed-2-interrupted/...        what an interrupted run had, replaced when the folder is continued

Everything is written beside its place and then renamed, so that what stands there is whole; the renaming of a seed's
folder is the moment from which the seed is finished. One process at a time works on a folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faircast.errors import InputError
from faircast.manifest import FORMAT, INTERRUPTED, read_manifest
from faircast.parquet import origin_of, read_table, write_parts
from faircast.ranges import from_ranges, to_ranges
from faircast.results import Effort, RunResult, summary_of_table
from faircast.rows import Rows, parts
from faircast.scenario import Resolved
from faircast.spare import give_back
from faircast.storage import new_folder, remove, writing
from faircast.stored import conclude_seed, damage_of_seed
from faircast.summary import RunSummary, over_seeds
from faircast.version import faircast_version
from faircast.workplace import Workplace, check_build, check_place, default_path

SUMMARY = "summary.parquet"


class RunFolder:
    """Where the runs of one scenario go. Opening it checks, `locked` keeps others out, `work` is the first to write."""

    def __init__(self, path: Path, scenario: Resolved, sets: Sequence[str] = ()) -> None:
        self.path = path
        self.scenario = scenario
        self.sets = list(sets)
        """The assignments ``path=value`` that made the scenario of what was read; noted in the manifest."""
        self.damaged: dict[int, str] = {}
        """Seeds that `locked` found damaged and `work` removes, with the reason."""
        self._fresh: dict[int, RunSummary] = {}
        """Of seeds that have been written the summaries, which need not be read again."""
        self._place = Workplace(path, self._check)

    @classmethod
    def open(
        cls, out: str | Path | None, scenario: Resolved, *, label: str = "", sets: Sequence[str] = ()
    ) -> RunFolder:
        """The folder `out`, by default ``results/<name>[-<label>]-<hash>``; refused if it holds anything else."""
        path = Path(out) if out is not None else default_path(scenario.name, scenario.hash, label)
        return cls(path, scenario, sets)

    @contextmanager
    def locked(self) -> Iterator[list[int]]:
        """Make the folder, keep others out, and look at what it holds: the seeds that are there and sound."""
        with self._place.locked():
            found = {seed: self._damage(seed, path) for seed, path in self.finished().items()}
            self.damaged = {seed: reason for seed, reason in found.items() if reason is not None}
            yield [seed for seed, reason in found.items() if reason is None]

    @contextmanager
    def work(self, wanted: Iterable[int]) -> Iterator[None]:
        """Note in the manifest which seeds are wanted; the folder is `locked`.

        Seeds of which a file is missing or not as it was written are removed, as if they had never been: run again,
        they give the same bytes, because a run depends on its scenario and seed alone.
        """
        manifest = self._place.manifest
        manifest |= {"name": self.scenario.name, "hash": self.scenario.hash, "scenario": self.scenario.data}
        manifest["seeds"] = to_ranges([*from_ranges(manifest.get("seeds", [])), *wanted])
        with self._place.call(sets=self.sets) as note:
            if self.damaged:
                note["damaged"] = {str(seed): reason for seed, reason in self.damaged.items()}
            for seed in self.finished():
                stale = self._of(seed, interrupted=seed not in self.damaged)
                with writing(stale):
                    remove(stale)
            yield

    def finished(self) -> dict[int, Path]:
        """The folders of the seeds that are done."""
        return seed_folders(self.path)

    def summaries(self) -> dict[int, RunSummary]:
        """The summaries of all finished seeds. Raises `InputError` at a damaged file or one of another run."""
        found = {}
        for seed, path in self.finished().items():
            if seed in self._fresh:
                found[seed] = self._fresh[seed]
                continue
            file = path / SUMMARY
            table = read_table(file)
            if origin_of(table, file)[:2] != (self.scenario, seed):
                raise InputError(f"{file} belongs to another run; remove {path} and run again")
            found[seed] = summary_of_table(table)
        return found

    def write(self, result: RunResult) -> None:
        """Write the tables of one seed; may be called from several threads."""
        effort = result.effort
        assert effort is not None, "only fresh results are written"
        place = self._of(result.seed, interrupted=effort.interrupted)
        with writing(place):
            with new_folder(place) as fresh:
                result.write_tables(fresh, release=True)
                give_back()
                told = {"warnings": result.warnings.to_pylist()} if result.warnings.num_rows else {}
                conclude_seed(fresh, self.scenario.hash, result.seed, **effort_json(effort), **told)
            if not effort.interrupted:
                self._fresh[result.seed] = result.metrics()
                remove(self._of(result.seed, interrupted=True))

    def conclude(self) -> Rows:
        """Write the summary over all finished seeds and note in the manifest what they took; returns the summary."""
        summaries = self.summaries()
        rows = over_seeds(summaries)
        give_back()
        place = self.path / SUMMARY
        with writing(place):
            if rows:
                seeds = ",".join(map(str, summaries))
                with self._place.files.put(place.name) as file:
                    write_parts(parts(rows), file, self.scenario, seeds=seeds, version=faircast_version())
            else:
                self._place.files.drop(place.name)
        give_back()
        manifest = self._place.manifest
        manifest["runs"] = {str(seed): _took(path) for seed, path in self.finished().items()}
        partial = seed_folders(self.path, "-interrupted")
        manifest["interrupted"] = {str(seed): _took(path) for seed, path in partial.items()}
        if not set(from_ranges(manifest["seeds"])) <= set(summaries):
            manifest["status"] = INTERRUPTED
        return rows

    def _of(self, seed: int, *, interrupted: bool) -> Path:
        return self.path / f"seed-{seed}{'-interrupted' if interrupted else ''}"

    def _check(self) -> dict[str, Any]:
        manifest = check_place(self.path, "run", {"hash": self.scenario.hash})
        check_build(self.path, manifest)
        return manifest

    def _damage(self, seed: int, path: Path) -> str | None:
        """What is wrong with the folder of a finished seed; `InputError` if it is sound, but that of another run."""
        try:
            note = read_manifest(path)
        except InputError as error:
            return error.message
        if (note["kind"], note.get("hash"), note.get("seed")) != ("seed", self.scenario.hash, seed):
            raise InputError(f"{path} belongs to another run; remove it and run again")
        return damage_of_seed(path)


def seed_folders(path: Path, suffix: str = "") -> dict[int, Path]:
    """The folders of the finished seeds of a run, ordered; with the suffix ``-interrupted`` those of the others."""
    found = {}
    for folder in path.glob(f"seed-*{suffix}"):
        number = folder.name.removeprefix("seed-").removesuffix(suffix)
        if number.isascii() and number.isdecimal() and folder.is_dir():
            found[int(number)] = folder
    return dict(sorted(found.items()))


def effort_json(effort: Effort) -> dict[str, float | str]:
    """What a run took, for the manifest."""
    found: dict[str, float | str] = {
        "simulated_s": effort.simulated_s,
        "packet_hops": effort.packet_hops,
        "events": effort.events,
        "cpu_s": round(effort.cpu_s, 6),
    }
    if effort.trace is not None:
        found["trace"] = effort.trace
    return found


def _took(path: Path) -> dict[str, Any]:
    """What stands in the manifest of a seed about the run itself."""
    apart = ("kind", "hash", "seed", "files", FORMAT)
    return {key: value for key, value in read_manifest(path).items() if key not in apart}
