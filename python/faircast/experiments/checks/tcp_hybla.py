"""x-tcp-hybla: the throughput of Hybla, Reno and NewReno over the round-trip time, at one rate of losses.

Data is lost at random with probability 0.1 %, on a link that is never full, with a window that never binds. What Reno
gets is inversely proportional to the round-trip time; Hybla is to get the same at all of them, that of its reference
RTT0, 25 ms. Which recovery goes with it is left open; its authors want SACK, Linux and ns-3 have NewReno's. So both
are shown. Each packet has an ACK of its own, so that it matters little whether a rule counts ACKs or segments.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOSS = 0.001
RTTS_MS = (25, 100, 300, 600)
MORE_RTTS_MS = (50, 200, 450)
WINDOW_PKTS = 10_000
"""Ten times the mean window at the longest round trip."""
WARMUP_S = 60
HYBLA_S = 240
"""How long Hybla is measured: it sends at about one rate at all round trips."""
RENO_ROUNDS = 4000
"""How many round trips Reno is measured for."""
VARIANTS = {
    "reno": ("Reno", {"variant": "reno"}),
    "newreno": ("NewReno", {"variant": "newreno"}),
    "hybla": ("Hybla, repairs as NewReno", {"variant": "hybla"}),
    "hybla-sack": ("Hybla, repairs by SACK", {"variant": "hybla", "recovery": "sack"}),
}
RATIO = 1.5
SLOPE_TOLERANCE = 0.1


def measured_s(variant: str, rtt_ms: int) -> float:
    """How long a flow is measured."""
    return HYBLA_S if variant.startswith("hybla") else RENO_ROUNDS * rtt_ms / 1000


def scenario(variant: str, rtt_ms: int) -> dict[str, Any]:
    """A lossy link of 1 Gb/s between two hosts."""
    return {
        "format": 1,
        "name": f"x-tcp-hybla-{variant}-{rtt_ms}ms",
        "duration": f"{WARMUP_S + measured_s(variant, rtt_ms):g} s",
        "warmup": f"{WARMUP_S} s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "1 Gbit/s",
                "delay": f"{rtt_ms / 2} ms",
                "queue": {"kind": "drop-tail", "limit": "100000 packets"},
                "loss": {"kind": "bernoulli", "p": LOSS},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "flows": {
            "ftp": {
                "kind": "tcp",
                "from": "a",
                "to": "b",
                "hdr": "0 B",
                "wnd": f"{WINDOW_PKTS} packets",
                "rto_min": "0.2 s",
                **VARIANTS[variant][1],
            }
        },
        "probes": {"interval": "10 s", "links": False, "events": False},
    }


def rtts(quick: bool) -> tuple[int, ...]:
    """Round-trip times in ms."""
    return RTTS_MS if quick else tuple(sorted(RTTS_MS + MORE_RTTS_MS))


def points(quick: bool) -> list[Point]:
    """Every variant at every round-trip time."""
    return [Point(key=(v, rtt), scenario=scenario(v, rtt)) for v in VARIANTS for rtt in rtts(quick)]


def shown(data: Data, variant: str) -> list[int]:
    """The round-trip times at which a variant was measured, ms."""
    return sorted(rtt for rtt in rtts(False) if (variant, rtt) in data.points)


def throughput(data: Data, variant: str, rtt_ms: int) -> Estimate:
    """Goodput, bit/s."""
    return data.estimate((variant, rtt_ms), "ftp", "goodput")


def spread(data: Data, variant: str) -> Measured:
    """Largest over smallest throughput of a variant, of each seed."""
    found = shown(data, variant)

    def of_seed(seed: int) -> float:
        rates = [data.run((variant, rtt), seed)["ftp", "goodput"] for rtt in found]
        return max(rates) / min(rates)

    means = {rtt: throughput(data, variant, rtt) for rtt in found}
    least, most = (extreme(found, key=lambda rtt: means[rtt].mean) for extreme in (min, max))
    note = f"{scaled(means[most], 1e-6)} Mb/s at {most} ms, {scaled(means[least], 1e-6)} Mb/s at {least} ms"
    return Measured.of(data.over_seeds(of_seed), note=note)


def slope(data: Data, variant: str) -> Measured:
    """Slope of the least-squares line through log throughput over log round-trip time, of each seed."""
    found = shown(data, variant)
    x = [math.log(rtt) for rtt in found]
    centre = math.fsum(x) / len(x)

    def of_seed(seed: int) -> float:
        y = [math.log(data.run((variant, rtt), seed)["ftp", "goodput"]) for rtt in found]
        return math.fsum((a - centre) * b for a, b in zip(x, y, strict=True)) / math.fsum((a - centre) ** 2 for a in x)

    return Measured.of(data.over_seeds(of_seed))


def unlimited(data: Data) -> Measured:
    """The largest part of its time for which any flow was held by the receiver's window."""
    parts = [data.estimate(key, "ftp", "window_limited").mean / measured_s(*_key(key)) for key in data.points]
    return Measured(value=max(parts))


def _key(key: Any) -> tuple[str, int]:
    return key[0], key[1]


def numbers(data: Data) -> Numbers:
    """Hybla at every round-trip time: goodput, and how losses were repaired."""
    columns, rows = ["round trip"], [[f"{rtt} ms"] for rtt in shown(data, "hybla")]
    for variant, name in (("hybla", "NewReno"), ("hybla-sack", "SACK")):
        columns += [f"{name}: goodput, Mb/s", "losses for each reduction", "time-outs for each 100 reductions"]
        for row, rtt in zip(rows, shown(data, variant), strict=True):
            lost, reductions, timeouts = (
                math.fsum(data.values((variant, rtt), "ftp", metric))
                for metric in ("lost", "loss_reductions", "timeouts")
            )
            row.append(str(scaled(throughput(data, variant, rtt), 1e-6)))
            row += [f"{lost / max(reductions + timeouts, 1.0):.2f}", f"{100 * timeouts / max(reductions, 1.0):.1f}"]
    return Numbers(columns=columns, rows=rows)


def figure(data: Data) -> Figure:
    """Throughput over round-trip time, with a line of slope -1."""
    drawn, axes = panels(width=COLUMN_IN, height=2.7)
    x = shown(data, "reno")
    first = throughput(data, "newreno", x[0]).mean / 1e6
    axes.plot(x, [first * x[0] / rtt for rtt in x], color="black", linewidth=0.8, label="slope -1")
    for series, (variant, (label, _)) in enumerate(VARIANTS.items()):
        found = [scaled(throughput(data, variant, rtt), 1e-6) for rtt in x]
        curve(axes, x, found, label=label, series=series)
    axes.set(xlabel="round-trip time (ms)", ylabel="goodput (Mb/s)", xscale="log", yscale="log")
    axes.set_xticks(x, [str(rtt) for rtt in x])
    axes.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axes.minorticks_off()
    axes.legend(title="means, 95 % intervals")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    own, by_sack = (spread(data, variant).value or 0.0 for variant in ("hybla", "hybla-sack"))
    return (
        f"From 25 to 600 ms the throughput of Hybla differs by a factor of {plain(own)} if it repairs losses as "
        f"NewReno does, of {plain(by_sack)} if by SACK; that of Reno falls with the power "
        f"{plain(slope(data, 'reno').value or 0.0)} of the round-trip time."
    )


EXPERIMENTS = [
    Experiment(
        id="x-tcp-hybla",
        paper="checks",
        place="Hybla over the round-trip time",
        title="TCP Hybla and Reno over the round-trip time",
        published="Hybla's throughput does not depend on the round-trip time, Reno's is inversely proportional to it.",
        points=points,
        criteria=[
            Criterion(
                name="Hybla, repairs as NewReno: largest throughput over smallest, 25 to 600 ms",
                published="the same at all round-trip times",
                evaluate=lambda data: spread(data, "hybla"),
                high=RATIO,
            ),
            Criterion(
                name="Hybla, repairs by SACK: largest throughput over smallest, 25 to 600 ms",
                published="the same at all round-trip times",
                evaluate=lambda data: spread(data, "hybla-sack"),
                high=RATIO,
            ),
            *(
                Criterion(
                    name=f"{VARIANTS[variant][0]}: slope of log throughput over log round-trip time",
                    published=-1,
                    evaluate=partial(slope, variant=variant),
                    low=-1 - SLOPE_TOLERANCE,
                    high=-1 + SLOPE_TOLERANCE,
                )
                for variant in ("reno", "newreno")
            ),
            Criterion(
                name="largest part of the time for which the receiver's window held a flow",
                published="the window does not bind",
                evaluate=unlimited,
                high=0.01,
            ),
        ],
        figure=figure,
        says=says,
        why="The window at 600 ms is 24 times that at 25 ms, and two losses fall into one on average. NewReno repairs "
        "one of them per round trip and does not grow meanwhile, and its timer, which only the first partial ACK "
        "restarts, expires when there are three or more. With SACK, which Hybla's authors ask for, the ratio is within "
        "the bound.",
        numbers=numbers,
        reps=5,
    )
]
