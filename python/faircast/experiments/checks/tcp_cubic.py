"""x-tcp-cubic: the mean window of CUBIC over the loss rate, beside the tables of RFC 9438.

Tables 1 and 2 in section 5.1 have average windows for round trips of 0.1 s and 0.01 s and three values of C. They are
of a deterministic model: every 1/p-th packet is lost, always on the plateau of the window, and repaired in no time.
Here each packet is lost with probability p, as over a radio link, on a link that is never full. To tell the two
differences apart there is a third window: that of the same rule without packets, whose losses are as far apart as
those of independent packets (`fluid`).

Choices: each flow is alone, so fast convergence is off, as the RFC wants it then; losses are repaired by SACK; it
begins in congestion avoidance with the window of the table, for a first slow start with few losses would take much of
the run. A window is the goodput of a round trip.
"""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.figures import COLOURS, PAGE_IN, curve, panels
from faircast.statistics import Estimate, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOSSES = (1e-2, 1e-3, 1e-4, 1e-5)
RTTS_S = (0.1, 0.01)
CS = (0.04, 0.4, 4.0)
DEFAULT_C = 0.4
TABLES = {
    (0.1, 0.04): (12, 38, 120, 593),
    (0.1, 0.4): (12, 38, 187, 1054),
    (0.1, 4.0): (12, 59, 333, 1874),
    (0.01, 0.04): (12, 38, 120, 379),
    (0.01, 0.4): (12, 38, 120, 379),
    (0.01, 4.0): (12, 38, 120, 379),
}
"""Average windows of CUBIC in segments by (round trip, C), for `LOSSES`: RFC 9438, Tables 1 and 2."""
PACKETS = {1e-2: 200_000, 1e-3: 200_000, 1e-4: 600_000, 1e-5: 1_600_000}
"""About how many packets of a flow are counted: 2000, 200, 60 and 16 losses."""
SEGMENT_BYTES = 1000
BETA = 0.7
TOLERANCE = 0.1

Cell = tuple[float, float, float]
"""Round trip in seconds, C, p."""


def table(cell: Cell) -> int:
    """The window in the RFC's tables, segments."""
    rtt_s, c, p = cell
    return TABLES[rtt_s, c][LOSSES.index(p)]


def scenario(cell: Cell) -> dict[str, Any]:
    """A flow alone on a link that loses packets at random and is never full."""
    rtt_s, c, p = cell
    length_s = PACKETS[p] * rtt_s / table(cell)
    return {
        "format": 1,
        "name": f"x-tcp-cubic-{1000 * rtt_s:g}ms-c{c:g}-p{p:g}",
        "duration": f"{1.25 * length_s:.6g} s",
        "warmup": f"{0.25 * length_s:.6g} s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "100 Gbit/s",
                "delay": f"{rtt_s * 500:g} ms",
                "queue": {"kind": "drop-tail", "limit": "1000000 packets"},
                "loss": {"kind": "bernoulli", "p": p},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "flows": {
            "ftp": {
                "kind": "tcp",
                "from": "a",
                "to": "b",
                "variant": "cubic",
                "recovery": "sack",
                "cubic": {"c": c, "fast_convergence": False},
                "mss": f"{SEGMENT_BYTES} B",
                "hdr": "0 B",
                "wnd": "1000000 packets",
                "initial_cwnd": f"{table(cell)} packets",
                "initial_ssthresh": f"{table(cell)} packets",
                "rto_min": "0.2 s",
            }
        },
        "probes": {"interval": f"{0.25 * length_s:.6g} s", "links": False, "events": False},
    }


def points(quick: bool) -> list[Point]:
    """Every cell of the tables down to p = 1e-5; those of the default C if quick."""
    cs = (DEFAULT_C,) if quick else CS
    cells = [(rtt_s, c, p) for rtt_s in RTTS_S for c in cs for p in LOSSES]
    return [Point(key=cell, scenario=scenario(cell)) for cell in cells]


def window(data: Data, cell: Cell) -> Estimate:
    """The mean window, segments."""
    return scaled(data.estimate(cell, "ftp", "goodput"), cell[0] / (8 * SEGMENT_BYTES))


@cache
def fluid(cell: Cell) -> float:
    """The mean window of the rule without packets, if the packets between two losses are exponentially distributed.

    The window is a continuous function of time, repairs take none. 300 flows at once, each over 24 losses of which the
    first half is left out, in steps of a hundredth of the table's time between losses.
    """
    import numpy as np

    rtt_s, c, p = cell
    alpha = 3 * (1 - BETA) / (1 + BETA)
    random = np.random.default_rng(1)
    cwnd = np.full(300, float(table(cell)))
    step_s = rtt_s / (100 * p * table(cell))
    packets = time_s = 0.0
    for loss in range(24):
        w_max, w_est = cwnd, cwnd * BETA
        cwnd = w_est
        k_s = np.cbrt((w_max - cwnd) / c)
        left = random.exponential(1 / p, len(cwnd))
        if loss >= 12:
            packets += left.sum()
        at_s = np.zeros(len(cwnd))
        while (left > 0).any():
            w_est = w_est + np.where(w_est >= w_max, 1.0, alpha) * step_s / rtt_s
            grown = np.maximum(np.maximum(c * (at_s + step_s - k_s) ** 3 + w_max, w_est), cwnd)
            sent = (cwnd + grown) / 2 * step_s / rtt_s
            part = np.clip(left / sent, 0.0, 1.0)
            at_s += part * step_s
            cwnd = cwnd + part * (grown - cwnd)
            left -= sent
        if loss >= 12:
            time_s += at_s.sum()
    return packets * rtt_s / time_s


def cells(data: Data, rtt_s: float, c: float) -> list[Cell]:
    """The cells of a column of a table that were measured."""
    return [(rtt_s, c, p) for p in LOSSES if (rtt_s, c, p) in data.points]


def farthest(data: Data, wanted: list[Cell], *, random: bool) -> Measured:
    """The window over that of the table, or of the fluid rule with random losses, where it is farthest from 1."""

    def ratio(cell: Cell) -> Estimate:
        return scaled(window(data, cell), 1 / (fluid(cell) if random else table(cell)))

    cell = max(wanted, key=lambda cell: abs(math.log(ratio(cell).mean)))
    rtt_s, c, p = cell
    return Measured.of(ratio(cell), note=f"at p = {p:g}, {1000 * rtt_s:g} ms, C = {c:g}")


def column(data: Data, rtt_s: float) -> Measured:
    """The window over the table's for the default C, where it is farthest from 1."""
    return farthest(data, cells(data, rtt_s, DEFAULT_C), random=False)


def all_random(data: Data) -> Measured:
    """The window over that of the fluid rule, of all cells the one where it is farthest from 1."""
    return farthest(data, [cell for rtt_s in RTTS_S for c in CS for cell in cells(data, rtt_s, c)], random=True)


def numbers(data: Data) -> Numbers:
    """Every cell: the table, what was measured, both ratios, time-outs."""
    columns = ["round trip", "C", "p", "RFC 9438", "measured", "over RFC", "fluid rule, random losses, over RFC"]
    columns.append("time-outs for each 100 reductions")
    rows = []
    for rtt_s in RTTS_S:
        for c in CS:
            for cell in cells(data, rtt_s, c):
                timeouts, reductions = (
                    math.fsum(data.values(cell, "ftp", metric)) for metric in ("timeouts", "loss_reductions")
                )
                row = [f"{1000 * rtt_s:g} ms", f"{c:g}", f"{cell[2]:g}", str(table(cell)), str(window(data, cell))]
                row += [str(scaled(window(data, cell), 1 / table(cell))), f"{fluid(cell) / table(cell):.2f}"]
                rows.append([*row, f"{100 * timeouts / max(reductions, 1.0):.1f}"])
    return Numbers(columns=columns, rows=rows)


def figure(data: Data) -> Figure:
    """Windows over the loss rate, a panel for each round trip: the tables as lines, what was measured as points."""
    drawn, axes = panels(columns=len(RTTS_S), width=PAGE_IN, height=2.9, sharey=True)
    for panel, rtt_s in zip(axes, RTTS_S, strict=True):
        for series, c in enumerate(CS):
            found = cells(data, rtt_s, c)
            if not found:
                continue
            x = [p for _, _, p in found]
            curve(panel, x, [window(data, cell) for cell in found], label=f"C = {c:g}", series=series, joined=False)
            panel.plot(x, [table(cell) for cell in found], color=COLOURS[series], linewidth=0.9, label="_table")
        panel.set(xlabel="loss rate p", xscale="log", yscale="log", title=f"round trip {1000 * rtt_s:g} ms")
    axes[0].set_ylabel("mean window (segments)")
    axes[0].legend(title="points: random losses, 95 % intervals\nlines: RFC 9438, losses at equal distances")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    long, short = (column(data, rtt_s) for rtt_s in RTTS_S)
    return (
        f"With random losses CUBIC's mean window is up to {plain(long.value or 0.0)} times that of the RFC's table for "
        f"100 ms, {plain(short.value or 0.0)} times for 10 ms; the same rule without packets gives that for random "
        "losses, too."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tcp-cubic",
        paper="checks",
        place="RFC 9438, Tables 1 and 2",
        title="CUBIC's mean window over the loss rate",
        published="Average windows of CUBIC for losses at equal distances, RFC 9438, section 5.1.",
        points=points,
        criteria=[
            *(
                Criterion(
                    name=f"{1000 * rtt_s:g} ms, C = 0.4: window over that of the table, farthest from 1",
                    published=1,
                    evaluate=partial(column, rtt_s=rtt_s),
                    low=1 - TOLERANCE,
                    high=1 + TOLERANCE,
                )
                for rtt_s in RTTS_S
            ),
            Criterion(
                name="all cells: window over that of the rule without packets under random losses, farthest from 1",
                published="the rule of RFC 9438",
                evaluate=all_random,
                low=1 - TOLERANCE,
                high=1 + TOLERANCE,
            ),
        ],
        figure=figure,
        says=says,
        why="The tables are of losses at equal distances, each on the plateau. If packets are lost independently the "
        "distances vary, and the window gains more in the long ones than it loses in the short ones: a rule without "
        "packets has 1.18 times the table's window in the Reno-friendly region, 1.25 times beyond it and up to 1.31 "
        "times between. With losses at equal distances that rule, and the tests of ours, have the table's window.",
        numbers=numbers,
        reps=10,
    )
]
