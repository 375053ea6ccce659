"""``faircast bench``: packet-hops per CPU second on the reference loads, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from faircast.cli.common import Json, table, verb
from faircast.cli.endings import print_json
from faircast.errors import InputError, NotFinishedError, choose
from faircast.loads import LOADS, REFERENCE

CALENDARS = ("wheel", "heap")
CHILD = "from faircast.cli.bench import child; child()"


@verb
def command(
    loads: Annotated[
        list[str] | None,
        typer.Option(
            "--load",
            metavar="LOAD",
            help=f"One of {', '.join(LOADS)}, again and again; default: {', '.join(REFERENCE)}.",
            autocompletion=lambda: list(LOADS),
        ),
    ] = None,
    repeat: Annotated[int, typer.Option(metavar="N", help="Measure N times; the median and the best are shown.")] = 3,
    calendar: Annotated[
        str,
        typer.Option(
            metavar="|".join(CALENDARS), help="The event calendar to use.", autocompletion=lambda: list(CALENDARS)
        ),
    ] = "wheel",
    as_json: Json = False,
) -> None:
    """Measure how many packet-hops one core simulates per second.

    Packet-hops per second of user CPU time, for building and running the network; a packet-hop is a packet that
    leaves a link. L1: dumbbell, 10 NewReno flows, 960+40 byte packets, 100 Mb/s 20 ms
    drop-tail 1000, access 1 Gb/s 1 ms, 60 s. L2: the same with 100 flows, 1 Gb/s, 10 s; L2-10 and L2-1000 with 10 and
    1000 flows; L2-even with access links of 1.01 Gb/s. M1: star of 1000 receivers, 10 Mb/s constant rate, 10 s; M2:
    binary tree of 1024; M3: binary tree with 10 000 receivers of TFMCC, 21 s. C1: Iridium with ten stations, ten TCP
    and ten constant rates between them, a session of layers, 1000 s; C1-static: the same over a network that stays as
    it is. Start and imports are apart.

    Example: faircast bench --load L1 --repeat 1
    """
    if repeat < 1:
        raise InputError(f"--repeat is {repeat}; it must be at least 1")
    choose("calendar", calendar, CALENDARS)
    results = []
    for load in [choose("load", name, list(LOADS)) for name in loads or REFERENCE]:
        runs = sorted((measure(load, calendar) for _ in range(repeat)), key=lambda run: run["hops_per_cpu_s"])
        results.append({"load": load, **runs[len(runs) // 2], "best_hops_per_cpu_s": runs[-1]["hops_per_cpu_s"]})
    if as_json:
        print_json({"calendar": calendar, "repeat": repeat, "loads": results})
        return
    show(results)


def show(results: list[dict[str, Any]]) -> None:
    """The table on screen."""
    columns = [
        "load",
        "packet-hops",
        "user CPU s",
        "10^6 hops/s",
        "best",
        "largest flow",
        "adds MB",
        "start and imports, CPU s",
    ]
    rows = [
        [
            run["load"],
            f"{run['packet_hops']:,.0f}".replace(",", " "),
            f"{run['user_cpu_s']:.3f}",
            f"{run['hops_per_cpu_s'] / 1e6:.2f}",
            f"{run['best_hops_per_cpu_s'] / 1e6:.2f}",
            "-" if run["largest_share"] is None else f"{run['largest_share']:.0%}",
            f"{run['memory_mb']:.0f}",
            f"{run['start_cpu_s']:.3f}",
        ]
        for run in results
    ]
    table(columns, rows, right=columns[1:])


def measure(load: str, calendar: str) -> dict[str, Any]:
    """Run a load once in a fresh process."""
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, load, calendar], capture_output=True, text=True, check=False, env=os.environ
    )
    if ran.returncode == 2:
        raise InputError(ran.stderr.strip())
    if ran.returncode != 0:
        raise NotFinishedError(f"the load {load} failed: {ran.stderr.strip()[-400:]}")
    found: dict[str, Any] = json.loads(ran.stdout)
    found["hops_per_cpu_s"] = found["packet_hops"] / found["user_cpu_s"]
    return found


def child() -> None:
    """In the fresh process: run the load and print what it took."""
    import resource

    from faircast import _native
    from faircast.loads import UNICAST, load
    from faircast.summary import summary_of

    name, calendar = sys.argv[1:]
    scenario = json.dumps(load(name, calendar=calendar))
    imported_mb = peak_mb()
    before = resource.getrusage(resource.RUSAGE_SELF)
    result = _native.run(scenario, 1)
    after = resource.getrusage(resource.RUSAGE_SELF)
    rates = [value for _, metric, _, value in summary_of(result) if metric == "goodput_all"]
    found = {
        "packet_hops": result.packet_hops,
        "events": result.events,
        "user_cpu_s": after.ru_utime - before.ru_utime,
        "start_cpu_s": before.ru_utime,
        "memory_mb": peak_mb() - imported_mb,
        "goodput_bps": sum(rates),
        "largest_share": max(rates) / sum(rates) if name in UNICAST else None,
    }
    print(json.dumps(found))


def peak_mb() -> float:
    """The most memory that this process has held so far, in units of 1 048 576 bytes.

    Linux tells it of this program alone; `getrusage` would begin with what the parent held when it forked.
    """
    import resource

    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
