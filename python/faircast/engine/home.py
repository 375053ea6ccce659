"""The calling process while others compute: it hands out batches, takes in answers and looks after workers that die.

Who the others are is up to a `Crew`: processes of this machine, or those of a Dask cluster. What is answered is kept by
threads of their own, so that neither Ctrl-C nor the next answer breaks into it.
"""

from __future__ import annotations

import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from faircast.batch import Outcome, Watcher
from faircast.engine.batches import Dispatch
from faircast.engine.contract import Task, Work
from faircast.engine.luggage import pack, packed
from faircast.engine.remote import unpacked
from faircast.engine.taken import Taken
from faircast.errors import NotFinishedError
from faircast.libraries import load

T = TypeVar("T")
POLL_S = 0.1
WAITING = 32
"""Answers that wait to be kept before no more are taken in."""
KEEPERS = 4
"""Threads that keep answers: they wait for the disk most of the time."""


@dataclass(frozen=True)
class Came:
    """A worker is ready, and carries out so many runs at once."""

    worker: Hashable
    at_once: int


@dataclass(frozen=True)
class Went:
    """A worker is gone, or has begun anew, with all that it had."""

    worker: Hashable
    reason: str


@dataclass(frozen=True)
class Answered:
    """A batch is finished, after so many seconds of work."""

    worker: Hashable
    number: int
    answers: bytes
    seconds: float


@dataclass(frozen=True)
class Broken:
    """A batch has ended its worker, as others have found out."""

    worker: Hashable
    number: int
    reason: str


Event = Came | Went | Answered | Broken


class Crew(ABC):
    """Workers elsewhere. All is called from one thread."""

    patience_s: float | None = None
    """How long to go on when there is no worker; None for as long as it takes."""

    @abstractmethod
    def start(self, luggage: bytes) -> None:
        """Find workers, and let each know what travels before the first run. Raises `InputError` where that fails."""

    @abstractmethod
    def send(self, worker: Hashable, number: int, payload: bytes) -> None:
        """Send a batch to a worker that has come."""

    @abstractmethod
    def events(self, timeout_s: float) -> list[Event]:
        """What has happened since; waits so long for something. Raises `NotFinishedError` if nothing more can."""

    @abstractmethod
    def cancel(self) -> None:
        """End what is being computed; bounded in time."""

    @abstractmethod
    def close(self) -> None:
        """Let the workers go; bounded in time. Of a second time nothing comes."""


@contextmanager
def ready(crew: Crew, tasks: Sequence[Task]) -> Iterator[Work]:
    """A crew that knows what the tasks need; see `faircast.engine.contract.Engine.ready`."""
    if not tasks:  # nobody is asked for nothing
        yield lambda *_, **__: Outcome([], False)
        return
    load()
    try:
        crew.start(pack(tasks))
        yield partial(carry_out, crew, tasks)
    except BaseException:
        crew.cancel()
        raise
    finally:
        crew.close()


def carry_out(
    crew: Crew, tasks: Sequence[Task], keep: Callable[[int, Taken], T], *, watcher: Watcher | None = None
) -> Outcome[T]:
    """Let a crew that is ready compute all tasks, and let it go."""
    dispatch = Dispatch(len(tasks))
    keeper = Keeper(keep, len(tasks))
    interrupted = False
    try:
        keeper.start()
        lonely_since = time.monotonic()
        while not dispatch.is_done:
            for worker in dispatch.workers:
                while (batch := dispatch.next(worker)) is not None:
                    crew.send(worker, batch.number, packed([(place, tasks[place]) for place in batch.places]))
            for event in crew.events(POLL_S):
                take_in(event, dispatch, keeper)
            keeper.raise_error()
            if watcher is not None:
                watcher.update((keeper.taken + len(dispatch.failed)) / len(tasks), keeper.taken, len(tasks))
            if dispatch.workers:
                lonely_since = time.monotonic()
            elif crew.patience_s is not None and time.monotonic() - lonely_since > crew.patience_s:
                raise NotFinishedError(
                    f"no worker is left, and none has come for {crew.patience_s:.0f} s; what was finished is kept, the "
                    "same command continues"
                )
    except KeyboardInterrupt:
        interrupted = True
        crew.cancel()
    except BaseException:
        crew.cancel()
        raise
    finally:
        try:
            crew.close()
        finally:
            keeper.end()
    keeper.raise_error()
    if watcher is not None:
        watcher.update(1.0 if not interrupted else keeper.taken / len(tasks), keeper.taken, len(tasks))
    return Outcome(keeper.results, interrupted, dispatch.failed)


def take_in(event: Event, dispatch: Dispatch, keeper: Keeper[T]) -> None:
    """Go by what has happened. Raises what ended a run, and with it the campaign."""
    match event:
        case Came():
            dispatch.join(event.worker, event.at_once)
        case Went():
            dispatch.leave(event.worker, event.reason)
        case Broken() if dispatch.has(event.worker, event.number):
            dispatch.lost(event.worker, event.number, event.reason)
        case Answered() if dispatch.has(event.worker, event.number):
            answers = unpacked(event.answers)
            done = [answer for answer in answers if answer.taken is not None]
            for answer in done:
                assert answer.taken is not None
                keeper.put(answer.place, answer.taken)
            if error := next((answer.error for answer in answers if answer.error is not None), None):
                raise error
            if died := next((answer.died for answer in answers if answer.died), ""):
                dispatch.lost(event.worker, event.number, died, but=[answer.place for answer in done])
            else:
                dispatch.answered(event.worker, event.number, event.seconds)


class Keeper(Generic[T]):
    """Threads that keep what is answered."""

    def __init__(self, keep: Callable[[int, Taken], T], count: int) -> None:
        self.results: list[T | None] = [None] * count
        self.taken = 0
        """Runs whose answers have come."""
        self._keep = keep
        self._queue: queue.Queue[tuple[int, Taken] | None] = queue.Queue(WAITING)
        self._error: BaseException | None = None
        self._threads = [
            threading.Thread(target=self._work, name=f"keeper-{number}", daemon=True) for number in range(KEEPERS)
        ]

    def start(self) -> None:
        """Begin to keep."""
        for thread in self._threads:
            thread.start()

    def put(self, place: int, taken: Taken) -> None:
        """Keep what was taken of a run."""
        self._queue.put((place, taken))
        self.taken += 1

    def raise_error(self) -> None:
        """Raise what keeping has failed with."""
        if self._error is not None:
            raise self._error

    def end(self) -> None:
        """Wait until all that has come is kept."""
        started = [thread for thread in self._threads if thread.ident is not None]
        for _ in started:
            self._queue.put(None)
        for thread in started:
            while thread.is_alive():
                thread.join(POLL_S)

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._error is None:
                place, taken = item
                try:
                    self.results[place] = self._keep(place, taken)
                except BaseException as error:
                    self._error = error
