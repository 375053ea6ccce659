"""x-all-phases: how far a few milliseconds decide who is served at a full drop-tail queue over GEO.

The situations "GEO, 0 %" of the comparison with TFMCC, but TCP sends when an ACK comes and not, as there, a random
time later. What is added is up to one packet's time at the bottleneck to the delay of the uplinks: 0 to 13.65 ms to a
round trip of 540 ms. Alone on its bottleneck, and with a full queue, a TCP is clocked by it: an ACK says that a
packet has left, and what it releases comes at the queue one round trip later, so at a fixed moment of the service of
another packet. In a full queue a place is free from one departure to the next arrival. If TCP's packet comes soon
after the departure it finds the place, and if it comes late the session, whose packets come at any moment, has taken
it (Floyd and Jacobson: On Traffic Phase Effects in Packet-Switched Gateways, 1992). The cure is theirs as well: TCP's
packets held back by a random time of up to one packet's, as in the comparison, or RED.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side import runs
from faircast.experiments.side_by_side.cells import BESIDE, TCP_NAMES, Cell, Situation
from faircast.experiments.side_by_side.geo import DOWN_MBPS, LIMIT_PKTS, PATH, SESSION, TCP
from faircast.experiments.side_by_side.surprises import ratios
from faircast.figures import PAGE_IN, curve, panels
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

Key = tuple[str, str, float]
"""The variant of TCP, what is changed, and what is added to the uplink in packet times."""

PACKET_MS = 8 * PATH.packet_bytes / (1000 * DOWN_MBPS)
"""What a packet takes at the bottleneck."""
HOP_MS = 125
SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0)
QUICK = (0.0, 0.5, 0.9)
DELAY, JITTER, RED = "delay", "jitter", "red"
NAMES = {JITTER: "TCP's packets at random moments", RED: "RED"}
RECEIVER = f"{SESSION}-0"


def scenario(key: Key) -> dict[str, Any]:
    """The cell of the comparison with one thing changed."""
    tcp, change, shift = key
    situation = Situation(path=PATH.name, loss=0.0, tcp=tcp)
    made: dict[str, Any] = json.loads(json.dumps(runs.scenario(Cell(situation=situation, run=BESIDE, scheme="tfmcc"))))
    made["name"] = f"x-all-phases-{tcp}-{change}-{shift:g}"
    branch = made["topology"]["branches"]["sat"]
    branch["up"]["delay"] = f"{HOP_MS + shift * PACKET_MS:.4f} ms"
    if change != JITTER:
        del made["flows"][TCP]["send_jitter"]
    if change == RED:
        branch["down"]["queue"] = {
            "kind": "red",
            "limit": f"{LIMIT_PKTS} packets",
            "min_th": f"{LIMIT_PKTS / 10:g} packets",
            "max_th": f"{LIMIT_PKTS / 2:g} packets",
            "gentle": True,
        }
    return made


def points(quick: bool) -> list[Point]:
    """Every phase, and the two cures, beside both TCPs."""
    return [
        Point(key=key, scenario=scenario(key), phases="they are what is looked at")
        for tcp in TCP_NAMES
        for key in (
            *((tcp, DELAY, shift) for shift in (QUICK if quick else SHIFTS)),
            (tcp, JITTER, 0.0),
            (tcp, RED, 0.0),
        )
    ]


def ratio(data: Data, key: Key) -> Estimate:
    """Rate of the receiver beside TCP divided by TCP's; means over the seeds divided."""
    return ratios.ratio(data, key, [RECEIVER], [TCP])


def shifts(data: Data) -> list[float]:
    """The phases that were run."""
    keys: Any = data.keys()
    return sorted({key[2] for key in keys if key[1] == DELAY})


def spread(tcp: str, data: Data) -> Measured:
    """The greatest ratio over all phases divided by the least."""
    found = {shift: ratio(data, (tcp, DELAY, shift)) for shift in shifts(data)}
    least, most = (choose(found, key=lambda shift: found[shift].mean) for choose in (min, max))
    note = f"{found[least]} with {least * PACKET_MS:.1f} ms more, {found[most]} with {most * PACKET_MS:.1f} ms"
    return Measured(value=found[most].mean / found[least].mean, note=note)


def cured(tcp: str, change: str, data: Data) -> Measured:
    """The ratio where phases do not decide."""
    return Measured.of(ratio(data, (tcp, change, 0.0)))


def events(data: Data, key: Key) -> Estimate:
    """Loss events per packet of the session divided by those of TCP."""

    def of(seeds: Sequence[int]) -> float:
        def total(subject: str, metric: str) -> float:
            return sum(data.run(key, seed)[subject, metric] for seed in seeds)

        ours = total(RECEIVER, "loss_events") / total(SESSION, "sent")
        return ours / (total(TCP, "loss_reductions") / total(TCP, "sent"))

    return jackknife(of, data.seeds)


def numbers(data: Data) -> Numbers:
    """All ratios, and those of loss events."""
    keys: Any = data.keys()
    rows = [
        [
            NAMES.get(change, f"uplink {shift * PACKET_MS:.2f} ms longer"),
            *(str(of(data, (tcp, change, shift))) for tcp in TCP_NAMES for of in (ratio, events)),
        ]
        for change, shift in dict.fromkeys(key[1:] for key in keys)
    ]
    return Numbers(
        columns=["", *(f"{what}, {name}" for name in TCP_NAMES.values() for what in ("rate", "loss events"))],
        rows=rows,
        note="TFMCC divided by TCP: rate, and loss events per packet.",
    )


def figure(data: Data) -> Figure:
    """Ratios over the phase, beside each TCP, with the two cures."""
    drawn, axes = panels(1, 2, width=PAGE_IN, height=2.6, sharey=True)
    for panel, (tcp, name) in zip(axes, TCP_NAMES.items(), strict=True):
        x = [shift * PACKET_MS for shift in shifts(data)]
        curve(
            panel,
            x,
            [ratio(data, (tcp, DELAY, one)) for one in shifts(data)],
            label="TCP's packets as ACKs come",
            series=0,
        )
        for series, (change, label) in enumerate(NAMES.items(), start=1):
            cure = ratio(data, (tcp, change, 0.0))
            curve(panel, [0, PACKET_MS], [cure, cure], label=label, series=series)
        panel.axhline(1, color="black", linewidth=0.6)
        panel.set(yscale="log", ylim=(0.05, 8), xlabel="added to the uplink's 125 ms (ms)", title=f"beside {name}")
        panel.set_yticks([0.05, 0.1, 0.2, 0.5, 1, 2, 5], ["0.05", "0.1", "0.2", "0.5", "1", "2", "5"])
        panel.set_yticks([], minor=True)
    axes[0].set_ylabel("rate of TFMCC, divided by TCP's")
    axes[1].legend(loc="upper left")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    parts = []
    for tcp, name in TCP_NAMES.items():
        found = [ratio(data, (tcp, DELAY, shift)).mean for shift in shifts(data)]
        jitter, red = (plain(ratio(data, (tcp, change, 0.0)).mean, 2) for change in NAMES)
        parts.append(
            f"beside {name} TFMCC gets {plain(min(found), 2)} to {plain(max(found), 2)} times TCP's rate over GEO, by "
            f"up to {PACKET_MS:.1f} ms of delay alone, {jitter} if TCP's packets come at random moments, {red} on RED"
        )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


EXPERIMENTS = [
    Experiment(
        id="x-all-phases",
        paper="side-by-side",
        place="TFMCC over GEO",
        title="A few milliseconds decide who is served at a full queue",
        published="On a full drop-tail queue shares depend on phases of packets (Floyd and Jacobson, 1992).",
        points=points,
        criteria=[
            *(
                Criterion(
                    name=f"beside {name}: greatest ratio to TCP over all phases, divided by the least",
                    published="shares depend on phases",
                    evaluate=lambda data, tcp=tcp: spread(tcp, data),  # type: ignore[misc]
                    low=2,
                )
                for tcp, name in TCP_NAMES.items()
            ),
            *(
                Criterion(
                    name=f"beside {name}, {label}: rate divided by TCP's",
                    published="none",
                    evaluate=lambda data, tcp=tcp, change=change: cured(tcp, change, data),  # type: ignore[misc]
                )
                for tcp, name in TCP_NAMES.items()
                for change, label in NAMES.items()
            ),
        ],
        figure=figure,
        numbers=numbers,
        says=says,
    )
]
