"""Runs a scenario into a folder in this process and prints what that took: ``base peak forecast``, bytes.

The base is what the process holds when the libraries are loaded and the scenario is resolved.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from faircast import _native
from faircast.cli.run import Held, show
from faircast.engine.threads import Threads
from faircast.folder import RunFolder
from faircast.libraries import load
from faircast.runs import run_into
from faircast.scenario import resolve
from faircast.spare import give_back


def held(key: str) -> int:
    """A value of proc(5), bytes."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key)]
    return int(line.split()[1]) * 1024


load()
scenario = resolve(sys.argv[1])
forecast = _native.forecast(scenario.json)
give_back()
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
base = held("VmRSS:")
folder = RunFolder.open(sys.argv[2], scenario)
outcome = run_into(folder, [1], engine=Threads(1))
show(Held(scenario, folder.path, [], folder.finished(), outcome.rows))
print(base, held("VmHWM:"), int(forecast), file=sys.stderr)
sys.stderr.flush()
os._exit(0)  # Arrow's threads may end a process with SIGABRT while the interpreter goes down
