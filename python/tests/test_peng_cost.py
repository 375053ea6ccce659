"""What Peng and Sikdar's scheme costs, and several receivers of a session: scenarios and measures by hand."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import faircast
from faircast import _native
from faircast.experiment import AGREES, IDENTITY, Data, PointData, judge
from faircast.experiments.peng import cost, receivers
from faircast.experiments.peng.course import WINDOW_S
from faircast.experiments.peng.network import DURATION_S, MULTICAST, SESSIONS, TCPS, TERMINALS, Case
from faircast.experiments.peng.rlm import MAIN as FIRST
from faircast.experiments.peng.rlm import VARIANTS
from faircast.scenario import Resolved, resolve
from faircast.summary import Layout, RunSummary

PLAIN = Resolved("{}")
WINDOWS = DURATION_S // WINDOW_S
SEEDS = (1, 2)


def summary(rows: dict[tuple[str, str], float]) -> RunSummary:
    return RunSummary(Layout(tuple((*key, "1") for key in rows)), array("d", rows.values()))


def data_of(runs: dict[Case, tuple[Any, dict[tuple[str, str], float]]]) -> Data:
    """Two seeds of each case, of which the second has a hundredth more of every metric."""
    points: dict[Any, PointData] = {}
    for case, (kept, rows) in runs.items():
        found = {seed: summary({key: value * (0.99 + 0.01 * seed) for key, value in rows.items()}) for seed in SEEDS}
        points[case] = PointData(PLAIN, found, reduced=dict.fromkeys(SEEDS, kept))
    return Data(points, SEEDS, quick=False)


def course(multicast: float = 37.5, tcp: float = 37.5, layers: list[tuple[float, int]] | None = None) -> dict[str, Any]:
    """What is kept of a run with constant rates in KBytes/s, and these layers by time."""
    rates = dict.fromkeys(MULTICAST, multicast) | dict.fromkeys(TCPS, tcp)
    changes = {name: np.array(layers or [(0.0, 6)], dtype=float) for name in MULTICAST}
    return {
        "rates": {name: np.full(WINDOWS, value) for name, value in rates.items()},
        "changes": changes,
        "held": changes,
        "handoffs": np.array([]),
    }


def reports(of_hosts: float, of_routers: float) -> dict[tuple[str, str], float]:
    kinds = {"joins_and_leaves": of_hosts, "grafts_and_prunes": of_routers}
    return {(name, kind): value for name in MULTICAST for kind, value in kinds.items()}


def test_scenarios_have_what_their_cases_say() -> None:
    doubling = Case(doubling=True).of_seed(1)["sessions"]["multicast-1"]
    assert doubling["scheme"] == "layer-blocking"
    assert doubling["rates"] == [f"{kbps} kbit/s" for kbps in (32, 64, 128, 256, 1024)]
    many = cost.PAIR["pair"].of_seed(1)
    assert many["stations"]["gateway"]["uplink"]["agent"]["unicast"] == "pair"
    of_the_pair = [flow for flow in many["flows"].values() if flow["from"] == f"source-{SESSIONS.index('tcp-0')}"]
    assert len(of_the_pair) == cost.FLOWS
    assert {flow["to"] for flow in of_the_pair} == {list(TERMINALS)[SESSIONS.index("tcp-0")]}
    assert len(many["flows"]) == cost.FLOWS + 2
    assert Case().of_seed(1)["stations"]["gateway"]["uplink"]["agent"]["unicast"] == "flow"


def test_receivers_of_a_session_are_at_different_terminals_and_come_one_after_the_other() -> None:
    found = receivers.MANY.of_seed(1)
    assert found["warmup"] == "500 s"
    for i, name in enumerate(MULTICAST):
        members = found["sessions"][name]["receivers"]
        assert sorted(members["nodes"]) == sorted(TERMINALS)
        assert members["nodes"][0] == list(TERMINALS)[i]
        assert members["join_step"] == "100 s"
    assert Case().of_seed(1)["warmup"] == "100 s"


def test_every_case_has_a_name_of_its_own() -> None:
    points = [*cost.points(False), *receivers.points(False)]
    names = {point.scenario(1)["name"] for point in points}
    assert len(names) == len({point.key for point in points}) == len(points)


def test_messages_are_counted_for_each_receiver_and_100_s() -> None:
    case = Case()
    data = data_of({case: (course(), reports(28, 70)), receivers.MANY: (None, reports(100, 150))})
    # 98 of each session in 1400 s; 250 of each session in the 1000 s from 500 s on, for five receivers.
    assert cost.messages(data, case, 1) == pytest.approx(7)
    assert cost.messages(data, receivers.MANY, 1) == pytest.approx(5)


def test_rlm_has_to_send_more_to_agree() -> None:
    rlm = VARIANTS[FIRST]
    held = cost.CRITERIA[0]
    for theirs, agrees in ((140, True), (35, False)):
        runs = {}
        for window in (20, 64):
            runs[replace(Case(), window=window)] = (course(), reports(0, 70))
            runs[replace(rlm, window=window)] = (course(), reports(0, theirs))
        data = data_of(runs)
        assert cost.against_rlm(data, Case()).value == pytest.approx(theirs / 70)
        assert (judge(held, data).verdict == AGREES) is agrees


def test_waste_is_what_comes_less_the_lowest_layers_that_pass() -> None:
    # From 100 to 800 s two layers pass, of 32 and 64 kbit/s, and then three, 28 KBytes/s: 20 in the mean.
    case = Case(doubling=True)
    came = {(f"access-{i}", "efficiency"): 0.1 for i in range(2)}
    layers = [(0.0, 2), (800.0, 3)]
    data = data_of({case: (course(layers=layers), came), Case(): (course(layers=layers), came)})
    assert cost.wasted(data, case, "multicast-1", 1) == pytest.approx(62.5 - (12 + 28) / 2)
    # Of equal layers 12.5 and 18.75 KBytes/s.
    assert cost.wasted(data, Case(), "multicast-1", 1) == pytest.approx(62.5 - (12.5 + 18.75) / 2)
    more = cost.more_waste(data, Case())
    assert more.value == pytest.approx((12.5 + 18.75 - 12 - 28) / 2)
    assert more.holds is False


def test_what_multicast_keeps_beside_a_pair_of_many_flows() -> None:
    runs: dict[Case, Any] = {Case(): (course(multicast=40), {})}
    runs[cost.PAIR["flow"]] = (course(multicast=16), {})
    runs[cost.PAIR["pair"]] = (course(multicast=38), {})
    runs[cost.ONE_EACH] = (course(multicast=40), {})
    data = data_of(runs)
    assert cost.kept("flow", data, Case()).value == pytest.approx(0.4)
    assert cost.kept("pair", data, Case()).value == pytest.approx(0.95)
    assert cost.kept_more(data, Case()).value == pytest.approx((38 - 16) / 40)
    assert cost.confused(data, Case()).value == 0
    assert [item.identity != "" for item in cost.CRITERIA] == [False] * 5 + [True]


def test_pairs_with_one_flow_each_are_the_flows() -> None:
    by_flow, by_pair = (faircast.run(one.of_seed(3) | {"duration": "150 s"}, seed=3) for one in (Case(), cost.ONE_EACH))
    for table in ("flows", "receivers"):
        rows, same = (repr(getattr(one, table).to_pylist()) for one in (by_flow, by_pair))
        assert rows == same


def watched(layers: dict[int, list[float]], rates: dict[int, float] | None = None) -> dict[str, Any]:
    """What is kept of receivers with these layers, in equal parts of the time, and constant rates, in both sessions."""

    def series(parts: list[float]) -> Any:
        return np.repeat(np.array(parts), WINDOWS // len(parts))

    members = [(name, i) for name in MULTICAST for i in range(5)]
    return {
        "flows": dict.fromkeys(TCPS, np.full(WINDOWS, 36.0)),
        "receivers": {f"{name}-{i}": np.full(WINDOWS, (rates or {}).get(i, 37.5)) for name, i in members},
        "layers": {f"{name}-{i}": series(layers.get(i, [6.0])) for name, i in members},
    }


def test_receivers_differ_by_what_the_fewest_and_the_most_have() -> None:
    # In the last of three parts, the second half of what is judged, one has four layers of six.
    data = data_of({receivers.MANY: (watched({2: [6.0, 6.0, 4.0]}, {2: 30.0}), {})})
    assert receivers.apart(data, receivers.MANY, 1) == pytest.approx(2 * 0.5)
    assert receivers.same(data, receivers.MANY, 1) == pytest.approx(0.5)
    assert receivers.uneven(data, receivers.MANY, 1) == pytest.approx(7.5 / 36)
    found = receivers.rate_of_receivers(data, receivers.MANY)
    assert found.value == pytest.approx(36)
    assert found.note == "least 30 ± 0, greatest 37.5 ± 0"
    assert receivers.rate_of_tcp(data, receivers.MANY).value == pytest.approx(36)


def test_rates_have_to_differ_more_with_rlm_to_agree() -> None:
    even, uneven = watched({}), watched({}, {2: 30.0})
    data = data_of({receivers.MANY: (even, {}), receivers.RLM[FIRST]: (uneven, {})})
    found = receivers.more_even(data, receivers.MANY)
    assert found.value == pytest.approx(7.5 / 36)
    assert found.holds


def test_a_late_receiver_has_caught_up_when_it_has_what_the_first_one_has() -> None:
    kept = watched({})
    for name in MULTICAST:
        # The fifth joins at 400 s and has six layers from 430 s on; what it had before does not count.
        late = np.where(np.arange(WINDOWS) < 430 // WINDOW_S, 3.0, 6.0)
        kept["layers"][f"{name}-4"] = np.where(np.arange(WINDOWS) < 400 // WINDOW_S, np.nan, late)
    found = receivers.catches_up(data_of({receivers.MANY: (kept, {})}), receivers.MANY)
    assert found.value == 35


def test_what_is_kept_of_a_short_run_with_many_receivers() -> None:
    scenario = receivers.MANY.of_seed(1) | {"duration": "450 s", "warmup": "100 s"}
    kept = receivers.watched(_native.run(resolve(scenario).json, 1))
    assert list(kept["receivers"]) == [f"{name}-{i}" for name in MULTICAST for i in range(5)]
    assert {series.size for what in kept.values() for series in what.values()} == {450 // WINDOW_S}
    first, last = (kept["layers"][f"multicast-1-{i}"] for i in (0, 4))
    assert np.isnan(last[: 400 // WINDOW_S]).all() or (last[: 400 // WINDOW_S - 1] == 0).all()
    # 50 s after its join the last one has what the first one has.
    assert last[-1] == first[-1] >= 4


def test_only_what_holds_by_construction_is_not_counted() -> None:
    data = data_of(
        {replace(case, window=window): (course(), {}) for case in (Case(), cost.ONE_EACH) for window in (20, 64)}
    )
    assert judge(cost.CRITERIA[-1], data).verdict == IDENTITY
