"""Fig. 5 and 6, scenario 1: all five sessions from the beginning to the end.

What the paper says of it: both averages close to 40 KBytes/s all the time, TCP a little below multicast, about a layer
between the two multicast sessions, a number of layers that is fairly stable after the initial adjustment.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Data, Experiment, Point, plain
from faircast.experiments.judging import judged, of
from faircast.experiments.peng.drawing import layers_and_rates, tcp_rates
from faircast.experiments.peng.measures import (
    changes,
    either,
    fairness,
    layer_difference,
    mean_rate,
    rate_ratio,
    utilisation,
)
from faircast.experiments.peng.network import DEPENDS, MULTICAST, TCPS, Case, others, points_of, readings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAIN = Case()
READINGS = readings(MAIN)
CASES = others(MAIN)
"""What stands beside them."""
SHARE_KBYTES_S = 37.5
"""A fifth of the uplink."""
NEAR = 0.15


def points(_quick: bool) -> list[Point]:
    """Both windows, and what stands beside."""
    return points_of(MAIN)


held = partial(judged, cases=CASES, readings=READINGS, depends=DEPENDS)
"""A criterion that is judged with both windows."""


MULTICAST_CRITERIA = [
    held(
        "mean rate of a multicast session, 100-1500 s, KBytes/s",
        "close to 40 KBytes/s",
        of(partial(mean_rate, names=MULTICAST)),
        low=SHARE_KBYTES_S * (1 - NEAR),
        high=SHARE_KBYTES_S * (1 + NEAR),
    ),
    held(
        "difference of the two sessions' mean numbers of layers",
        "small, about a layer",
        of(layer_difference),
        high=1.0,
    ),
    held(
        "changes of the number of layers, per session and 100 s",
        "fairly stable after the initial adjustment",
        of(changes),
        high=6,
    ),
]
TCP_CRITERIA = [
    held(
        "mean rate of a TCP flow, 100-1500 s, KBytes/s",
        "close to 40 KBytes/s",
        of(partial(mean_rate, names=TCPS)),
        low=SHARE_KBYTES_S * (1 - NEAR),
        high=SHARE_KBYTES_S * (1 + NEAR),
    ),
    held(
        "mean rate of a multicast session divided by that of a TCP flow",
        "TCP a little below multicast",
        of(rate_ratio),
        low=0.95,
        high=1.40,
    ),
    held("Jain's fairness index of the five sessions (1 is equal)", "fairness is achieved", of(fairness), low=0.95),
    held(
        "utilisation of the gateway's uplink (1 is full)",
        "the link is the bottleneck",
        of(utilisation),
        low=0.93,
    ),
]


def says_of_multicast(data: Data) -> str:
    """What Fig. 5 shows."""
    got = [plain(mean_rate(data, case, MULTICAST).mean) for case in READINGS.values()]
    changed = [plain(changes(data, case).mean, 2) for case in READINGS.values()]
    return (
        f"Beside three TCP flows a multicast session gets {either(got)} KBytes/s of an equal share of "
        f"{SHARE_KBYTES_S}, and its number of layers changes {either(changed)} times in 100 s."
    )


def says_of_tcp(data: Data) -> str:
    """What Fig. 6 shows."""
    got = [plain(mean_rate(data, case, TCPS).mean) for case in READINGS.values()]
    ratio = [plain(rate_ratio(data, case).mean) for case in READINGS.values()]
    return (
        f"A TCP flow gets {either(got)} KBytes/s of an equal share of {SHARE_KBYTES_S}, and a multicast session gets "
        f"{either(ratio)} times as much."
    )


def multicast_figure(data: Data) -> Figure:
    """Layers and rates of both sessions."""
    return layers_and_rates(data, MAIN)


def tcp_figure(data: Data) -> Figure:
    """The average rate of the TCPs, and each."""
    return tcp_rates(data, MAIN)


EXPERIMENTS = [
    Experiment(
        id="peng-fig5",
        paper="peng",
        place="Figure 5",
        title="All sessions from the start: layers and throughput of multicast",
        published="Both multicast sessions get close to 40 KBytes/s, and their numbers of layers are fairly stable.",
        points=points,
        criteria=MULTICAST_CRITERIA,
        figure=multicast_figure,
        says=says_of_multicast,
    ),
    Experiment(
        id="peng-fig6",
        paper="peng",
        place="Figure 6",
        title="All sessions from the start: throughput of TCP",
        published="The three TCP flows get close to 40 KBytes/s as well, a little less than multicast.",
        points=points,
        criteria=TCP_CRITERIA,
        figure=tcp_figure,
        says=says_of_tcp,
    ),
]
