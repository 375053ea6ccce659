"""Hybla's RTT_0 that follows the path: half of the round-trip time, of which the paper has one, and as it was.

The paper sets 270 ms "arbitrarily", "exactly half of our satellite RTT", and asks for research on setting it by the
network's conditions. Here the round-trip time without queues is 500 ms, which it states, too, 540 and 640 ms over the
satellite, and 60 ms on the ground; with each RTT_0 is 270 ms, or half of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.ehlert.measures import alone, fairness, part, point, shared, tcp
from faircast.experiments.ehlert.network import HYBLA_270, LOW_BER, MAIN, SATELLITE, TERRESTRIAL, Case
from faircast.experiments.ehlert.published import TABLE_1, TABLE_2
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIXED_MS = 270
SATELLITES_MS = (500, 540, 640)
"""Round-trip times over the satellite without queues."""
GROUND_MS = 60
REPS = 10


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A path and an RTT_0."""

    path_ms: int
    follows: bool
    """Whether RTT_0 is half of the path's round-trip time."""

    @property
    def branch(self) -> str:
        """Where the path goes."""
        return TERRESTRIAL if self.path_ms == GROUND_MS else SATELLITE

    @property
    def rtt0_ms(self) -> int:
        """What Hybla has."""
        return self.path_ms // 2 if self.follows else FIXED_MS

    @property
    def words(self) -> str:
        """The two, for tables."""
        where = "ground" if self.branch == TERRESTRIAL else "satellite"
        return f"{where}, {self.path_ms} ms, RTT_0 {self.rtt0_ms} ms"

    @property
    def case(self) -> Case:
        """What is run."""
        name = f"hybla-{self.rtt0_ms}"
        if self.branch == TERRESTRIAL:
            return replace(MAIN.case(HYBLA_270, LOW_BER, terrestrial=True), ground_tcp=name)
        return replace(MAIN.case(name, LOW_BER), feeder_ms=(self.path_ms - 500) / 4)


SETTINGS = [
    Setting(path_ms=path_ms, follows=follows)
    for path_ms in (*SATELLITES_MS, GROUND_MS)
    for follows in (False, True)
    if follows or path_ms != 2 * FIXED_MS
]
AS_IN_TABLE_2 = MAIN.case(HYBLA_270, LOW_BER, terrestrial=True)
"""Reno on the ground."""


def points(_quick: bool) -> list[Point]:
    """Every path with both, and Reno on the ground."""
    return [*(point(setting.case) for setting in SETTINGS), point(AS_IN_TABLE_2)]


def fair(setting: Setting, data: Data) -> Measured:
    """F, and the rates."""
    note = f"{rates(data, setting.case, setting.branch)} % of the link, MLDA alone, MLDA beside TCP, TCP"
    return Measured.of(fairness(data, setting.case, setting.branch), note=note)


def rates(data: Data, case: Case, branch: str) -> str:
    """The three of a column, per cent of the link."""
    return " / ".join(plain(part(of(data, case, branch), branch).mean) for of in (alone, shared, tcp))


def published(setting: Setting) -> str:
    """What the paper has of it."""
    half = setting.rtt0_ms * 2 == setting.path_ms
    if setting.branch == TERRESTRIAL:
        return f"Reno: {TABLE_2[TERRESTRIAL].fairness}"
    return f"{TABLE_1[HYBLA_270].fairness} with half of the RTT" if half else "not in the paper"


CRITERIA = [
    Criterion(name=f"f, {setting.words}", published=published(setting), evaluate=partial(fair, setting))
    for setting in SETTINGS
]


def numbers(data: Data) -> Numbers:
    """The columns of the paper's tables, as rows."""
    found = [(setting.words, setting.case, setting.branch) for setting in SETTINGS]
    found.append((f"ground, {GROUND_MS} ms, Reno", AS_IN_TABLE_2, TERRESTRIAL))
    rows = [
        [
            words,
            *(str(part(of(data, case, branch), branch)) for of in (alone, shared, tcp)),
            str(fairness(data, case, branch)),
        ]
        for words, case, branch in found
    ]
    return Numbers(columns=["% of the link", "MLDA alone", "MLDA beside TCP", "TCP", "f"], rows=rows)


def figure(data: Data) -> Figure:
    """F of every path, with RTT_0 of 270 ms and with half of the round-trip time."""
    drawn, axes = panels(1, 1, width=0.6 * PAGE_IN, height=2.6)
    places = {path_ms: place for place, path_ms in enumerate((*SATELLITES_MS, GROUND_MS))}
    for series, (follows, words) in enumerate(((False, f"{FIXED_MS} ms"), (True, "half of the round-trip time"))):
        # 270 ms are half of 540 ms: one run is both.
        there = [s for s in SETTINGS if s.follows == follows or s.path_ms == 2 * FIXED_MS]
        found = [fairness(data, setting.case, setting.branch) for setting in there]
        axes.errorbar(
            [places[setting.path_ms] + 0.1 * (2 * series - 1) for setting in there],
            [item.mean for item in found],
            yerr=[item.ci95 or 0.0 for item in found],
            color=COLOURS[series],
            marker=MARKERS[series],
            linestyle="none",
            capsize=2,
            elinewidth=0.8,
            label=f"RTT_0 {words}",
        )
    axes.axhline(1, color="black", linewidth=0.6)
    labels = [f"{path_ms} ms" for path_ms in SATELLITES_MS] + [f"ground,\n{GROUND_MS} ms"]
    axes.set_xticks(range(len(places)), labels)
    axes.set(ylabel="f, TCP divided by MLDA", ylim=(0, None), xlabel="round-trip time without queues")
    axes.legend(loc="best")
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    halves = [s for s in SETTINGS if s.follows and s.branch == SATELLITE]
    fixed = [s for s in SETTINGS if not s.follows and s.branch == SATELLITE]
    ground = [s for s in SETTINGS if s.branch == TERRESTRIAL]

    def of(settings: list[Setting]) -> str:
        return listed([plain(fairness(data, s.case, s.branch).mean, 2) for s in settings])

    return (
        f"With an RTT_0 of half the round-trip time f is {of(halves)} where that is "
        f"{listed([s.path_ms for s in halves])} ms, and with {FIXED_MS} ms {of(fixed)} where it is "
        f"{listed([s.path_ms for s in fixed])} ms. On the ground it is {of(ground)} with "
        f"{listed([s.rtt0_ms for s in ground])} ms, and {plain(fairness(data, AS_IN_TABLE_2, TERRESTRIAL).mean, 2)} "
        "with Reno."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-x5",
        paper="ehlert",
        place="RTT_0 that follows the path",
        title="Hybla with an RTT_0 of half the round-trip time of its path",
        published="Much more research is needed to see if it is feasible to set this parameter dynamically depending "
        "on different network conditions.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
        reps=REPS,
    )
]
