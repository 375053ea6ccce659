"""Measures how the cost of large networks grows, prints it as a table and draws the figure of docs/benchmarks.md.

python tools/figure_scale.py [FOLDER]        default docs/figures

CPU seconds, of the best of a few calls, from a scenario's JSON text to the end of a run that is as short as it can be:
the check, the network, its routes and trees, and what happens at the beginning. The slope is that between the last two
sizes: 1 is linear, 2 quadratic. Takes some minutes and, for the last row, some GB.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast import _native, figures

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent

FAST = {"rate": "10 Gbit/s", "delay": "1 ms"}


def scenario(duration: str, **parts: Any) -> dict[str, Any]:
    """A scenario without probes."""
    probes = {"flows": False, "links": False, "events": False}
    return {"format": 1, "name": "scale", "duration": duration, "probes": probes, **parts}


def star(hosts: int) -> dict[str, Any]:
    """Hosts around a router."""
    return {"kind": "star", "right": hosts, "access": FAST, "access_right": FAST}


def session(receivers: int, **more: Any) -> dict[str, Any]:
    """One session from the first host on the left to so many on the right."""
    return {
        "film": {
            "scheme": "cbr",
            "rate": "8 kbit/s",
            "source": "left-0",
            "receivers": {"count": receivers},
            **more,
        }
    }


def sessions(count: int) -> dict[str, Any]:
    """Sessions between pairs of hosts over one link."""
    one = {"scheme": "cbr", "rate": "8 kbit/s"}
    pairs = {f"s{i}": {**one, "source": f"left-{i}", "receivers": {"nodes": [f"right-{i}"]}} for i in range(count)}
    return scenario("1 us", topology={"kind": "dumbbell", "left": count, "right": count}, sessions=pairs)


def starts(endpoints: int) -> dict[str, Any]:
    """TCP flows between pairs of hosts, all of which start at time 0."""
    flows = {"web": {"kind": "tcp", "count": endpoints // 2}}
    side = endpoints // 2
    return scenario("1 us", topology={"kind": "dumbbell", "left": side, "right": side}, flows=flows)


def joins(members: int) -> dict[str, Any]:
    """Members that join at one hub at one moment; their joins get to the source."""
    return scenario("3 ms", topology=star(members), sessions=session(members))


def links(count: int) -> dict[str, Any]:
    """Hosts around a router, of which only the first two have something to do."""
    flows = {"web": {"kind": "cbr", "rate": "8 kbit/s", "from": "right-0", "to": "right-1"}}
    return scenario("1 us", topology=star(count // 2), flows=flows)


def changes(count: int) -> dict[str, Any]:
    """Changes of one link's delay within a second."""
    steps = [{"at": f"{1 + index} us", "delay": f"{10 + index % 2} ms"} for index in range(count)]
    return scenario(
        "1 s",
        topology={"kind": "dumbbell", "left": 1, "right": 1},
        links={"bottleneck": {"changes": steps}},
        flows={"web": {"kind": "cbr", "rate": "8 kbit/s"}},
    )


def outages(flows: int) -> dict[str, Any]:
    """A link that fails ten times in a second; flows between pairs of hosts cross it."""
    steps = [{"at": f"{50 * (index + 1)} ms", "up": index % 2 == 1} for index in range(20)]
    return scenario(
        "1 s",
        topology={"kind": "dumbbell", "left": flows, "right": flows},
        links={"bottleneck": {"rate": "10 Gbit/s", "changes": steps}},
        flows={"web": {"kind": "cbr", "rate": "8 kbit/s", "packet_size": "100 B", "count": flows}},
    )


def groups(count: int) -> dict[str, Any]:
    """Layers, each in a group, that a hundred members join."""
    layers = {"scheme": "layered-cbr", "rates": ["1 kbit/s"] * count}
    del (film := session(100)["film"])["rate"]
    return scenario("10 ms", topology=star(100), sessions={"film": {**film, **layers}})


def receivers(count: int) -> dict[str, Any]:
    """TFMCC's receivers around a router."""
    del (film := session(count)["film"])["rate"]
    return scenario("1 us", topology=star(count), sessions={"film": {**film, "scheme": "tfmcc"}})


def sinks(count: int) -> dict[str, Any]:
    """Members of a session of constant rate around a router."""
    return scenario("1 us", topology=star(count), sessions=session(count))


LOADS: dict[str, tuple[Callable[[int], dict[str, Any]], tuple[int, ...]]] = {
    "sessions": (sessions, (1000, 2000, 4000)),
    "endpoints that start together": (starts, (10_000, 20_000, 40_000)),
    "joins at one hub": (joins, (10_000, 20_000, 40_000)),
    "links, all but four unused": (links, (10_000, 20_000, 40_000)),
    "changes of a link": (changes, (10_000, 20_000, 40_000)),
    "flows over a link that fails": (outages, (250, 500, 1000)),
    "groups": (groups, (32, 64, 128)),
    "receivers of TFMCC": (receivers, (10_000, 32_000, 100_000)),
    "sinks": (sinks, (10_000, 100_000, 1_000_000)),
}


def main() -> int:
    """Measure everything, print the table, draw the figure."""
    if sys.argv[1:2] == ["--one"]:
        print(cpu_seconds(sys.argv[2], int(sys.argv[3])))
        return 0
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures"
    measured = {name: [apart(name, size) for size in sizes] for name, (_, sizes) in LOADS.items()}
    print("| what there are many of | how many | CPU seconds | slope |")
    print("|---|---|---|---|")
    for name, times in measured.items():
        sizes = LOADS[name][1]
        slope = math.log(times[-1] / times[-2]) / math.log(sizes[-1] / sizes[-2])
        numbers = ", ".join(f"{size:,}".replace(",", " ") for size in sizes)
        print(f"| {name} | {numbers} | {', '.join(f'{t:.2f}' for t in times)} | {slope:.2f} |")
    draw(measured, folder)
    return 0


def apart(name: str, size: int) -> float:
    """The best of some calls in processes of their own: what one leaves behind in memory does not help the next."""
    calls = 1 if size > 100_000 else 3
    command = [sys.executable, __file__, "--one", name, str(size)]
    return min(float(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(calls))


def cpu_seconds(name: str, size: int) -> float:
    """What a load of this size takes."""
    text = json.dumps(LOADS[name][0](size))
    before = time.process_time()
    _native.run(text, 1)
    return time.process_time() - before


def draw(measured: dict[str, list[float]], folder: Path) -> None:
    """CPU seconds over size, and what is linear."""
    with figures.style():
        figure, (left, right) = figures.panels(1, 2, width=figures.PAGE_IN, height=2.9, sharey=True)
        names = list(measured)
        for axes, shown in ((left, names[:5]), (right, names[5:])):
            for series, name in enumerate(shown):
                look = {"color": figures.COLOURS[series], "marker": figures.MARKERS[series]}
                axes.loglog(LOADS[name][1], measured[name], linestyle=figures.LINES[series], label=name, **look)
            low, high = axes.get_xlim()
            axes.loglog([low, high], [low * 1e-5, high * 1e-5], color="#888888", linewidth=0.6, label="10 µs for each")
            axes.set_xlim(low, high)
            axes.set_xlabel("how many")
            axes.legend()
        left.set_ylabel("CPU time, s")
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "benchmarks-scale.png", dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    sys.exit(main())
