"""What the paper claims without a figure: link errors, misbehaving receivers, wasted bandwidth, several bottlenecks.

Section III.B: loss that is no congestion does not change layers; a receiver that subscribes to too much neither gains
nor harms. Section III.C: the bandwidth wasted above a bottleneck is bounded by the size of the empty layer. Beside them
an outage of the uplink, which the paper does not speak of, and two bottlenecks in one tree (`two_bottlenecks.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent
from faircast.experiments.judging import judged
from faircast.experiments.peng.course import course_of
from faircast.experiments.peng.measures import JUDGED_S, either, layers, mean_rate, rate
from faircast.experiments.peng.network import (
    DEPENDS,
    LAYER_KBPS,
    MULTICAST,
    SESSIONS,
    TCPS,
    WIRE_KBYTES_S,
    Case,
    readings,
)
from faircast.experiments.peng.rlm import MAIN as FIRST
from faircast.experiments.peng.rlm import VARIANTS, mean_layers
from faircast.experiments.peng.two_bottlenecks import TREES, layer_range, stuck
from faircast.statistics import Estimate, jackknife

MAIN = Case()
LOSS = 0.01
LOSSY, GREEDY, OUTAGE = Case(downlink_loss=LOSS), Case(greedy=True), Case(outage=True)
READINGS = readings(MAIN)
RLM = VARIANTS | {"without TCP flows": replace(VARIANTS[FIRST], alone=True)}
LOSSY_RLM = {label: replace(case, downlink_loss=LOSS) for label, case in RLM.items()}
BEFORE_S, AFTER_S = (400, 500), (505, 535)
"""The outage is from 500 to 505 s."""
LAYER_KBYTES_S = LAYER_KBPS / 8
HONEST, OTHER = MULTICAST


def points(quick: bool) -> list[Point]:
    """Scenario 1 and what is changed in it; RLM with and without loss; two bottlenecks."""
    rlm = list(zip(RLM.values(), LOSSY_RLM.values(), strict=True))[: 1 if quick else None]
    cases = [MAIN, LOSSY, GREEDY, OUTAGE, *(case for pair in rlm for case in pair)]
    both = dict.fromkeys(one for case in cases for one in readings(case).values())
    return [*(case.point() for case in both), *(tree.point() for trees in TREES.values() for tree in trees.values())]


def like(case: Case, main: Case) -> Case:
    """A case with the window of another one."""
    return replace(case, window=main.window)


def layers_lost(data: Data, case: Case, lossy: Case, name: str) -> Estimate:
    """How many layers fewer come through with link errors, the mean over the seeds, in pairs."""
    return data.over_seeds(lambda seed: layers(data, case, name, seed) - layers(data, lossy, name, seed))


def immune(data: Data, case: Case) -> Measured:
    """By how many layers blocking's means change with 1 % loss, that session's that changes more."""
    lossy = like(LOSSY, case)
    found = {name: layers_lost(data, case, lossy, name) for name in MULTICAST}
    worst = max(found.values(), key=lambda item: abs(item.mean))
    tcp = f"a TCP flow gets {mean_rate(data, lossy, TCPS)} instead of {mean_rate(data, case, TCPS)} KBytes/s"
    note = f"fewer layers with loss: {', '.join(map(str, found.values()))}; {tcp}"
    return Measured(value=abs(worst.mean), ci95=worst.ci95, note=note)


def rlm_falls(data: Data, case: Case) -> Measured:
    """How many levels RLM loses with 1 % loss, the mean of both sessions."""

    def described(label: str) -> tuple[Estimate, str]:
        without, lossy = like(RLM[label], case), like(LOSSY_RLM[label], case)
        fall = data.over_seeds(lambda seed: mean_layers(data, without, seed) - mean_layers(data, lossy, seed))
        levels = [data.over_seeds(partial(mean_layers, data, case)).mean for case in (without, lossy)]
        return fall, f"RLM {label}: {fall}, from {levels[0]:.3g} to {levels[1]:.3g}"

    found = {label: described(label) for label, lossy in LOSSY_RLM.items() if like(lossy, case) in data.points}
    fall, _ = found[FIRST]
    tcp = [mean_rate(data, like(each[FIRST], case), TCPS).mean for each in (RLM, LOSSY_RLM)]
    notes = [text for _, text in found.values()]
    note = f"{notes[0]}; a TCP flow beside it goes from {tcp[0]:.3g} to {tcp[1]:.3g} KBytes/s"
    fails = "" if fall.mean + (fall.ci95 or 0.0) > 0 else "the losses that come with TCP hold RLM down already"
    beside = "; ".join(notes[1:])
    return replace(Measured.above(fall, note=note), beside=beside, fails=fails)


def unharmed(names: Sequence[str], data: Data, case: Case) -> Measured:
    """By what part the mean rate of these changes if the other session's receiver takes all layers; over all seeds."""
    bold = like(GREEDY, case)

    def change(seeds: Sequence[int]) -> float:
        greedy, honest = (math.fsum(rate(data, one, names, seed) for seed in seeds) for one in (bold, case))
        return greedy / honest - 1

    found = jackknife(change, data.seeds)
    gained = mean_rate(data, bold, [OTHER])
    note = (
        f"{found.mean:+.3f}; {mean_rate(data, bold, names)} instead of {mean_rate(data, case, names)} KBytes/s; "
        f"the greedy session gets {gained} instead of {mean_rate(data, case, [OTHER])}"
    )
    return Measured(value=abs(found.mean), ci95=found.ci95, note=note)


def wasted(data: Data, case: Case, name: str) -> Estimate:
    """What comes to the gateway of a session, less the layers that it lets pass, KBytes/s."""
    access = f"access-{SESSIONS.index(name)}"

    def of(seed: int) -> float:
        comes = WIRE_KBYTES_S * data.run(case, seed)[access, "efficiency"]
        return comes - LAYER_KBYTES_S * layers(data, case, name, seed)

    return data.over_seeds(of)


def bounded(data: Data, case: Case) -> Measured:
    """What a session wastes above the bottleneck, the one that wastes more."""
    found = {name: wasted(data, case, name) for name in MULTICAST}
    worst = max(found, key=lambda name: found[name].mean)
    several = data.over_seeds(lambda seed: course_of(data, case, seed).time_with_empty(worst, 2, *JUDGED_S))
    note = f"both: {', '.join(map(str, found.values()))}; two or more empty layers are held for {several} of the time"
    fails = ""
    if found[worst].mean > LAYER_KBYTES_S:
        fails = "after a block a second layer is empty until its receiver has noticed and left it"
    return Measured(value=found[worst].mean, ci95=found[worst].ci95, note=note, fails=fails)


def greedy_waste(data: Data, case: Case) -> Measured:
    """What the session wastes whose receiver takes all layers, and the other term of the paper's bound."""
    share = WIRE_KBYTES_S / len(SESSIONS)
    through = data.over_seeds(lambda seed: layers(data, like(GREEDY, case), OTHER, seed)).mean
    note = f"its share of the link above, less its layers that come through: {share - LAYER_KBYTES_S * through:.1f}"
    return Measured.of(wasted(data, like(GREEDY, case), OTHER), note=note)


def recovers(data: Data, case: Case) -> Measured:
    """Multicast's mean rate in the 30 s after the outage over that of the 100 s before it."""
    cut = like(OUTAGE, case)

    def ratio(seeds: Sequence[int]) -> float:
        after, before = (
            math.fsum(rate(data, cut, MULTICAST, seed, period) for seed in seeds) for period in (AFTER_S, BEFORE_S)
        )
        return after / before

    least = data.over_seeds(
        lambda seed: float(min(course_of(data, cut, seed).layers_at(name, range(*AFTER_S)).min() for name in MULTICAST))
    )
    return Measured.of(jackknife(ratio, data.seeds), note=f"fewest layers in these 30 s: {least}")


held = partial(judged, cases={}, readings=READINGS, depends=DEPENDS)
"""A criterion that is judged with both windows."""


def of_tree(shape: str) -> list[Criterion]:
    """No session is stuck, and layers do not swing."""
    in_tree = partial(judged, cases={}, readings=TREES[shape], depends=DEPENDS)
    return [
        in_tree(
            f"two bottlenecks in {shape}: longest time with fewer than 2 layers, s",
            "each bottleneck adjusts the layers",
            stuck,
            high=30,
        ),
        in_tree(
            f"two bottlenecks in {shape}: range of the number of layers after 200 s",
            "stable",
            layer_range,
            high=3,
        ),
    ]


CRITERIA = [
    held(
        "1 % loss on the downlinks: change of the mean number of layers, layer blocking",
        "link errors can not decrease the performance",
        immune,
        high=1,
    ),
    held(
        "1 % loss on the downlinks: fall of the mean number of layers, RLM",
        "existing schemes drop layers wrongly",
        rlm_falls,
        rule="RLM holds fewer layers with the loss",
    ),
    *(
        held(
            f"the receiver of multicast 2 takes all 15 layers: change of the mean rate of {what}, a part",
            "other receivers are not affected",
            partial(unharmed, names),
            high=0.05,
        )
        for what, names in {"the TCP flows": TCPS, "multicast 1": (HONEST,)}.items()
    ),
    held(
        "what a session wastes above the bottleneck, KBytes/s",
        "at most one empty layer, 6.25 KBytes/s",
        bounded,
        high=LAYER_KBYTES_S,
    ),
    held(
        "the same of a session whose receiver takes all 15 layers, KBytes/s",
        "some limited bandwidth is possibly wasted",
        greedy_waste,
    ),
    held(
        "mean rate of multicast in the 30 s after an outage of 5 s, as a part of that before",
        "not studied",
        recovers,
        low=0.8,
    ),
    *of_tree("series"),
    *of_tree("parallel"),
]


def says(data: Data) -> str:
    """What the claims come to."""
    cases = READINGS.values()
    lost = either([f"{immune(data, case).value:.2f}" for case in cases])
    falls = either([f"{rlm_falls(data, case).value:.2f}" for case in cases])
    tcp, other = (
        either([percent(unharmed(names, data, case).value or 0.0, 1) for case in cases]) for names in (TCPS, (HONEST,))
    )
    return (
        f"1 % loss on the downlinks changes the mean number of layers by {lost} with layer blocking and lowers it by "
        f"{falls} with RLM; a receiver that takes all layers changes what a TCP flow gets by {tcp}, and what the other "
        f"session gets by {other}."
    )


EXPERIMENTS = [
    Experiment(
        id="peng-x1",
        paper="peng",
        place="Sections III.B and III.C",
        title="Link errors, greedy receivers, waste, an outage, two bottlenecks",
        published="Link errors and greedy receivers do no harm, and little is wasted above the bottleneck.",
        why="A session wastes a little more than one empty layer, as after a block a second one is empty for a moment.",
        points=points,
        criteria=CRITERIA,
        says=says,
    )
]
