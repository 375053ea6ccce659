"""How long a recording of three million lines takes to be read, in each format, and of what that consists.

    python tools/bench_recordings.py [--lines 3000000] [--repeat 3]

Writes a file of so many made-up lines for each format into a temporary folder, beside a scenario whose link follows it,
and resolves the scenario: the file is read, checked and packed, and the scenario that holds it is checked, as it is
before a run. What a run does with it first is told apart: the resolved scenario is read back and its network made. Told
is user CPU time, the least of `--repeat` times, with the size of the file and of what stands in the resolved scenario.
An empty scenario takes milliseconds, so what is told is the recording.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import tempfile
from pathlib import Path

from faircast import _native
from faircast.scenario import resolve

LINK = {"from": "a", "to": "b", "simplex": True}
"""What all links say beside their trace."""
BACK = {"from": "b", "to": "a", "simplex": True, "rate": "10 Mbit/s", "delay": "10 ms"}


def lines_of(kind: str, count: int) -> str:
    """So many made-up lines of a format, the same each time."""
    draw = random.Random(1)
    if kind == "mahimahi":
        return "".join(f"{number // 3}\n" for number in range(1, count + 1))
    if kind == "leocc":
        return "".join(f"{draw.randint(20, 60)}\n" for _ in range(count))
    if kind == "lens":
        head, begin = "timestamp,rtt,uplink,downlink\n", 1_705_744_800_616_897_349
        made = (
            f"{begin + 10_000_000 * number},{(up := draw.uniform(15, 40)) + (down := draw.uniform(15, 40)):.6f},"
            f"{up:.6f},{down:.6f}\n"
            for number in range(count)
        )
        return head + "".join(made)
    head = "time [s],rate [Mbit/s],delay [ms],loss\n"
    made = (
        f"{number / 100:.2f},{draw.uniform(20, 200):.3f},{draw.uniform(20, 60):.3f},{draw.choice((0, 0.001, 0.02))}\n"
        for number in range(count)
    )
    return head + "".join(made)


SETTINGS = {
    "mahimahi": {"delay": "10 ms", "trace": {"kind": "mahimahi", "file": "mahimahi"}},
    "leocc": {"trace": {"kind": "leocc", "bw": "short", "delay": "leocc"}},
    "lens": {"rate": "50 Mbit/s", "trace": {"kind": "lens", "file": "lens"}},
    "csv": {"rate": "50 Mbit/s", "delay": "10 ms", "trace": {"kind": "csv", "file": "csv"}},
}
"""By format what a link says that follows a file of it."""


def user_s() -> float:
    """User CPU time of this process by now, seconds."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def measured(path: Path, repeat: int) -> tuple[float, float, int]:
    """The least times in which a scenario is resolved and its network made of that, seconds; the bytes between."""
    resolving, making, size = float("inf"), float("inf"), 0
    for _ in range(repeat):
        begin = user_s()
        text = resolve(path).json
        resolved = user_s()
        _native.paths(text)
        resolving, making, size = min(resolving, resolved - begin), min(making, user_s() - resolved), len(text)
    return resolving, making, size


def main() -> int:
    """Measures all formats."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=3_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    print(f"{given.lines} lines; user CPU seconds, the least of {given.repeat}")
    print("format     file, MB   resolved, MB   to resolved   to the network")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "short").write_text("1\n2\n")
        for kind, settings in SETTINGS.items():
            (home / kind).write_text(lines_of(kind, given.lines))
            scenario = {
                "format": 1,
                "name": kind,
                "duration": "1 s",
                "nodes": {"a": {}, "b": {}},
                "links": {"down": LINK | settings, "up": BACK},
                "flows": {"x": {"kind": "cbr", "from": "a", "to": "b"}},
            }
            (home / "scenario.json").write_text(json.dumps(scenario))
            resolving, making, size = measured(home / "scenario.json", given.repeat)
            sizes = f"{(home / kind).stat().st_size / 1e6:8.1f} {size / 1e6:14.1f}"
            print(f"{kind:10} {sizes} {resolving:13.2f} {making:16.2f}", flush=True)
            (home / kind).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
