"""From a finished folder to what an archive holds of it: its files, and what is to be run to get them again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircast.errors import InputError
from faircast.folder import seed_folders
from faircast.ledger import Ledger
from faircast.manifest import FINISHED, FORMAT, MANIFEST, read_manifest, sets_of
from faircast.measurements import FILE, JOURNAL
from faircast.parquet import read_table
from faircast.ranges import from_ranges, to_ranges
from faircast.reading import Runs
from faircast.report import read_reports
from faircast.scenario import Resolved
from faircast.stored import damage_of_seed
from faircast.sweep_folder import TABLES, read_points
from faircast.sweeps import SweepResult

PICTURES = (".pdf", ".png", ".svg")
"""Files that come along and are not held against anything: other fonts draw other pictures of the same numbers."""


@dataclass(frozen=True)
class Finished:
    """A finished result folder."""

    folder: Path
    manifest: dict[str, Any]
    plan: dict[str, Any]
    """What is to be run, in plain values; scenarios are named by their hashes."""
    scenarios: dict[str, Resolved]
    """The scenarios of all runs, by hash."""
    numbers: list[str]
    """The files of numbers, by their names in the folder: each as the manifests have it."""

    @property
    def files(self) -> list[str]:
        """All files that an archive holds: those of numbers, the manifests and pictures."""
        found = {path.relative_to(self.folder).as_posix() for path in self._others()}
        return sorted({*self.numbers, *found})

    @property
    def left_out(self) -> list[str]:
        """Other files of the folder."""
        every = (path for path in self.folder.rglob("*") if path.is_symlink() or not path.is_dir())
        return sorted({path.relative_to(self.folder).as_posix() for path in every} - set(self.files))

    def _others(self) -> Iterator[Path]:
        beside = {(self.folder / name).parent for name in self.numbers}
        for path in self.folder.rglob("*"):
            if path.is_symlink() or not path.is_file():
                continue
            if (path.name == MANIFEST and path.parent in {self.folder, *beside}) or path.suffix in PICTURES:
                yield path


def finished(folder: Path) -> Finished:
    """What a folder holds. Raises `InputError` if that is no result, not finished, or damaged."""
    if not folder.is_dir():
        what = "is a file, not a result folder" if folder.exists() else "does not exist"
        raise InputError(f"{folder} {what}; faircast archive takes the folder of a run, a sweep or a reproduction")
    manifest = read_manifest(folder)
    kind = manifest["kind"]
    if kind not in KINDS:
        raise InputError(f"{folder} holds a {kind}; an archive is made of a run, a sweep or a reproduction")
    if FORMAT not in manifest:
        raise InputError(f"{folder} is of an earlier version, which noted too little for an archive; run it again")
    if manifest.get("status") != FINISHED or (folder / JOURNAL).exists():
        raise unfinished(folder, kind, str(manifest.get("status")))
    return KINDS[kind](folder, manifest)


def unfinished(folder: Path, kind: str, how: str) -> InputError:
    """The refusal to archive what is not finished."""
    again = {"run": f"faircast run {folder}", "sweep": f"faircast sweep {folder}"}.get(kind, "the command that made it")
    return InputError(f"{folder} is not finished ({how}); {again} completes it, and then it can be archived")


def _run(folder: Path, manifest: dict[str, Any]) -> Finished:
    runs = Runs.read(folder)
    seeds = seed_folders(folder)
    missing = set(from_ranges(manifest.get("seeds", []))) - set(seeds)
    if missing:
        raise unfinished(folder, "run", f"seed {min(missing)} is missing")
    numbers = list(Ledger(folder, manifest).names)
    for path in seeds.values():
        numbers += _of_seed(folder, path)
    for seed in seeds:
        runs.of(seed)  # refuses one of another run
    plan = {"scenario": runs.scenario.hash, "seeds": to_ranges(seeds)}
    return Finished(folder, manifest, plan, {runs.scenario.hash: runs.scenario}, numbers)


def _of_seed(folder: Path, path: Path) -> list[str]:
    """The files of numbers of a seed, which must be sound."""
    if wrong := damage_of_seed(path):
        raise InputError(wrong)
    return [(path / name).relative_to(folder).as_posix() for name in Ledger.of(path).names]


def _sweep(folder: Path, manifest: dict[str, Any]) -> Finished:
    result = SweepResult.read(folder)
    if result.missing:
        raise unfinished(folder, "sweep", f"{result.missing} runs are missing")
    files = Ledger(folder, manifest)
    files.demand(*files.names, again="sweep again")
    numbers = list(files.names)
    for path in sorted((folder / TABLES).glob("*/*")):
        if (path / MANIFEST).exists():
            numbers += _of_seed(folder, path)
    points = read_points(files)
    plan = {
        "hash": manifest["hash"],
        "varied": list(manifest["varied"]),
        "sets": sets_of(manifest),
        "points": [
            {"values": dict(point.values), "scenario": point.scenario.hash, "seeds": to_ranges(point.seeds)}
            for point in points
        ],
    }
    return Finished(folder, manifest, plan, {point.scenario.hash: point.scenario for point in points}, numbers)


def _reproduction(folder: Path, manifest: dict[str, Any]) -> Finished:
    done = read_reports(folder)
    files = Ledger(folder, manifest)
    plan = {
        "experiments": {report.id: len(report.seeds) for report in done.reports},
        "quick": bool(manifest.get("quick")),
        "only": manifest.get("only", {}),
        "brought": manifest.get("brought", {}),
        "runs": runs_in(folder / FILE),
    }
    planned = planned_anew(plan)
    scenarios = {scenario.hash: scenario for scenario in planned.campaign.scenarios.values()}
    if unknown := set(plan["runs"]) - set(scenarios):
        raise InputError(
            f"{folder} has {len(unknown)} scenarios that the experiments of this faircast do not have; archive it with "
            f"the faircast that made it, {manifest.get('version')}"
        )
    return Finished(folder, manifest, plan, {digest: scenarios[digest] for digest in plan["runs"]}, list(files.names))


def runs_in(path: Path) -> dict[str, list[list[int]]]:
    """The runs of a file of measurements: by scenario hash the seeds as ranges."""
    table = read_table(path).select(["scenario", "seed"])
    seeds: dict[str, set[int]] = {}
    pairs = table.group_by(["scenario", "seed"]).aggregate([])
    for digest, seed in zip(pairs.column("scenario").to_pylist(), pairs.column("seed").to_pylist(), strict=True):
        seeds.setdefault(digest, set()).add(seed)
    return {digest: to_ranges(found) for digest, found in sorted(seeds.items())}


def planned_anew(plan: dict[str, Any]) -> Any:
    """The runs of a reproduction as the experiments of this faircast plan them.

    Raises `InputError` if one of them is unknown here, or cannot be narrowed so.
    """
    from faircast.experiments import select
    from faircast.narrowing import narrow
    from faircast.reproduction import planned

    experiments = select(list(plan["experiments"]))
    if plan["only"]:
        experiments = [narrow(experiment, plan["only"], plan.get("brought")) for experiment in experiments]
    return planned(experiments, plan["quick"], plan["experiments"])


KINDS: dict[str, Callable[[Path, dict[str, Any]], Finished]] = {
    "run": _run,
    "sweep": _sweep,
    "reproduction": _reproduction,
}
"""What is archived, with what makes it ready for that."""
