"""Fig. 5 and Table 2: a session with two receivers beside two TCP flows on 1 Mbit/s.

The paper does not state the queue; 10 packets is a choice, 11 (if the packet in transmission is not counted), 20 and
40 are reported, as are the variants of `network.VARIANTS`. Figure and table are of the same runs, so they are judged
once.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.hang.network import (
    CBR,
    DURATION_S,
    EXITS,
    MAIN,
    SESSION,
    TCPS,
    VARIANTS,
    Case,
    Statement,
    criteria,
    fairness,
    mean_fairness,
    tcp_share,
    throughput,
    timeouts_per_s,
    total,
    with_deviation,
)
from faircast.figures import COLOURS, LINES, PAGE_IN, curve, panels
from faircast.statistics import estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LIMITS = (10, 11, 20, 40)
SHOWN = (MAIN, "rto1")
PUBLISHED = {
    "total": ("0.971 ± 0.002", "0.974 ± 0.002"),
    SESSION: ("0.389 ± 0.011", "0.410 ± 0.014"),
    "tcp-0": ("0.195 ± 0.019", "0.190 ± 0.017"),
    "tcp-1": ("0.196 ± 0.020", "0.184 ± 0.017"),
    CBR: ("0.191 ± 0.0004", "0.192 ± 0.0005"),
    "fairness": ("1.995 ± 0.113", "2.200 ± 0.157"),
}
"""Table 2: mean and standard deviation of five runs over 300 s and over the last 250 s; Mbit/s."""
NAMES = {
    "total": "total",
    SESSION: "TFMCC",
    "tcp-0": "TCP 1",
    "tcp-1": "TCP 2",
    CBR: "UDP",
    "fairness": "TFMCC divided by TCP",
}
BASE = Case(mbps=1)


def case(variant: str, limit: int = 10) -> Case:
    """On 1 Mbit/s with two receivers."""
    return Case(mbps=1, limit=limit, variant=variant)


def points(quick: bool) -> list[Point]:
    """All variants and queues; at Q = 10 with the rates over time of those that are drawn."""
    probes = {"flows": True, "links": True, "events": False}
    return [
        Point(key=case(v), scenario=case(v).scenario(probes=probes), tables=("links",), beside=v != MAIN)
        if v in SHOWN and limit == LIMITS[0]
        else case(v, limit).point()
        for v in VARIANTS
        for limit in (LIMITS[:1] if quick else LIMITS)
    ]


def quantity(row: str, whole: bool, data: Data, at: Case, seed: int) -> float:
    """A row of Table 2 in one run."""
    if row == "total":
        return total(data, at, seed, whole=whole)
    if row == "fairness":
        return fairness(data, at, seed, whole=whole)
    return throughput(data, at, seed, row, whole=whole)


def measured(row: str, whole: bool, data: Data, variant: str) -> Measured:
    """A row of Table 2 with its standard deviation over the runs; fairness is the ratio of the means."""
    values = [quantity(row, whole, data, case(variant), seed) for seed in data.seeds]
    found = mean_fairness(data, case(variant), whole=whole) if row == "fairness" else estimate(values)
    return Measured.of(found, note=f"mean and standard deviation of single runs: {with_deviation(values)}")


def above_tcp(data: Data, variant: str) -> Measured:
    """By how much the session gets more than the better TCP flow."""

    def margin(seed: int) -> float:
        rates = [throughput(data, case(variant), seed, flow) for flow in (SESSION, *TCPS)]
        return rates[0] - max(rates[1:])

    found = data.over_seeds(margin)
    return Measured.above(found)


def fairness_late(data: Data, variant: str) -> Measured:
    """Fairness over the last 250 s, and how often TCP timed out."""
    found = measured("fairness", False, data, variant)
    stalls = timeouts_per_s(data, case(variant))
    note = f"{found.note}; a TCP flow times out {stalls} times per second ({VARIANTS[variant]})"
    return Measured(value=found.value, ci95=found.ci95, holds=(found.value or 0) > 1, note=note)


STATEMENTS = [
    Statement(
        name="total throughput of the link, last 250 s, Mbit/s",
        published="0.974 ± 0.002, the thick line close to 1",
        measure=partial(measured, "total", False),
        low=0.90,
    ),
    Statement(
        name="throughput of the UDP flow, last 250 s, Mbit/s",
        published="0.192 ± 0.0005, almost constant",
        measure=partial(measured, CBR, False),
        low=0.18,
        high=0.202,
    ),
    Statement(
        name="TFMCC's throughput divided by that of a TCP flow, last 250 s",
        published="2.200 ± 0.157, about two",
        measure=fairness_late,
        low=1.4,
        high=2.8,
    ),
    Statement(
        name="TFMCC's throughput minus that of the better TCP flow, Mbit/s",
        published="TFMCC takes more",
        measure=above_tcp,
        rule="TFMCC gets more than the better TCP flow",
    ),
]


def table_2(data: Data) -> Numbers:
    """The table of the paper with ours beside it: means and standard deviations."""
    rows = []
    for row, published in PUBLISHED.items():
        for whole, printed in zip((True, False), published, strict=True):
            found = [[quantity(row, whole, data, case(v), seed) for seed in data.seeds] for v in VARIANTS]
            name = f"{NAMES[row]}, {'300 s' if whole else 'last 250 s'}"
            rows.append([name, printed, *(with_deviation(values) for values in found)])
    columns = ["throughput in Mbit/s, mean ± standard deviation", "published", *VARIANTS.values()]
    return Numbers(columns=columns, rows=rows)


def by_queue(limit: int) -> Criterion:
    """Fairness with another queue, reported."""

    def evaluate(data: Data) -> Measured:
        if case(MAIN, limit) not in data.points:
            return Measured(value=None, note="not run with --quick")
        found = {v: mean_fairness(data, case(v, limit)) for v in VARIANTS}
        beside = "; ".join(f"{VARIANTS[v]}: {f}" for v, f in found.items() if v != MAIN)
        return replace(Measured.of(found[MAIN]), beside=beside)

    name = f"TFMCC's throughput divided by that of a TCP flow with a queue of {limit} packets, last 250 s"
    return Criterion(name=name, published="queue not stated", evaluate=evaluate)


def figure(data: Data) -> Figure:
    """Throughput of every flow over time in the first seed, and fairness against the queue in every variant."""
    drawn, axes = panels(len(SHOWN) + 1, width=PAGE_IN, height=6.8)
    flows = {SESSION: "TFMCC (2 receivers)", "tcp-0": "TCP 1", "tcp-1": "TCP 2", CBR: "UDP"}
    for axis, variant in zip(axes, SHOWN, strict=False):
        table = data.table(case(variant), "links")
        links, t_s, bps = (table[name].to_numpy(zero_copy_only=False) for name in ("link", "t_s", "rate_bps"))
        for series, (flow, label) in enumerate(flows.items()):
            of = links == EXITS[flow]
            axis.plot(
                t_s[of], bps[of] / 1e6, color=COLOURS[series], linestyle=LINES[series], linewidth=0.8, label=label
            )
        of = links == "bottleneck"
        axis.plot(t_s[of], bps[of] / 1e6, color="black", linewidth=2.0, label="total")
        axis.set(xlabel="time (s)", ylabel="throughput (Mb/s)", xlim=(0, DURATION_S), ylim=(0, 1.15))
        axis.set_title(f"{VARIANTS[variant]}; queue of 10 packets; means over 1 s, seed {data.seeds[0]}")
    axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.12), ncols=5)
    against_queue(axes[-1], data)
    return drawn


def against_queue(axes: Axes, data: Data) -> None:
    """TCP's share against the queue in every variant, and what the published fairness of 2.200 ± 0.157 makes of it."""
    limits = [limit for limit in LIMITS if case(MAIN, limit) in data.points]
    axes.axhspan(1 / (3.200 + 0.157), 1 / (3.200 - 0.157), color="#dddddd", label="published, queue not stated")
    for series, variant in enumerate(VARIANTS):
        found = [tcp_share(data, case(variant, limit)) for limit in limits]
        curve(axes, limits, found, label=VARIANTS[variant], series=series)
    axes.axhline(0.5, color="black", linewidth=0.6, label="as much as TFMCC")
    axes.set(xlabel="queue (packets)", ylabel="TCP's share", xscale="log", ylim=(0, 1))
    axes.set_xticks(limits, [str(limit) for limit in limits])
    axes.minorticks_off()
    axes.legend(
        title="share of a TCP flow in what it and TFMCC get, last 250 s; 95 % intervals", loc="upper right", ncols=3
    )


def says(data: Data) -> str:
    """What figure and table show."""
    found = {v: mean_fairness(data, case(v)) for v in SHOWN}
    return (
        f"With a queue of 10 packets TFMCC gets {plain(found[MAIN].mean, 2)} times what a TCP flow gets if TCP waits "
        f"at least 0.2 s before it times out, and {plain(found['rto1'].mean, 2)} times as much if it waits 1 s."
    )


EXPERIMENTS = [
    Experiment(
        id="omcc-fig5-table2",
        paper="hang",
        place="Figure 5 and Table 2",
        title="TFMCC with two receivers beside TCP on 1 Mbit/s",
        published="TFMCC gets 2.2 times what a TCP flow gets; the link is full and UDP hardly disturbed.",
        points=points,
        criteria=[*criteria(STATEMENTS, tuple(VARIANTS)), *(by_queue(limit) for limit in LIMITS[1:])],
        figure=figure,
        says=says,
        numbers=table_2,
    )
]
