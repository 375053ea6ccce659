"""The manifest of a result folder: what it holds, who worked on it, how that ended; and the right to work on it."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import platform
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from faircast import _native
from faircast.errors import InputError, NotFinishedError, ResultWarning, brief
from faircast.ledger import FILES, FORMAT, WRITING, Ledger
from faircast.results import faircast_version
from faircast.storage import BusyError, Lock, clear_leftovers, is_leftover, write_json, writing

MANIFEST = "manifest.json"
FORMAT_NUMBER = 2
"""Of folders whose manifests list all files of numbers and have a checksum of their own."""
CHECKSUM = "sha256"
RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"


class Workplace:
    """A result folder and its manifest.

    Parameters
    ----------
    path
        Where it is, or will be.
    check
        Gives the manifest, empty but for its kind if the place is free; raises `InputError` if the folder holds
        anything else. Called at once, when nothing has been written, and again under the lock.
    """

    def __init__(self, path: Path, check: Callable[[], dict[str, Any]]) -> None:
        self.path = path
        self._check = check
        self.manifest = check()
        self.files = Ledger(path, self.manifest)
        """The files of numbers: to be written while the place is `locked`."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder and keep others out of it; what killed processes left half-written is removed.

        Raises `InputError` if it cannot be made or another process works on it.
        """
        try:
            with self._creating():
                self.path.mkdir(parents=True, exist_ok=True)
                lock = Lock(self.path).__enter__()
        except BusyError:
            raise InputError(f"{self.path} is in use: {_worker(self.path)}; choose another folder with --out") from None
        try:
            self.manifest = self._check()
            self.files = Ledger(self.path, self.manifest, lambda: write_manifest(self.path, self.manifest))
            with self._creating():
                clear_leftovers(self.path)
                if FORMAT not in self.manifest:
                    self.files.adopt()
                self.files.settle()
            yield
        finally:
            lock.__exit__()

    @contextmanager
    def call(self, **more: Any) -> Iterator[dict[str, Any]]:
        """Note in the manifest who is at work, `more`, and how it ends; gives the note, to which more can be added.

        An error is noted as ``failed`` with its message, or as ``interrupted``, and passed on.
        """
        begin = time.perf_counter()
        note = {
            "command": sys.argv,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "platform": platform.platform(),
            "python": platform.python_version(),
            **more,
        }
        self.manifest.setdefault("calls", []).append(note)
        self.manifest["status"] = RUNNING
        self.manifest.pop("message", None)
        try:
            with self._creating():
                write_manifest(self.path, self.manifest)
            yield note
            if self.manifest["status"] == RUNNING:
                self.manifest["status"] = FINISHED
        except BaseException as error:
            self.manifest["status"] = INTERRUPTED if isinstance(error, KeyboardInterrupt) else FAILED
            if self.manifest["status"] == FAILED:
                self.manifest["message"] = f"{type(error).__name__}: {error}"
            note["wall_s"] = round(time.perf_counter() - begin, 3)
            with suppress(Exception):  # the disk may be full; what went wrong first is what matters
                self.files.settle()
                write_manifest(self.path, self.manifest)
            raise
        note["wall_s"] = round(time.perf_counter() - begin, 3)
        if self.files.damaged:
            note["damaged"] = note.get("damaged", {}) | self.files.damaged
        with writing(self.path / MANIFEST):
            self.files.settle()
            write_manifest(self.path, self.manifest)

    @contextmanager
    def _creating(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise NotFinishedError(f"cannot write to {self.path}: {error.strerror}") from None
            raise InputError(
                f"cannot write to the folder {self.path}: {error.strerror}; choose another one with --out"
            ) from None


def default_path(name: str, digest: str, label: str = "") -> Path:
    """``results/<name>[-<label>]-<hash>``, name and label reduced to what is safe in a path.

    Raises `InputError` if a label is given of which nothing would be left.
    """
    parts = [safe(name) or "scenario", *([safe(label)] if label else []), digest]
    if not all(parts):
        raise InputError(f"--label {brief(label)}: nothing of it can stand in a folder's name; give letters or digits")
    return Path("results") / "-".join(parts)


def safe(text: str) -> str:
    """Letters, digits, dots, dashes and underscores of a text, other signs as dashes; at most 80."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in text).strip(".-")[:80]


def check_place(path: Path, kind: str, same: dict[str, Any]) -> dict[str, Any]:
    """The manifest of a folder that may be continued, an empty one for a place that is free, otherwise `InputError`."""
    try:
        held = sorted(entry.name for entry in path.iterdir() if not is_leftover(entry.name)) if path.exists() else []
    except NotADirectoryError:
        raise InputError(f"{path} is a file, results need a folder; choose another one with --out") from None
    except OSError as error:
        raise InputError(f"cannot use the folder {path}: {error.strerror}; choose another one with --out") from None
    if not held:
        return {"kind": kind, FORMAT: FORMAT_NUMBER, "version": faircast_version(), "build": build()}
    if MANIFEST not in held:
        raise InputError(f"{path} holds something else ({', '.join(held[:3])}); choose another folder with --out")
    try:
        manifest = read_manifest(path)
    except InputError as error:
        raise InputError(f"{error.message}; choose another folder with --out") from None
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


def check_build(path: Path, manifest: dict[str, Any]) -> None:
    """Refuse a folder that was made by another build of this version."""
    if manifest.get("build") != build():
        raise InputError(
            f"{path} was made by another build of faircast {faircast_version()}, whose numbers may differ; "
            "remove it or choose another folder with --out"
        )


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a folder, with its checksum."""
    manifest |= {FORMAT: FORMAT_NUMBER}
    write_json(folder / MANIFEST, manifest | {CHECKSUM: checksum(manifest)})


def checksum(manifest: dict[str, Any]) -> str:
    """The SHA-256 of a manifest in canonical JSON, without its own entry."""
    plain = json.loads(json.dumps(manifest))
    plain.pop(CHECKSUM, None)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result folder. Raises `InputError` if there is none or it is damaged.

    One of an earlier version has no checksum; a `ResultWarning` says that it has not been checked.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder} is not a result folder: it has no {MANIFEST}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        manifest = None
    if not _well_formed(manifest):
        raise InputError(f"{path} is damaged")
    found: dict[str, Any] = manifest
    if FORMAT not in found and CHECKSUM not in found:
        what = f"{folder.parent} holds seeds" if found["kind"] == "seed" else f"{folder} is"  # once for all seeds
        told = f"{what} of an earlier version, which did not note all that is needed to find damage"
        warnings.warn(told, ResultWarning, stacklevel=2)
    elif found.pop(CHECKSUM, None) != checksum(found):
        raise InputError(f"{path} is damaged: it is not as it was written, its checksum differs")
    return found


def sets_of(manifest: dict[str, Any]) -> list[str]:
    """What was changed by ``--set`` to get the scenario of a folder: that of the last call that changed anything."""
    found = [call["sets"] for call in manifest.get("calls", []) if isinstance(call.get("sets"), list) and call["sets"]]
    return [str(assignment) for assignment in found[-1]] if found else []


def to_ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers as ranges, first and last: 1, 2, 3, 7 is ``[[1, 3], [7, 7]]``."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def from_ranges(ranges: Iterable[Iterable[int]]) -> list[int]:
    """What `to_ranges` was given, in order."""
    return [number for first, last in ranges for number in range(first, last + 1)]


@cache
def build() -> str:
    """First 12 hexadecimal digits of the SHA-256 of the compiled core: tells two builds of one version apart."""
    file = getattr(_native, "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else "unknown"


FORM: dict[str, type] = {
    "kind": str,
    "scenario": dict,
    "seeds": list,
    "runs": dict,
    "interrupted": dict,
    FILES: dict,
    WRITING: dict,
    "calls": list,
    "experiments": list,
    "varied": list,
}
"""What the entries are that are relied on, where they are there."""


def _well_formed(manifest: object) -> bool:
    if not isinstance(manifest, dict) or "kind" not in manifest:
        return False
    if any(not isinstance(manifest[key], form) for key, form in FORM.items() if key in manifest):
        return False
    return all(
        isinstance(item, list) and len(item) == 2 and all(type(end) is int for end in item)
        for item in manifest.get("seeds", [])
    ) and all(isinstance(call, dict) for call in manifest.get("calls", []))


def _worker(path: Path) -> str:
    """Who works on the folder, as far as its manifest tells."""
    with suppress(InputError):
        manifest = read_manifest(path)
        if manifest.get("status") == RUNNING and manifest.get("calls"):
            last = manifest["calls"][-1]
            return f"process {last.get('pid')} on {last.get('host')} works on it since {last.get('date')}"
    return "another process works on it"
