"""x-tcp: one flow over one lossy link against the throughput equation.

Bernoulli losses of data only, RTT 0.1 s, a link that is never full, a window that never binds. The published value is
the TCP throughput equation of RFC 5348, section 3.1, with b = 1 and t_RTO = 4 RTT. TCP is the default one, which grows
by a segment in each round trip however its ACKs come, and b = 1 says the same.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import difference, estimate, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RTT_S = 0.1
BYTES = 1000
LOSSES = (0.001, 0.01)
MORE_LOSSES = (0.0003, 0.003, 0.03)
NAMES = {"reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
TOLERANCES = {"reno": 0.20, "newreno": 0.10, "sack": 0.10}


def equation_bps(p: float) -> float:
    """Throughput in bit/s of 1000 B segments at loss event rate p and RTT 0.1 s."""
    rto = 4 * RTT_S
    slow = RTT_S * math.sqrt(2 * p / 3) + rto * min(1.0, 3 * math.sqrt(3 * p / 8)) * p * (1 + 32 * p * p)
    return 8 * BYTES / slow


def scenario(variant: str, p: float, rto_min: str = "0.2 s") -> dict[str, Any]:
    """A lossy link of 1 Gb/s and 50 ms each way between two hosts."""
    return {
        "format": 1,
        "name": f"x-tcp-{variant}-{p}-{rto_min.replace(' ', '')}",
        "duration": "1100 s",
        "warmup": "100 s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "1 Gbit/s",
                "delay": "49.994 ms",
                "queue": {"kind": "drop-tail", "limit": "100000 packets"},
                "loss": {"kind": "bernoulli", "p": p},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "flows": {
            "ftp": {
                "kind": "tcp",
                "variant": variant,
                "from": "a",
                "to": "b",
                "mss": "1000 B",
                "hdr": "0 B",
                "wnd": "1000 packets",
                "rto_min": rto_min,
            }
        },
    }


def points(quick: bool) -> list[Point]:
    """Every variant at every loss rate; Reno with the standard's least time-out, too."""
    losses = LOSSES if quick else tuple(sorted(LOSSES + MORE_LOSSES))
    found = [Point(key=(variant, p), scenario=scenario(variant, p)) for variant in TOLERANCES for p in losses]
    return [*found, Point(key=("reno-rto1", 0.01), scenario=scenario("reno", 0.01, "1 s"))]


def criterion(variant: str, p: float) -> Criterion:
    """Within the tolerance of the equation."""
    expected, tolerance = equation_bps(p), TOLERANCES[variant]
    return Criterion(
        name=f"{NAMES[variant]}, {percent(p, 1)} loss: throughput, bit/s",
        published=f"{expected:,.0f} by the equation",
        evaluate=lambda data: Measured.of(data.estimate((variant, p), "ftp", "rate")),
        low=(1 - tolerance) * expected,
        high=(1 + tolerance) * expected,
    )


def slower_with_long_timeouts(data: Data) -> Measured:
    """By how much less Reno gets with time-outs of at least 1 s; the equation assumes 4 RTT."""
    long, short = (data.values((variant, 0.01), "ftp", "rate") for variant in ("reno-rto1", "reno"))
    return Measured.above(difference(short, long), note=f"{estimate(long)} and {estimate(short)} bit/s")


def figure(data: Data) -> Figure:
    """Throughput against loss, with the equation."""
    drawn, axes = panels(width=COLUMN_IN)
    losses = [p for p in sorted(LOSSES + MORE_LOSSES) if ("reno", p) in data.points]
    axes.plot(losses, [equation_bps(p) / 1e6 for p in losses], color="black", linewidth=1, label="equation")
    for series, variant in enumerate(TOLERANCES):
        found = [scaled(data.estimate((variant, p), "ftp", "rate"), 1e-6) for p in losses]
        curve(axes, losses, found, label=NAMES[variant], series=series)
    axes.set(xlabel="packet loss probability", ylabel="throughput (Mb/s)", xscale="log", yscale="log")
    axes.set_yticks([0.5, 1, 2, 4], ["0.5", "1", "2", "4"])
    axes.minorticks_off()
    axes.legend(title="means, 95 % intervals")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    worst = max(
        abs(data.estimate((variant, p), "ftp", "rate").mean / equation_bps(p) - 1)
        for variant in TOLERANCES
        for p in LOSSES
    )
    return f"TCP over a link that loses 0.1 or 1 % of all packets gets what the equation says, within {percent(worst)}."


EXPERIMENTS = [
    Experiment(
        id="x-tcp",
        paper="checks",
        place="TCP throughput",
        title="TCP against the throughput equation",
        published="The throughput equation of RFC 5348 says what TCP gets at a given rate of losses.",
        points=points,
        criteria=[
            *(criterion(variant, p) for variant in TOLERANCES for p in LOSSES),
            Criterion(
                name="Reno, 1.0 % loss: throughput with time-outs from 0.2 s minus that with time-outs from 1 s, bit/s",
                published="less with time-outs from 1 s",
                evaluate=slower_with_long_timeouts,
                rule="it is less with time-outs from 1 s",
            ),
        ],
        figure=figure,
        says=says,
        reps=3,
    )
]
