"""x-queues-causes and x-queues-bursts: what is changed in which cell, and how the change is judged."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

import pytest

from faircast.experiment import Data, PointData
from faircast.experiments import load
from faircast.experiments.side_by_side import runs
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.surprises import layers_in_phase as bursts
from faircast.experiments.side_by_side.surprises import queue_causes as causes
from faircast.experiments.side_by_side.surprises.queue_causes import AS_IT_IS, CELLS, CHANGES, Case
from faircast.figures import style
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

NONE: Any = None
TFMCC = Case(path="home", queue="pie", scheme="tfmcc")
MLDA = Case(path="home", queue="fq-session", scheme="mlda")


def summary(values: Mapping[tuple[str, str], float]) -> RunSummary:
    rows = tuple((subject, metric, "") for subject, metric in values)
    return RunSummary(Layout(rows), array("d", values.values()))


def test_one_thing_is_changed() -> None:
    points = {point.key: point.scenario for point in load("x-queues-causes").points(False)}
    assert len(points) == len(CELLS) + sum(map(len, CELLS.values())) == 17
    for case, found in points.items():
        assert isinstance(case, Case)
        resolve(found)
        situation = Situation(path=case.on.name, loss=0.0, tcp="sack")
        cell = runs.scenario(Cell(situation=situation, run=BESIDE, scheme=case.scheme))
        (bottleneck,) = case.on.bottlenecks
        change = CHANGES[case.change]
        assert found["links"][bottleneck.link]["queue"] == QUEUES[case.queue].config | change.queue
        (session,) = cell["sessions"]
        assert found["sessions"][session] == cell["sessions"][session] | change.session
        # All else is the comparison's; of it no tables are kept.
        found["links"][bottleneck.link]["queue"] = cell["links"][bottleneck.link]["queue"]
        found["sessions"][session] = cell["sessions"][session]
        assert found | {"name": "", "probes": {}} == cell | {"name": "", "probes": {}}
    assert all(case.on.family == case.path for case in CELLS)


def of_ratios(ratios: Mapping[Case, tuple[float, float]]) -> Data:
    """Runs of two seeds with these ratios of the session to two TCPs of 10 Mbit/s."""

    def run(case: Case, ratio: float) -> RunSummary:
        (bottleneck,) = case.on.bottlenecks
        rates = dict.fromkeys([(name, "rate") for name in bottleneck.tcps], 10e6)
        rates |= dict.fromkeys([(name, "rate") for name in bottleneck.receivers], ratio * 10e6)
        return summary(rates | {(bottleneck.link, "efficiency"): 0.5 * ratio})

    found = {case: PointData(NONE, {seed: run(case, one) for seed, one in enumerate(both, 1)}) for case, both in
             ratios.items()}  # fmt: skip
    return Data(found, [1, 2], quick=False)


def test_a_cause_brings_the_ratio_nearer_to_one() -> None:
    data = of_ratios({TFMCC: (0.5, 0.5), TFMCC.changed("limit"): (1.25, 1.25), TFMCC.changed("plain"): (2.5, 2.5)})
    nearer = causes.measured(TFMCC.changed("limit"), data)
    # Twice below 1 before, and 1.25 times above it now: log(2) - log(1.25).
    assert (nearer.value, nearer.holds) == (pytest.approx(0.47000362924573563), True)
    assert nearer.note == "0.5 ± 0 as it is, 1.25 ± 0 with the change"
    farther = causes.measured(TFMCC.changed("plain"), data)
    assert (farther.value, farther.holds) == (pytest.approx(-0.22314355131420976), False)
    assert causes.full(data, TFMCC).mean == 25
    # Nothing is asked of other guesses.
    data = of_ratios({MLDA: (0.5, 0.5), MLDA.changed("told"): (0.25, 0.25)})
    assert causes.measured(MLDA.changed("told"), data).holds is None


def test_causes_are_drawn_and_told() -> None:
    experiment = load("x-queues-causes")
    data = of_ratios({case: (0.5 + 0.1 * number, 0.6 + 0.1 * number) for number, case in enumerate(causes.cases())})
    assert experiment.figure is not None
    with style():
        figure = experiment.figure(data)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels[:3] == ["TFMCC, home gateway, PIE", "limit of 2 BDP", "enhanced = false"]
    assert len(labels) == 17
    assert "TFMCC, home gateway, PIE: 0.55, and 0.65 with limit of 2 BDP" in experiment.says(data)
    assert experiment.numbers is not None
    rows = experiment.numbers(data).rows
    assert [row[1] for row in rows].count(CHANGES[AS_IT_IS].words) == len(CELLS)


def test_bursts_differ_in_the_gaps_alone() -> None:
    experiment = load("x-queues-bursts")
    points = {point.key: point.scenario for point in experiment.points(False)}
    assert len(points) == 6
    for queue in ("RED", "CoDel", "PIE"):
        apart, together = (points[bursts.Case(queue=queue, phase=phase)] for phase in bursts.PHASES)
        resolve(together)
        assert together["sessions"]["film"] == apart["sessions"]["film"] | {"jitter": 0.0}
        assert "jitter" not in apart["sessions"]["film"]
        assert together | {"name": "", "sessions": {}} == apart | {"name": "", "sessions": {}}
    lost = {case: summary({("film", "drops_overflow"): 1.0, ("film", "drops_active"): 3.0 if case.phase == "together"
                           else 1.0, ("film", "sent"): 1000.0}) for case in bursts.CASES}  # fmt: skip
    data = Data({case: PointData(NONE, {1: one, 2: one}) for case, one in lost.items()}, [1, 2], quick=False)
    measured = bursts.measured("RED", data)
    assert (measured.value, measured.note) == (2.0, "0.4 ± 0 instead of 0.2 ± 0 %")
    assert experiment.says(data).startswith("If all layers send at the same moments RED drops 0.4 % of the session's")
