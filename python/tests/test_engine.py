"""Runs in other processes: the same bytes, what travels, what becomes of runs that end their process."""

from __future__ import annotations

import filecmp
import json
import os
import signal
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast._native import Outbox, Seat
from faircast.arrow import from_bytes, to_bytes
from faircast.batch import Job
from faircast.engine import chosen, luggage, remote
from faircast.engine.contract import Task
from faircast.engine.processes import Processes, ended
from faircast.engine.taken import Everything, Taken, Wanted
from faircast.engine.threads import Threads
from faircast.errors import InputError, NotFinishedError
from faircast.guests import Endpoint, Input, Scheme
from faircast.scenario import resolve
from faircast.vary import known_by

VARY = {"links.bottleneck.delay": ["20 ms", "60 ms"]}


def same_files(a: Path, b: Path) -> None:
    """All but manifests are equal, byte for byte."""
    names = {path.relative_to(a) for path in a.rglob("*") if path.is_file() and path != a / "manifest.json"}
    assert names == {path.relative_to(b) for path in b.rglob("*") if path.is_file() and path != b / "manifest.json"}
    assert len(names) > 2
    for name in names:
        assert filecmp.cmp(a / name, b / name, shallow=False), name


def test_processes_write_the_bytes_of_threads(small: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"vary": VARY, "reps": 3, "tables": ["flows", "queues", "warnings"]}
    faircast.sweep(small, jobs=1, out=tmp_path / "threads", **given)
    result = faircast.sweep(small, engine=Processes(2), out=tmp_path / "processes", **given)
    assert (result.computed, result.failed) == (6, ())
    same_files(tmp_path / "threads", tmp_path / "processes")


def test_a_campaign_goes_on_with_another_engine(small: Path, tmp_path: Path) -> None:
    faircast.sweep(small, vary=VARY, reps=3, out=tmp_path / "whole")
    faircast.sweep(small, vary=VARY, reps=1, out=tmp_path / "parts", engine=Processes(1))
    result = faircast.sweep(small, vary=VARY, reps=3, out=tmp_path / "parts")
    assert (result.computed, result.found) == (4, 2)
    same_files(tmp_path / "whole", tmp_path / "parts")


GOAL = ("--minimise", "bottleneck/queue_mean", "--trials", 4, "--width", 2, "--reps", 2)


def test_all_verbs_have_processes(cli: Cli, small: Path) -> None:
    for verb, *more in (
        ("run", small, "--reps", 2),
        ("sweep", small, "--vary", "links.bottleneck.delay=20 ms,60 ms"),
        ("reproduce", "x-red", "--reps", 2),
        ("tune", small, "--vary", "links.bottleneck.queue.limit=20..80 packets", *GOAL),
    ):
        for out, option in (("here", "--jobs"), ("there", "--processes")):
            done = cli(verb, *more, option, 2, "--out", f"{verb}-{out}")
            assert done.code == 0, done.err
        if verb == "run":
            for seed in (1, 2):
                for path in Path(f"run-here/seed-{seed}").glob("*.parquet"):
                    assert filecmp.cmp(path, Path(f"run-there/seed-{seed}") / path.name, shallow=False)
            assert filecmp.cmp("run-here/summary.parquet", "run-there/summary.parquet", shallow=False)
        elif verb in ("sweep", "tune"):
            same_files(Path(f"{verb}-here"), Path(f"{verb}-there"))
        else:
            for name in ("measurements.parquet", "kept.parquet"):
                assert filecmp.cmp(f"reproduce-here/{name}", f"reproduce-there/{name}", shallow=False)
    for out, option in (("here", "--jobs"), ("there", "--processes")):
        until = "--metric", "bottleneck/queue_mean", "--until-apart", "--reps", 3, "--max-reps", 5
        done = cli("compare", f"sweep-{out}", "--between", "delay", *until, option, 2)
        assert done.code == 0, done.err
    same_files(Path("sweep-here"), Path("sweep-there"))
    assert len(faircast.read("sweep-there").points[0].seeds) >= 3


def test_runs_in_memory_are_the_same(small: Path) -> None:
    here = faircast.run(small, seeds=[1, 2])
    there = faircast.run(small, seeds=[1, 2], engine=Processes(2))
    for name in ("flows", "queues", "links", "warnings"):
        assert repr(here.table(name).to_pydict()) == repr(there.table(name).to_pydict()), name
    assert repr(list(here.rows)) == repr(list(there.rows))


def test_tables_come_back_as_they_were(small: Path) -> None:
    found: dict[str, Any] = {}
    job = Job(resolve(small).json, 1)
    Threads(1).compute([Task(job, Everything())], lambda _, taken: found.update(taken.columns))
    assert any(not len(columns[0][2]) for columns in found.values()), "there is a table of no rows"
    for name, columns in found.items():
        assert from_bytes(to_bytes(columns)) == columns, name


@dataclass
class Deadly(Scheme):
    """A source that does to its process what it is told."""

    how: str = ""

    def source(self, seat: Seat) -> Endpoint:
        if self.how == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "wrong":
            raise ValueError("as it was told")
        if self.how == "prints":
            print("a line on standard output")
        return Still()

    def member(self, seat: Seat) -> Endpoint:
        return Still()


class Still(Endpoint):
    def handle(self, now: int, given: Input, out: Outbox) -> None:
        pass

    def deadline(self) -> None:
        return None


@pytest.fixture
def deadly(small: Path) -> str:
    faircast.register_scheme("deadly", Deadly)
    session = 'scheme = "deadly"\nsource = "left-0"\nreceivers = { nodes = ["right-0"] }'
    return f"{small.read_text()}\n[sessions.film]\n{session}\n"


HOW = "sessions.film.how"


def test_a_run_that_kills_its_process_is_given_up_and_the_others_go_on(deadly: str, tmp_path: Path, cli: Cli) -> None:
    result = faircast.sweep(
        deadly, vary={HOW: ["", "killed", "prints"]}, reps=2, out=tmp_path / "out", engine=Processes(2)
    )
    assert [(item.values[HOW], item.seed) for item in result.failed] == [("killed", 1), ("killed", 2)]
    assert {item.reason for item in result.failed} == {"its process was ended by SIGKILL"}
    assert (result.computed, result.interrupted, result.missing) == (4, False, 2)
    assert faircast.read(tmp_path / "out").failed == result.failed
    assert json.loads((tmp_path / "out" / "manifest.json").read_text())["status"] == "interrupted"
    shown = cli("show", tmp_path / "out")
    assert "the run with how = killed and seed 1 was given up: its process was ended by SIGKILL" in shown.err
    assert json.loads(cli("show", tmp_path / "out", "--json").out)["failed"][1]["seed"] == 2
    alone = faircast.sweep(deadly, vary={HOW: ["", "prints"]}, reps=2, out=tmp_path / "alone")
    of = {known_by(point.values): point for point in result.points}
    for point in alone.points:
        assert repr(list(result.rows(of[known_by(point.values)]))) == repr(list(alone.rows(point)))


def test_the_next_call_tries_what_was_given_up(deadly: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {"vary": {HOW: ["", "killed"]}, "out": tmp_path / "out"}
    first = faircast.sweep(deadly, engine=Processes(1), **given)
    assert len(first.failed) == 1
    monkeypatch.setattr(Deadly, "source", lambda self, seat: Still())
    again = faircast.sweep(deadly, **given)
    assert (again.computed, again.found, again.failed, again.missing) == (1, 1, (), 0)
    assert "failed" not in json.loads((tmp_path / "out" / "manifest.json").read_text())


def test_a_seed_that_kills_its_process_is_told(deadly: str, tmp_path: Path) -> None:
    with pytest.raises(NotFinishedError, match=r"the run small with seed 1 failed: its process was ended by SIGKILL"):
        faircast.run(deadly, sets=[f"{HOW}=killed"], engine=Processes(1))


def test_an_error_of_a_run_ends_the_campaign_as_in_threads(deadly: str, tmp_path: Path) -> None:
    said = []
    for engine in (Threads(1), Processes(1)):
        with pytest.raises(NotFinishedError) as wrong:
            faircast.sweep(deadly, vary={HOW: ["", "wrong"]}, out=tmp_path / type(engine).__name__, engine=engine)
        said.append(str(wrong.value))
        kept = faircast.read(tmp_path / type(engine).__name__)
        assert len(kept.done) == 1, "what was finished before is kept"
    assert said[0] == said[1]
    assert "ValueError: as it was told" in said[0]


def broken(raw: object) -> None:
    raise ZeroDivisionError("on purpose")


def test_an_error_of_a_reducing_function_is_passed_on(small: Path) -> None:
    task = Task(Job(resolve(small).json, 1), Wanted(reducers={"broken": broken}))
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        Processes(1).compute([task], lambda *_: None)


def test_an_error_of_keeping_is_passed_on(small: Path) -> None:
    def full(place: int, taken: Taken) -> None:
        raise NotFinishedError("the disk is full")

    with pytest.raises(NotFinishedError, match="the disk is full"):
        Processes(1).compute([Task(Job(resolve(small).json, 1), Wanted())], full)


def test_what_cannot_travel_is_refused_by_name_before_the_first_run(small: Path) -> None:
    job = Job(resolve(small).json, 1)
    lock = __import__("threading").Lock()
    with pytest.raises(InputError, match=r"what is kept of runs as locked cannot be sent to other processes: .*lock"):
        Processes(1).compute([Task(job, Wanted(reducers={"locked": partial(broken, lock)}))], lambda *_: None)


def test_only_guests_that_scenarios_name_travel(deadly: str, small: Path) -> None:
    known = luggage.registrations()
    assert luggage.named([resolve(small).json], known) == []
    assert luggage.named([resolve(small).json, resolve(deadly).json], known) == ["deadly"]


def test_a_worker_of_another_build_is_told_by_what_differs() -> None:
    own = remote.identity()
    assert remote.difference(own, dict(own)) == ""
    other = own | {"faircast": "0.0.1 build 0123456789ab"}
    assert remote.difference(own, other) == f"faircast 0.0.1 build 0123456789ab, here it is {own['faircast']}"
    assert remote.difference(own, own | {"its sources": "0"}) == f"other Python files in faircast {own['faircast']}"
    assert remote.difference(own, own | {"numpy": "1.0"}) == f"numpy 1.0, here it is {own['numpy']}"


def test_a_process_that_does_not_know_the_campaign_says_so() -> None:
    with pytest.raises(remote.StrangerError):
        remote.compute("nobody's", b"", 1)


def test_places_that_are_none(cli: Cli, small: Path) -> None:
    for options, said in (
        (("--processes", 0), "--processes is 0; it must be at least 1"),
        (("--processes", 2, "--jobs", 2), "--jobs and --processes say where runs are computed; give one of them"),
        (("--dask", "nowhere"), "--dask is nowhere; legal are tcp://HOST:PORT, tls://HOST:PORT and local:N"),
        (("--dask", "tcp://127.0.0.1:99999"), "--dask is tcp://127.0.0.1:99999; legal are"),
        (("--dask", "local:0"), "--dask is local:0; legal are"),
        (("--dask-certificates", "."), "--dask-certificates are for --dask tls://HOST:PORT"),
        (("--dask", "local:1", "--dask-certificates", "."), "--dask-certificates are for --dask tls://HOST:PORT"),
    ):
        done = cli("sweep", small, "--vary", "links.bottleneck.delay=20 ms,60 ms", *options)
        assert (done.code, said in done.err) == (2, True), done.err
    with pytest.raises(InputError, match="jobs are the threads of this process"):
        chosen(Processes(1), 2)
    assert not Path("results").exists()


def test_how_a_process_ended_is_said() -> None:
    assert [ended(code) for code in (3, -9, -250)] == [
        "ended with code 3",
        "was ended by SIGKILL",
        "was ended by signal 250",
    ]
