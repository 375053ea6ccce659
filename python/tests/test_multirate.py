"""Multirate optima: by definition, beside unicast and single-rate ones; satisfaction; what a summary has of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from networks import flow, problem, random_demands, random_trees, session
from scipy.optimize import linprog

import faircast
from faircast.utility import beside, multirate
from faircast.utility.optimum import solve
from faircast.utility.problem import Demand, InfeasibleError, Problem
from faircast.utility.satisfaction import alone, effort

SEEDS = range(10)


def random_problem(seed: int) -> Problem:
    """Few links, flows and sessions, all of them multirate, every third with a maximum rate."""
    random = np.random.default_rng(seed)
    links = int(random.integers(3, 9))
    demands = random_demands(random, links, int(random.integers(1, 5)), int(random.integers(1, 4)), decades=0.3)
    capacities = 10 ** random.uniform(5, 7, links)
    changed = [
        replace(demand, multirate=bool(demand.receivers), max_rate=3e5 if seed % 3 == 0 and i == 0 else math.inf)
        for i, demand in enumerate(demands)
    ]
    return problem(capacities, *changed, utility="max-min")


# The definition.


@pytest.mark.parametrize("seed", SEEDS)
def test_nobody_can_have_more_without_someone_who_has_no_more_having_less(seed: int) -> None:
    """The definition itself, put to a linear program for every receiver."""
    given = random_problem(seed)
    best = solve(given)
    rates = {
        (demand.name, i): rate
        for demand in given.demands
        for i, rate in enumerate(best.receivers.get(demand.name, {"": best.rates[demand.name]}).values())
    }
    weight = {demand.name: demand.weight for demand in given.demands}
    for one, rate in rates.items():
        level = rate / weight[one[0]]
        # Who has no more keeps what he has; all others may lose everything.
        least = {other: has if has / weight[other[0]] <= level * (1 + 1e-7) else 0.0 for other, has in rates.items()}
        assert most(given, one, least) == pytest.approx(rate, rel=1e-7), one


def most(given: Problem, one: tuple[str, int], least: dict[tuple[str, int], float]) -> float:
    """The highest rate that one can have if all others have at least this."""
    rate = {key: place for place, key in enumerate(least)}
    carried: dict[tuple[str, int], int] = {}
    for demand in given.demands:
        for link in demand.links:
            carried[demand.name, link] = len(rate) + len(carried)
    rows, right = [], []
    for demand in given.demands:
        for i, route in enumerate(demand.routes):
            for link in route:  # a link carries what the fastest receiver behind it gets
                rows.append({rate[demand.name, i]: 1.0, carried[demand.name, link]: -1.0})
                right.append(0.0)
    for index, link in enumerate(given.links):
        rows.append({place: 1.0 for (_, crossed), place in carried.items() if crossed == index})
        right.append(link.capacity)
    matrix = np.zeros((len(rows), len(rate) + len(carried)))
    for row, entries in enumerate(rows):
        for place, value in entries.items():
            matrix[row, place] = value
    highest = {demand.name: demand.max_rate for demand in given.demands}
    # The rates are given out with nine digits.
    bounds = [(has * (1 - 1e-8), highest[key[0]]) for key, has in least.items()] + [(0.0, math.inf)] * len(carried)
    cost = np.zeros(matrix.shape[1])
    cost[rate[one]] = -1.0
    found = linprog(cost / 1e6, A_ub=matrix, b_ub=np.array(right), bounds=bounds, method="highs")
    assert found.status == 0, found.message
    return float(found.x[rate[one]])


def test_two_sessions_by_hand() -> None:
    # l0 (12) has a with a receiver behind l1 (1), one behind l2 (100), b with one behind l2, and a flow. 12 / 3 = 4.
    a, b = session("a", (0, 1), (0, 2), multirate=True), session("b", (0, 2), multirate=True)
    best = solve(problem([12, 1, 100], a, b, flow("f", 0), utility="max-min"))
    assert best.receivers == {"a": {"a-0": 1, "a-1": 4}, "b": {"b-0": 4}}
    assert best.rates == {"a": 4, "b": 4, "f": 4}
    # With 5 behind l2: a-1 and b-0 share it, 2.5 each, and the flow has what they leave of l0.
    best = solve(problem([12, 1, 5], a, b, flow("f", 0), utility="max-min"))
    assert best.receivers == {"a": {"a-0": 1, "a-1": 2.5}, "b": {"b-0": 2.5}}
    assert best.rates["f"] == 7


@pytest.mark.parametrize("utility", ["max-min", "proportional", "potential-delay"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_session_with_one_receiver_is_a_flow(seed: int, utility: str) -> None:
    random = np.random.default_rng(seed)
    links = int(random.integers(2, 8))
    flows = random_demands(random, links, 6, 0)
    sessions = [
        replace(demand, receivers=(f"{demand.name}-0",), multirate=bool(i % 2)) for i, demand in enumerate(flows)
    ]
    capacities = 10 ** random.uniform(5, 7, links)
    unicast = solve(problem(capacities, *flows, utility=utility))
    multicast = solve(problem(capacities, *sessions, utility=utility))
    assert multicast.rates == pytest.approx(unicast.rates, rel=1e-7)
    assert {name: list(each.values()) for name, each in multicast.receivers.items()} == {
        name: pytest.approx([rate], rel=1e-7) for name, rate in unicast.rates.items()
    }


# Satisfaction.


def test_alone_by_hand() -> None:
    # The slow one would have its l1 to itself either way; with the fast one alone l0 is shared by two, not by three.
    a = session("a", (0, 1), (0, 2), multirate=True)
    single = session("b", (0, 1), (0, 2))
    given = problem([12, 2, 100], a, single, flow("f", 0, weight=2), utility="max-min")
    # Of a: b has 1 as before, sharing l1 with a-0; without a-0 b has 2. a-1: l0 has 12 - 2 for a-1 and twice as much
    # for f: 10/3. Of b: a-1 beside b-1 and f on l0, 12 / 4 each part; a-0 with b-0 on l1: 1.
    assert alone(given) == {"a-0": 1, "a-1": pytest.approx(10 / 3), "b-0": 1, "b-1": 3}
    # What all of them have together.
    assert solve(given).receivers == {"a": {"a-0": 1, "a-1": pytest.approx(11 / 3)}, "b": {"b-0": 1, "b-1": 1}}


@pytest.mark.parametrize("seed", SEEDS)
def test_alone_is_the_optimum_of_the_session_cut_down(seed: int) -> None:
    random = np.random.default_rng(seed)
    capacities, demands = random_trees(random, int(random.integers(1, 4)), int(random.integers(0, 12)))
    changed = [
        replace(
            demand,
            multirate=i != 1 and demand.multirate,
            max_rate=1e6 if i == seed % 3 else math.inf,
            weight=3.0 if i % 2 else 1.0,
        )
        for i, demand in enumerate(demands)
    ]
    fixed = Demand(name="fixed", routes=((0,),), fixed_rate=capacities[0] / 3)
    given = problem(capacities, *changed, fixed, utility="max-min")
    found = alone(given)
    assert set(found) == {name for demand in changed for name in demand.receivers}
    for index, demand in enumerate(changed):
        for name, route in list(zip(demand.receivers, demand.routes, strict=False))[:8]:
            cut = replace(demand, routes=(route,), receivers=(name,))
            demands = [*changed[:index], cut, *changed[index + 1 :], fixed]
            assert found[name] == pytest.approx(
                solve(problem(capacities, *demands, utility="max-min")).rates[demand.name], rel=1e-8
            ), name


def test_the_effort_counts_routes_once() -> None:
    given = problem([1, 1, 1], session("a", (0, 1), (0, 1), (0, 2), multirate=True), flow("f", 0, 1), flow("g", 2))
    assert effort(given) == 2 * (3 + 2)
    assert effort(problem([1], flow("f", 0))) == 0


def test_alone_where_constant_rates_leave_nothing() -> None:
    given = problem([1.0], session("a", (0,)), Demand(name="c", routes=((0,),), fixed_rate=1.0))
    with pytest.raises(InfeasibleError):
        alone(given)


# Scenarios.

STAR = """
format = 1
name = "star"
duration = "12 s"
warmup = "4 s"

[topology]
kind = "dumbbell"
left = 3
right = 4

[links.bottleneck]
rate = "2 Mbit/s"
delay = "10 ms"

[links.access-right-1]
rate = "400 kbit/s"

[flows.web]
kind = "tcp"
from = "left-1"
to = "right-2"

[flows.voice]
kind = "cbr"
from = "left-2"
to = "right-3"
rate = "200 kbit/s"

[sessions.film]
scheme = "rlm"
source = "left-0"
receivers = { nodes = ["right-0", "right-1"] }
"""
SINGLE = "sessions.film={scheme='tfmcc', source='left-0', receivers.nodes=['right-0', 'right-1']}"


def test_schemes_of_several_layers_are_multirate_unless_one_says_otherwise() -> None:
    best = faircast.optimum(STAR, utility="max-min")
    assert best.receivers["film"] == {"film-0": 900e3, "film-1": 400e3}
    assert best.rates == {"web": 900e3, "film": 900e3}
    one = faircast.optimum(STAR, utility="max-min", multirate=False)
    assert one.receivers["film"] == {"film-0": 400e3, "film-1": 400e3}
    assert one.rates["web"] == 1.4e6
    # The table says the same, and what is asked for goes before it.
    table = STAR + "[optimum]\nutility = 'max-min'\nmultirate = false\n"
    assert faircast.optimum(table).receivers == one.receivers
    assert faircast.optimum(table, multirate=True).receivers == best.receivers
    assert "a session has one rate for all" in repr(faircast.optimum(table))


def test_schemes_of_one_layer_are_single_rate_unless_one_says_otherwise() -> None:
    assert faircast.optimum(STAR, sets=[SINGLE]).receivers["film"] == {"film-0": 400e3, "film-1": 400e3}
    found = faircast.optimum(STAR, sets=[SINGLE], multirate=True, orientation="receiver")
    # Proportional: on the bottleneck one receiver beside the flow; the other one has its link.
    assert found.receivers["film"] == pytest.approx({"film-0": 900e3, "film-1": 400e3})
    layered = "sessions.film={scheme='layered-cbr', source='left-0', receivers.nodes=['right-0']}"
    assert "film" not in faircast.optimum(STAR, sets=[layered], multirate=True).rates


def test_an_illegal_choice_is_told() -> None:
    with pytest.raises(faircast.InputError, match="legal is true or false") as caught:
        faircast.optimum(STAR, multirate="yes")  # type: ignore[arg-type]
    assert [path for path, _ in caught.value.problems] == ["optimum.multirate"]


def test_the_summary_of_a_multirate_session() -> None:
    found = faircast.run(STAR, seed=3).metrics()
    assert {name: found[name, "max_min_rate"] for name in found.subjects("max_min_rate")} == {
        "web": 900e3,
        "film": 650e3,
        "film-0": 900e3,
        "film-1": 400e3,
    }
    # Each receiver counts half: 1/2 x^-1 = f^-1 on the bottleneck, with x + f = 1.8 Mbit/s.
    fair = {name: found[name, "proportional_rate"] for name in found.subjects("proportional_rate")}
    assert fair == pytest.approx({"web": 1.2e6, "film": 500e3, "film-0": 600e3, "film-1": 400e3})
    assert found.subjects("share") == ["web", "film-0", "film-1"]
    assert found["web", "share"] == found["web", "rate"] / 900e3
    assert found.subjects("satisfaction") == ["film-0", "film-1"]
    assert found["film-1", "satisfaction"] == found["film-1", "rate"] / 400e3
    names = [f"{name}{end}" for name in ("fully_utilised", "same_path") for end in ("", "_shortfall")]
    assert all(("run", name) in found for name in names)
    units = {row[1]: row[2] for row in found.layout.rows}
    assert (units["max_min_rate"], units["satisfaction"], units["per_session_link"]) == ("bit/s", "1", "1")


def test_single_rate_sessions_have_it_where_the_scenario_asks_for_it() -> None:
    assert ("film-0", "satisfaction") not in faircast.run(STAR, sets=[SINGLE]).metrics()
    found = faircast.run(STAR, sets=[SINGLE, "optimum.multirate=true"]).metrics()
    # Held back by the other one, it has less than half of what it would have alone.
    assert found["film-0", "satisfaction"] == found["film-0", "rate"] / 900e3 < 0.5
    assert found["film-1", "satisfaction"] == found["film-1", "rate"] / 400e3


def test_without_sessions_there_is_nothing_to_say_of_them() -> None:
    flows = {"web": {"kind": "tcp"}}
    tree = {"format": 1, "name": "x", "duration": "2 s", "topology": {"kind": "dumbbell"}, "flows": flows}
    assert ("run", "same_path") not in faircast.run(tree | {"optimum": {"multirate": True}}).metrics()


def test_who_was_never_there_has_no_satisfaction() -> None:
    found = faircast.run(STAR, sets=["sessions.film.receivers.leave=['12 s', '2 s']"]).metrics()
    assert found["film-1", "rate_all"] > 0
    assert [name for name in ("satisfaction", "share") if "film-1" in found.subjects(name)] == []
    assert found["film-0", "satisfaction"] > 0


def test_who_is_on_the_node_of_the_source_has_no_satisfaction() -> None:
    """Nothing bounds what it would have alone; beside another in a session of a single rate it has what that has."""
    tree = {"format": 1, "name": "x", "duration": "2 s", "topology": {"kind": "dumbbell"}}
    near = {"scheme": "pgmcc", "source": "left-0", "receivers": {"nodes": ["left-0", "right-0"]}}
    layers = {"scheme": "layer-blocking", "source": "left-0"}
    found = faircast.run(tree | {"sessions": {"near": near, "layers": layers}}).metrics()
    assert found["near-0", "share"] == found["near-0", "rate"] / found["near-1", "max_min_rate"]
    assert [name for name in found.subjects("satisfaction") if name.startswith("near")] == ["near-1"]


def test_nothing_is_held_against_a_network_that_changes() -> None:
    found = faircast.run(STAR, sets=["sessions.film.receivers.leave=['12 s', '8 s']"]).metrics()
    assert [name for name in ("satisfaction", "share", "same_path", "max_min_rate") if found.subjects(name)] == []
    assert found["run", "optimum_distance"] > 0


def test_without_an_optimum_there_are_the_properties_only() -> None:
    found = faircast.run(STAR, sets=["flows.voice.rate='3 Mbit/s'"]).metrics()
    assert [found.subjects(name) for name in ("max_min_rate", "satisfaction", "share")] == [[], [], []]
    assert found["run", "fully_utilised"] == 1


def test_the_work_beside_a_run_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multirate, "EFFORT_MAX", 0)
    monkeypatch.setattr(beside, "PAIRS_MAX", 0)
    found = faircast.run(STAR.replace("2 Mbit/s", "2.0001 Mbit/s")).metrics()
    assert found["film-1", "max_min_rate"] == 400e3
    assert [found.subjects(name) for name in ("satisfaction", "proportional_rate")] == [[], []]


def test_the_yardsticks_of_a_network_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = []
    found = multirate.solve
    monkeypatch.setattr(multirate, "solve", lambda given, **how: solved.append(given) or found(given, **how))
    text = STAR.replace("2 Mbit/s", "2.0002 Mbit/s")
    faircast.run(text, seeds=[1, 2], jobs=2).summary  # noqa: B018
    faircast.run(text, sets=["duration='11 s'"])["run", "same_path"]
    assert [given.utility for given in solved] == ["max-min", "proportional"]
