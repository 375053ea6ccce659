"""What the seeds of the comparison give together, worked out by hand, and what real runs must give."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from faircast import _native
from faircast.experiment import Data, PointData
from faircast.experiments.side_by_side import estimates, runs
from faircast.experiments.side_by_side.cells import ALONE, BESIDE, PATHS, REFERENCE, RUNS, SCHEMES, Cell, Situation
from faircast.experiments.side_by_side.measures import KINDS, reduce
from faircast.scenario import resolve
from faircast.statistics import Estimate, t_quantile

GEO = Situation(path="geo", loss=0.0, tcp="sack")
TREE = replace(GEO, path="tree")
LEO = replace(GEO, path="leo")
SCHEME = "tfmcc"


def kept(
    rates: dict[str, float],
    *,
    wait_ms: float | None = 0.0,
    cov: Sequence[float | None] = (None, None, None),
    settled_s: float | None = None,
    messages: dict[str, list[float]] | None = None,
    utilisation: float = 0.5,
) -> dict[str, Any]:
    """What is kept of a run in which these had these rates."""
    entries = {name: {"rate": rate, "cov": list(cov), "settled_s": settled_s} for name, rate in rates.items()}
    links = [one.link for path in PATHS.values() for one in path.bottlenecks]
    return {
        "tcps": {name: entry for name, entry in entries.items() if not name.startswith("film")},
        "receivers": {name: entry for name, entry in entries.items() if name.startswith("film")},
        "bottlenecks": {link: {"queue_pkts": 0.0, "wait_ms": wait_ms, "utilisation": utilisation} for link in links},
        "messages": messages or {},
    }


def data(found: dict[tuple[Situation, str], Sequence[dict[str, Any]]]) -> Data:
    """Data of these runs, seed by seed from 1 on."""
    points = {}
    for (situation, run), each in found.items():
        cell = Cell(situation=situation, run=run, scheme=SCHEME if run == BESIDE else "")
        points[cell] = PointData(scenario=resolve(runs.scenario(cell)), reduced=dict(enumerate(each, 1)))
    return Data(points, range(1, 1 + len(next(iter(found.values())))), quick=False)


def geo(*runs_: tuple[float, float], second: float = 1.0) -> list[dict[str, Any]]:
    """Rates of the receiver beside TCP, of TCP, and of the receiver without TCP."""
    return [kept({"film-0": film, "tcp-0": tcp, "film-1": second}) for film, tcp in runs_]


def of(found: Estimate) -> tuple[float, float | None]:
    return found.mean, found.ci95


def test_the_ratio_to_tcp_is_one_of_means_with_the_interval_of_pairs() -> None:
    found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo((100, 200), (300, 200))}), GEO, SCHEME)
    # Without one seed it is 3/2 or 1/2, (a - b)/(a + b) 1/5 or -1/3: half of what is between, times t, is beyond 1.
    assert of(found.each["film-0"]) == (1.0, None)
    assert found.each["film-0"].interval == (0, math.inf)
    assert list(found.each) == ["film-0"], "no TCP is beside the second one"
    assert found.median == found.least == found.greatest == found.each["film-0"]
    # Of pairs that go together nothing is uncertain, though rates differ tenfold.
    found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo((100, 200), (1000, 2000))}), GEO, SCHEME)
    assert found.median.mean == 0.5
    assert found.median.interval == (pytest.approx(0.5), pytest.approx(0.5))


def test_of_several_receivers_there_are_the_median_the_least_and_the_greatest() -> None:
    rates = {f"film-{i}": float(rate) for i, rate in enumerate((100, 200, 100, 300, 10, 30))}
    tcps = {"tcp-1mbit-0": 50.0, "tcp-1mbit-1": 150.0, "tcp-4mbit-0": 10.0, "tcp-4mbit-1": 30.0}
    tcps |= {"tcp-16mbit-0": 100.0, "tcp-16mbit-1": 100.0}
    found = estimates.ratio_to_tcp(data({(TREE, BESIDE): [kept(rates | tcps)] * 3}), TREE, SCHEME)
    assert [one.mean for one in found.each.values()] == [1, 2, 5, 15, 0.1, 0.3]
    assert [one.interval for one in (found.median, found.least, found.greatest)] == [
        (pytest.approx(one), pytest.approx(one)) for one in (1.5, 0.1, 15)
    ]
    assert [one.mean for one in (found.median, found.least, found.greatest)] == [1.5, 0.1, 15]


def test_tcp_that_starves_and_receivers_that_get_nothing() -> None:
    starved = data({(GEO, BESIDE): geo((100, 0), (300, 0)), (GEO, ALONE): geo((0, 50), (0, 50))})
    found = estimates.ratio_to_tcp(starved, GEO, SCHEME).median
    assert (found.mean, found.interval) == (math.inf, (math.inf, math.inf))
    assert estimates.decided(found, 1.0)
    # It is one seed only in which TCP has something. What is told is that it has less, not how much less.
    rare = [(100.0, 0.0), (100.0, 0.0), (100.0, 0.0), (100.0, 10.0)]
    found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo(*rare)}), GEO, SCHEME).median
    assert found.mean == 40
    # (a - b)/(a + b) is 39/41, without one seed 29/31 or, without the last, 1.
    without = [29 / 31, 29 / 31, 29 / 31, 1.0]
    half = t_quantile(3) * math.sqrt(3 / 4 * sum((one - sum(without) / 4) ** 2 for one in without))
    low = 39 / 41 - half
    assert found.interval == (pytest.approx((1 + low) / (1 - low)), math.inf)
    assert estimates.decided(found, 1.0)
    # Where it has ten times as much in that one as the session in all nothing is.
    rare = [(100.0, 0.0), (100.0, 0.0), (100.0, 0.0), (100.0, 300.0)]
    found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo(*rare)}), GEO, SCHEME).median
    assert found.mean == pytest.approx(4 / 3)
    assert not estimates.decided(found, 1.0)
    nothing = data({(GEO, BESIDE): geo((0, 100), (0, 200), second=0)})
    found = estimates.ratio_to_tcp(nothing, GEO, SCHEME).median
    assert (found.mean, found.interval) == (0, (0, 0))
    assert estimates.decided(found, 1.0)
    assert estimates.share(nothing, GEO, SCHEME).greatest.mean == 0
    neither = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo((0, 0), (0, 0))}), GEO, SCHEME)
    assert math.isnan(neither.median.mean)
    assert not estimates.decided(neither.median, 1.0)


def test_who_has_no_ratio_is_left_out_of_the_spread() -> None:
    rates = dict.fromkeys(PATHS["tree"].tcps, 100.0) | {"tcp-4mbit-0": 0.0, "tcp-4mbit-1": 0.0}
    film = {f"film-{i}": float(rate) for i, rate in enumerate((100, 200, 0, 5, 400, 600))}
    found = estimates.ratio_to_tcp(data({(TREE, BESIDE): [kept(film | rates)] * 2}), TREE, SCHEME)
    assert math.isnan(found.each["film-2"].mean)
    assert [one.mean for one in (found.least, found.median, found.greatest)] == [1, 4, math.inf]


def test_one_seed_decides_nothing() -> None:
    for rates in ((100, 200), (100, 0)):
        found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo(rates)}), GEO, SCHEME).median
        assert (found.interval, found.n) == (None, 1)
        assert not estimates.decided(found, 1.0)


def test_tcp_that_starves_now_less_and_now_more_is_told_from_a_fair_one() -> None:
    # The ratio is 1/0.019; without the last seed it is 1/0.0056, so that its own interval would be 53 and 200.
    tcp = (0.2, 0.4, 0.8, 0.3, 0.5, 0.9, 0.7, 0.4, 0.8, 14.0)
    found = estimates.ratio_to_tcp(data({(GEO, BESIDE): geo(*((100.0, one) for one in tcp))}), GEO, SCHEME).median
    assert found.mean == pytest.approx(1000 / 19)
    assert found.interval is not None
    low, high = found.interval
    assert 5 < low < 30
    assert high > 100
    assert estimates.decided(found, 1.0)


def test_more_and_less_than_tcp_are_told_alike() -> None:
    """Who has what of session and TCP says nothing about how sure that is."""
    rates = [(100.0, 240.0), (150.0, 220.0), (180.0, 160.0), (90.0, 260.0), (120.0, 200.0)]
    found = [
        estimates.ratio_to_tcp(data({(GEO, BESIDE): geo(*each)}), GEO, SCHEME).median
        for each in (rates, [(tcp, film) for film, tcp in rates])
    ]
    assert found[0].mean == pytest.approx(1 / found[1].mean)
    intervals = [one.interval or (math.nan, math.nan) for one in found]
    assert intervals[0] == (pytest.approx(1 / intervals[1][1]), pytest.approx(1 / intervals[1][0]))
    assert intervals[0][0] < found[0].mean < intervals[0][1]


def test_an_interval_decides_where_it_leaves_the_value_out() -> None:
    assert estimates.decided(Estimate(1.3, 0.29, 10, 1, 2), 1.0)
    assert not estimates.decided(Estimate(1.3, 0.31, 10, 1, 2), 1.0)
    assert estimates.decided(Estimate(0.7, 0.29, 10, 0, 1), 1.0)


def test_harm_is_what_was_lost_beyond_what_the_reference_takes() -> None:
    def runs_of(*rates: float, wait_ms: float) -> list[dict[str, Any]]:
        return [
            kept({"tcp-0": rate, "film-0": 1.0, "film-1": 1.0, "instead-film-0": 1.0}, wait_ms=wait_ms)
            for rate in rates
        ]

    found = data(
        {
            (GEO, ALONE): runs_of(300, 300, wait_ms=40),
            (GEO, BESIDE): runs_of(150, 250, wait_ms=160),
            (GEO, REFERENCE): runs_of(240, 240, wait_ms=80),
        }
    )
    rate, delay = estimates.harm_in_rate(found, GEO, SCHEME), estimates.harm_in_delay(found, GEO, SCHEME)
    assert list(rate.excess.each) == ["sat-down-0"]
    assert (rate.beside.median.mean, rate.reference.median.mean) == (pytest.approx(1 / 3), pytest.approx(0.2))
    # Without one seed 1/6 or 1/2 less 1/5: the reference is the same in both.
    assert of(rate.excess.median) == (pytest.approx(2 / 15), pytest.approx(t_quantile(1) / 6))
    assert of(rate.excess.median) == of(rate.excess.each["sat-down-0"])
    assert [of(one.median) for one in (delay.beside, delay.reference, delay.excess)] == [
        (0.75, 0.0),
        (0.5, 0.0),
        (0.25, 0.0),
    ]


def test_harm_where_something_is_nothing() -> None:
    def harm(alone: tuple[float, float | None], beside: tuple[float, float | None]) -> tuple[float, float]:
        def run(rate: float, wait_ms: float | None) -> list[dict[str, Any]]:
            return [kept({"tcp-0": rate, "film-0": 1.0, "film-1": 1.0}, wait_ms=wait_ms)] * 2

        found = data({(GEO, ALONE): run(*alone), (GEO, BESIDE): run(*beside), (GEO, REFERENCE): run(*alone)})
        measured = (estimates.harm_in_rate(found, GEO, SCHEME), estimates.harm_in_delay(found, GEO, SCHEME))
        return measured[0].beside.median.mean, measured[1].beside.median.mean

    assert harm((300, 0), (0, 5)) == (1, 1)
    assert harm((300, 0), (300, 0)) == (0, 0)
    assert harm((300, 5), (450, 0)) == (-0.5, -math.inf)
    assert math.isnan(harm((0, 0), (10, 0))[0])
    # Of TCP from which no packet left nothing can be said.
    assert all(math.isnan(harm((300, alone), (300, beside))[1]) for alone, beside in ((None, 5), (5, None), (None, 0)))


def test_shares_are_those_of_the_multirate_optimum_whatever_the_scheme() -> None:
    film, tcps = {f"film-{i}": 3e5 for i in range(6)}, dict.fromkeys(PATHS["tree"].tcps, 1.0)
    found = data({(TREE, BESIDE): [kept(film | tcps)] * 2})
    share = estimates.share(found, TREE, SCHEME)
    third = [pytest.approx(0.9 / mbps) for mbps in (1, 1, 4, 4, 16, 16)]
    assert [one.mean for one in share.each.values()] == third
    assert share.median.mean == pytest.approx(0.9 / 4)
    found = data({(GEO, BESIDE): geo((75e3, 1), second=75e3)})
    assert [one.mean for one in estimates.share(found, GEO, SCHEME).each.values()] == [0.5, 0.25]
    assert estimates.satisfaction(found, GEO, SCHEME).each.keys() == {"film-0", "film-1"}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_optimum_is_the_same_for_all_schemes(scheme: str) -> None:
    """So that shares of different schemes can be compared; over LEO the uplink, with headers, is shared by five."""
    wanted = {
        GEO: [150e3, 300e3],
        TREE: [1e6 / 3, 1e6 / 3, 4e6 / 3, 4e6 / 3, 16e6 / 3, 16e6 / 3],
        LEO: [300e3 / 1.016] * 2,
    }
    for situation, rates in wanted.items():
        cell = Cell(situation=situation, run=BESIDE, scheme=scheme)
        found = Data({cell: PointData(scenario=resolve(runs.scenario(cell)))}, [1], quick=False)
        names = PATHS[situation.path].receivers
        for best in (estimates.fair_rates(found, cell), estimates.rates_as_the_only_one(found, cell)):
            assert best == {name: pytest.approx(rate) for name, rate in zip(names, rates, strict=True)}


def test_variation_and_what_bottlenecks_carry_are_means_of_what_is_defined() -> None:
    rates = {"film-0": 1.0, "tcp-0": 1.0, "film-1": 1.0}
    found = data(
        {
            (GEO, BESIDE): [
                kept(rates, cov=[None, 0.2, 0.1], utilisation=0.5, wait_ms=10),
                kept(rates, cov=[None, 0.4, None], utilisation=0.7, wait_ms=30),
            ]
        }
    )
    cell = estimates.beside(GEO, SCHEME)
    assert estimates.variation(found, cell, ["film-0", "tcp-0"], 1).median.mean == pytest.approx(0.3)
    assert math.isnan(estimates.variation(found, cell, ["film-0"], 0.1).median.mean)
    assert estimates.variation(found, cell, ["film-0"], 10).median.ci95 is None
    assert estimates.utilisation(found, cell).each["sat-down-1"].mean == pytest.approx(0.6)
    assert estimates.wait_ms(found, cell).greatest.mean == 20
    found = data({(GEO, BESIDE): [kept(rates, wait_ms=None), kept(rates, wait_ms=30)]})
    assert estimates.wait_ms(found, cell).greatest.mean == 30


def test_who_never_settles_makes_the_median_late_and_not_undefined() -> None:
    rates = {"film-0": 1.0, "film-1": 1.0}
    cell = estimates.beside(GEO, SCHEME)

    def settling(*times: tuple[float | None, float | None]) -> estimates.Settling:
        each = []
        for first, second in times:
            run = kept(rates, settled_s=first)
            run["receivers"]["film-1"]["settled_s"] = second
            each.append(run)
        return estimates.settling(data({(GEO, BESIDE): each}), cell, ["film-0", "film-1"])

    found = settling((10, 20), (30, 50), (0, None))
    assert (found.median_s, found.unsettled, found.n) == (40, pytest.approx(1 / 6), 3)
    assert (found.low_s, found.high_s) == (15, math.inf)
    assert settling((None, None)).median_s == math.inf


def test_costs_are_those_of_a_receiver_and_second() -> None:
    # 540 s after the warm-up, and two receivers.
    messages = {kind: [1080.0 * place, 43200.0 * place] for place, kind in enumerate(KINDS)}
    rates = {"film-0": 1.0, "film-1": 1.0}
    found = estimates.cost(data({(GEO, BESIDE): [kept(rates, messages=messages)] * 2}), GEO, SCHEME)
    assert [(of(one.packets), of(one.bytes)) for one in found.values()] == [
        ((float(place), 0.0), (40.0 * place, 0.0)) for place in range(len(KINDS))
    ]


def test_real_runs_over_geo() -> None:
    seeds = [1, 2, 3]
    points = {}
    for run in RUNS:
        cell = Cell(situation=GEO, run=run, scheme=SCHEME if run == BESIDE else "")
        scenario = resolve(runs.scenario(cell))
        reduced = {seed: reduce(cell, _native.run(scenario.json, seed)) for seed in seeds}
        points[cell] = PointData(scenario=scenario, reduced=reduced)
    found = Data(points, seeds, quick=False)
    # One TCP more over one's bottleneck takes half, give or take what a start and a phase make.
    harm = estimates.harm_in_rate(found, GEO, SCHEME)
    assert harm.reference.median.mean == pytest.approx(0.5, abs=0.15)
    assert harm.excess.median.mean == pytest.approx(harm.beside.median.mean - harm.reference.median.mean)
    ratio = estimates.ratio(found, Cell(situation=GEO, run=REFERENCE))
    assert list(ratio.each) == ["instead-film-0"]
    assert 0.4 < ratio.median.mean < 2.5
    for spread in (estimates.share(found, GEO, SCHEME), estimates.satisfaction(found, GEO, SCHEME)):
        assert 0 < spread.least.mean <= spread.median.mean <= spread.greatest.mean <= 1.4
    assert estimates.utilisation(found, Cell(situation=GEO, run=ALONE)).greatest.mean == pytest.approx(1, abs=0.01)
    assert estimates.cost(found, GEO, SCHEME)["feedback"].packets.mean > 0
