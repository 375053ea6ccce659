"""x-ecn: exactly one reduction per mark.

A flow alone behind an ECN queue that marks rarely. A mark with no other within four seconds (several round trips)
before and after it must be followed by exactly one reduction in the next two; reductions without a mark must not occur.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from faircast._native import RawResult
from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Point, listed, plain

ALONE_S, ANSWER_S = 4.0, 2.0
SCHEMES = ("ecn", "mecn")
NAMES = {"ecn": "ECN", "mecn": "multilevel ECN"}


def scenario(scheme: str) -> dict[str, Any]:
    """2 Mb/s, 250 ms of round trip, marks some ten seconds apart."""
    red = {"kind": "red", "ecn": True, "min_th": "5 packets", "max_th": "200 packets", "max_p": 0.02}
    mecn = {"kind": "mecn", "min_th": "5 packets", "mid_th": "100 packets", "max_th": "200 packets", "p1_max": 0.02}
    queue = (red if scheme == "ecn" else mecn) | {"limit": "400 packets"}
    return {
        "format": 1,
        "name": f"x-ecn-{scheme}",
        "duration": "1000 s",
        "warmup": "50 s",
        "topology": {"kind": "dumbbell", "left": 1, "right": 1},
        "links": {"bottleneck": {"rate": "2 Mbit/s", "delay": "125 ms", "queue": queue}},
        "flows": {"ftp": {"kind": "tcp", "variant": "newreno", "wnd": "1000 packets", "hdr": "0 B", "ecn": scheme}},
        "probes": {"packets": ["bottleneck"], "events": True},
    }


def answers(raw: RawResult) -> dict[str, float]:
    """Numbers of isolated marks, of those answered exactly once, and of reductions without a mark before them."""
    packets, events = (to_arrow(raw.tables()[name]) for name in ("packets", "events"))
    marked = [str(action).startswith("marked") for action in packets["action"].to_pylist()]
    marks = packets["t_s"].to_numpy()[np.asarray(marked)]
    reduced = [name in ("moderate-reduction", "incipient-reduction") for name in events["event"].to_pylist()]
    reductions = events["t_s"].to_numpy()[np.asarray(reduced)]
    isolated = answered = 0
    for mark in marks:
        if np.count_nonzero(np.abs(marks - mark) < ALONE_S) == 1 and mark + ANSWER_S < 1000:
            isolated += 1
            answered += np.count_nonzero((reductions > mark) & (reductions <= mark + ANSWER_S)) == 1
    causeless = sum(not np.any((marks < r) & (marks >= r - ANSWER_S)) for r in reductions)
    return {"isolated": isolated, "answered": answered, "causeless": causeless, "marks": marks.size}


def points(_quick: bool) -> list[Point]:
    """RFC 3168 and multilevel ECN."""
    return [Point(key=scheme, scenario=scenario(scheme), reduce=answers) for scheme in SCHEMES]


def once(scheme: str, data: Data) -> Measured:
    """Share of isolated marks that were answered exactly once."""
    found = [data.reduced(scheme, seed) for seed in data.seeds]
    isolated, answered = (sum(item[key] for item in found) for key in ("isolated", "answered"))
    note = f"{answered} of {isolated} isolated marks ({sum(item['marks'] for item in found)} marks in all)"
    return Measured(value=answered / isolated if isolated else None, note=note)


def causeless(scheme: str, data: Data) -> Measured:
    """Reductions without a mark in the two seconds before."""
    return Measured(value=float(sum(data.reduced(scheme, seed)["causeless"] for seed in data.seeds)))


def says(data: Data) -> str:
    """What the check shows."""
    shares = listed([f"{plain(100 * (once(scheme, data).value or 0), 4)} % with {NAMES[scheme]}" for scheme in SCHEMES])
    return f"Of the congestion marks that came alone {shares} are answered by exactly one reduction of the window."


EXPERIMENTS = [
    Experiment(
        id="x-ecn",
        paper="checks",
        place="congestion marks",
        title="One reduction per congestion mark",
        published="A sender reduces its window once for each window with a mark (RFC 3168).",
        points=points,
        criteria=[
            criterion
            for scheme in SCHEMES
            for criterion in (
                Criterion(
                    name=f"{NAMES[scheme]}: part of the isolated marks that are answered by exactly one reduction",
                    published="exactly one (RFC 3168, section 6.1.2)",
                    evaluate=partial(once, scheme),
                    low=1.0,
                    high=1.0,
                ),
                Criterion(
                    name=f"{NAMES[scheme]}: reductions without a mark",
                    published=0.0,
                    evaluate=partial(causeless, scheme),
                    high=0.0,
                ),
            )
        ],
        says=says,
        reps=3,
    )
]
