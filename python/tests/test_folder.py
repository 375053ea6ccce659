"""The folder of a run: what is wanted, what is damaged, who may work on it, what kills and failures leave."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, edit_manifest, parquet_bytes, start
from test_interrupt import LONG, wait_for

from faircast import _native
from faircast.errors import InputError
from faircast.folder import RunFolder
from faircast.ranges import from_ranges, to_ranges
from faircast.results import RunResult
from faircast.runs import run_into
from faircast.scenario import resolve
from faircast.storage import BusyError, Lock, new_file, new_folder


def manifest(folder: str = "mine") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "manifest.json").read_text())
    return found


def names(folder: str = "mine") -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_ranges_by_hand() -> None:
    assert to_ranges([3, 1, 2, 7, 2]) == [[1, 3], [7, 7]]
    assert from_ranges([[1, 3], [7, 7]]) == [1, 2, 3, 7]
    assert to_ranges([]) == []


def test_a_folder_finishes_what_was_asked_for(cli: Cli, small: Path) -> None:
    """16 seeds are asked for, the process is killed after a few: the folder alone says what is left to do."""
    assert cli("run", small, "--reps", 16, "--out", "whole").code == 0
    process = start("run", small, "--reps", 16, "--jobs", 1, "--out", "mine", cwd=Path.cwd())
    wait_for(Path("mine/seed-2"))
    process.kill()
    process.communicate()
    assert manifest()["status"] == "running"
    assert len(list(Path("mine").glob("seed-*"))) < 16
    assert cli("run", "mine").code == 0
    assert (manifest()["status"], list(manifest()["runs"])) == ("finished", [str(seed) for seed in range(1, 17)])
    assert parquet_bytes(Path("mine")) == parquet_bytes(Path("whole"))
    assert names() == names("whole")


def test_seeds_of_several_calls_add_up(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--out", "mine")
    cli("run", small, "--seed", 9, "--out", "mine")
    assert manifest()["seeds"] == [[1, 2], [9, 9]]
    shutil.rmtree("mine/seed-9")
    assert cli("run", "mine").code == 0
    assert names() == ["manifest.json", "seed-1", "seed-2", "seed-9", "summary.parquet"]


def test_a_folder_is_not_finished_while_wanted_seeds_are_missing(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 3, "--out", "mine")
    shutil.rmtree("mine/seed-2")
    cli("run", small, "--reps", 1, "--out", "mine")
    assert manifest()["status"] == "interrupted"
    cli("run", "mine")
    assert manifest()["status"] == "finished"


def test_what_kills_leave_is_removed(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--out", "whole")
    cli("run", small, "--out", "mine")
    Path("mine/.seed-2.new").mkdir()
    Path("mine/.seed-2.new/flows.parquet").write_text("half")
    Path("mine/.summary.parquet.new").write_text("half")
    Path("mine/.lock").touch()
    shutil.copytree("mine/seed-1", "mine/seed-1-interrupted")
    assert cli("run", small, "--reps", 2, "--out", "mine").code == 0
    assert names() == names("whole")


def test_a_kill_before_the_first_manifest_does_not_close_the_folder(cli: Cli, small: Path) -> None:
    Path("mine").mkdir()
    Path("mine/.manifest.json.new").write_text('{"kind"')
    Path("mine/.lock").touch()
    assert cli("run", small, "--out", "mine").code == 0
    assert names() == ["manifest.json", "seed-1", "summary.parquet"]


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def change(path: Path, files: dict[str, int]) -> None:
    edit_manifest(path.parent, files=files)


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (truncate, "flows.parquet has "),
        (Path.unlink, "flows.parquet is missing"),
        (flip, "flows.parquet is not as it was written"),
        (lambda path: (path.parent / "manifest.json").unlink(), "has no manifest.json"),
        (lambda path: (path.parent / "manifest.json").write_text('{"kind": 1'), "manifest.json is damaged"),
        (lambda path: change(path, {}), "manifest.json does not list the files"),
        (lambda path: change(path, {"summary.parquet": 7}), "manifest.json does not list the files"),
    ],
    ids=["truncated", "missing", "a bit", "no manifest", "half a manifest", "no files", "no lengths"],
)
def test_a_damaged_seed_is_told_and_run_again(cli: Cli, small: Path, damage: Any, says: str) -> None:
    cli("run", small, "--reps", 3, "--out", "mine")
    whole = parquet_bytes(Path("mine"))
    sound = Path("mine/seed-1").stat().st_mtime_ns
    damage(Path("mine/seed-2/flows.parquet"))
    done = cli("run", small, "--reps", 3, "--out", "mine")
    assert done.code == 0
    assert "seed 2 was damaged and is run again" in done.err
    assert says in done.err
    assert says in manifest()["calls"][-1]["damaged"]["2"]
    assert parquet_bytes(Path("mine")) == whole
    assert Path("mine/seed-1").stat().st_mtime_ns == sound


def test_lengths_and_hashes_are_those_of_the_files(cli: Cli, small: Path) -> None:
    import hashlib

    cli("run", small, "--out", "mine")
    files = manifest("mine/seed-1")["files"]
    assert set(files) == set(names("mine/seed-1")) - {"manifest.json"}
    for name, (length, digest) in files.items():
        data = Path("mine/seed-1", name).read_bytes()
        assert (length, digest) == (len(data), hashlib.sha256(data).hexdigest())


def test_the_seed_of_another_run_is_refused(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--out", "mine")
    cli("run", small, "--set", "duration='21 s'", "--out", "other")
    shutil.rmtree("mine/seed-2")
    shutil.copytree("other/seed-1", "mine/seed-2")
    done = cli("run", small, "--reps", 2, "--out", "mine")
    assert done.code == 2
    assert "mine/seed-2 belongs to another run" in done.err
    assert Path("mine/seed-2/flows.parquet").read_bytes() == Path("other/seed-1/flows.parquet").read_bytes()


@pytest.mark.parametrize("other", [("--seed", 3), ("--seed", 2, "--set", "duration='21 s'")], ids=["seed", "scenario"])
def test_summaries_refuse_the_file_of_another_run(cli: Cli, small: Path, other: tuple[object, ...]) -> None:
    cli("run", small, "--reps", 2, "--out", "mine")
    cli("run", small, *other, "--out", "other")
    folder = RunFolder.open("mine", resolve(small))
    assert list(folder.summaries()) == [1, 2]
    (theirs,) = Path("other").glob("seed-*/summary.parquet")
    shutil.copy(theirs, "mine/seed-2/summary.parquet")
    with pytest.raises(InputError, match=r"mine/seed-2/summary\.parquet belongs to another run; remove mine/seed-2"):
        folder.summaries()


def test_a_folder_is_looked_at_again_under_the_lock(small: Path, tmp_path: Path) -> None:
    """It was free when it was opened; when the work begins somebody else has been there."""
    mine = RunFolder.open(tmp_path / "place", resolve(small))
    run_into(RunFolder.open(tmp_path / "place", resolve(small, sets=["duration='21 s'"])), [1])
    with pytest.raises(InputError, match="place holds another scenario"):
        run_into(mine, [1])


def test_two_processes_in_one_folder(cli: Cli, small: Path) -> None:
    process = start("run", small, *LONG, "--out", "mine", cwd=Path.cwd())
    try:
        wait_for(Path("mine/manifest.json"))
        before = Path("mine/manifest.json").read_bytes()
        done = cli("run", small, *LONG, "--out", "mine")
        assert done.code == 2
        assert f"mine is in use: process {process.pid} on " in done.err
        assert "choose another folder with --out" in done.err
        assert Path("mine/manifest.json").read_bytes() == before
        process.kill()
        process.communicate()
        with Lock(Path("mine")):
            pass  # the lock has died with its process
    finally:
        process.kill()
        process.communicate()


def test_a_lock_that_its_holder_has_just_removed_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is opened, then its holder releases it, then somebody else makes and locks a new one."""
    holder = Lock(tmp_path).__enter__()
    newer = Lock(tmp_path)
    real = fcntl.flock
    calls = 0

    def flock(handle: int, how: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            holder.__exit__()
            newer.__enter__()
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(BusyError):
        Lock(tmp_path).__enter__()
    newer.__exit__()
    assert list(tmp_path.iterdir()) == []


def test_file_systems_without_locks_are_used_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with Lock(tmp_path):
        pass


def test_a_failure_keeps_what_is_finished(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = _native.run

    def panic(scenario: str, seed: int, *more: Any) -> Any:
        if seed == 3:
            raise SystemError("index out of bounds")
        return real(scenario, seed, *more)

    monkeypatch.setattr(_native, "run", panic)
    done = cli("run", small, "--reps", 4, "--jobs", 1, "--out", "mine")
    assert done.code == 3
    found = manifest()
    assert (found["status"], list(found["runs"])) == ("failed", ["1", "2"])
    assert "seed 3 hit an internal error, please report it: index out of bounds" in found["message"]
    assert names() == ["manifest.json", "seed-1", "seed-2", "summary.parquet"]
    monkeypatch.setattr(_native, "run", real)
    assert cli("run", "mine").code == 0
    assert (manifest()["status"], "message" in manifest()) == ("finished", False)
    cli("run", small, "--reps", 4, "--out", "whole")
    assert parquet_bytes(Path("mine")) == parquet_bytes(Path("whole"))


def test_an_error_beside_the_runs_is_noted_too(small: Path, tmp_path: Path) -> None:
    class Broken:
        def update(self, share: float, done: int, total: int) -> None:
            raise MemoryError("no more")

    folder = RunFolder.open(tmp_path / "mine", resolve(small, sets=["duration='100000 s'"]))
    with pytest.raises(MemoryError):
        run_into(folder, [1], watcher=Broken())
    for thread in threading.enumerate():
        if thread.name.startswith("run-"):
            thread.join(30)
            assert not thread.is_alive(), "the run has been stopped"
    found = manifest(str(tmp_path / "mine"))
    assert (found["status"], found["message"]) == ("failed", "MemoryError: no more")


def test_a_full_disk_keeps_what_is_finished(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk is full from the moment the second seed is written, and stays so."""
    real = os.fsync
    full = False

    def fsync(handle: int) -> None:
        nonlocal full
        full = full or Path("mine/.seed-2.new").exists()
        if full:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    done = cli("run", small, "--reps", 3, "--jobs", 1, "--out", "mine")
    assert done.code == 3
    assert "No space left on device; what was finished before is kept" in done.err
    assert names() == ["manifest.json", "seed-1"]
    monkeypatch.setattr(os, "fsync", real)
    assert cli("run", "mine").code == 0
    assert list(manifest()["runs"]) == ["1", "2", "3"]


def test_the_manifest_tells_the_warnings_of_each_seed(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--set", "flows.web.wnd='1 packet'", "--out", "mine")
    cli("run", small, "--set", "flows.web.wnd='60 packets'", "--out", "other")
    for seed in ("1", "2"):
        told = manifest()["runs"][seed]["warnings"]
        assert [(row["kind"], row["subject"]) for row in told] == [
            ("window-limited", "web-0"),
            ("window-limited", "web-1"),
            ("no-bottleneck", "bottleneck"),
        ]
        assert told == RunResult.read(f"mine/seed-{seed}").warnings.to_pylist()
        assert told == manifest(f"mine/seed-{seed}")["warnings"]
    assert "warnings" not in manifest("other")["runs"]["1"]


def test_no_permission_to_write_in_a_folder(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("run", small, "--out", "mine")
    before = names()

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("faircast.storage.os.open", refuse)
    done = cli("run", small, "--reps", 2, "--out", "mine")
    assert done.code == 2
    assert "cannot write to the folder mine: Permission denied; choose another one with --out" in done.err
    assert names() == before


def test_a_file_takes_its_place_when_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this order: fsync of every file, then the renaming, then fsync of the folder it happened in."""
    log: list[str] = []
    fsync, replace, rename = os.fsync, Path.replace, Path.rename

    def name(handle: int) -> str:
        return Path(f"/proc/self/fd/{handle}").readlink().name

    monkeypatch.setattr(os, "fsync", lambda handle: (log.append(f"sync {name(handle)}"), fsync(handle)))
    monkeypatch.setattr(Path, "replace", lambda path, to: (log.append(f"rename {path.name}"), replace(path, to)))
    monkeypatch.setattr(Path, "rename", lambda path, to: (log.append(f"rename {path.name}"), rename(path, to)))
    with new_file(tmp_path / "a") as file:
        file.write(b"1")
    assert log == ["sync .a.new", "rename .a.new", f"sync {tmp_path.name}"]
    log.clear()
    with new_folder(tmp_path / "b") as folder:
        (folder / "x").write_bytes(b"2")
    assert log == ["sync x", "sync .b.new", "rename .b.new", f"sync {tmp_path.name}"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_file_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(TypeError), new_file(tmp_path / "a") as file:
        file.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a", "old")]
