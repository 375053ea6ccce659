"""x-tfmcc-geo: a TFMCC session alone over a geostationary hop.

10 Mb/s, RTT 560 ms, a drop-tail queue of one product of bandwidth and delay, no random loss. What decides is the first
loss interval after slow start (RFC 4654, section 5.6): taken for what was sent before the first loss it would be far
too short, and the way up from there, a packet per R_max each R_max, takes minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.figures import COLUMN_IN, panels, trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

RATE_BPS = 10e6
RTT_S = 0.56
BDP_PKTS = round(RATE_BPS * RTT_S / 8000)
WINDOW_S = 10
BY_S = 45
GOAL = 0.6


def scenario(outage: bool) -> dict[str, Any]:
    """Source, satellite hop, receiver; with `outage` the hop is dead for 2 s from 150 s on."""
    loss = {"kind": "outage", "start": "150 s", "length": "2 s"} if outage else {"kind": "none"}
    return {
        "format": 1,
        "name": "x-tfmcc-geo-outage" if outage else "x-tfmcc-geo",
        "duration": "300 s",
        "topology": {"kind": "dumbbell", "left": 1, "right": 1},
        "links": {
            "bottleneck": {
                "rate": "10 Mbit/s",
                "delay": "278 ms",
                "queue": {"kind": "drop-tail", "limit": f"{BDP_PKTS} packets"},
                "loss": loss,
            }
        },
        "sessions": {
            "tfmcc": {
                "scheme": "tfmcc",
                "source": "left-0",
                "start_jitter": "1 s",
                "initial_max_rtt": "1 s",
            }
        },
        "probes": {"links": False},
    }


def windows(raw: RawResult) -> NDArray[np.float64]:
    """Rate at the receiver in windows of 10 s, bit/s."""
    rates = to_arrow(raw.tables()["receivers"])["rate_bps"].to_numpy()
    whole: NDArray[np.float64] = rates.reshape(-1, WINDOW_S).mean(axis=1)
    return whole


def points(_quick: bool) -> list[Point]:
    """With and without an outage."""
    return [
        Point(key=key, scenario=scenario(key == "outage"), tables=("receivers",), reduce=windows)
        for key in ("clear", "outage")
    ]


def reached(data: Data) -> Measured:
    """When the rate is first above 60 % of the link in a window, s; the start of that window, the latest seed."""
    ends = []
    for seed in data.seeds:
        above = np.nonzero(data.reduced("clear", seed) >= GOAL * RATE_BPS)[0]
        ends.append(WINDOW_S * float(above[0]) if len(above) else float("inf"))
    return Measured(value=max(ends), note="the latest of all seeds")


def stays(data: Data) -> Measured:
    """The least window from 50 s on, as a part of the link."""
    found = data.over_seeds(lambda seed: float(data.reduced("clear", seed)[BY_S // WINDOW_S + 1 :].min()) / RATE_BPS)
    return Measured(value=found.low, note=f"mean over the seeds {found}")


def recovers(data: Data) -> Measured:
    """Growth from 160 to 200 s after the outage, as a part of what the RFC allows: a packet per R_max each R_max."""
    allowed = 8000 / RTT_S**2

    def of_seed(seed: int) -> float:
        rates = data.reduced("outage", seed)
        return float(rates[19] - rates[16]) / (3 * WINDOW_S * allowed)

    later = data.over_seeds(
        lambda seed: float(data.reduced("outage", seed)[-5:].mean() / data.reduced("clear", seed)[-5:].mean())
    )
    return Measured.of(data.over_seeds(of_seed), note=f"100 to 150 s later {later} of the rate without outage")


def feels(data: Data) -> Measured:
    """The least rate in the 30 s after the outage as a part of the link."""
    found = data.over_seeds(lambda seed: float(data.reduced("outage", seed)[15:18].min()) / RATE_BPS)
    return Measured.of(found, note="from 150 to 180 s")


def figure(data: Data) -> Figure:
    """Rate at the receiver over time, 1 s windows, first seed."""
    drawn, axes = panels(width=COLUMN_IN)
    for series, (key, label) in enumerate((("clear", "no loss but congestion"), ("outage", "outage, 150 to 152 s"))):
        table = data.table(key, "receivers")
        trace(axes, table["t_s"].to_numpy(), table["rate_bps"].to_numpy() / 1e6, label=label, series=series)
    axes.axhline(GOAL * RATE_BPS / 1e6, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.axvline(BY_S, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.annotate("60 % by 45 s", (BY_S, GOAL * RATE_BPS / 1e6), textcoords="offset points", xytext=(4, -9), fontsize=7)
    axes.set(xlabel="time (s)", ylabel="rate at the receiver (Mb/s)", xlim=(0, 300), ylim=(0, None))
    axes.legend(loc="lower right", title=f"seed {data.seeds[0]}")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    return (
        f"Alone over a geostationary hop TFMCC uses 60 % of the link after {reached(data).value:.0f} s and never less "
        f"than {percent(stays(data).value or 0.0)} afterwards; an outage of 2 s costs it minutes, as the RFC has it."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tfmcc-geo",
        paper="checks",
        place="TFMCC alone over GEO",
        title="TFMCC alone over a geostationary hop",
        published="TFMCC uses 60 % of the link within 45 s, and recovers from an outage as fast as RFC 4654 allows.",
        points=points,
        criteria=[
            Criterion(
                name="start of the first 10 s above 60 % of the link, latest of all runs, s",
                published="60 % within 45 s",
                evaluate=reached,
                high=BY_S,
            ),
            Criterion(
                name="least rate over 10 s from 50 s on, all runs, as a part of the link",
                published="stays above 60 %",
                evaluate=stays,
                low=GOAL,
            ),
            Criterion(
                name="outage of 2 s: least rate over 10 s in the next 30 s, as a part of the link",
                published="is counted as loss",
                evaluate=feels,
                high=0.5,
            ),
            Criterion(
                name="outage of 2 s: growth 10 to 40 s later, as a part of what RFC 4654, section 3.3, allows",
                published="is recovered from, as fast as the RFC allows",
                evaluate=recovers,
                low=0.8,
                high=1.05,
            ),
        ],
        figure=figure,
        says=says,
    )
]
