"""Processes of this machine, one run on each: what a run does to its process it does to no other.

A process is started as a Python of its own that carries out `faircast.engine.child`. Batches go to its standard input
and answers come from its standard output, each with its length in front; one that ends takes its runs with it, and
another one is started in its place.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, suppress
from typing import Any

from faircast.batch import worker_count
from faircast.engine.child import LENGTH, START
from faircast.engine.contract import Engine, Task, Work
from faircast.engine.home import POLL_S, Answered, Came, Crew, Event, Went, ready
from faircast.errors import InputError, NotFinishedError

TRIES = 3
"""Processes that end before they are ready, one after the other, until no more are started."""


class Processes(Engine):
    """So many processes of this machine, by default one per core."""

    def __init__(self, count: int | None = None) -> None:
        self.count = worker_count(count, "--processes")

    def ready(self, tasks: Sequence[Task]) -> AbstractContextManager[Work]:
        """Start the processes, and wait until the first one knows what the tasks need; see `Engine.ready`."""
        return ready(ProcessCrew(min(self.count, len(tasks))), tasks)


class ProcessCrew(Crew):
    """The processes, each known by its number."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._children: dict[int, Child] = {}
        self._said: queue.Queue[tuple[int, tuple[Any, ...] | None]] = queue.Queue()
        self._luggage = b""
        self._started = 0
        self._unready: dict[int, None] = {}
        self._never_ready = 0
        self._is_begun = False
        """Whether one of them has been ready."""
        self._early: list[Event] = []
        """What has happened before anybody asked."""

    def start(self, luggage: bytes) -> None:
        """Start them all, and wait until the first is ready."""
        self._luggage = luggage
        for _ in range(self._count):
            self._start_one()
        early: list[Event] = []
        while not any(isinstance(event, Came) for event in early):
            early += self.events(POLL_S)
        self._early = early

    def send(self, worker: Hashable, number: int, payload: bytes) -> None:
        """Send a batch to a process; one that has ended meanwhile is told of by `events`."""
        assert isinstance(worker, int)
        self._children[worker].tell(("compute", number, payload, self._count))

    def events(self, timeout_s: float) -> list[Event]:
        """What the processes have said, and which have ended."""
        found, self._early = self._early, []
        with suppress(queue.Empty):
            found += self._event(*self._said.get(timeout=0 if found else timeout_s))
            while True:
                found += self._event(*self._said.get_nowait())
        return found

    def cancel(self) -> None:
        """Kill them: they hold nothing that anybody wants."""
        for child in self._children.values():
            child.process.kill()

    def close(self) -> None:
        """Kill those that are left, and wait until they are gone."""
        self.cancel()
        for child in self._children.values():
            child.process.wait()
            with suppress(OSError):
                child.process.stdin.close()  # type: ignore[union-attr]
            child.reader.join()
            child.process.stdout.close()  # type: ignore[union-attr]
        self._children.clear()

    def _start_one(self) -> None:
        self._started += 1
        self._unready[self._started] = None
        child = Child(self._started, self._said)
        self._children[self._started] = child
        child.tell(("board", self._luggage))

    def _event(self, number: int, said: tuple[Any, ...] | None) -> list[Event]:
        if said is None:
            return self._ended(number)
        if said[0] == "ready":
            self._unready.pop(number)
            self._never_ready = 0
            self._is_begun = True
            return [Came(number, 1)]
        if said[0] == "refused":
            kind = NotFinishedError if self._is_begun else InputError
            raise kind(f"what the runs need cannot be had in another process: {said[1]}")
        _, batch, answers, seconds = said
        return [Answered(number, batch, answers, seconds)]

    def _ended(self, number: int) -> list[Event]:
        child = self._children.pop(number)
        reason = ended(child.process.wait())
        if number in self._unready:
            del self._unready[number]
            self._never_ready += 1
            if self._never_ready >= TRIES:
                raise NotFinishedError(f"processes do not start: {reason}")
        self._start_one()
        return [Went(number, f"its process {reason}")]


class Child:
    """One process, and the thread that listens to it."""

    def __init__(self, number: int, said: queue.Queue[tuple[int, tuple[Any, ...] | None]]) -> None:
        self.number = number
        command = [sys.executable, "-c", START, json.dumps(sys.path)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # Ctrl-C is for us
        )
        self._said = said
        self.reader = threading.Thread(target=self._listen, name=f"process-{number}", daemon=True)
        self.reader.start()

    def tell(self, message: tuple[Any, ...]) -> None:
        """Write a message; what an ended process is told is lost."""
        assert self.process.stdin is not None
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        with suppress(OSError):
            self.process.stdin.write(LENGTH.pack(len(data)) + data)
            self.process.stdin.flush()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with suppress(OSError, struct.error, EOFError):
            while True:
                (length,) = LENGTH.unpack(self.process.stdout.read(LENGTH.size))
                data = self.process.stdout.read(length)
                if len(data) < length:
                    break
                self._said.put((self.number, pickle.loads(data)))
        self._said.put((self.number, None))


def ended(code: int) -> str:
    """How a process has ended, in words."""
    if code >= 0 or os.name != "posix":
        return f"ended with code {code}"
    with suppress(ValueError):
        return f"was ended by {signal.Signals(-code).name}"
    return f"was ended by signal {-code}"
