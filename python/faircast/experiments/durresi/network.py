"""The network of Fig. 5 of the paper, its scenarios and its queues.

Ten FTP sources over Reno, 1000 B packets and 40 B ACKs, share R1-R2 (1.5 Mb/s, 65 ms), where the queue under test is,
and R2-R3 (the same). What the paper leaves open is a choice, stated here: P_max 0.1 and w_q 0.002 for every queue, a
limit of 300 packets, windows of 20 packets, ns-2's default, 200 s with 20 s of warm-up, and a host that takes up to
one service time of the bottleneck for each opportunity to send. TCP is that of ns-2, which the paper ran.

All verdicts are of windows of 20 packets: only with them both curves of Fig. 8a and 8b reach zero, as the paper's do.
At most 200 packets are in flight, so at most about 149 wait and nothing overflows. Windows of 64 packets are run beside
it, and what they give is named, but not counted.

One marking rule holds for tables and figures: that of the paper's Table I and its text, in which a packet is marked
incipient below the middle threshold and moderate above. Just above that threshold nothing is marked. *Levels
overlapping*, our default, marks incipient there, too; it stands beside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from faircast.experiment import Criterion, Data, Measured, Point, judge
from faircast.experiments.judging import in_words
from faircast.statistics import Estimate

SOURCES = 10
BOTTLENECK = "hop-0"
LIMIT_PKTS = 300
WINDOW, WIDE_WINDOW = 20, 64
"""The reading that is judged, and the one beside it."""
DURATION_S, WARMUP_S = 200, 20

MIN_THS = (2, 5, 10, 15, 20, 25, 30, 40, 50, 60)
QUICK_MIN_THS = (2, 10, 20, 40)

SCENARIOS = {
    "ov": "equal round trips, staggered starts",
    "dr": "different round trips, common start",
    "dro": "different round trips, staggered starts",
}
"""The keys are the paper's file labels: *o*verlapping starts 0.3 s apart, *d*ifferent *R*TTs 272, 282 … 362 ms."""

OVERLAP = "mecn-overlap"
SCHEMES = {
    "ecn": "ECN",
    "ecn4": "ECN with MECN's drop threshold",
    "mecn": "MECN",
    OVERLAP: "MECN, levels overlapping",
    "mecn-longramp": "MECN, long first ramp",
}
"""*ecn* and *mecn* are the paper's comparison: ECN drops all from twice its lower threshold on, MECN from four times,
and marks by the letter of the paper, one level at a time. *ecn4* gives ECN the drop threshold of MECN; the two others
are readings of how MECN marks (docs/mecn.md)."""


def queue(scheme: str, min_th: float) -> dict[str, Any]:
    """The queue under test."""
    common = {"limit": f"{LIMIT_PKTS} packets", "min_th": f"{min_th} packets", "w_q": 0.002}
    if scheme in ("ecn", "ecn4"):
        factor = 2 if scheme == "ecn" else 4
        return common | {"kind": "red", "ecn": True, "max_th": f"{factor * min_th} packets", "max_p": 0.1}
    profile = "mecn-literal" if scheme == "mecn" else scheme
    return common | {
        "kind": "mecn",
        "profile": profile,
        "mid_th": f"{2 * min_th} packets",
        "max_th": f"{4 * min_th} packets",
        "p1_max": 0.1,
        "p2_max": 0.1,
    }


def scenario(
    scheme: str, min_th: float, which: str, *, window: int = WINDOW, tcp: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """One run: a scheme of `SCHEMES` at a threshold in one of the `SCENARIOS`; `tcp` changes the flows."""
    overlapping, different = which in ("ov", "dro"), which in ("dr", "dro")
    plain = {"kind": "drop-tail", "limit": f"{LIMIT_PKTS} packets"}
    hop = {"rate": "1.5 Mbit/s", "delay": "65 ms", "queue": plain}
    links: dict[str, Any] = {BOTTLENECK: {"queue": queue(scheme, min_th), "back": {"queue": plain}}}
    for i in range(SOURCES):
        # 10 ms of round-trip time are 5 ms each way on the source's access link.
        links[f"access-left-{i}"] = {"delay": f"{2 + 5 * i if different else 2} ms"}
        links[f"access-right-{i}"] = {"delay": "4 ms"}
    flows = {
        "kind": "tcp",
        "variant": "reno",
        "profile": "ns2",
        "count": SOURCES,
        "mss": "1000 B",
        "hdr": "0 B",
        "ack_size": "40 B",
        "wnd": f"{window} packets",
        "ecn": "mecn" if scheme.startswith("mecn") else "ecn",
        "send_jitter": "5.333 ms",
    }
    starts = {"start_step": "0.3 s"} if overlapping else {"start_jitter": "1 s"}
    return {
        "format": 1,
        "name": f"{which}-{scheme}-min{min_th}-w{window}",
        "duration": f"{DURATION_S} s",
        "warmup": f"{WARMUP_S} s",
        "topology": {
            "kind": "chain",
            "hops": 2,
            "left": SOURCES,
            "right": SOURCES,
            "access": {"rate": "10 Mbit/s", "delay": "2 ms", "queue": plain},
            "hop": hop,
        },
        "links": links,
        "flows": {"ftp": flows | starts | (tcp or {})},
    } | more


def min_ths(quick: bool) -> tuple[int, ...]:
    """The thresholds swept, packets."""
    return QUICK_MIN_THS if quick else MIN_THS


def sweep(
    quick: bool, *, scenarios: tuple[str, ...], schemes: tuple[str, ...] = ("ecn", "mecn"), window: int = WINDOW
) -> list[Point]:
    """Points with keys (scenario, scheme, min_th, window)."""
    return [
        Point(
            key=(which, scheme, min_th, window),
            scenario=scenario(scheme, min_th, which, window=window),
            beside=scheme == OVERLAP or window != WINDOW,
        )
        for which in scenarios
        for scheme in schemes
        for min_th in min_ths(quick)
    ]


def with_overlap(data: Data) -> Data | None:
    """The data with MECN whose levels overlap in the place of the paper's; None if that was not run."""

    def renamed(key: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple("mecn" if part == OVERLAP else part for part in key)

    keys: list[Any] = list(data.points)
    if not any(OVERLAP in key for key in keys):
        return None
    points = {key: data.points[key] for key in keys if "mecn" not in key and OVERLAP not in key}
    points |= {renamed(key): data.points[key] for key in keys if OVERLAP in key}
    return Data(points, data.seeds, quick=data.quick)


def over_min_th(data: Data, which: str, scheme: str, metric: str, window: int = WINDOW) -> list[Estimate]:
    """A metric of the bottleneck against min_th: one estimate per threshold."""
    return [data.estimate((which, scheme, m, window), BOTTLENECK, metric) for m in min_ths(data.quick)]


def first_without_drops(
    data: Data, which: str, scheme: str, metric: str, below: float, window: int = WINDOW
) -> int | None:
    """The smallest min_th at which the mean number of drops is below `below`; None if it is at none."""
    found = over_min_th(data, which, scheme, metric, window)
    return next((m for m, drops in zip(min_ths(data.quick), found, strict=True) if drops.mean < below), None)


def judged_beside(
    name: str,
    published: str,
    measure: Callable[[int, Data], Measured],
    *,
    low: float | None = None,
    high: float | None = None,
    rule: str = "",
) -> Criterion:
    """A criterion of windows of 20 packets; beside it is what those of 64 give, and overlapping levels.

    `measure` takes window and data.
    """

    def said(label: str, found: Measured, data: Data) -> str:
        there = Criterion(name=name, published=published, evaluate=lambda _: found, low=low, high=high)
        return ", ".join(part for part in (in_words(label, judge(there, data)), found.note) if part)

    def evaluate(data: Data) -> Measured:
        beside = [said(f"windows of {WIDE_WINDOW} packets", measure(WIDE_WINDOW, data), data)]
        overlapping = with_overlap(data)
        if overlapping is not None:
            beside.append(said("levels overlapping", measure(WINDOW, overlapping), data))
        return replace(measure(WINDOW, data), beside="; ".join(beside))

    return Criterion(name=name, published=published, evaluate=evaluate, low=low, high=high, rule=rule)
