"""What the scheme costs, and what it spares: messages beside RLM's, sizes of layers, flows counted by pairs of hosts.

Section III of the paper argues three things that it does not simulate. Control costs little: receivers only keep up
their empty layer, where those of other schemes join and leave frequently (III.B). Layers of equal size waste less above
the bottleneck than those that double (III.C). And a router that counts all TCP flows between two hosts as one keeps
such a pair from taking bandwidth from multicast by many flows (III.C, "needs further investigation"). Each is run in
scenario 1 with both of TCP's windows.

Choices: the layers that double are those that the paper gives to RLM; the first TCP's host opens eight flows instead of
one. Messages are all reports in which hosts join and leave and routers graft and prune, from 100 s on, repetitions
among them, and no acknowledgements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

import numpy as np

from faircast.experiment import Data, Experiment, Measured, Point, percent, plain
from faircast.experiments.judging import judged
from faircast.experiments.peng.claims import like
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.measures import either, mean_rate, rate, rate_ratio
from faircast.experiments.peng.network import (
    DEPENDS,
    MULTICAST,
    SESSIONS,
    TCPS,
    WIRE_KBYTES_S,
    Case,
    readings,
)
from faircast.experiments.peng.rlm import MAIN as FIRST
from faircast.experiments.peng.rlm import VARIANTS
from faircast.statistics import Estimate, jackknife

MAIN = Case()
READINGS = readings(MAIN)
FLOWS = 8
DOUBLING = Case(doubling=True)
PAIR = {unicast: Case(flows_of_pair=FLOWS, unicast=unicast) for unicast in ("flow", "pair")}
"""The first TCP's host has eight flows, by what the router counts."""
ONE_EACH = Case(unicast="pair")
"""Counted by pairs, each of which has one flow: the same as the main case, or the router confuses them."""
MESSAGES = ("joins_and_leaves", "grafts_and_prunes")
KEPT = 0.9
"""Multicast keeps its rate if it has so much of it (choice)."""


def points(quick: bool) -> list[Point]:
    """The scheme, RLM, layers that double, many flows of a pair; all with both windows."""
    rlm = list(VARIANTS.values())[: 1 if quick else None]
    cases = [MAIN, *rlm, DOUBLING, *PAIR.values(), ONE_EACH]
    return [one.point() for case in cases for one in readings(case).values()]


def messages(data: Data, case: Case, seed: int) -> float:
    """Messages about membership of hosts and routers, of one receiver in 100 s; each session has so many of these."""
    begin, end = case.judged_s
    total = math.fsum(data.run(case, seed)[name, kind] for name in MULTICAST for kind in MESSAGES)
    return 100 * total / (end - begin) / (len(MULTICAST) * case.receivers)


def more_messages(rlm: Case, data: Data, case: Case) -> Measured:
    """How many times as many messages about membership a session of RLM causes, by the means over the seeds."""
    against = like(rlm, case)

    def ratio(seeds: Sequence[int]) -> float:
        theirs, ours = (math.fsum(messages(data, one, seed) for seed in seeds) for one in (against, case))
        return theirs / ours

    ours, theirs = (data.over_seeds(partial(messages, data, one)) for one in (case, against))
    note = f"layer blocking {ours}, RLM {theirs} for each receiver in 100 s"
    return Measured.above(jackknife(ratio, data.seeds), 1.0, note=note)


def in_other_variants(data: Data, case: Case) -> str:
    """How many times as many messages the variants of RLM cause that are not judged."""
    there = {label: rlm for label, rlm in VARIANTS.items() if label != FIRST and like(rlm, case) in data.points}
    found = {label: more_messages(rlm, data, case) for label, rlm in there.items()}
    return "; ".join(f"RLM {label}: {plain(item.value or 0.0)} times" for label, item in found.items())


def against_rlm(data: Data, case: Case) -> Measured:
    """`more_messages` of the unmodified RLM; beside it that of the other variants."""
    found = more_messages(VARIANTS[FIRST], data, case)
    return replace(found, note="; ".join(part for part in (found.note, in_other_variants(data, case)) if part))


def wasted(data: Data, case: Case, name: str, seed: int) -> float:
    """What comes to the gateway of a session less what it lets pass, KBytes/s.

    What it lets pass are the lowest layers, as many as come through at each moment.
    """
    sums = np.array([0, *accumulate(case.layers_kbps)]) / 8
    begin, end = case.judged_s
    changes = course_of(data, case, seed).changes[name]
    edges = np.clip(np.append(changes[:, 0], np.inf), begin, end)
    through = float((sums[changes[:, 1].astype(int)] * np.diff(edges)).sum() / (end - begin))
    return WIRE_KBYTES_S * data.run(case, seed)[f"access-{SESSIONS.index(name)}", "efficiency"] - through


def mean_wasted(data: Data, case: Case) -> Estimate:
    """The mean of both sessions."""
    return data.over_seeds(lambda seed: math.fsum(wasted(data, case, name, seed) for name in MULTICAST) / 2)


def more_waste(data: Data, case: Case) -> Measured:
    """By how much more layers that double waste, KBytes/s, in pairs."""
    doubling = like(DOUBLING, case)

    def of(seed: int) -> float:
        theirs, ours = (math.fsum(wasted(data, one, name, seed) for name in MULTICAST) / 2 for one in (doubling, case))
        return theirs - ours

    rates = [f"{mean_rate(data, one, MULTICAST)} KBytes/s" for one in (doubling, case)]
    note = (
        f"{mean_wasted(data, doubling)} instead of {mean_wasted(data, case)}; a session gets {rates[0]} instead of "
        f"{rates[1]}, {rate_ratio(data, doubling)} instead of {rate_ratio(data, case)} times a TCP flow's rate"
    )
    return Measured.above(data.over_seeds(of), note=note)


def kept(unicast: str, data: Data, case: Case) -> Measured:
    """What multicast has beside a pair of hosts with eight flows, as a part of what it has beside one with one."""
    many = like(PAIR[unicast], case)

    def part(seeds: Sequence[int]) -> float:
        with_many, with_one = (math.fsum(rate(data, one, MULTICAST, seed) for seed in seeds) for one in (many, case))
        return with_many / with_one

    others = mean_rate(data, many, TCPS[1:])
    note = f"{mean_rate(data, many, MULTICAST)} KBytes/s; a TCP flow of the other pairs gets {others}"
    return Measured.of(jackknife(part, data.seeds), note=note)


def kept_more(data: Data, case: Case) -> Measured:
    """By what part of its rate multicast has more if pairs are counted instead of flows."""

    def gain(seed: int) -> float:
        by_pair, by_flow = (rate(data, like(PAIR[kind], case), MULTICAST, seed) for kind in ("pair", "flow"))
        return (by_pair - by_flow) / rate(data, case, MULTICAST, seed)

    return Measured.above(data.over_seeds(gain))


def confused(data: Data, case: Case) -> Measured:
    """By how much the rate of multicast differs if pairs with one flow each are counted as pairs."""
    alike = like(ONE_EACH, case)
    found = data.over_seeds(lambda seed: abs(rate(data, alike, MULTICAST, seed) - rate(data, case, MULTICAST, seed)))
    return Measured.of(found)


held = partial(judged, cases={}, readings=READINGS, depends=DEPENDS)
"""A criterion that is judged with both windows."""

CRITERIA = [
    held(
        "messages about membership, RLM (as in ns-2, leave delay 0 s) divided by layer blocking",
        "very limited control traffic; other schemes graft and prune frequently",
        against_rlm,
        rule="RLM sends more",
    ),
    held(
        "waste above the bottleneck, layers of 32 to 1024 kbit/s minus equal ones, KBytes/s per session",
        "significant if sizes are exponentially spaced; reduced by equal ones",
        more_waste,
        rule="layers that double waste more",
    ),
    held(
        f"rate of multicast beside a pair of hosts with {FLOWS} TCP flows, as a part of that beside one flow, pairs "
        "counted",
        "can prevent a pair of hosts from stealing bandwidth from multicast",
        partial(kept, "pair"),
        low=KEPT,
    ),
    held(
        "the same, flows counted",
        "by initializing a large number of TCP sessions",
        partial(kept, "flow"),
        high=KEPT,
    ),
    held(
        "what multicast has more with pairs counted than with flows, as a part of its rate beside one flow",
        "can prevent a pair of hosts from stealing bandwidth from multicast",
        kept_more,
        rule="it has more with pairs counted",
    ),
    held(
        "pairs of one flow each: difference of the rate of multicast to flows counted, KBytes/s",
        "the same sessions",
        confused,
        high=0,
        identity="a pair of hosts with one flow is that flow",
    ),
]


def says(data: Data) -> str:
    """What the costs come to."""
    cases = READINGS.values()
    more = either([plain(against_rlm(data, case).value or 0.0, 2) for case in cases])
    waste = either(
        [
            f"{plain(mean_wasted(data, like(DOUBLING, c)).mean)} instead of {plain(mean_wasted(data, c).mean)}"
            for c in cases
        ]
    )
    by_flow, by_pair = (
        either([percent(kept(kind, data, case).value or 0.0) for case in cases]) for kind in ("flow", "pair")
    )
    return (
        f"RLM as in ns-2 causes {more} times as many messages about membership; layers that double waste {waste} "
        f"KBytes/s above the bottleneck; beside a pair of hosts with {FLOWS} flows multicast keeps {by_flow} of its "
        f"rate, and {by_pair} if the router counts pairs."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-x2",
        paper="peng",
        place="Section III.C",
        title="Messages beside RLM's, sizes of layers, flows counted by pairs of hosts",
        published="Control costs little, equal layers waste less, and a pair of hosts gains nothing by many flows.",
        why="RLM does not send more. Once its join timers have grown from 5 to 60 s its receiver joins or leaves 0.9 "
        "times in 100 s; that of layer blocking does so 1.4 times, whenever the router blocks or releases. Each change "
        "is reported link by link up to the source, as nobody else has the layer: 5 and 7 messages of 50 B in 100 s.",
        points=points,
        criteria=CRITERIA,
        says=says,
    )
]
