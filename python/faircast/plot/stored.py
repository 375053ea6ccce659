"""Recordings of what stands on disk: the folder of a run, or that of one of its seeds."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, nearest
from faircast.folder import seed_folders
from faircast.manifest import MANIFEST, read_manifest, sets_of
from faircast.plot.recording import Recording
from faircast.results import origin_of, read_table
from faircast.scenario import Resolved

if TYPE_CHECKING:
    import pyarrow as pa


def kind_of(folder: Path) -> str:
    """What a folder holds: ``run``, ``seed``, ``sweep``, ``reproduction``. Raises `InputError` if it is no result."""
    if not folder.exists():
        there = sorted(path.name for path in folder.parent.iterdir()) if folder.parent.is_dir() else []
        raise InputError(f"there is no folder {folder}{nearest(folder.name, there)}")
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; give the folder of a result, such as results/<name>-<hash>")
    if not (folder / MANIFEST).exists() and any(folder.glob("*.parquet")):
        return "seed"
    return str(read_manifest(folder)["kind"])


def recording_of(folder: Path) -> Recording:
    """The finished seeds of a run, or the one of a seed's folder.

    Raises `InputError` if there is none, or the folder holds something else.
    """
    kind = kind_of(folder)
    if kind == "seed":
        return of_seed(folder)
    if kind != "run":
        raise InputError(f"{folder} holds a {kind}, not the tables of a run")
    manifest = read_manifest(folder)
    if "scenario" not in manifest:
        raise InputError(f"{folder / MANIFEST} is damaged: it lacks the scenario")
    seeds = seed_folders(folder)
    if not seeds:
        partly = seed_folders(folder, "-interrupted")
        also = f", or draw what there is of one: {next(iter(partly.values()))}" if partly else ""
        raise InputError(f"{folder} holds no finished seed; faircast run {folder} finishes what is missing{also}")

    @cache
    def read(seed: int, name: str) -> pa.Table:
        return table_of(seeds[seed], name)

    return Recording(scenario_of(manifest["scenario"]), tuple(seeds), read, tuple(sets_of(manifest)), folder)


def of_seed(folder: Path) -> Recording:
    """The recording of one seed."""
    paths = sorted(folder.glob("*.parquet"))
    if not paths:
        raise InputError(f"{folder} holds no Parquet tables of a run")
    origin = origin_of(read_table(paths[0]), paths[0])

    @cache
    def read(_: int, name: str) -> pa.Table:
        return table_of(folder, name)

    above = folder.parent
    belongs = (above / MANIFEST).exists() and read_manifest(above).get("hash") == origin.scenario.hash
    sets = tuple(sets_of(read_manifest(above))) if belongs else ()
    return Recording(origin.scenario, (origin.seed,), read, sets, above if belongs else folder)


def table_of(folder: Path, name: str) -> pa.Table:
    """One table of a seed."""
    return read_table(folder / f"{name}.parquet")


def scenario_of(data: dict[str, Any]) -> Resolved:
    """A scenario as a manifest has it. It is not checked again: it may be one of another version."""
    return Resolved(json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False))
