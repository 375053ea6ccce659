"""One campaign on threads, processes, two workers of Dask and an array job of SLURM: equal bytes, runs a second.

    python tools/bench_engines.py [--runs 2000] [--seconds 560] [--folder FOLDER]
    python tools/bench_engines.py --overhead [--runs 800] [--seconds 140] [--rounds 5]

Two runs go on at once everywhere, and each run takes about 0.2 s of CPU with the usual `--seconds` of simulated time.
It needs what `make test-cluster` installs. Start and end of everything count, but for Dask's workers, which are there
before. On a machine that others use the CPU time for each run, that of all processes together, compares better than the
time that it took; what SLURM runs is not in it.

`--overhead` says what a run costs beyond itself, usually one of 0.05 s. The run itself is what it takes in two plain
loops, side by side, that keep nothing. An engine carries out a quarter of the runs and then all: what the others took
is the cost of a run, start and end left out. So it is by time, two workers' time, and by CPU time. What is kept of a
run, its line in the journal and its share of the tables, is in it, with threads as well. As a machine's speed moves by
tens of per cent while nobody looks, plain loops go before and after each engine, and all that for several rounds, of
which the median is told, and all of them. Before that it says what the parts of it cost in one thread, which moves
less: to take what is wanted of a run, and to pack and unpack it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python" / "cluster_tests"))

from conftest import SCRIPTS, STUDY, Cluster, same  # noqa: E402
from slurm import Slurm  # noqa: E402

COUNTS = range(1, 9)
ARRAY = """#!/bin/bash
#SBATCH --array=1-4
#SBATCH --cpus-per-task=1
#SBATCH --output=/dev/null
exec {command} --jobs 1 --shard $SLURM_ARRAY_TASK_ID/4 --out part-$SLURM_ARRAY_TASK_ID
"""


LOOP = """
import json, sys, time
from faircast import _native
from faircast.batch import Job
from faircast.engine.taken import Wanted
from faircast.libraries import load
from faircast.scenario import resolve
load()
sets, seeds = json.loads(sys.argv[1])
jobs = [Job(resolve("study.toml", sets=one).json, seed) for seed in range(*seeds) for one in sets]
def run(job):
    Wanted().take(job, _native.run(job.scenario, job.seed, _native.Control(), 2), 0.0)
for job in jobs[:len(sets)]:
    run(job)
print("ready", flush=True)
sys.stdin.readline()
begin, before = time.monotonic(), time.process_time()
for job in jobs:
    run(job)
print(json.dumps([time.monotonic() - begin, time.process_time() - before]))
"""
"""A plain loop over runs, which begins when it is told, and says how long it took and how many CPU seconds."""
PARTS = """
import json, pickle, sys, time
from faircast import _native
from faircast.batch import Job
from faircast.engine.luggage import dumps
from faircast.engine.remote import Answer
from faircast.engine.taken import Wanted
from faircast.libraries import load
from faircast.scenario import resolve
load()
sets, reps, batch = json.loads(sys.argv[1])
jobs = [Job(resolve("study.toml", sets=one).json, seed) for seed in range(1, reps + 1) for one in sets]
for job in jobs[:len(sets)]:
    Wanted().take(job, _native.run(job.scenario, job.seed, _native.Control(), 2), 0.0)
spent = dict.fromkeys(("run", "take", "pack", "unpack"), 0.0)
def timed(part, call):
    before = time.thread_time()
    found = call()
    spent[part] += time.thread_time() - before
    return found
for first in range(0, len(jobs), batch):
    answers = []
    for place, job in enumerate(jobs[first : first + batch]):
        raw = timed("run", lambda: _native.run(job.scenario, job.seed, _native.Control(), 2))
        answers.append(Answer(place, timed("take", lambda: Wanted().take(job, raw, 0.0))))
    sent = timed("pack", lambda: dumps(answers))
    timed("unpack", lambda: pickle.loads(sent))
print(json.dumps({part: value / len(jobs) for part, value in spent.items()}))
"""
"""Runs in one thread, in batches that are packed and unpacked, and what each part costs for a run."""
BATCH = 20
"""Runs in such a batch: as many as an engine hands out of runs that take 0.05 s."""
SMALL = 4
"""The part of the runs, one in so many, that is carried out first to find out what start and end take."""


class Cost(NamedTuple):
    """What something takes, or each run of it."""

    worker_s: float
    """Time, multiplied by the workers that it takes from."""
    cpu_s: float
    """CPU time of all processes."""


def main() -> None:
    """Carry the campaign out, and print how long it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, help="usually 2000, with --overhead 800")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--folder", type=Path, help="where folders are made for the time of the measurement")
    parser.add_argument("--overhead", action="store_true", help="what a run costs beyond itself")
    parser.add_argument("--rounds", type=int, default=5, help="with --overhead: how often each engine is measured")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        if asked.overhead:
            overhead(Path(name), asked.runs or 800, asked.seconds or 140, asked.rounds)
        else:
            measure(Path(name), asked.runs or 2000, asked.seconds or 560)


def measure(folder: Path, runs: int, seconds: int) -> None:
    """All engines in turn."""
    (folder / "study.toml").write_text(STUDY)
    reps = runs // len(COUNTS)
    command = sweep_command(seconds, reps)
    print(f"{reps * len(COUNTS)} runs of {seconds} s, two at once, on {os.cpu_count()} cores", flush=True)

    def sweep(out: str, *options: str) -> None:
        subprocess.run([*command, *options, "--out", out], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def timed(what: str, call: Callable[[], None], out: str, beside: Sequence[int] = ()) -> float:
        """Print how long a call takes; gives its CPU seconds for each run, those of processes `beside` among them."""
        begin, before = time.monotonic(), cpu_s(beside)
        call()
        took, each = time.monotonic() - begin, (cpu_s(beside) - before) / (reps * len(COUNTS))
        equal = ""
        if out != "threads":
            same(folder / "threads", folder / out)
            equal = ", equal bytes"
        rate = reps * len(COUNTS) / took
        print(f"{what:<28}{took:8.1f} s {rate:7.2f} runs/s {each:7.3f} CPU s for each run{equal}", flush=True)
        return each

    timed("threads", lambda: sweep("threads", "--jobs", "2"), "threads")
    of_processes = timed("processes", lambda: sweep("processes", "--processes", "2"), "processes")
    (folder / "dask").mkdir()
    cluster = Cluster(folder / "dask")
    try:
        cluster.scheduler()
        cluster.worker("one")
        cluster.worker("two")
        cluster.wait(2)
        pids = [process.pid for process in cluster.processes.values()]
        of_dask = timed("Dask, two workers", lambda: sweep("by-dask", "--dask", cluster.address), "by-dask", pids)
    finally:
        for name in list(cluster.processes):
            cluster.kill(name)
    print(f"by CPU time Dask has {of_processes / of_dask:.2f} of the runs of processes", flush=True)
    (folder / "array.sh").write_text(ARRAY.format(command=" ".join(command)))
    with Slurm(folder / "slurm", cpus=2) as slurm:

        def array() -> None:
            job = [SCRIPTS / "faircast", "merge", *(f"part-{number}" for number in range(1, 5)), "--out", "merged"]
            env = slurm.env | {"PATH": f"{SCRIPTS}:{slurm.env['PATH']}"}
            subprocess.run(["sbatch", "--wait", "array.sh"], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
            subprocess.run(job, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        timed("SLURM, array of four, merge", array, "merged")


def sweep_command(seconds: int, reps: int) -> list[str]:
    """The campaign, without what says where it is computed and kept."""
    return [
        str(SCRIPTS / "faircast"),
        *("sweep", "study.toml", "--vary", f"flows.web.count={','.join(map(str, COUNTS))}"),
        *("--set", f"duration={seconds}s", "--reps", str(reps), "--json"),
    ]


def overhead(folder: Path, runs: int, seconds: int, rounds: int) -> None:
    """What a run costs on threads, processes and Dask, beside what it costs in a plain loop."""
    (folder / "study.toml").write_text(STUDY)
    sizes = runs // len(COUNTS) // SMALL, runs // len(COUNTS)
    print(f"{sizes[1] * len(COUNTS)} runs of {seconds} s, two at once, on {os.cpu_count()} cores", flush=True)
    asked = json.dumps([settings(seconds), sizes[0], BATCH])
    told = subprocess.run([sys.executable, "-c", PARTS, asked], cwd=folder, check=True, capture_output=True, text=True)
    spent = json.loads(told.stdout)
    print("parts:", ", ".join(f"{part} {1000 * value:.2f} ms" for part, value in spent.items()), flush=True)
    (folder / "dask").mkdir()
    cluster = Cluster(folder / "dask")
    try:
        cluster.scheduler()
        cluster.worker("one")
        cluster.worker("two")
        cluster.wait(2)
        pids = [process.pid for process in cluster.processes.values()]
        engines = {
            "threads": (("--jobs", "2"), []),
            "processes": (("--processes", "2"), []),
            "Dask": (("--dask", cluster.address), pids),
        }
        beyond: dict[str, list[Cost]] = {name: [] for name in engines}
        for number in range(rounds):
            before = loops(folder, seconds, sizes[0])
            for name, (options, beside) in engines.items():
                outs = [f"{name}-{number}-{reps}" for reps in sizes]
                few, all_of_them = (
                    campaign(folder, out, seconds, reps, options, beside) for out, reps in zip(outs, sizes, strict=True)
                )
                for out in outs:
                    shutil.rmtree(folder / out)
                after = loops(folder, seconds, sizes[0])
                further = len(COUNTS) * (sizes[1] - sizes[0])
                each = Cost(*((b - a) / further for a, b in zip(few, all_of_them, strict=True)))
                alone = Cost(*((a + b) / 2 for a, b in zip(before, after, strict=True)))
                beyond[name].append(Cost(*(100 * (own / base - 1) for own, base in zip(each, alone, strict=True))))
                print(
                    f"{name:<10}{1000 * each.cpu_s:7.2f} ms of CPU for a run, {1000 * alone.cpu_s:7.2f} ms in plain "
                    f"loops: {beyond[name][-1].worker_s:+5.1f} % of time, {beyond[name][-1].cpu_s:+5.1f} % of CPU time",
                    flush=True,
                )
                before = after
        for name, found in beyond.items():
            time_of, cpu_of = (statistics.median(one) for one in zip(*found, strict=True))
            print(f"{name:<10}median of {rounds}: {time_of:+5.1f} % of time, {cpu_of:+5.1f} % of CPU time", flush=True)
    finally:
        for name in list(cluster.processes):
            cluster.kill(name)


def settings(seconds: int) -> list[list[str]]:
    """What is set of the scenario in each point of the campaign."""
    return [[f"duration={seconds}s", f"flows.web.count={count}"] for count in COUNTS]


def loops(folder: Path, seconds: int, reps: int) -> Cost:
    """What a run costs in two plain loops, each over half of the seeds."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", LOOP, json.dumps([settings(seconds), seeds])],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seeds in ((1, reps // 2 + 1), (reps // 2 + 1, reps + 1))
    ]
    for loop in both:
        assert loop.stdout is not None
        loop.stdout.readline()
    for loop in both:
        assert loop.stdin is not None
        loop.stdin.write("\n")
        loop.stdin.flush()
    took = [json.loads(loop.communicate()[0]) for loop in both]
    return Cost(*(sum(times) / (reps * len(COUNTS)) for times in zip(*took, strict=True)))


def campaign(folder: Path, out: str, seconds: int, reps: int, options: Sequence[str], beside: Sequence[int]) -> Cost:
    """What a whole campaign costs."""
    begin, before = time.monotonic(), cpu_s(beside)
    command = [*sweep_command(seconds, reps), *options, "--out", out]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return Cost(2 * (time.monotonic() - begin), cpu_s(beside) - before)


def cpu_s(beside: Sequence[int]) -> float:
    """CPU seconds of all processes that were started here and have ended, and so far of those `beside`."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = ended.ru_utime + ended.ru_stime
    for pid in beside:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        used += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return used


if __name__ == "__main__":
    main()
