"""The optimum of networks: known answers, two methods, an independent solver, the conditions of optimality."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from networks import flow, parking_lot, problem, random_demands, random_trees, session, shape

from faircast import interruption
from faircast.errors import InputError, NotFinishedError
from faircast.utility import conditions, interior_point
from faircast.utility.branches import branches
from faircast.utility.dual import best_response, dual
from faircast.utility.optimum import Optimum, solve
from faircast.utility.presolve import presolve
from faircast.utility.problem import Demand, InfeasibleError, Problem, TooLargeError

SEEDS = range(12)
ALPHAS = [0.5, 1, 2, 5, 10, 20]


# Known answers.


# Figure 3 of Hang and Erke: S and r1..r4, six links with capacities 3, 1, 1, 1, 1, 1. The unicast flow to r2 and the
# multicast session to r3 and r4 share c2; the flow to r1 has a link of its own behind c1.
FIGURE_3 = [3, 1, 1, 1, 1, 1]


def figure_3(**how) -> Problem:
    weights = how.pop("weights", (1.0, 1.0))
    return problem(
        FIGURE_3,
        flow("to r1", 0, 2),
        flow("to r2", 0, 1, 3, weight=weights[0]),
        session("to r3, r4", (0, 1, 4), (0, 1, 5), weight=weights[1]),
        **how,
    )


@pytest.mark.parametrize(
    ("how", "x", "y"),
    [
        ({"weights": (1 / 3, 1 / 4)}, 4 / 7, 3 / 7),
        ({"orientation": "receiver"}, 1 / 3, 2 / 3),
        ({"orientation": "receiver", "utility": "potential-delay"}, 1 / (1 + math.sqrt(2)), 2 - math.sqrt(2)),
        ({}, 1 / 2, 1 / 2),
    ],
)
def test_table_1_and_figure_3_of_hang_and_erke(how, x: float, y: float) -> None:
    best = solve(figure_3(**how))
    assert [best.rates["to r2"], best.rates["to r3, r4"]] == pytest.approx([x, y], rel=1e-8)
    assert best.rates["to r1"] == pytest.approx(1, rel=1e-8)
    checked = dual(figure_3(**how))
    assert checked.converged
    assert checked.rates["to r2"] == pytest.approx([x], rel=1e-4)
    assert checked.rates["to r3, r4"] == pytest.approx([y, y], rel=1e-4)
    assert {name for name, link in best.links.items() if link.binds} == {"l1", "l2"}


def test_numbers_as_published() -> None:
    rates = [solve(figure_3(weights=(1 / 3, 1 / 4))), solve(figure_3(orientation="receiver"))]
    rates.append(solve(figure_3(orientation="receiver", utility="potential-delay")))
    assert [round(best.rates["to r2"], 2) for best in rates] == [0.57, 0.33, 0.41]
    assert [round(best.rates["to r3, r4"], 2) for best in rates] == [0.43, 0.67, 0.59]


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 4])
@pytest.mark.parametrize(("n", "receivers"), [(1, 2), (3, 10), (20, 1000)])
def test_flows_beside_a_session_on_one_link(alpha: float, n: int, receivers: int) -> None:
    c = 2e6
    demands = [flow(f"f{i}", 0) for i in range(n)] + [session("s", *[(0,)] * receivers)]
    best = solve(problem([c], *demands, orientation="receiver", **shape(alpha)))
    ratio = receivers ** (1 / alpha)
    assert best.rates["f0"] == pytest.approx(c / (n + ratio), rel=1e-8)
    assert best.rates["s"] == pytest.approx(c * ratio / (n + ratio), rel=1e-8)


@pytest.mark.parametrize("alpha", [0.2, 0.5, 1, 2, 5, 20])
@pytest.mark.parametrize("hops", [2, 7, 30])
def test_the_parking_lot(alpha: float, hops: int) -> None:
    capacities, demands = parking_lot(hops)
    best = solve(problem(capacities, *demands, **shape(alpha)))
    # All prices are equal: (c - x)^-alpha = x^-alpha / n. For alpha = 1 the long flow has c / (n + 1).
    assert best.rates["long"] == pytest.approx(1e6 / (1 + hops ** (1 / alpha)), rel=1e-8)


def test_max_min_by_hand() -> None:
    # l0: 30 for three, a, b, c; l1: 100 for c and d, where c has only 10.
    demands = [flow("a", 0), flow("b", 0), flow("c", 0, 1), flow("d", 1)]
    best = solve(problem([30, 100], *demands, utility="max-min"))
    assert best.rates == {"a": 10, "b": 10, "c": 10, "d": 90}
    assert best.value is None
    weighted = [flow("a", 0, weight=3), flow("b", 0), flow("c", 0, 1), flow("d", 1, max_rate=40)]
    assert solve(problem([30, 100], *weighted, utility="max-min")).rates == {"a": 18, "b": 6, "c": 6, "d": 40}


def test_multirate_by_hand() -> None:
    # Behind a link of 10 one receiver with a link of 2, one with 100; a flow shares the first link.
    routes, capacities = [(0, 1), (0, 2)], [10, 2, 100]
    best = solve(problem(capacities, session("s", *routes, multirate=True), flow("f", 0), utility="max-min"))
    assert best.receivers["s"] == {"s-0": 2, "s-1": 5}
    assert best.rates == {"s": 5, "f": 5}
    assert best.metrics == {
        ("s", "rate"): 3.5,
        ("s-0", "rate"): 2,
        ("s-1", "rate"): 5,
        ("f", "rate"): 5,
    }
    single = solve(problem(capacities, session("s", *routes), flow("f", 0), utility="max-min"))
    assert single.rates == {"s": 2, "f": 8}
    # Proportional, each receiver counting: 1/x1 = p0 = 1/f.
    both = problem(capacities, session("s", *routes, multirate=True), flow("f", 0), orientation="receiver")
    assert solve(both).receivers["s"] == pytest.approx({"s-0": 2, "s-1": 5})
    # As one session each receiver counts half: (1/2) / x1 = 1 / f, x1 + f = 10.
    as_one = problem(capacities, session("s", *routes, multirate=True), flow("f", 0))
    assert solve(as_one).receivers["s"] == pytest.approx({"s-0": 2, "s-1": 10 / 3})


def test_receivers_that_are_pooled() -> None:
    # Two receivers with fast links behind one of 3, beside a flow: both have what it gives them, so it is worth two.
    best = solve(
        problem([3, 100, 100], session("s", (0, 1), (0, 2), multirate=True), flow("f", 0), orientation="receiver")
    )
    assert best.receivers["s"] == pytest.approx({"s-0": 2, "s-1": 2})


# Two methods and a solver from elsewhere.


def normal(seed: int, alpha: float) -> Problem:
    """Few links with capacities within a factor of four, so that the dual iteration gets there."""
    random = np.random.default_rng(seed)
    links = int(random.integers(2, 7))
    flows, sessions = int(random.integers(1, 6)), int(random.integers(1, 4))
    demands = random_demands(random, links, flows, sessions, decades=0.3)
    orientation = "receiver" if seed % 2 else "session"
    return problem(random.uniform(1e6, 4e6, links), *demands, orientation=orientation, **shape(alpha))


# With alpha = 2 prices of small rates are so high that the iteration takes too long to get there on the other seeds.
@pytest.mark.parametrize(
    ("alpha", "seed"), [*((1, seed) for seed in SEEDS), *((2, s) for s in (0, 1, 2, 6, 8, 10, 11))]
)
def test_the_dual_iteration_comes_to_the_same(seed: int, alpha: float) -> None:
    given = normal(seed, alpha)
    best, checked = solve(given), dual(given, steps=40_000)
    for demand in given.demands:
        found = list(best.receivers[demand.name].values()) if demand.receivers else [best.rates[demand.name]]
        assert checked.rates[demand.name] == pytest.approx(found, rel=1e-3), demand.name


@pytest.mark.parametrize("alpha", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_clarabel_comes_to_the_same(seed: int, alpha: float) -> None:
    given = normal(seed, alpha)
    best = solve(given)
    for name, rates in by_clarabel(given).items():
        found = list(best.receivers[name].values()) if name in best.receivers else [best.rates[name]]
        assert rates == pytest.approx(found, rel=1e-4), name


def by_clarabel(given: Problem) -> dict[str, list[float]]:
    """The same with cones: a rate for each receiver and one for each link of each demand, and nothing left out."""
    clarabel = pytest.importorskip("clarabel")
    from scipy.sparse import csc_matrix

    alpha = given.exponent
    count = itertools.count()
    rate = {(d.name, r): next(count) for d in given.demands for r in range(len(d.routes))}
    carried = {(d.name, link): next(count) for d in given.demands for link in d.links}
    worth = {key: next(count) for key in rate}
    cost = np.zeros(next(count))
    rows: list[dict[int, float]] = []
    right: list[float] = []
    for d in given.demands:
        each = d.weight * (1 if given.orientation == "receiver" else 1 / len(d.routes))
        for r, route in enumerate(d.routes):
            cost[worth[d.name, r]] = -each
            for link in d.links if not d.multirate else route:
                rows.append({rate[d.name, r]: 1, carried[d.name, link]: -1})
                right.append(0)
            if not d.multirate and r:
                rows += [{rate[d.name, r]: 1, rate[d.name, 0]: -1}, {rate[d.name, r]: -1, rate[d.name, 0]: 1}]
                right += [0, 0]
    for index, link in enumerate(given.links):
        members = {carried[d.name, index]: 1.0 for d in given.demands if index in d.links}
        if members:
            rows.append(members)
            right.append(link.capacity / 1e6)
    cones = [clarabel.NonnegativeConeT(len(rows))]
    for key, place in rate.items():
        if alpha == 1:  # (worth, 1, rate) in the exponential cone: worth <= log rate
            rows += [{worth[key]: -1}, {}, {place: -1}]
            right += [0, 1, 0]
            cones.append(clarabel.ExponentialConeT())
        else:  # -worth * rate >= 1, as |(rate + worth, 2)| <= rate - worth
            rows += [{place: -1, worth[key]: 1}, {place: -1, worth[key]: -1}, {}]
            right += [0, 0, 2]
            cones.append(clarabel.SecondOrderConeT(3))
    entries = [(row, column, value) for row, found in enumerate(rows) for column, value in found.items()]
    at, columns, values = zip(*entries, strict=True)
    matrix = csc_matrix((values, (at, columns)), shape=(len(rows), len(cost)))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    none = csc_matrix((len(cost), len(cost)))
    x = np.array(clarabel.DefaultSolver(none, cost, matrix, np.array(right, float), cones, settings).solve().x)
    return {d.name: [1e6 * x[rate[d.name, r]] for r in range(len(d.routes))] for d in given.demands}


# Conditions of optimality, where capacities differ by six decades.


def wide(seed: int, alpha: float | None, *, multirate: bool = True) -> Problem:
    random = np.random.default_rng(1000 + seed)
    links = int(random.integers(3, 60))
    demands = random_demands(random, links, flows=int(random.integers(1, 100)), sessions=int(random.integers(1, 10)))
    chosen = demands if multirate else [demand for demand in demands if not demand.multirate]
    how = {"utility": "max-min"} if alpha is None else shape(alpha)
    return problem(10 ** random.uniform(4, 10, links), *chosen, **how)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_conditions_of_optimality(seed: int, alpha: float) -> None:
    """Rates fit, only what is full has a price, and at these prices no demand could do better for itself.

    By the duality of Low and Lapsley that is enough. The tolerances are those of the digits that are given out.
    """
    confirm(wide(seed, alpha), alpha)


def confirm(given: Problem, alpha: float) -> Optimum:
    """Solve it and hold the answer against the conditions."""
    best = solve(given)
    feasible(given, best)
    for name, link in best.links.items():
        assert link.price >= 0
        assert link.price == 0 or link.binds, name
    prices = [best.links[link.name].price if link.name in best.links else 0.0 for link in given.links]
    for demand in given.demands:
        worth = demand.weight * (len(demand.routes) if given.orientation == "receiver" else 1)
        found = list(best.receivers[demand.name].values()) if demand.receivers else [best.rates[demand.name]]
        selfish, _ = best_response(demand, worth, prices, alpha, math.inf)
        assert found == pytest.approx(selfish, rel=2e-7), demand.name
        if not demand.multirate:
            paid = math.fsum(prices[link] for link in demand.links)
            assert worth * found[0] ** -alpha == pytest.approx(paid, rel=1e-6), demand.name
    return best


# Stretches of a tree without receivers of their own: their rates are the largest of those below them.


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 5, 20])
def test_a_stretch_without_receivers_far_from_what_limits_it(alpha: float) -> None:
    # l1 has no receiver and could carry anything between 30 kbit/s, what l2 takes of it, and what l0 gives.
    video = session("s", (0,), (0, 1, 2), (0, 1, 3), multirate=True)
    best = confirm(problem([10e6, 40e6, 30e3, 20e3], flow("f", 0, 1), video, **shape(alpha)), alpha)
    assert best.receivers["s"] == pytest.approx({"s-0": best.rates["s"], "s-1": 30e3, "s-2": 20e3})
    # On l0 a third of a session beside a flow: x^-a / 3 = f^-a, x + f = 10 Mbit/s.
    assert best.rates["f"] == pytest.approx(10e6 / (1 + 3 ** (-1 / alpha)), rel=1e-8)
    assert best.links["l1"].elastic == pytest.approx(best.rates["f"] + 30e3)


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 5, 20])
def test_a_stretch_without_receivers_on_a_link_that_somebody_fast_fills(alpha: float) -> None:
    # Nobody below l0 in the session has more than 20 kbit/s, the flow takes the rest of l0 at a price that is nothing
    # to them: 1e-16 of what they are worth must not be enough to keep the room from it.
    best = confirm(
        problem([1e9, 20e3, 10e3], flow("f", 0), session("s", (0, 1), (0, 2), multirate=True), **shape(alpha)), alpha
    )
    assert best.receivers["s"] == pytest.approx({"s-0": 20e3, "s-1": 10e3})
    assert best.rates["f"] == pytest.approx(1e9 - 20e3, rel=1e-8)


@pytest.mark.parametrize("alpha", [0.5, 1, 2, 5, 20])
@pytest.mark.parametrize("seed", range(12))
def test_multirate_sessions_over_random_trees(seed: int, alpha: float) -> None:
    random = np.random.default_rng(seed)
    capacities, demands = random_trees(random, int(random.integers(1, 6)), int(random.integers(0, 20)))
    for orientation in ("session", "receiver"):
        confirm(problem(capacities, *demands, orientation=orientation, **shape(alpha)), alpha)


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_lost_before_solving(seed: int) -> None:
    """Fewer unknowns and limits, and still every limit is met and every receiver has a rate."""
    random = np.random.default_rng(seed)
    capacities, demands = random_trees(random, 3, 10)
    found = branches(problem(capacities, *demands))
    given = presolve(found)
    assert len(given.parent) <= len(found.parent)
    assert set(given.place) <= set(range(len(found.limits)))
    for unknown, (new, receivers) in enumerate(zip(given.of, found.receivers, strict=True)):
        assert new >= 0 or receivers == 0, unknown
    assert given.weight @ given.copies == pytest.approx(found.weight.sum())
    limited = {unknown for limit in given.limits for unknown in limit.members}
    assert limited == set(range(len(given.parent)))


def test_equal_flows_are_one_unknown() -> None:
    # Access links that are wider than the shared one limit nobody.
    flows = [flow(f"f{i}", 0, i + 1, weight=1 + i % 2) for i in range(1000)]
    given = presolve(branches(problem([1e6, *[1e6] * 1000], *flows)))
    assert given.copies.tolist() == [500, 500]
    assert [limit.members for limit in given.limits] == [(0, 1)]
    best = solve(problem([1e6, *[1e6] * 1000], *flows))
    assert [best.rates["f0"], best.rates["f1"]] == pytest.approx([1e6 / 1500, 2e6 / 1500], rel=1e-8)
    assert best.links["l0"].price == pytest.approx(1500 / 1e6)


def test_narrow_access_links_stay() -> None:
    flows = [flow(f"f{i}", 0, i + 1) for i in range(4)]
    best = solve(problem([10, 1, 2, 100, 100], *flows))
    assert list(best.rates.values()) == pytest.approx([1, 2, 3.5, 3.5])


# What is no optimum is not given out.


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda p: (p.rates * 1.001, p.prices / 1.001), "carries more than its room"),
        (lambda p: (p.rates * 0.999, p.prices / 0.999), "has a price and room to spare"),
        (lambda p: (p.rates, p.prices * 1.001), "is not worth what it costs"),
    ],
)
def test_conditions_are_checked_before_an_answer(monkeypatch: pytest.MonkeyPatch, spoil, says: str) -> None:
    given = problem([1e6, 3e6], flow("a", 0), flow("b", 0, 1, weight=2))
    solve(given)
    honest = interior_point.alpha_fair

    def dishonest(*args):
        point = honest(*args)
        rates, prices = spoil(point)
        return interior_point.Point(rates, prices, point.passed_on, "it was spoilt")

    monkeypatch.setattr(interior_point, "alpha_fair", dishonest)
    with pytest.raises(NotFinishedError, match=rf"{says}, by .* where 1e-07 is allowed; it was spoilt"):
        solve(given)


def test_stretches_are_checked_too() -> None:
    # Both receivers behind l0, where the first could have all of l1.
    given = presolve(branches(problem([4, 3, 1], session("s", (0, 1), (0, 2), multirate=True), flow("f", 0, weight=9))))
    point = interior_point.alpha_fair(given, 1.0, np.array([1.0] * len(given.parent)))
    assert conditions.worst(given, 1.0, point).error < 1e-7
    lower = [unknown for unknown, parent in enumerate(given.parent) if parent >= 0]
    assert lower
    for change, says in ((1e-3, "is slower than one below it"), (-1e-3, "room to spare|pays for more|not worth")):
        rates = point.rates.copy()
        rates[lower] *= 1 + change
        spoilt = interior_point.Point(rates, point.prices, point.passed_on, "")
        found = conditions.worst(given, 1.0, spoilt)
        assert found.error > 1e-4, says


# Effort.


def coupled(links: int, flows: int) -> Problem:
    """Flows over four links each, anywhere."""
    random = np.random.default_rng(1)
    listed = [flow(f"f{i}", *map(int, random.choice(links, size=4, replace=False))) for i in range(flows)]
    return problem(10 ** random.uniform(5, 8, links), *listed)


def test_effort_is_counted_and_bounded() -> None:
    # Two flows over links 0, 1 and 1, 2: pairs (0, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1), (2, 2).
    chain = problem([1, 1, 1], flow("a", 0, 1), flow("b", 1, 2), flow("c", 0), flow("d", 2))
    assert presolve(branches(chain)).pairs() == 7
    solve(chain, pairs_max=7)
    with pytest.raises(
        TooLargeError, match=r"7 pairs of links .* more than 6, .* faircast\.optimum looks for it"
    ) as caught:
        solve(chain, pairs_max=6)
    assert caught.value.pairs == 7
    # However many flows there are on a link, and whatever they count, it is one pair.
    many = problem([1e6], *[flow(f"f{i}", 0, weight=1 + i / 100) for i in range(100)])
    assert presolve(branches(many)).pairs() == 1


def test_the_factorised_matrix_does_not_grow_with_the_flows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order of elimination is searched in a time that grows as the square of the flows on one link."""
    sizes = []
    solved = interior_point._solved
    monkeypatch.setattr(interior_point, "_solved", lambda m, right: sizes.append(m.shape[0]) or solved(m, right))
    random = np.random.default_rng(1)
    flows = [flow(f"f{i}", 0, i + 1, weight=float(random.uniform(0.5, 2))) for i in range(500)]
    solve(problem([1e8, *random.uniform(1e4, 1e6, 500)], *flows))
    assert set(sizes) == {1}


@pytest.mark.parametrize("asked", [1, 50, 400, 410])
def test_it_ends_when_it_is_no_longer_wanted(asked: int) -> None:
    given = coupled(50, 400)
    counted = itertools.count(1)
    with (
        pytest.raises(interruption.Interrupted),
        interruption.interruptible(lambda: next(counted) >= asked),
    ):
        solve(given)
    assert next(counted) == asked + 1, "nothing goes on after it"


def feasible(given: Problem, best: Optimum) -> None:
    for index, link in enumerate(given.links):
        load = 0.0
        for demand in given.demands:
            rates = list(best.receivers.get(demand.name, {demand.name: best.rates[demand.name]}).values())
            pairs = zip(rates, demand.routes, strict=True) if len(rates) == len(demand.routes) else []
            load += max(
                (rate for rate, route in pairs if index in (route if demand.multirate else demand.links)), default=0
            )
        assert load <= link.capacity * (1 + 1e-8)
        if link.name in best.links:
            assert best.links[link.name].elastic == pytest.approx(load, rel=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_max_min_has_a_bottleneck_for_everyone(seed: int) -> None:
    given = wide(seed, None)
    best = solve(given)
    feasible(given, best)
    for demand in given.demands:
        rates = best.receivers.get(demand.name, {demand.name: best.rates[demand.name]})
        for place, (name, rate) in enumerate(rates.items()):
            mine = demand.routes[place] if demand.multirate else demand.links
            # A full link on which nobody's rate per weight is greater.
            assert any(
                best.links[given.links[link].name].binds
                and rate / demand.weight >= max(levels(given, best, link)) * (1 - 1e-7)
                for link in mine
            ), name


def levels(given: Problem, best: Optimum, link: int) -> list[float]:
    found = []
    for other in given.demands:
        rates = list(best.receivers.get(other.name, {other.name: best.rates[other.name]}).values())
        for rate, route in zip(rates, other.routes, strict=True):
            if link in (route if other.multirate else other.links):
                found.append(rate / other.weight)
    return found


# Properties.


@pytest.mark.parametrize("seed", SEEDS)
def test_great_alphas_tend_to_max_min(seed: int) -> None:
    random = np.random.default_rng(seed)
    capacities = random.uniform(1e6, 1e8, 12)
    demands = [flow(f"f{i}", *map(int, random.choice(12, size=3, replace=False))) for i in range(15)]
    limit = solve(problem(capacities, *demands, utility="max-min")).rates
    errors = []
    for alpha in (1.0, 4.0, 16.0):
        rates = solve(problem(capacities, *demands, utility="alpha-fair", alpha=alpha)).rates
        errors.append(max(abs(rates[name] / rate - 1) for name, rate in limit.items()))
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] < 0.2


@pytest.mark.parametrize("seed", SEEDS)
def test_more_rates_are_never_worse(seed: int) -> None:
    random = np.random.default_rng(seed)
    capacities = 10 ** random.uniform(5, 8, 20)
    demands = random_demands(random, 20, flows=10, sessions=4)
    values, least = [], []
    for multirate in (False, True):
        chosen = [
            Demand(name=d.name, routes=d.routes, receivers=d.receivers, multirate=multirate and len(d.routes) > 1)
            for d in demands
        ]
        value = solve(problem(capacities, *chosen, orientation="receiver")).value
        assert value is not None
        values.append(value)
        best = solve(problem(capacities, *chosen, utility="max-min"))
        least.append(min([*best.rates.values(), *(r for found in best.receivers.values() for r in found.values())]))
    assert values[1] >= values[0] * (1 - 1e-9)
    assert least[1] >= least[0] * (1 - 1e-9)


@pytest.mark.parametrize("alpha", [*ALPHAS, None])
@pytest.mark.parametrize("scale", [1e-5, 1e5])
def test_rates_scale_with_capacities(alpha: float | None, scale: float) -> None:
    given = wide(3, alpha)
    scaled = problem(
        [link.capacity * scale for link in given.links], *given.demands, utility=given.utility, alpha=given.alpha
    )
    expected = {name: rate * scale for name, rate in solve(given).rates.items()}
    assert solve(scaled).rates == pytest.approx(expected, rel=2e-8)


def test_weights_count_only_among_each_other() -> None:
    capacities, demands = parking_lot(4)
    heavier = [flow(d.name, *d.routes[0], weight=1e6) for d in demands]
    rates = solve(problem(capacities, *demands)).rates
    assert solve(problem(capacities, *heavier)).rates == pytest.approx(rates, rel=1e-8)


def test_a_session_is_bounded_by_its_maximum_rate() -> None:
    capped = Demand(name="s", routes=((0, 1), (0,)), receivers=("a", "b"), multirate=True, max_rate=2.0)
    best = solve(problem([10, 100], capped, flow("f", 0)))
    assert best.receivers["s"] == pytest.approx({"a": 2, "b": 2})
    assert best.rates["f"] == pytest.approx(8)
    assert dual(problem([10, 100], capped, flow("f", 0))).rates["s"] == pytest.approx([2, 2])


def test_inelastic_demands_come_first() -> None:
    voice = Demand(name="voice", routes=((0,),), fixed_rate=4.0)
    best = solve(problem([10], voice, flow("a", 0), flow("b", 0)))
    assert best.rates == pytest.approx({"a": 3, "b": 3})
    assert (best.links["l0"].inelastic, best.links["l0"].binds) == (4, True)
    # What only inelastic demands cross may be overloaded: nobody's optimum depends on it.
    assert solve(problem([3, 5], voice, flow("a", 1))).rates == {"a": 5}


def test_large_trees() -> None:
    # 100 routers with 100 receivers each, all links random.
    random = np.random.default_rng(1)
    capacities = [5e7, *random.uniform(1e6, 1e7, 100), *random.uniform(1e5, 1e7, 10_000)]
    routes = [(0, 1 + i // 100, 101 + i) for i in range(10_000)]
    single = solve(problem(capacities, session("s", *routes), flow("f", 0)))
    assert single.rates["s"] == pytest.approx(min(capacities), rel=1e-8)
    assert single.rates["f"] == pytest.approx(5e7 - min(capacities), rel=1e-8)
    multi = problem(capacities, session("s", *routes, multirate=True), flow("f", 0), orientation="receiver")
    feasible_rates = [min(capacities[link] for link in route) for route in routes]
    # The first link has room for the fastest receiver and the flow has what is left.
    best = solve(multi)
    assert list(best.receivers["s"].values()) == pytest.approx(feasible_rates, rel=1e-8)
    assert best.rates["f"] == pytest.approx(5e7 - max(feasible_rates), rel=1e-8)


def test_distance() -> None:
    best = solve(problem([10, 2, 100], session("s", (0, 1), (0, 2), multirate=True), flow("f", 0), utility="max-min"))
    assert best.distance({"s-0": 2, "s-1": 5, "f": 5}) == 0
    assert best.distance({"s-0": 0, "s-1": 0, "f": 0}) == 1
    # Receivers 50 % above and right: mean square 0.125; the flow 20 % below: 0.04.
    assert best.distance({"s-0": 3, "s-1": 5, "f": 4}) == pytest.approx(math.sqrt((0.125 + 0.04) / 2))
    with pytest.raises(InputError, match="no rate of"):
        best.distance({"f": 5})


# Bad input.


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"utility": "proportionl"}, r"there is no utility proportionl \(did you mean proportional\?\)"),
        ({"orientation": "sender"}, "there is no orientation sender"),
        ({"utility": "alpha-fair"}, "the utility alpha-fair needs alpha, 0.1 to 20"),
        ({"utility": "alpha-fair", "alpha": 0.0}, "alpha is 0.0; legal is 0.1 to 20"),
        ({"utility": "alpha-fair", "alpha": -1.0}, "alpha is -1.0; legal is 0.1 to 20"),
        ({"utility": "alpha-fair", "alpha": math.nan}, "alpha is nan; legal is 0.1 to 20"),
        ({"alpha": 2.0}, "alpha belongs to the utility alpha-fair"),
    ],
)
def test_illegal_utilities(how, message: str) -> None:
    with pytest.raises(InputError, match=message):
        problem([1], flow("f", 0), **how)


def test_illegal_demands() -> None:
    with pytest.raises(InputError, match="the weight of f is -1; legal is a number above 0"):
        problem([1], flow("f", 0, weight=-1))
    with pytest.raises(InputError, match="the weight of f is 0"):
        problem([1], flow("f", 0, weight=0))
    with pytest.raises(InputError, match="the maximum rate of f is 0 bit/s"):
        problem([1], flow("f", 0, max_rate=0))
    with pytest.raises(InputError, match="the capacity of l0 is -1 bit/s"):
        problem([-1], flow("f", 0))
    with pytest.raises(InputError, match="the rate of v is -2 bit/s"):
        problem([1], Demand(name="v", routes=((0,),), fixed_rate=-2))
    with pytest.raises(InputError, match="the dual iteration does not apply"):
        dual(problem([1], flow("f", 0), utility="max-min"))


def test_no_optimum() -> None:
    voice = Demand(name="voice", routes=((0, 1),), fixed_rate=3e6)
    with pytest.raises(InfeasibleError, match="take 3000000 bit/s of link l0, which has 2000000 bit/s") as caught:
        solve(problem([2e6, 1e7], voice, flow("f", 0)))
    assert caught.value.overload == {"l0": 1e6}
    nowhere = Demand(name="s", routes=((0,), ()), receivers=("a", "b"), multirate=True)
    with pytest.raises(InfeasibleError, match="s has a receiver that no link leads to"):
        solve(problem([1], nowhere))


def test_nothing_elastic() -> None:
    best = solve(problem([10], Demand(name="voice", routes=((0,),), fixed_rate=3)))
    assert best.rates == {}
    assert math.isnan(best.distance({}))
