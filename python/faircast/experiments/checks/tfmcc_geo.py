"""x-tfmcc-geo: a TFMCC session alone over a geostationary hop.

10 Mb/s, RTT 560 ms, a drop-tail queue of one product of bandwidth and delay, no random loss. What decides is the first
loss interval after slow start (RFC 4654, section 5.6): taken for what was sent before the first loss it would be far
too short, and the way up from there, a packet per R_max each R_max, takes minutes.

How fast it comes back from an outage is held against section 3.3, so the runs that are judged have the profile of the
RFC's letter. The same by default stands beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Data, Experiment, Measured, Point, percent
from faircast.experiments.judging import judged
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
LETTER, OURS = "rfc4654", "faircast"
PROFILES = {"the letter of the RFC": LETTER, "our default profile": OURS}
"""Profiles of TFMCC by what they are called; the first is judged."""


def scenario(outage: bool, profile: str) -> dict[str, Any]:
    """Source, satellite hop, receiver; with `outage` the hop is dead for 2 s from 150 s on."""
    loss = {"kind": "outage", "start": "150 s", "length": "2 s"} if outage else {"kind": "none"}
    return {
        "format": 1,
        "name": "x-tfmcc-geo" + ("-outage" if outage else "") + ("" if profile == LETTER else f"-{profile}"),
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
                "profile": profile,
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
    """With and without an outage, by the letter and by default."""
    return [
        Point(key=(what, profile), scenario=scenario(what == "outage", profile), tables=("receivers",), reduce=windows)
        for profile in (LETTER, OURS)
        for what in ("clear", "outage")
    ]


def reached(data: Data, profile: str) -> Measured:
    """When the rate is first above 60 % of the link in a window, s; the start of that window, the latest seed."""
    ends = []
    for seed in data.seeds:
        above = np.nonzero(data.reduced(("clear", profile), seed) >= GOAL * RATE_BPS)[0]
        ends.append(WINDOW_S * float(above[0]) if len(above) else float("inf"))
    return Measured(value=max(ends), note="the latest of all seeds")


def stays(data: Data, profile: str) -> Measured:
    """The least window from 50 s on, as a part of the link."""
    key = ("clear", profile)
    found = data.over_seeds(lambda seed: float(data.reduced(key, seed)[BY_S // WINDOW_S + 1 :].min()) / RATE_BPS)
    return Measured(value=found.low, note=f"mean over the seeds {found}")


def recovers(data: Data, profile: str) -> Measured:
    """Growth from 160 to 200 s after the outage, as a part of what the RFC allows: a packet per R_max each R_max."""
    allowed = 8000 / RTT_S**2

    def of_seed(seed: int) -> float:
        rates = data.reduced(("outage", profile), seed)
        return float(rates[19] - rates[16]) / (3 * WINDOW_S * allowed)

    def late(what: str, seed: int) -> float:
        return float(data.reduced((what, profile), seed)[-5:].mean())

    later = data.over_seeds(lambda seed: late("outage", seed) / late("clear", seed))
    return Measured.of(data.over_seeds(of_seed), note=f"100 to 150 s later {later} of the rate without outage")


def feels(data: Data, profile: str) -> Measured:
    """The least rate in the 30 s after the outage as a part of the link."""
    found = data.over_seeds(lambda seed: float(data.reduced(("outage", profile), seed)[15:18].min()) / RATE_BPS)
    return Measured.of(found, note="from 150 to 180 s")


def ran(data: Data, profile: str) -> bool:
    """Whether the runs of a profile are there."""
    return ("clear", profile) in data.points


def figure(data: Data) -> Figure:
    """Rate at the receiver over time, 1 s windows, first seed."""
    drawn, axes = panels(width=COLUMN_IN)
    for series, (key, label) in enumerate((("clear", "no loss but congestion"), ("outage", "outage, 150 to 152 s"))):
        table = data.table((key, LETTER), "receivers")
        trace(axes, table["t_s"].to_numpy(), table["rate_bps"].to_numpy() / 1e6, label=label, series=series)
    axes.axhline(GOAL * RATE_BPS / 1e6, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.axvline(BY_S, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.annotate("60 % by 45 s", (BY_S, GOAL * RATE_BPS / 1e6), textcoords="offset points", xytext=(4, -9), fontsize=7)
    axes.set(xlabel="time (s)", ylabel="rate at the receiver (Mb/s)", xlim=(0, 300), ylim=(0, None))
    axes.legend(loc="lower right", title=f"seed {data.seeds[0]}")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    by_s, least = reached(data, LETTER).value or 0.0, stays(data, LETTER).value or 0.0
    return (
        f"Alone over a geostationary hop TFMCC uses 60 % of the link after {by_s:.0f} s and never less than "
        f"{percent(least)} afterwards; an outage of 2 s costs it minutes, as the RFC has it."
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
            judged(
                "start of the first 10 s above 60 % of the link, latest of all runs, s",
                "60 % within 45 s",
                reached,
                PROFILES,
                high=BY_S,
                ran=ran,
            ),
            judged(
                "least rate over 10 s from 50 s on, all runs, as a part of the link",
                "stays above 60 %",
                stays,
                PROFILES,
                low=GOAL,
                ran=ran,
            ),
            judged(
                "outage of 2 s: least rate over 10 s in the next 30 s, as a part of the link",
                "is counted as loss",
                feels,
                PROFILES,
                high=0.5,
                ran=ran,
            ),
            judged(
                "outage of 2 s: growth 10 to 40 s later, as a part of what RFC 4654, section 3.3, allows",
                "is recovered from, as fast as the RFC allows",
                recovers,
                PROFILES,
                low=0.8,
                high=1.05,
                ran=ran,
            ),
        ],
        figure=figure,
        says=says,
    )
]
