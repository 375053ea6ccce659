"""One campaign on threads, processes, two workers of Dask and an array job of SLURM: equal bytes, runs a second.

    python tools/bench_engines.py [--runs 2000] [--seconds 560] [--folder FOLDER]

Two runs go on at once everywhere, and each run takes about 0.2 s of CPU with the usual `--seconds` of simulated time.
It needs what `make test-cluster` installs. Start and end of everything count, but for Dask's workers, which are there
before. On a machine that others use the CPU time for each run, that of all processes together, compares better than the
time that it took; what SLURM runs is not in it.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

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


def main() -> None:
    """Carry the campaign out four times, and print how long it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seconds", type=int, default=560)
    parser.add_argument("--folder", type=Path, help="where folders are made for the time of the measurement")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        measure(Path(name), asked.runs, asked.seconds)


def measure(folder: Path, runs: int, seconds: int) -> None:
    """All engines in turn."""
    (folder / "study.toml").write_text(STUDY)
    reps, points = runs // len(COUNTS), ",".join(map(str, COUNTS))
    command = [
        str(SCRIPTS / "faircast"),
        *("sweep", "study.toml", "--vary", f"flows.web.count={points}"),
        *("--set", f"duration={seconds}s", "--reps", str(reps), "--json"),
    ]
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
