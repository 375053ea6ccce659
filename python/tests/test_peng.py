"""The experiments of Peng and Sikdar: what is kept of runs, measures and criteria on data made by hand."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from faircast import _native
from faircast.experiment import Data, Measured, Point, PointData, judge
from faircast.experiments.judging import of
from faircast.experiments.peng import claims, late, parameters, phases, rlm, together, two_bottlenecks
from faircast.experiments.peng.course import (
    BLOCKED,
    JOINED,
    LEFT,
    RELEASED,
    WINDOW_S,
    Course,
    blocked_and_released,
    joined_and_left,
    passing,
)
from faircast.experiments.peng.measures import (
    changes,
    fairness,
    layer_difference,
    mean_rate,
    rate_changes,
    rate_ratio,
    rate_variation,
    reaches,
)
from faircast.experiments.peng.network import (
    DURATION_S,
    MULTICAST,
    ORBIT_S,
    SESSIONS,
    TCPS,
    Case,
    offset_s,
    others,
    readings,
)
from faircast.scenario import Resolved, resolve
from faircast.summary import Layout, RunSummary

PLAIN = Resolved("{}")
WINDOWS = DURATION_S // WINDOW_S
Rates = float | Sequence[float]


def made(
    rates: Mapping[str, Rates],
    layers: Mapping[str, Sequence[tuple[float, int]]] | None = None,
    held: Mapping[str, Sequence[tuple[float, int]]] | None = None,
) -> dict[str, Any]:
    """What is kept of a run with these rates in KBytes/s, constant or in equal parts, and these layers by time."""

    def series(found: Rates) -> Any:
        parts = [found] if isinstance(found, float | int) else found
        return np.repeat(np.array(parts, dtype=float), WINDOWS // len(parts))

    def rows(found: Mapping[str, Sequence[tuple[float, int]]] | None) -> dict[str, Any]:
        return {name: np.array((found or {}).get(name, [(0.0, 6)]), dtype=float) for name in MULTICAST}

    return {
        "rates": {name: series(rates[name]) for name in rates},
        "changes": rows(layers),
        "held": rows(held or layers),
        "handoffs": np.array([]),
    }


def data_of(runs: Mapping[Any, Sequence[dict[str, Any]]], summaries: Mapping[Any, RunSummary] | None = None) -> Data:
    """Data with these runs of each case, one for each seed from 1."""
    points: dict[Any, PointData] = {}
    for case, kept in runs.items():
        seeds = range(1, len(kept) + 1)
        found = dict.fromkeys(seeds, (summaries or {}).get(case, RunSummary(Layout(()), array("d"))))
        points[case] = PointData(PLAIN, found, reduced=dict(zip(seeds, kept, strict=True)))
    return Data(points, range(1, 1 + max(map(len, runs.values()))), quick=False)


def even(multicast: Rates = 37.5, tcp: Rates = 37.5) -> dict[str, Rates]:
    return dict.fromkeys(MULTICAST, multicast) | dict.fromkeys(TCPS, tcp)


def test_two_seeds_share_each_of_five_offsets() -> None:
    offsets = [offset_s(seed) for seed in range(1, 11)]
    assert sorted(offsets) == pytest.approx(sorted([ORBIT_S * i / 5 for i in range(5)] * 2))
    assert Case().of_seed(3)["topology"]["start"] == f"{0.6 * 6026.96:g} s"


def test_scenarios_are_those_of_the_paper() -> None:
    first = Case().of_seed(1)
    assert [first["sessions"][name]["rates"] for name in MULTICAST] == [["50 kbit/s"] * 15] * 2
    assert {first["flows"][name]["variant"] for name in TCPS} == {"reno"}
    assert first["stations"]["gateway"]["uplink"]["agent"] == {
        "kind": "layer-blocking",
        "reset": "calm",
        "unicast": "flow",
    }
    second, third = (Case(scenario=n).of_seed(1) for n in (2, 3))
    assert [second["flows"][name]["start"] for name in TCPS] == ["0 s", "500 s", "1000 s"]
    assert [third["sessions"][name]["start"] for name in MULTICAST] == ["500 s", "1000 s"]
    of_rlm = Case(rlm="ns2", leave_s=0).of_seed(1)
    assert of_rlm["stations"]["gateway"]["uplink"] == {}
    assert of_rlm["sessions"]["multicast-1"]["rates"] == [f"{kbps} kbit/s" for kbps in (32, 64, 128, 256, 1024)]
    assert of_rlm["sessions"]["multicast-1"]["membership"] == {"leave_delay": "0 s"}
    assert (
        len({case.name for case in [*rlm.VARIANTS.values(), *rlm.OTHERS["packets lost at hand-offs"].values(), Case()]})
        == 9
    )


def test_what_passes_by_hand() -> None:
    # Three layers come through, the third is blocked; the fourth, joined later, waits for its release.
    told = [(0.0, JOINED, 0), (2.0, JOINED, 1), (4.0, JOINED, 2), (5.0, BLOCKED, 2), (6.0, JOINED, 3)]
    told += [(6.1, BLOCKED, 3), (9.0, RELEASED, 2), (12.0, RELEASED, 3), (20.0, LEFT, 3)]
    assert passing(told).tolist() == [[0, 1], [2, 2], [4, 3], [5, 2], [9, 3], [12, 4], [20, 3]]
    # Without blocks, as in RLM, all that is joined comes through; order of telling does not matter.
    assert passing([(3.0, LEFT, 1), (0.0, JOINED, 0), (1.0, JOINED, 1)]).tolist() == [[0, 1], [1, 2], [3, 1]]
    assert passing([]).shape == (0, 2)


def coded(rows: Sequence[Mapping[str, Any]], *texts: str) -> pa.Table:
    """A table as runs give them: texts are dictionaries."""
    columns = {name: pa.array([row[name] for row in rows]) for name in rows[0]}
    return pa.table({name: c.dictionary_encode() if name in texts else c for name, c in columns.items()})


def test_what_is_told_is_told_of_one_session_and_link() -> None:
    events = coded(
        [
            {"t_s": 0.5, "flow": "multicast-1", "event": JOINED, "layer": 0.0},
            {"t_s": 0.7, "flow": "multicast-2", "event": JOINED, "layer": 0.0},
            {"t_s": 1.0, "flow": "tcp-0", "event": "timeout", "layer": math.nan},
            {"t_s": 2.0, "flow": "multicast-1", "event": LEFT, "layer": 3.0},
        ],
        "flow",
        "event",
    )
    assert list(joined_and_left(events, "multicast-1")) == [(0.5, JOINED, 0), (2.0, LEFT, 3)]
    acts = coded(
        [
            {"t_s": 1.0, "link": "gateway-up", "event": BLOCKED, "about": "multicast-1/7"},
            {"t_s": 1.5, "link": "elsewhere", "event": BLOCKED, "about": "multicast-1/6"},
            {"t_s": 2.0, "link": "gateway-up", "event": "phase", "about": ""},
            {"t_s": 3.0, "link": "gateway-up", "event": RELEASED, "about": "multicast-2/7"},
        ],
        "link",
        "event",
        "about",
    )
    assert list(blocked_and_released(acts, "gateway-up", "multicast-1")) == [(1.0, BLOCKED, 7)]
    assert list(blocked_and_released(acts, "gateway-up", "multicast-2")) == [(3.0, RELEASED, 7)]


def test_a_course_by_hand() -> None:
    # 6 layers until 400 s, 8 until 800 s, then 5; a seventh is held from 0 to 800 s, two more than pass afterwards.
    layers = {"multicast-1": [(0.0, 6), (400.0, 8), (800.0, 5)]}
    held = {"multicast-1": [(0.0, 7), (400.0, 9), (800.0, 7)]}
    course = Course(**made(even(multicast=(30, 60, 90)), layers, held))
    assert course.mean_rate("multicast-1", 0, 1500) == pytest.approx(60)
    assert course.mean_rate("multicast-1", 400, 600) == pytest.approx(45)
    assert course.windows("multicast-1", 490, 510, 10).tolist() == [30, 60]
    assert course.mean_layers("multicast-1", 300, 500) == pytest.approx(7)
    assert course.mean_layers("multicast-1", 700, 1000) == pytest.approx(6)
    assert course.steps("multicast-1", 100, 1500) == [(6, 8), (8, 5)]
    assert course.steps("multicast-1", 0, 800) == [(0, 6), (6, 8)]
    assert course.layers_at("multicast-1", [399.9, 400.0, 1499.0]).tolist() == [6, 8, 5]
    assert course.time_with_empty("multicast-1", 2, 600, 1000) == pytest.approx(0.5)
    assert course.time_with_empty("multicast-1", 1, 600, 1000) == 1
    late_one = Course(**made(even(), {"multicast-1": [(500.0, 4)]}))
    assert late_one.mean_layers("multicast-1", 0, 1000) == 2


def test_measures_by_hand() -> None:
    case = Case()
    layers = {"multicast-1": [(0.0, 6), (450.0, 8), (800.0, 6)], "multicast-2": [(0.0, 6)]}
    rates = even() | {"multicast-1": 45.0, "multicast-2": 30.0, "tcp-0": 30.0}
    data = data_of({case: [made(rates, layers), made(even())]})
    assert mean_rate(data, case, MULTICAST).mean == pytest.approx(37.5)
    # (75 + 75) / 2 over ((30 + 75) / 3 + 37.5) of both seeds.
    assert rate_ratio(data, case).mean == pytest.approx(75 / (35 + 37.5))
    index = (45 + 30 + 30 + 75) ** 2 / (5 * (45**2 + 2 * 30**2 + 2 * 37.5**2))
    assert fairness(data, case).mean == pytest.approx((index + 1) / 2)
    # Two layers for 350 of 1400 s in one seed, none in the other.
    assert layer_difference(data, case).mean == pytest.approx(0.5 * 2 * 350 / 1400)
    # Two changes of one of two sessions in 1400 s, of two layers of 50 kbit/s each.
    assert changes(data, case).mean == pytest.approx(0.5 * 100 * 2 / 2 / 1400)
    assert rate_changes(data, case, 1) == pytest.approx(100 * 200 / 2 / 1400)
    # RLM's fifth layer has 1024 kbit/s.
    top = Case(rlm="ns2")
    data = data_of({top: [made(even(), {"multicast-1": [(0.0, 4), (500.0, 5), (501.0, 4)]})]})
    assert rate_changes(data, top, 1) == pytest.approx(100 * 2048 / 2 / 1400)


def test_variation_is_that_of_ten_seconds() -> None:
    # Alternating windows of 5 s have no variation over 10 s; 20 and 40 by turns of 10 s have a third.
    fast = even(multicast=[20, 40] * 150)
    slow = even(multicast=[20, 20, 40, 40] * 75)
    data = data_of({Case(): [made(fast), made(slow)]})
    assert rate_variation(data, Case(), 1) == pytest.approx(0)
    assert rate_variation(data, Case(), 2) == pytest.approx(1 / 3)


def test_a_late_session_arrives_with_its_first_good_window() -> None:
    case = Case(scenario=2)
    slow = [0.0] * 102 + [10.0] * 8 + [33.0] * 190
    data = data_of({one: [made(even() | {"tcp-1": slow})] for one in readings(case).values()})
    # From 550 s on, the sixth window of 10 s after 500 s.
    assert reaches(data, case, "tcp-1", 32.8).mean == 60
    assert reaches(data, case, "tcp-1", 40.0).mean == math.inf
    found = judge(late.arrivals(late.PARTS[8], 50)[0], data)
    assert (found.verdict, found.measured) == ("disagrees", 60)


def test_late_shares_are_those_of_who_is_there() -> None:
    assert [late.share_kbytes_s(2, period) for period in range(3)] == [62.5, 46.875, 37.5]
    assert [late.share_kbytes_s(3, period) for period in range(3)] == [62.5, 46.875, 37.5]
    case = late.PARTS[7].main
    rates = even() | {"multicast-1": (60.0, 45.0, 36.0), "multicast-2": (45.0, 45.0, 36.0)}
    data = data_of({one: [made(rates)] for one in readings(case).values()})
    verdicts = [judge(criterion, data) for criterion in late.shares(late.PARTS[7])]
    assert [item.verdict for item in verdicts] == ["disagrees", "agrees", "agrees"]
    assert verdicts[0].measured == pytest.approx((62.5 - 45) / 62.5)
    # Scenario 3 has multicast from its second period on, and its second session in the third.
    assert [item.name.split(", of the multicast")[0] for item in late.shares(late.PARTS[9])] == [
        "distance from the equal share, 600-1000 s",
        "distance from the equal share, 1100-1500 s",
    ]


def test_both_windows_are_judged_and_what_they_differ_in_is_named() -> None:
    short, long = readings(Case()).values()
    criterion = together.held("x", "y", of(lambda data, case: mean_rate(data, case, MULTICAST)), high=40)
    data = data_of({short: [made(even())], long: [made(even())], Case(handoff="lose"): [made(even(multicast=50.0))]})
    found = judge(criterion, data)
    assert (found.verdict, found.measured, found.note) == ("agrees", 37.5, "")
    expected = "window 20: 37.5, holds; window 64: 37.5, holds; packets lost at hand-offs: 50, does not hold"
    assert found.beside == expected
    data = data_of({short: [made(even())], long: [made(even(multicast=50.0))]})
    assert judge(criterion, data).verdict == "depends on the window"
    data = data_of({short: [made(even(multicast=50.0))], long: [made(even(multicast=50.0))]})
    assert judge(criterion, data).verdict == "disagrees"


def test_tcp_sends_at_random_moments_in_what_is_judged() -> None:
    # 1016 B with the link's header at 1.5 Mbit/s.
    assert Case().of_seed(1)["flows"]["tcp-0"]["send_jitter"] == "5.41867 ms"
    assert [case.of_seed(1)["flows"]["tcp-0"]["wnd"] for case in readings(Case()).values()] == [
        "20 packets",
        "64 packets",
    ]
    plain = others(Case())["TCP without random delays"].of_seed(1)["flows"]["tcp-0"]
    assert "send_jitter" not in plain
    assert plain["wnd"] == "20 packets"
    beside = {point.key for point in rlm.points(False) if point.beside}
    assert beside == {*others(Case()).values(), *(case for cases in rlm.OTHERS.values() for case in cases.values())}


def of_rlm(good: str | None) -> Data:
    """Blocking that is even, and RLM that is as the paper says in one variant only, or in none."""
    quiet = made(even(multicast=[37.0, 38.0] * 75), {n: [(0.0, 6), (500.0, 7), (600.0, 6)] for n in MULTICAST})
    wild = made(
        even(multicast=[5.0, 60.0] * 75) | {"multicast-2": 20.0},
        {n: [(0.0, 4), *((100.0 + 10 * i, 4 + i % 2) for i in range(20))] for n in MULTICAST},
    )
    calm = made(even(multicast=[37.0, 38.0] * 75), {n: [(0.0, 4)] for n in MULTICAST})
    runs = {case: [quiet, quiet] for case in readings(Case()).values()}
    for label, case in rlm.VARIANTS.items():
        for one in readings(case).values():
            runs[one] = [wild, wild] if label == good else [calm, calm]
    return data_of(runs)


def test_rlm_agrees_in_one_variant_that_is_named() -> None:
    def verdicts(data: Data) -> list[str]:
        statements = [statement for listed in rlm.STATEMENTS.values() for statement in listed]
        return [judge(rlm.in_one_variant(statement), data).verdict for statement in statements]

    assert verdicts(of_rlm("as in ns-2, leave delay 0 s")) == ["agrees"] * 5
    assert (
        verdicts(of_rlm("with dead ends mended, leave delay 2 s"))
        == ["agrees (with dead ends mended, leave delay 2 s)"] * 5
    )
    assert "agrees" not in verdicts(of_rlm(None))
    assert judge(rlm.together(), of_rlm(None)).verdict == "disagrees"
    assert judge(rlm.together(), of_rlm("as in ns-2, leave delay 2 s")).note == "as in ns-2, leave delay 2 s"


def test_a_variant_within_its_noise_is_said_to_be_undecided() -> None:
    statement = ("x", "y", lambda data, case: Measured(value=1.7 if case.window == 64 else 2.7, ci95=0.3), 1.5)
    found = judge(rlm.in_one_variant(statement), of_rlm(None))
    assert found.verdict == "undecided"
    assert found.beside.startswith("as in ns-2, leave delay 0 s, window 20: 2.7 ± 0.3, holds; ")
    assert "as in ns-2, leave delay 2 s, window 64: 1.7 ± 0.3, undecided" in found.beside
    assert "does not hold" not in found.beside


def test_phases_by_hand() -> None:
    # Phase 2 but for 60 s of phase 3 and 100 s of phase 1; the stay until 140 s counts from 100 s on.
    rows = np.array([(0.02, 1), (90, 3), (140, 2), (500, 3), (520, 2), (700, 1), (800, 2)])
    found = phases.stays(rows)
    assert found[3].tolist() == [40, 20]
    assert found[1].tolist() == [100]
    assert sum(lengths.sum() for lengths in found.values()) == 1400
    data = data_of({case: [rows] for case in phases.READINGS.values()})  # type: ignore[misc]
    verdicts = [judge(criterion, data) for criterion in phases.CRITERIA]
    assert [item.verdict for item in verdicts] == ["agrees", "agrees", "disagrees"]
    assert [item.measured for item in verdicts] == pytest.approx([1240 / 1400, 100 / 1400, 30])
    short = np.array([(0.02, 1), (750, 2), (1499, 3)])
    data = data_of({case: [short] for case in phases.READINGS.values()})  # type: ignore[misc]
    assert judge(phases.CRITERIA[0], data).verdict == "agrees"
    long = np.array([(0.02, 1), (850, 2), (1499, 3)])
    data = data_of({case: [long] for case in phases.READINGS.values()})  # type: ignore[misc]
    assert judge(phases.CRITERIA[0], data).verdict == "disagrees (phase 1 has more)"


def test_table_1_are_the_defaults() -> None:
    assert {key: parameters.value(key) for key in parameters.PUBLISHED} == {
        "lower_threshold": 0.0,
        "upper_threshold": 0.8,
        "slow_factor": 1.5,
        "back_factor": 4.0,
        "excess": 0.2,
        "interval": pytest.approx(0.02),
        "observation": 1.0,
    }


def test_claims_by_hand() -> None:
    lossy = {"multicast-1": [(0.0, 5)]}
    runs: dict[Any, list[dict[str, Any]]] = {
        claims.MAIN: [made(even(), held={n: [(0.0, 7), (800.0, 8), (1500.0, 7)] for n in MULTICAST})],
        claims.LOSSY: [made(even(), lossy)],
        claims.GREEDY: [made(even(tcp=36.0))],
        claims.OUTAGE: [made(even(multicast=[37.5] * 101 + [10.0] * 99))],
    }
    rows = {("access-0", "efficiency", "1"): 44.0 / 625, ("access-1", "efficiency", "1"): 43.0 / 625}
    came = RunSummary(Layout(tuple(rows)), array("d", rows.values()))
    data = data_of(runs, {claims.MAIN: came})
    assert claims.immune(data, claims.MAIN).value == 1
    assert claims.unharmed(TCPS, data, claims.MAIN).value == pytest.approx(0.04)
    assert claims.unharmed(("multicast-1",), data, claims.MAIN).value == pytest.approx(0)
    # Six layers pass: 37.5 of 44 KBytes/s.
    found = claims.bounded(data, claims.MAIN)
    assert found.value == pytest.approx(6.5)
    assert "0.5 of the time" in found.note
    assert claims.recovers(data, claims.MAIN).value == pytest.approx(10 / 37.5)


def test_how_long_few_layers_last() -> None:
    series = np.array([1, 1, 3, 1, 1, 1, 4, 1.0])
    assert two_bottlenecks.longest_below(series, 2) == 3
    assert two_bottlenecks.longest_below(series, 1) == 0
    assert two_bottlenecks.longest_below(np.ones(5), 2) == 5


def test_two_bottlenecks_have_an_agent_each() -> None:
    for shape, count in (("series", 2), ("parallel", 3)):
        tree = two_bottlenecks.TREES[shape]["window 20"].scenario()
        agents = [link for link in tree["links"].values() if "agent" in link]
        assert len(agents) == count
    # A packet's time at the narrowest link: 1.0 Mbit/s over both, 1.5 over the first alone.
    series = two_bottlenecks.TREES["series"]["window 64"].scenario()["flows"]
    assert [series[name]["send_jitter"] for name in ("tcp-0", "tcp-3", "tcp-4")] == ["5.33333 ms", "8 ms", "8 ms"]
    assert two_bottlenecks.TREES["parallel"]["window 20"].receivers == ["a-0", "a-1", "b-0", "b-1"]


def test_points_are_those_that_are_judged() -> None:
    def keys(points: Sequence[Point]) -> set[Any]:
        return {point.key for point in points}

    assert keys(together.points(False)) == {*together.READINGS.values(), *together.CASES.values()}
    for part in late.PARTS.values():
        assert keys(late.points(part.scenario, False)) == {*part.readings.values(), *part.cases.values()}
    assert {replace(case, handoff="lose") for case in rlm.VARIANTS.values()} <= keys(rlm.points(False))
    assert set(SESSIONS) == {*MULTICAST, *TCPS}


def short_run(scenario: dict[str, Any], reduce: Any, duration_s: int = 60) -> Any:
    raw = _native.run(resolve(scenario | {"duration": f"{duration_s} s", "warmup": "10 s"}).json, 1)
    return reduce(raw)


def test_what_is_kept_of_short_runs_over_the_constellation() -> None:
    point = Case().point()
    course = Course(**short_run(Case().of_seed(1), point.reduce))
    assert set(course.rates) == set(SESSIONS)
    assert course.windows("tcp-0", 0, 60, 10).size == 6
    for name in MULTICAST:
        # One layer every two seconds until the queue is long, then blocks, and a held layer more than comes through.
        assert course.layers_at(name, [1.0, 10.0]).tolist()[0] == 1
        assert 4 <= course.layers_at(name, [59.0])[0] <= 10
        assert course.held[name][-1, 1] > course.changes[name][-1, 1]
    rlm_course = Course(**short_run(Case(rlm="ns2", leave_s=0).of_seed(1), point.reduce))
    assert all(rlm_course.held[name].tolist() == rlm_course.changes[name].tolist() for name in MULTICAST)
    greedy = Course(**short_run(Case(greedy=True).of_seed(1), point.reduce))
    assert greedy.held["multicast-2"][-1].tolist() == [0, 15]
    assert greedy.layers_at("multicast-2", [59.0])[0] < 15


def test_handoffs_are_those_of_the_gateway_from_one_satellite_to_another() -> None:
    point = Case().point()
    handoffs = Course(**short_run(Case().of_seed(1), point.reduce, 600)).handoffs
    # A satellite serves for at most 667 s, near 38 degrees for about 520; the first one is found at time zero.
    assert 1 <= handoffs.size <= 3
    assert handoffs.min() > 0
    assert np.all(np.diff(handoffs) > 60)


def test_what_is_kept_of_short_runs_on_the_ground_and_of_the_queue() -> None:
    tree = two_bottlenecks.TREES["parallel"]["window 20"]
    live = short_run(tree.scenario(), tree.point().reduce)
    assert [series.size for series in live.values()] == [60] * 4
    assert list(live) == tree.receivers
    rows = short_run(Case().of_seed(1), phases.points(False)[0].reduce)
    assert set(rows[:, 1]) <= {1, 2, 3}
    assert np.all(np.diff(rows[:, 0]) > 0.019)


def test_much_lower_and_much_higher_are_told_apart_by_the_ten_seconds() -> None:
    # TCP has 37.5 KBytes/s. One session is at 20 for 700 of the 1400 s that are judged, the other at 60 for 140 s.
    first = [20.0] * 80 + [37.5] * 70
    second = [37.5] * 136 + [60.0] * 14
    case = rlm.VARIANTS[rlm.MAIN]
    data = data_of(
        {
            case: [
                made(
                    even()
                    | {
                        "multicast-1": [r for r in first for _ in (0, 1)],
                        "multicast-2": [r for r in second for _ in (0, 1)],
                    }
                )
            ]
        }
    )
    assert rlm.off_tcp("higher", data, case).value == pytest.approx(14 / 280)
    assert rlm.off_tcp("either", data, case).value == pytest.approx((70 + 14) / 280)
