"""The experiments of Hang and Erke: measures and criteria on data made by hand, and a few short runs."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast import experiments, figures
from faircast.experiment import Criterion, Data, Measured, PointData, judge, overall
from faircast.experiments import REGISTRY, load
from faircast.experiments.hang import (
    bandwidths,
    competitors,
    distances,
    drawing,
    gained_utility,
    one_megabit,
    optimal_rates,
    receivers,
    utilities,
    utility_distances,
)
from faircast.experiments.hang.network import (
    ACCESS_MBPS,
    CBR,
    EXITS,
    FLOWS,
    SCHEMES,
    SESSION,
    VARIANTS,
    Case,
    Statement,
    as_reported,
    counts,
    criteria,
    fairness,
    mean_fairness,
    tcp_mean,
    throughput,
    total,
)
from faircast.scenario import resolve
from faircast.statistics import Estimate, estimate
from faircast.summary import Layout, RunSummary

Rates = Mapping[str, float]


def summary(case: Case, rates: Rates) -> RunSummary:
    """What a run with these throughputs, in Mbit/s, would have in its summary."""
    rows: dict[tuple[str, str, str], float] = {}
    for metric in ("efficiency", "efficiency_all"):
        for flow, rate in rates.items():
            if rate > 0:
                rows[EXITS[flow], metric, "1"] = rate / ACCESS_MBPS
        rows["bottleneck", metric, "1"] = sum(rates.values()) / case.mbps
    for flow in rates:
        rows[flow, "timeouts", "1"] = 0.0
    rows[SESSION, "sending_rate", "bit/s"] = 1e6 * rates[SESSION]
    return RunSummary(Layout(tuple(rows)), array("d", rows.values()))


def made(runs: Mapping[Case, list[Rates]], *, quick: bool = False) -> Data:
    """Data with these throughputs, one for each seed."""
    points: dict[Any, PointData] = {
        case: PointData(resolve(case.scenario()), {seed: summary(case, rates) for seed, rates in enumerate(listed, 1)})
        for case, listed in runs.items()
    }
    return Data(points, range(1, 1 + max(map(len, runs.values()))), quick=quick)


def shares(session: float, tcp: float = 0.2, cbr: float = 0.19) -> Rates:
    return {SESSION: session, "tcp-0": tcp, "tcp-1": tcp, "cbr": cbr}


def test_table_1_is_computed_and_needs_no_runs(cli: Cli) -> None:
    # Conditions with the right sign and x + y = 1: 1/(3x) = 1/(4y), 1/x = 2/y, 1/x² = 2/y².
    for (x, y), (least, most) in zip(
        map(optimal_rates.rates, optimal_rates.COLUMNS),
        ((4 / 7, 3 / 7), (1 / 3, 2 / 3), (0.414214, 0.585786)),
        strict=True,
    ):
        assert (x, y) == pytest.approx((least, most), abs=1e-5)
    done = cli("reproduce", "omcc-table1", "--strict", "--out", "here")
    assert done.code == 0
    assert "0 runs computed" in done.out


def test_measures_by_hand() -> None:
    case = Case(mbps=1)
    data = made({case: [{SESSION: 0.389, "tcp-0": 0.195, "tcp-1": 0.196, "cbr": 0.191}]})
    assert throughput(data, case, 1, "tcp-1") == pytest.approx(0.196)
    assert total(data, case, 1) == pytest.approx(0.971)
    # Equation 15: 2 * 0.389 / (0.195 + 0.196); the column of Table 2 over 300 s.
    assert fairness(data, case, 1) == pytest.approx(1.990, abs=5e-4)
    starved = made({case: [shares(0.8, tcp=0.0)]})
    assert throughput(starved, case, 1, "tcp-0") == 0
    assert fairness(starved, case, 1) == math.inf


def of_table_2(found: Mapping[str, float]) -> list[tuple[str, float | None, str]]:
    """Verdict, value and what stands beside of the total and of fairness, from the session's throughput by variant."""
    data = made({one_megabit.case(v): [shares(rate)] * 2 for v, rate in found.items()})
    verdicts = [judge(criterion, data) for criterion in criteria(one_megabit.STATEMENTS, tuple(found))]
    return [(verdicts[i].verdict, verdicts[i].measured, verdicts[i].beside) for i in (0, 2)]


def test_verdicts_are_those_of_the_main_reading() -> None:
    # The total must be 0.9, fairness 1.4 to 2.8: a session of 0.4 beside two of 0.2 meets both.
    assert [verdict for verdict, *_ in of_table_2({"main": 0.4, "rto1": 0.9})] == ["agrees", "agrees"]
    total_, fair = of_table_2({"main": 0.9, "rto1": 0.4})
    assert total_[:2] == ("agrees", pytest.approx(1.49))
    assert fair[:2] == ("agrees in ordering only", pytest.approx(4.5))
    # The other reading is named, and that the criterion would hold in it.
    assert "Reno, time-outs from 1 s: 2 ± 0, holds" in fair[2]
    assert "Reno, time-outs from 1 s: 4.5 ± 0, does not hold" in of_table_2({"main": 0.4, "rto1": 0.9})[1][2]


def test_the_main_reading_times_out_after_a_fifth_of_a_second_everywhere() -> None:
    for scheme in SCHEMES:
        tcp = Case(scheme=scheme).scenario()["flows"]["tcp"]
        assert (tcp["rto_min"], tcp["wnd"], tcp["variant"]) == ("0.2 s", "20 packets", "reno")
    assert Case(variant="rto1").scenario()["flows"]["tcp"]["rto_min"] == "1 s"


def test_what_is_judged_is_the_rfcs_letter_beside_the_tcp_of_ns2() -> None:
    for scheme in SCHEMES:
        for variant in VARIANTS:
            found = json.loads(resolve(Case(scheme=scheme, variant=variant).scenario()).json)
            assert found["flows"]["tcp"]["profile"] == "ns2"
            assert found["sessions"][SESSION]["profile"] == ("faircast" if variant == "default" else "rfc4654")


def test_our_default_profile_stands_beside_everywhere() -> None:
    """And decides nothing: it differs from what is judged in the profile alone."""
    judged, ours = (Case(variant=variant).scenario() for variant in ("main", "default"))
    apart = {key for key in judged if judged[key] != ours[key]}
    assert apart == {"name", "sessions"}
    for module in (one_megabit, receivers, distances, bandwidths, utilities, utility_distances):
        for experiment in module.EXPERIMENTS:
            keys: set[Any] = {point.key for point in experiment.points(False)}
            assert {"main", "default"} <= {key.variant for key in keys}, experiment.id


def test_fairness_is_the_ratio_of_means() -> None:
    # Two runs: 0.4 / 0.2 and 0.9 / 0.001. The mean of ratios would be 451; the ratio of means is 1.3 / 0.201.
    case = Case(mbps=1)
    data = made({case: [shares(0.4, 0.2), shares(0.9, 0.001)]})
    assert mean_fairness(data, case).mean == pytest.approx(1.3 / 0.201)
    # A run in which TCP got nothing does not make it infinite.
    data = made({case: [shares(0.4, 0.2), shares(0.9, 0.0)]})
    assert mean_fairness(data, case).mean == pytest.approx(6.5)


def test_notes_tell_what_the_other_variants_gave() -> None:
    def measure(data: Data, variant: str) -> Measured:
        return Measured(value={"main": 1.0, "newreno": 2.0}[variant], note="mine")

    listed: list[Criterion] = criteria(
        [Statement(name="x", published="y", measure=measure, high=1)], ("main", "newreno")
    )
    assert judge(listed[0], Data({}, [1], quick=False)).beside == "NewReno: 2, does not hold"


@pytest.mark.parametrize("mean", [0.98, 1.02])
def test_noise_is_said_of_other_variants_and_of_hypotheses_too(mean: float) -> None:
    def measure(data: Data, variant: str) -> Measured:
        return Measured.above(Estimate(mean=mean, ci95=0.05, n=3, low=mean, high=mean), 1.0)

    listed = criteria([Statement(name="x", published="y", measure=measure, rule="it is more")], ("main", "newreno"))
    found = judge(listed[0], Data({}, [1], quick=False))
    assert (found.verdict, found.beside) == ("undecided", f"NewReno: {mean} ± 0.05, undecided")
    found = judge(as_reported(listed[0]), Data({}, [1], quick=False))
    assert found.verdict == "reported"
    assert found.note.startswith("would be undecided; the 95 % interval contains 1; the mean lies")


@pytest.mark.parametrize(
    ("found", "agrees"),
    [
        ((2.0, 1.5, 1.1), True),
        ((2.59, 2.09, 1.89), True),
        ((2.61, 1.5, 1.1), False),
        ((1.5, 1.59, 1.1), True),
        ((1.5, 1.61, 1.1), False),
        ((0.98, 1.98, 2.4), False),
        ((math.inf, 1.5, 1.1), False),
    ],
)
def test_fairness_against_bandwidth(found: tuple[float, ...], agrees: bool) -> None:
    assert bandwidths.as_published(dict(zip((1, 2, 4), found, strict=True))) is agrees


def test_every_combination_of_bandwidth_and_queue_is_run_once() -> None:
    points = bandwidths.points(False)
    assert len(points) == 9 * len(VARIANTS)
    assert bandwidths.case("main", "10 packets per Mbit/s", 4) == Case(mbps=4, limit=40)


def test_spread() -> None:
    assert distances.spread([1.0, 2.0, 3.0]) == 1.0
    assert distances.spread([1.0, math.inf]) == math.inf


def test_stability_over_receivers() -> None:
    rates = {1: 1.0, 2: 1.2, 5: 0.9, 10: 1.0, 20: 1.0, 50: 1.0, 100: 1.35}
    data = made({Case(receivers=n): [shares(rate)] for n, rate in rates.items()})
    measured = receivers.stable(receivers.session_rate, data, "main")
    assert measured.value == pytest.approx(1.5)


def sweep(of: Mapping[str, Mapping[int, float]], **settings: Any) -> Data:
    """One run for each scheme and number of receivers with this fairness, 2 Mbit/s; TCP has 0.2 Mbit/s, or nothing."""
    return made(
        {
            Case(scheme=scheme, receivers=n, **settings): [shares(1.0, 0.0) if math.isinf(fair) else shares(0.2 * fair)]
            for scheme, by_n in of.items()
            for n, fair in by_n.items()
        }
    )


def test_a_stable_throughput_does_not_agree_if_tcp_is_starved() -> None:
    def verdicts(tcp: float) -> list[str]:
        cases = utilities.cases("log", "main", False)
        data = made({case: [shares(1.5, tcp if case.receivers >= 5 else 0.2)] for case in cases})
        return [judge(criterion, data).verdict for criterion in criteria(utilities.statements_8a("log"), ("main",))]

    assert verdicts(0.06) == ["agrees", "agrees"]
    assert verdicts(0.04) == ["agrees", "disagrees"]


NUMBERS = (1, 2, 5, 10, 20, 50, 100)
WHERE = {"log": (1, 2, 5, 10), "tcp": (1, 2, 5, 10, 20)}


def test_sweeps_end_where_tcp_is_starved() -> None:
    for scheme in SCHEMES:
        assert counts(False, scheme=scheme) == WHERE.get(scheme, NUMBERS)
    assert counts(False, scheme="log", delay_ms=0.1) == NUMBERS
    assert counts(True, scheme="log") == (2, 10)


def test_fairness_of_the_utilities() -> None:
    settings = {"limit": utilities.LIMIT}
    flat = {"tfmcc": {n: 1.5 + 0.01 * (n % 2) for n in NUMBERS}, "tcp": {n: n**0.5 for n in WHERE["tcp"]}}
    stable = sweep(flat | {"log": dict.fromkeys(WHERE["log"], 3.0)}, **settings)
    of_8b = criteria(utilities.statements_8b(utilities.LITERAL), ("main",))
    assert utilities.at_least_tfmcc(utilities.LITERAL, stable, "main").value == pytest.approx(2**0.5 / 1.5)
    # Less than TFMCC with two receivers, so even the direction is not as published; stable as a rock.
    assert [judge(criterion, stable).verdict for criterion in of_8b] == ["disagrees", "agrees"]
    above = {"tfmcc": flat["tfmcc"], "tcp": {n: 2.0 * n for n in WHERE["tcp"]}, "log": dict.fromkeys(WHERE["log"], 3.0)}
    assert [judge(criterion, sweep(above, **settings)).verdict for criterion in of_8b] == ["agrees", "agrees"]


def test_where_eq_13_starves_tcp_no_ordering_agrees() -> None:
    """Whatever way an ordering of infinities, or of next to nothing, falls."""
    flat = {"tfmcc": dict.fromkeys(NUMBERS, 1.5), "tcp": dict.fromkeys(WHERE["tcp"], 2.0)}
    log = {n: math.inf if n >= 5 else 3.0 for n in WHERE["log"]}
    data = sweep(flat | {"log": log}, limit=utilities.LIMIT)
    found = [judge(each, data) for each in criteria(utilities.statements_8b(utilities.LITERAL), ("main",))]
    assert [each.verdict for each in found] == ["disagrees (equation 13 starves TCP)", "disagrees (soft)"]
    assert "beside Log-OMCC with 5 receivers a TCP flow gets 0 Mbit/s" in found[0].note
    assert overall(found) == "disagrees (equation 13 starves TCP)"
    for letter, delay_ms in (("a", 10.0), ("b", 1.0)):
        data = sweep(flat | {"log": log}, delay_ms=delay_ms)
        listed = criteria(utility_distances.statements(letter, "log", "tcp"), ("main",))
        verdicts = {each.name: each.verdict for each in (judge(criterion, data) for criterion in listed)}
        assert "disagrees (equation 13 starves TCP)" in verdicts.values()
        # Beside TCP-OMCC the flows live where its sweep ends, so that ought to have gone on.
        own = {verdict for name, verdict in verdicts.items() if "Log" not in name}
        assert own == {"disagrees (run up to 20 receivers only, though TCP is not starved)"}
    # With links of 0.1 ms all N are run, and what holds agrees.
    whole = {
        "tfmcc": dict.fromkeys(NUMBERS, 1.5),
        "tcp": {n: 2.0 + n for n in NUMBERS},
        "log": dict.fromkeys(NUMBERS, 1.2),
    }
    data = sweep(whole, delay_ms=0.1)
    listed = criteria(utility_distances.statements("c", "log", "tcp"), ("main",))
    assert [judge(criterion, data).verdict for criterion in listed] == ["agrees", "agrees"]


def test_a_hypothesis_is_reported_and_not_counted() -> None:
    def measure(data: Data, variant: str) -> Measured:
        return Measured(value=2.0, note="mine")

    (criterion,) = criteria([Statement(name="x", published="y", measure=measure, high=1)], ("main",))
    found = judge(as_reported(criterion), Data({}, [1], quick=False))
    assert (found.verdict, found.measured) == ("reported", 2.0)
    assert found.note.startswith("would not hold; 2 is above 1; mine")
    assert found.name == "hypothesis, not judged: x"


def test_comparisons_of_utilities() -> None:
    def compare(a: list[float], b: list[float]) -> Measured:
        data = Data({}, range(1, len(a) + 1), quick=False)

        def mean(values: list[float], seeds: Sequence[int]) -> float:
            return math.fsum(values[seed - 1] for seed in seeds) / len(seeds)

        return utility_distances.compare(data, ("a", partial(mean, a)), ("b", partial(mean, b)))

    assert compare([3.0, 3.0], [2.0, 2.0]).value == 1.5
    assert compare([math.inf] * 2, [2.0] * 2).holds
    assert not compare([1.0] * 2, [math.inf] * 2).holds
    assert not compare([math.inf] * 2, [math.inf] * 2).holds
    # Above by a tenth, with runs that differ by more: it cannot be said, whatever the sign.
    noisy = compare([1.1, 2.2, 0.6, 1.6], [1.0, 1.2, 1.4, 1.3])
    assert noisy.holds
    assert noisy.ci95 is not None
    assert noisy.value is not None
    assert abs(noisy.value - 1) < noisy.ci95
    criterion = Criterion(name="x", published="y", evaluate=lambda _: noisy, rule="so")
    assert judge(criterion, Data({}, [1], quick=False)).verdict == "undecided"


def test_an_inverted_ordering_of_figure_9_is_no_agreement_in_ordering() -> None:
    most = NUMBERS[-1]
    inverted = {
        "tfmcc": dict.fromkeys(NUMBERS, 0.01),
        "tcp": {n: 2.0 + n for n in NUMBERS},
        "log": dict.fromkeys(NUMBERS, 7.3),
    }
    listed = criteria(utility_distances.statements("c", "log", "tcp"), ("main",))
    found = [judge(criterion, sweep(inverted, delay_ms=0.1)) for criterion in listed]
    assert (found[0].verdict, found[1].verdict) == ("disagrees", "agrees")
    assert found[0].measured == pytest.approx(1 / 730)
    assert f"{most} receivers" in found[0].note
    assert overall(found) == "disagrees"
    assert not any(each.soft for letter in "abc" for each in utility_distances.statements(letter, "log", "tcp"))


def test_what_is_judged_is_not_in_phase_and_what_is_stands_beside() -> None:
    # 1000 B at 2 Mbit/s.
    flows = Case().scenario()["flows"]
    assert (flows["tcp"]["send_jitter"], flows[CBR]["jitter"]) == ("4 ms", 0.5)
    plain = Case(variant="in-phase").scenario()["flows"]
    assert "send_jitter" not in plain["tcp"]
    assert "jitter" not in plain[CBR]
    assert Case(variant="newreno", mbps=1).scenario()["flows"]["tcp"]["send_jitter"] == "8 ms"
    for name in (name for name in REGISTRY if name.startswith("omcc-")):
        for point in load(name).points(False):
            assert point.beside == (getattr(point.key, "variant", "main") != "main"), name


def test_what_chance_does_to_the_orderings() -> None:
    """If all schemes are alike each of three values is as likely the middle one of two others: 1/3 · 1/2, and 1/4."""
    rates = [shares(0.1 * (1 + seed)) for seed in range(10)]
    points = {Case(scheme="tfmcc", receivers=n, delay_ms=delay_ms): rates for n in (2, 100) for delay_ms in (1.0, 0.1)}
    data = made(points)
    for letter, expected in (("b", 1 / 6), ("c", 1 / 4)):
        found = judge(utility_distances.by_chance(letter), data)
        assert found.measured == pytest.approx(expected, abs=0.03)
        assert "0.5 to 5" in found.note


def test_shares_are_drawn_on_one_linear_axis() -> None:
    """Of ratios over decades, an infinite one among them: fairness f gives a TCP flow 1/(1 + f)."""
    data = sweep({"tcp": {1: 3.0, 100: math.inf}, "tfmcc": {1: 1.0, 100: 0.25}})
    curves = {scheme: [Case(scheme=scheme, receivers=n) for n in (1, 100)] for scheme in ("tcp", "tfmcc")}
    with figures.style():
        figure, axes = figures.panels()
        drawn = [drawing.share_curves(axes, data, curves), drawing.receivers_axis(axes, (1, 100))]
        figure.canvas.draw()
    assert drawn == [None, None]
    shown = {tuple(line.get_ydata()) for line in axes.lines}
    assert {(0.25, 0.0), (0.5, 0.8), (0.5, 0.5)} <= shown
    assert (axes.get_yscale(), axes.get_ylim()) == ("linear", (-0.02, 1.02))


def test_flows_leave_the_bottleneck_by_the_links_that_are_counted() -> None:
    case = Case(receivers=3, delay_ms=1.0)
    result = faircast.run(case.scenario(duration="60 s", warmup="10 s"))
    metrics = result.metrics()
    out = sum(ACCESS_MBPS * metrics[EXITS[flow], "efficiency"] for flow in FLOWS)
    assert out == pytest.approx(2 * metrics["bottleneck", "efficiency"], rel=2e-3)
    for flow in FLOWS:
        assert ACCESS_MBPS * 1e6 * metrics[EXITS[flow], "efficiency"] == pytest.approx(metrics[flow, "rate"], rel=0.02)
    assert metrics.subjects("loss_events") == [f"{SESSION}-{i}" for i in range(3)]


def test_packets_have_a_thousand_bytes_on_the_wire() -> None:
    scenario = Case(receivers=1).scenario(duration="20 s", warmup="5 s")
    result = faircast.run(scenario | {"probes": {"interval": "1 s"}})
    flows = result.flows.to_pydict()
    for flow, size in (("tcp-0", 1000), (SESSION, 1000), ("cbr", 500)):
        received = sum(bps for name, bps in zip(flows["flow"], flows["rate_bps"], strict=True) if name == flow) / 8
        assert received > 0
        assert received % size == pytest.approx(0, abs=1e-3)


def test_a_quick_reproduction(cli: Cli) -> None:
    done = cli("reproduce", "omcc-fig5-table2", "--quick", "--reps", 1, "--out", "here")
    assert done.code == 0
    assert "5 runs computed" in done.out
    assert experiments.load("omcc-fig5-table2").paper == "hang"


def test_panels_that_share_an_axis_cut_nothing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 6b: the second panel has the higher ratios."""
    nothing: Any = None
    one: Any = SimpleNamespace(receivers=2)
    with figures.style():
        _, axes = figures.panels(1, 2, sharey=True)
        for axis, ratio in zip(axes, (1.6, 3.2), strict=True):
            monkeypatch.setattr(drawing, "mean_fairness", lambda _, __, ratio=ratio: estimate([ratio, ratio + 0.2]))
            drawing.fairness_curves(axis, nothing, {"queue of 10 packets": [one]})
    low, high = axes[0].get_ylim()
    assert low == 0
    assert high > 3.4


def test_utility_counts_each_who_receives() -> None:
    """Two TCPs and a session of two receivers: each of the four who receive counts once."""
    case = Case(scheme="tfmcc", receivers=2, limit=utilities.LIMIT)
    data = made({case: [shares(2.0)]})
    session, tcp = throughput(data, case, 1, SESSION), tcp_mean(data, case, 1)
    assert session != tcp
    expected = {"log": (math.log(tcp) + math.log(session)) / 2, "tcp": -(1 / tcp + 1 / session) / 2}
    for utility, value in expected.items():
        assert gained_utility.value(utility, data, case, [1]) == pytest.approx(value)
    # The best of all rates is worth most: two TCPs and ten receivers on 1.8 Mbit/s.
    for utility, (_, worth) in gained_utility.UTILITIES.items():
        best = gained_utility.best(utility, 10)
        tried = [(2 * worth((1.8 - y) / 2) + 10 * worth(y)) / 12 for y in (0.1 + 0.001 * i for i in range(1690))]
        assert max(tried) <= best + 1e-12
        assert max(tried) == pytest.approx(best, abs=1e-4)


def test_starved_tcp_is_worth_less_than_anything() -> None:
    fair = {scheme: dict.fromkeys(NUMBERS, 1.5) for scheme in gained_utility.SHOWN}
    data = sweep(fair | {"log": {n: math.inf if n == 5 else 1.5 for n in WHERE["log"]}}, limit=utilities.LIMIT)
    found = gained_utility.least_gain("log", "log", data)
    assert (found.value, found.holds) == (-math.inf, False)
    assert "least with 5 receivers" in found.note
    same = gained_utility.least_gain("tcp", "tcp", data)
    assert same.value == pytest.approx(0)


def test_other_competitors_change_one_thing() -> None:
    base = competitors.Beside().scenario()
    for case in competitors.CASES:
        made_of = case.scenario()
        assert resolve(made_of).name == made_of["name"]
        flows = {name: flow for name, flow in made_of["flows"].items() if name != CBR}
        assert sum(flow.get("count", 1) for flow in flows.values()) == case.tcps
        assert {flow["wnd"] for flow in flows.values()} == {f"{case.window} packets"}
        assert made_of["links"] == base["links"]
    third = competitors.Beside(tcps=3).scenario()
    assert third["flows"][competitors.THIRD]["from"] == "left-4"
    result = faircast.run(third | {"duration": "20 s", "warmup": "5 s"})
    assert all(result[flow, "rate"] > 0 for flow in competitors.Beside(tcps=3).flows)
