"""The dumbbell of the paper (Fig. 4), what competes on it, and its two measures.

One multicast session, two TCP and one CBR flow of 0.2 Mbit/s share a bottleneck of 1, 2 or 4 Mbit/s and 20 ms with a
drop-tail queue of 10, 20 or 40 packets; access links have 5 Mbit/s and 5 ms. That is the paper's; what follows is
choice: every host has its access link to itself, packets of 1000 B on the wire (CBR: 500 B), TCP Reno as in ns-2 of
2003 with limited transmit, windows of 20 packets and time-outs of 1 s at least, starts in the first second, 1, 2, 5,
10, 20, 50 and 100 receivers. A queue of Q packets counts the one in transmission, as in ns-2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from faircast.experiment import AGREES, REPORTED, Criterion, Data, Measured, Point, judge
from faircast.statistics import Estimate, deviation, estimate, with_interval

RECEIVERS = (1, 2, 5, 10, 20, 50, 100)
FEWER_RECEIVERS = {"rto0.2": (2, 5, 10, 100), "jitter": (2, 5, 10, 100), "newreno": (2, 5, 10)}
"""In variants, to save time: what criteria look at."""
QUICK_RECEIVERS = (2, 20)
LIMITS = (10, 20, 40)
DURATION_S = 300.0
WARMUP_S = 50.0
"""The paper gives means over 300 s and over the last 250 s."""
ACCESS_MBPS = 5.0
CBR_MBPS = 0.2
SESSION, CBR, TCPS = "session", "cbr", ("tcp-0", "tcp-1")
FLOWS = (SESSION, *TCPS, CBR)
EXITS = {"tcp-0": "access-right-0", "tcp-1": "access-right-1", CBR: "access-right-2", SESSION: "access-right-3"}
"""The link by which a flow leaves the bottleneck, and nothing else does; of the session the first receiver's."""

SCHEMES: dict[str, dict[str, Any]] = {
    "tfmcc": {"scheme": "tfmcc"},
    "log": {"scheme": "omcc", "utility": "log"},
    "tcp": {"scheme": "omcc", "utility": "tcp"},
    "log-1.5": {"scheme": "omcc", "utility": "log", "f_max": 1.5},
    "log-2": {"scheme": "omcc", "utility": "log", "f_max": 2},
    "log-increase": {"scheme": "omcc", "utility": "log", "f_apply": "increase"},
}
NAMES = {
    "tfmcc": "TFMCC",
    "log": "Log-OMCC",
    "tcp": "TCP-OMCC",
    "log-1.5": "Log-OMCC, f ≤ 1.5",
    "log-2": "Log-OMCC, f ≤ 2",
    "log-increase": "Log-OMCC, f on the increase",
}
"""OMCC to the letter multiplies the equation by f(N): N with the logarithmic, the root of N with the TCP utility. The
last three are ours: f bounded, and f applied to the growth per round-trip time only.
"""

MAIN = "main"
VARIANTS = {
    MAIN: "Reno, rto_min 1 s",
    "rto0.2": "rto_min 0.2 s",
    "newreno": "NewReno",
    "jitter": "jitter",
}
"""Readings of what the paper leaves open; the main one is judged first.

How soon TCP times out at least: in ns-2 that was two ticks of 0.1 s up to 2002, then 1 s, and 0.2 s from October 2004
(`TcpAgent::rtt_timeout` and the notes on changed defaults in its test suites). The paper is of 2003 or 2004; which
version it used is not stated. Packets without jitter are ns-2's default; with `jitter` a TCP waits for up to a
transmission time of the bottleneck before it sends, and the gaps of CBR vary by half.
"""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One scenario, and the key of its point."""

    scheme: str = "tfmcc"
    receivers: int = 2
    limit: int = 10
    mbps: float = 2
    delay_ms: float | None = None
    """Of all three links; None: 5, 20 and 5 ms."""
    variant: str = MAIN
    """Of `VARIANTS`."""

    def scenario(self, **more: Any) -> dict[str, Any]:
        """The scenario; `more` is added at its top."""
        access_ms, bottleneck_ms = (5, 20) if self.delay_ms is None else (self.delay_ms, self.delay_ms)
        ample = {"kind": "drop-tail", "limit": "1000 packets"}
        delay = "5-20-5" if self.delay_ms is None else f"{self.delay_ms:g}"
        start = {"start_jitter": "1 s"}
        tcp, cbr = self._changes()
        return {
            "format": 1,
            "name": f"{self.scheme}-n{self.receivers}-q{self.limit}-{self.mbps:g}mbps-{delay}ms-{self.variant}",
            "duration": f"{DURATION_S} s",
            "warmup": f"{WARMUP_S} s",
            "topology": {
                "kind": "dumbbell",
                "left": len(FLOWS),
                "right": len(EXITS) - 1 + self.receivers,
                "access": {"rate": f"{ACCESS_MBPS} Mbit/s", "delay": f"{access_ms} ms", "queue": ample},
            },
            "links": {
                "bottleneck": {
                    "rate": f"{self.mbps} Mbit/s",
                    "delay": f"{bottleneck_ms} ms",
                    "queue": {"kind": "drop-tail", "limit": f"{self.limit} packets"},
                    "back": {"queue": ample},
                }
            },
            "flows": {
                "tcp": {
                    "kind": "tcp",
                    "variant": "reno",
                    "count": len(TCPS),
                    "mss": "1000 B",
                    "hdr": "0 B",
                    "ack_size": "40 B",
                    "wnd": "20 packets",
                }
                | start
                | tcp,
                CBR: {
                    "kind": "cbr",
                    "from": "left-2",
                    "to": "right-2",
                    "rate": f"{CBR_MBPS} Mbit/s",
                    "packet_size": "500 B",
                }
                | start
                | cbr,
            },
            "sessions": {
                SESSION: {
                    "source": "left-3",
                    "receivers": {"nodes": [f"right-{len(EXITS) - 1 + i}" for i in range(self.receivers)]},
                }
                | start
                | SCHEMES[self.scheme]
            },
            "probes": {"flows": False, "links": False, "events": False},
        } | more

    def point(self) -> Point:
        """Its point."""
        return Point(key=self, scenario=self.scenario())

    def _changes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the variant changes in the TCP flows and in the CBR flow."""
        if self.variant == "jitter":
            return {"send_jitter": f"{8 / self.mbps:g} ms"}, {"jitter": 0.5}
        changes: dict[str, dict[str, Any]] = {
            MAIN: {},
            "rto0.2": {"rto_min": "0.2 s"},
            "newreno": {"variant": "newreno"},
        }
        return changes[self.variant], {}


def counts(quick: bool, variant: str = MAIN) -> tuple[int, ...]:
    """The numbers of receivers swept."""
    return QUICK_RECEIVERS if quick else FEWER_RECEIVERS.get(variant, RECEIVERS)


def throughput(data: Data, case: Case, seed: int, flow: str, *, whole: bool = False) -> float:
    """What a flow carried through the bottleneck, Mbit/s (eq. 14), over the last 250 s or the whole run."""
    run, counter = data.run(case, seed), (EXITS[flow], "efficiency_all" if whole else "efficiency")
    # A link that nothing has come to is not in the summary: a TCP flow without a single packet delivered.
    return ACCESS_MBPS * run[counter] if counter in run else 0.0


def total(data: Data, case: Case, seed: int, *, whole: bool = False) -> float:
    """What the bottleneck carried, Mbit/s."""
    return case.mbps * data.run(case, seed)["bottleneck", "efficiency_all" if whole else "efficiency"]


def tcp_mean(data: Data, case: Case, seed: int, *, whole: bool = False) -> float:
    """Mean throughput of the TCP flows, Mbit/s."""
    return sum(throughput(data, case, seed, flow, whole=whole) for flow in TCPS) / len(TCPS)


def fairness(data: Data, case: Case, seed: int, *, whole: bool = False) -> float:
    """Throughput of the session over the mean of the TCP flows (eq. 15); infinite if these got nothing."""
    tcp = tcp_mean(data, case, seed, whole=whole)
    return throughput(data, case, seed, SESSION, whole=whole) / tcp if tcp > 0 else math.inf


def mean_fairness(data: Data, case: Case) -> Estimate:
    """Fairness over the seeds."""
    return data.over_seeds(lambda seed: fairness(data, case, seed))


def mean_throughput(data: Data, case: Case, flow: str) -> Estimate:
    """A flow's throughput over the seeds, Mbit/s."""
    return data.over_seeds(lambda seed: throughput(data, case, seed, flow))


def timeouts_per_s(data: Data, case: Case) -> Estimate:
    """Retransmission time-outs of a TCP flow per second, mean of both."""
    late_s = len(TCPS) * (DURATION_S - WARMUP_S)
    return data.over_seeds(lambda seed: sum(data.run(case, seed)[flow, "timeouts"] for flow in TCPS) / late_s)


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A criterion that can be held against several variants."""

    name: str
    published: str | float
    measure: Callable[[Data, str], Measured]
    """Called with one of `VARIANTS`."""
    low: float | None = None
    high: float | None = None
    soft: bool = False

    def of(self, variant: str) -> Criterion:
        """The criterion in one variant."""
        return Criterion(
            name=self.name,
            published=self.published,
            evaluate=lambda data: self.measure(data, variant),
            low=self.low,
            high=self.high,
            soft=self.soft,
        )


def criteria(statements: Sequence[Statement], variants: Sequence[str]) -> list[Criterion]:
    """Criteria that are judged together: in the first variant in which all of them hold, else in the main one.

    The verdict names the variant if it is not the main one; the note tells what the others gave.
    """

    def evaluate(statement: Statement, data: Data) -> Measured:
        chosen = next((v for v in variants if all(_agrees(each, data, v) for each in statements)), MAIN)
        found = statement.measure(data, chosen)
        others = [f"{VARIANTS[v]}: {_brief(statement.measure(data, v))}" for v in variants if v != chosen]
        note = "; ".join(part for part in (found.note, *others) if part)
        return replace(found, note=note, variant="" if chosen == MAIN else VARIANTS[chosen])

    return [replace(statement.of(MAIN), evaluate=partial(evaluate, statement)) for statement in statements]


def _agrees(statement: Statement, data: Data, variant: str) -> bool:
    return judge(statement.of(variant), data).verdict in (AGREES, REPORTED)


def _brief(found: Measured) -> str:
    if found.value is None:
        return "holds" if found.holds else "does not hold" if found.holds is not None else "-"
    return with_interval(found.value, found.ci95)


def with_deviation(values: Sequence[float]) -> str:
    """Mean and standard deviation, as the paper prints them."""
    return f"{estimate(values).mean:.3f} ± {deviation(values):.3f}"
