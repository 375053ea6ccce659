"""x-tcp-westwood: Westwood beside Reno on one link that loses packets at random, or none.

10 Mb/s, 100 ms, a drop-tail queue of one product of bandwidth and delay. Each flow is alone. A loss at random says
nothing of congestion: Reno halves its window all the same, Westwood falls to what the path carries. TCP is the default
one, and each packet has an ACK of its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Point, percent, plain
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATE_BPS = 10e6
RTT_MS = 100
BDP_PKTS = round(RATE_BPS * RTT_MS / 1000 / 8000)
LOSSES = (0.0, 0.01)
MORE_LOSSES = (0.0001, 0.001, 0.003, 0.03)
VARIANTS = {"reno": "Reno", "newreno": "NewReno", "westwood": "Westwood", "westwood+": "Westwood+"}
BESIDE = {"westwood": "reno", "westwood+": "newreno"}
"""With which Reno each Westwood is compared: that which repairs losses in the same way."""
RECOVERY = {"westwood+": {"recovery": "newreno"}}
"""By itself Westwood+ repairs by SACK."""
GAIN, SAME = 1.2, 0.05


def scenario(variant: str, p: float) -> dict[str, Any]:
    """One flow over a bottleneck between two hosts."""
    flow = {"kind": "tcp", "variant": variant, "from": "a", "to": "b", "hdr": "0 B", "rto_min": "0.2 s"}
    return {
        "format": 1,
        "name": f"x-tcp-westwood-{variant.replace('+', '-plus')}-{p:g}",
        "duration": "260 s",
        "warmup": "60 s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "10 Mbit/s",
                "delay": f"{RTT_MS / 2} ms",
                "queue": {"kind": "drop-tail", "limit": f"{BDP_PKTS} packets"},
                "loss": {"kind": "bernoulli", "p": p} if p else {"kind": "none"},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "flows": {"ftp": flow | RECOVERY.get(variant, {})},
        "probes": {"interval": "10 s", "events": False},
    }


def points(quick: bool) -> list[Point]:
    """Every variant at every loss rate."""
    losses = LOSSES if quick else tuple(sorted(LOSSES + MORE_LOSSES))
    return [Point(key=(variant, p), scenario=scenario(variant, p)) for variant in VARIANTS for p in losses]


def beside_reno(data: Data, variant: str, p: float) -> Measured:
    """Goodput of a Westwood over that of the Reno that repairs in the same way, of each seed."""

    def of_seed(seed: int) -> float:
        ours, theirs = (data.run((which, p), seed)["ftp", "goodput"] for which in (variant, BESIDE[variant]))
        return ours / theirs

    goodputs = {
        which: scaled(data.estimate((which, p), "ftp", "goodput"), 1e-6) for which in (variant, BESIDE[variant])
    }
    note = ", ".join(f"{VARIANTS[which]} {goodput} Mb/s" for which, goodput in goodputs.items())
    return Measured.of(data.over_seeds(of_seed), note=note)


def figure(data: Data) -> Figure:
    """Goodput over the loss rate; that without losses at the left."""
    drawn, axes = panels(width=COLUMN_IN, height=2.7)
    losses = [p for p in sorted(LOSSES + MORE_LOSSES) if ("reno", p) in data.points]
    places = [max(p, 3e-5) for p in losses]
    for series, (variant, label) in enumerate(VARIANTS.items()):
        found = [scaled(data.estimate((variant, p), "ftp", "goodput"), 1e-6) for p in losses]
        curve(axes, places, found, label=label, series=series)
    axes.set(xlabel="packet loss probability", ylabel="goodput (Mb/s)", xscale="log", ylim=(0, None))
    axes.set_xticks(places, [f"{p:g}" for p in losses])
    axes.minorticks_off()
    axes.legend(title="means, 95 % intervals")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    lossy, clear = (beside_reno(data, "westwood", p).value or 0.0 for p in (0.01, 0.0))
    return (
        f"Alone on 10 Mb/s with a round trip of 100 ms Westwood gets {plain(lossy)} times what Reno gets where 1 % of "
        f"the packets is lost at random, and {percent(clear, 1)} of it where none is."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tcp-westwood",
        paper="checks",
        place="Westwood over lossy links",
        title="TCP Westwood and Reno over a lossy link",
        published="Westwood gets more than Reno where packets are lost at random, and the same where none are.",
        points=points,
        criteria=[
            *(
                Criterion(
                    name=f"{VARIANTS[variant]}, 1 % loss: goodput over that of {VARIANTS[beside]}",
                    published="more",
                    evaluate=partial(beside_reno, variant=variant, p=0.01),
                    low=GAIN,
                )
                for variant, beside in BESIDE.items()
            ),
            *(
                Criterion(
                    name=f"{VARIANTS[variant]}, no random loss: goodput over that of {VARIANTS[beside]}",
                    published="the same",
                    evaluate=partial(beside_reno, variant=variant, p=0.0),
                    low=1 - SAME,
                    high=1 + SAME,
                )
                for variant, beside in BESIDE.items()
            ),
        ],
        figure=figure,
        says=says,
        reps=5,
    )
]
