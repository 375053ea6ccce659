"""Several receivers of each session behind one bottleneck, as they are where satellites are worth their price.

The paper simulates one receiver for each session and speaks of many: "All receivers downstream from a bottleneck are
implicitly coordinated by the traffic coming from the bottleneck" (III.C), and they are "well coordinated" (III.B).
Scenario 1 here has five for each session, at all five terminals, the others each 100 s later than the one before
(choice). A router that blocks at the uplink should make all of a session get the same, and what the session takes from
TCP should not depend on how many they are. RLM, the same way, stands beside it: its receivers learn from each other by
what they hear of each other's joins.

Everything is judged from 500 s on, when all are there.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Data, Experiment, Measured, Point, percent, plain
from faircast.experiments.judging import judged
from faircast.experiments.peng.claims import like
from faircast.experiments.peng.cost import more_messages
from faircast.experiments.peng.course import WINDOW_S
from faircast.experiments.peng.measures import either
from faircast.experiments.peng.network import DEPENDS, JOIN_STEP_S, MULTICAST, TCPS, TERMINALS, Case, readings
from faircast.experiments.peng.rlm import MAIN as FIRST
from faircast.experiments.peng.rlm import VARIANTS
from faircast.experiments.peng.together import NEAR, SHARE_KBYTES_S
from faircast.experiments.rows import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircast._native import RawResult
    from faircast.statistics import Estimate

RECEIVERS = len(TERMINALS)
MANY = Case(receivers=RECEIVERS)
READINGS = readings(MANY)
RLM = {label: replace(case, receivers=RECEIVERS) for label, case in VARIANTS.items()}
ALIKE_LAYERS = 0.5
"""Receivers have the same layers if fewest and most are so close in the mean over time (choice)."""
STEP_S = 10


def points(quick: bool) -> list[Point]:
    """Five receivers of each session with both windows, and the same with RLM."""
    cases = [MANY, *list(RLM.values())[: 1 if quick else None]]
    return [Point(key=one, scenario=one.of_seed, reduce=watched) for case in cases for one in readings(case).values()]


def watched(raw: RawResult) -> dict[str, dict[str, NDArray[np.float64]]]:
    """What is kept of a run, in each window: rates of flows and of receivers, KBytes/s, and receivers' layers.

    Layers are those that come through, with RLM those that are joined; NaN while it is no member.
    """
    tables = raw.tables()
    flows, receivers = to_arrow(tables["flows"]), to_arrow(tables["receivers"])
    through = receivers["live_layers" if "live_layers" in receivers.column_names else "level"].to_numpy()
    rates = {"flows": flows["rate_bps"].to_numpy() / 8000, "receivers": receivers["rate_bps"].to_numpy() / 8000}
    of_receivers = places(receivers, "receiver")
    return {
        "flows": {name: rates["flows"][at] for name, at in places(flows, "flow").items()},
        "receivers": {name: rates["receivers"][at] for name, at in of_receivers.items()},
        "layers": {name: through[at].astype(float) for name, at in of_receivers.items()},
    }


def judged_windows(case: Case, series: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of it from when all receivers are there."""
    return series[case.judged_s[0] // WINDOW_S : case.judged_s[1] // WINDOW_S]


def of_session(data: Data, case: Case, name: str, what: str, seed: int) -> NDArray[np.float64]:
    """A row for each receiver of a session: its ``receivers`` rates or its ``layers``."""
    found = data.reduced(case, seed)[what]
    return np.array([judged_windows(case, found[f"{name}-{i}"]) for i in range(case.receivers)])


def rate_of_receivers(data: Data, case: Case) -> Measured:
    """The mean rate of all receivers, KBytes/s; with the least and the greatest of them, in their means over seeds."""

    def of_one(name: str, i: int, seed: int) -> float:
        return float(of_session(data, case, name, "receivers", seed)[i].mean())

    each = [data.over_seeds(partial(of_one, name, i)) for name in MULTICAST for i in range(case.receivers)]
    found = data.over_seeds(
        lambda seed: float(np.mean([of_session(data, case, name, "receivers", seed) for name in MULTICAST]))
    )
    low, high = (pick(each, key=lambda item: item.mean) for pick in (min, max))
    return Measured.of(found, note=f"least {low}, greatest {high}")


def rate_of_tcp(data: Data, case: Case) -> Measured:
    """The mean rate of a TCP flow, KBytes/s."""
    return Measured.of(
        data.over_seeds(
            lambda seed: float(
                np.mean([judged_windows(case, data.reduced(case, seed)["flows"][name]) for name in TCPS])
            )
        )
    )


def apart(data: Data, case: Case, seed: int) -> float:
    """By how many layers fewest and most of a session's receivers differ, the mean over time and sessions."""
    return float(np.mean([np.ptp(of_session(data, case, name, "layers", seed), axis=0) for name in MULTICAST]))


def same(data: Data, case: Case, seed: int) -> float:
    """The part of the time in which all receivers of a session have the same layers, the mean over sessions."""
    spans = [np.ptp(of_session(data, case, name, "layers", seed), axis=0) for name in MULTICAST]
    return float(np.mean([span == 0 for span in spans]))


def layers_apart(data: Data, case: Case) -> Measured:
    """`apart` over the seeds; beside it how much of the time all have the same."""
    alike = data.over_seeds(partial(same, data, case))
    note = f"all receivers of a session have the same in {alike} of the time"
    return Measured.of(data.over_seeds(partial(apart, data, case)), note=note)


def uneven(data: Data, case: Case, seed: int) -> float:
    """Greatest less least rate of a session's receivers over 10 s, over their mean rate; the mean over sessions."""

    def of(name: str) -> float:
        rates = of_session(data, case, name, "receivers", seed)
        steps = rates.reshape(len(rates), -1, STEP_S // WINDOW_S).mean(axis=2)
        return float(np.ptp(steps, axis=0).mean() / steps.mean())

    return math.fsum(of(name) for name in MULTICAST) / len(MULTICAST)


def more_even(data: Data, case: Case) -> Measured:
    """By how much less the rates of a session's receivers differ than with RLM, in pairs."""

    def less(rlm: Case) -> Estimate:
        against = like(rlm, case)
        return data.over_seeds(lambda seed: uneven(data, against, seed) - uneven(data, case, seed))

    found = {label: less(rlm) for label, rlm in RLM.items() if like(rlm, case) in data.points}
    own, theirs = (data.over_seeds(partial(uneven, data, one)) for one in (case, like(RLM[FIRST], case)))
    others = "; ".join(f"RLM {label}: {item}" for label, item in found.items() if label != FIRST)
    note = f"layer blocking {own}, RLM {theirs}" + (f"; {others}" if others else "")
    return Measured.above(found[FIRST], note=note)


def more_from_many(data: Data, case: Case) -> Measured:
    """How many times as many messages RLM causes for each receiver, with several receivers."""
    found = more_messages(RLM[FIRST], data, case)
    others = {label: rlm for label, rlm in RLM.items() if label != FIRST and like(rlm, case) in data.points}
    times = [
        f"RLM {label}: {plain(more_messages(rlm, data, case).value or 0.0)} times" for label, rlm in others.items()
    ]
    return replace(found, note="; ".join((found.note, *times)))


def catches_up(data: Data, case: Case) -> Measured:
    """How long after its join a late receiver has as many layers as the session's first one; the longest of a run."""

    def of_one(layers: dict[str, NDArray[np.float64]], name: str, i: int) -> float:
        begin = i * JOIN_STEP_S // WINDOW_S
        there = np.flatnonzero(layers[f"{name}-{i}"][begin:] >= layers[f"{name}-0"][begin:])
        return math.inf if not there.size else float(WINDOW_S * (there[0] + 1))

    def of(seed: int) -> float:
        layers = data.reduced(case, seed)["layers"]
        return max(of_one(layers, name, i) for name in MULTICAST for i in range(1, case.receivers))

    return Measured.of(data.over_seeds(of), note=f"seen every {WINDOW_S} s")


held = partial(judged, cases={}, readings=READINGS, depends=DEPENDS)
"""A criterion that is judged with both windows."""

CRITERIA = [
    held(
        "mean rate of a receiver, 500-1500 s, KBytes/s",
        "close to 40 KBytes/s, of one receiver",
        rate_of_receivers,
        low=SHARE_KBYTES_S * (1 - NEAR),
        high=SHARE_KBYTES_S * (1 + NEAR),
    ),
    held(
        "mean rate of a TCP flow beside them, KBytes/s",
        "close to 40 KBytes/s, beside one receiver",
        rate_of_tcp,
        low=SHARE_KBYTES_S * (1 - NEAR),
        high=SHARE_KBYTES_S * (1 + NEAR),
    ),
    held(
        "difference between fewest and most layers of a session's receivers, mean over time",
        "implicitly coordinated by the traffic coming from the bottleneck",
        layers_apart,
        high=ALIKE_LAYERS,
    ),
    held(
        "how much the rates of a session's receivers differ over 10 s, RLM (as in ns-2, leave delay 0 s) minus layer "
        "blocking, as a part of the mean rate",
        "existing schemes: poor coordination among receivers",
        more_even,
        rule="they differ more with RLM",
    ),
    held(
        "messages about membership for each receiver, RLM (the same) divided by layer blocking",
        "poor coordination among receivers results in frequent grafting and pruning",
        more_from_many,
        rule="RLM sends more",
    ),
    held(
        "longest time from a receiver's join until it has as many layers as the first one, s",
        "not studied",
        catches_up,
    ),
]


def says(data: Data) -> str:
    """What several receivers change."""
    cases = READINGS.values()
    rate, tcp = (
        either([plain(of(data, case).value or 0.0) for case in cases]) for of in (rate_of_receivers, rate_of_tcp)
    )
    alike = either([percent(data.over_seeds(partial(same, data, case)).mean, 1) for case in cases])
    spread, rlm = (
        either([percent(data.over_seeds(partial(uneven, data, like(one, case))).mean, 1) for case in cases])
        for one in (MANY, RLM[FIRST])
    )
    return (
        f"Five receivers of each session get {rate} KBytes/s each, and a TCP flow {tcp}; they have the same layers "
        f"in {alike} of the time, and their rates over 10 s differ by {spread}, where those of RLM differ by {rlm}."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-x3",
        paper="peng",
        place="Sections III.B and III.C",
        title="Several receivers of each session behind one bottleneck",
        published="All receivers downstream from a bottleneck are coordinated by the traffic that comes from it.",
        why="The receivers are coordinated, far better than those of RLM. But RLM sends no more messages: 2.2 for each "
        "receiver in 100 s, layer blocking 2.5, as it changes layers more often (peng-x2).",
        points=points,
        criteria=CRITERIA,
        says=says,
    )
]
