"""Files that are whole or not there, and the lock of a folder.

Whatever is written stands first under a name of its own beside its place, ``.NAME.new``, is brought to the disk (fsync)
and then renamed. A killed process or a power cut leaves the old file, the new one, or none; what it leaves besides is
removed by the next one that works on the folder (`clear_leftovers`).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Self

from faircast.errors import NotFinishedError

LOCK = ".lock"
UNFINISHED = ".new"


@contextmanager
def new_file(
    path: Path, ready: Callable[[Path], None] = lambda _: None, *, is_shared: bool = False
) -> Iterator[BinaryIO]:
    """A file to write to that takes the place of `path` when all is written; just before, `ready` is called with it.

    If it is shared, other processes may write it meanwhile, whom no lock of a folder keeps away: the last one counts.
    """
    fresh = _fresh(path.with_name(f"{path.name}.{os.getpid()}") if is_shared else path)
    try:
        with fresh.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        ready(fresh)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    sync(path.parent)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to write files to that takes the place of `path` when all is written."""
    fresh = _fresh(path)
    try:
        fresh.mkdir()
        yield fresh
        for file in (*fresh.iterdir(), fresh):
            sync(file)
        remove(path)
        fresh.rename(path)
    finally:
        remove(fresh)
    sync(path.parent)


def write_json(path: Path, value: object) -> None:
    """Write JSON for people: indented, in UTF-8, bytes of a path that are no text as escapes."""
    with new_file(path) as file:
        file.write(as_json(value))


def as_json(value: object) -> bytes:
    """What `write_json` writes."""
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot do it for folders
            raise
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Remove a file or folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def is_leftover(name: str) -> bool:
    """Whether a file of this name is no result: the lock, or what a killed process was writing."""
    return name == LOCK or (name.startswith(".") and name.endswith(UNFINISHED))


def clear_leftovers(folder: Path) -> None:
    """Remove what killed processes were writing; only for who holds the lock."""
    for path in folder.iterdir():
        if is_leftover(path.name) and path.name != LOCK:
            remove(path)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn a failure to write results into a `NotFinishedError` that says what is kept."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise NotFinishedError(f"cannot write {path}: {reason}; what was finished before is kept") from error


class BusyError(Exception):
    """Another process holds the lock."""


class Lock:
    """The lock of a folder: one process at a time. The system takes it back when its holder ends, however it ends.

    It is flock(2) on the file ``.lock``, opened for writing, as NFS demands; the file goes when the lock is released.
    Where there are no such locks (file systems that refuse them, systems without flock) everybody gets it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._handle = -1

    def __enter__(self) -> Self:
        while True:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                _flock(self._handle)
                if self._is_still_there():
                    return self
            except BaseException:
                os.close(self._handle)
                raise
            os.close(self._handle)  # its holder has removed it in between; there may be a newer one

    def __exit__(self, *_: object) -> None:
        if os.name == "posix":  # elsewhere an open file cannot be removed
            with suppress(OSError):
                self._path.unlink()
        os.close(self._handle)

    def _is_still_there(self) -> bool:
        try:
            return os.path.samestat(os.fstat(self._handle), self._path.stat())
        except FileNotFoundError:
            return False


def _flock(handle: int) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BusyError from None
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
            raise


def _fresh(path: Path) -> Path:
    return path.with_name(f".{path.name}{UNFINISHED}")
