"""The folder of a sweep: the same files whatever the order, the workers and the kills; what does not belong to it."""

from __future__ import annotations

import json
import random
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, edit_manifest, make_earlier, start
from test_sweep import ARGUMENTS, QUICK, VARY, content

import faircast
from faircast import SweepResult, _native
from faircast.errors import InputError, NotFinishedError
from faircast.journal import Journal
from faircast.measurements import JOURNAL


def test_paths_in_any_order_and_spelling(cli: Cli, small: Path) -> None:
    """Nothing is computed again, and the files are those of the latest call as if it had been the only one."""
    first = ("--vary", "flows.web.count=1,2", "--vary", "duration=3s,4s")
    second = ("--vary", "duration=4s", "--vary", 'flows."web".count=2,1')
    rest = ("--set", "warmup=1s", "--tables", "flows", "--out")
    assert cli("sweep", small, *first, *rest, "here").code == 0
    assert cli("sweep", small, *second, *rest, "here").out.endswith("0 runs computed, 2 reused\n")
    assert SweepResult.read("here").varied == ("duration", "flows.web.count")
    assert cli("sweep", small, *second, *rest, "whole").code == 0
    assert cli("sweep", small, "--vary", "duration=3s", *second[2:3], "flows.web.count=1,2", *rest, "whole").code == 0
    assert cli("sweep", small, *second, *rest, "whole").out.endswith("0 runs computed, 2 reused\n")
    assert content(Path("here")) == content(Path("whole"))


def test_names_of_folders_have_room_in_every_file_system(cli: Cli, small: Path) -> None:
    """They count bytes, 255 of them, and some letters have four."""
    text = "\U0001d518" * 90
    done = cli(
        "sweep", small, "--vary", f"description={text}", "--set", "duration=3s", "--tables", "flows", "--out", "x"
    )
    assert done.code == 0, done.err
    (place,) = Path("x/tables").iterdir()
    assert place.name.startswith("\U0001d518" * 20 + "-")


def test_workers_do_not_matter(cli: Cli, small: Path) -> None:
    for jobs in (1, 2, 5):
        more = ("--reps", 3, "--jobs", jobs, "--tables", "flows", "--out", f"jobs-{jobs}")
        assert cli("sweep", small, *ARGUMENTS, *more).code == 0
    assert content(Path("jobs-1")) == content(Path("jobs-2")) == content(Path("jobs-5"))


@pytest.mark.parametrize("count", [0, 1, 5, 7])
def test_a_sweep_that_fails_computes_only_what_is_missing(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: list[int], count: int
) -> None:
    how: dict[str, Any] = {"vary": VARY, "reps": 2, "sets": QUICK, "tables": ["queues"]}
    faircast.sweep(small, **how, out=tmp_path / "whole")
    real = _native.run
    with monkeypatch.context() as failing:
        begun: list[int] = []

        def run(scenario: str, seed: int, *more: Any) -> Any:
            begun.append(seed)
            if len(begun) > count:
                raise SystemError("index out of bounds")
            return real(scenario, seed, *more)

        failing.setattr(_native, "run", run)
        with pytest.raises(NotFinishedError, match="index out of bounds"):
            faircast.sweep(small, **how, out=tmp_path / "parts", jobs=1)
    assert json.loads((tmp_path / "parts/manifest.json").read_text())["status"] == "failed"
    half = SweepResult.read(tmp_path / "parts")
    assert half.interrupted
    assert sum(len(half.runs(point)) for point in half.points) == count
    result = faircast.sweep(small, **how, out=tmp_path / "parts")
    assert (result.computed, result.found) == (8 - count, count)
    assert content(tmp_path / "parts") == content(tmp_path / "whole")
    assert not SweepResult.read(tmp_path / "parts").interrupted


def journal_length() -> int:
    return len(list(Journal(Path("killed") / JOURNAL).read()))


def test_kills_change_nothing(cli: Cli, small: Path) -> None:
    """At random moments, also within the writing; `tools/kills.py` does so more often."""
    command = ("sweep", small, *ARGUMENTS[:4], "--set", "duration=100s", "--reps", 3, "--tables", "flows", "--jobs", 2)
    assert cli(*command, "--out", "whole").code == 0
    moments = random.Random(12)
    for _ in range(3):
        process = start(*command, "--out", "killed", cwd=Path.cwd())
        more = journal_length() + moments.randint(1, 3)
        while process.poll() is None and journal_length() < more:
            time.sleep(0.01)
        with suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(0, 0.02))
        process.kill()
        process.communicate()
    done = cli(*command, "--out", "killed")
    assert done.code == 0
    assert content(Path("killed")) == content(Path("whole"))
    assert "runs computed" in done.out


def test_what_killed_processes_left_is_removed(cli: Cli, small: Path) -> None:
    command = ("sweep", small, *ARGUMENTS, "--tables", "flows", "--out")
    assert cli(*command, "whole").code == 0
    assert cli(*command, "here").code == 0
    (place,) = Path("here/tables").glob("1-5-packets-*")
    (place / "seed-1/flows.parquet").unlink()
    (place / ".seed-1.new").mkdir()
    (place / ".seed-1.new/flows.parquet").write_text("half")
    Path("here/.points.parquet.new").write_text("half")
    assert cli(*command, "here").out.endswith("1 runs computed, 3 reused\n")
    assert content(Path("here")) == content(Path("whole"))


def test_folders_that_hold_something_else(cli: Cli, small: Path) -> None:
    sweep = ("sweep", small, *ARGUMENTS[4:], "--vary", "flows.web.count=1", "--out")
    cli("run", small, "--out", "a-run")
    assert "a-run holds a run, not a sweep" in cli(*sweep, "a-run").err
    assert "a-run holds a run; a sweep needs a scenario" in cli("sweep", "a-run").err
    with pytest.raises(InputError, match="a-run holds a run, not a sweep"):
        SweepResult.read("a-run")
    assert cli(*sweep, "mine").code == 0
    assert "mine holds a sweep, not a run" in cli("run", small, "--out", "mine").err
    assert cli("run", "mine").code == 2
    assert "mine holds another scenario" in cli(*sweep, "mine", "--set", "links.bottleneck.delay=9ms").err
    edit_manifest("mine", build="0")
    assert "was made by another build" in cli(*sweep, "mine").err
    make_earlier("mine")
    Path("mine/points.parquet").write_bytes(Path("mine/measurements.parquet").read_bytes())
    with pytest.raises(InputError, match="not one of the points of a sweep"):
        SweepResult.read("mine")


def test_a_file_that_has_changed_below_the_scenario(cli: Cli, small: Path) -> None:
    """Its points have other scenarios by the same name: they are not mixed."""
    sweep = ("sweep", "--vary", f"scenario={small}", "--vary", "duration=3s", "--set", "warmup=1s", "--out", "mine")
    assert cli(*sweep).code == 0
    small.write_text(small.read_text().replace("count = 2", "count = 1"))
    done = cli(*sweep)
    assert done.code == 2
    assert "mine holds another scenario for the point" in done.err
    assert "a file that the scenario reads has changed" in done.err


def test_a_changed_file_is_found_at_points_that_are_not_asked_for(cli: Cli, small: Path) -> None:
    """What the folder holds of the file as it was, and new points of the file as it is, do not belong together."""
    fade = small.with_name("fade.csv")
    fade.write_text("time,delay\n1 s,60 ms\n")
    sweep = ("sweep", small, "--set", "duration=3s", "--set", "warmup=1s", "--set", "links.bottleneck.changes=fade.csv",
             "--out", "mine", "--vary")  # fmt: skip
    assert cli(*sweep, "flows.web.count=1").code == 0
    fade.write_text("time,delay\n1 s,70 ms\n")
    before = content(Path("mine"))
    done = cli(*sweep, "flows.web.count=2")
    assert done.code == 2
    assert "mine holds another scenario for the point flows.web.count = 1: a file that the scenario" in done.err
    assert content(Path("mine")) == before
    fade.write_text("time,delay\n1 s,60 ms\n")
    assert cli(*sweep, "flows.web.count=2").code == 0


def test_points_stay_whose_file_is_gone(cli: Cli, small: Path) -> None:
    """Nobody can tell it from the one that was read, and the new points do not rest on it."""
    other = small.with_name("other.toml")
    other.write_text(small.read_text().replace("count = 2", "count = 1"))
    sweep = ("sweep", "--vary", "duration=3s", "--set", "warmup=1s", "--out", "mine", "--vary")
    assert cli(*sweep, f"scenario={other}").code == 0
    other.unlink()
    assert cli(*sweep, f"scenario={small}").code == 0
    assert len(SweepResult.read("mine").points) == 2
