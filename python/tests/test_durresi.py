"""The experiments of Durresi et al.: measures and criteria on data made by hand."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import faircast
from faircast import experiments
from faircast.experiment import Data, Measured, PointData, judge
from faircast.experiments import load
from faircast.experiments.durresi import architectures, drops, link_efficiency, network, orbits, queue_length
from faircast.experiments.durresi.network import BOTTLENECK, MIN_THS, WIDE_WINDOW, WINDOW, judged_beside, scenario
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

PLAIN = resolve(scenario("ecn", 10, "dr"))
Drops = Mapping[tuple[str, str, int, int], Sequence[float]]


def run(**metrics: float) -> RunSummary:
    return RunSummary(Layout(tuple((BOTTLENECK, name, "1") for name in metrics)), array("d", metrics.values()))


def of_drops(dropped: Callable[[str, int, int], Sequence[float]], late: float = 0.0) -> Data:
    """Data of Fig. 8a and 8b from drops by scheme, min_th and window, one number per seed."""
    points: dict[Any, PointData] = {}
    for scheme in ("ecn", "mecn"):
        for m in MIN_THS:
            for window in drops.WINDOWS:
                runs = {
                    seed: run(drops_all=value, drops_late=late if scheme == "ecn" else 0.0)
                    for seed, value in enumerate(dropped(scheme, m, window), 1)
                }
                for key in (("dro", scheme, m, window), ("dr", scheme, m, window), ("letter", scheme, m, window)):
                    points[key] = PointData(PLAIN, runs)
    return Data(points, [1, 2], quick=False)


def verdicts(data: Data) -> list[tuple[str, str]]:
    return [(judge(each, data).verdict, judge(each, data).note) for each in drops.criteria("dr")]


def test_windows_of_20_packets_are_judged_and_those_of_64_named() -> None:
    def dropped(scheme: str, m: int, window: int) -> list[float]:
        if window == WIDE_WINDOW:
            return [100.0, 100.0] if scheme == "mecn" else [50.0, 50.0]
        return [10.0, 10.0] if scheme == "mecn" else [40.0, 40.0]

    found = verdicts(of_drops(dropped))
    assert [verdict for verdict, _ in found] == ["agrees", "reported", "agrees", "agrees", "disagrees", "reported"]
    # MECN drops 100 - 1.05 * 50 = 47.5 packets more with the wider windows, twice as many in all.
    beside = [judge(each, of_drops(dropped)).beside for each in drops.criteria("dr")]
    assert beside[0].startswith("windows of 64 packets: 47.5, does not hold")
    assert beside[2].startswith("windows of 64 packets: 2 ± 0, does not hold")
    other = of_drops(lambda scheme, m, window: dropped(scheme, m, WINDOW + WIDE_WINDOW - window))
    assert [verdict for verdict, _ in verdicts(other)][:3] == ["disagrees", "reported", "disagrees"]
    assert scenario("ecn", 10, "dr")["flows"]["ftp"]["wnd"] == "20 packets"


def test_drops_are_summed_before_they_are_divided() -> None:
    # Seed 1: 1 of 100, seed 2: 1 of 1. The mean of ratios is 0.505, the ratio of sums 2 / 101.
    data = of_drops(lambda scheme, m, window: [1.0, 1.0] if scheme == "mecn" else [100.0, 1.0])
    assert drops.total_ratio("dr", WINDOW, data).value == pytest.approx(2 / 101)


def test_zero_loss_is_reached_if_both_curves_reach_it() -> None:
    def dropped(scheme: str, m: int, window: int) -> list[float]:
        zero_from = 20 if scheme == "mecn" else 50
        return [0.0, 0.0] if window == WINDOW and m >= zero_from else [30.0, 20.0]

    note = verdicts(of_drops(dropped))[-1][1]
    assert "windows of 20 packets: ECN 50, MECN 20; windows of 64 packets: ECN none, MECN none" in note
    assert note.endswith("both reach zero with windows of 20 packets only")


def test_a_difference_of_few_packets_is_decided_by_its_interval() -> None:
    def found(excess: list[float]) -> str:
        points: dict[Any, PointData] = {}
        for which in drops.FIGURES.values():
            for reading in drops.READINGS:
                for m in drops.FEW_MIN_THS:
                    mecn = {seed: run(drops_all=100.0 + more) for seed, more in enumerate(excess, 1)}
                    points[which, reading, "mecn", m] = PointData(PLAIN, mecn)
                    points[which, reading, "ecn", m] = PointData(
                        PLAIN, dict.fromkeys(mecn, run(drops_all=100.0 / 1.05))
                    )
        data = Data(points, range(1, len(excess) + 1), quick=False)
        verdict = judge(drops.few("dr", "letter"), data)
        assert verdict.verdict == "reported"
        return verdict.note.rpartition("packets ")[2]

    assert found([1.0, 2.0, 3.0]) == "would hold"
    assert found([20.0, 21.0, 22.0]) == "would not hold"
    assert found([-10.0, 6.0, 30.0]) == "cannot be decided"
    assert experiments.load("mecn-fig8-w64").reps == 60


def test_settling_time() -> None:
    t_s = np.arange(0, 200, 1.0)
    average = np.where(t_s < 30, 40.0, 10.0)
    average[80] = 18.0
    # From 30 s on within 5 packets of 10 for 20 s; the excursion at 80 s comes after that.
    assert queue_length.settling_time(t_s, average, 5.0) == 29.0
    assert queue_length.settling_time(t_s, 10 + 20 * np.sin(t_s), 5.0) == math.inf


@pytest.mark.parametrize(
    ("ecn", "mecn", "verdict"),
    [
        ((9.0, 9.0), (5.0, 5.0), "agrees"),
        ((9.0, 9.0), (5.0, 12.0), "undecided"),
        ((9.0, 9.0), (12.0, 12.0), "disagrees"),
        ((math.inf, math.inf), (5.0, 5.0), "agrees"),
    ],
)
def test_convergence_is_undecided_unless_all_bands_and_thresholds_agree(
    ecn: tuple[float, float], mecn: tuple[float, float], verdict: str
) -> None:
    points: dict[Any, PointData] = {}
    for window in (WINDOW, WIDE_WINDOW):
        for m in queue_length.MIN_THS:
            for scheme, times in (("ecn", ecn), ("mecn", mecn)):
                reduced = dict.fromkeys((1, 2, 3), (*times, 30.0))
                points[scheme, m, window] = PointData(PLAIN, reduced=reduced)
    found = judge(queue_length.CRITERIA[1], Data(points, [1, 2, 3], quick=False))
    assert found.verdict == verdict
    assert "10: never (never to never) / 5.0 (5.0 to 5.0)" in found.note or ecn[0] == 9.0


def test_bands_are_half_of_min_th_and_five_packets() -> None:
    assert [band(30) for band in queue_length.BANDS.values()] == [15.0, 5.0]


def test_a_criterion_beside_it_tells_what_the_other_window_gives() -> None:
    def measure(window: int, data: Data) -> Measured:
        return Measured(value=float(window), note=f"w{window}")

    found = judge(judged_beside("x", "y", measure, high=30), Data({}, [1], quick=False))
    assert (found.verdict, found.note) == ("agrees", "w20")
    assert found.beside == "windows of 64 packets: 64, does not hold, w64"
    found = judge(judged_beside("x", "y", measure, low=30), Data({}, [1], quick=False))
    assert (found.verdict, found.note) == ("disagrees", "20 is below 30; w20")
    assert found.beside == "windows of 64 packets: 64, holds, w64"


def test_efficiency_is_that_of_the_window_asked_for() -> None:
    points: dict[Any, PointData] = {}
    for window, gain in ((WINDOW, 0.1), (WIDE_WINDOW, -0.2)):
        for m in MIN_THS:
            for scheme, value in (("ecn", 0.5), ("mecn", 0.5 + gain)):
                runs = {seed: run(efficiency=value, efficiency_all=value) for seed in (1, 2)}
                points["dr", scheme, m, window] = PointData(PLAIN, runs)
    data = Data(points, [1, 2], quick=False)
    assert link_efficiency.worst("dr", WINDOW, data).value == pytest.approx(0.1)
    assert link_efficiency.mean_gain("dr", WIDE_WINDOW, data).value == pytest.approx(-0.2)
    found = [judge(each, data).verdict for each in link_efficiency.criteria("dr")]
    assert found == ["agrees", "agrees", "agrees"]


def test_tables_and_figures_mark_by_one_rule_and_the_other_stands_beside() -> None:
    assert network.queue("mecn", 10)["profile"] == "mecn-literal"
    assert network.queue(network.OVERLAP, 10)["profile"] == "mecn-overlap"
    for name in ("mecn-fig6", "mecn-fig7", "mecn-fig8a", "mecn-fig8b", "mecn-tables1-3"):
        for point in load(name).points(False):
            queue = point.scenario["links"][network.BOTTLENECK]["queue"]
            if not point.beside and queue["kind"] == "mecn":
                assert queue["profile"] == "mecn-literal", (name, point.key)
                assert point.scenario["flows"]["ftp"]["wnd"] == "20 packets"


def test_the_other_rule_takes_the_place_of_the_papers() -> None:
    keys = [("dr", scheme, 10, window) for scheme in ("ecn", "mecn", network.OVERLAP) for window in (20, 64)]
    data = Data({key: key for key in keys}, [1], quick=False)  # type: ignore[misc]
    found = network.with_overlap(data)
    assert found is not None
    assert set(found.points) == {("dr", scheme, 10, window) for scheme in ("ecn", "mecn") for window in (20, 64)}
    assert found.points["dr", "mecn", 10, 20] == ("dr", network.OVERLAP, 10, 20)  # type: ignore[comparison-overlap]
    assert network.with_overlap(Data({("dr", "mecn", 10, 20): 1}, [1], quick=False)) is None  # type: ignore[dict-item]


def test_what_the_tables_say_holds_by_construction() -> None:
    assert all(criterion.identity for criterion in load("mecn-tables1-3").criteria)


def test_where_the_queue_is_in_each_architecture() -> None:
    for architecture, at in architectures.BOTTLENECK.items():
        made = architectures.made(architecture, "mecn", 10)
        under_test = [name for name, link in made["links"].items() if link.get("queue", {}).get("kind") == "mecn"]
        assert under_test == [at]
        # Two hops of 125 ms to the destination, whatever stands where.
        legs = [
            link["delay"] for name, link in made["links"].items() if name in ("up", "down", "leg-0") and "delay" in link
        ]
        assert legs == ["125 ms", "125 ms"]
        assert len(made["flows"]) == 10
        raw = faircast.run(made | {"duration": "20 s", "warmup": "5 s"})
        assert raw[at, "efficiency"] > 0.5
    heard = architectures.made("broadcast", "mecn", 10)["links"]
    assert sum("leg_of" in link for link in heard.values()) == 10


def test_marks_and_delays_are_swept() -> None:
    made = orbits.made("GEO, 552 ms", "mecn", 15, 0.2)
    assert made["topology"]["hop"]["delay"] == "135 ms"
    queue = made["links"][BOTTLENECK]["queue"]
    assert (queue["p1_max"], queue["p2_max"], queue["profile"]) == (0.2, 0.2, "mecn-literal")
    ecn = orbits.made("LEO, 52 ms", "ecn4", 15, 0.2)["links"][BOTTLENECK]["queue"]
    assert (ecn["max_p"], ecn["max_th"], queue["max_th"]) == (0.2, "60 packets", "60 packets")
    # 2 (2 + 10 + 10 + 4) ms, 2 (2 + 135 + 135 + 4) ms.
    for where, hop in orbits.HOPS_MS.items():
        assert f"{2 * (2 + 2 * hop + 4)} ms" in where
    assert len({point.scenario["name"] for point in orbits.points(False)}) == len(orbits.points(False)) == 90
