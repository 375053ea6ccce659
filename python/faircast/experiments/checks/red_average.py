"""x-red: RED's average queue against the closed form.

A constant stream at twice the link's rate into a queue too long to overflow makes the queue grow by one packet every
second arrival. An average with weight w over a ramp r·n is r·(n - (1 - w)·(1 - (1 - w)^n)/w); thresholds out of reach
keep RED from acting. The gaps between marks are held against theory by the unit tests of the queue.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from faircast._native import RawResult
from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Point

WEIGHTS = (0.002, 0.02)


def scenario(w_q: float) -> dict[str, Any]:
    """2 Mb/s into 1 Mb/s for 40 s."""
    return {
        "format": 1,
        "name": f"x-red-{w_q}",
        "duration": "40 s",
        "warmup": "1 s",
        "nodes": {"a": {}, "r": {}, "b": {}},
        "links": {
            "access": {"from": "a", "to": "r", "rate": "1 Gbit/s", "delay": "1 ms"},
            "ramp": {
                "from": "r",
                "to": "b",
                "rate": "1 Mbit/s",
                "delay": "10 ms",
                "queue": {
                    "kind": "red",
                    "limit": "100000 packets",
                    "min_th": "50000 packets",
                    "max_th": "90000 packets",
                    "w_q": w_q,
                },
            },
        },
        "flows": {"load": {"kind": "cbr", "from": "a", "to": "b", "rate": "2 Mbit/s", "packet_size": "1000 B"}},
        "probes": {"packets": ["ramp"]},
    }


def error_with(w_q: float) -> Callable[[RawResult], float]:
    """What computes the largest difference of average and closed form over all arrivals, packets."""

    def largest_error(raw: RawResult) -> float:
        packets = to_arrow(raw.tables()["packets"])
        arrivals = np.asarray(packets["action"].to_pylist()) != "departed"
        average = packets["average_pkts"].to_numpy()[arrivals]
        return float(np.abs(average - closed_form(average.size, w_q)).max())

    return largest_error


def closed_form(n: int, w_q: float) -> Any:
    """The averages at arrivals 0 to n - 1 of a queue that grows by half a packet per arrival."""
    k = np.arange(n, dtype=float)
    return 0.5 * (k - (1 - w_q) * (1 - (1 - w_q) ** k) / w_q)


def points(_quick: bool) -> list[Point]:
    """A slow and a fast average."""
    return [Point(key=w_q, scenario=scenario(w_q), reduce=error_with(w_q)) for w_q in WEIGHTS]


def error(w_q: float, data: Data) -> Measured:
    """The largest difference, over the seeds."""
    return Measured.of(data.over_seeds(partial(data.reduced, w_q)))


def says(data: Data) -> str:
    """What the check shows."""
    worst = max(error(w_q, data).value or 0.0 for w_q in WEIGHTS)
    return (
        f"While the queue grows steadily to some 5000 packets RED's average stays within {worst:.2f} packets of the "
        "closed form."
    )


EXPERIMENTS = [
    Experiment(
        id="x-red",
        paper="checks",
        place="RED's average",
        title="RED's average against the closed form",
        published="The average of a queue that grows steadily has a closed form.",
        points=points,
        criteria=[
            Criterion(
                name=f"weight {w_q} of the average: largest difference of average and closed form, packets",
                published="below 1.5, as the queue is a whole number",
                evaluate=partial(error, w_q),
                high=1.5,
            )
            for w_q in WEIGHTS
        ],
        says=says,
        reps=1,
    )
]
