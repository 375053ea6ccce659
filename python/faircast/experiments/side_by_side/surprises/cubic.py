"""x-all-cubic: why TFMCC gets a tenth of CUBIC over GEO, and no less than a SACK flow would.

The situation "GEO, 0 %" of the comparison with all delays shorter by one factor, and all links faster by the same: in
packets the product of bandwidth and delay stays what it is, and so does the queue. A rule that counts in round trips,
as SACK and the throughput equation do, meets the same path each time. CUBIC grows by the clock. So what changes with
the round-trip time is what the clock of CUBIC makes, but for time-outs, which last at least 1 s everywhere. Beside the
TCP is the session, or in its place a SACK flow.

TCPs send each packet after a random time of up to what a packet takes at the bottleneck: otherwise it would be the
phase of their packets at the full queue that decides (`phases`), which each round-trip time has another one of.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side import runs, schemes
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.geo import BASE_RTT_S, DOWN_MBPS, PATH, SESSION, TCP, UP_KBPS
from faircast.experiments.side_by_side.surprises import ratios
from faircast.figures import PAGE_IN, curve, panels, trace
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

Key = tuple[int, str, str]
"""Base round-trip time in ms, who is beside TCP, and the variant of TCP."""

GEO_MS = round(1000 * BASE_RTT_S)
RTTS_MS = (54, 90, 135, 180, 270, 360, GEO_MS)
QUICK_MS = (54, GEO_MS)
CASES: dict[tuple[str, str], str] = {
    ("tfmcc", "cubic"): "TFMCC beside CUBIC",
    ("sack", "cubic"): "SACK beside CUBIC",
    ("tfmcc", "sack"): "TFMCC beside SACK",
}
BESIDE_TCP = f"{SESSION}-0"
"""The receiver at the TCP's downlink, and the SACK that takes its place."""
GROUND_MBPS, GROUND_MS, HOP_MS = 10, 10, 125
"""The links on the ground and those to and from the satellite."""
PACKET_MS = 8 * PATH.packet_bytes / (1000 * DOWN_MBPS)
"""What a packet takes at the bottleneck over GEO."""
DRAWN_S = (100, 250)


def scenario(key: Key) -> dict[str, Any]:
    """The situation over GEO at another scale of time."""
    rtt_ms, who, tcp = key
    k = rtt_ms / GEO_MS
    situation = Situation(path=PATH.name, loss=0.0, tcp=tcp)
    made: dict[str, Any] = json.loads(json.dumps(runs.scenario(Cell(situation=situation, run=BESIDE, scheme="tfmcc"))))
    made["name"] = f"x-all-cubic-{rtt_ms}ms-{who}-{tcp}"
    ground = {"rate": f"{GROUND_MBPS / k:g} Mbit/s", "delay": f"{GROUND_MS * k:g} ms"}
    made["topology"]["access"] |= ground
    branch = made["topology"]["branches"]["sat"]
    hop = {"delay": f"{HOP_MS * k:g} ms"}
    branch["trunk"] |= ground
    branch["feeder"] |= ground | hop
    branch["down"] |= hop | {"rate": f"{1000 * DOWN_MBPS / k:g} kbit/s"}
    branch["up"] |= hop | {"rate": f"{UP_KBPS / k:g} kbit/s"}
    if who == "tfmcc":
        path = replace(PATH, longest_rtt_s=PATH.longest_rtt_s * k)
        made["sessions"][SESSION]["initial_max_rtt"] = f"{1000 * schemes.initial_max_rtt_s(path):g} ms"
    else:
        made["sessions"] = {}
        made["flows"][BESIDE_TCP] = runs.tcp(who, PATH, TCP)
    for flow in made["flows"].values():
        flow["send_jitter"] = f"{PACKET_MS * k:.4f} ms"
    return made


def points(quick: bool) -> list[Point]:
    """Every case with every round-trip time; of those that are drawn over time the table, too."""
    return [
        Point(key=(rtt_ms, *case), scenario=scenario((rtt_ms, *case)), tables=("flows",) if rtt_ms == GEO_MS else ())
        for case in CASES
        for rtt_ms in (QUICK_MS if quick else RTTS_MS)
    ]


def ratio(data: Data, key: Key) -> Estimate:
    """Rate of the one beside TCP, divided by TCP's; means over the seeds divided."""
    return ratios.ratio(data, key, [BESIDE_TCP], [TCP])


def rtts(data: Data) -> list[int]:
    """The round-trip times that were run, ms."""
    keys: Any = data.keys()
    return sorted({key[0] for key in keys})


def measured(key: Key, data: Data) -> Measured:
    """One ratio."""
    return Measured.of(ratio(data, key))


def falls(who: str, data: Data) -> Measured:
    """The ratio to CUBIC over GEO, divided by that with the shortest round trips."""
    short = rtts(data)[0]

    def of(seeds: Any) -> float:
        part = Data(data.points, seeds, quick=data.quick)
        return ratio(part, (GEO_MS, who, "cubic")).mean / ratio(part, (short, who, "cubic")).mean

    return Measured.of(jackknife(of, data.seeds), note=f"{GEO_MS} ms against {short} ms")


def reductions(tcp: str, data: Data) -> Measured:
    """How far the loss events of the TCP are apart."""
    spent_s = PATH.duration_s - PATH.warmup_s
    key = (GEO_MS, "tfmcc", tcp)
    return Measured.of(data.over_seeds(lambda seed: spent_s / max(1.0, data.run(key, seed)[TCP, "loss_reductions"])))


def numbers(data: Data) -> Numbers:
    """All ratios."""
    return Numbers(
        columns=["base round-trip time, ms", *CASES.values()],
        rows=[[str(ms), *(str(ratio(data, (ms, *case))) for case in CASES)] for ms in rtts(data)],
        note="Rate divided by that of the TCP beside it.",
    )


def figure(data: Data) -> Figure:
    """Ratios over the round-trip time; the windows of both TCPs beside TFMCC over GEO."""
    drawn, (left, right) = panels(1, 2, width=PAGE_IN, height=2.6)
    for series, (case, label) in enumerate(CASES.items()):
        curve(left, rtts(data), [ratio(data, (ms, *case)) for ms in rtts(data)], label=label, series=series)
    left.axhline(1, color="black", linewidth=0.6)
    left.set(xscale="log", yscale="log", ylim=(0.05, 2), xlabel="base round-trip time (ms); packets in flight the same")
    left.set_ylabel("rate, divided by TCP's")
    left.set_xticks(rtts(data), [str(ms) for ms in rtts(data)])
    left.set_xticks([], minor=True)
    left.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2], ["0.05", "0.1", "0.2", "0.5", "1", "2"])
    left.set_yticks([], minor=True)
    left.annotate("GEO", (GEO_MS, 0.055), ha="right", fontsize=7)
    left.legend(loc="lower left")
    for series, tcp in ((0, "cubic"), (2, "sack")):
        table = data.table((GEO_MS, "tfmcc", tcp), "flows")
        ours = [name == TCP for name in table["flow"].to_pylist()]
        t_s, window = (table[name].to_numpy()[ours] for name in ("t_s", "cwnd_pkts"))
        name = "CUBIC" if tcp == "cubic" else "SACK"
        trace(right, t_s, window, label=f"{name}, beside TFMCC", series=series, width=1.1)
    right.set(xlabel=f"time (s), {GEO_MS} ms, seed {data.seeds[0]}", ylabel="TCP's window (packets)")
    right.set(xlim=DRAWN_S, ylim=(0, 140))
    right.legend(loc="upper right")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    short = rtts(data)[0]
    tfmcc, sack = (
        [plain(ratio(data, (ms, who, "cubic")).mean, 2) for ms in (short, GEO_MS)] for who in ("tfmcc", "sack")
    )
    return (
        f"As round trips grow from {short} to {GEO_MS} ms, with as many packets in flight, TFMCC falls from {tfmcc[0]} "
        f"to {tfmcc[1]} times what the CUBIC beside it gets and a SACK flow in its place from {sack[0]} to {sack[1]}; "
        f"beside SACK TFMCC gets {plain(ratio(data, (GEO_MS, 'tfmcc', 'sack')).mean, 2)} times as much over GEO."
    )


EXPERIMENTS = [
    Experiment(
        id="x-all-cubic",
        paper="side-by-side",
        place="TFMCC beside CUBIC over GEO",
        title="CUBIC grows by the clock, TFMCC by the round trip",
        published="CUBIC's growth does not depend on the round-trip time (RFC 9438), that of SACK and TFMCC does.",
        points=points,
        criteria=[
            *(
                Criterion(
                    name=f"{CASES[case]}, {GEO_MS} ms: rate divided by TCP's",
                    published="none",
                    evaluate=lambda data, case=case: measured((GEO_MS, *case), data),  # type: ignore[misc]
                )
                for case in CASES
            ),
            *(
                Criterion(
                    name=f"{name}: ratio to CUBIC with the longest round trips, divided by that with the shortest",
                    published="smaller with long round trips",
                    evaluate=lambda data, who=who: falls(who, data),  # type: ignore[misc]
                    high=0.5,
                )
                for who, name in (("tfmcc", "TFMCC"), ("sack", "SACK"))
            ),
            *(
                Criterion(
                    name=f"seconds from one loss event of {name} to the next, beside TFMCC over GEO",
                    published="none",
                    evaluate=lambda data, tcp=tcp: reductions(tcp, data),  # type: ignore[misc]
                )
                for tcp, name in (("cubic", "CUBIC"), ("sack", "SACK"))
            ),
        ],
        figure=figure,
        numbers=numbers,
        says=says,
    )
]
