"""The optimum of a run whose links change, or whose flows and members come and go: the mean over its periods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faircast.utility.optimum import Optimum, distance, rounded


@dataclass(frozen=True)
class OverTime:
    """The best rates of all periods, put together as a summary does it with what is measured."""

    metrics: Mapping[tuple[str, str], float]
    """By subject and metric, as `Optimum.metrics`: of flows and sources the mean over the measured time, of receivers
    that over the time in which they are members, of sessions that over the time of all members."""
    best: Mapping[str, Mapping[str, float]]
    """Of every flow and session that is ever present, the rate of each receiver; of a flow under its own name."""

    def distance(self, measured: Mapping[str, float]) -> float:
        """The distance of measured rates from the optimum, as `Optimum.distance` has it."""
        return distance(self.best, measured)


def over_time(parts: Sequence[float], optima: Sequence[Optimum], members: Mapping[str, float]) -> OverTime:
    """The mean of the optima of periods that are these parts of the time.

    `members` has the part in which a receiver is a member, if that is not all of it.
    """
    sums: dict[tuple[str, str], float] = {}
    receivers: dict[str, dict[str, float]] = {}
    for part, one in zip(parts, optima, strict=True):
        for key, rate in one.metrics.items():
            sums[key] = sums.get(key, 0.0) + part * rate
        for name in one.rates:
            receivers.setdefault(name, {}).update(dict.fromkeys(one.receivers.get(name, {}), 0.0))
    best: dict[str, dict[str, float]] = {}
    for name, each in receivers.items():
        if not each:
            best[name] = {name: sums[name, "rate"]}
            continue
        got = {receiver: sums[receiver, "rate"] for receiver in each}
        present = {receiver: members.get(receiver, 1.0) for receiver in each}
        best[name] = {receiver: got[receiver] / present[receiver] for receiver in each}
        sums |= {(receiver, "rate"): rate for receiver, rate in best[name].items()}
        sums[name, "rate"] = math.fsum(got.values()) / math.fsum(present.values())
    return OverTime({key: rounded(rate) for key, rate in sums.items()}, best)
