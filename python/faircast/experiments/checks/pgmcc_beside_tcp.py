"""x-pgmcc-tcp: one pgmcc session beside 1, 2, 4 and 8 NewReno flows: who gets how much of one bottleneck.

The network is that of x-tfmcc-tcp: 1 Mb/s of bottleneck for each of them, round trips of 20 to 560 ms, RED and
drop-tail, the latter with a packet's time of random delay for TCP; without it stands beside.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.checks import tfmcc_beside_tcp as beside
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Key = tuple[str, int, int]
"""Kind of queue, number of TCP flows, round-trip time in ms."""


def scenario(kind: str, flows: int, rtt_ms: int) -> dict[str, Any]:
    """A dumbbell with `flows` TCPs and one session with one receiver."""
    found = beside.scenario(kind, "newreno", flows, rtt_ms)
    session = found["sessions"]["tfmcc"]
    taken = {key: session[key] for key in ("source", "start_jitter", "receivers")}
    return {
        **found,
        "name": f"x-pgmcc-tcp-{kind}-{flows}-{rtt_ms}ms",
        "sessions": {"pgmcc": {"scheme": "pgmcc", **taken}},
    }


def points(quick: bool) -> list[Point]:
    """Every queue, number of flows and round-trip time."""
    counts, rtts = ((1, 8), (20, 100, 560)) if quick else (beside.COUNTS, beside.RTTS_MS)
    return [
        Point(key=(kind, flows, rtt_ms), scenario=scenario(kind, flows, rtt_ms), beside=kind == beside.IN_PHASE)
        for kind in beside.QUEUES
        for flows in counts
        for rtt_ms in rtts
    ]


def keys(data: Data, kind: str) -> list[Key]:
    """The cases of a queue."""
    found: Any = data.keys()
    return [key for key in found if key[0] == kind]


def tcps(key: Key) -> list[str]:
    """The names of the TCP flows of a case."""
    return [f"tcp-{flow}" for flow in range(key[1])]


def ratio(data: Data, key: Key) -> Estimate:
    """Goodput of pgmcc over the mean goodput of the TCPs."""

    def of_seed(seed: int) -> float:
        run = data.run(key, seed)
        return run["pgmcc", "goodput"] * key[1] / math.fsum(run[tcp, "goodput"] for tcp in tcps(key))

    return data.over_seeds(of_seed)


def tcp_share(data: Data, key: Key) -> Estimate:
    """What a TCP gets of what it and pgmcc get together; one half is equal."""

    def of_seed(seed: int) -> float:
        run = data.run(key, seed)
        tcp = math.fsum(run[tcp, "goodput"] for tcp in tcps(key)) / key[1]
        return tcp / (tcp + run["pgmcc", "goodput"])

    return data.over_seeds(of_seed)


def reductions(data: Data, key: Key) -> Estimate:
    """Reductions of the window per packet, pgmcc over TCP. Where they are equal the windows are."""

    def of_seed(seed: int) -> float:
        run = data.run(key, seed)

        def per_packet(flows: list[str]) -> float:
            reduced = math.fsum(run[flow, "loss_reductions"] + run[flow, "timeouts"] for flow in flows)
            return reduced / math.fsum(run[flow, "sent"] for flow in flows)

        tcp = per_packet(tcps(key))
        return per_packet(["pgmcc"]) / tcp if tcp > 0 else math.nan

    return data.over_seeds(of_seed)


def where(key: Key) -> str:
    """A case in words."""
    return f"beside {key[1]} flow{'s' if key[1] > 1 else ''} with round trips of {key[2]} ms"


def extreme(kind: str, largest: bool, data: Data) -> Measured:
    """The largest or smallest ratio of a queue."""
    found = {key: ratio(data, key) for key in keys(data, kind)}
    key = (max if largest else min)(found, key=lambda key: found[key].mean)
    return Measured.of(found[key], note=where(key))


def criterion(kind: str, largest: bool) -> Criterion:
    """Within a factor of two; only reported where phases decide."""
    bound = None if kind == beside.IN_PHASE else beside.FACTOR
    return Criterion(
        name=f"{beside.QUEUES[kind]}: pgmcc's rate divided by that of a NewReno flow, "
        f"{'largest' if largest else 'smallest'} of all cases",
        published="within a factor of 2" if bound else "not stated",
        evaluate=partial(extreme, kind, largest),
        low=1 / bound if bound and not largest else None,
        high=bound if bound and largest else None,
    )


def causes(kind: str, data: Data) -> Measured:
    """Reductions of the window per packet, pgmcc over TCP: the mean over all cases of a queue."""
    found = {key: reductions(data, key).mean for key in keys(data, kind)}
    low, high = min(found.values()), max(found.values())
    worst = max(found, key=lambda key: found[key])
    mean = math.fsum(found.values()) / len(found)
    return Measured(value=mean, note=f"{low:.2f} to {high:.2f}, the most {where(worst)}")


def numbers(data: Data) -> Numbers:
    """All ratios with their intervals, and beside them how often the windows are reduced."""
    rtts = sorted({key[2] for key in data.points})  # type: ignore[index]
    counts = sorted({key[1] for key in data.points})  # type: ignore[index]
    rows = []
    for kind, name in beside.QUEUES.items():
        for what, of in (("rate", ratio), ("reductions per packet", reductions)):
            for flows in counts:
                label = f"{name}, {flows} NewReno, {what}"
                rows.append([label, *(str(of(data, (kind, flows, rtt_ms))) for rtt_ms in rtts)])
    return Numbers(columns=["pgmcc divided by TCP", *(f"round trip of {rtt_ms} ms" for rtt_ms in rtts)], rows=rows)


def figure(data: Data) -> Figure:
    """TCP's share against round-trip time, a panel for each queue; what is not judged is pale."""
    drawn, axes = panels(1, len(beside.QUEUES), width=PAGE_IN, height=2.6, sharex=True, sharey=True)
    rtts = sorted({key[2] for key in data.points})  # type: ignore[index]
    counts = sorted({key[1] for key in data.points})  # type: ignore[index]
    low, high = 1 / (1 + beside.FACTOR), beside.FACTOR / (1 + beside.FACTOR)
    for panel, (kind, name) in zip(axes, beside.QUEUES.items(), strict=True):
        panel.axhspan(low, high, color="#eeeeee", zorder=0, label="factor of 2")
        panel.axhline(0.5, color="black", linewidth=0.6, label="as much as pgmcc")
        for series, flows in enumerate(counts):
            shares = [tcp_share(data, (kind, flows, rtt_ms)) for rtt_ms in rtts]
            curve(panel, rtts, shares, label=f"{flows} TCP flow{'s' if flows > 1 else ''}", series=series)
        if kind == beside.IN_PHASE:
            beside.fade(panel)
        panel.set(xscale="log", ylim=(0, 1), title=name, xlabel="round-trip time (ms)")
        panel.set_xticks(rtts, [str(rtt_ms) if rtt_ms not in beside.UNLABELLED_MS else "" for rtt_ms in rtts])
        panel.minorticks_off()
    axes[0].set_ylabel("TCP's share")
    title = "share of a NewReno flow in what it and pgmcc get; means, 95 % intervals"
    drawn.legend(*axes[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=6)
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    ranges = {}
    for kind, name in beside.QUEUES.items():
        means = [ratio(data, key).mean for key in keys(data, kind)]
        ranges[kind] = f"{min(means):.2f} to {max(means):.2f} with {name}"
    return (
        f"A pgmcc session gets {ranges[beside.RED]} and {ranges[beside.DROP_TAIL]} times what a NewReno flow beside it "
        f"gets; {ranges[beside.IN_PHASE]}, where TCP sends without random times and phases decide."
    )


EXPERIMENTS = [
    Experiment(
        id="x-pgmcc-tcp",
        paper="checks",
        place="TCP beside pgmcc",
        title="pgmcc beside TCP",
        published="A pgmcc session is friendly to TCP: it gets what a TCP flow gets, within a factor of 2.",
        points=points,
        criteria=[
            *(criterion(kind, largest) for kind in beside.QUEUES for largest in (False, True)),
            *(
                Criterion(
                    name=f"{name}: reductions of the window per packet, pgmcc divided by TCP, mean over the cases",
                    published="not stated",
                    evaluate=partial(causes, kind),
                )
                for kind, name in beside.QUEUES.items()
            ),
        ],
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
