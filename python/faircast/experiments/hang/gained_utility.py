"""The utility of what was measured: whether OMCC serves the network better than TFMCC, by the paper's own measure.

The paper's aim is the total utility of all sessions, in which a multicast session counts once for each receiver: with x
for each TCP flow and y for the session of N receivers the sum of U(x) over the TCP flows and N U(y), U(x) = log x or
TCP's -1/x (its Table 1). It shows throughput and fairness only. Here the sum is taken of the rates measured in the runs
of Figure 8, divided by the number of all who receive; the logarithm is that of rates in Mbit/s.

Figure 1 draws a utility for voice, without a formula: it falls sharply below 64 kbit/s, and is almost flat above. Among
utilities of the paper's kind, concave and unbounded at zero, the alpha-fair ones have that shape with a large alpha:
-(64 kbit/s / x)^4 is drawn, of alpha = 5. With it multicast should get no more than the fifth root of N times as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.hang.drawing import receivers_axis, table_of
from faircast.experiments.hang.network import (
    MAIN,
    NAMES,
    SESSION,
    TCPS,
    Case,
    by_receivers,
    counts,
    tcp_mean,
    throughput,
)
from faircast.experiments.hang.utilities import LIMIT, cases
from faircast.figures import COLOURS, PAGE_IN, curve, panels
from faircast.statistics import Estimate, estimate, jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UTILITIES: dict[str, tuple[str, Callable[[float], float]]] = {
    "log": ("logarithmic utility", lambda rate: math.log(rate) if rate > 0 else -math.inf),
    "tcp": ("TCP's utility", lambda rate: -1 / rate if rate > 0 else -math.inf),
}
"""By the scheme that is made for it: its name, and what a rate in Mbit/s is worth."""
SHOWN = ("tfmcc", "log", "tcp", "log-received", "tcp-received")
VOICE_KBPS, VOICE_ALPHA = 64, 5


def points(quick: bool) -> list[Point]:
    """The runs of Figure 8 in the main reading."""
    return [case.point() for scheme in SHOWN for case in cases(scheme, MAIN, quick)]


def value(utility: str, data: Data, case: Case, seeds: Sequence[int]) -> float:
    """What the mean rates of some runs are worth to each of those who receive, the mean of all."""
    _, worth = UTILITIES[utility]
    session = math.fsum(throughput(data, case, seed, SESSION) for seed in seeds) / len(seeds)
    tcp = math.fsum(tcp_mean(data, case, seed) for seed in seeds) / len(seeds)
    return (len(TCPS) * worth(tcp) + case.receivers * worth(session)) / (len(TCPS) + case.receivers)


def worth_of(utility: str, data: Data, scheme: str, receivers: int) -> Estimate:
    """What the mean rates of all runs of a scheme are worth to each of those who receive, without an interval."""
    return estimate([value(utility, data, Case(scheme=scheme, receivers=receivers, limit=LIMIT), data.seeds)])


def gain(utility: str, scheme: str, data: Data, receivers: int) -> Estimate:
    """By how much a scheme's is greater than that of TFMCC."""
    ours, theirs = (Case(scheme=each, receivers=receivers, limit=LIMIT) for each in (scheme, "tfmcc"))

    def difference(seeds: Sequence[int]) -> float:
        return value(utility, data, ours, seeds) - value(utility, data, theirs, seeds)

    found = difference(data.seeds)
    return jackknife(difference, data.seeds) if math.isfinite(found) else estimate([found])


def least_gain(utility: str, scheme: str, data: Data) -> Measured:
    """The least of all numbers of receivers from two on; with one there is nothing to gain."""
    found = {n: gain(utility, scheme, data, n) for n in counts(data.quick, MAIN, scheme) if n >= 2}
    worst = min(found, key=lambda n: found[n].mean)
    note = f"least with {by_receivers(worst)}; " + ", ".join(f"{n}: {plain(item.mean, 2)}" for n, item in found.items())
    return Measured.above(found[worst], note=note)


def criteria() -> list[Criterion]:
    """Each form of OMCC by the utility that it is made for; then capped, which is our hypothesis."""
    return [
        Criterion(
            name=f"{NAMES[scheme]} minus TFMCC, {UTILITIES[utility][0]} for each who receives, least over N",
            published="improvement in the receiver-oriented utility optimization concept",
            evaluate=partial(least_gain, utility, scheme),
            rule="it is more with OMCC for every number of receivers",
        )
        for utility, scheme in (("log", "log"), ("tcp", "tcp"))
    ] + [
        Criterion(
            name=f"hypothesis, not judged: {NAMES[scheme]} minus TFMCC, {UTILITIES[utility][0]} for each who receives",
            published="improvement in the receiver-oriented utility optimization concept",
            evaluate=partial(reported, utility, scheme),
        )
        for utility, scheme in (("log", "log-received"), ("tcp", "tcp-received"))
    ]


def reported(utility: str, scheme: str, data: Data) -> Measured:
    """The least gain as a number."""
    found = least_gain(utility, scheme, data)
    return Measured(value=found.value, ci95=found.ci95, note=found.note)


def best(utility: str, receivers: int, mbps: float = 1.8) -> float:
    """What the best rates on the link would be worth, without what UDP takes: U'(x) = U'(y) with all of it shared."""
    # Each of the two flows x and the session y: U'(x) = N U'(y), 2x + y = C.
    times = receivers if utility == "log" else math.sqrt(receivers)
    tcp = mbps / (len(TCPS) + times)
    _, worth = UTILITIES[utility]
    return (len(TCPS) * worth(tcp) + receivers * worth(times * tcp)) / (len(TCPS) + receivers)


def figure(data: Data) -> Figure:
    """The utilities of Figure 1, and what the measured rates are worth against the number of receivers."""
    drawn, axes = panels(1, 3, width=PAGE_IN, height=3.0)
    rates = np.linspace(20, 200, 400)
    axes[0].plot(rates, np.log(rates / VOICE_KBPS), color=COLOURS[0], label="file transfer: log x")
    voice = f"voice: -({VOICE_KBPS} kbit/s / x)$^{VOICE_ALPHA - 1}$"
    axes[0].plot(rates, -((VOICE_KBPS / rates) ** (VOICE_ALPHA - 1)), color=COLOURS[1], linestyle="--", label=voice)
    axes[0].axvline(VOICE_KBPS, color="#777777", linewidth=0.8, linestyle=":")
    axes[0].set(xlabel="rate (kbit/s)", ylabel="utility", ylim=(-6, 2), title="Figure 1")
    axes[0].legend(loc="lower right", fontsize=6)
    for axis, (utility, (name, _)) in zip(axes[1:], UTILITIES.items(), strict=True):
        shown = ("tfmcc", utility, f"{utility}-received")
        for series, scheme in enumerate(shown):
            swept = counts(data.quick, MAIN, scheme)
            found = [worth_of(utility, data, scheme, n) for n in swept]
            curve(axis, swept, found, label=NAMES[scheme], series=series)
        swept = counts(data.quick)
        axis.plot(
            swept, [best(utility, n) for n in swept], color="black", linewidth=0.8, linestyle=":", label="the best"
        )
        receivers_axis(axis, swept)
        axis.set(title=name, ylabel="utility of each, mean")
        low = min(best(utility, n) for n in swept)
        axis.set_ylim(low - 2 * abs(low) - 1, max(best(utility, n) for n in swept) + 0.5)
        axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2, fontsize=6)
    return drawn


def numbers(data: Data) -> Numbers:
    """What the rates are worth, by scheme, utility and number of receivers."""
    rows = {
        f"{name}: {NAMES[scheme]}": {n: worth_of(utility, data, scheme, n) for n in counts(data.quick, MAIN, scheme)}
        for utility, (name, _) in UTILITIES.items()
        for scheme in SHOWN
    }
    rows |= {
        f"{name}: the best": {n: estimate([best(utility, n)]) for n in counts(data.quick)}
        for utility, (name, _) in UTILITIES.items()
    }
    return table_of(rows, "utility of each who receives, mean")


def says(data: Data) -> str:
    """What it comes to."""

    def brief(utility: str, scheme: str) -> str:
        found = {n: gain(utility, scheme, data, n).mean for n in counts(data.quick, MAIN, scheme) if n >= 2}
        return f"{sum(value > 0 for value in found.values())} of {len(found)} ({NAMES[scheme]})"

    return (
        "By the paper's own measure, the utility of all who receive, OMCC as printed is better than TFMCC with "
        f"{brief('log', 'log')} and with {brief('tcp', 'tcp')} numbers of receivers; capped at what is received "
        f"with {brief('log', 'log-received')} and {brief('tcp', 'tcp-received')}."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-x1",
        paper="hang",
        place="Figure 1 and conclusions",
        title="Utility of the rates that were measured",
        published="OMCC improves on TFMCC by the utility in which each receiver counts.",
        why="Equation 13 as printed starves TCP, and by both utilities next to nothing for two is worse than a little "
        "more for many.",
        points=points,
        criteria=criteria(),
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
