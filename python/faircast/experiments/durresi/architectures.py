"""MECN over the three satellite architectures of the paper's Fig. 1 to 3, which it describes and does not run.

*Bent pipe*: the satellite repeats what it hears, so the queue is on the ground, before both hops of 125 ms. *On board*:
the satellite switches, and the queue is at its downlink, behind one hop and before the other. *Broadcast*: all
destinations hear one downlink, and answer over terrestrial links of 20 ms. Geostationary, 1.5 Mbit/s at the bottleneck,
ten sources as in the paper; ECN has MECN's drop threshold.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.durresi.network import LIMIT_PKTS, SCHEMES, SOURCES, WINDOW, queue, scenario
from faircast.figures import PAGE_IN, curve, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ARCHITECTURES = {"bent-pipe": "bent pipe", "on-board": "on board", "broadcast": "broadcast"}
COMPARED = ("ecn4", "mecn")
MIN_THS = (5, 10, 20, 40)
BOTTLENECK = {"bent-pipe": "up", "on-board": "down", "broadcast": "down"}
METRICS = {
    "efficiency": "link efficiency",
    "queue_sd": "s.d. of queue (packets)",
    "drops_late": "packets dropped, 20-200 s",
}
RATE, FAST = "1.5 Mbit/s", "10 Mbit/s"


def made(architecture: str, scheme: str, min_th: int) -> dict[str, Any]:
    """The paper's flows over one of the architectures."""
    found = scenario(scheme, min_th, "dro")
    flow = {key: value for key, value in found["flows"]["ftp"].items() if key not in ("count", "start_step")}
    ample = {"kind": "drop-tail", "limit": f"{LIMIT_PKTS} packets"}
    under_test = queue(scheme, min_th)
    hop = {"delay": "125 ms"}
    nodes: dict[str, Any] = {"gateway": {}, "satellite": {}}
    links: dict[str, Any] = {
        "up": hop
        | {"from": "gateway", "to": "satellite"}
        | (
            {"rate": RATE, "queue": under_test, "back": {"queue": ample}}
            if architecture == "bent-pipe"
            else {"rate": FAST, "queue": ample}
        )
    }
    if architecture == "broadcast":
        links["down"] = {"from": "satellite", "rate": RATE, "queue": under_test}
    else:
        nodes["ground"] = {}
        switched = {"rate": RATE, "queue": under_test, "back": {"queue": ample}}
        down = switched if architecture == "on-board" else {"rate": FAST}
        links["down"] = hop | {"from": "satellite", "to": "ground"} | down
    for i in range(SOURCES):
        nodes |= {f"source-{i}": {}, f"sink-{i}": {}}
        access = {"rate": FAST, "queue": ample}
        links[f"access-{i}"] = access | {"from": f"source-{i}", "to": "gateway", "delay": f"{2 + 5 * i} ms"}
        if architecture == "broadcast":
            links[f"leg-{i}"] = {"leg_of": "down", "to": f"sink-{i}", "delay": "125 ms"}
            back = {"from": f"sink-{i}", "to": "gateway", "delay": "20 ms", "simplex": True}
            links[f"return-{i}"] = access | back
        else:
            links[f"last-{i}"] = access | {"from": "ground", "to": f"sink-{i}", "delay": "4 ms"}
    return {
        "format": 1,
        "name": f"mecn-x3-{architecture}-{scheme}-min{min_th}-w{WINDOW}",
        "duration": found["duration"],
        "warmup": found["warmup"],
        "nodes": nodes,
        "links": links,
        "flows": {
            f"ftp-{i}": flow | {"from": f"source-{i}", "to": f"sink-{i}", "start": f"{0.3 * i:g} s"}
            for i in range(SOURCES)
        },
        "probes": {"queues": [BOTTLENECK[architecture]], "queue_interval": "1 s"},
    }


def points(quick: bool) -> list[Point]:
    """Every architecture, scheme and threshold."""
    return [
        Point(key=(architecture, scheme, min_th), scenario=made(architecture, scheme, min_th))
        for architecture in ARCHITECTURES
        for scheme in COMPARED
        for min_th in (MIN_THS[1:2] if quick else MIN_THS)
    ]


def min_ths(data: Data) -> tuple[int, ...]:
    """The thresholds that were run."""
    return MIN_THS[1:2] if data.quick else MIN_THS


def gain(architecture: str, metric: str, data: Data) -> Measured:
    """What MECN has more than ECN, mean over the thresholds, in pairs."""
    at = BOTTLENECK[architecture]

    def of(scheme: str, seed: int) -> float:
        ths = min_ths(data)
        return sum(data.run((architecture, scheme, m), seed)[at, metric] for m in ths) / len(ths)

    means = {scheme: data.over_seeds(partial(of, scheme)) for scheme in COMPARED}
    note = ", ".join(f"{SCHEMES[scheme]} {value}" for scheme, value in means.items())
    return Measured.of(data.over_seeds(lambda seed: of("mecn", seed) - of("ecn4", seed)), note=note)


def figure(data: Data) -> Figure:
    """Each metric against the lower threshold, by architecture."""
    drawn, rows = panels(len(METRICS), len(ARCHITECTURES), width=PAGE_IN, height=5.6, sharex=True, sharey="row")
    for column, (architecture, name) in enumerate(ARCHITECTURES.items()):
        for row, (metric, label) in zip(rows, METRICS.items(), strict=True):
            for series, scheme in enumerate(COMPARED):
                found = [
                    data.estimate((architecture, scheme, m), BOTTLENECK[architecture], metric) for m in min_ths(data)
                ]
                curve(row[column], min_ths(data), found, label=SCHEMES[scheme], series=series)
            if column == 0:
                row[column].set_ylabel(label)
        rows[0][column].set_title(name)
        rows[-1][column].set_xlabel("lower threshold (packets)")
    # Nothing may be dropped at all; then the axis is one of whole packets.
    rows[-1][0].set_ylim(0, max(1.0, rows[-1][0].get_ylim()[1]))
    drawn.legend(
        *rows[0][0].get_legend_handles_labels(), title="means, 95 % intervals", loc="outside lower center", ncols=2
    )
    return drawn


def numbers(data: Data) -> Numbers:
    """Every case."""
    rows = [
        [
            f"{name}, {SCHEMES[scheme]}",
            str(m),
            *(str(data.estimate((architecture, scheme, m), BOTTLENECK[architecture], metric)) for metric in METRICS),
        ]
        for architecture, name in ARCHITECTURES.items()
        for scheme in COMPARED
        for m in min_ths(data)
    ]
    return Numbers(columns=["architecture", "lower threshold, packets", *METRICS.values()], rows=rows)


def says(data: Data) -> str:
    """What the place of the queue does."""
    parts = [
        f"{name} {plain(gain(architecture, 'queue_sd', data).value or 0.0, 2)}"
        for architecture, name in ARCHITECTURES.items()
    ]
    return (
        "Against ECN with the same drop threshold MECN changes the queue's standard deviation, mean over the "
        f"thresholds, by so many packets: {', '.join(parts)}."
    )


EXPERIMENTS = [
    Experiment(
        id="mecn-x3",
        paper="durresi",
        place="Figures 1 to 3",
        title="MECN over a bent pipe, on board, and over a broadcast downlink",
        published="The paper describes the three architectures and simulates none of them.",
        points=points,
        criteria=[
            Criterion(
                name=f"{name}: {label}, MECN minus ECN with its drop threshold, mean over the thresholds",
                published="not studied",
                evaluate=partial(gain, architecture, metric),
            )
            for architecture, name in ARCHITECTURES.items()
            for metric, label in METRICS.items()
        ],
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
