"""Ends programs again and again while calls that they gave up go on, and counts those that do not end as they should.

    python tools/exits.py [--exits N] [--seed N] [--jobs N]

Each program uses a scheme that is a Python class, catches an error, and ends. In half of them the interpreter takes its
time to be taken down, so that what still goes on has the time to disturb it. The ways in which that comes about:

refused
    the class does not take its parameters: the scenario is refused, nothing goes on
failed
    one run of several fails, the others end soon
left
    one run of several fails, and the others take longer than a batch waits for them
interrupted
    Ctrl-C while the class is being made, which takes long
endless
    Ctrl-C while the class is being made, which never ends
built in
    Ctrl-C while a thread goes into the core and comes back from it all the time
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

WAYS = ("refused", "failed", "left", "interrupted", "endless", "built in")
PROGRAM = '''
import faulthandler
faulthandler.dump_traceback_later(300, exit=True)  # what does not end says where it is, a busy machine aside
import _thread, dataclasses, sys, threading, time
import faircast
from faircast._native import toml_to_json
from faircast.background import called
from faircast.errors import InputError, NotFinishedError
from faircast.guests import Endpoint, Scheme

way, wait_s, slow_s = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
sys.setswitchinterval(1e-5)
SCENARIO = """
format = 1
name = "ending"
duration = "10 s"

[topology]
kind = "dumbbell"
left = 1
right = 1

[sessions.film]
source = "left-0"
scheme = "ending"
"""


class Slow:
    """Is gone only when the interpreter is being taken down, and then lets others run."""

    def __del__(self, sleep=time.sleep):
        sleep(slow_s)


class End(Endpoint):
    def handle(self, now, given, out):
        if way == "left":
            time.sleep(wait_s)

    def deadline(self):
        return None


first = threading.Lock()


@dataclasses.dataclass
class Ending(Scheme):
    def check(self):
        if way in ("interrupted", "endless"):
            _thread.interrupt_main()
            time.sleep(wait_s)
        while way == "endless":
            pass
        return [("gap", "is not legal")] if way == "refused" else []

    def source(self, seat):
        if way in ("failed", "left") and first.acquire(blocking=False):
            raise ValueError("no source today")
        return End()

    def member(self, seat):
        return End()


faircast.register_scheme("ending", Ending)
sys.slow = Slow()
try:
    if way == "built in":
        threading.Timer(wait_s, _thread.interrupt_main).start()
        called(lambda control: [toml_to_json("a = 1", control) for _ in iter(int, 1)])
    faircast.run(SCENARIO, seeds=range(1, 5), jobs=4)
except (InputError, NotFinishedError, KeyboardInterrupt) as error:
    print(type(error).__name__)
'''
SAYS = {"refused": "InputError", "failed": "NotFinishedError", "left": "NotFinishedError"}


def main() -> int:
    """All exits; 1 if one of them was no good one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exits", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=4)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    commands = [command(WAYS[i % len(WAYS)], chance) for i in range(asked.exits)]
    with ThreadPoolExecutor(asked.jobs) as workers:
        faults = [fault for fault in workers.map(end, commands) if fault is not None]
    for fault, times in Counter(faults).items():
        print(f"{times} times {fault}", file=sys.stderr)
    print(f"{asked.exits} exits, {len(faults)} that are not as they should be")
    return bool(faults)


def command(way: str, chance: random.Random) -> list[str]:
    """One program: how long what goes on takes, and how long it takes to take the interpreter down."""
    wait_s = {"left": 0.75, "interrupted": 0.1}.get(way, 0.0) + chance.uniform(0, 0.1)
    return [sys.executable, "-c", PROGRAM, way, f"{wait_s:.4f}", str(chance.choice((0, 0.3)))]


def end(command: list[str]) -> str | None:
    """What is wrong with the end of a program."""
    way = command[3]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    except subprocess.TimeoutExpired as late:
        return f"{way}: does not end, {late.stdout!r}, {late.stderr!r}"
    expected = SAYS.get(way, "KeyboardInterrupt")
    if (done.returncode, done.stdout.strip(), done.stderr) == (0, expected, ""):
        return None
    said = f"{done.stdout.strip()!r} in place of {expected}, {done.stderr[-3000:]!r}"
    return f"{way}: exit code {done.returncode}, {said}"


if __name__ == "__main__":
    sys.exit(main())
