"""MECN's marking probabilities and thresholds over LEO, the paper's path, and GEO: beyond the paper.

The paper leaves the choice of its parameters to later work. Here its network keeps all but the delay of its two
satellite links, and the largest marking probability and the lower threshold are swept, of MECN by the letter of the
paper and of ECN with the same drop threshold, so that the marks are what differs.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.durresi.network import BOTTLENECK, SCHEMES, scenario
from faircast.figures import PAGE_IN, curve, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HOPS_MS = {"LEO, 52 ms": 10, "as in the paper, 272 ms": 65, "GEO, 552 ms": 135}
"""The delay of each of the two links, by the base round-trip time that it makes."""
PROBABILITIES = (0.02, 0.05, 0.1, 0.2, 0.5)
MIN_THS = (5, 15, 30)
COMPARED = ("ecn4", "mecn")
METRICS = {
    "efficiency": "link efficiency",
    "queue_sd": "s.d. of queue (packets)",
    "drops_late": "packets dropped, 20-200 s",
}
USED = 0.98
"""What a setting must use of the link to be looked at for its queue."""
Key = tuple[str, str, int, float]


def made(where: str, scheme: str, min_th: int, probability: float) -> dict[str, Any]:
    """The paper's network with another delay and other marks."""
    found = scenario(scheme, min_th, "dro", probes={"queues": [BOTTLENECK], "queue_interval": "1 s"})
    found["topology"]["hop"] = found["topology"]["hop"] | {"delay": f"{HOPS_MS[where]} ms"}
    queue = found["links"][BOTTLENECK]["queue"]
    marks = {"max_p": probability} if queue["kind"] == "red" else {"p1_max": probability, "p2_max": probability}
    found["links"][BOTTLENECK]["queue"] = queue | marks
    found["name"] = f"mecn-x2-{scheme}-{HOPS_MS[where]}ms-min{min_th}-p{probability:g}"
    return found


def points(quick: bool) -> list[Point]:
    """All combinations."""
    return [
        Point(key=(where, scheme, min_th, probability), scenario=made(where, scheme, min_th, probability))
        for where in HOPS_MS
        for scheme in COMPARED
        for min_th in (MIN_THS[1:2] if quick else MIN_THS)
        for probability in (PROBABILITIES[::2] if quick else PROBABILITIES)
    ]


def keys(data: Data, where: str, scheme: str) -> list[Key]:
    """The settings that were run."""
    there: list[Any] = data.keys()
    return [key for key in there if key[:2] == (where, scheme)]


def steadiest(data: Data, where: str, scheme: str) -> Key:
    """The setting with the steadiest queue among those that use the link; among all if none does."""
    found = keys(data, where, scheme)
    used = [key for key in found if data.estimate(key, BOTTLENECK, "efficiency").mean >= USED]
    return min(used or found, key=lambda key: data.estimate(key, BOTTLENECK, "queue_sd").mean)


def measured(where: str, scheme: str, data: Data) -> Measured:
    """Its standard deviation of the queue."""
    key = steadiest(data, where, scheme)
    others = [f"{label} {data.estimate(key, BOTTLENECK, metric)}" for metric, label in METRICS.items()]
    note = f"with a lower threshold of {key[2]} packets and probability {key[3]:g}: {', '.join(others)}"
    return Measured.of(data.estimate(key, BOTTLENECK, "queue_sd"), note=note)


def figure(data: Data) -> Figure:
    """Each metric against the probability, at the middle threshold."""
    drawn, rows = panels(len(METRICS), len(HOPS_MS), width=PAGE_IN, height=5.6, sharex=True, sharey="row")
    for column, where in enumerate(HOPS_MS):
        for row, (metric, label) in zip(rows, METRICS.items(), strict=True):
            axes = row[column]
            for series, scheme in enumerate(COMPARED):
                swept = [key for key in keys(data, where, scheme) if key[2] == MIN_THS[1]]
                found = [data.estimate(key, BOTTLENECK, metric) for key in swept]
                curve(axes, [key[3] for key in swept], found, label=SCHEMES[scheme], series=series)
            axes.set_xscale("log")
            axes.set_xticks(PROBABILITIES, [f"{value:g}" for value in PROBABILITIES])
            axes.minorticks_off()
            if column == 0:
                axes.set_ylabel(label)
        rows[0][column].set_title(where)
        rows[-1][column].set_xlabel("largest marking probability")
    title = f"lower threshold {MIN_THS[1]} packets; means, 95 % intervals"
    drawn.legend(*rows[0][0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=2)
    return drawn


def numbers(data: Data) -> Numbers:
    """Every setting."""
    there: list[Any] = data.keys()
    rows = [
        [
            f"{where}, {SCHEMES[scheme]}",
            str(min_th),
            f"{probability:g}",
            *(str(data.estimate((where, scheme, min_th, probability), BOTTLENECK, metric)) for metric in METRICS),
        ]
        for where, scheme, min_th, probability in there
    ]
    return Numbers(columns=["path", "lower threshold, packets", "probability", *METRICS.values()], rows=rows)


def says(data: Data) -> str:
    """What serves which path."""
    parts = []
    for where in HOPS_MS:
        best = {scheme: steadiest(data, where, scheme) for scheme in COMPARED}
        sds = {scheme: data.estimate(key, BOTTLENECK, "queue_sd").mean for scheme, key in best.items()}
        parts.append(
            f"{where} with {best['mecn'][2]} packets and probability {best['mecn'][3]:g} "
            f"({plain(sds['mecn'], 2)} packets, ECN at its best {plain(sds['ecn4'], 2)})"
        )
    return f"Of the settings that use {100 * USED:.0f} % of the link MECN's queue is steadiest {listed(parts)}."


EXPERIMENTS = [
    Experiment(
        id="mecn-x2",
        paper="durresi",
        place="beyond the paper, parameters",
        title="Marking probabilities and thresholds over LEO and GEO",
        published="The paper leaves the values of its parameters to later work.",
        points=points,
        criteria=[
            Criterion(
                name=f"{where}, {SCHEMES[scheme]}: standard deviation of the queue in the best setting, packets",
                published="not studied",
                evaluate=partial(measured, where, scheme),
            )
            for where in HOPS_MS
            for scheme in COMPARED
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=5,
    )
]
