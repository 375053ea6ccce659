"""Counts the instructions that a packet-hop takes, and holds them against the numbers in the tree.

    python tools/bench_instructions.py                  all loads against tools/instructions.json
    python tools/bench_instructions.py --load L1 -v     one of them, and the functions that take most
    python tools/bench_instructions.py --write          the numbers found become those of the tree

The core as it is installed runs under valgrind's callgrind, which counts in the event loop alone. Each load runs for
two simulated durations, and the difference of the instructions is divided by the difference of the hops: what the first
packets cost stays out. A count is the same each time on one toolchain, and an unrelated function moves it by some
hundredths of a per cent: no noise, and no neighbour on the machine. It says nothing of caches and latency; for speed
there is `make bench-parent`.

It fails if a load takes more than 2 % over the number in the tree, which a commit may change by --write and say why.
The versions of rustc, libc and valgrind stand beside the numbers: with others it says so, asks for new numbers and does
not fail. Exit codes: 0 within 2 %, or other versions; 1 above; 2 bad input; 3 valgrind or a run failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBERS = ROOT / "tools" / "instructions.json"
DURATIONS_S = {"L1": (3, 8), "L2": (3, 8), "M1": (0.3, 0.8), "C1": (2, 12), "C1-static": (2, 12)}
"""By load the two durations, long enough that slow start is over in the first."""
MORE = 0.02
"""How much more fails."""
LOOP = "*world::run*advance*"
"""The event loop as callgrind calls it; everything that it calls is counted, too."""
RUN = """
import json, sys
from faircast import _native, loads
scenario = loads.load(sys.argv[1]) | {"duration": sys.argv[2] + " s", "warmup": "0 s"}
print(_native.run(_native.resolve(json.dumps(scenario))[0], 1).packet_hops)
"""


class CannotFinishError(Exception):
    """Valgrind or a run failed; the text says how."""


def main() -> int:
    """Count, show, compare, or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", action="append", choices=list(DURATIONS_S), help="default: all of them")
    parser.add_argument("--write", action="store_true", help="keep the numbers found in tools/instructions.json")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the functions that take most")
    options = parser.parse_args()
    kept = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {"versions": {}, "per_hop": {}}
    try:
        here = versions()
        found = {load: per_hop(load, options.verbose) for load in options.load or DURATIONS_S}
    except CannotFinishError as error:
        print(error, file=sys.stderr)
        return 3
    if options.write:
        if kept["versions"] != here and set(found) != set(DURATIONS_S):
            print("the numbers in the tree are of other versions: count all loads", file=sys.stderr)
            return 2
        kept = {"versions": here, "per_hop": kept["per_hop"] | found}
        NUMBERS.write_text(json.dumps(kept, indent=2) + "\n")
        print(f"written: {NUMBERS.relative_to(ROOT)}")
        return 0
    return compare(found, kept, here)


def compare(found: dict[str, float], kept: dict[str, dict[str, float]], here: dict[str, str]) -> int:
    """Say what has changed; the exit code."""
    same = kept["versions"] == here
    worst = 0.0
    for load, number in found.items():
        before = kept["per_hop"].get(load)
        if before is None:
            print(f"{load:10} {number:7.1f}   no number in the tree")
            continue
        change = number / before - 1
        worst = max(worst, change)
        print(f"{load:10} {number:7.1f}   in the tree {before:7.1f}   {change:+.2%}")
    if not same:
        print(f"other versions than those of the tree: {here} here, {kept['versions']} there.")
        print("Nothing is judged; run tools/bench_instructions.py --write where these are to be the ones.")
        return 0
    if worst > MORE:
        print(f"more than {MORE:.0%} above the tree: make it cheaper, or --write the new number and say why")
        return 1
    return 0


def versions() -> dict[str, str]:
    """What decides a count apart from our code. Raises `CannotFinishError` if valgrind is not there."""
    if shutil.which("valgrind") is None:
        raise CannotFinishError("there is no valgrind: apt-get install valgrind")
    rustc = output("rustc", "--version", cwd=ROOT).split()[1]
    return {
        "rustc": rustc,
        "libc": " ".join(platform.libc_ver()),
        "valgrind": output("valgrind", "--version").strip().removeprefix("valgrind-"),
        "machine": platform.machine(),
    }


def per_hop(load: str, verbose: bool) -> float:
    """Instructions of a hop of a load, one decimal place."""
    (hops, count), (more_hops, more) = (counted(load, duration, False) for duration in DURATIONS_S[load])
    if verbose:
        counted(load, DURATIONS_S[load][1], True)
    return round((more - count) / (more_hops - hops), 1)


def counted(load: str, seconds: float, verbose: bool) -> tuple[int, int]:
    """Hops of a run, and instructions in its loop."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", f"--toggle-collect={LOOP}"]
        hops = int(output(*command, sys.executable, "-c", RUN, load, f"{seconds:g}"))
        found = re.search(r"^(?:summary|totals): (\d+)", file.read_text(), re.MULTILINE)
        if found is None or int(found[1]) == 0:
            raise CannotFinishError(f"{load}: callgrind has counted nothing in {LOOP}")
        if verbose:
            print(output("callgrind_annotate", "--auto=no", "--threshold=97", str(file)))
    return hops, int(found[1])


def output(*command: str, cwd: Path | None = None) -> str:
    """What a command prints. Raises `CannotFinishError` if it fails."""
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, check=False)
    if done.returncode:
        raise CannotFinishError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
