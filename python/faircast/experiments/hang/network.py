"""The dumbbell of the paper (Fig. 4), what competes on it, and its two measures.

One multicast session, two TCP and one CBR flow of 0.2 Mbit/s share a bottleneck of 1, 2 or 4 Mbit/s and 20 ms with a
drop-tail queue of 10, 20 or 40 packets; access links have 5 Mbit/s and 5 ms. That is the paper's; what follows is
choice: every host has its access link to itself, packets of 1000 B on the wire (CBR: 500 B), TCP Reno with limited
transmit, windows of 20 packets and time-outs of 0.2 s at least, starts in the first second, 1, 2, 5, 10, 20, 50 and 100
receivers. A queue of Q packets counts the one in transmission, as in ns-2, and TCP is that of ns-2, which it ran.

All verdicts are of this one reading, with TFMCC and OMCC by the letter of RFC 4654, and without phases of packets that
decide who loses at the full queue: TCP waits for up to a packet's time at the bottleneck before it sends, and the gaps
of CBR vary by half. Other readings are run beside it, that in phase as ns-2 has it unless asked for, and the default
profile of both, which comes back sooner after trouble; what they give is named, but not counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from faircast.experiment import UNDECIDED, Criterion, Data, Measured, Point, judge, plain
from faircast.experiments.jitter import one_packet
from faircast.experiments.judging import in_words, word_of
from faircast.statistics import Estimate, deviation, estimate, jackknife

RECEIVERS = (1, 2, 5, 10, 20, 50, 100)
FEWER_RECEIVERS = (2, 10)
"""In variants, to save time."""
QUICK_RECEIVERS = (2, 10, 20)
LIMITS = (10, 20, 40)
DURATION_S = 300.0
WARMUP_S = 50.0
"""The paper gives means over 300 s and over the last 250 s."""
ACCESS_MBPS = 5.0
PACKET_BYTES = 1000
CBR_MBPS = 0.2
SESSION, CBR, TCPS = "session", "cbr", ("tcp-0", "tcp-1")
FLOWS = (SESSION, *TCPS, CBR)
EXITS = {"tcp-0": "access-right-0", "tcp-1": "access-right-1", CBR: "access-right-2", SESSION: "access-right-3"}
"""The link by which a flow leaves the bottleneck, and nothing else does; of the session the first receiver's."""

SCHEMES: dict[str, dict[str, Any]] = {
    "tfmcc": {"scheme": "tfmcc"},
    "log": {"scheme": "omcc", "utility": "log"},
    "tcp": {"scheme": "omcc", "utility": "tcp"},
    "log-received": {"scheme": "omcc", "utility": "log", "f_apply": "receive-rate"},
    "tcp-received": {"scheme": "omcc", "utility": "tcp", "f_apply": "receive-rate"},
    "log-1.5": {"scheme": "omcc", "utility": "log", "f_max": 1.5},
    "log-2": {"scheme": "omcc", "utility": "log", "f_max": 2},
    "log-increase": {"scheme": "omcc", "utility": "log", "f_apply": "increase"},
}
NAMES = {
    "tfmcc": "TFMCC",
    "log": "Log-OMCC",
    "tcp": "TCP-OMCC",
    "log-received": "Log-OMCC capped",
    "tcp-received": "TCP-OMCC capped",
    "log-1.5": "Log-OMCC, factor at most 1.5",
    "log-2": "Log-OMCC, factor at most 2",
    "log-increase": "Log-OMCC, factor on increases only",
}
"""OMCC as printed multiplies the equation by f(N): N with the logarithmic, the root of N with the TCP utility. The
others are ours: the product capped at the receive rate, ``X_r = min(f·X, max(X_recv, X))``, a hypothesis about what the
authors ran that was found by trying six rules, hence no evidence; f bounded; f on the growth per round-trip time only.
"""
CAPPED = {"log": "log-received", "tcp": "tcp-received", "tfmcc": "tfmcc"}
SWEEP_ENDS = {"log": 10, "tcp": 20}
"""Equation 13 as printed starves TCP from some N on, and more so with more receivers: the sweep ends there, since what
follows is a session that has the link for itself. Should TCP live where a sweep ends, its criteria fail (`cut_short`).
"""
FULL_SWEEP_MS = 0.1
"""Over links this short TFMCC itself gets little beside TCP, and OMCC starves nobody: all N are run."""

LETTER, OURS = "rfc4654", "faircast"
"""Profiles of TFMCC and of OMCC, which rests on it: the letter of the RFC, and the default."""
MAIN, IN_PHASE, DEFAULT = "main", "in-phase", "default"
VARIANTS = {
    MAIN: "Reno, time-outs from 0.2 s",
    "rto1": "Reno, time-outs from 1 s",
    "newreno": "NewReno",
    IN_PHASE: "without random delays",
    DEFAULT: "our default profile of TFMCC",
}
"""Readings of what the paper leaves open, and `OURS` in place of `LETTER`; verdicts are of the main one.

How soon TCP times out at least: 0.2 s is the reading under which Table 2, the text on bandwidth and Figures 6 and 7
hold together, measured here. It does not prove what the authors used: `minrto_` of ns-2 became 1 s in May 2001 and
0.2 s in October 2004 (the notes on changed defaults in its test suites), the paper cites a thesis of December 2003,
and which version it used is not stated.
"""
STARVED_MBPS = 0.05
STARVED = "equation 13 starves TCP"


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
    """Which reading, of `VARIANTS`."""

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
                    "profile": "ns2",
                    "count": len(TCPS),
                    "mss": "1000 B",
                    "hdr": "0 B",
                    "ack_size": "40 B",
                    "wnd": "20 packets",
                    "rto_min": "0.2 s",
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
                | {"profile": OURS if self.variant == DEFAULT else LETTER}
                | SCHEMES[self.scheme]
            },
            "probes": {"flows": False, "links": False, "events": False},
        } | more

    def point(self) -> Point:
        """Its point."""
        return Point(key=self, scenario=self.scenario(), beside=self.variant != MAIN)

    def _changes(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What the variant changes in the TCP flows and in the CBR flow."""
        if self.variant == IN_PHASE:
            return {}, {}
        changes: dict[str, dict[str, Any]] = {"rto1": {"rto_min": "1 s"}, "newreno": {"variant": "newreno"}}
        return one_packet(PACKET_BYTES, self.mbps) | changes.get(self.variant, {}), {"jitter": 0.5}


def by_receivers(count: int) -> str:
    """``1 receiver``, ``2 receivers``."""
    return f"{count} receiver{'' if count == 1 else 's'}"


def counts(quick: bool, variant: str = MAIN, scheme: str = "tfmcc", delay_ms: float | None = None) -> tuple[int, ...]:
    """The numbers of receivers swept."""
    swept = QUICK_RECEIVERS if quick else RECEIVERS if variant == MAIN else FEWER_RECEIVERS
    if delay_ms == FULL_SWEEP_MS:
        return swept
    return tuple(n for n in swept if n <= SWEEP_ENDS.get(scheme, n)) or swept[:1]


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
    return fairness_of(data, case, [seed], whole=whole)


def fairness_of(data: Data, case: Case, seeds: Sequence[int], *, whole: bool = False) -> float:
    """Throughput of the session over that of TCP in several runs: the ratio of the means.

    Single runs may have next to nothing below the line.
    """
    tcp = math.fsum(tcp_mean(data, case, seed, whole=whole) for seed in seeds)
    session = math.fsum(throughput(data, case, seed, SESSION, whole=whole) for seed in seeds)
    return session / tcp if tcp > 0 else math.inf


def mean_fairness(data: Data, case: Case, *, whole: bool = False) -> Estimate:
    """Fairness over the seeds, with the interval of a ratio of means."""
    return jackknife(lambda seeds: fairness_of(data, case, seeds, whole=whole), data.seeds)


def tcp_share(data: Data, case: Case) -> Estimate:
    """What a TCP flow gets of what it and the session get together, the ratio of the means; one half is equal."""

    def share(seeds: Sequence[int]) -> float:
        return 1 / (1 + fairness_of(data, case, seeds))

    return jackknife(share, data.seeds)


def mean_tcp(data: Data, case: Case) -> Estimate:
    """Mean throughput of the TCP flows over the seeds, Mbit/s."""
    return data.over_seeds(lambda seed: tcp_mean(data, case, seed))


def cut_short(data: Data, last: Case) -> str:
    """Why a sweep that ends before the others says nothing: it ends although TCP lives; empty if it does not."""
    whole = counts(data.quick, last.variant)[-1]
    if last.receivers >= whole or mean_tcp(data, last).mean < STARVED_MBPS:
        return ""
    return f"run up to {last.receivers} receivers only, though TCP is not starved"


def starved(data: Data, cases: Sequence[Case]) -> str:
    """What beside these sessions has no mean throughput of TCP of 0.05 Mbit/s; empty if all have."""
    found = [(case, mean_tcp(data, case).mean) for case in cases]
    return ", ".join(
        f"beside {NAMES[case.scheme]} with {case.receivers} receivers a TCP flow gets {plain(rate, 2)} Mbit/s"
        for case, rate in found
        if rate < STARVED_MBPS
    )


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
    rule: str = ""
    soft: bool = False

    def of(self, variant: str) -> Criterion:
        """The criterion in one variant."""
        return Criterion(
            name=self.name,
            published=self.published,
            evaluate=lambda data: self.measure(data, variant),
            low=self.low,
            high=self.high,
            rule=self.rule,
            soft=self.soft,
        )


def criteria(statements: Sequence[Statement], variants: Sequence[str]) -> list[Criterion]:
    """Criteria judged in the main variant; beside it stands what the others gave, and in which it would hold."""

    def evaluate(statement: Statement, data: Data) -> Measured:
        found = statement.measure(data, MAIN)
        others = [_brief(statement, data, variant) for variant in variants if variant != MAIN]
        return replace(found, beside="; ".join(others))

    return [replace(statement.of(MAIN), evaluate=partial(evaluate, statement)) for statement in statements]


def as_reported(criterion: Criterion) -> Criterion:
    """What a criterion would say of what the paper did not run: a number, and in words whether it would hold."""

    def evaluate(data: Data) -> Measured:
        verdict = judge(criterion, data)
        would = {"holds": "would hold", UNDECIDED: "would be undecided"}.get(word_of(verdict), "would not hold")
        note = "; ".join(part for part in (would, verdict.note) if part)
        return Measured(value=verdict.measured, ci95=verdict.ci95, note=note, beside=verdict.beside)

    return Criterion(name=f"hypothesis, not judged: {criterion.name}", published=criterion.published, evaluate=evaluate)


def _brief(statement: Statement, data: Data, variant: str) -> str:
    found = statement.measure(data, variant)
    verdict = judge(replace(statement.of(variant), evaluate=lambda _: found), data)
    return ", ".join(part for part in (in_words(VARIANTS[variant], verdict), found.fails) if part)


def with_deviation(values: Sequence[float]) -> str:
    """Mean and standard deviation, as the paper prints them."""
    return f"{estimate(values).mean:.3f} ± {deviation(values):.3f}"
