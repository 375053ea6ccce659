"""x-queues-causes: what the surprises of the comparison of queues come from, each by changing one thing.

The cells of the comparison that surprise, beside SACK, as they are and with one thing changed: what is suspected to be
the cause. If it is, the ratio of the session to TCP is nearer to 1 with the change. Two guesses about MLDA in fair
queues were wrong, and stand beside the one that was not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.side_by_side.cells import BESIDE, PATHS, Cell, Situation
from faircast.experiments.side_by_side.path import Path
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.runs import scenario
from faircast.experiments.side_by_side.schemes import label
from faircast.experiments.side_by_side.surprises.ratios import ratios
from faircast.figures import PAGE_IN, panels
from faircast.statistics import jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

SEEDS = 10
AS_IT_IS = ""
"""The change of what the comparison has."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """One thing that is changed."""

    words: str
    """What is changed, in tables and beside a point of the figure."""
    queue: dict[str, Any] = field(default_factory=dict)
    """What the queue of the bottleneck has besides."""
    session: dict[str, Any] = field(default_factory=dict)
    """What the session has besides."""


CHANGES: dict[str, Change] = {
    AS_IT_IS: Change(words="as in the comparison"),
    "limit": Change(words="limit of 2 BDP", queue={"limit": "2 BDP"}),
    "plain": Change(words="enhanced = false", queue={"enhanced": False}),
    "interval": Change(words="interval 600 ms, target 30 ms", queue={"interval": "600 ms", "target": "30 ms"}),
    "told": Change(words="told the bottleneck", session={"bottleneck": "50 Mbit/s"}),
    "no-drops": Change(words="CoDel never drops", queue={"interval": "600 s", "target": "599 s"}),
    "reports": Change(words="reports each second", session={"report_interval": "1 s"}),
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A cell of the comparison, and what is changed."""

    path: str
    """The family of the path."""
    queue: str
    """A key of `QUEUES`."""
    scheme: str
    change: str = AS_IT_IS
    """A key of `CHANGES`."""

    @property
    def on(self) -> Path:
        """The path with the queue."""
        return PATHS[f"{self.path}-{self.queue}"]

    @property
    def cell(self) -> str:
        """What it is, whatever is changed."""
        return f"{label(self.scheme)}, {self.on.title}, {QUEUES[self.queue].title}"

    def changed(self, change: str) -> Case:
        """The cell itself with another change."""
        return Case(path=self.path, queue=self.queue, scheme=self.scheme, change=change)


CELLS: dict[Case, tuple[str, ...]] = {
    Case(path="home", queue="pie", scheme="tfmcc"): ("limit", "plain"),
    Case(path="forward", queue="pie", scheme="mlda"): ("plain",),
    Case(path="forward", queue="fq-session", scheme="tfmcc"): ("interval",),
    Case(path="forward", queue="fq-session", scheme="pgmcc"): ("interval",),
    Case(path="forward", queue="fq-session", scheme="omcc-log"): ("interval",),
    Case(path="home", queue="fq-session", scheme="mlda"): ("told", "no-drops", "reports"),
    Case(path="home", queue="codel", scheme="mlda"): ("reports",),
}
"""The cells that surprise, with what is changed in each."""
GUESSES = ("told", "no-drops")
"""What was suspected as well and is not the cause, or not all of it: it is reported, and nothing is asked of it."""


def cases() -> list[Case]:
    """All cells as they are and with each change."""
    return [cell.changed(change) for cell, changes in CELLS.items() for change in (AS_IT_IS, *changes)]


def point(case: Case) -> Point:
    """The cell of the comparison with the change."""
    situation = Situation(path=case.on.name, loss=0.0, tcp="sack")
    found = scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme))
    change = CHANGES[case.change]
    for bottleneck in case.on.bottlenecks:
        link = found["links"][bottleneck.link]
        link["queue"] = link["queue"] | change.queue
    found["sessions"] = {name: session | change.session for name, session in found["sessions"].items()}
    name = "-".join(filter(None, ("x-queues-causes", case.scheme, case.path, case.queue, case.change)))
    probes = {"flows": False, "links": False, "events": False}
    return Point(key=case, scenario=found | {"name": name, "probes": probes})


def points(_quick: bool) -> list[Point]:
    """All cases."""
    return [point(case) for case in cases()]


def ratio(data: Data, case: Case) -> Estimate:
    """The receivers of the session over the TCPs."""
    (found,) = ratios(data, case, case.on).values()
    return found


def full(data: Data, case: Case) -> Estimate:
    """Which part of the bottleneck is used, per cent."""
    (bottleneck,) = case.on.bottlenecks
    return data.over_seeds(lambda seed: 100 * data.run(case, seed)[bottleneck.link, "efficiency"])


def measured(case: Case, data: Data) -> Measured:
    """How many times the ratio is nearer to 1 with the change: the distances from 1, as factors, divided."""

    def of(seeds: Sequence[int]) -> float:
        part = Data(data.points, seeds, quick=data.quick)
        before, after = (abs(math.log(ratio(part, one).mean)) for one in (case.changed(AS_IT_IS), case))
        return before - after

    note = f"{ratio(data, case.changed(AS_IT_IS))} as it is, {ratio(data, case)} with the change"
    found = jackknife(of, data.seeds)
    return Measured.above(found, note=note) if case.change not in GUESSES else Measured.of(found, note=note)


def numbers(data: Data) -> Numbers:
    """By cell and change the ratio, and how full the link is."""
    rows = [
        [case.cell, CHANGES[case.change].words, str(ratio(data, case)), str(full(data, case))]
        for case in cases()
        if case in data.points
    ]
    return Numbers(columns=["cell", "change", "session / TCP", "link in use (%)"], rows=rows, whole=["cell", "change"])


def figure(data: Data) -> Figure:
    """The ratio of each case, those of a cell below each other."""
    there = [case for case in cases() if case in data.points]
    drawn, panel = panels(1, 1, width=PAGE_IN, height=0.25 * len(there) + 0.9)
    for place, case in enumerate(there):
        found = ratio(data, case)
        is_first = case.change == AS_IT_IS
        low, high = found.interval or (found.mean, found.mean)
        panel.errorbar(
            [found.mean],
            [place],
            xerr=[[max(0.0, found.mean - low)], [max(0.0, high - found.mean)]],
            marker="o" if is_first else "s",
            markersize=4.5,
            color="C0" if is_first else "C1",
            linestyle="none",
            linewidth=1,
        )
        if is_first and place:
            panel.axhline(place - 0.5, color="#cccccc", linewidth=0.5)
    panel.axvline(1, color="black", linewidth=0.6)
    panel.set(xscale="log", xlabel="session / TCP", ylim=(len(there) - 0.5, -0.5))
    marks = [0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3]
    panel.set_xticks(marks, [f"{mark:g}" for mark in marks])
    panel.minorticks_off()
    panel.set_yticks(
        range(len(there)),
        [case.cell if case.change == AS_IT_IS else CHANGES[case.change].words for case in there],
    )
    for text, case in zip(panel.get_yticklabels(), there, strict=True):
        text.set_fontweight("bold" if case.change == AS_IT_IS else "normal")
    return drawn


def says(data: Data) -> str:
    """What the changes do, in the order of the cells."""
    parts = []
    for cell, changes in CELLS.items():
        after = ", ".join(
            f"{plain(ratio(data, cell.changed(change)).mean, 2)} with {CHANGES[change].words}" for change in changes
        )
        parts.append(f"{cell.cell}: {plain(ratio(data, cell).mean, 2)}, and {after}")
    return "Session / TCP: " + "; ".join(parts) + "."


EXPERIMENTS = [
    Experiment(
        id="x-queues-causes",
        paper="queues",
        place="causes of surprises",
        title="What surprises in queues of today, followed to its cause",
        published="PIE may rest (RFC 8033, section 5.3); the interval is a long round trip (RFC 8290, section 5.2.1).",
        points=points,
        criteria=[
            Criterion(
                name=f"{case.cell}, {CHANGES[case.change].words}: how much nearer to 1, as a logarithm",
                published="not stated",
                evaluate=partial(measured, case),
                rule="" if case.change in GUESSES else "it is nearer to 1",
            )
            for case in cases()
            if case.change != AS_IT_IS
        ],
        figure=figure,
        says=says,
        numbers=numbers,
        reps=SEEDS,
    )
]
