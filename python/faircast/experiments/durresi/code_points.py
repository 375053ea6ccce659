"""Tables I to III: what the router marks, what the receiver echoes, how the source responds.

Read off a run in which all levels occur. Table I: the level that the queue gives a packet against the average queue at
that moment. Tables II and III: the factor by which a
source's window changes on each level that comes back to it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from faircast._native import RawResult
from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.experiments.durresi.network import BOTTLENECK, scenario

MIN_TH = 5
FACTORS = {
    "incipient-reduction": (0.8,),
    "moderate-reduction": (0.6,),
    "loss-reduction": (0.5, 0.5 / 0.8, 0.5 / 0.6),
}
"""The factors of Table III. A loss in a window that a mark has reduced already completes the reduction to one half."""
WORDS = {
    "marked-incipient": "marked incipient",
    "marked-moderate": "marked moderate",
    "dropped-active": "dropped",
    "incipient-reduction": "incipient marks",
    "moderate-reduction": "moderate marks",
    "loss-reduction": "losses",
}
REGIONS = {"marked-incipient": (1, 2), "marked-moderate": (2, 4), "dropped-active": (4, np.inf)}
"""Table I: regions of the average in units of min_th."""


def responses(raw: RawResult) -> dict[str, Any]:
    """Parts of marks in their region and of responses with the published factor, with their numbers."""
    found: dict[str, tuple[float, int]] = {}
    packets = to_arrow(raw.tables()["packets"])
    actions, arrived = (np.asarray(packets[name].to_pylist()) for name in ("action", "arrived_as"))
    averages = packets["average_pkts"].to_numpy()
    for action, (low, high) in REGIONS.items():
        # What is not ECN-capable (retransmissions) is dropped where the others are marked.
        at = averages[(actions == action) & (arrived != "not-capable")] / MIN_TH
        found[action] = (float(((at >= low) & (at < high)).mean()) if at.size else np.nan, int(at.size))
    events = to_arrow(raw.tables()["events"])
    kinds = np.asarray(events["event"].to_pylist())
    before, after = events["before"].to_numpy(), events["after"].to_numpy()
    for state, factors in FACTORS.items():
        chosen = kinds == state
        close = [np.isclose(after[chosen], np.maximum(1.0, factor * before[chosen]), rtol=1e-9) for factor in factors]
        found[state] = (float(np.any(close, axis=0).mean()) if chosen.any() else np.nan, int(chosen.sum()))
        found[f"{state} once"] = (float(close[0].mean()) if chosen.any() else np.nan, int(chosen.sum()))
    return found


def points(_quick: bool) -> list[Point]:
    """One scenario in which every level occurs."""
    probes = {"packets": [BOTTLENECK], "events": True}
    return [Point(key="all", scenario=scenario("mecn", MIN_TH, "dro", probes=probes), reduce=responses)]


def share(state: str, data: Data) -> Measured:
    """Mean share over the seeds, with the number of cases."""
    cases = sum(data.reduced("all", seed)[state][1] for seed in data.seeds)
    note = f"{cases} cases"
    if state == "loss-reduction":
        first = data.over_seeds(lambda seed: data.reduced("all", seed)[f"{state} once"][0])
        note += f"; by 0.5 at once {first}, the others after a mark in the same window"
    return Measured.of(data.over_seeds(lambda seed: data.reduced("all", seed)[state][0]), note=note)


def criteria() -> list[Criterion]:
    """One per line of the tables."""
    marks = [
        Criterion(
            name=f"Table I: part of the packets {WORDS[action]} while the average queue was in the region of that",
            published=f"{low} to {high} times the lower threshold" if np.isfinite(high) else f"from {low} times on",
            evaluate=partial(share, action),
            low=1.0,
            high=1.0,
            identity="the queue marks by these regions of its average",
        )
        for action, (low, high) in REGIONS.items()
    ]
    reactions = [
        Criterion(
            name=f"Tables II, III: part of the answers to {WORDS[state]} after which the window is {factors[0]} of "
            "what it was",
            published=f"the window times {factors[0]}",
            evaluate=partial(share, state),
            low=0.99,
            identity="the sender multiplies its window by these factors",
        )
        for state, factors in FACTORS.items()
    ]
    return marks + reactions


def says(data: Data) -> str:
    """What the table shows."""
    cases = [sum(data.reduced("all", seed)[state][1] for seed in data.seeds) for state in FACTORS]
    as_published = min(share(state, data).value or 0.0 for state in FACTORS)
    return (
        f"Of the answers to {cases[0]} incipient marks, {cases[1]} moderate ones and {cases[2]} losses at least "
        f"{percent(as_published, 2)} are those of Table III."
    )


EXPERIMENTS = [
    Experiment(
        id="mecn-tables1-3",
        paper="durresi",
        place="Tables I to III",
        title="What is marked, and how senders answer",
        published="Three levels of congestion are marked, and windows shrink to 0.8, 0.6 and 0.5 of what they were.",
        points=points,
        criteria=criteria(),
        says=says,
    )
]
