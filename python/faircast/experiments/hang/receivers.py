"""Fig. 6: TFMCC with 1 to 100 receivers, with queues of 10, 20 and 40 packets.

The paper does not state the bandwidth; 2 Mbit/s, that of its later figures, is a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Measured, Numbers, Point, listed, percent, plain
from faircast.experiments.hang.drawing import (
    fairness_curves,
    receivers_axis,
    table_by_receivers,
    table_of,
    throughput_curves,
)
from faircast.experiments.hang.network import (
    CBR,
    DEFAULT,
    IN_PHASE,
    LIMITS,
    MAIN,
    SESSION,
    TCPS,
    VARIANTS,
    Case,
    Statement,
    counts,
    criteria,
    fairness_of,
    mean_fairness,
    mean_throughput,
    throughput,
    total,
)
from faircast.figures import PAGE_IN, panels
from faircast.statistics import Estimate, jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = (MAIN, "rto1", "newreno", IN_PHASE, DEFAULT)


def cases(variant: str, limit: int, quick: bool) -> list[Case]:
    """All numbers of receivers."""
    return [Case(receivers=n, limit=limit, variant=variant) for n in counts(quick, variant)]


def points(limits: tuple[int, ...], quick: bool) -> list[Point]:
    """The sweep for some queues."""
    return [case.point() for v in SHOWN for limit in limits for case in cases(v, limit, quick)]


def spread(of: Callable[[Data, Case, int], float], data: Data, variant: str) -> tuple[float, list[Estimate]]:
    """Largest over smallest mean over the numbers of receivers with Q = 10, and the means."""
    found = [data.over_seeds(partial(of, data, case)) for case in cases(variant, 10, data.quick)]
    means = [item.mean for item in found]
    return max(means) / min(means), found


def session_rate(data: Data, case: Case, seed: int) -> float:
    """The session's throughput, Mbit/s."""
    return throughput(data, case, seed, SESSION)


def stable(of: Callable[[Data, Case, int], float], data: Data, variant: str) -> Measured:
    """The spread over the numbers of receivers."""
    return Measured(value=spread(of, data, variant)[0])


STATEMENTS_6A = [
    Statement(
        name="TFMCC's throughput from 1 to 100 receivers, largest divided by smallest mean",
        published="does not grow much with the number of receivers",
        measure=partial(stable, session_rate),
        high=1.5,
    ),
    Statement(
        name="total throughput from 1 to 100 receivers, largest divided by smallest mean",
        published="drawn as a level line",
        measure=partial(stable, total),
        high=1.1,
    ),
]


def mean_over_n(of: Callable[[Data, Case, int], float], limit: int, variant: str, data: Data, seed: int) -> float:
    """Mean over the numbers of receivers in one seed."""
    found = [of(data, case, seed) for case in cases(variant, limit, data.quick)]
    return sum(found) / len(found)


def total_rises(smaller: int, larger: int, data: Data, variant: str) -> Measured:
    """Total throughput with the larger queue over that with the smaller."""
    ratio = data.over_seeds(
        lambda seed: mean_over_n(total, larger, variant, data, seed) / mean_over_n(total, smaller, variant, data, seed)
    )
    means = [data.over_seeds(partial(mean_over_n, total, limit, variant, data)) for limit in (smaller, larger)]
    return Measured.of(ratio, note=f"{means[0]} and {means[1]} Mbit/s")


def fairness_over_n(limit: int, data: Data, variant: str, seeds: Sequence[int]) -> float:
    """Mean over the numbers of receivers of the ratio of means."""
    found = [fairness_of(data, case, seeds) for case in cases(variant, limit, data.quick)]
    return sum(found) / len(found)


def fairness_falls(data: Data, variant: str) -> Measured:
    """Fairness with Q = 10 minus fairness with Q = 40."""
    by_limit = {q: jackknife(partial(fairness_over_n, q, data, variant), data.seeds) for q in LIMITS}
    difference = jackknife(
        lambda seeds: fairness_over_n(10, data, variant, seeds) - fairness_over_n(40, data, variant, seeds), data.seeds
    )
    note = ", ".join(f"{item} with {q} packets" for q, item in by_limit.items())
    return Measured.above(difference, note=note)


STATEMENTS_6B = [
    *(
        Statement(
            name=f"total throughput with a queue of {larger} packets divided by that with {smaller} packets",
            published="grows with the queue",
            measure=partial(total_rises, smaller, larger),
            low=0.995,
        )
        for smaller, larger in ((10, 20), (20, 40))
    ),
    Statement(
        name="TFMCC's throughput divided by that of a TCP flow, queue of 10 packets minus queue of 40",
        published="falls as the queue grows",
        measure=fairness_falls,
        rule="it is smaller with 40 packets",
    ),
]


def figure_6a(data: Data) -> Figure:
    """Throughput of every flow against the number of receivers, Q = 10."""
    drawn, axes = panels(width=PAGE_IN, height=2.8)
    throughput_curves(axes, data, cases(MAIN, 10, data.quick), "TFMCC")
    receivers_axis(axes, counts(data.quick))
    axes.set(ylabel="throughput (Mb/s)", title="2 Mb/s, queue of 10 packets, delay 30 ms")
    axes.legend(title="means, 95 % intervals", loc="center left", bbox_to_anchor=(1.01, 0.5))
    return drawn


def figure_6b(data: Data) -> Figure:
    """Fairness against the number of receivers for the three queues."""
    shown = (MAIN, "rto1")
    drawn, axes = panels(1, len(shown), width=PAGE_IN, height=3.1, sharey=True)
    for axis, variant in zip(axes, shown, strict=True):
        fairness_curves(
            axis, data, {f"queue of {limit} packets": cases(variant, limit, data.quick) for limit in LIMITS}
        )
        receivers_axis(axis, counts(data.quick))
        axis.set_title(VARIANTS[variant])
    axes[1].set_ylabel("")
    handles = axes[0].get_legend_handles_labels()
    drawn.legend(
        *handles, title="2 Mb/s, delay 30 ms; ratios of means, 95 % intervals", loc="outside lower center", ncols=3
    )
    return drawn


def table_6a(data: Data) -> Numbers:
    """Throughput of every flow by N."""
    at = cases(MAIN, 10, data.quick)
    flows = {"TFMCC": SESSION, "TCP 1": TCPS[0], "TCP 2": TCPS[1], "UDP": CBR}
    rows = {name: {case.receivers: mean_throughput(data, case, flow) for case in at} for name, flow in flows.items()}
    rows["total"] = {case.receivers: data.over_seeds(partial(total, data, case)) for case in at}
    return table_of(rows, "Mbit/s")


def table_6b(data: Data) -> Numbers:
    """Fairness by N, queue and variant."""
    rows = {f"{VARIANTS[v]}, queue of {q} packets": cases(v, q, data.quick) for v in SHOWN for q in LIMITS}
    return table_by_receivers(rows, partial(mean_fairness, data), "TFMCC divided by TCP")


def says_6a(data: Data) -> str:
    """What Fig. 6a shows."""
    ratio, found = spread(session_rate, data, MAIN)
    numbers = counts(data.quick)
    return (
        f"From {numbers[0]} to {numbers[-1]} receivers TFMCC's throughput stays within {percent(ratio - 1, 1)}, at "
        f"{plain(found[0].mean, 2)} Mbit/s."
    )


def says_6b(data: Data) -> str:
    """What Fig. 6b shows."""
    fair = {q: jackknife(partial(fairness_over_n, q, data, MAIN), data.seeds) for q in LIMITS}
    totals = {q: data.over_seeds(partial(mean_over_n, total, q, MAIN, data)) for q in LIMITS}
    return (
        f"With queues of 10, 20 and 40 packets TFMCC gets {listed([plain(item.mean) for item in fair.values()])} times "
        f"what a TCP flow gets, and the link carries {listed([plain(item.mean) for item in totals.values()])} Mbit/s."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-fig6a",
        paper="hang",
        place="Figure 6a",
        title="Throughput against the number of TFMCC receivers",
        published="TFMCC's throughput does not grow much with the number of its receivers.",
        points=partial(points, (10,)),
        criteria=criteria(STATEMENTS_6A, SHOWN),
        figure=figure_6a,
        says=says_6a,
        numbers=table_6a,
    ),
    Experiment(
        id="omcc-fig6b",
        paper="hang",
        place="Figure 6b",
        title="Fairness against the number of TFMCC receivers, with three queues",
        published="With a larger queue the link carries more, and TFMCC gets less ahead of TCP.",
        points=partial(points, LIMITS),
        criteria=criteria(STATEMENTS_6B, SHOWN),
        figure=figure_6b,
        says=says_6b,
        numbers=table_6b,
    ),
]
