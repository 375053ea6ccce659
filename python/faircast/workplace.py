"""The right to work on a result folder: which folder it is, who else works there, and a note of how the work ended."""

from __future__ import annotations

import errno
import os
import platform
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from faircast.errors import InputError, NotFinishedError, brief
from faircast.ledger import Ledger
from faircast.manifest import (
    FAILED,
    FINISHED,
    FORMAT,
    FORMAT_NUMBER,
    INTERRUPTED,
    MANIFEST,
    RUNNING,
    read_manifest,
    write_manifest,
)
from faircast.storage import BusyError, Lock, clear_leftovers, is_leftover, writing
from faircast.version import build, commit, faircast_version


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

        If nothing is written into a folder that was made for it, it goes again. Raises `InputError` if it cannot be
        made or another process works on it.
        """
        try:
            with self._creating():
                fresh = [path for path in (self.path, *self.path.parents) if not path.exists()]
                lock = self._made_and_locked()
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
            with suppress(OSError):  # where there is something in it, of others perhaps
                for path in fresh:
                    path.rmdir()

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

    def _made_and_locked(self) -> Lock:
        while True:
            self.path.mkdir(parents=True, exist_ok=True)
            with suppress(FileNotFoundError):  # somebody who had nothing to write has removed it in between
                return Lock(self.path).__enter__()

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
        made = {"version": faircast_version(), "build": build(), "commit": commit()}
        return {"kind": kind, FORMAT: FORMAT_NUMBER, **made}
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


def _worker(path: Path) -> str:
    """Who works on the folder, as far as its manifest tells."""
    with suppress(InputError):
        manifest = read_manifest(path)
        if manifest.get("status") == RUNNING and manifest.get("calls"):
            last = manifest["calls"][-1]
            return f"process {last.get('pid')} on {last.get('host')} works on it since {last.get('date')}"
    return "another process works on it"
