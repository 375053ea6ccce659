"""The four fairness properties of layered multicast: by hand, in optima, and how far each is missed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from networks import flow, problem, random_trees, session

import faircast
from faircast.utility.optimum import Optimum, solve
from faircast.utility.problem import Demand, Problem
from faircast.utility.properties import PROPERTIES, properties


def rates_of(best: Optimum) -> dict[str, float]:
    unicast = {name: rate for name, rate in best.rates.items() if name not in best.receivers}
    return unicast | {name: rate for each in best.receivers.values() for name, rate in each.items()}


def used_in(best: Optimum) -> dict[str, float]:
    return {name: (link.inelastic + link.elastic) / link.capacity for name, link in best.links.items()}


@pytest.mark.parametrize("seed", range(12))
def test_multirate_max_min_rates_have_all_four(seed: int) -> None:
    """What Rubenstein, Kurose and Towsley prove of them; with weights and maximum rates, too."""
    random = np.random.default_rng(seed)
    capacities, demands = random_trees(random, int(random.integers(1, 6)), int(random.integers(0, 20)))
    changed = [
        replace(demand, max_rate=1e6 if i % 3 == 1 else math.inf, weight=2.0 if seed % 2 and i % 2 else 1.0)
        for i, demand in enumerate(demands)
    ]
    given = problem(capacities, *changed, utility="max-min")
    best = solve(given)
    found = properties(given, rates_of(best), used_in(best))
    assert tuple(found) == PROPERTIES
    for one in found.values():
        assert one.held == one.cases
        assert one.cases == 0 or one.shortfall < 1e-8, one
    assert found["fully_utilised"].cases == sum(len(demand.routes) for demand in changed)
    assert found["per_session_link"].cases == len(changed)


# A session with a receiver behind l1 (2) and one behind l2 (100), and a flow, over l0 (10).
STAR = problem([10, 2, 100], session("s", (0, 1), (0, 2), multirate=True), flow("f", 0, 2), utility="max-min")


def test_single_rate_max_min_rates_need_not_have_them() -> None:
    given = replace(STAR, demands=(replace(STAR.demands[0], multirate=False), STAR.demands[1]))
    best = solve(given)
    assert rates_of(best) == {"s-0": 2, "s-1": 2, "f": 8}
    found = properties(given, rates_of(best), used_in(best))
    # Both links are full, so every path has a full one; s-1 and f go the same way but for nothing.
    assert found["fully_utilised"].held == 3
    assert (found["same_path"].cases, found["same_path"].held) == (1, 0)
    assert found["same_path"].shortfall == pytest.approx(6 / 8)
    assert found["same_path"].worst == ("s-1", "f")
    # On l0 the flow has more than s-1; s-0 has l1 to itself, which is enough for the session.
    assert (found["per_receiver_link"].held, found["per_receiver_link"].cases) == (2, 3)
    assert found["per_receiver_link"].worst == ("s-1",)
    assert found["per_receiver_link"].shortfall == pytest.approx(6 / 8)
    assert found["per_session_link"].share == 1


def measured(rates: dict[str, float], used: dict[str, float], given: Problem = STAR) -> dict[str, tuple[int, float]]:
    """By property how many cases hold, and the shortfall."""
    found = properties(given, rates, used)
    return {name: (one.held, one.shortfall) for name, one in found.items()}


def test_how_far_they_are_missed() -> None:
    # Nothing is full: l0 lacks 1 - 0.76 / 0.95 = 0.2, l1 0.5 and l2 0.9 of it.
    used = {"l0": 0.76, "l1": 0.475, "l2": 0.095}
    found = measured({"s-0": 1, "s-1": 4, "f": 4}, used)
    assert found["fully_utilised"] == (0, pytest.approx(0.2))
    # s-0 has a quarter of what s-1 has on l0, but on l1 nobody has more: l1 lacks less.
    assert found["per_receiver_link"] == (0, pytest.approx(0.5))
    assert found["per_session_link"] == (0, pytest.approx(0.2))
    assert found["same_path"] == (1, 0)
    # Full from 95 % on, and equal within a tenth of the greater one.
    used["l0"] = 0.95
    found = measured({"s-0": 3.6, "s-1": 3.61, "f": 4}, used)
    assert found["fully_utilised"] == (3, 0)
    assert found["per_receiver_link"] == (3, pytest.approx(0.1))
    assert found["same_path"] == (1, pytest.approx(0.39 / 4))
    found = measured({"s-0": 3.59, "s-1": 3.59, "f": 4}, used)
    assert found["per_receiver_link"] == (1, pytest.approx(0.41 / 4))
    assert found["per_session_link"] == (1, pytest.approx(0.41 / 4))
    assert found["same_path"] == (0, pytest.approx(0.41 / 4))


def test_a_session_has_on_a_link_the_rate_of_its_fastest_receiver() -> None:
    # Here the fastest one comes first, and l0 is what nobody has more on.
    found = measured({"s-0": 5, "s-1": 1, "f": 4}, {"l0": 1.0})
    assert found["per_session_link"] == (1, pytest.approx(0.2))
    assert found["per_receiver_link"] == (1, pytest.approx(0.8))


def test_a_rate_of_zero_lacks_everything() -> None:
    found = measured({"s-0": 0, "s-1": 0, "f": 9.5}, {"l0": 0.95, "l2": 0.1})
    assert found["same_path"] == (0, 1)
    assert found["per_receiver_link"] == (1, 1)
    assert measured({"s-0": 0, "s-1": 0, "f": 0}, {})["same_path"] == (1, 0)


def test_who_gets_all_layers_lacks_nothing() -> None:
    given = replace(STAR, demands=(replace(STAR.demands[0], max_rate=4.0), STAR.demands[1]))
    used = {"l0": 0.98, "l1": 0.5}
    # 3.8 is 95 % of all; 3.0 lacks a fifth of that, which is less than what it lacks beside the flow.
    found = measured({"s-0": 3.8, "s-1": 3.0, "f": 6}, used, given)
    assert found["fully_utilised"] == (3, 0)
    assert found["per_receiver_link"] == (2, pytest.approx(1 - 3 / 3.8))
    assert found["per_session_link"] == (2, 0)
    assert found["same_path"] == (0, pytest.approx(1 - 3 / 3.8))
    found = measured({"s-0": 1, "s-1": 3.8, "f": 6}, used, given)
    assert found["same_path"] == (1, 0)


def test_weights_divide_rates() -> None:
    given = replace(STAR, demands=(STAR.demands[0], replace(STAR.demands[1], weight=3.0)))
    assert measured({"s-0": 2, "s-1": 2, "f": 6}, {"l0": 1.0}, given)["same_path"] == (1, 0)


def test_same_paths_are_those_over_links_that_others_cross_or_that_are_full() -> None:
    # Access links l1 to l3 of three flows over l0; that of the third is full.
    given = problem([10, 5, 5, 1], flow("a", 0, 1), flow("b", 0, 2), flow("c", 0, 3), utility="max-min")
    used = {"l0": 1.0, "l1": 0.9, "l2": 0.9, "l3": 1.0}
    found = properties(given, {"a": 4.5, "b": 4.5, "c": 1}, used)["same_path"]
    assert (found.cases, found.held) == (1, 1)
    # Where it is not, the three are alike, two of three pairs differ.
    found = properties(given, {"a": 4.5, "b": 4.5, "c": 1}, used | {"l3": 0.5})["same_path"]
    assert (found.cases, found.held, found.worst) == (3, 1, ("c", "b"))


def test_who_was_not_there_and_what_is_inelastic_do_not_count() -> None:
    fixed = Demand(name="voice", routes=((0, 2),), fixed_rate=5.0)
    given = replace(STAR, demands=(*STAR.demands, fixed))
    rates = {"s-0": math.nan, "s-1": 2.5, "f": 2.5, "voice": 5.0}
    found = properties(given, rates, {"l0": 1.0})
    assert (found["fully_utilised"].cases, found["per_receiver_link"].held) == (2, 2)
    found = properties(given, {}, {})
    assert all(one.cases == 0 and math.isnan(one.share) and math.isnan(one.shortfall) for one in found.values())


def test_of_a_run() -> None:
    scenario = {
        "format": 1,
        "name": "two",
        "duration": "20 s",
        "warmup": "5 s",
        "topology": {"kind": "dumbbell", "left": 2, "right": 2},
        "links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "10 ms"}},
        "flows": {"web": {"kind": "tcp"}},
        "sessions": {"film": {"scheme": "tfmcc", "source": "left-1", "receivers": {"nodes": ["right-1"]}}},
    }
    result = faircast.run(scenario)
    found = faircast.fairness_properties(result)
    metrics = result.metrics()
    low, high = sorted([metrics["web", "rate"], metrics["film-0", "rate"]])
    assert metrics["bottleneck", "efficiency"] > 0.95
    assert found["fully_utilised"].share == 1
    assert found["same_path"].cases == 1
    assert found["same_path"].shortfall == pytest.approx(1 - low / high)
    assert found["same_path"].held == (low >= 0.9 * high)
    assert ("run", "same_path") not in metrics  # no session has several layers
