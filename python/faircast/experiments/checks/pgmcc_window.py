"""x-pgmcc: the mean window of pgmcc at a fixed loss rate, and the rate that goes with it.

Losses are independent with probability p. A window that grows by a packet each round trip and is halved by each loss
has a mean of sqrt(3/(2p)) packets, as that of TCP [Mathis97]; a window is sent each round-trip time. At high loss the
mean is lower, as losses are found by time-outs.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast._native import RawResult

BITS = 8000
LOSSES = (0.001, 0.003, 0.01, 0.03)
MODERATE = 0.01
"""Up to this loss rate theory leaves time-outs out with good reason."""
LENGTHS_S = {20: 200, 100: 500, 560: 2000}
"""How long is measured, by the round-trip time in ms: some thousand round trips."""
WARMUP_S = 60
WINDOW_TOLERANCE, RATE_TOLERANCE = 0.2, 0.05


def expected_pkts(p: float) -> float:
    """The mean window in packets at loss rate `p`."""
    return math.sqrt(1.5 / p)


def scenario(p: float, rtt_ms: int) -> dict[str, Any]:
    """A source and a receiver on an ample link that loses data."""
    return {
        "format": 1,
        "name": f"x-pgmcc-{p}-{rtt_ms}ms",
        "duration": f"{WARMUP_S + LENGTHS_S[rtt_ms]} s",
        "warmup": f"{WARMUP_S} s",
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
        "sessions": {"pgmcc": {"scheme": "pgmcc", "source": "a", "receivers": {"nodes": "b"}, "ncf": False}},
        "probes": {"interval": f"{rtt_ms} ms", "links": False, "events": False},
    }


def mean_window(raw: RawResult) -> float:
    """The mean of the window after the warm-up, seen once each round-trip time, packets."""
    from faircast.arrow import to_arrow

    flows = to_arrow(raw.tables()["flows"])
    measured = flows["t_s"].to_numpy() > WARMUP_S
    return float(np.mean(flows["cwnd_pkts"].to_numpy()[measured]))


def points(quick: bool) -> list[Point]:
    """Every loss rate at every round-trip time."""
    losses = (0.001, 0.01) if quick else LOSSES
    return [
        Point(key=(p, rtt_ms), scenario=scenario(p, rtt_ms), reduce=mean_window) for p in losses for rtt_ms in LENGTHS_S
    ]


def keys(data: Data) -> list[tuple[float, int]]:
    """Loss rates and round-trip times."""
    return list(data.points)  # type: ignore[arg-type]


def window(data: Data, p: float, rtt_ms: int) -> Estimate:
    """The mean window as a part of the expected one."""
    return data.over_seeds(lambda seed: data.reduced((p, rtt_ms), seed) / expected_pkts(p))


def rate(data: Data, p: float, rtt_ms: int) -> Estimate:
    """The rate as a part of a mean window each round-trip time."""

    def of_seed(seed: int) -> float:
        rate_bps = data.run((p, rtt_ms), seed)["pgmcc", "sending_rate"]
        window_pkts: float = data.reduced((p, rtt_ms), seed)
        return rate_bps * rtt_ms / 1000 / BITS / window_pkts

    return data.over_seeds(of_seed)


def extreme(of: Any, largest: bool, data: Data) -> Measured:
    """The largest or smallest quotient of the points with moderate loss."""
    found = {key: of(data, *key) for key in keys(data) if key[0] <= MODERATE}
    p, rtt_ms = (max if largest else min)(found, key=lambda key: found[key].mean)
    return Measured.of(found[p, rtt_ms], note=f"with {percent(p, 1)} loss and a round trip of {rtt_ms} ms")


def criterion(name: str, of: Any, tolerance: float, largest: bool) -> Criterion:
    """Up to 1 % loss."""
    return Criterion(
        name=f"{name}, {'largest' if largest else 'smallest'} up to {percent(MODERATE)} loss",
        published=1.0,
        evaluate=partial(extreme, of, largest),
        low=1 - tolerance,
        high=1 + tolerance,
    )


def numbers(data: Data) -> Numbers:
    """Both quotients, two rows for each loss rate."""
    rows = []
    for p in sorted({p for p, _ in keys(data)}):
        for name, of in (("window", window), ("rate", rate)):
            rows.append([f"{percent(p, 1)} loss, {name}", *(str(of(data, p, rtt_ms)) for rtt_ms in LENGTHS_S)])
    return Numbers(
        columns=["divided by what is expected", *(f"round trip of {rtt_ms} ms" for rtt_ms in LENGTHS_S)], rows=rows
    )


def figure(data: Data) -> Figure:
    """The mean window against loss for the round-trip times, with what is expected."""
    drawn, axes = panels(width=COLUMN_IN)
    losses = sorted({p for p, _ in keys(data)})
    axes.plot(losses, [expected_pkts(p) for p in losses], color="black", linewidth=0.8, label="theory")
    for series, rtt_ms in enumerate(LENGTHS_S):
        found = [data.over_seeds(partial(data.reduced, (p, rtt_ms))) for p in losses]
        curve(axes, losses, found, label=f"round trip of {rtt_ms} ms", series=series)
    axes.set(xlabel="packet loss probability", ylabel="mean window (packets)", xscale="log", yscale="log")
    axes.set_yticks([5, 10, 20, 40], ["5", "10", "20", "40"])
    axes.minorticks_off()
    axes.legend(title="means, 95 % intervals", loc="lower left")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    worst = max(abs(window(data, *key).mean - 1) for key in keys(data) if key[0] <= MODERATE)
    return (
        f"Up to {percent(MODERATE)} loss the mean window of pgmcc is the one that theory gives TCP, within "
        f"{percent(worst)}, and a window is sent each round-trip time."
    )


EXPERIMENTS = [
    Experiment(
        id="x-pgmcc",
        paper="checks",
        place="The window of pgmcc",
        title="pgmcc's window against theory",
        published="A window that grows by a packet each round trip and is halved by each loss has a mean of "
        "sqrt(3/(2p)) packets.",
        points=points,
        criteria=[
            *(criterion("mean window divided by that of theory", window, WINDOW_TOLERANCE, x) for x in (False, True)),
            *(
                criterion("rate divided by a mean window each round-trip time", rate, RATE_TOLERANCE, x)
                for x in (False, True)
            ),
        ],
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
