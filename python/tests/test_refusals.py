"""What an engine refuses it refuses before anything is written; what it refuses later is no bad input any more."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast._native import Outbox, Seat
from faircast.apart import compare_until_apart
from faircast.batch import Job
from faircast.engine.contract import Engine, Task, Work
from faircast.engine.processes import ProcessCrew, Processes
from faircast.engine.taken import Wanted
from faircast.engine.threads import Threads
from faircast.errors import InputError, NotFinishedError
from faircast.guests import Endpoint, Input, Scheme
from faircast.scenario import resolve

VARY = {"links.bottleneck.delay": ["20 ms", "60 ms"]}


class Refusing(Engine):
    """An engine that is there so many times, and then no more."""

    def __init__(self, times: int = 0) -> None:
        self.times = times

    @contextmanager
    def ready(self, tasks: Sequence[Task]) -> Iterator[Work]:
        if self.times == 0:
            raise InputError("nobody answers")
        self.times -= 1
        with Threads(2).ready(tasks) as work:
            yield work


def content(folder: Path) -> dict[Path, bytes | None]:
    """All that lies in a folder."""
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def swept(small: Path, out: Path, engine: Engine, **more: Any) -> None:
    faircast.sweep(small, vary=VARY, out=out, engine=engine, **more)


def run(small: Path, out: Path, engine: Engine) -> None:
    from faircast.folder import RunFolder
    from faircast.runs import run_into

    run_into(RunFolder.open(out, resolve(small)), [1, 2], engine=engine)


def reproduced(small: Path, out: Path, engine: Engine) -> None:
    faircast.reproduce("x-red", reps=2, out=out, engine=engine)


def tuned(small: Path, out: Path, engine: Engine) -> None:
    vary = {"links.bottleneck.queue.limit": "20..80 packets"}
    faircast.tune(small, vary=vary, minimise="bottleneck/queue_mean", trials=2, reps=2, out=out, engine=engine)


ALL = pytest.mark.parametrize("call", [run, swept, reproduced, tuned])


@ALL
def test_nothing_is_left_of_what_is_refused(
    small: Path, tmp_path: Path, call: Callable[[Path, Path, Engine], None]
) -> None:
    there = content(tmp_path)
    with pytest.raises(InputError, match="nobody answers"):
        call(small, tmp_path / "within" / "out", Refusing())
    assert content(tmp_path) == there
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="nobody answers"):
        call(small, tmp_path / "empty", Refusing())
    assert content(tmp_path) == there | {tmp_path / "empty": None}, "what was there before stays"


def test_a_folder_stays_as_it_was(small: Path, tmp_path: Path) -> None:
    swept(small, tmp_path / "sweep", Threads(2), reps=1)
    run(small, tmp_path / "run", Threads(2))
    (tmp_path / "run" / "seed-2" / "flows.parquet").write_bytes(b"damaged")
    there = content(tmp_path)
    with pytest.raises(InputError, match="nobody answers"):
        swept(small, tmp_path / "sweep", Refusing(), reps=2)
    with pytest.raises(InputError, match="nobody answers"):
        run(small, tmp_path / "run", Refusing())
    assert content(tmp_path) == there


def test_a_reproduction_of_another_build_stays_as_it_was(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other:
        for module in ("reproduction", "workplace"):
            other.setattr(f"faircast.{module}.build", lambda: "another")
        reproduced(small, tmp_path / "out", Threads(2))
    there = content(tmp_path)
    with pytest.raises(InputError, match="nobody answers"):
        reproduced(small, tmp_path / "out", Refusing())
    assert content(tmp_path) == there
    journal = tmp_path / "out" / "measurements.journal"
    journal.write_bytes(b"\nof the other build")
    seen: list[bytes] = []

    class Watch:
        def update(self, share: float, done: int, total: int) -> None:
            seen.append(journal.read_bytes() if journal.exists() else b"")

    found = faircast.reproduce("x-red", reps=2, out=tmp_path / "out", watcher=Watch())
    assert not any(b"of the other build" in text for text in seen)
    assert (found.found, found.runs > 0) == (0, True), "numbers of another build are not taken over"


def test_what_is_refused_when_runs_are_there_keeps_them(small: Path, tmp_path: Path) -> None:
    until = {"bottleneck/queue_mean": "0.01 %"}
    with pytest.raises(NotFinishedError, match="nobody answers; what was finished before is kept"):
        swept(small, tmp_path / "out", Refusing(times=1), reps=3, until=until, max_reps=5)
    kept = faircast.read(tmp_path / "out")
    assert [len(kept.runs(point)) for point in kept.points] == [3, 3]
    for name in "ab":
        run(small, tmp_path / name, Threads(2))
    with pytest.raises(NotFinishedError, match="nobody answers; what was finished before is kept"):
        compare_until_apart(
            [tmp_path / "a", tmp_path / "b"],
            between=None,
            metrics=["bottleneck/queue_mean"],
            reps=4,
            max_reps=5,
            engine=Refusing(times=1),
        )


def test_all_that_is_there_needs_nobody(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    swept(small, tmp_path / "out", Threads(2))
    monkeypatch.setattr(ProcessCrew, "start", lambda *_: pytest.fail("there is nothing to compute"))
    swept(small, tmp_path / "out", Processes(1))


class Still(Endpoint):
    def handle(self, now: int, given: Input, out: Outbox) -> None:
        pass

    def deadline(self) -> None:
        return None


class Homebound(Scheme):
    """A guest of which the file cannot be read elsewhere."""

    def source(self, seat: Seat) -> Endpoint:
        return Still()

    def member(self, seat: Seat) -> Endpoint:
        return Still()


def test_a_guest_that_cannot_travel_leaves_nothing(
    small: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    faircast.register_scheme("homebound", Homebound)
    session = 'scheme = "homebound"\nsource = "left-0"\nreceivers = { nodes = ["right-0"] }'
    text = f"{small.read_text()}\n[sessions.film]\n{session}\n"
    Path("film.toml").write_text(text)
    given = "sweep", "film.toml", "--vary", "links.bottleneck.delay=20 ms,60 ms", "--processes", 1, "--out", "out"
    with monkeypatch.context() as here:
        here.setattr("faircast.engine.luggage.dumps", refuse)
        done = cli(*given)
    assert (done.code, Path("out").exists()) == (2, False)
    assert "the scheme homebound cannot be sent to other processes: cannot pickle a lock" in done.err
    with monkeypatch.context() as there:
        there.setattr("faircast.engine.home.pack", lambda _: pickle.dumps(Unknown()))
        done = cli(*given)
    assert (done.code, Path("out").exists()) == (2, False)
    assert (
        "what the runs need cannot be had in another process: ModuleNotFoundError: No module named 'gone'" in done.err
    )
    assert cli(*given).code == 0


def refuse(thing: object) -> bytes:
    raise TypeError("cannot pickle a lock")


class Unknown:
    """What only a module has that is not there."""

    def __reduce__(self) -> tuple[Any, ...]:
        return __import__, ("gone",)


def test_a_process_that_refuses_after_another_was_ready_is_too_late() -> None:
    crew = ProcessCrew(1)
    try:
        crew.start(pickle.dumps(([], [])))
        with pytest.raises(NotFinishedError, match="cannot be had in another process: no memory"):
            crew._event(1, ("refused", "no memory"))
    finally:
        crew.close()
        crew.close()


def test_an_engine_is_ready_and_asked_for_nothing(small: Path) -> None:
    task = Task(Job(resolve(small).json, 1), Wanted())
    with Processes(2).ready([task]):
        pass
    with Processes(2).ready([]) as work:
        assert work(lambda place, _: place).results == []
