"""Holds the core of this tree against that of another commit: the same loads, alternating, the ratio pair by pair.

    python tools/bench_parent.py                    against the parent commit, three pairs of L1 and L2
    python tools/bench_parent.py --rev v0.1 --pairs 5 --load L2-even

Quote these ratios rather than single times: a machine's speed moves by tens of per cent while nobody looks. The other
commit is checked out and built below target/bench. Exit codes: 0 done, 2 bad input, 3 could not finish.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEASURE = """
import json, resource, sys
from faircast import _native
text = sys.stdin.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
result = _native.run(text, 1)
after = resource.getrusage(resource.RUSAGE_SELF).ru_utime
print(result.packet_hops / (after - before))
"""


class CannotFinishError(Exception):
    """A build or a run failed; the text says which."""


def main() -> int:
    """Build the other commit, alternate, print the ratios."""
    from faircast.loads import LOADS, REFERENCE

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rev", default="HEAD^", help="the commit to compare with (default: the parent)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of runs of every load (default 3)")
    parser.add_argument("--load", action="append", choices=sorted(LOADS), help="default: those of faircast bench")
    options = parser.parse_args()
    if options.pairs < 1:
        parser.error(f"--pairs is {options.pairs}; it must be at least 1")
    try:
        commit = output("git", "rev-parse", "--verify", f"{options.rev}^{{commit}}").strip()
    except CannotFinishError:
        parser.error(f"there is no commit {options.rev}")
    try:
        other = built(commit)
        here = ROOT / "python"
        print(f"this tree / {options.rev} ({commit[:10]}), packet-hops per user CPU second")
        for load in options.load or REFERENCE:
            pairs = [(speed(here, load), speed(other, load)) for _ in range(options.pairs)]
            ratios = [ours / theirs for ours, theirs in pairs]
            shown = "  ".join(f"{ratio:.3f}" for ratio in ratios)
            best = f"best {max(o for o, _ in pairs) / 1e6:.1f} / {max(t for _, t in pairs) / 1e6:.1f} million"
            print(f"{load:8} median {statistics.median(ratios):.3f}   pairs {shown}   {best}")
    except CannotFinishError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


def built(commit: str) -> Path:
    """The Python sources of `commit` with its core built beside them, below target/bench."""
    tree = ROOT / "target" / "bench" / commit[:10]
    if not tree.exists():
        output("git", "worktree", "add", "--detach", str(tree), commit)
    print(f"building {commit[:10]}", file=sys.stderr)
    environment = os.environ | {
        "PYO3_PYTHON": sys.executable,
        "CARGO_TARGET_DIR": str(ROOT / "target" / "bench" / "build"),
    }
    output("cargo", "build", "--release", "--quiet", "-p", "faircast-py", cwd=tree, env=environment)
    package = tree / "python" / "faircast"
    shutil.copy(ROOT / "target" / "bench" / "build" / "release" / "lib_native.so", package / "_native.abi3.so")
    return package.parent


def speed(sources: Path, load: str) -> float:
    """Packet-hops per user CPU second of one run in a process of its own."""
    from faircast.loads import load as scenario

    text = json.dumps(scenario(load))
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE],
        input=text,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(sources)},
    )
    if ran.returncode != 0:
        raise CannotFinishError(f"{load} failed with the core of {sources}: {ran.stderr.strip()[-400:]}")
    return float(ran.stdout)


def output(*command: str, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """What a command prints."""
    ran = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise CannotFinishError(f"{' '.join(command)} failed: {ran.stderr.strip()[-2000:]}")
    return ran.stdout


if __name__ == "__main__":
    sys.exit(main())
