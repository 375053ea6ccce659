"""The surprises of MLDA in the comparison: what is changed between their runs, and what is made of these."""

from __future__ import annotations

from typing import Any

import pytest

from faircast.experiment import Data, PointData, judge
from faircast.experiments.side_by_side import geo, runs, tree
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.surprises import mlda_ias, mlda_layers
from faircast.experiments.side_by_side.surprises.intervals import apart
from faircast.statistics import estimate

NONE: Any = None
Numbers = dict[tuple[str, str], float]


def data(cases: dict[Any, list[Numbers]]) -> Data:
    """Runs that gave these numbers, by seeds from 1 on."""
    seeds = list(range(1, 1 + len(next(iter(cases.values())))))
    points = {key: PointData(scenario=NONE, summaries=summaries(seeds, runs)) for key, runs in cases.items()}
    return Data(points, seeds, quick=False)


def summaries(seeds: list[int], runs: list[Numbers]) -> Any:
    return dict(zip(seeds, runs, strict=True))


def cell(path: str, loss: float, scheme: str = "mlda") -> dict[str, Any]:
    situation = Situation(path=path, loss=loss, tcp="sack")
    return runs.scenario(Cell(situation=situation, run=BESIDE, scheme=scheme))


def rates(slow: float, middle: float, fast: float, tcp: float = 1e6) -> Numbers:
    """Receivers of each branch, the first with half and the second with one and a half times as much; all TCPs."""
    found: Numbers = {(name, "rate"): tcp for name in tree.PATH.tcps}
    for one, mean in zip(tree.PATH.bottlenecks, (slow, middle, fast), strict=True):
        found |= {(name, "rate"): mean * part for name, part in zip(one.receivers, (0.5, 1.5), strict=True)}
    return found


def test_layers_and_rule_are_all_that_differs_in_the_tree() -> None:
    for loss, layers in ((0.0, 3), (0.0, 7), (0.01, 3)):
        made = mlda_layers.scenario((loss, "none", layers))
        assert made["sessions"][tree.SESSION].pop("layers") == layers
        assert made["sessions"][tree.SESSION].pop("loss_differentiation") == {"rule": "none"}
        there = cell("tree", loss)
        assert there["sessions"][tree.SESSION].pop("layers") == mlda_layers.FEW
        assert made | {"name": ""} == there | {"name": ""}


def test_the_ratio_behind_a_branch_is_that_of_means() -> None:
    key = (0.0, "none", 3)
    given = data({key: [rates(1e6, 2e6, 4e6), rates(2e6, 1e6, 3e6, tcp=2e6)]})
    found = [mlda_layers.ratio(given, key, mbps).mean for mbps in tree.BRANCHES_MBPS]
    assert found == pytest.approx([3 / 3, 3 / 3, 7 / 3])


def test_criteria_of_the_layers_want_intervals_apart() -> None:
    few, many = (0.0, "none", mlda_layers.FEW), (0.0, "none", mlda_layers.MANY)
    low = [rates(1e6, middle, 1e6) for middle in (0.3e6, 0.32e6, 0.34e6)]
    high = [rates(1e6, middle, 1e6) for middle in (1.2e6, 1.22e6, 1.24e6)]
    told, none = ((mlda_layers.LOSS, rule, mlda_layers.FEW) for rule in ("oracle", "none"))
    there = data({few: low, many: high, told: low, none: high})
    assert mlda_layers.rises(there).holds
    assert mlda_layers.falls(there).holds
    assert mlda_layers.rises(there).value == pytest.approx(1.22 / 0.32)
    assert mlda_layers.falls(there).value == pytest.approx(0.32 / 1.22)
    other = data({few: high, many: low, told: high, none: low})
    assert not mlda_layers.rises(other).holds
    assert not mlda_layers.falls(other).holds
    same = data({few: low, many: low, told: low, none: low})
    assert mlda_layers.rises(same).undecided
    assert mlda_layers.falls(same).undecided
    assert not mlda_layers.rises(other).undecided
    assert not mlda_layers.falls(there).undecided


def test_the_sentence_on_layers_has_every_branch() -> None:
    cases = {(0.0, "none", 3): [rates(1.5e6, 0.3e6, 1.4e6)] * 2, (0.0, "none", 9): [rates(1.5e6, 1.2e6, 1.4e6)] * 2}
    cases |= {(0.01, "none", 3): [rates(1e6, 1.3e6, 1e6)] * 2, (0.01, "oracle", 3): [rates(1e6, 0.6e6, 1e6)] * 2}
    said = mlda_layers.says(data(cases))
    assert "behind 4 Mbit/s 0.3 of TCP's rate" in said
    assert "1 and 16 Mbit/s get 1.5 and 1.4" in said
    assert "9 layers it gives them 1.2." in said
    assert "they get 1.3 with 3 layers, but 0.6 if" in said


def test_the_downlink_is_all_that_differs_over_geo() -> None:
    for row in (mlda_ias.MLDA, mlda_ias.IAS):
        made = mlda_ias.scenario((row, 2.4))
        down = made["topology"]["branches"]["sat"]["down"]
        assert down["rate"] == "2400 kbit/s"
        down["rate"] = f"{1000 * geo.DOWN_MBPS:g} kbit/s"
        assert made | {"name": ""} == cell("geo", mlda_ias.LOSS, row) | {"name": ""}


def seen(told: float, missed: float, rate: float) -> Numbers:
    metrics = {"link_losses_recognised": told, "link_losses_missed": missed, "rate": rate}
    return {(receiver, metric): value for receiver in mlda_ias.RECEIVERS for metric, value in metrics.items()}


def test_errors_recognised_are_those_of_all_seeds_together() -> None:
    given = data(
        {
            ("mlda-ias", 0.3): [seen(1, 9, 2e5), seen(40, 10, 1e5)],
            ("mlda", 0.3): [seen(0, 0, 1e5), seen(0, 0, 1e5)],
            ("mlda-ias", 9.6): [seen(18, 2, 3e5), seen(19, 1, 3e5)],
            ("mlda", 9.6): [seen(0, 0, 1e5), seen(0, 0, 1e5)],
        }
    )
    assert mlda_ias.recognised(given, 0.3, mlda_ias.ALONE).mean == pytest.approx(100 * 41 / 60)
    assert mlda_ias.gain(given, 0.3, mlda_ias.ALONE).mean == pytest.approx(1.5)
    assert mlda_ias.rates_mbps(given) == [0.3, 9.6]
    assert mlda_ias.catches_up(given).value == pytest.approx(92.5 - 100 * 41 / 60)
    assert judge(mlda_ias.CRITERIA[0], given).verdict == "undecided", "two seeds that differ so much say nothing"
    assert "68 % of the link's errors beside TCP and 68 % without, on one of 9.6 Mbit/s 92 %" in mlda_ias.says(given)


def test_apart_are_intervals_that_do_not_touch() -> None:
    assert apart(estimate([1.0]), estimate([1.1]))
    assert not apart(estimate([1.1]), estimate([1.1]))
    # 1 ± 12.7·0.1, that is up to 2.27.
    assert apart(estimate([0.9, 1.1]), estimate([2.3]))
    assert not apart(estimate([0.9, 1.1]), estimate([2.2]))


def test_quick_runs_are_some_of_all() -> None:
    for module in (mlda_layers, mlda_ias):
        whole = {point.key: point.scenario for point in module.points(False)}
        some = {point.key: point.scenario for point in module.points(True)}
        assert some.items() <= whole.items()
        assert len(some) < len(whole)
