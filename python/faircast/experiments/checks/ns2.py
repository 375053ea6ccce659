"""x-ns2: the same scenarios in ns-2.35, where there is one.

Goodput at 1 % loss for each recovery, the mean of a RED queue, and how two flows with round trips of 40 and 80 ms
share a link. ns-2 runs ``ns2.tcl`` beside this file; both sides have seeds of their own, so what is compared are means,
by Welch's interval of their difference: the same are means of which that lies within 5 %.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from faircast.errors import NotFinishedError
from faircast.experiment import (
    AGREES,
    UNDECIDED,
    Criterion,
    Data,
    Experiment,
    Measured,
    Numbers,
    Point,
    judge,
    percent,
)
from faircast.statistics import difference, estimate, with_interval

SCRIPT = Path(__file__).with_suffix(".tcl")
ABSENT = "no ns-2 here to compare with (no command `ns`; Debian's package is ns2)"
MARGIN = 0.05
"""Means that differ by less than this part are the same: fewer seeds do not help, more do."""
PACKET = {"profile": "ns2", "hdr": "0 B", "rto_min": "0.2 s"}
"""TCP as ns-2 has it: that is what is compared, and not what hosts run.

Packets of 1000 B in all: ns2.tcl takes off the 40 B of headers that ns-2.35 adds. Its least time-out is 0.2 s; all else
is the default on both sides."""
RED = {
    "kind": "red",
    "min_th": "10 packets",
    "max_th": "30 packets",
    "w_q": 0.002,
    "gentle": True,
    "mean_pktsize": "1000 B",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """One quantity, measured on both sides."""

    name: str
    unit: str
    arguments: tuple[str, ...]
    """What ns2.tcl is called with, but for the seed; also the key of our runs."""
    seeds: int
    """How many runs of ns-2 at most; ours are as many as the experiment has."""


CASES = (
    *(
        Case(name=f"{variant}, 1 % loss: goodput", unit="bit/s", arguments=("loss", agent), seeds=40)
        for variant, agent in (("Reno", "Reno"), ("NewReno", "Newreno"), ("SACK", "Sack1"))
    ),
    Case(name="RED: mean queue", unit="packets", arguments=("red", "0"), seeds=10),
    Case(
        name="RED, random send delay of a packet time: mean queue",
        unit="packets",
        arguments=("red", "0.0008"),
        seeds=10,
    ),
    Case(
        name="two flows with round trips of 1 to 2, drop-tail: ratio of goodputs",
        unit="",
        arguments=("trips", "DropTail"),
        seeds=40,
    ),
    Case(
        name="two flows with round trips of 1 to 2, RED: ratio of goodputs",
        unit="",
        arguments=("trips", "RED"),
        seeds=40,
    ),
)
VARIANTS = {"Reno": "reno", "Newreno": "newreno", "Sack1": "sack"}


def lossy_path(agent: str) -> dict[str, Any]:
    """One flow, 1 % loss of data, round trip 100 ms."""
    link = {
        "from": "a",
        "to": "b",
        "rate": "1 Gbit/s",
        "delay": "49.994 ms",
        "queue": {"kind": "drop-tail", "limit": "100000 packets"},
        "loss": {"kind": "bernoulli", "p": 0.01},
        "back": {"loss": {"kind": "none"}},
    }
    flow = {"kind": "tcp", "variant": VARIANTS[agent], "from": "a", "to": "b", "start_jitter": "1 s", **PACKET}
    return {
        "duration": "300 s",
        "warmup": "20 s",
        "nodes": {"a": {}, "b": {}},
        "links": {"path": link},
        "flows": {"ftp": flow},
    }


def between(source: str, destination: str, rate: str, delay: str, queue: dict[str, Any]) -> dict[str, Any]:
    """A link."""
    return {"from": source, "to": destination, "rate": rate, "delay": delay, "queue": queue}


def shared(rate: str, delay: str, queue: dict[str, Any], access: list[str], jitter: str) -> dict[str, Any]:
    """NewReno flows over one bottleneck from left to right, each with a first link of the delay that `access` names."""
    ample = {"kind": "drop-tail", "limit": "10000 packets"}
    links = {"bottleneck": between("left", "right", rate, delay, queue)}
    for i, first in enumerate(access):
        links[f"in-{i}"] = between(f"source-{i}", "left", "100 Mbit/s", first, ample)
        links[f"out-{i}"] = between("right", f"sink-{i}", "100 Mbit/s", "5 ms", ample)
    nodes = ["left", "right", *(f"{end}-{i}" for end in ("source", "sink") for i in range(len(access)))]
    flow = {
        "kind": "tcp",
        "variant": "newreno",
        "from": [f"source-{i}" for i in range(len(access))],
        "to": [f"sink-{i}" for i in range(len(access))],
        "count": len(access),
        "start_jitter": "1 s",
        "send_jitter": jitter,
        **PACKET,
    }
    return {"warmup": "20 s", "nodes": {name: {} for name in nodes}, "links": links, "flows": {"ftp": flow}}


def scenario(arguments: tuple[str, ...]) -> dict[str, Any]:
    """What ns2.tcl does with these arguments."""
    match arguments:
        case ("loss", agent):
            parts = lossy_path(agent)
        case ("red", jitter_s):
            parts = shared("10 Mbit/s", "20 ms", {**RED, "limit": "100 packets"}, ["5 ms"] * 10, f"{jitter_s} s")
            parts |= {"duration": "80 s", "probes": {"queues": ["bottleneck"], "queue_interval": "10 ms"}}
        case ("trips", kind):
            queue = {**RED, "limit": "60 packets"} if kind == "RED" else {"kind": "drop-tail", "limit": "20 packets"}
            parts = shared("5 Mbit/s", "10 ms", queue, ["5 ms", "25 ms"], "1.6 ms") | {"duration": "220 s"}
        case _:
            raise ValueError(arguments)
    return {"format": 1, "name": "-".join(("x-ns2", *arguments)).lower(), **parts}


def points(_quick: bool) -> list[Point]:
    """All cases."""
    return [Point(key=case.arguments, scenario=scenario(case.arguments)) for case in CASES]


def ours(case: Case, data: Data) -> list[float]:
    """The quantity in our runs."""
    key = case.arguments
    match key[0]:
        case "loss":
            return data.values(key, "ftp", "goodput")
        case "red":
            return data.values(key, "bottleneck", "queue_mean")
        case _:
            near, far = (data.values(key, f"ftp-{i}", "goodput") for i in (0, 1))
            return [a / b for a, b in zip(near, far, strict=True)]


@cache
def theirs(case: Case, runs: int) -> tuple[float, ...] | None:
    """The quantity in so many runs of ns-2, asked once; None where there is no ns-2."""
    ns = shutil.which("ns")
    if ns is None:
        return None
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        return tuple(pool.map(partial(peer, ns, case.arguments), range(1, runs + 1)))


def peer(ns: str, arguments: tuple[str, ...], seed: int) -> float:
    """One run of ns-2."""
    command = [ns, str(SCRIPT), *arguments, str(seed)]
    done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        return float(done.stdout)
    except ValueError:
        said = (done.stdout + done.stderr).strip()[:300]
        raise NotFinishedError(f"{' '.join(command)} gave no number: {said}") from None


def compared(case: Case, data: Data) -> Measured:
    """Our mean divided by that of ns-2, with Welch's interval of the difference."""
    found = ours(case, data)
    peers = theirs(case, min(case.seeds, len(data.seeds)))
    if peers is None:
        return replace(Measured.of(estimate(found), note=ABSENT), judged=False)
    apart, theirs_mean = difference(found, peers), sum(peers) / len(peers)
    ci95 = None if apart.ci95 is None else apart.ci95 / theirs_mean
    note = f"{shown(found)} here, {shown(peers)} in ns-2, {len(peers)} runs"
    return Measured(value=1 + apart.mean / theirs_mean, ci95=ci95, note=note)


def shown(values: list[float] | tuple[float, ...]) -> str:
    """Mean and interval."""
    of = estimate(values)
    return with_interval(of.mean, of.ci95)


def says(data: Data) -> str:
    """What the check shows."""
    if theirs(CASES[0], 1) is None:
        return f"Nothing is compared: {ABSENT}."
    found = Counter(judge(criterion, data).verdict for criterion in CRITERIA)
    return (
        f"{found[AGREES]} of {len(CASES)} means are within {percent(MARGIN)} of those of ns-2.35, {found[UNDECIDED]} "
        "are undecided."
    )


def numbers(data: Data) -> Numbers:
    """Both sides and the difference."""
    rows = []
    for case in CASES:
        found, peers = ours(case, data), theirs(case, min(case.seeds, len(data.seeds)))
        apart = None if peers is None else difference(found, peers)
        rows.append(
            [
                f"{case.name} {case.unit}".strip(),
                shown(found),
                "-" if peers is None else shown(peers),
                "-" if apart is None else with_interval(apart.mean, apart.ci95),
            ]
        )
    return Numbers(columns=["quantity", "faircast", "ns-2.35", "difference"], rows=rows)


CRITERIA = [
    Criterion(
        name=f"{case.name}, divided by that of ns-2{f' ({case.unit})' if case.unit else ''}",
        published="the same",
        evaluate=partial(compared, case),
        low=1 - MARGIN,
        high=1 + MARGIN,
    )
    for case in CASES
]


EXPERIMENTS = [
    Experiment(
        id="x-ns2",
        paper="checks",
        place="beside ns-2.35",
        title="TCP and RED beside ns-2.35",
        published="The simulator ns-2.35 gives the same goodputs, queues and ratios for the same scenarios.",
        points=points,
        criteria=CRITERIA,
        numbers=numbers,
        says=says,
        reps=40,
    )
]
