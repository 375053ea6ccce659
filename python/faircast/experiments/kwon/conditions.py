"""What happens with slow leaves, drop-tail queues, unequal round trips, bottlenecks that change, and satellites.

Three receivers have fair rates of 2, 7 and 12 Mbit/s, one within each of the lowest three layers: they are behind 6, 21
and 36 Mbit/s beside two TCP flows each, and B_0 is 4 Mbit/s. All else is as in the paper, but for what is varied:

* groups that are left go on to come for 2 s;
* drop-tail queues, and the same with TCPs that send in phase, which stands beside;
* round trips of 16, 64 and 128 ms, the nearest receiver the slowest or the fastest one, with counting layers for each;
* S2's bottleneck falls from 21 to 9 Mbit/s, a fair rate of 3, and rises again, every 30 s;
* over Iridium from one station to three, for 600 s, at half the rates: all uplinks and links between satellites have
  100 Mbit/s, what leads down to a station is its bottleneck; the satellites start elsewhere with each seed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.kwon.course import Course, course
from faircast.experiments.kwon.measures import controls, courses, mean_of, over_courses, point, ratio
from faircast.experiments.kwon.network import DROP_TAIL, SESSION, Bottleneck, Case
from faircast.experiments.kwon.six_receivers import level_changes
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FAIR_MBPS = (2, 7, 12)
PERIODS_MS = (16, 32, 64, 128)
BASE_MS = 2.0
"""The delay of the two links that all ways share, where round trips differ; the other three make up the rest."""
CHANGES = tuple((float(at), 9.0 if (at // 30) % 2 == 0 else 21.0) for at in range(60, 200, 30))
STATIONS = {"boston": (42.3, -71.1), "chicago": (41.9, -87.6), "miami": (25.8, -80.2)}
"""Latitude and longitude of those that receive; the source is at Berkeley."""


@dataclass(frozen=True, kw_only=True)
class Satellites(Case):
    """The session and the TCP flows over a constellation; bottlenecks are what leads down to a station."""

    start_min: float = 0.0
    """How long the satellites have gone round when the run starts."""

    def scenario(self, **more: Any) -> dict[str, Any]:
        """The scenario; `more` is added at its top."""
        ground = super().scenario()
        lan = {"rate": "1 Gbit/s", "delay": "1 ms", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}
        fast = {"rate": "100 Mbit/s", "queue": {"kind": "drop-tail", "limit": "1000 packets"}}
        hosts, flows = ["sender"], {}
        for station, number in zip(STATIONS, range(1, len(self.bottlenecks) + 1), strict=True):
            name = f"tcp-{number}"
            flow = ground["flows"][name]
            hosts += flow["from"]
            flows[name] = flow | {"to": station}
        session = ground["sessions"][SESSION]
        return {
            "format": 1,
            "name": ground["name"],
            "duration": ground["duration"],
            "warmup": ground["warmup"],
            "topology": {
                "kind": "constellation",
                "shell": "iridium",
                "start": f"{self.start_min:g} min",
                "uplink": fast,
                "isl": fast,
            },
            "stations": {"berkeley": {"latitude": 37.9, "longitude": -122.3}}
            | {
                station: {
                    "latitude": latitude,
                    "longitude": longitude,
                    "downlink": {"rate": f"{bottleneck.mbps:g} Mbit/s", "queue": DOWN_QUEUE},
                }
                for (station, (latitude, longitude)), bottleneck in zip(STATIONS.items(), self.bottlenecks, strict=True)
            },
            "nodes": {host: {} for host in hosts},
            "links": {host: {"from": host, "to": "berkeley"} | lan for host in hosts},
            "flows": flows,
            "sessions": {SESSION: session | {"receivers": session["receivers"] | {"nodes": list(STATIONS)}}},
            "probes": ground["probes"],
        } | more


DOWN_QUEUE = {"kind": "red", "limit": "200 ms", "min_th": "10 ms", "max_th": "100 ms", "gentle": True}
"""The paper's, for a round trip of some 100 ms: links that lead elsewhere as satellites move have no product."""


def _distant(rtts_ms: tuple[float, ...]) -> tuple[Bottleneck, ...]:
    own = (round((rtt / 2 - BASE_MS) / 3, 6) for rtt in rtts_ms)
    return tuple(replace(bottleneck, link_ms=ms) for bottleneck, ms in zip(MAIN.bottlenecks, own, strict=True))


MAIN = Case(name="smcc-x3", bottlenecks=tuple(Bottleneck(mbps=3 * fair) for fair in FAIR_MBPS))
_UNEQUAL = replace(MAIN, link_ms=BASE_MS, periods_ms=PERIODS_MS)
SPACE = Satellites(
    name="smcc-x3-satellites",
    bottlenecks=tuple(Bottleneck(mbps=1.5 * fair) for fair in FAIR_MBPS),
    base_mbps=2,
    periods_ms=(64, 128, 256),
    duration_s=600,
    warmup_s=20,
)
CASES: dict[str, Case] = {
    "as in the paper": MAIN,
    "leaves take 2 s": replace(MAIN, name="smcc-x3-leaves", leave_s=2),
    "drop-tail": replace(MAIN, name="smcc-x3-drop-tail", queue=DROP_TAIL),
    "drop-tail, TCP in phase": replace(MAIN, name="smcc-x3-drop-tail", queue=DROP_TAIL, late_packets=0),
    "RTT 128, 64, 16 ms": replace(_UNEQUAL, name="smcc-x3-near-is-fast", bottlenecks=_distant((128, 64, 16))),
    "RTT 16, 64, 128 ms": replace(_UNEQUAL, name="smcc-x3-near-is-slow", bottlenecks=_distant((16, 64, 128))),
    "S2's bottleneck changes": replace(
        MAIN,
        name="smcc-x3-changes",
        bottlenecks=(MAIN.bottlenecks[0], replace(MAIN.bottlenecks[1], changes=CHANGES), MAIN.bottlenecks[2]),
    ),
    "over satellites": SPACE,
}
"""By what is said of them in figures; round trips are those of S1, S2 and S3."""
BEGIN_S = 20.0
NAMES = tuple(f"S{number + 1}" for number in range(len(FAIR_MBPS)))


def points(_quick: bool) -> list[Point]:
    """All conditions, with TFMCC and with what is only reported."""
    return [_point(varied) for case in CASES.values() for varied in controls(case).values()]


def _point(case: Case) -> Point:
    if isinstance(case, Satellites):
        return Point(
            key=case,
            scenario=partial(_started, case),
            reduce=course,
            tables=("handoffs",),
            table_seeds=None,
        )
    return replace(point(case), beside=case.late_packets == 0)


def _started(case: Satellites, seed: int) -> dict[str, Any]:
    return replace(case, start_min=float(10 * (seed % 10))).scenario()


def mean_fair(case: Case, number: int) -> float:
    """The fair rate of a receiver, counted from 0, the mean over what is judged, Mbit/s."""
    bottleneck = case.bottlenecks[number]
    flows = 1 + sum(tcps.count for tcps in bottleneck.tcps)
    total, at, mbps = 0.0, 0.0, bottleneck.mbps
    for until, then in (*bottleneck.changes, (case.duration_s, 0.0)):
        total += mbps * max(0.0, until - max(at, BEGIN_S))
        at, mbps = until, then
    return total / (case.duration_s - BEGIN_S) / flows


def satisfaction(data: Data, case: Case, number: int) -> Estimate:
    """What a receiver gets over its max-min fair rate if it were alone in its session.

    That is the equal share of its bottleneck, of which the mean over time is taken where it changes.
    """
    (name,) = case.behind(number + 1)
    fair = mean_fair(case, number)
    return over_courses(data, case, lambda found: found.mean(name, BEGIN_S, case.duration_s) / fair)


def beside_tcp(data: Data, case: Case, number: int) -> Estimate:
    """What it gets over what a TCP flow behind its bottleneck gets, the ratio of the means."""
    names = case.behind(number + 1), case.tcps(number + 1)
    got, beside = (mean_of(found, BEGIN_S, case.duration_s) for found in names)
    return ratio(data, case, got, beside)


def changes(data: Data, case: Case, number: int) -> Estimate:
    """How often its highest layer changes in 100 s."""
    return over_courses(data, case, partial(level_changes, number, BEGIN_S, case.duration_s))


def mean_level(data: Data, case: Case, number: int) -> Estimate:
    """The mean of its highest layer."""
    (name,) = case.behind(number + 1)

    def of(found: Course) -> float:
        span = case.duration_s - BEGIN_S
        layers = range(found.targets.shape[0])
        return sum(layer * found.time_at(name, layer, BEGIN_S, case.duration_s) for layer in layers) / span

    return over_courses(data, case, of)


def farthest(label: str, data: Data) -> Measured:
    """By what part a condition changes what a receiver gets over what a TCP flow gets, where it does so most."""
    found = [(beside_tcp(data, MAIN, k), beside_tcp(data, CASES[label], k), name) for k, name in enumerate(NAMES)]
    first, then, name = max(found, key=lambda row: abs(row[1].mean / row[0].mean - 1))
    note = f"{name}: {first} and {then}"
    if label == "over satellites":
        note += f"; {plain(handoffs(data).mean)} hand-offs in a run"
    return Measured(value=then.mean / first.mean - 1, note=note)


def handoffs(data: Data) -> Estimate:
    """How often a station turns to another satellite in a run."""
    return data.over_seeds(lambda seed: float(data.table(SPACE, "handoffs", seed).num_rows))


CRITERIA = [
    Criterion(
        name=f"{label}: by what part of itself what a receiver gets divided by what a TCP flow gets changes most",
        published="not in the paper",
        evaluate=partial(farthest, label),
    )
    for label in CASES
    if CASES[label] is not MAIN
]
MEASURES = {
    "level changes in 100 s": changes,
    "satisfaction": satisfaction,
    "receiver / TCP flow": beside_tcp,
}


def numbers(data: Data) -> Numbers:
    """By condition and receiver: level changes, satisfaction, and what it gets beside TCP."""
    rows = []
    for label, case in CASES.items():
        for scheme, varied in controls(case).items():
            for number, name in enumerate(NAMES):
                cells = [of(data, varied, number) for of in (mean_level, *MEASURES.values())]
                fair = plain(mean_fair(case, number))
                rows.append([label, scheme, name, fair, *map(str, cells), _attempts(data, varied, number)])
    columns = ["what is different", "scheme", "receiver", "fair rate (Mbit/s)", "mean level", *MEASURES]
    return Numbers(columns=[*columns, "attempts to join in 100 s: succeed, fail, given up"], rows=rows)


def _attempts(data: Data, case: Case, number: int) -> str:
    ended = [item.end for found in courses(data, case) for item in found.attempts(number)]
    per = len(data.seeds) * case.duration_s / 100
    return ", ".join(plain(ended.count(end) / per, 2) for end in ("join-succeeded", "join-failed", "join-abandoned"))


def figure(data: Data) -> Figure:
    """A panel for each measure; conditions beside each other, receivers by colour."""
    drawn, row = panels(1, len(MEASURES), width=PAGE_IN, height=3.0, sharey=True)
    labels = list(CASES)
    for axes, (title, of) in zip(row, MEASURES.items(), strict=True):
        for number, name in enumerate(NAMES):
            found = [of(data, case, number) for case in CASES.values()]
            axes.errorbar(
                [item.mean for item in found],
                [place + 0.2 * (number - 1) for place in range(len(labels))],
                xerr=[item.ci95 or 0.0 for item in found],
                label=f"{name}, fair rate {FAIR_MBPS[number]} Mbit/s",
                color=COLOURS[number],
                marker=MARKERS[number],
                linestyle="none",
                capsize=2,
                elinewidth=0.8,
            )
        if of is not changes:
            axes.axvline(1.0, color="black", linewidth=0.6)
        axes.set_xlabel(title)
        axes.set_xlim(left=0)
    row[0].set_yticks(range(len(labels)), labels)
    row[0].invert_yaxis()
    drawn.legend(*row[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(NAMES))
    drawn.suptitle("means over the seeds with 95 % intervals; over satellites fair rates are half as high", fontsize=7)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    found = {
        label: farthest(label, data).value or 0.0
        for label, case in CASES.items()
        if case is not MAIN and case.late_packets > 0
    }
    label = max(found, key=lambda key: abs(found[key]))
    most = max(
        (changes(data, case, number).mean, name, words)
        for words, case in CASES.items()
        for number, name in enumerate(NAMES)
    )
    return (
        f"What a receiver gets beside TCP changes most in the case '{label}', to {plain(1 + found[label], 2)} times as "
        f"much; levels change most often in the case '{most[2]}', {plain(most[0], 2)} times in 100 s ({most[1]})."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-x3",
        paper="kwon",
        place="other conditions",
        title="Slow leaves, drop-tail, unequal round trips, changing bottlenecks, satellites",
        published="Not in the paper.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
