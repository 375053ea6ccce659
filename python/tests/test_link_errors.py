"""x-link-errors: networks, rules, and what is made of the rates."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from faircast.experiment import AGREES, DISAGREES, REPORTED, Data, PointData, judge
from faircast.experiments import load
from faircast.experiments.checks import link_errors
from faircast.experiments.checks.link_errors import LOSS, RULES, SCHEMES, Case
from faircast.experiments.checks.link_errors_network import (
    CRITERION,
    DROP_TAIL,
    EARLY,
    NETWORKS,
    drift,
    scenario,
    steps,
)
from faircast.experiments.checks.loss_differentiation import GAUGES
from faircast.figures import style
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-link-errors")
NONE: Any = None
RATES = {"none": 1e6, "ias": 2e6, "mbiaz": 1e6, "zigzag": 1e6, "spike-session": 7e6, "spike": 6e6, "oracle": 8e6}
"""What a receiver gets with each rule where hops lose packets."""


def run(network: str, film: float, tcp: float, losses: bool = True) -> RunSummary:
    """Receivers that get so much in the mean, each another part of it, and TCPs that do."""
    receivers, tcps = NETWORKS[network].receivers, NETWORKS[network].tcps
    rows = {(f"film-{n}", "rate"): film * (1 + 0.1 * (n - (receivers - 1) / 2)) for n in range(receivers)}
    rows |= {(f"tcp-{n}", "rate"): tcp * (1 + 0.1 * (n - (tcps - 1) / 2)) for n in range(tcps)}
    counts = {(True, True): 30.0, (True, False): 10.0, (False, True): 5.0, (False, False): 15.0}
    rows |= {("film", GAUGES[key]): count if losses or key[0] else 0.0 for key, count in counts.items()}
    layout = Layout(tuple((*where, "1") for where in rows))
    return RunSummary(layout, array("d", rows.values()))


def data(clean: float = 5e6, harmed: str = "", *, quick: bool = False, lossless: str = "") -> Data:
    """All cases: by rule where hops lose packets, and of a clean link the same, but for Spike in one network.

    In `lossless` no packet was lost by congestion without link loss.
    """
    points: dict[Any, PointData] = {}
    for point in EXPERIMENT.points(quick):
        case: Any = point.key
        film = RATES[case.rule] if case.loss else 5e6
        if not case.loss and case.rule == "spike":
            film = 6.5e6 if case.network == harmed else clean
        losses = case.loss > 0 or case.network != lossless
        points[case] = PointData(NONE, {seed: run(case.network, film, 10e6 - film, losses) for seed in (1, 2, 3)})
    return Data(points, [1, 2, 3], quick=quick)


def verdicts(found: Data) -> list[str]:
    """Of the criteria that are judged."""
    return [judge(criterion, found).verdict for criterion in EXPERIMENT.criteria[:6]]


def test_every_case_is_legal_and_has_what_it_is_held_against() -> None:
    points = EXPERIMENT.points(False)
    keys = {point.key for point in points}
    assert len(points) == len(keys) == 2 * len(RULES) + 4 * (len(NETWORKS) - 1) + 4 * (len(SCHEMES) - 1)
    assert len(EXPERIMENT.points(True)) == 2 * len(RULES)
    for key in keys:
        assert isinstance(key, Case)
        against = key._replace(rule="oracle" if key.loss else "none")
        assert against in keys, key
    for point in points:
        film = resolve(point.scenario).data["sessions"]["film"]
        assert film["loss_differentiation"]["rule"] == RULES[point.key.rule]["rule"]  # type: ignore[attr-defined]


def test_hops_lose_what_is_sent_to_receivers_and_no_acknowledgements() -> None:
    for key, side, ends in [("base", "right", 4), ("2tcp", "right", 5), ("one", "right", 2), ("first", "left", 2)]:
        links = scenario(key, SCHEMES["tfmcc"], RULES["none"], LOSS)["links"]
        assert sorted(links) == [*(f"access-{side}-{end}" for end in range(ends)), "bottleneck"]
        for name, link in links.items():
            assert ("loss" in link) == (name != "bottleneck")
            assert name == "bottleneck" or (link["loss"]["p"], link["back"]["loss"]) == (LOSS, {"kind": "none"})
    assert list(scenario("base", SCHEMES["tfmcc"], RULES["none"], 0.0)["links"]) == ["bottleneck"]
    burst = scenario("bursts", SCHEMES["tfmcc"], RULES["none"], LOSS)["links"]["access-right-0"]["loss"]
    assert (burst["mean_loss"], burst["mean_burst"]) == (LOSS, "5 packets")


def test_queues_are_as_long_as_they_are_called() -> None:
    limits = {key: NETWORKS[key].discipline()["limit"] for key in ("quarter", "base", "four", "10ms", "560ms")}
    # 10 Mbit/s over 40 ms are 50 packets of 1000 B.
    assert limits == {
        "quarter": "12 packets",
        "base": "50 packets",
        "four": "200 packets",
        "10ms": "12 packets",
        "560ms": "700 packets",
    }
    assert not set(DROP_TAIL) & set(EARLY)


def test_ways_become_longer_and_clocks_drift() -> None:
    found = steps(NETWORKS["far-steps"])
    assert found[:3] == [
        {"at": "10 s", "delay": "118 ms"},
        {"at": "20 s", "delay": "18 ms"},
        {"at": "30 s", "delay": "118 ms"},
    ]
    fast, slow = drift(NETWORKS["fast-clock"]), drift(NETWORKS["slow-clock"])
    # 100 ppm of 180 s are 18 ms; there and back together stay as long as they are.
    assert (fast["delay"], fast["changes"][0]["delay_to"]) == ("1 ms", "19 ms")
    assert (fast["back"]["delay"], fast["back"]["changes"][0]["delay_to"]) == ("19 ms", "1 ms")
    assert (slow["delay"], slow["back"]["delay"]) == ("19 ms", "1 ms")


def test_rates_are_held_against_the_truth_the_rate_without_a_rule_and_a_share() -> None:
    found = data(clean=5.5e6)
    lossy, clean = Case(CRITERION, "tfmcc", "spike", LOSS), Case(CRITERION, "tfmcc", "spike", 0.0)
    assert link_errors.gain(found, lossy).mean == pytest.approx(6 / 8)
    assert link_errors.harm(found, clean).mean == pytest.approx(5.5 / 5)
    assert link_errors.of_share(found, clean).mean == pytest.approx(2 * 5.5 / 10)
    # Two TCPs of 4.5 and 5.5 in the mean of 5: three that share 5.5 + 2 * 4.5.
    two = Case("2tcp", "tfmcc", "spike", 0.0)
    assert link_errors.of_share(found, two).mean == pytest.approx(3 * 5.5 / (5.5 + 2 * 4.5))
    assert link_errors.called_link(found, lossy, by_link=True) == pytest.approx(0.75)
    assert link_errors.called_link(found, lossy, by_link=False) == pytest.approx(0.25)


def test_the_worst_network_decides() -> None:
    assert verdicts(data()) == [AGREES] * 6
    assert verdicts(data(harmed="far-steps")) == [AGREES] * 3 + [DISAGREES] + [AGREES] * 2
    assert verdicts(data(harmed="base"))[1] == DISAGREES
    soft = verdicts(data(harmed="pie"))
    assert soft[:5] == [AGREES] * 5
    assert soft[5] not in (AGREES, DISAGREES)
    noted = judge(EXPERIMENT.criteria[3], data(harmed="far-steps")).note
    assert f"most with {NETWORKS['far-steps'].title}" in noted
    slow = PointData(NONE, dict.fromkeys((1, 2, 3), run("160ms", 3e6, 7e6)))
    found = Data({**data().points, Case("160ms", "tfmcc", "spike", LOSS): slow}, [1, 2, 3], quick=False)
    assert verdicts(found) == [AGREES] * 2 + [DISAGREES] + [AGREES] * 3
    assert "least with 160 ms" in judge(EXPERIMENT.criteria[2], found).note


def test_a_part_of_the_networks_has_no_verdict() -> None:
    few = data(quick=True, harmed="base")
    assert verdicts(few)[0] == AGREES
    assert verdicts(few)[1] == DISAGREES
    assert verdicts(few)[2:] == [REPORTED] * 4
    assert "18 networks are left out" in judge(EXPERIMENT.criteria[3], few).note


def test_where_nobody_lost_a_packet_nothing_is_said_of_a_rule() -> None:
    found = data(harmed="560ms", lossless="560ms")
    judged = judge(EXPERIMENT.criteria[3], found)
    assert judged.verdict == AGREES
    assert "says nothing: 560 ms" in judged.note
    assert "560 ms 1" not in judged.note
    assert verdicts(data(harmed="560ms"))[3] == DISAGREES


@pytest.mark.parametrize("quick", [True, False])
def test_the_figure_can_be_drawn(*, quick: bool) -> None:
    found = data(quick=quick)
    assert EXPERIMENT.figure is not None
    assert EXPERIMENT.numbers is not None
    with style():
        assert len(EXPERIMENT.figure(found).axes) == (2 if quick else 4)
    assert len(EXPERIMENT.numbers(found).rows) == len(found.keys())
    assert "6 ± 0 Mbit/s with Spike" in EXPERIMENT.says(found) or "6 Mbit/s" in EXPERIMENT.says(found)
