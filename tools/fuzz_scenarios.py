"""Draws random scenarios from the grammar, runs them, and looks for what must not be.

    python tools/fuzz_scenarios.py --runs 1000 --seed 1        # what is drawn follows from seed and number alone
    python tools/fuzz_scenarios.py --seed 1 --only 17          # one of them again
    python tools/fuzz_scenarios.py --runs 1000 --undefined     # and which metrics came out as NaN

The grammar is the JSON Schema that the core publishes, so that what is new in it is drawn as well. Names of nodes and
links are those of the drawn topology's network. A drawn scenario may be illegal: then what its problems name is drawn
anew, and at last left out. All is done in a second process, so that a crash or an endless loop is found, too.

What must hold: a problem has a message and names a key; a legal scenario resolves to itself, from a file as well; it
runs without a panic, and twice with the same trace and tables, and with any number of workers; at every link packets
are conserved; no rate is above its link's; parts and loss rates are between 0 and 1; no number is infinite; NaN is
what `faircast.undefined` says may be it. A scenario for which that fails is printed as small as it could be made.
Returns 1 if there is one.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import random
import select
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from fuzz_drawing import DefectError, Tree, draw, expect, leave_out

import faircast
from faircast import _native
from faircast.batch import Job
from faircast.engine.taken import Everything
from faircast.results import RunResult
from faircast.scenario import problems, resolve
from faircast.undefined import reason

LIMIT_S = 60.0
"""What takes longer hangs."""
RUN_S = 5.0
"""A run is cancelled after this, and is then held to nothing but its end."""
SHRINKS = 120
"""How many smaller scenarios are tried."""


def check(tree: Tree, every: bool) -> dict[str, Any]:
    """Runs a legal scenario and looks at everything. `every`: with other numbers of workers, too."""
    resolved = resolve(tree)
    expect(resolve(resolved.data).json == resolved.json, "what it is resolved to does not resolve to itself")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenario.json"
        path.write_text(resolved.json, encoding="utf-8")
        expect(resolve(path).hash == resolved.hash, "it is another one when it was saved and loaded")
    began = time.monotonic()
    traced = tree | {"probes": tree.get("probes", {}) | {"trace": True}}
    resolved = resolve(traced)
    raw = run(resolved.json)
    if raw.interrupted:
        return {"outcome": "cut"}
    took = time.monotonic() - began
    first, again = raw.tables(), run(resolved.json)
    if not again.interrupted:
        expect(again.trace == raw.trace, "the same seed has another trace")
        expect(again.tables() == first, "the same seed has other tables")
    result = RunResult.of(resolved, 1, Everything().take(Job(resolved.json, 1), raw, 0.0))
    if every and took < 1:
        alone, together = (faircast.run(traced, seeds=[1, 2], jobs=jobs) for jobs in (1, 2))
        for seed in (1, 2):
            one, other = (list(runs.of(seed).metrics()) for runs in (alone, together))
            expect(repr(one) == repr(other), f"another summary of seed {seed} with two workers")
    return {"outcome": "ran", "undefined": sorted(look(result, resolved.data))}


def run(scenario: str) -> Any:
    """Runs it for some seconds at most."""
    control = _native.Control()
    timer = threading.Timer(RUN_S, control.cancel)
    timer.daemon = True
    timer.start()
    try:
        return _native.run(scenario, 1, control)
    finally:
        timer.cancel()


PARTS = ("efficiency", "jain_index", "finished", "loss_event_rate_end", "loss_rate_end", "loss_end", "raw_loss_end")
"""Metrics between 0 and 1."""
UNITS = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}
LEAVES = ("drops", "lost", "delivered", "rerouted", "discarded", "unreceived")
"""What becomes of a packet at a link, beside being in it still."""


def look(result: RunResult, data: Tree) -> Iterator[str]:
    """Looks at the summary of a run. Gives the metrics that are NaN."""
    rows = list(result.metrics())
    value = {(subject, metric): number for subject, metric, _, number in rows}
    for subject, metric, _unit, number in rows:
        named = f"{metric} of {subject} is {number}"
        expect(not math.isinf(number), named)
        if math.isnan(number):
            expect(reason(metric) is not None, f"{named}, and nothing says when it may be")
            if metric in ("loss_event_rate_end", "loss_rate_end", "loss_end"):
                got = value[subject, "goodput_all"]
                expect(not got > 0, f"{named}, though data came: goodput_all is {got}")
            yield metric
            continue
        expect(number >= 0, named)
        plain = metric.removesuffix("_all")
        if plain in PARTS:
            # A packet counts when it has left: what the warm-up ended in may be one of the longest among short ones.
            over = 40 / (1 + value[subject, "delivered_all"]) if plain == "efficiency" else 0
            expect(number <= 1 + 1e-6 + over, named)
        if metric.startswith("goodput"):
            rate = value.get((subject, metric.replace("goodput", "rate")), math.nan)
            expect(not number > rate * (1 + 1e-9), f"{named}, and the rate is {rate}")
        if metric == "retransmitted_all":
            expect(number <= value[subject, "sent_all"], f"{named}, and sent_all is {value[subject, 'sent_all']}")
        if metric == "arrived_all":
            gone = {name: value.get((subject, f"{name}_all"), 0) for name in LEAVES}
            inside = value[subject, "inside"]
            expect(sum(gone.values()) + inside == number, f"{named}, but {gone}, and {inside} are in it")
    for name, one in data.get("flows", {}).items():
        if isinstance(size := one.get("packet_size"), str) and (name, "sent_all") in value:
            size, unit = size.split()
            sent_bits = 8 * value[name, "sent_all"] * float(size) * UNITS[unit]
            came_bits = value[name, "rate_all"] * value["run", "simulated"]
            expect(not came_bits > sent_bits * (1 + 1e-9), f"of {name} {came_bits} bits came and {sent_bits} were sent")


def work() -> None:
    """Takes orders, one JSON text a line, and answers with the scenario that is tried and what came of it."""

    def say(**answer: Any) -> None:
        print(json.dumps(answer), flush=True)

    def tell(tree: Tree) -> None:
        say(trying=tree)

    for line in sys.stdin:
        order = json.loads(line)
        try:
            tree = order.get("scenario")
            if tree is None:
                rng = random.Random(f"{order['seed']}/{order['number']}")
                tree = draw(rng, tell)
            elif problems(tree):
                tree = None
            if tree is None:
                say(outcome="refused")
                continue
            tell(tree)
            say(**check(tree, order.get("every", True)))
        except DefectError as defect:
            say(outcome="defect", what=str(defect))
        except BaseException as error:  # a panic of the core is no Exception
            place = traceback.extract_tb(error.__traceback__)[-1]
            say(outcome="defect", what=f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})")


class Worker:
    """The process in which scenarios are tried; another takes its place when it ends or hangs."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115

    def do(self, order: Tree) -> Tree:
        """What came of an order: its `outcome`, the `scenario`, and of a defect `what` it is."""
        if self.process is None:
            command = [sys.executable, __file__, "--worker"]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, bufsize=0
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        self.errors.seek(0, 2)
        before = self.errors.tell()
        process.stdin.write(json.dumps(order).encode() + b"\n")
        scenario, rest, until = order.get("scenario"), b"", time.monotonic() + LIMIT_S
        while True:
            ready, _, _ = select.select([process.stdout], [], [], max(0.0, until - time.monotonic()))
            read = process.stdout.read(1 << 16) if ready else None
            if not read:
                self.end()
                what = f"it hangs: no end after {LIMIT_S:.0f} s" if read is None else "the process died"
                return {"outcome": "defect", "what": what, "scenario": scenario}
            *lines, rest = (rest + read).split(b"\n")
            for answer in map(json.loads, lines):
                scenario = answer.get("trying", scenario)
                if "outcome" in answer:
                    self.errors.seek(before)
                    if b"panicked at" in (said := self.errors.read()):
                        answer |= {"outcome": "defect", "what": said.decode(errors="replace").strip()[:300]}
                    return {**answer, "scenario": scenario}

    def end(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def kind(what: str) -> str:
    """What a defect is called, without numbers: a smaller scenario must show the same."""
    return "".join(letter for letter in what.split(" of ")[0] if not letter.isdigit())[:40]


def shrink(worker: Worker, failed: Tree) -> Tree:
    """A smaller scenario with the same defect."""
    tried = 0
    smaller = True
    while smaller and tried < SHRINKS:
        smaller = False
        for path in sorted(places(failed["scenario"]), key=len):
            tree = copy.deepcopy(failed["scenario"])
            if not leave_out(tree, list(path)) or tree == failed["scenario"] or tried >= SHRINKS:
                continue
            tried += 1
            found = worker.do({"scenario": tree})
            if found["outcome"] == "defect" and kind(found["what"]) == kind(failed["what"]):
                failed, smaller = found, True
                break
    return failed


def places(tree: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of everything in a scenario."""
    inner = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in inner:
        yield (*path, str(key))
        yield from places(value, (*path, str(key)))


def fuzz(seed: int, numbers: range, *, undefined: bool = False, say: Any = print) -> int:
    """Tries the scenarios with these numbers. Returns how many have a defect."""
    worker, outcomes, seen, known = Worker(), Counter[str](), Counter[str](), Counter[str]()
    began = time.monotonic()
    for number in numbers:
        found = worker.do({"seed": seed, "number": number, "every": number % 10 == 0})
        outcomes[found["outcome"]] += 1
        seen.update(found.get("undefined", ()))
        if found["outcome"] == "defect":
            known[kind(found["what"])] += 1
            if known[kind(found["what"])] > 1:
                say(f"{number}: {found['what']} (as before)")
                continue
            failed = shrink(worker, found) if "hangs" not in found["what"] else found
            say(f"{number}: {failed['what']}\n{json.dumps(failed['scenario'])}")
    worker.end()
    counts = ", ".join(f"{outcomes[name]} {name}" for name in ("ran", "cut", "refused", "defect"))
    say(f"{len(numbers)} scenarios: {counts}; {time.monotonic() - began:.0f} s")
    if undefined:
        for metric, count in seen.most_common():
            say(f"NaN in {count}: {metric}: {reason(metric)}")
    return outcomes["defect"]


def main() -> int:
    """Read the arguments."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=200, help="how many scenarios")
    parser.add_argument("--seed", type=int, default=1, help="of all that is drawn")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this scenario alone")
    parser.add_argument("--undefined", action="store_true", help="list the metrics that were NaN, and why they may be")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        work()
        return 0
    numbers = range(args.runs) if args.only is None else range(args.only, args.only + 1)
    return int(fuzz(args.seed, numbers, undefined=args.undefined) > 0)


if __name__ == "__main__":
    sys.exit(main())
