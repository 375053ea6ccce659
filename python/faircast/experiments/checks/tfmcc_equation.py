"""x-tfmcc: one TFMCC receiver at a fixed loss rate against the throughput equation.

Losses are independent with probability p. Those within a round-trip time of the start of a loss event belong to it, so
the loss event rate is not p but 1/(1/p + X·R/8s) (RFC 4654, section 5.2, for the definition of an event). The expected
rate X is the fixed point of that and the equation of RFC 4654, section 2.1. TFMCC has its default profile: that
changes the way back after trouble, of which there is none here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BYTES = 1000
LOSSES = (0.001, 0.003, 0.01, 0.03)
RTTS_MS = (20, 100, 560)
TOLERANCE = 0.15


def equation_bps(p: float, rtt_s: float) -> float:
    """Rate in bit/s at loss event rate `p` (RFC 4654, section 2.1: t_RTO = 4 RTT, b = 1)."""
    slow = math.sqrt(2 * p / 3) + 12 * math.sqrt(3 * p / 8) * p * (1 + 32 * p * p)
    return 8 * BYTES / (rtt_s * slow)


def expected_bps(p: float, rtt_s: float) -> float:
    """Rate in bit/s with independent packet losses of probability `p`."""
    low, high = 0.0, equation_bps(p, rtt_s) * 10
    for _ in range(100):
        rate = (low + high) / 2
        of_events = equation_bps(1 / (1 / p + rate * rtt_s / (8 * BYTES)), rtt_s)
        low, high = (rate, high) if of_events > rate else (low, rate)
    return low


def scenario(p: float, rtt_ms: int) -> dict[str, Any]:
    """A source and a receiver on an ample link that loses data."""
    return {
        "format": 1,
        "name": f"x-tfmcc-{p}-{rtt_ms}ms",
        "duration": "1500 s",
        "warmup": "300 s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "1 Gbit/s",
                "delay": f"{rtt_ms / 2} ms",
                "queue": {"kind": "drop-tail", "limit": "100000 packets"},
                "loss": {"kind": "bernoulli", "p": p},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "sessions": {
            "tfmcc": {
                "scheme": "tfmcc",
                "source": "a",
                "receivers": {"nodes": "b"},
                "initial_max_rtt": "1 s" if rtt_ms >= 500 else "500 ms",
            }
        },
        "probes": {"flows": False, "links": False, "events": False},
    }


def points(quick: bool) -> list[Point]:
    """Every loss rate at every round-trip time."""
    losses = (0.003, 0.03) if quick else LOSSES
    return [Point(key=(p, rtt_ms), scenario=scenario(p, rtt_ms)) for p in losses for rtt_ms in RTTS_MS]


def keys(data: Data) -> list[tuple[float, int]]:
    """Loss rates and round-trip times."""
    return list(data.points)  # type: ignore[arg-type]


def quotient(data: Data, p: float, rtt_ms: int) -> Estimate:
    """Measured rate as a part of the expected one."""
    return scaled(data.estimate((p, rtt_ms), "tfmcc", "sending_rate"), 1 / expected_bps(p, rtt_ms / 1000))


def extreme(largest: bool) -> Criterion:
    """The largest or smallest quotient of all points."""

    def evaluate(data: Data) -> Measured:
        found = {key: quotient(data, *key) for key in keys(data)}
        p, rtt_ms = (max if largest else min)(found, key=lambda key: found[key].mean)
        return Measured.of(found[p, rtt_ms], note=f"with {percent(p, 1)} loss and a round trip of {rtt_ms} ms")

    return Criterion(
        name=f"TFMCC's rate divided by that of the equation, {'largest' if largest else 'smallest'} of all cases",
        published=1.0,
        evaluate=evaluate,
        low=1 - TOLERANCE,
        high=1 + TOLERANCE,
    )


def numbers(data: Data) -> Numbers:
    """Quotients, a row for each loss rate."""
    losses = sorted({p for p, _ in keys(data)})
    rows = [[f"{percent(p, 1)} loss", *(str(quotient(data, p, rtt_ms)) for rtt_ms in RTTS_MS)] for p in losses]
    return Numbers(
        columns=["rate divided by the equation's", *(f"round trip of {rtt_ms} ms" for rtt_ms in RTTS_MS)], rows=rows
    )


def figure(data: Data) -> Figure:
    """Rate against loss for the three round-trip times, with what is expected."""
    drawn, axes = panels(width=COLUMN_IN)
    losses = sorted({p for p, _ in keys(data)})
    for series, rtt_ms in enumerate(RTTS_MS):
        expected = [expected_bps(p, rtt_ms / 1000) / 1e6 for p in losses]
        axes.plot(losses, expected, color="black", linewidth=0.8, label="equation" if series == 0 else None)
        found = [scaled(data.estimate((p, rtt_ms), "tfmcc", "sending_rate"), 1e-6) for p in losses]
        curve(axes, losses, found, label=f"round trip of {rtt_ms} ms", series=series)
    axes.set(
        xlabel="packet loss probability", ylabel="sending rate (Mb/s)", xscale="log", yscale="log", ylim=(0.01, 30)
    )
    axes.legend(title="means, 95 % intervals", loc="lower left", ncols=2)
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    worst = max(abs(quotient(data, *key).mean - 1) for key in keys(data))
    return (
        f"A TFMCC session at a fixed rate of losses sends what the throughput equation says, within {percent(worst)}."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tfmcc",
        paper="checks",
        place="TFMCC's rate",
        title="TFMCC against the throughput equation",
        published="The throughput equation of RFC 4654 says what TFMCC sends at a given rate of losses.",
        points=points,
        criteria=[extreme(largest=False), extreme(largest=True)],
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
