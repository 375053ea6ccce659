"""The folder of a run: one folder per seed, the summary over seeds, a manifest.

::

    results/geo-3f0c9a12be77/
        manifest.json                 what, when, where, how long; the only file that differs between equal runs
        summary.parquet               mean and 95 % interval over the finished seeds
        seed-1/flows.parquet ...      one file per table
        seed-2-interrupted/...        what an interrupted run had, replaced when the folder is continued

Everything is written beside its place and then renamed, so that what stands there is whole.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from faircast import _native
from faircast.errors import InputError, NotFinishedError
from faircast.results import (
    Effort,
    RunResult,
    faircast_version,
    origin_of,
    read_table,
    summary_of_table,
    write_table,
)
from faircast.scenario import Resolved
from faircast.summary import Row, RunSummary, over_seeds, to_arrow

MANIFEST = "manifest.json"


class RunFolder:
    """Where the runs of one scenario go. Opening it checks, `create` is the first to write."""

    def __init__(self, path: Path, scenario: Resolved) -> None:
        self.path = path
        self.scenario = scenario
        self._lock = threading.Lock()
        self._manifest = check_place(path, "run", {"hash": scenario.hash})
        if self._manifest.get("build") != build():
            raise InputError(
                f"{path} was made by another build of faircast {faircast_version()}, whose numbers may differ; "
                "remove it or choose another folder with --out"
            )

    @classmethod
    def open(cls, out: str | Path | None, scenario: Resolved) -> RunFolder:
        """The folder `out`, by default ``results/<name>-<hash>``; refused if it holds anything else."""
        return cls(Path(out) if out is not None else default_path(scenario.name, scenario.hash), scenario)

    def create(self) -> None:
        """Make the folder and its manifest. Raises `InputError` if that is not possible."""
        self._manifest.setdefault("name", self.scenario.name)
        self._manifest.setdefault("hash", self.scenario.hash)
        self._manifest.setdefault("runs", {})
        self._manifest.setdefault("interrupted", {})
        self._manifest.setdefault("scenario", self.scenario.data)
        begin_call(self.path, self._manifest)

    def finished(self) -> dict[int, Path]:
        """The folders of the seeds that are done."""
        found = {}
        for path in self.path.glob("seed-*"):
            number = path.name.removeprefix("seed-")
            if number.isdigit() and (path / "summary.parquet").exists():
                found[int(number)] = path
        return dict(sorted(found.items()))

    def summaries(self) -> dict[int, RunSummary]:
        """The summaries of all finished seeds. Raises `InputError` at a damaged file or one of another run."""
        found = {}
        for seed, path in self.finished().items():
            file = path / "summary.parquet"
            table = read_table(file)
            if origin_of(table, file)[:2] != (self.scenario, seed):
                raise InputError(f"{file} belongs to another run; remove {path} and run again")
            found[seed] = summary_of_table(table)
        return found

    def write(self, result: RunResult) -> None:
        """Write the tables of one seed and note it in the manifest; may be called from several threads."""
        effort = result.effort
        assert effort is not None, "only fresh results are written"
        suffix = "-interrupted" if effort.interrupted else ""
        place = self.path / f"seed-{result.seed}{suffix}"
        with writing(place):
            fresh = self.path / f".{place.name}.{os.getpid()}"
            try:
                fresh.mkdir()
                result.write(fresh)
                shutil.rmtree(self.path / f"seed-{result.seed}-interrupted", ignore_errors=True)
                fresh.rename(place)
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
        with self._lock:
            self._manifest["interrupted"].pop(str(result.seed), None)
            self._manifest["interrupted" if effort.interrupted else "runs"][str(result.seed)] = effort_json(effort)
            write_json(self.path / MANIFEST, self._manifest)

    def close(self, *, wall_s: float, interrupted: bool) -> list[Row]:
        """Write the summary over all finished seeds and the final manifest; returns the summary."""
        summaries = self.summaries()
        rows = over_seeds(summaries)
        place = self.path / "summary.parquet"
        with writing(place):
            fresh = self.path / f".summary.{os.getpid()}"
            try:
                if rows:
                    seeds = ",".join(map(str, summaries))
                    write_table(to_arrow(rows), fresh, self.scenario, seeds=seeds, version=faircast_version())
                    fresh.replace(place)
            finally:
                fresh.unlink(missing_ok=True)
        for key in ("runs", "interrupted"):
            self._manifest[key] = dict(sorted(self._manifest[key].items(), key=lambda item: int(item[0])))
        end_call(self.path, self._manifest, wall_s=wall_s, interrupted=interrupted)
        return rows


def default_path(name: str, digest: str) -> Path:
    """``results/<name>-<hash>``, the name reduced to what is safe in a path."""
    safe = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip(".-") or "scenario"
    return Path("results") / f"{safe[:80]}-{digest}"


def check_place(path: Path, kind: str, same: dict[str, Any]) -> dict[str, Any]:
    """The manifest of a folder that may be continued, an empty one for a place that is free, otherwise `InputError`."""
    try:
        held = sorted(entry.name for entry in path.iterdir()) if path.exists() else []
    except NotADirectoryError:
        raise InputError(f"{path} is a file, results need a folder; choose another one with --out") from None
    except OSError as error:
        raise InputError(f"cannot use the folder {path}: {error.strerror}; choose another one with --out") from None
    if not held:
        return {"kind": kind, "version": faircast_version(), "build": build()}
    if MANIFEST not in held:
        raise InputError(f"{path} holds something else ({', '.join(held[:3])}); choose another folder with --out")
    manifest = read_manifest(path)
    if manifest["kind"] != kind:
        raise InputError(f"{path} holds a {manifest['kind']}, not a {kind}; choose another folder with --out")
    for key, wanted in same.items():
        if manifest.get(key) != wanted:
            raise InputError(
                f"{path} holds another scenario: {manifest.get('name')} with {key} {manifest.get(key)}, not {wanted}; "
                "choose another folder with --out"
            )
    if manifest.get("version") != faircast_version():
        raise InputError(
            f"{path} was made by faircast {manifest.get('version')}, this is {faircast_version()}; "
            "choose another folder with --out"
        )
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result folder. Raises `InputError` if there is none or it is damaged."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder} is not a result folder: it has no {MANIFEST}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or not isinstance(manifest.get("kind"), str):
        raise InputError(f"{path} is damaged; choose another folder with --out")
    return manifest


def begin_call(path: Path, manifest: dict[str, Any]) -> None:
    """Make the folder and note in its manifest who is at work on it."""
    manifest.setdefault("calls", []).append(
        {
            "command": sys.argv,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "host": socket.gethostname(),
            "platform": platform.platform(),
            "python": platform.python_version(),
        }
    )
    manifest["status"] = "running"
    try:
        path.mkdir(parents=True, exist_ok=True)
        write_bytes(path / MANIFEST, to_bytes(manifest))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise NotFinishedError(f"cannot write to {path}: {error.strerror}") from None
        raise InputError(
            f"cannot write to the folder {path}: {error.strerror}; choose another one with --out"
        ) from None


def end_call(path: Path, manifest: dict[str, Any], *, wall_s: float, interrupted: bool) -> None:
    """Note in the manifest how the work on a folder ended."""
    manifest["calls"][-1]["wall_s"] = round(wall_s, 3)
    manifest["status"] = "interrupted" if interrupted else "finished"
    write_json(path / MANIFEST, manifest)


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


def write_json(path: Path, value: object) -> None:
    """Write JSON so that the file is either the old or the new one."""
    with writing(path):
        write_bytes(path, to_bytes(value))


def to_bytes(value: object) -> bytes:
    """JSON for people: indented, in UTF-8, with a newline at the end; bytes of a path that are no text as escapes."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file beside its place and rename it."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write results into a `NotFinishedError` that says what is kept."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotFinishedError(f"cannot write {path}: {reason}; what was finished before is kept") from error


@cache
def build() -> str:
    """First 12 hexadecimal digits of the SHA-256 of the compiled core: tells two builds of one version apart."""
    file = getattr(_native, "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else "unknown"
