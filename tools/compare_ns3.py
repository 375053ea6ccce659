"""Holds faircast's CoDel, FQ-CoDel and PIE against those of ns-3.37: the same case in both, and what sets them apart.

    python tools/compare_ns3.py                       all cases, then the runs with one thing changed
    python tools/compare_ns3.py --case codel-ten --seeds 3
    python tools/compare_ns3.py --changes             only the latter

Cases are in compare_ns3_cases.py beside this file, ns-3's side is peers/ns3_queues.cc, and what came out is in
docs/queues-beside-ns3.md. Prints Markdown tables. Runs of ns-3 are kept in target/compare-ns3. Exit codes: 0 done, 2
bad input, 3 could not finish.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from compare_ns3_cases import CASES, CHANGES, PACKET_BITS, WARMUP_S, Case, Change, arguments, scenario

import faircast
from faircast.statistics import Estimate, estimate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT = Path(__file__).resolve().parent.parent
SOURCE = Path(__file__).resolve().parent / "peers" / "ns3_queues.cc"
KEPT = ROOT / "target" / "compare-ns3"
LIBRARIES = ("applications", "point-to-point", "internet", "traffic-control", "network", "core")
HOW = "ns-3.37 is Debian's package libns3-dev: apt-get install libns3-dev g++"
FROZEN_S = 10.0
"""A flow whose window was one segment for so long on end is frozen, and its run is not judged."""


class CannotFinishError(Exception):
    """Something outside this program is missing or failed; the text says what, and what to do."""


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What is compared of one run; all of the time after the warm-up."""

    goodput: float
    """Of all flows together, Mbit/s, headers included."""
    link_use: float
    """What left the link, in parts of its rate, per cent."""
    delay: float
    """Packets that wait, looked at every 10 ms, as the time that they take to leave, ms: the mean."""
    delay_p95: float
    """The 95 % quantile of the same, ms."""
    drops: float
    """Packets dropped, in per cent of those that came to the queue."""
    marks: float
    """Packets marked, in per cent of those that came to the queue."""
    jain: float
    """Jain's index of the flows' goodputs, in per cent."""
    frozen: tuple[int, ...]
    """Flows whose window was one segment for `FROZEN_S` on end."""


COMPARED = {
    "goodput": "goodput, Mbit/s",
    "link_use": "link use, %",
    "delay": "delay, ms",
    "delay_p95": "delay, 95 %, ms",
    "drops": "drops, %",
    "marks": "marks, %",
    "jain": "Jain, %",
}


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One case in both."""

    ours: tuple[Measures, ...]
    theirs: tuple[Measures, ...]

    @property
    def judged(self) -> list[tuple[Measures, Measures]]:
        """The seeds in which no flow is frozen on either side."""
        return [(a, b) for a, b in zip(self.ours, self.theirs, strict=True) if not a.frozen and not b.frozen]

    def of(self, measure: str) -> tuple[Estimate, Estimate, Estimate]:
        """A measure here, in ns-3, and the difference seed by seed, each with Student's 95 % interval."""
        here = [getattr(ours, measure) for ours, _ in self.judged]
        there = [getattr(theirs, measure) for _, theirs in self.judged]
        return estimate(here), estimate(there), estimate([a - b for a, b in zip(here, there, strict=True)])


def main() -> int:
    """Run what the command line asks for and return the exit code."""
    options = parse_arguments()
    try:
        program = build(SOURCE, KEPT, install=not options.no_install)
        with ThreadPoolExecutor(max_workers=options.jobs) as pool:
            compare = partial(run_both, pool, program, range(1, options.seeds + 1))
            if not options.changes:
                cases = [case for case in CASES if not options.case or case.name in options.case]
                print(case_table({case.name: compare(case, None) for case in cases}), flush=True)
            for change in () if options.case else CHANGES:
                cases = [case_called(name) for name in change.cases]
                found = {case.name: (compare(case, None), compare(case, change)) for case in cases}
                print(change_table(change, found), flush=True)
    except CannotFinishError as reason:
        print(reason, file=sys.stderr)
        return 3
    return 0


def parse_arguments() -> argparse.Namespace:
    """Read the command line; wrong input ends the program with code 2."""
    parser = argparse.ArgumentParser(
        description="Run cases of CoDel, FQ-CoDel and PIE in ns-3.37 and in faircast; print the differences.",
        epilog="Example: python tools/compare_ns3.py --case codel-ten --seeds 3",
    )
    parser.add_argument("--seeds", type=seeds, default=10, metavar="N", help="runs of each case in both (default 10)")
    parser.add_argument(
        "--case",
        action="append",
        choices=[case.name for case in CASES],
        metavar="NAME",
        help=f"only this case; may be repeated: {', '.join(case.name for case in CASES)}",
    )
    parser.add_argument("--changes", action="store_true", help="only the runs with one thing changed")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="runs at once (default one per core)"
    )
    parser.add_argument("--no-install", action="store_true", help="do not install libns3-dev if it is missing")
    return parser.parse_args()


def seeds(text: str) -> int:
    """Read a number of seeds: one has no interval."""
    if not text.isdecimal() or int(text) < 2:
        raise argparse.ArgumentTypeError(f"got {text!r}, legal are whole numbers from 2 on")
    return int(text)


def case_called(name: str) -> Case:
    """The case of that name."""
    return next(case for case in CASES if case.name == name)


def build(source: Path, folder: Path, *, install: bool) -> Path:
    """Compile ns-3's side, unless that has been done; install Debian's package if it is missing and we may."""
    texts = "".join(path.read_text() for path in [source, *sorted(source.parent.glob("ns3_*.h"))])
    program = folder / f"{source.stem}-{digest(texts)}"
    if program.exists():
        return program
    if (
        not Path("/usr/include/ns3/core-module.h").exists()
        and install
        and os.geteuid() == 0
        and shutil.which("apt-get")
    ):
        progress("installing Debian's package libns3-dev")
        for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "libns3-dev", "g++"]):
            finished(["apt-get", *words], HOW)
    progress(f"compiling {source.name}")
    folder.mkdir(parents=True, exist_ok=True)
    fresh = program.with_suffix(".new")
    # Debian's libraries name others in what they need, and some of those are there for development only.
    linker = ["-Wl,--copy-dt-needed-entries", "-Wl,--allow-shlib-undefined"]
    libraries = [f"-lns3-{name}" for name in LIBRARIES]
    finished(["g++", "-O2", "-std=c++17", str(source), "-o", str(fresh), *linker, *libraries], HOW)
    return fresh.rename(program)


def run_both(
    pool: ThreadPoolExecutor, program: Path, numbers: Sequence[int], case: Case, change: Change | None
) -> Compared:
    """All seeds of a case in both."""
    progress(f"{case.name}{f': {change.title}' if change else ''}")
    theirs = [pool.submit(run_theirs, program, arguments(case, seed, change)) for seed in numbers]
    ours = [pool.submit(run_ours, case, seed, scenario(case, seed, change)) for seed in numbers]
    return Compared(
        ours=tuple(run.result() for run in ours),
        theirs=tuple(understood(case, run.result()) for run in theirs),
    )


def run_theirs(program: Path, words: list[str]) -> str:
    """What ns-3 prints, kept from an earlier time if the program and the words are the same."""
    kept = program.parent / f"{digest(' '.join([program.name, *words]))}.json"
    if not kept.exists():
        printed = finished([str(program), *words], "")
        fresh = kept.with_suffix(f".{os.getpid()}.new")
        fresh.write_text(printed)
        fresh.rename(kept)
    return kept.read_text()


def understood(case: Case, printed: str) -> Measures:
    """What ns-3 has printed of a run."""
    found = json.loads(printed)
    return Measures(
        goodput=math.fsum(found["goodput_bps"]) / 1e6,
        link_use=100 * found["link_use"],
        drops=100 * found["dropped_pkts"] / found["arrived_pkts"],
        marks=100 * found["marked_pkts"] / found["arrived_pkts"],
        jain=100 * faircast.jain(found["goodput_bps"]),
        frozen=tuple(index for index, alone_s in enumerate(found["one_segment_s"]) if alone_s >= FROZEN_S),
        **delays(found["queue_pkts"], case.rate_bps),
    )


def run_ours(case: Case, seed: int, parts: dict[str, Any]) -> Measures:
    """One run of faircast."""
    result = faircast.run(parts, seed=seed)
    goodputs = [result[name, "goodput"] for name in parts["flows"]]
    links, queues, flows = (result.table(name).to_pydict() for name in ("links", "queues", "flows"))
    late = [
        index
        for index, (link, t_s) in enumerate(zip(links["link"], links["t_s"], strict=True))
        if link == "bottleneck" and t_s > WARMUP_S
    ]
    counts = {name: math.fsum(links[name][index] for index in late) for name in links if name.endswith("_pkts")}
    waiting = [pkts for pkts, t_s in zip(queues["queue_pkts"], queues["t_s"], strict=True) if t_s > WARMUP_S]
    dropped = counts["dropped_overflow_pkts"] + counts["dropped_active_pkts"]
    windows: dict[str, list[float]] = {}
    for name, window in zip(flows["flow"], flows.get("cwnd_pkts", []), strict=False):
        windows.setdefault(name, []).append(window)
    return Measures(
        goodput=math.fsum(goodputs) / 1e6,
        link_use=100 * math.fsum(links["rate_bps"][index] for index in late) / len(late) / case.rate_bps,
        drops=100 * dropped / counts["arrived_pkts"],
        marks=100 * counts["marked_moderate_pkts"] / counts["arrived_pkts"],
        jain=100 * faircast.jain(goodputs),
        frozen=tuple(index for index, one in enumerate(windows.values()) if longest_at_one(one) >= FROZEN_S),
        **delays(waiting, case.rate_bps),
    )


def delays(waiting: Sequence[float], rate_bps: float) -> dict[str, float]:
    """Mean and 95 % quantile of the time that waiting packets take to leave, ms."""
    packet_ms = PACKET_BITS / rate_bps * 1000
    return {
        "delay": math.fsum(waiting) / len(waiting) * packet_ms,
        "delay_p95": float(np.quantile(waiting, 0.95)) * packet_ms,
    }


def longest_at_one(windows: Sequence[float]) -> int:
    """How many looks at a window, one a second, found it at one segment on end."""
    longest = run = 0
    for window in windows:
        run = run + 1 if window <= 1 else 0
        longest = max(longest, run)
    return longest


def case_table(found: dict[str, Compared]) -> str:
    """Two tables with a row for each case: what both have measured, and the differences with their intervals."""
    measures = [
        name for name in COMPARED if name != "marks" or any(run.marks for one in found.values() for run in one.ours)
    ]
    head = f"| case | {' | '.join(COMPARED[name] for name in measures)} |\n|{'---|' * (1 + len(measures))}"
    both, apart = [head], [head]
    for name, compared in found.items():
        cells = [compared.of(measure) for measure in measures]
        both.append(row(name, (f"{number(ours.mean)}, {number(theirs.mean)}" for ours, theirs, _ in cells)))
        apart.append(row(name, (marked(difference) for _, _, difference in cells)))
    return "\n".join(["Here and in ns-3.37:", "", *both, "", "Here less ns-3.37:", "", *apart, "", frozen_lines(found)])


def row(name: str, cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| `{name}` | {' | '.join(cells)} |"


def marked(of: Estimate) -> str:
    """A difference, bold if its interval does not contain 0."""
    return f"**{spread(of)}**" if verdict(of) == "apart" else spread(of)


def change_table(change: Change, found: dict[str, tuple[Compared, Compared]]) -> str:
    """A row for each case, with the difference before and after of each measure that the change is about."""
    head = " | ".join(f"{COMPARED[measure]} | changed" for measure in change.measures)
    lines = [f"**{change.title}**", "", f"| case | {head} |", f"|{'---|' * (1 + 2 * len(change.measures))}"]
    for name, pair in found.items():
        lines.append(row(name, (marked(one.of(measure)[2]) for measure in change.measures for one in pair)))
    return "\n".join([*lines, "", frozen_lines({name: after for name, (_, after) in found.items()})])


def frozen_lines(found: dict[str, Compared]) -> str:
    """The runs with a flow that is frozen."""
    lines = []
    for name, compared in found.items():
        for side, runs in (("faircast", compared.ours), ("ns-3.37", compared.theirs)):
            seeds_of = [seed for seed, run in enumerate(runs, start=1) if run.frozen]
            if seeds_of:
                listed = ", ".join(map(str, seeds_of))
                flows = sum(len(run.frozen) for run in runs)
                lines.append(f"* `{name}`: not judged, as {flows} flows are frozen in {side}: seeds {listed}.")
    return "\n".join([*lines, ""] if lines else ["No run with a frozen flow.", ""])


def number(value: float) -> str:
    """Four digits, as tables have them."""
    return "–" if math.isnan(value) else f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def spread(of: Estimate) -> str:
    """A difference with the half width of its interval, to the same decimals."""
    if math.isnan(of.mean):
        return "–"
    if of.ci95 is None:
        return f"{of.mean:+.2g}"
    decimals = 3 if of.ci95 == 0 else min(6, max(0, 1 - math.floor(math.log10(of.ci95))))
    return f"{of.mean:+.{decimals}f} ± {of.ci95:.{decimals}f}"


def verdict(of: Estimate) -> str:
    """Whether the interval of a difference contains 0."""
    if of.ci95 is None:
        return "–"
    return "same" if abs(of.mean) <= of.ci95 else "apart"


def digest(text: str) -> str:
    """What tells a text from others."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def finished(command: list[str], hint: str) -> str:
    """Run a command to its end; return what it printed."""
    try:
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError:
        raise CannotFinishError(f"No command {command[0]}.\n{hint}") from None
    if done.returncode != 0:
        said = done.stderr.strip().rsplit("\n", 1)[-1] or "no message"
        raise CannotFinishError(f"{' '.join(command)} ended with code {done.returncode}: {said}\n{hint}".strip())
    return done.stdout


def progress(text: str) -> None:
    """Report progress, apart from the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
