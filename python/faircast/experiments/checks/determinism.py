"""x-determinism: same seed, same run.

The hash of all arrivals, marks, drops, losses and deliveries of a run must not depend on whether it is repeated, on the
calendar or on the link mode; another seed must change it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from faircast._native import RawResult
from faircast.experiment import Criterion, Data, Experiment, Measured, Point

QUEUES: dict[str, dict[str, Any]] = {
    "drop-tail": {"kind": "drop-tail", "limit": "20 packets"},
    "red": {"kind": "red", "limit": "40 packets", "ecn": True},
    "mecn": {"kind": "mecn", "limit": "40 packets"},
}
VARIANTS = {
    "first run": ("wheel", "fused", 0),
    "repeated": ("wheel", "fused", 1),
    "other calendar": ("heap", "fused", 0),
    "other link mode": ("wheel", "two-stage", 0),
}


def scenario(queue: str, calendar: str, mode: str) -> dict[str, Any]:
    """Six TCP flows with equal delays, where simultaneous events are the rule, and a random load."""
    ecn = {"drop-tail": "off", "red": "ecn", "mecn": "mecn"}[queue]
    return {
        "format": 1,
        "name": f"x-determinism-{queue}-{calendar}-{mode}",
        "duration": "60 s",
        "topology": {"kind": "dumbbell", "left": 7, "right": 7},
        "links": {
            "bottleneck": {
                "rate": "8 Mbit/s",
                "delay": "20 ms",
                "queue": QUEUES[queue],
                "loss": {"kind": "bernoulli", "p": 0.001},
            }
        },
        "flows": {
            "ftp": {"kind": "tcp", "count": 6, "ecn": ecn, "hdr": "0 B", "wnd": "20 packets"},
            "load": {"kind": "on-off", "from": "left-6", "to": "right-6", "rate": "1 Mbit/s"},
        },
        "engine": {"calendar": calendar, "link_mode": mode},
        "probes": {"trace": True},
    }


def trace(raw: RawResult) -> str:
    """The hash of what happened, with the number of records."""
    assert raw.trace is not None, "the scenario asks for it"
    return raw.trace


def points(_quick: bool) -> list[Point]:
    """Every queue in every variant."""
    return [
        Point(
            key=(queue, name),
            scenario=scenario(queue, calendar, mode),
            reduce=trace,
            copy=copy,
            phases="traces are no shares",
        )
        for queue in QUEUES
        for name, (calendar, mode, copy) in VARIANTS.items()
    ]


def equal(variant: str, data: Data) -> Measured:
    """Share of runs with the trace of the first run."""
    pairs = [
        data.reduced((queue, variant), seed) == data.reduced((queue, "first run"), seed)
        for queue in QUEUES
        for seed in data.seeds
    ]
    records = sum(
        int(data.reduced((queue, "first run"), seed).split("-")[1]) for queue in QUEUES for seed in data.seeds
    )
    return Measured(value=sum(pairs) / len(pairs), note=f"{len(pairs)} pairs, {records:.3g} records")


def distinct(data: Data) -> Measured:
    """Share of distinct traces among all seeds and queues."""
    traces = [data.reduced((queue, "first run"), seed) for queue in QUEUES for seed in data.seeds]
    return Measured(value=len(set(traces)) / len(traces))


def says(data: Data) -> str:
    """What the check shows."""
    differing = [variant for variant in VARIANTS if equal(variant, data).value != 1.0]
    if differing:
        return f"Equal seeds give other traces: {', '.join(differing)}."
    return "Equal seeds give equal traces, whatever the calendar and the link mode."


EXPERIMENTS = [
    Experiment(
        id="x-determinism",
        paper="checks",
        place="determinism",
        title="Same seed, same trace",
        published="The same seed gives the same run, another seed another one.",
        points=points,
        criteria=[
            *(
                Criterion(
                    name=f"{variant}: part of the runs with equal traces",
                    published=1.0,
                    evaluate=partial(equal, variant),
                    low=1.0,
                )
                for variant in VARIANTS
                if variant != "first run"
            ),
            Criterion(
                name="other seeds: part of the runs with distinct traces", published=1.0, evaluate=distinct, low=1.0
            ),
        ],
        says=says,
        reps=3,
    )
]
