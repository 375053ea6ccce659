"""Batches: order, errors, interruption."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from faircast import _native
from faircast.batch import Job
from faircast.engine.threads import _Batch, run_batch
from faircast.errors import InputError, NotFinishedError
from faircast.scenario import resolve
from faircast.summary import summary_of


def values(small: Path, workers: int) -> list[Any]:
    scenario = resolve(small).json
    jobs = [Job(scenario, seed) for seed in range(1, 7)]
    outcome = run_batch(jobs, lambda job, raw, cpu_s: (job.seed, list(summary_of(raw).values)), workers=workers)
    assert not outcome.interrupted
    return outcome.results


def test_results_do_not_depend_on_the_number_of_workers(small: Path) -> None:
    alone = values(small, 1)
    assert [seed for seed, _ in alone] == [1, 2, 3, 4, 5, 6]
    assert repr(values(small, 2)) == repr(alone)
    assert repr(values(small, 5)) == repr(alone)


def test_a_batch_of_nothing() -> None:
    assert run_batch([], lambda job, raw, cpu_s: None).results == []


def test_no_workers() -> None:
    with pytest.raises(InputError, match="--jobs is 0"):
        run_batch([], lambda job, raw, cpu_s: None, workers=0)


class Panic(BaseException):
    """As a panic of the core: no ordinary exception."""


def test_an_internal_error_names_the_run(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def panic(scenario: str, seed: int, *_: object) -> None:
        if seed == 3:
            raise Panic("index out of bounds")

    monkeypatch.setattr(_native, "run", panic)
    jobs = [Job("{}", seed, "small") for seed in range(1, 100)]
    with pytest.raises(NotFinishedError, match=r"the run small with seed 3 hit an internal error.*index out of bounds"):
        run_batch(jobs, lambda job, raw, cpu_s: None, workers=1)


def test_an_error_of_the_caller_is_passed_on(small: Path) -> None:
    def broken(job: Job, raw: object, cpu_s: float) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run_batch([Job(resolve(small).json, 1)], broken)


def test_interruption_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third run waits until it is cancelled; the signal comes when it has started."""

    class Raw:
        def __init__(self, interrupted: bool) -> None:
            self.interrupted = interrupted

    class Control:
        progress = 0.5

        def __init__(self) -> None:
            self.cancelled = threading.Event()

        def cancel(self) -> None:
            self.cancelled.set()

    def run(scenario: str, seed: int, control: Control, *_: object) -> Raw:
        if seed < 3:
            return Raw(False)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert control.cancelled.wait(30), "the run was not cancelled"
        return Raw(True)

    monkeypatch.setattr(_native, "run", run)
    monkeypatch.setattr(_native, "Control", Control)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run_batch(
            [Job("{}", seed) for seed in range(1, 6)], lambda job, raw, cpu_s: raw.interrupted, workers=1
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert outcome.results == [False, False, True, None, None]


def test_a_run_that_does_not_stop_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """As while the core builds a large network. What the run gives later is not reduced: the folder is closed then."""
    asked, late = threading.Event(), threading.Event()
    reduced: list[int] = []

    class Control:
        progress = 0.0

        def cancel(self) -> None:
            asked.set()

    class Raw:
        interrupted = True

    def run(scenario: str, seed: int, control: Control, *_: object) -> Raw:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert asked.wait(30)
        assert late.wait(30), "nobody waits so long for this run"
        return Raw()

    monkeypatch.setattr(_native, "run", run)
    monkeypatch.setattr(_native, "Control", Control)
    monkeypatch.setattr("faircast.engine.threads.PATIENCE_S", 0.01)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run_batch([Job("{}", 1)], lambda job, raw, cpu_s: reduced.append(job.seed), workers=1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert outcome.results == [None]
    workers = [thread for thread in threading.enumerate() if thread.name == "run-0"]
    late.set()
    for thread in workers:
        thread.join(30)
    assert len(workers) == 1
    assert reduced == []


def test_what_is_being_reduced_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished run whose tables are being written when Ctrl-C comes is kept."""
    asked = threading.Event()
    answers: list[bool] = []
    give_up = _Batch._give_up

    class Raw:
        interrupted = False

    def asks(batch: _Batch[str]) -> bool:
        answers.append(give_up(batch))
        asked.set()
        return answers[-1]

    def reduce(job: Job, raw: object, cpu_s: float) -> str:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert asked.wait(30), "the patience never ends"
        return "written"

    monkeypatch.setattr(_native, "run", lambda *_: Raw())
    monkeypatch.setattr("faircast.engine.threads.PATIENCE_S", 0.01)
    monkeypatch.setattr(_Batch, "_give_up", asks)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run_batch([Job("{}", seed) for seed in (1, 2)], reduce, workers=1)
    finally:
        signal.signal(signal.SIGINT, before)
    assert answers[0] is False
    assert (outcome.interrupted, outcome.results) == (True, ["written", None])


def test_progress_is_told(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[float, int, int]] = []

    class Watcher:
        def update(self, share: float, done: int, total: int) -> None:
            told.append((share, done, total))

    monkeypatch.setattr("faircast.engine.threads.POLL_S", 0.001)
    scenario = resolve(small).json
    run_batch(
        [Job(scenario, 1), Job(scenario, 2)], lambda job, raw, cpu_s: time.sleep(0.02), workers=1, watcher=Watcher()
    )
    assert told[-1] == (1.0, 2, 2)
    assert all(0 <= share <= 1 for share, _, _ in told)


def test_a_watcher_that_fails_stops_the_runs(small: Path) -> None:
    class Broken:
        def update(self, share: float, done: int, total: int) -> None:
            raise NotFinishedError("nobody listens")

    scenario = resolve(small, sets=["duration='100000 s'"]).json
    with pytest.raises(NotFinishedError, match="nobody listens"):
        run_batch([Job(scenario, 1)], lambda job, raw, cpu_s: None, watcher=Broken())
    for thread in threading.enumerate():
        if thread.name.startswith("run-"):
            thread.join(30)
            assert not thread.is_alive(), "the run has been stopped"
