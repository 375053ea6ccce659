"""Kills faircast again and again, with SIGKILL, and holds what comes out against undisturbed results.

    python tools/kills.py [--kills N] [--every N] [--seed N] [--only TITLE]

A series for each way to write a result folder: `run --reps`, a folder that is continued, by its scenario and by itself,
`reproduce`, that and another experiment in one folder, `sweep`, one that takes in more values, and one that is
continued by its folder. The first kills of a series come at random moments; the seed decides on them. Then the process
kills itself before one of its changes of a file's name, or removals, in turn before each, or with `--every N` before
every Nth of them.

After every kill the folder must be readable, without a word about damage. The runs that were finished before must still
be there, untouched, and of those that the killed process began at most as many may be missing as were in flight. Each
folder is continued by the same command until it is finished; then it must hold the files of an undisturbed one, byte
for byte but for `manifest.json`, and nothing else.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import faircast
from faircast.errors import InputError, ResultWarning
from faircast.journal import Journal
from faircast.measurements import JOURNAL

JOBS = 2
LOG = "FAIRCAST_KILLS_LOG"
AT = "FAIRCAST_KILLS_AT"
DAMAGE = ("damage", "is missing", "bytes, not", "as it was written", "no entry", "computed again", "earlier version")
"""What is said of damage."""
SCENARIO = """
format = 1
name = "killed"
duration = "60 s"

[topology]
kind = "dumbbell"
left = 2
right = 2

[links.bottleneck]
rate = "1.5 Mbit/s"
delay = "50 ms"
queue = { kind = "drop-tail", limit = "50 packets" }

[flows.web]
kind = "tcp"
count = 2

[probes]
interval = "10 ms"
queues = ["bottleneck"]
"""
RUN = ["run", "killed.toml", "--reps", "16", "--jobs", str(JOBS), "--out"]
SWEEP = ["sweep", "killed.toml", "--vary", "links.bottleneck.queue.limit=10 packets,20.0 packets,20 packets",
         "--vary", "flows.web.variant=reno,newreno", "--reps", "3", "--tables", "flows,queues", "--jobs", str(JOBS),
         "--out"]  # fmt: skip
NARROW = ["sweep", "killed.toml", "--vary", "links.bottleneck.queue.limit=20 packets", "--vary",
          "flows.web.variant=newreno,reno", "--reps", "2", "--out"]  # fmt: skip
REPRODUCE = ["reproduce", "mecn-fig6", "x-determinism", "--quick", "--jobs", str(JOBS), "--out"]
SERIES: dict[str, tuple[list[str], list[str] | None]] = {
    "run --reps": (RUN, None),
    "a continued folder": (RUN, ["run", "killed.toml", "--reps", "4", "--out"]),
    "run of a folder": (["run", "--jobs", str(JOBS), "--seed", "5", "--reps", "9"], [*RUN[:2], "--reps", "4", "--out"]),
    "reproduce": (REPRODUCE, None),
    "reproduce of more": (REPRODUCE, ["reproduce", "x-determinism", "--quick", "--out"]),
    "sweep": (SWEEP, None),
    "a sweep of more values": (SWEEP, NARROW),
    "sweep of a folder": (["sweep", "--reps", "4", "--tables", "flows", "--jobs", str(JOBS)], NARROW),
}
"""By title the command, to which the folder is added, and what made the folder before, if it is continued."""


class UnsoundError(Exception):
    """A kill has lost or left something."""


def main() -> int:
    """All series; 1 if one of them shows a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SERIES, help="one series")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faircast-kills-") as name:
        here = Path(name)
        (here / "killed.toml").write_text(SCENARIO)
        try:
            for title, (command, first) in SERIES.items():
                if asked.only in (None, title):
                    begin = time.monotonic()
                    if first is not None:
                        finish(start(first, "whole", here))
                        begin = time.monotonic()
                    finish(start(command, "whole", here))
                    wall_s = time.monotonic() - begin
                    whole = content(here / "whole")
                    moments = random.Random(f"{asked.seed} {title}")
                    series(title, command, first, here, whole, asked.kills, moments, wall_s)
                    at_each(title, command, first, here, whole, asked.every)
                    shutil.rmtree(here / "whole")
        except UnsoundError as error:
            print(f"kills: {error}", file=sys.stderr)
            return 1
    return 0


def series(
    title: str,
    command: list[str],
    first: list[str] | None,
    here: Path,
    whole: dict[str, bytes],
    kills: int,
    moments: random.Random,
    wall_s: float,
) -> None:
    """Kill one command, starting over with a new folder whenever one is finished."""
    killed = folders = lost = 0
    while killed < kills:
        folder = here / f"folder-{folders}"
        if first is not None:
            finish(start(first, folder.name, here))
        folders += 1
        while True:
            before = finished(folder)
            process = start(command, folder.name, here)
            try:
                process.wait(moments.uniform(0, wall_s) if killed < kills else None)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                killed += 1
                lost += check_kill(folder, before, begun(here))
                check_readable(folder)
                continue
            finish(process)
            break
        check_whole(f"{title}: after {killed} kills", folder, whole)
        shutil.rmtree(folder)
    print(
        f"{title}: {killed} kills in {folders} folders of {len(whole)} files, {lost} runs in flight were lost",
        flush=True,
    )


def at_each(
    title: str, command: list[str], first: list[str] | None, here: Path, whole: dict[str, bytes], every: int
) -> None:
    """Let one command kill itself before each change of a name in turn, and finish what it left."""
    changes = 0
    while True:
        changes += every
        folder = here / f"change-{changes}"
        if first is not None:
            finish(start(first, folder.name, here))
        before = finished(folder)
        process = start(command, folder.name, here, at=changes)
        _, err = process.communicate()
        if process.returncode == 0:
            break
        if process.returncode != -signal.SIGKILL:
            raise UnsoundError(f"{title}: exit code {process.returncode}: {err}")
        check_kill(folder, before, begun(here))
        check_readable(folder)
        finish(start(command, folder.name, here))
        check_whole(f"{title}: killed before change {changes}", folder, whole)
        shutil.rmtree(folder)
    shutil.rmtree(folder)
    print(f"{title}: killed before each {every}. of {changes - 1} changes", flush=True)


def check_whole(title: str, folder: Path, whole: dict[str, bytes]) -> None:
    """Raise `UnsoundError` unless a folder is finished and holds what an undisturbed one does."""
    there = content(folder)
    if there != whole:
        names = {name for name in {*whole, *there} if whole.get(name) != there.get(name)}
        raise UnsoundError(f"{title}: the folder differs in {', '.join(sorted(names))}")
    if not is_finished(folder):
        raise UnsoundError(f"{title}: the manifest does not say that the folder is finished")
    check_readable(folder)


def check_readable(folder: Path) -> None:
    """Raise `UnsoundError` if damage is found in a folder, which has only been killed in."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResultWarning)
        try:
            if (folder / "manifest.json").exists():
                faircast.read(folder)
            for place in folder.rglob("seed-*/manifest.json"):
                if not place.parent.name.startswith("."):
                    seed = faircast.RunResult.read(place.parent)
                    for name in seed.names:
                        seed.table(name)
            said = [str(one.message) for one in caught]
        except InputError as error:
            said = [error.message]
    for text in said:
        if any(word in text for word in DAMAGE):
            raise UnsoundError(f"after a kill: {text}")


def check_kill(folder: Path, before: dict[str, object], begun: int) -> int:
    """What a kill cost, in runs; raises `UnsoundError` if that is more than it may."""
    if is_finished(folder) and not (folder / JOURNAL).exists():  # the kill came behind the last thing to do
        return 0
    after = finished(folder)
    changed = [name for name, mark in before.items() if after.get(name) != mark]
    if changed:
        raise UnsoundError(f"a kill has changed what was finished: {', '.join(changed[:3])}")
    missing = begun - (len(after) - len(before))
    if not 0 <= missing <= JOBS:
        raise UnsoundError(f"of {begun} runs that were begun {missing} are missing, {JOBS} were in flight")
    return missing


def finished(folder: Path) -> dict[str, object]:
    """The finished runs of a folder, with something that changes if they are touched."""
    seeds = {path.name: path.stat() for path in folder.glob("seed-*")}
    marks: dict[str, object] = {name: (stat.st_ino, stat.st_mtime_ns) for name, stat in seeds.items()}
    runs = [record for record in Journal(folder / JOURNAL).read() if "seed" in record]
    marks |= {f"{record['scenario']} {record['seed']}": json.dumps(record) for record in runs}
    if len(marks) != len(seeds) + len(runs):
        raise UnsoundError("a run was computed twice although it was finished")
    return marks


def is_finished(folder: Path) -> bool:
    """Whether the manifest says so."""
    manifest = folder / "manifest.json"
    return manifest.exists() and json.loads(manifest.read_text())["status"] == "finished"


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder but the manifests."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def start(command: list[str], out: str, here: Path, at: int = 0) -> subprocess.Popen[str]:
    """Begin a command in a process of its own that notes which runs it begins; it kills itself `at` a change."""
    (here / "begun").write_text("")
    environment = os.environ | {LOG: str(here / "begun"), AT: str(at)}
    return subprocess.Popen(
        [sys.executable, __file__, *command, out],
        cwd=here,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    """Wait for the end of a command, which must be a good one."""
    _, err = process.communicate()
    if process.returncode != 0 or any(word in err for word in DAMAGE):
        raise UnsoundError(f"exit code {process.returncode}: {err}")


def begun(here: Path) -> int:
    """How many runs the latest command began."""
    return len((here / "begun").read_text())


def noting(log: str, at: int) -> None:
    """Be the command, but note every run that begins, and end with SIGKILL before a change of a file's name."""
    from faircast import _native
    from faircast.cli import main as faircast

    handle = os.open(log, os.O_WRONLY | os.O_APPEND)
    run = _native.run

    def noted(*arguments: object) -> object:
        os.write(handle, b".")
        return run(*arguments)  # type: ignore[arg-type]

    _native.run = noted  # type: ignore[assignment]
    changes = itertools.count(1)

    def killing(change: Callable[..., Any]) -> Callable[..., Any]:
        def changed(*arguments: Any, **more: Any) -> Any:
            if next(changes) == at:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **more)

        return changed

    for name in ("replace", "rename", "unlink"):
        setattr(Path, name, killing(getattr(Path, name)))
    faircast()


if __name__ == "__main__":
    if LOG in os.environ:
        noting(os.environ[LOG], int(os.environ[AT]))
    else:
        sys.exit(main())
