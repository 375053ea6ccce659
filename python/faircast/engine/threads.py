"""Threads of this process: one run on one core, because the core releases the interpreter lock while it simulates.

What comes out does not depend on the number of workers: a run depends on its scenario and seed only, and results are
handed back in the order of the jobs. Nothing is copied on the way: what is wanted of a run is taken and kept in the
thread that computed it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Generic, TypeVar

from faircast import _native
from faircast.background import give_up
from faircast.batch import Job, Outcome, Watcher, worker_count
from faircast.engine.contract import Engine, Task, Work
from faircast.engine.taken import Taken
from faircast.errors import LESS_MEMORY, NotFinishedError
from faircast.interruption import Interrupted, interruptible
from faircast.libraries import load

T = TypeVar("T")
POLL_S = 0.1
PATIENCE_S = 0.6
"""How long a cancelled batch waits for runs that do not answer, because the core still builds their network."""


class Threads(Engine):
    """So many threads of this process, by default one per core."""

    def __init__(self, count: int | None = None) -> None:
        self.count = worker_count(count)

    @contextmanager
    def ready(self, tasks: Sequence[Task]) -> Iterator[Work]:
        """Nothing is needed; see `Engine.ready`."""
        yield partial(self._carry_out, tasks)

    def _carry_out(
        self, tasks: Sequence[Task], keep: Callable[[int, Taken], T], *, watcher: Watcher | None = None
    ) -> Outcome[T]:
        places = {id(task.job): place for place, task in enumerate(tasks)}

        def taken(job: Job, raw: _native.RawResult, cpu_s: float) -> T | None:
            place = places[id(job)]
            found = tasks[place].wanted.take(job, raw, cpu_s)
            return None if found is None else keep(place, found)

        outcome = run_batch([task.job for task in tasks], taken, workers=self.count, watcher=watcher)
        return Outcome(outcome.results, outcome.interrupted)


def run_batch(
    jobs: Sequence[Job],
    reduce: Callable[[Job, _native.RawResult, float], T],
    *,
    workers: int | None = None,
    watcher: Watcher | None = None,
) -> Outcome[T]:
    """Carry out all jobs and keep what ``reduce(job, raw, cpu_s)`` makes of each result.

    `reduce` is called in a worker, with the CPU seconds of the run, and with the partial result of a run that was
    interrupted as well (``raw.interrupted``). Ctrl-C stops the running jobs, starts no others and returns what there
    is; a `reduce` that gives way (`faircast.interruption`) then leaves None. A second one gives up at once. So does
    SIGTERM where it raises `KeyboardInterrupt`, as the command line has it. An error inside a run ends the batch as a
    `NotFinishedError`; one inside `reduce` or `watcher` is passed on as it is, when the running jobs have stopped.

    A run that does not stop soon, as it is still being built, is given up: it goes on in its thread, but nobody takes
    what it gives. What is being reduced, written for instance, is always waited for.
    """
    at_once = min(worker_count(workers), len(jobs))
    if jobs:
        load()  # before the core looks how much memory is free
    batch = _Batch(jobs, reduce, at_once)
    threads = [threading.Thread(target=batch.work, name=f"run-{i}", daemon=True) for i in range(at_once)]
    interrupted = False
    try:
        for thread in threads:
            thread.start()
        while not batch.all_done.wait(POLL_S) and any(thread.is_alive() for thread in threads):
            if watcher is not None:
                watcher.update(*batch.progress())
            batch.raise_if_exhausted()
    except KeyboardInterrupt:
        interrupted = True
        batch.cancel()
    except BaseException as error:
        batch.fail(error)
    batch.end([thread for thread in threads if thread.ident is not None])
    if batch.error is not None:
        raise batch.error
    if watcher is not None:
        watcher.update(*batch.progress())
    return Outcome(batch.results, interrupted)


def run_job(job: Job, control: _native.Control, at_once: int) -> _native.RawResult:
    """The run of a job, where so many go on at once: errors become one that names it.

    Raises `Interrupted` for one that was cancelled before anything happened.
    """
    try:
        return _native.run(job.scenario, job.seed, control, at_once)
    except _native.CancelledError:
        raise Interrupted from None
    except (_native.ScenarioError, MemoryError) as error:
        raise NotFinishedError(f"the run {job.label} with seed {job.seed} failed: {error}") from error
    except _native.GuestError as error:
        raise NotFinishedError(f"the run {job.label} with seed {job.seed} failed in {error}") from error.__cause__
    except BaseException as error:  # a panic of the core is no ordinary exception
        raise NotFinishedError(
            f"the run {job.label} with seed {job.seed} hit an internal error, please report it: {error}"
        ) from error


class _Batch(Generic[T]):
    def __init__(self, jobs: Sequence[Job], reduce: Callable[[Job, _native.RawResult, float], T], at_once: int) -> None:
        self.jobs = jobs
        self.at_once = at_once
        self.reduce = reduce
        self.results: list[T | None] = [None] * len(jobs)
        self.error: BaseException | None = None
        self.all_done = threading.Event()
        self._lock = threading.Lock()
        self._next = 0
        self._done = 0
        self._stopped = False
        self._reducing: set[int] = set()
        self._given_up = False
        self._running: dict[int, _native.Control] = {}
        self._threads: dict[int, int] = {}
        if not jobs:
            self.all_done.set()

    def work(self) -> None:
        """Take jobs until there are none; the body of a worker."""
        while (taken := self._take()) is not None:
            index, control = taken
            job = self.jobs[index]
            try:
                begin = time.thread_time()
                raw = run_job(job, control, self.at_once)
                if not self._begin_to_reduce(index):
                    return
                with interruptible(self._unwanted):
                    self.results[index] = self.reduce(job, raw, time.thread_time() - begin)
            except Interrupted:
                pass  # what is half reduced is no result
            except BaseException as error:
                self.fail(error)
            self._finished(index)

    def progress(self) -> tuple[float, int, int]:
        with self._lock:
            share = self._done + sum(control.progress for control in self._running.values())
            return share / max(1, len(self.jobs)), self._done, len(self.jobs)

    def end(self, threads: Sequence[threading.Thread]) -> None:
        """Wait for the workers; after a cancellation only so long for those that are inside the core."""
        deadline = None
        for thread in threads:
            while thread.is_alive():
                thread.join(POLL_S)
                if self._stopped:
                    deadline = deadline or time.monotonic() + PATIENCE_S
                    if time.monotonic() > deadline and self._give_up():
                        return

    def cancel(self) -> None:
        with self._lock:
            self._stopped = True
            for control in self._running.values():
                control.cancel()

    def fail(self, error: BaseException) -> None:
        """End the batch with this error, if there is none before it."""
        with self._lock:
            if self.error is None:
                self.error = error
        self.cancel()

    def raise_if_exhausted(self) -> None:
        """Raise a `NotFinishedError` if memory failed in a run, which then never ends."""
        with self._lock:
            exhausted = [self.jobs[index] for index, control in self._running.items() if control.exhausted]
        for job in exhausted:
            raise NotFinishedError(f"the run {job.label} with seed {job.seed} ran out of memory; {LESS_MEMORY}")

    def _begin_to_reduce(self, index: int) -> bool:
        with self._lock:
            self._reducing.add(index)
            return not self._given_up

    def _give_up(self) -> bool:
        """Let the workers go that are inside the core, if no other is at work."""
        with self._lock:
            self._given_up = not self._reducing
            if self._given_up:
                for index, control in self._running.items():
                    give_up(control, self._threads[index])
            return self._given_up

    def _unwanted(self) -> bool:
        return self._stopped

    def _take(self) -> tuple[int, _native.Control] | None:
        with self._lock:
            if self._stopped or self._next == len(self.jobs):
                return None
            index, control = self._next, _native.Control()
            self._next += 1
            self._running[index] = control
            self._threads[index] = threading.get_ident()
            return index, control

    def _finished(self, index: int) -> None:
        with self._lock:
            self._reducing.discard(index)
            del self._running[index]
            self._done += 1
            if not self._running and (self._stopped or self._next == len(self.jobs)):
                self.all_done.set()
