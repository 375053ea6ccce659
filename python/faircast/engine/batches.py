"""Which runs go to which worker next: in batches by measured duration, and alone after a worker has died of them.

Nothing here knows what a worker is, or waits: whoever drives one tells what has happened and asks what is next.

::

    fresh ──batch──> sent ──answered──────────────────────────────> done
                      │ its worker died, or another one it was on
                      v
                   suspects ──alone on a worker──> sent ──answered──> done
                      ^                             │ its worker died
                      └──────── less than 3 times ──┴── 3 times ────> failed
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

BATCH_S = 1.0
"""Seconds of work in a batch: handing one out costs milliseconds, and a worker that dies costs two of them per core."""
AHEAD = 2
"""Batches that a worker has for each run that it carries out at once, so that it does not wait for the next one."""
DEATHS = 3
"""A run that was alone on its worker so often when that died is given up."""
RECENT = 0.2
"""How much the latest batch counts in the mean duration of a run."""

Worker = Hashable


class Batch(NamedTuple):
    """Runs that go to a worker together."""

    number: int
    places: tuple[int, ...]
    """Of the runs among all."""
    alone: bool
    """Whether nothing else is on the worker meanwhile."""


@dataclass
class Slots:
    """A worker: how many runs it carries out at once, and what it has."""

    at_once: int
    batches: dict[int, Batch] = field(default_factory=dict)


class Dispatch:
    """The state of all runs of a batch job, `count` of them."""

    def __init__(self, count: int) -> None:
        self._fresh = deque(range(count))
        self._suspects: list[int] = []
        self._deaths: dict[int, int] = {}
        self._workers: dict[Worker, Slots] = {}
        self._numbers = 0
        self._mean_s: float | None = None
        self.failed: dict[int, str] = {}
        """By place why a run is given up."""

    @property
    def workers(self) -> list[Worker]:
        """The workers that have come and not gone."""
        return list(self._workers)

    @property
    def is_done(self) -> bool:
        """Whether every run is answered or given up."""
        return not self._fresh and not self._suspects and not any(slots.batches for slots in self._workers.values())

    def join(self, worker: Worker, at_once: int) -> None:
        """A worker has come that carries out so many runs at once."""
        self._workers[worker] = Slots(at_once)

    def next(self, worker: Worker) -> Batch | None:
        """What to send to a worker now; None if it has enough, or nothing is left for it."""
        slots = self._workers[worker]
        if self._fresh:
            if len(slots.batches) >= AHEAD * slots.at_once:
                return None
            places = [self._fresh.popleft() for _ in range(self._size())]
            return self._sent(slots, places, alone=False)
        # Behind all others, the most suspicious last: where nobody makes new workers, each death leaves one less. Then
        # nothing is fresh any more, so that nothing joins a run that is alone.
        if self._suspects and not slots.batches:
            place = min(self._suspects, key=lambda place: (self._deaths.get(place, 0), place))
            self._suspects.remove(place)
            return self._sent(slots, [place], alone=True)
        return None

    def has(self, worker: Worker, number: int) -> bool:
        """Whether a worker is expected to answer this batch."""
        return worker in self._workers and number in self._workers[worker].batches

    def answered(self, worker: Worker, number: int, seconds: float) -> None:
        """A batch is finished after so many seconds of work."""
        batch = self._workers[worker].batches.pop(number)
        each = seconds / len(batch.places)
        self._mean_s = each if self._mean_s is None else (1 - RECENT) * self._mean_s + RECENT * each

    def lost(self, worker: Worker, number: int, reason: str, *, but: Sequence[int] = ()) -> None:
        """A batch has ended its worker, or was there when another one did; the runs `but` are answered nevertheless."""
        batch = self._workers[worker].batches.pop(number)
        for place in batch.places:
            if place in but:
                continue
            if batch.alone:
                self._deaths[place] = self._deaths.get(place, 0) + 1
            if self._deaths.get(place, 0) >= DEATHS:
                self.failed[place] = reason
            else:
                self._suspects.append(place)

    def leave(self, worker: Worker, reason: str) -> None:
        """A worker is gone, with all that it had."""
        if worker in self._workers:
            for number in list(self._workers[worker].batches):
                self.lost(worker, number, reason)
            del self._workers[worker]

    def _size(self) -> int:
        """How many runs the next batch has: about a second's work, and the last ones in small pieces."""
        if not self._mean_s:
            return 1
        at_once = sum(slots.at_once for slots in self._workers.values())
        fair = -(-len(self._fresh) // (AHEAD * at_once))
        return max(1, min(round(BATCH_S / self._mean_s), fair))

    def _sent(self, slots: Slots, places: Sequence[int], *, alone: bool) -> Batch:
        self._numbers += 1
        batch = Batch(self._numbers, tuple(places), alone)
        slots.batches[batch.number] = batch
        return batch
