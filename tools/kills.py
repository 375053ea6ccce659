"""Kills faircast again and again at random moments, with SIGKILL, and holds what comes out against undisturbed results.

    python tools/kills.py [--kills N] [--seed N]

Five series: `run --reps`, a folder that is continued, `reproduce`, `sweep`, and a sweep that takes in more values.
After every kill the runs that were finished before must still be there, untouched, and of those that the killed process
began at most as many may be missing as were in flight. Each folder is continued by the same command until it is
finished; then it must hold the files of an undisturbed one, byte for byte but for `manifest.json`, and nothing else.
The seed decides on the moments.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faircast.journal import Journal
from faircast.measurements import JOURNAL

JOBS = 2
LOG = "FAIRCAST_KILLS_LOG"
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


class UnsoundError(Exception):
    """A kill has lost or left something."""


def main() -> int:
    """All series; 1 if one of them shows a fault."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faircast-kills-") as name:
        here = Path(name)
        (here / "killed.toml").write_text(SCENARIO)
        try:
            for title, command, first in (
                ("run --reps", RUN, None),
                ("a continued folder", RUN, ["run", "killed.toml", "--reps", "4", "--out"]),
                ("reproduce", REPRODUCE, None),
                ("sweep", SWEEP, None),
                ("a sweep of more values", SWEEP, NARROW),
            ):
                series(title, command, first, here, asked.kills, random.Random(f"{asked.seed} {title}"))
        except UnsoundError as error:
            print(f"kills: {error}", file=sys.stderr)
            return 1
    return 0


def series(
    title: str, command: list[str], first: list[str] | None, here: Path, kills: int, moments: random.Random
) -> None:
    """Kill one command, starting over with a new folder whenever one is finished."""
    begin = time.monotonic()
    finish(start(command, "whole", here))
    wall_s = time.monotonic() - begin
    whole = content(here / "whole")
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
                continue
            finish(process)
            break
        if content(folder) != whole:
            names = {name for name in {*whole, *content(folder)} if whole.get(name) != content(folder).get(name)}
            raise UnsoundError(f"{title}: after {killed} kills the folder differs in {', '.join(sorted(names))}")
        if not is_finished(folder):
            raise UnsoundError(f"{title}: the manifest does not say that the folder is finished")
        shutil.rmtree(folder)
    shutil.rmtree(here / "whole")
    print(
        f"{title}: {killed} kills in {folders} folders of {len(whole)} files, {lost} runs in flight were lost",
        flush=True,
    )


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


def start(command: list[str], out: str, here: Path) -> subprocess.Popen[str]:
    """Begin a command in a process of its own that notes which runs it begins."""
    (here / "begun").write_text("")
    environment = os.environ | {LOG: str(here / "begun")}
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
    if process.returncode != 0:
        raise UnsoundError(f"exit code {process.returncode}: {err}")


def begun(here: Path) -> int:
    """How many runs the latest command began."""
    return len((here / "begun").read_text())


def noting(log: str) -> None:
    """Be the command, but note every run that begins."""
    from faircast import _native
    from faircast.cli import main as faircast

    handle = os.open(log, os.O_WRONLY | os.O_APPEND)
    run = _native.run

    def noted(*arguments: object) -> object:
        os.write(handle, b".")
        return run(*arguments)  # type: ignore[arg-type]

    _native.run = noted  # type: ignore[assignment]
    faircast()


if __name__ == "__main__":
    if LOG in os.environ:
        noting(os.environ[LOG])
    else:
        sys.exit(main())
