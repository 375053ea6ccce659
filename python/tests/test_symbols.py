"""The optimum where links send symbols, of which a bit to one receiver takes more than a bit to another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from networks import problem

import faircast
from faircast.utility.dual import dual
from faircast.utility.optimum import solve
from faircast.utility.problem import Demand, Problem
from faircast.utility.satisfaction import alone

EFFICIENCIES = [0.5, 2.0, 4.0]
SYMBOLS = 3e6


def flow(name: str, *links: int, costs: dict[int, float], **how) -> Demand:
    return Demand(name=name, routes=(links,), costs=(costs,), **how)


def beam(**how) -> Problem:
    """One flow to each of three terminals over one link that sends symbols."""
    flows = [flow(f"f{i}", 0, costs={0: 1 / bits}) for i, bits in enumerate(EFFICIENCIES)]
    return problem([SYMBOLS], *flows, **how)


@pytest.mark.parametrize(
    ("how", "rates"),
    [
        # Equal symbols: x_i = C eta_i / n.
        ({}, [0.5e6, 2e6, 4e6]),
        # Equal rates, the harmonic mean: C / sum(1 / eta).
        ({"utility": "max-min"}, [SYMBOLS / (2 + 0.5 + 0.25)] * 3),
        # x_i = C sqrt(eta_i) / sum(1 / sqrt(eta)).
        (
            {"utility": "potential-delay"},
            [SYMBOLS * math.sqrt(bits) / sum(1 / math.sqrt(b) for b in EFFICIENCIES) for bits in EFFICIENCIES],
        ),
    ],
)
def test_flows_to_terminals_share_symbols(how, rates: list[float]) -> None:
    best = solve(beam(**how))
    assert [best.rates[f"f{i}"] for i in range(3)] == pytest.approx(rates, rel=1e-8)
    link = best.links["l0"]
    assert link.binds
    assert link.elastic == pytest.approx(SYMBOLS, rel=1e-8)
    if how.get("utility") != "max-min":
        checked = dual(beam(**how))
        assert checked.converged
        assert [checked.rates[f"f{i}"][0] for i in range(3)] == pytest.approx(rates, rel=1e-4)


def test_the_price_is_that_of_a_symbol() -> None:
    # Of log x_i with x_i = C eta_i / n: dU/dC = n / C.
    assert solve(beam()).links["l0"].price == pytest.approx(3 / SYMBOLS, rel=1e-6)


def test_a_session_counts_once_at_its_worst_member_and_constant_rates_come_first() -> None:
    film = Demand(name="film", routes=((0, 1), (0, 2)), receivers=("near", "far"), costs=({0: 1 / 4}, {0: 1 / 0.5}))
    voice = flow("voice", 0, costs={0: 1 / 2}, fixed_rate=1e6)
    mail = flow("mail", 0, costs={0: 1 / 2})
    whole = problem([SYMBOLS, 1e9, 1e9], film, voice, mail)
    best = solve(whole)
    # 500 000 symbols go to the constant rate, half of the rest to each of the others.
    assert best.links["l0"].inelastic == 5e5
    assert best.rates["film"] == pytest.approx(1.25e6 * 0.5, rel=1e-8)
    assert best.rates["mail"] == pytest.approx(1.25e6 * 2, rel=1e-8)
    # Alone, a member needs what its own signal asks for: x/eta + x/2 = 2.5e6.
    assert alone(whole) == pytest.approx({"near": 2.5e6 / 0.75, "far": 2.5e6 / 2.5}, rel=1e-8)


def test_a_maximum_rate_and_a_wire_bind_beside_symbols() -> None:
    # A wire of 1 Mbit/s behind the terminal of 4 bits, and a flow that wants no more than 100 kbit/s.
    flows = [
        flow("wired", 0, 1, costs={0: 1 / 4}),
        flow("small", 0, costs={0: 1 / 0.5}, max_rate=1e5),
        flow("free", 0, costs={0: 1 / 2}),
    ]
    for how in ({}, {"utility": "max-min"}, {"utility": "potential-delay"}):
        best = solve(problem([SYMBOLS, 1e6], *flows, **how))
        # 250 000 and 200 000 symbols are taken.
        assert best.rates["wired"] == pytest.approx(1e6, rel=1e-7)
        assert best.rates["small"] == pytest.approx(1e5, rel=1e-7)
        assert best.rates["free"] == pytest.approx(2 * (SYMBOLS - 4.5e5), rel=1e-7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_random_networks_meet_the_conditions_and_the_dual_agrees(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    links = 4
    demands = []
    for index in range(10):
        routes = []
        first = int(rng.integers(links))
        for _ in range(int(rng.integers(1, 4))):
            other = (first + 1 + int(rng.integers(links - 1))) % links
            routes.append((first, other) if rng.random() < 0.6 else (first,))
        costs = tuple({link: float(1 / rng.uniform(0.3, 6)) for link in route if link < 2} for route in routes)
        names = tuple(f"d{index}-{place}" for place in range(len(routes)))
        multirate = bool(rng.random() < 0.5)
        routes_of = tuple(dict.fromkeys(routes)) if multirate else tuple(routes)
        kept = len(routes_of)
        demands.append(
            Demand(name=f"d{index}", routes=routes_of, receivers=names[:kept], costs=costs[:kept], multirate=multirate)
        )
    made = problem([float(rng.uniform(1, 5)) for _ in range(links)], *demands, utility="alpha-fair", alpha=alpha)
    best = solve(made)  # raises if a condition is not met
    checked = dual(made, steps=200_000)
    if not checked.converged:
        pytest.skip("prices have far to go")
    for demand in demands:
        own = [best.receivers[demand.name][name] for name in demand.receivers]
        assert own == pytest.approx(checked.rates[demand.name], rel=2e-3), demand.name


@pytest.fixture
def tree() -> dict[str, Any]:
    """TCP to three terminals of a satellite that sends symbols."""
    return {
        "format": 1,
        "name": "beam",
        "duration": "20 s",
        "topology": {
            "kind": "satellite",
            "right": 3,
            "feeder": {"rate": "100 Mbit/s"},
            "downlink": {"symbol_rate": "3 Mbaud"},
        },
        "links": {f"leg-{i}": {"efficiency": bits} for i, bits in enumerate(EFFICIENCIES)},
        "flows": {"web": {"kind": "tcp", "from": "left-0", "to": ["right-0", "right-1", "right-2"], "count": 3}},
    }


def test_the_optimum_of_a_scenario_shares_symbols(tree: dict[str, Any]) -> None:
    best = faircast.optimum(tree, utility="max-min")
    assert best.rates["web-2"] == pytest.approx(SYMBOLS / 2.75, rel=1e-8)
    best = faircast.optimum(tree, utility="proportional")
    assert [best.rates[f"web-{i}"] for i in range(3)] == pytest.approx([0.5e6, 2e6, 4e6], rel=1e-8)


def test_the_optimum_stands_beside_what_a_run_measured(tree: dict[str, Any]) -> None:
    rows = faircast.run(tree).summary.to_pylist()
    optima = {row["subject"]: row["optimum"] for row in rows if row["metric"] == "rate"}
    assert [optima[f"web-{i}"] for i in range(3)] == pytest.approx([0.5e6, 2e6, 4e6], rel=1e-6)
