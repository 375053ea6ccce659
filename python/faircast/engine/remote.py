"""What runs where the runs are computed, in a worker process of this machine or of another one."""

from __future__ import annotations

import hashlib
import pickle
import platform
import time
import zlib
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING

from faircast import guests
from faircast.background import called
from faircast.engine.contract import Task
from faircast.engine.luggage import dumps
from faircast.engine.taken import Taken
from faircast.engine.threads import run_job
from faircast.errors import NotFinishedError
from faircast.interruption import Interrupted, interruptible
from faircast.libraries import load
from faircast.sources import HOME
from faircast.version import build, faircast_version

if TYPE_CHECKING:
    from faircast._native import Control, RawResult

LIBRARIES = ("numpy", "scipy")
"""The libraries that compute what stands in tables beside what the core does."""
EXHAUSTED = "it ran out of memory"


class StrangerError(RuntimeError):
    """The error of a worker that does not know the campaign: it was begun anew since it was told."""


@dataclass
class Answer:
    """What became of one run of a batch."""

    place: int
    taken: Taken | None = None
    error: BaseException | None = None
    """What ends the campaign."""
    died: str = ""
    """Why the run would end its worker, which has been seen in time."""


@cache
def identity() -> dict[str, str]:
    """What must be the same everywhere for the bytes to be the same."""
    python = ".".join(platform.python_version_tuple()[:2])
    found = {"faircast": f"{faircast_version()} build {build()}", "Python": python, "its sources": sources()}
    return found | {name: version(name) for name in LIBRARIES}


@cache
def sources() -> str:
    """First 12 hexadecimal digits of the SHA-256 of all Python files of this package."""
    digest = hashlib.sha256()
    for path in sorted(HOME.rglob("*.py")):
        digest.update(f"{path.relative_to(HOME)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def difference(wanted: dict[str, str], found: dict[str, str]) -> str:
    """What a worker has otherwise, in words; empty if nothing."""
    if wanted["faircast"] != found["faircast"]:
        return f"faircast {found['faircast']}, here it is {wanted['faircast']}"
    if wanted["its sources"] != found["its sources"]:
        return f"other Python files in faircast {found['faircast']}"
    wrong = [name for name in wanted if wanted[name] != found.get(name)]
    return ", ".join(f"{name} {found.get(name)}, here it is {wanted[name]}" for name in wrong)


def board(token: str, luggage: bytes) -> dict[str, str]:
    """Make a campaign known to this process: its guests. Gives the identity, against which the caller holds its own."""
    load()
    registrations, _ = pickle.loads(luggage)
    for guest in registrations:
        digest = hashlib.sha256(pickle.dumps(guest.origin) + luggage).digest()
        if _guests.get(guest.name) != digest:
            guests.enter(guest)
            _guests[guest.name] = digest
    _known.add(token)
    return identity()


def compute(token: str, payload: bytes, at_once: int) -> tuple[bytes, float]:
    """Carry out a batch of tasks, as `faircast.engine.luggage.packed` has them.

    Gives the `Answer` of each, and how long they took in seconds.

    What was cancelled meanwhile has no answers. Raises `StrangerError` in a process that does not know the campaign.
    """
    if token not in _known:
        raise StrangerError("this process does not know the campaign")
    tasks: list[tuple[int, Task]] = pickle.loads(zlib.decompress(payload))
    answers: list[Answer] = []
    begin = time.monotonic()
    with interruptible(lambda: token in _cancelled):
        for place, task in tasks:
            try:
                answer = carried_out(place, task, at_once)
            except Interrupted:
                break
            answers.append(answer)
            if answer.error is not None or answer.died:
                break
    return dumps(answers), time.monotonic() - begin


def carried_out(place: int, task: Task, at_once: int) -> Answer:
    """One run, and what is wanted of it."""

    def run(control: Control | None) -> tuple[RawResult, float]:
        assert control is not None, "whoever may be cancelled has one"
        begin = time.thread_time()
        raw = run_job(task.job, control, at_once)
        return raw, time.thread_time() - begin

    try:
        raw, cpu_s = called(run)
    except MemoryError:
        return Answer(place, died=EXHAUSTED)
    except NotFinishedError as error:
        return Answer(place, error=sendable(error))
    if raw.interrupted:
        raise Interrupted
    try:
        return Answer(place, task.wanted.take(task.job, raw, cpu_s))
    except Interrupted:
        raise
    except BaseException as error:
        return Answer(place, error=sendable(error))


def cancel(token: str) -> None:
    """End what this process computes for a campaign, and forget the campaign."""
    _cancelled.add(token)
    _known.discard(token)


def unpacked(answers: bytes) -> list[Answer]:
    """What `compute` gave."""
    found: list[Answer] = pickle.loads(answers)
    return found


def sendable(error: BaseException) -> BaseException:
    """An error that can travel: itself, or what it says."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return NotFinishedError(f"{type(error).__name__}: {error}")
    return error


_known: set[str] = set()
_cancelled: set[str] = set()
_guests: dict[str, bytes] = {}
