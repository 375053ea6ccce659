"""What an engine does: it computes runs somewhere and hands what is wanted of them back to the calling process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from faircast.batch import Job, Outcome, Watcher
from faircast.engine.taken import Taken, Wanted

T = TypeVar("T")


class Task(NamedTuple):
    """A run, and what is wanted of it."""

    job: Job
    wanted: Wanted


class Engine(ABC):
    """Where runs are computed. What comes out is the same everywhere, byte for byte."""

    @abstractmethod
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
