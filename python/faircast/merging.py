"""The parts of a sweep put together: the folder that one sweep of all points would have made, file by file."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from faircast.design import from_json
from faircast.errors import InputError
from faircast.ledger import Ledger
from faircast.manifest import INTERRUPTED, read_manifest, sets_of
from faircast.ranges import to_ranges
from faircast.shard import Shard, digest_of
from faircast.storage import new_folder, writing
from faircast.stored import damage_of_seed
from faircast.sweep_folder import KIND, TABLES, SweepMeasurements, SweepPoint, read_points, write_points
from faircast.sweeps import FAILED_RUNS, FailedPoint, SweepResult
from faircast.workplace import Workplace, check_place

SAME = ("version", "build", "name", "hash", "varied", "design")
"""Entries of the manifests in which all parts agree; not every sweep has the last."""


class Part(NamedTuple):
    """The folder of a shard."""

    folder: Path
    manifest: dict[str, Any]
    shard: Shard
    points: list[SweepPoint]
    store: SweepMeasurements

    @property
    def missing(self) -> int:
        """Runs that are neither finished nor given up."""
        failed = len(self.manifest.get(FAILED_RUNS, []))
        return sum(len(point.seeds) for point in self.points) - len(self.store.finished()) - failed


def merge(*folders: str | Path, out: str | Path) -> SweepResult:
    """Put the shards of a sweep together in a new folder.

    Its files are those that a sweep without shards would have written, byte for byte; the manifest is its own. The
    folders of the shards stay as they are.

    Raises
    ------
    InputError
        The folders are not the shards of one sweep by one build, or some are missing or unfinished; they are named as
        array jobs are, such as ``3,7-9``. Nothing has been written.
    """
    parts = [part_of(Path(folder)) for folder in folders]
    if not parts:
        raise InputError("no folder is given; legal are those of all shards of a sweep")
    parts.sort(key=lambda part: part.shard.number)
    check(parts)
    points = woven(parts)
    first, path = parts[0], Path(out)

    def check_free() -> dict[str, Any]:
        manifest = check_place(path, KIND, {})
        if manifest.get("calls"):
            raise InputError(f"{path} holds a sweep already; choose another folder with --out")
        return manifest

    place = Workplace(path, check_free)
    with place.locked():
        place.manifest |= {entry: first.manifest[entry] for entry in SAME if entry in first.manifest}
        with place.call(sets=sets_of(first.manifest), shards=[str(part.folder) for part in parts]) as note:
            write_points(place.files, points)
            store = SweepMeasurements.of(place.files, points)
            for part in parts:
                store.take_over(part.store)
                for seed in sorted((part.folder / TABLES).glob("*/seed-*")):
                    copy(seed, path / seed.relative_to(part.folder))
            store.write()
            failed = [item for part in parts for item in part.manifest.get(FAILED_RUNS, [])]
            if failed:
                place.manifest |= {FAILED_RUNS: failed, "status": INTERRUPTED}
            note |= {"points": len(points), "computed": 0, "found": len(store.finished())}
    return SweepResult(
        path,
        store,
        name=str(first.manifest["name"]),
        design=from_json(first.manifest["design"]) if "design" in first.manifest else None,
        sets=sets_of(first.manifest),
        interrupted=False,
        found=len(store.finished()),
        failed=[FailedPoint(**item) for item in failed],
    )


def part_of(folder: Path) -> Part:
    """A shard that is read. Raises `InputError` if the folder is none."""
    manifest = read_manifest(folder)
    if manifest["kind"] != KIND:
        raise InputError(f"{folder} holds a {manifest['kind']}, not a shard of a sweep")
    shard = Shard.read(manifest)
    if shard is None:
        raise InputError(f"{folder} holds a sweep without --shard; only shards are merged")
    files = Ledger(folder, manifest)
    points = read_points(files)
    return Part(folder, manifest, shard, points, SweepMeasurements.of(files, points))


def check(parts: Sequence[Part]) -> None:
    """Raise `InputError` unless these are all the shards of one sweep, finished."""
    first = parts[0]
    for before, part in pairwise(parts):
        for entry in SAME:
            if part.manifest.get(entry) != first.manifest.get(entry):
                raise InputError(
                    f"{first.folder} and {part.folder} cannot be merged: {entry} is {first.manifest.get(entry)} there "
                    f"and {part.manifest.get(entry)} here"
                )
        if part.shard == before.shard:
            raise InputError(f"{before.folder} and {part.folder} both are shard {part.shard}; leave out one of them")
        if not part.shard.is_beside(first.shard):
            raise InputError(
                f"{first.folder} and {part.folder} are shards of two plans, {first.shard} of {first.shard.points} "
                f"points and {part.shard} of {part.shard.points} points"
            )
    missing = sorted(set(range(1, first.shard.of + 1)) - {part.shard.number for part in parts})
    unfinished = [part.shard.number for part in parts if part.missing > 0]
    if missing or unfinished:
        said = [
            f"{'shard' if len(numbers) == 1 else 'shards'} {listed(numbers)} of {first.shard.of} {what}"
            for numbers, what in ((missing, "missing"), (unfinished, "unfinished"))
            if numbers
        ]
        raise InputError(
            f"{' and '.join(said)}; compute them first, as an array job with --array={listed([*missing, *unfinished])}"
        )
    for part in parts:
        for point in part.points:
            if point.seeds != first.points[0].seeds:
                one, other = (listed(seeds) for seeds in (first.points[0].seeds, point.seeds))
                raise InputError(f"{first.folder} has the seeds {one}, {part.folder} has {other} for {point}")


def woven(parts: Sequence[Part]) -> list[SweepPoint]:
    """All points in the order of the whole. Raises `InputError` if they are not those that were planned."""
    shard = parts[0].shard
    points: list[SweepPoint | None] = [None] * shard.points
    for part in parts:
        places = range(part.shard.number - 1, shard.points, shard.of)
        if len(places) != len(part.points):
            raise InputError(f"{part.folder} holds other points than those of shard {part.shard}")
        for place, point in zip(places, part.points, strict=True):
            points[place] = point
    found = [point for point in points if point is not None]
    if digest_of(found) != shard.plan:
        raise InputError(f"{parts[0].folder} and the others do not hold the points that were planned")
    return found


def copy(seed: Path, target: Path) -> None:
    """Copy the tables of a run. Raises `InputError` if they are not as they were written."""
    if wrong := damage_of_seed(seed):
        raise InputError(f"{wrong}; compute the shard again")
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with new_folder(target) as fresh:
            shutil.copytree(seed, fresh, dirs_exist_ok=True)


def listed(numbers: Iterable[int]) -> str:
    """Numbers as array jobs have them: ``3,7-9``."""
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in to_ranges(numbers))
