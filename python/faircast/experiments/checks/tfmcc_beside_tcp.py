"""x-tfmcc-tcp: one TFMCC session beside 1, 2, 4 and 8 TCP flows: who gets how much of one bottleneck.

1 Mb/s of bottleneck for each of them, RTT 20 to 560 ms, TCP windows that never bind, 1000 B packets. RED: limit twice
the product of bandwidth and delay, thresholds 5 % and 50 % of the limit, gentle; drop-tail: one such product; both 20
packets at the least. TFMCC and TCP are those by default. At drop-tail queues TCP sends each packet up to a packet's
time late, at random, so that phases do not decide whose are lost; what they do where it does not stands beside.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.experiments.jitter import one_packet
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHARE_BPS = 1_000_000
COUNTS = (1, 2, 4, 8)
RTTS_MS = (20, 50, 100, 200, 400, 560)
UNLABELLED_MS = (400,)
"""For want of room on the axis."""
VARIANTS = {"newreno": "NewReno", "sack": "SACK"}
RED, DROP_TAIL, IN_PHASE = "red", "drop-tail", "in-phase"
QUEUES = {RED: "RED", DROP_TAIL: "drop-tail", IN_PHASE: "drop-tail in phase"}
"""The last is the one before it, with TCPs that send at once; it stands beside."""
PACKET_B = 1000
ACCESS_MS = 1
FACTOR = 2.0


def queue(kind: str, rate_bps: int, rtt_ms: int) -> dict[str, Any]:
    """The bottleneck's queue."""
    bdp = rate_bps * rtt_ms / 1000 / (8 * PACKET_B)
    if kind != RED:
        return {"kind": "drop-tail", "limit": f"{max(20, round(bdp))} packets"}
    limit = max(20, round(2 * bdp))
    return {
        "kind": "red",
        "limit": f"{limit} packets",
        "min_th": f"{max(1, 0.05 * limit):g} packets",
        "max_th": f"{0.5 * limit:g} packets",
        "gentle": True,
    }


def scenario(kind: str, variant: str, flows: int, rtt_ms: int) -> dict[str, Any]:
    """A dumbbell with `flows` TCPs and one session with one receiver."""
    rate_bps = SHARE_BPS * (flows + 1)
    late = one_packet(PACKET_B, rate_bps / 1e6) if kind == DROP_TAIL else {}
    return {
        "format": 1,
        "name": f"x-tfmcc-tcp-{kind}-{variant}-{flows}-{rtt_ms}ms",
        "duration": "700 s",
        "warmup": "200 s",
        "topology": {
            "kind": "dumbbell",
            "left": flows + 1,
            "right": flows + 1,
            "access": {"rate": "1 Gbit/s", "delay": f"{ACCESS_MS} ms"},
        },
        "links": {
            "bottleneck": {
                "rate": f"{rate_bps} bit/s",
                "delay": f"{rtt_ms / 2 - 2 * ACCESS_MS} ms",
                "queue": queue(kind, rate_bps, rtt_ms),
                "back": {"queue": {"kind": "drop-tail", "limit": "10000 packets"}},
            }
        },
        "flows": {
            "tcp": {
                "kind": "tcp",
                "variant": variant,
                "count": flows,
                "mss": f"{PACKET_B} B",
                "hdr": "0 B",
                "wnd": "10000 packets",
                "start_jitter": "1 s",
                **late,
            }
        },
        "sessions": {
            "tfmcc": {
                "scheme": "tfmcc",
                "source": f"left-{flows}",
                "start_jitter": "1 s",
                "receivers": {"nodes": f"right-{flows}"},
                "initial_max_rtt": "1 s" if rtt_ms >= 500 else "500 ms",
            }
        },
        "probes": {"flows": False, "links": False, "events": False},
    }


def points(quick: bool) -> list[Point]:
    """Every queue, variant, number of flows and round-trip time."""
    counts, rtts = ((1, 8), (20, 100, 560)) if quick else (COUNTS, RTTS_MS)
    return [
        Point(
            key=(kind, variant, flows, rtt_ms),
            scenario=scenario(kind, variant, flows, rtt_ms),
            beside=kind == IN_PHASE,
        )
        for kind in QUEUES
        for variant in VARIANTS
        for flows in counts
        for rtt_ms in rtts
    ]


def ratio(data: Data, key: tuple[str, str, int, int]) -> Estimate:
    """Goodput of TFMCC over the mean goodput of the TCPs."""

    def of_seed(seed: int) -> float:
        run = data.run(key, seed)
        tcp = [run[f"tcp-{i}", "goodput"] for i in range(key[2])]
        return run["tfmcc", "goodput"] * len(tcp) / math.fsum(tcp)

    return data.over_seeds(of_seed)


def tcp_share(data: Data, key: tuple[str, str, int, int]) -> Estimate:
    """What a TCP gets of what it and TFMCC get together; one half is equal."""

    def of_seed(seed: int) -> float:
        run = data.run(key, seed)
        tcp = math.fsum(run[f"tcp-{i}", "goodput"] for i in range(key[2])) / key[2]
        return tcp / (tcp + run["tfmcc", "goodput"])

    return data.over_seeds(of_seed)


def cases(data: Data, kind: str, variant: str) -> dict[tuple[int, int], Estimate]:
    """Ratios by number of flows and round-trip time."""
    keys: Any = data.keys()
    return {key[2:]: ratio(data, key) for key in keys if key[:2] == (kind, variant)}


def extreme(kind: str, variant: str, largest: bool, data: Data) -> Measured:
    """The largest or smallest ratio of a queue and a variant."""
    found = cases(data, kind, variant)
    flows, rtt_ms = (max if largest else min)(found, key=lambda key: found[key].mean)
    note = f"beside {flows} flow{'s' if flows > 1 else ''} with round trips of {rtt_ms} ms"
    return Measured.of(found[flows, rtt_ms], note=note)


def criterion(kind: str, variant: str, largest: bool) -> Criterion:
    """Within a factor of two; only reported where phases decide."""
    bound = None if kind == IN_PHASE else FACTOR
    return Criterion(
        name=f"{QUEUES[kind]}, {VARIANTS[variant]}: TFMCC's rate divided by that of a TCP flow, "
        f"{'largest' if largest else 'smallest'} of all cases",
        published="within a factor of 2" if bound else "not stated",
        evaluate=partial(extreme, kind, variant, largest),
        low=1 / bound if bound and not largest else None,
        high=bound if bound and largest else None,
    )


def event_rates(kind: str, data: Data) -> Measured:
    """Loss events per packet that TFMCC meets over those of TCP, the mean over all cases of a queue.

    A TCP meets one with every reduction of its window. Where the two meet equally many, the equation makes the rates
    equal.
    """
    found = []
    keys: Any = data.keys()
    for key in (key for key in keys if key[0] == kind):

        def of_seed(seed: int, key: Any = key) -> float:
            run = data.run(key, seed)
            tcps = [f"tcp-{i}" for i in range(key[2])]
            events = math.fsum(run[tcp, "loss_reductions"] + run[tcp, "timeouts"] for tcp in tcps)
            tcp_rate = events / math.fsum(run[tcp, "sent"] for tcp in tcps)
            tfmcc_rate = run["tfmcc-0", "loss_events"] / run["tfmcc", "sent"]
            return tfmcc_rate / tcp_rate if tcp_rate > 0 else math.nan

        found.append((data.over_seeds(of_seed).mean, key))
    (low, _), (high, worst) = min(found), max(found)
    mean = math.fsum(value for value, _ in found) / len(found)
    _, variant, flows, rtt_ms = worst
    note = f"{low:.2f} to {high:.2f}, the most beside {flows} {VARIANTS[variant]} with round trips of {rtt_ms} ms"
    return Measured(value=mean, note=note)


def numbers(data: Data) -> Numbers:
    """All ratios with their intervals."""
    rtts = sorted({key[3] for key in data.points})  # type: ignore[index]
    counts = sorted({key[2] for key in data.points})  # type: ignore[index]
    rows = []
    for kind in QUEUES:
        for variant in VARIANTS:
            found = cases(data, kind, variant)
            for flows in counts:
                label = f"{QUEUES[kind]}, {flows} {VARIANTS[variant]}"
                rows.append([label, *(str(found[flows, rtt_ms]) for rtt_ms in rtts)])
    return Numbers(columns=["TFMCC divided by TCP", *(f"round trip of {rtt_ms} ms" for rtt_ms in rtts)], rows=rows)


def figure(data: Data) -> Figure:
    """TCP's share against round-trip time, a panel for each queue and variant; what is not judged is pale."""
    drawn, axes = panels(len(VARIANTS), len(QUEUES), width=PAGE_IN, height=4.4, sharex=True, sharey=True)
    rtts = sorted({key[3] for key in data.points})  # type: ignore[index]
    counts = sorted({key[2] for key in data.points})  # type: ignore[index]
    for (row, (variant, tcp)), (column, (kind, name)) in product(
        enumerate(VARIANTS.items()), enumerate(QUEUES.items())
    ):
        panel = axes[row][column]
        panel.axhspan(1 / (1 + FACTOR), FACTOR / (1 + FACTOR), color="#eeeeee", zorder=0, label="factor of 2")
        panel.axhline(0.5, color="black", linewidth=0.6, label="as much as TFMCC")
        for series, flows in enumerate(counts):
            shares = [tcp_share(data, (kind, variant, flows, rtt_ms)) for rtt_ms in rtts]
            curve(panel, rtts, shares, label=f"{flows} TCP flow{'s' if flows > 1 else ''}", series=series)
        if kind == IN_PHASE:
            fade(panel)
        panel.set(xscale="log", ylim=(0, 1), title=f"{name}, TCP {tcp}")
        panel.set_xticks(rtts, [str(rtt_ms) if rtt_ms not in UNLABELLED_MS else "" for rtt_ms in rtts])
        panel.minorticks_off()
        if row == len(VARIANTS) - 1:
            panel.set_xlabel("round-trip time (ms)")
        if column == 0:
            panel.set_ylabel("TCP's share")
    title = "share of a TCP flow in what it and TFMCC get; means, 95 % intervals"
    drawn.legend(*axes[0][0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=6)
    return drawn


def fade(panel: Axes) -> None:
    """Let what was drawn in a panel be pale, as it stands beside what is judged."""
    for container in panel.containers:
        for part in container.get_children():
            part.set_alpha(0.4)


def says(data: Data) -> str:
    """What the check shows."""
    ranges = {}
    for kind, name in QUEUES.items():
        means = [item.mean for variant in VARIANTS for item in cases(data, kind, variant).values()]
        ranges[name] = f"{min(means):.2f} to {max(means):.2f} with {name}"
    return (
        f"A TFMCC session gets {ranges[QUEUES[RED]]} and {ranges[QUEUES[DROP_TAIL]]} times what a TCP flow beside it "
        f"gets; {ranges[QUEUES[IN_PHASE]]}, where TCP sends without random times and phases decide."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tfmcc-tcp",
        paper="checks",
        place="TFMCC beside TCP",
        title="TFMCC beside TCP",
        published="TFMCC gets what a TCP flow gets, within a factor of 2 (RFC 4654).",
        points=points,
        criteria=[
            *(
                criterion(kind, variant, largest)
                for kind in QUEUES
                for variant in VARIANTS
                for largest in (False, True)
            ),
            *(
                Criterion(
                    name=f"{name}: loss events per packet, TFMCC divided by TCP, mean over the cases",
                    published="not stated",
                    evaluate=partial(event_rates, kind),
                )
                for kind, name in QUEUES.items()
            ),
        ],
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
