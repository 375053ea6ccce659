"""One, two and three TCP flows beside TFMCC, and TCP's windows of 10, 20 and 64 packets: what Table 2 turns on.

The paper has two TCP flows and states no window. The network is that of Table 2: 1 Mbit/s, two receivers, a queue of 10
packets. Reported only: with one change at a time, how many times TFMCC gets what a TCP flow gets.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.hang.network import SESSION, Case, by_receivers
from faircast.statistics import Estimate, jackknife

BASE = Case(mbps=1)
THIRD = "tcp-third"


@dataclass(frozen=True, kw_only=True)
class Beside:
    """Who competes with the session, and the key of its point."""

    tcps: int = 2
    window: int = 20

    @property
    def flows(self) -> list[str]:
        """The TCP flows."""
        return [*(f"tcp-{i}" for i in range(min(self.tcps, 2))), *([THIRD] if self.tcps > 2 else [])]

    def scenario(self) -> dict[str, Any]:
        """The network of Table 2 with these."""
        made = BASE.scenario(name=f"omcc-beside-{self.tcps}-tcps-w{self.window}")
        tcp = made["flows"]["tcp"]
        tcp |= {"count": min(self.tcps, 2), "wnd": f"{self.window} packets"}
        if self.tcps > 2:
            topology = made["topology"]
            left, right = topology["left"], topology["right"]
            topology |= {"left": left + 1, "right": right + 1}
            third = {key: value for key, value in tcp.items() if key != "count"}
            made["flows"][THIRD] = third | {"from": f"left-{left}", "to": f"right-{right}"}
        return made

    def point(self) -> Point:
        """Its point."""
        return Point(key=self, scenario=self.scenario())

    def __str__(self) -> str:
        return f"{self.tcps} TCP flow{'s' * (self.tcps != 1)}, windows of {self.window} packets"


CASES = [Beside(tcps=tcps) for tcps in (1, 2, 3)] + [Beside(window=window) for window in (10, 64)]


def points(_quick: bool) -> list[Point]:
    """One change at a time."""
    return [case.point() for case in CASES]


def rates(data: Data, case: Beside, seeds: Sequence[int]) -> tuple[float, float]:
    """What the session and a TCP flow get, means over the runs, Mbit/s."""
    session = math.fsum(data.run(case, seed)[f"{SESSION}-0", "rate"] for seed in seeds) / len(seeds)
    tcp = [math.fsum(data.run(case, seed)[flow, "rate"] for flow in case.flows) / case.tcps for seed in seeds]
    return session / 1e6, math.fsum(tcp) / len(seeds) / 1e6


def ratio(data: Data, case: Beside) -> Estimate:
    """How many times the session gets what a TCP flow gets, the ratio of the means."""

    def of(seeds: Sequence[int]) -> float:
        session, tcp = rates(data, case, seeds)
        return session / tcp

    return jackknife(of, data.seeds)


def measured(case: Beside, data: Data) -> Measured:
    """How many times the session gets what a TCP flow gets, and the rates of both."""
    session, tcp = rates(data, case, data.seeds)
    return Measured.of(ratio(data, case), note=f"TFMCC {plain(session)}, a TCP flow {plain(tcp)} Mbit/s")


def numbers(data: Data) -> Numbers:
    """All cases."""
    rows = [
        [str(case), str(ratio(data, case)), *(plain(rate) for rate in rates(data, case, data.seeds))] for case in CASES
    ]
    return Numbers(columns=["beside TFMCC", "TFMCC divided by TCP", "TFMCC, Mbit/s", "a TCP flow, Mbit/s"], rows=rows)


def says(data: Data) -> str:
    """What it turns on."""
    by_count = [plain(ratio(data, case).mean, 2) for case in CASES[:3]]
    by_window = [plain(ratio(data, case).mean, 2) for case in (CASES[3], CASES[1], CASES[4])]
    return (
        f"With {by_receivers(2)} TFMCC gets {listed(by_count)} times what a TCP flow gets beside one, two and three of "
        f"them, and {listed(by_window)} times with windows of 10, 20 and 64 packets."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-x2",
        paper="hang",
        place="Table 2, other conditions",
        title="Other numbers of TCP flows and other windows beside TFMCC",
        published="Not in the paper.",
        points=points,
        criteria=[
            Criterion(
                name=f"TFMCC divided by TCP, {case}", published="not in the paper", evaluate=partial(measured, case)
            )
            for case in CASES
        ],
        says=says,
        numbers=numbers,
    )
]
