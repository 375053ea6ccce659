"""Holds faircast's simulator against ns-2.35 on the reference loads: the same work in both, alternating, ratio by pair.

    python tools/bench_peers.py                 five pairs of L1, L2 and M1
    python tools/bench_peers.py --pairs 3 --load L1 --json

What is counted and how stands in docs/benchmarks.md. Exit codes: 0 done, 2 bad input, 3 could not finish.
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
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
PEERS = Path(__file__).resolve().parent / "peers"
SCRIPTS = {
    "L1": PEERS / "ns2_tcp_dumbbell.tcl",
    "L2": PEERS / "ns2_tcp_dumbbell.tcl",
    "M1": PEERS / "ns2_multicast.tcl",
    "M2": PEERS / "ns2_multicast.tcl",
}
LOADS = tuple(SCRIPTS)
QUICK = ("L1", "L2", "M1")
"""What is run unless asked for otherwise: ns-2 takes many minutes for M2."""


class CannotFinishError(Exception):
    """Something outside this program is missing or failed; the text says what, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one load in one simulator."""

    packet_hops: int
    user_cpu_s: float
    """User CPU seconds of building and running the network, without the start of the interpreter."""
    loop_cpu_s: float | None
    """CPU seconds (user and system) of the event loop alone, if the simulator tells them."""
    details: dict[str, object]
    """Whatever else the simulator printed: drops, goodput, windows."""

    @property
    def hops_per_cpu_second(self) -> float:
        """Packet-hops per user CPU second, set-up included."""
        return self.packet_hops / self.user_cpu_s


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One run of ours and one of ns-2, one right after the other."""

    ours: Run
    ns2: Run

    @property
    def ratio(self) -> float:
        """How many times as many packet-hops per CPU second as ns-2, set-up counted in both."""
        return self.ours.hops_per_cpu_second / self.ns2.hops_per_cpu_second

    @property
    def ratio_to_loop(self) -> float | None:
        """The ratio to ns-2's event loop alone, which spares ns-2 its slow set-up but not us ours."""
        if not self.ns2.loop_cpu_s:
            return None
        return self.ours.hops_per_cpu_second * self.ns2.loop_cpu_s / self.ns2.packet_hops


def main() -> int:
    """Run what the command line asks for and return the exit code."""
    options = parse_arguments()
    try:
        ns = find_ns2(install=not options.no_install)
        faircast = find_faircast(options.faircast)
        ns_start_s = ns2_start_seconds(ns)
        results = {}
        for load in options.load or QUICK:
            progress(f"{load}: {options.pairs} pairs")
            results[load] = measure_pairs(
                options.pairs, partial(run_ours, faircast, load), partial(run_ns2, ns, load, ns_start_s)
            )
    except CannotFinishError as reason:
        print(reason, file=sys.stderr)
        return 3
    print(as_json(results, ns_start_s) if options.json else as_text(results, ns_start_s))
    return 0


def parse_arguments() -> argparse.Namespace:
    """Read the command line; wrong input ends the program with code 2."""
    parser = argparse.ArgumentParser(
        description="Run the reference loads in ns-2.35 and in faircast, alternating; print the ratio pair by pair.",
        epilog="Example: python tools/bench_peers.py --pairs 3 --load L1",
    )
    parser.add_argument("--pairs", type=positive, default=5, metavar="N", help="pairs for each load (default 5)")
    parser.add_argument(
        "--load", action="append", choices=LOADS, help="only this load; may be repeated (default L1, L2 and M1)"
    )
    parser.add_argument("--faircast", metavar="PATH", help="the command to measure (default .venv/bin/faircast)")
    parser.add_argument("--no-install", action="store_true", help="do not install the package ns2 if it is missing")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    return parser.parse_args()


def positive(text: str) -> int:
    """Read a whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text!r}, legal are whole numbers from 1 on")
    return int(text)


def find_ns2(*, install: bool) -> str:
    """Find ns-2; install it from Debian's archive if it is missing and we may."""
    how = "ns-2.35 is Debian's package ns2: apt-get install ns2"
    found = shutil.which("ns")
    if found is None and install and os.geteuid() == 0 and shutil.which("apt-get"):
        progress("installing Debian's package ns2")
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "ns2"],
        ):
            done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode != 0:
                raise CannotFinishError(f"{' '.join(command)} failed: {last_line(done.stderr)}\n{how}")
        found = shutil.which("ns")
    if found is None:
        raise CannotFinishError(f"No ns-2 here (no command `ns`), and it cannot be installed from here.\n{how}")
    return found


def find_faircast(given: str | None) -> str:
    """Find the command to measure: the given one, else that of this tree, else the one on the path."""
    candidates = [given] if given else [str(ROOT / ".venv" / "bin" / "faircast"), "faircast"]
    for candidate in candidates:
        found = shutil.which(candidate)
        if found:
            return found
    raise CannotFinishError(f"No command {candidates[0]}; `make build` makes it, --faircast PATH names another.")


def ns2_start_seconds(ns: str) -> float:
    """Measure the user CPU seconds that ns-2 takes to start: median of five empty scripts."""
    with tempfile.NamedTemporaryFile("w", suffix=".tcl") as script:
        script.write("exit 0\n")
        script.flush()
        return statistics.median(run_child([ns, script.name])[1] for _ in range(5))


def measure_pairs(count: int, run_ours: Callable[[], Run], run_ns2: Callable[[], Run]) -> list[Pair]:
    """Run both `count` times, taking turns in who goes first."""
    pairs = []
    for number in range(count):
        if number % 2 == 0:
            ns2 = run_ns2()
            ours = run_ours()
        else:
            ours = run_ours()
            ns2 = run_ns2()
        pairs.append(Pair(ours=ours, ns2=ns2))
        progress(f"  pair {number + 1}: ratio {pairs[-1].ratio:.2f}")
    return pairs


def run_ns2(ns: str, load: str, start_s: float) -> Run:
    """Run a load in ns-2, whose start takes `start_s` CPU seconds."""
    output, user_s = run_child([ns, str(SCRIPTS[load]), load])
    details = json.loads(output)
    return Run(
        packet_hops=details.pop("packet_hops"),
        user_cpu_s=user_s - start_s,
        loop_cpu_s=details.pop("loop_cpu_s"),
        details=details,
    )


def run_ours(faircast: str, load: str) -> Run:
    """Run a load in faircast, which counts its own CPU seconds."""
    command = [faircast, "bench", "--json", "--load", load, "--repeat", "1"]
    output, _ = run_child(command)
    (details,) = json.loads(output)["loads"]
    if details.pop("load") != load:
        raise CannotFinishError(f"{' '.join(command)} ran another load")
    return Run(
        packet_hops=int(details.pop("packet_hops")),
        user_cpu_s=details.pop("user_cpu_s"),
        loop_cpu_s=None,
        details=details,
    )


def run_child(command: list[str]) -> tuple[str, float]:
    """Run a command to its end; return what it printed and its user CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if done.returncode != 0:
        raise CannotFinishError(f"{' '.join(command)} ended with code {done.returncode}: {last_line(done.stderr)}")
    return done.stdout, after - before


def last_line(text: str) -> str:
    """Return what an error message usually ends with."""
    return text.strip().rsplit("\n", 1)[-1] or "no message"


def as_text(results: dict[str, list[Pair]], ns_start_s: float) -> str:
    """Lay the pairs out as one table for each load."""
    lines = ["Millions of packet-hops per user CPU second, set-up included; ratio = faircast / ns-2.35."]
    for load, pairs in results.items():
        lines += ["", f"{load:<8}{'faircast':>10}{'ns-2':>10}{'ratio':>10}{'ns-2 loop':>12}{'ratio':>10}"]
        for number, pair in enumerate(pairs, start=1):
            loop = pair.ns2.packet_hops / pair.ns2.loop_cpu_s if pair.ns2.loop_cpu_s else float("nan")
            lines.append(
                f"{f'pair {number}':<8}{pair.ours.hops_per_cpu_second / 1e6:>10.2f}"
                f"{pair.ns2.hops_per_cpu_second / 1e6:>10.2f}{pair.ratio:>10.2f}{loop / 1e6:>12.2f}"
                f"{pair.ratio_to_loop or float('nan'):>10.2f}"
            )
        for name, of in (("median", statistics.median), ("min", min), ("max", max)):
            ratio, ratio_to_loop = of([p.ratio for p in pairs]), of([p.ratio_to_loop or float("nan") for p in pairs])
            lines.append(f"{name:<28}{ratio:>10.2f}{ratio_to_loop:>22.2f}")
        for name, run in (("faircast", pairs[-1].ours), ("ns-2", pairs[-1].ns2)):
            facts = ", ".join(f"{key} {short(value)}" for key, value in run.details.items() if value is not None)
            lines.append(f"{name}: packet_hops {run.packet_hops:,}, {facts}")
    lines += ["", f"Not counted: the start of ns-2, {ns_start_s:.3f} s. Definitions: docs/benchmarks.md"]
    return "\n".join(lines)


def short(value: object) -> str:
    """Write a value so that it can be taken in at a glance."""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value)


def as_json(results: dict[str, list[Pair]], ns_start_s: float) -> str:
    """Write everything that was measured as one JSON object."""
    loads = {}
    for load, pairs in results.items():
        ratios = [pair.ratio for pair in pairs]
        loads[load] = {
            "ratio": {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)},
            "pairs": [{"ratio": p.ratio, "ratio_to_ns2_loop": p.ratio_to_loop} | asdict(p) for p in pairs],
        }
    return json.dumps({"peer": "ns-2.35", "ns2_start_cpu_s": ns_start_s, "loads": loads}, indent=2)


def progress(text: str) -> None:
    """Report progress, apart from the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
