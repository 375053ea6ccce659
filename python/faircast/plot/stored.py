"""Recordings of what stands on disk: the folder of a run, or that of one of its seeds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from faircast.errors import InputError, nearest
from faircast.hosts.records import journals_in
from faircast.manifest import MANIFEST, read_manifest, sets_of
from faircast.plot.recording import Recording
from faircast.reading import Runs
from faircast.results import RunResult

if TYPE_CHECKING:
    import pyarrow as pa


def kind_of(folder: Path) -> str:
    """What a folder holds: ``run``, ``seed``, ``sweep``, ``reproduction``, ``session`` (on hosts).

    Raises `InputError` if it is no result.
    """
    if not folder.exists():
        there = sorted(path.name for path in folder.parent.iterdir()) if folder.parent.is_dir() else []
        raise InputError(f"there is no folder {folder}{nearest(folder.name, there)}")
    if not folder.is_dir():
        raise InputError(f"{folder} is a file; give the folder of a result, such as results/<name>-<hash>")
    if not (folder / MANIFEST).exists() and (folder / "flows.parquet").exists():  # of a run there is a summary alone
        return "seed"
    if not (folder / MANIFEST).exists() and journals_in(folder):  # nobody has made tables of it
        return "session"
    return str(read_manifest(folder)["kind"])


def recording_of(folder: Path) -> Recording:
    """The finished seeds of a run, or the one of a seed's folder.

    Raises `InputError` if there is none, or the folder holds something else.
    """
    kind = kind_of(folder)
    if kind == "seed":
        return of_seed(folder)
    if kind == "session":
        from faircast.hosts.result import HostResult
        from faircast.hosts.session import HostSession

        result = HostResult(HostSession.read(folder), without_gaps=True)
        return Recording(result.scenario, (result.seed,), lambda _, name: result.table(name), (), folder)
    if kind != "run":
        raise InputError(f"{folder} holds a {kind}, not the tables of a run")
    runs = Runs.read(folder)

    @cache
    def read(seed: int, name: str) -> pa.Table:
        return runs.of(seed).table(name)

    return Recording(runs.scenario, tuple(runs.seeds), read, tuple(runs.sets), folder)


def of_seed(folder: Path) -> Recording:
    """The recording of one seed, at home in the folder of the run where it lies in it."""
    result = RunResult.read(folder)
    above = folder.parent
    belongs = (above / MANIFEST).exists() and read_manifest(above).get("hash") == result.scenario.hash
    sets = tuple(sets_of(read_manifest(above))) if belongs else ()
    return Recording(
        result.scenario, (result.seed,), lambda _, name: result.table(name), sets, above if belongs else folder
    )
