"""x-all-omcc: why Log-OMCC leaves TCP nothing at the slowest branch of the tree, and where that begins.

The situation "tree, 0 %, SACK" of the comparison, whose session is given a number of receivers: nothing but the factor
f(N) of the equation changes. With 6 it is the cell of the comparison. With the utility of TCP f is the root of N, 2.4
with 6 receivers.

However many packets of a round trip are lost, they are one loss event. So a session that sends w packets in a round
trip finds one event in w packets at the most, and the equation makes at least f·g(w) packets in a round trip of it, g
being the equation in these units at p = 1/w. g(w)/w is nowhere more than 0.188. With f above 1/0.188 = 5.33 there are
rates at which the session wants more although it loses packets in every round trip: the loss cannot slow it down.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side import runs
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.surprises import ratios
from faircast.experiments.side_by_side.tree import BASE_RTT_S, BRANCHES_MBPS, PATH, QUEUE_BDP, SESSION, tcps_at
from faircast.figures import COLOURS, LINES, PAGE_IN, curve, panels
from faircast.statistics import estimate, jackknife
from faircast.throughput import throughput_bps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure

    from faircast._native import RawResult
    from faircast.statistics import Estimate

Key = tuple[str, int]
"""The utility, and the number of receivers that the session is told."""

LOG, TCP_LIKE = "log", "tcp"
KEYS: tuple[Key, ...] = (*((LOG, n) for n in (1, 2, 3, 4, 5, 6, 8)), (TCP_LIKE, 6))
QUICK: tuple[Key, ...] = ((LOG, 1), (LOG, 5), (LOG, 6))
CELL: Key = (LOG, 6)
"""What the comparison has."""
BELOW: Key = (LOG, 5)
MBPS = min(BRANCHES_MBPS)
RECEIVER = f"{SESSION}-0"
"""A receiver behind the slowest branch."""
HOLDS_PKTS = (1 + QUEUE_BDP) * 1e6 * MBPS * BASE_RTT_S / (8 * PATH.packet_bytes)
"""What the slowest branch holds in flight and in its queue."""
WINDOWS = [2 * 1.02**i for i in range(233)]
"""Packets in a round trip, 2 to 200."""
DRAWN = (1, math.sqrt(6), 4, 6, 8)


def scenario(key: Key) -> dict[str, Any]:
    """The cell of the comparison with another number of receivers in the source's head."""
    utility, n = key
    situation = Situation(path=PATH.name, loss=0.0, tcp="sack")
    made = runs.scenario(Cell(situation=situation, run=BESIDE, scheme=f"omcc-{utility}"))
    made["name"] = f"x-all-omcc-{utility}-{n}"
    made["sessions"][SESSION]["population"] = {"kind": "configured", "receivers": n}
    return made


def points(quick: bool) -> list[Point]:
    """Every factor."""
    return [Point(key=key, scenario=scenario(key), reduce=round_trip) for key in (QUICK if quick else KEYS)]


def round_trip(raw: RawResult) -> float:
    """The mean round-trip time of a receiver at the slowest branch, s."""
    table = to_arrow(raw.tables()["receivers"])
    own = [name == RECEIVER for name in table["receiver"].to_pylist()]
    times, rtts = (table[name].to_numpy()[own] for name in ("t_s", "rtt_s"))
    return float(rtts[times > PATH.warmup_s].mean())


def factor(key: Key) -> float:
    """f(N)."""
    utility, n = key
    return float(n) if utility == LOG else math.sqrt(n)


def asked(window: float) -> float:
    """What the equation without f makes of one loss event per round trip of `window` packets; in packets as well."""
    return throughput_bps(1 / 8, 1.0, 1 / window)


@lru_cache
def critical() -> float:
    """The least f with which some rate grows although every round trip has a loss event."""
    return 1 / max(asked(window / 100) / (window / 100) for window in range(200, 20_000))


def mbps(data: Data, key: Key, what: str) -> list[float]:
    """By seed what the source sends, what a receiver at the slowest branch gets, or a TCP beside it; Mbit/s."""
    if what == "tcp":
        flows = [data.values(key, tcp, "rate") for tcp in tcps_at(MBPS)]
        return [sum(of_seed) / len(of_seed) / 1e6 for of_seed in zip(*flows, strict=True)]
    subject, metric = (SESSION, "sending_rate") if what == "sent" else (RECEIVER, "rate")
    return [value / 1e6 for value in data.values(key, subject, metric)]


def ratio(data: Data, key: Key) -> Estimate:
    """Rate of a receiver at the slowest branch divided by TCP's there; means over the seeds divided."""
    return ratios.ratio(data, key, [RECEIVER], tcps_at(MBPS))


def events(data: Data, key: Key) -> Estimate:
    """Loss events in a round trip."""
    spent_s = PATH.duration_s - PATH.warmup_s
    return data.over_seeds(
        lambda seed: data.run(key, seed)[RECEIVER, "loss_events"] / spent_s * data.reduced(key, seed)
    )


def dropped(data: Data, key: Key) -> Estimate:
    """The part of what the source sends that the slowest branch drops."""
    both = zip(mbps(data, key, "received"), mbps(data, key, "sent"), strict=True)
    return estimate([1 - received / sent for received, sent in both])


def keys(data: Data) -> list[Key]:
    """What was run, by its factor."""
    found: Any = data.keys()
    return sorted(found, key=lambda key: (key[0], factor(key)))


def jump(data: Data) -> Measured:
    """What is left to a TCP where f passes the critical one, as a part of what it gets just below."""

    def of(seeds: Sequence[int]) -> float:
        below, above = (
            math.fsum(data.run(key, seed)[tcp, "rate"] for seed in seeds for tcp in tcps_at(MBPS))
            for key in (BELOW, CELL)
        )
        return above / below

    return Measured.of(jackknife(of, data.seeds))


def numbers(data: Data) -> Numbers:
    """Rates, ratios, and loss events in a round trip."""
    rows = []
    for key in keys(data):
        rates = [str(estimate(mbps(data, key, what))) for what in ("sent", "received", "tcp")]
        name = f"{'Log' if key[0] == LOG else 'TCP'}-OMCC, N = {key[1]}"
        rows.append([name, plain(factor(key), 3), *rates, str(ratio(data, key)), str(events(data, key))])
    return Numbers(
        columns=["session", "f", "sent, Mbit/s", "received", "one TCP", "received / TCP", "loss events a round trip"],
        rows=rows,
        note=f"At the branch of {MBPS} Mbit/s, with two TCPs there. Losses cannot slow a session down with f above "
        f"{critical():.2f}.",
    )


def figure(data: Data) -> Figure:
    """Rates over the factor, and what the equation asks for when every round trip has a loss event."""
    drawn, (left, right) = panels(1, 2, width=PAGE_IN, height=2.7)
    logs = [key for key in keys(data) if key[0] == LOG]
    labels = {"sent": "the source sends", "received": "a receiver gets", "tcp": "a TCP gets"}
    for series, (what, label) in enumerate(labels.items()):
        rates = [estimate(mbps(data, key, what)) for key in logs]
        curve(left, [factor(key) for key in logs], rates, label=label, series=series)
    left.axvline(critical(), color="black", linewidth=0.8, linestyle=(0, (4, 3)))
    left.text(critical() - 0.1, 1.75, f"f = {critical():.2f}", ha="right", fontsize=7)
    left.axhline(MBPS, color="black", linewidth=0.6)
    left.text(0.6, MBPS + 0.04, f"the branch: {MBPS} Mbit/s", fontsize=7)
    left.set(xlabel="factor f on the equation", ylabel="rate (Mbit/s)", xlim=(0.5, 8.5), ylim=(0, None))
    left.legend(loc="upper left")
    for place, f in enumerate(DRAWN):
        ratios = [f * asked(window) / window for window in WINDOWS]
        right.plot(WINDOWS, ratios, label=f"f = {f:.3g}", color=COLOURS[place], linestyle=LINES[place])
    right.axhline(1, color="black", linewidth=0.6)
    right.text(2.1, 2.2, "above 1: it grows although it loses", fontsize=7)
    right.axvspan(WINDOWS[0], HOLDS_PKTS, color="#eeeeee", zorder=0)
    right.text(HOLDS_PKTS / 1.05, 0.012, f"room of the branch of {MBPS} Mbit/s", ha="right", fontsize=7)
    right.set(xscale="log", yscale="log", xlim=(WINDOWS[0], 200), ylim=(0.01, 3))
    right.set(xlabel="sent in a round trip, one loss event in each (packets)", ylabel="asked for, divided by sent")
    right.set_xticks([2, 5, 10, 20, 50, 100, 200], ["2", "5", "10", "20", "50", "100", "200"])
    right.set_xticks([], minor=True)
    right.set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    right.legend(loc="lower right")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    below, above = (f"{plain(1000 * estimate(mbps(data, key, 'tcp')).mean, 2)} kbit/s" for key in (BELOW, CELL))
    return (
        f"At the branch of {MBPS} Mbit/s a TCP gets {below} beside an equation times 5 and {above} beside one times 6, "
        f"when the source sends {plain(estimate(mbps(data, CELL, 'sent')).mean, 2)} Mbit/s and meets "
        f"{plain(events(data, CELL).mean, 2)} loss events a round trip; above a factor of {critical():.2f} the session "
        "has rates at which it grows although it loses packets in every round trip."
    )


def reported(name: str, evaluate: Callable[[Data], Estimate]) -> Criterion:
    """A number that decides nothing."""
    return Criterion(name=name, published="none", evaluate=lambda data: Measured.of(evaluate(data)))


EXPERIMENTS = [
    Experiment(
        id="x-all-omcc",
        paper="side-by-side",
        place="OMCC on the tree",
        title="Above a factor of 5.3 losses cannot slow OMCC down",
        published="Log-OMCC takes as many times TCP's rate as it has receivers, TCP-OMCC the root of that.",
        points=points,
        criteria=[
            reported("f = 1: rate of a receiver at the slowest branch divided by TCP's", partial(ratio, key=(LOG, 1))),
            reported("f = 5: the same", partial(ratio, key=BELOW)),
            reported("f = 6: the same", partial(ratio, key=CELL)),
            reported("f = 6: part of what is sent that the slowest branch drops", partial(dropped, key=CELL)),
            reported("f = 6: loss events in a round trip there", partial(events, key=CELL)),
            Criterion(
                name="TCP's rate there with f = 6 divided by that with f = 5",
                published=f"nothing is left above f = {critical():.2f}",
                evaluate=jump,
                high=0.25,
            ),
        ],
        figure=figure,
        numbers=numbers,
        says=says,
    )
]
