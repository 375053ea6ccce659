"""What an engine does: it computes runs somewhere and hands what is wanted of them back to the calling process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol, TypeVar

from faircast.batch import Job, Outcome, Watcher
from faircast.engine.taken import Taken, Wanted

T = TypeVar("T")


class Task(NamedTuple):
    """A run, and what is wanted of it."""

    job: Job
    wanted: Wanted


class Work(Protocol):
    """Tasks for which all is ready, to be carried out once; see `Engine.compute`."""

    def __call__(self, keep: Callable[[int, Taken], T], *, watcher: Watcher | None = None) -> Outcome[T]:
        """Compute all of them."""


class Engine(ABC):
    """Where runs are computed. What comes out is the same everywhere, byte for byte."""

    @abstractmethod
    def ready(self, tasks: Sequence[Task]) -> AbstractContextManager[Work]:
        """Have everything ready that these tasks need, as long as the context lasts; nothing is computed yet.

        So whoever has not written anything yet learns in time of what would be refused. Ctrl-C is passed on. Raises
        `InputError` as `compute`.
        """

    def compute(
        self, tasks: Sequence[Task], keep: Callable[[int, Taken], T], *, watcher: Watcher | None = None
    ) -> Outcome[T]:
        """Compute all tasks, and keep of each what ``keep(place, taken)`` makes of what was taken of it.

        `keep` is called in this process as soon as a run is finished, in any order, and never in the main thread, so
        that Ctrl-C does not break into it: what is being kept is waited for. Ctrl-C, and SIGTERM where it raises
        `KeyboardInterrupt`, stops the runs in flight, starts no others and gives what there is.

        Raises
        ------
        InputError
            What the tasks need cannot be had where they would be computed; nothing has been.
        NotFinishedError
            A run failed, or there is nobody left to compute the rest. What was kept before stays.
        """
        with self.ready(tasks) as work:
            return work(keep, watcher=watcher)
