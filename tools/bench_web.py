"""The speed of the core in a browser beside that of the native one: L1, in a worker of Chromium.

    python tools/bench_web.py --repeat 5

Wall-clock time, as a browser tells no other, of a run with its network and its tables: the median and the shortest.
`first` is the first run in a new worker, in which the browser still compiles what it carries out; `warm` are further
runs in the same worker. Native runs are taken before and after.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faircast import _native
from faircast.laboratory import Laboratory, built
from faircast.loads import load
from faircast.scenario import resolve

ROOT = Path(__file__).resolve().parents[1]


def native(scenario: str, repeat: int) -> list[float]:
    """Seconds of native runs."""
    found = []
    for _ in range(repeat):
        began = time.perf_counter()
        _native.run(scenario, 1).take_tables()
        found.append(time.perf_counter() - began)
    return found


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    repeat = parser.parse_args().repeat
    scenario = resolve(load("L1")).json
    laboratory = Laboratory(built())
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "l1.json"
        file.write_text(scenario, encoding="utf-8")
        before = native(scenario, repeat)
        command = [sys.executable, ROOT / "tools" / "with_node.py", ROOT / "web", "node", "--import", "tsx"]
        command += ["tests/bench.ts", laboratory.address, file, str(repeat)]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    laboratory.close()
    found = json.loads(told)
    runs = {"native": before + native(scenario, repeat), "first": found["first"], "warm": found["warm"]}
    least = min(runs["native"])
    print(f"L1, {found['hops']} packet-hops, Chromium {found['browser']}")
    print(f"{'':8}{'median s':>10}{'best s':>10}{'million packet-hops/s, best':>30}{'of native':>12}")
    for name, times in runs.items():
        best = min(times)
        rate = found["hops"] / best / 1e6
        print(f"{name:8}{statistics.median(times):10.3f}{best:10.3f}{rate:30.1f}{least / best:12.2f}")


if __name__ == "__main__":
    main()
