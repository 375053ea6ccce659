"""Holds web traffic against ns-2.35 and ns-3.37: the same file of arrivals, median and 95 % of completion in pairs.

    python tools/compare_web.py                     ns-2, loads of 0.3, 0.6 and 0.8, ten seeds
    python tools/compare_web.py --peer ns3 --loads 0.3 --json
    python tools/compare_web.py --peer ns3 --set flows.pages.handshake_ack=false

ns-2 is `ns` of Debian's package ns2, ns-3 that of libns3-dev (compiled here; runs need no other program, and are kept
in target/compare-ns3). Arrivals are drawn once per seed, by faircast, and both carry the same transfers over the same
dumbbell; `--set` changes something on this side alone. Compared are the transfers that arrived after the warm-up, those
unfinished ranking as slowest; a percentile that falls among them on either side is not judged. A measure agrees if all
of the 95 % interval of its relative differences, in pairs by seed, is within 5 %, differs if none of it is, and is
undecided otherwise. Exit codes: 0 none differs, 1 one does, or has too few seeds, 2 bad input, 3 could not finish.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from compare_ns3 import KEPT, CannotFinishError, build, digest, finished
from compare_ns3_cases import TCP

import faircast
from faircast.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PEERS = Path(__file__).resolve().parent / "peers"
DURATION_S = 100.0
WARMUP_S = 20.0
SIZE = {"kind": "pareto", "least": "4 KB", "shape": 1.2, "most": "2 MB"}
SCENARIO = {
    "format": 1,
    "name": "web-beside-peers",
    "duration": f"{DURATION_S} s",
    "warmup": f"{WARMUP_S} s",
    "topology": {"kind": "dumbbell", "left": 2, "right": 2},
    "probes": {"flows": False, "links": False},
}
"""Bottleneck 10 Mbit/s and 20 ms, access links 100 Mbit/s and 1 ms: what the topology has by default."""
SIDES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "ns2": ({"profile": "ns2", "rtt_tick": "10 ms"}, {"limit": "100 packets"}),
    "ns3": (
        {**TCP, "handshake_ack": True, "delayed_ack": False},
        {"limit": "100 packets", "count_transmission": False},
    ),
}
"""By peer what TCP and the queue are here, so that they are as there."""
SEGMENT_BYTES = {"ns2": 1000, "ns3": 1460}
NAMES = {"ns2": "ns-2", "ns3": "ns-3"}
MEASURES = {"median": 50, "95 %": 95}
PASSES = 0.05
"""A difference that nobody minds, of the peer's time."""


def scenario(peer: str, load: float) -> dict[str, Any]:
    """Web traffic of this load, as the peer's side has it."""
    tcp, queue = SIDES[peer]
    pages = {"kind": "web", "count": 2, "load": load, "link": "bottleneck", "size": SIZE, **tcp}
    links = {"bottleneck": {"queue": {"kind": "drop-tail", **queue}}}
    links["bottleneck"]["back"] = {"queue": {"kind": "drop-tail", **queue}}
    return {**SCENARIO, "links": links, "flows": {"pages": pages}}


def both(
    peer: str, run: Callable[[Path], str], seed: int, load: float, sets: Sequence[str] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Completion times of the transfers of a seed, here and there; infinite where one was not finished."""
    wanted = scenario(peer, load)
    segment = SEGMENT_BYTES[peer]
    found = faircast.run(wanted, seed=seed, sets=sets).transfers
    at, size = (found[name].to_numpy() for name in ("t_s", "size_bytes"))
    pair = [name.removeprefix("left-") for name in found["from"].to_pylist()]
    lines = [f"{t:.9f} {-(-int(b) // segment)} {p}" for t, b, p in zip(at, size, pair, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "arrivals"
        file.write_text("\n".join(lines) + "\n")
        done = run(file)
    theirs = np.full(len(at), np.inf)
    for line in done.splitlines():
        index, took = line.split()
        theirs[int(index)] = float(took)
    own = found["completion_s"].to_numpy()
    late = at > WARMUP_S
    return np.where(np.isnan(own), np.inf, own)[late], theirs[late]


def runner(peer: str) -> Callable[[Path], str]:
    """What carries a file of arrivals out in the peer."""
    if peer == "ns2":
        if shutil.which("ns") is None:
            raise CannotFinishError("there is no ns: install ns-2.35 (Debian: apt install ns2)")
        return lambda file: finished(["ns", str(PEERS / "ns2_web.tcl"), str(file), str(DURATION_S)], "")
    program = build(PEERS / "ns3_web.cc", KEPT, install=True)
    return lambda file: once(program, file)


def once(program: Path, file: Path) -> str:
    """What ns-3 prints for a file of arrivals, kept from an earlier time if both are the same."""
    kept = program.parent / f"{digest(' '.join([program.name, str(DURATION_S), file.read_text()]))}.web"
    if not kept.exists():
        printed = finished([str(program), str(file), str(DURATION_S)], "")
        fresh = kept.with_suffix(f".{os.getpid()}.new")
        fresh.write_text(printed)
        fresh.rename(kept)
    return kept.read_text()


def compared(runs: list[tuple[np.ndarray, np.ndarray]], percent: int) -> dict[str, Any]:
    """A percentile by the nearest rank on both sides, and the relative difference over the seeds."""
    pairs = np.array([[np.percentile(times, percent, method="inverted_cdf") for times in run] for run in runs])
    judged = pairs[np.isfinite(pairs).all(axis=1)]
    if len(judged) < 2:
        return {"seeds": len(judged), "verdict": "too few"}
    here, there = judged.T
    change = estimate(((here - there) / there).tolist())
    half = change.ci95 or 0.0
    return {
        "faircast_s": float(here.mean()),
        "peer_s": float(there.mean()),
        "difference": change.mean,
        "ci95": half,
        "seeds": len(judged),
        "verdict": verdict(change.mean, half),
    }


def verdict(mean: float, half: float) -> str:
    """Whether a difference, with half the width of its interval, is within the 5 % that are let pass."""
    if abs(mean) + half <= PASSES:
        return "agrees"
    return "DIFFERS" if abs(mean) - half > PASSES else "undecided"


def shown(row: dict[str, Any]) -> str:
    """A row for people."""
    head = f"load {row['load']}, {row['measure']}, {row['seeds']} seeds"
    if "difference" not in row:
        return f"{head}: too few in which it is not among the unfinished"
    return (
        f"{head}: {row['faircast_s']:.4f} s, {NAMES[row['peer']]} {row['peer_s']:.4f} s, "
        f"{100 * row['difference']:+.2f} % ± {100 * row['ci95']:.2f} %, "
        f"{row['verdict']}"
    )


def main() -> int:
    """Compare, print, and say whether all agree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", choices=sorted(SIDES), default="ns2")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--loads", type=float, nargs="+", default=[0.3, 0.6, 0.8])
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="a change on this side")
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    found = []
    try:
        run = runner(wanted.peer)
        for load in wanted.loads:
            runs = [both(wanted.peer, run, seed, load, wanted.set) for seed in range(1, wanted.seeds + 1)]
            for name, percent in MEASURES.items():
                found.append({"peer": wanted.peer, "load": load, "measure": name, **compared(runs, percent)})
                if not wanted.json:
                    print(shown(found[-1]), flush=True)
    except CannotFinishError as reason:
        print(reason, file=sys.stderr)
        return 3
    except faircast.ScenarioError as wrong:
        print(wrong, file=sys.stderr)
        return 2
    if wanted.json:
        print(json.dumps(found, indent=2))
    return 0 if all(row["verdict"] in {"agrees", "undecided"} for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
