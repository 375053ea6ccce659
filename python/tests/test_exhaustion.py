"""Memory that fails within the core ends the call and not the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of the address space are Linux's")

HEAD = """
import resource
from pathlib import Path

from faircast.batch import Job
from faircast.engine.threads import run_batch
from faircast.cli.endings import ending
from faircast.scenario import resolve


def leave(mebibytes):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (mebibytes << 20), -1))


def flows(duration, interval):
    hosts = "[topology]\\nkind = 'dumbbell'\\nleft = 40\\nright = 40\\n[flows.x]\\nkind = 'tcp'\\ncount = 40\\n"
    text = f"format = 1\\nname = 'x'\\nduration = '{duration}'\\n{hosts}[probes]\\ninterval = '{interval}'\\n"
    return resolve(text).json
"""

RUN = """
class Limit:
    late = False

    def update(self, share, done, total):
        # The second run has been let in and goes on.
        if done == 1 and share > 0.51 and not self.late:
            self.late = True
            leave(20)


kept = []
jobs = [Job(flows("1 s", "1 s"), 1, "small"), Job(flows("100 s", "1 ms"), 2, "large")]
try:
    run_batch(jobs, lambda job, raw, _: kept.append(job.seed), workers=1, watcher=Limit())
except Exception as error:
    print(kept)
    raise SystemExit(ending(error, as_json=False))
"""

CHECK = """
large = "format = 1\\nname = 'x'\\nduration = '1 s'\\n[topology]\\nkind = 'dumbbell'\\nleft = 1000000\\n"
leave(100)
try:
    resolve(large + "[flows.x]\\nkind = 'tcp'\\n")
except MemoryError as error:
    raise SystemExit(ending(error, as_json=False))
"""


def ended(script: str, where: Path) -> subprocess.CompletedProcess[str]:
    """In a process of its own, whose limits it lowers."""
    command = [sys.executable, "-c", HEAD + script]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=300, check=False)


def test_a_run_without_memory_is_told_and_others_are_kept(tmp_path: Path) -> None:
    done = ended(RUN, tmp_path)
    assert (done.returncode, done.stdout) == (3, "[1]\n"), done.stderr
    assert done.stderr.startswith("faircast: the run large with seed 2 ran out of memory; fewer --jobs or"), done.stderr


def test_a_check_without_memory_is_told(tmp_path: Path) -> None:
    done = ended(CHECK, tmp_path)
    assert done.returncode == 3, done.stderr
    assert done.stderr.startswith("faircast: out of memory"), done.stderr
