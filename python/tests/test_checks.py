"""The arithmetic of the cross checks."""

from __future__ import annotations

from array import array
from statistics import fmean
from typing import Any

import pytest

import faircast
from faircast.experiment import Data, PointData
from faircast.experiments.checks import loss_differentiation as differentiation
from faircast.experiments.checks import (
    pgmcc_beside_tcp,
    pgmcc_window,
    tcp_cubic,
    tcp_hybla,
    tcp_westwood,
    tfmcc_beside_tcp,
)
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

KEY = ("red", "sack", 2, 50)
RESOLVED: Any = None


def goodputs(**of: float) -> RunSummary:
    rows = tuple((name.replace("_", "-"), "goodput", "bit/s") for name in of)
    return RunSummary(Layout(rows), array("d", of.values()))


def test_tcps_share_is_of_one_flow_and_the_session() -> None:
    runs = {1: goodputs(tfmcc=3e6, tcp_0=0.5e6, tcp_1=1.5e6), 2: goodputs(tfmcc=1e6, tcp_0=1e6, tcp_1=1e6)}
    data = Data({KEY: PointData(RESOLVED, runs)}, [1, 2], quick=False)
    found = tfmcc_beside_tcp.tcp_share(data, KEY)
    assert (found.low, found.high, found.mean) == pytest.approx((0.25, 0.5, 0.375))
    assert tfmcc_beside_tcp.ratio(data, KEY).high == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("flows", "rtt_ms", "in_phase", "late"),
    [(8, 20, (0.4, 0.7), (1.15, 1.55)), (8, 50, (0.3, 0.6), (0.9, 1.2)), (1, 20, (0.5, 0.75), (1.1, 1.4))],
)
def test_what_tfmcc_gets_behind_drop_tail_is_a_matter_of_phases(
    flows: int, rtt_ms: int, in_phase: tuple[float, float], late: tuple[float, float]
) -> None:
    """A random time of up to a packet's before TCP's packets doubles it; nothing else differs."""
    for kind, (low, high) in ((tfmcc_beside_tcp.IN_PHASE, in_phase), (tfmcc_beside_tcp.DROP_TAIL, late)):
        found = faircast.run(tfmcc_beside_tcp.scenario(kind, "newreno", flows, rtt_ms), seed=1)
        tcp = fmean(found[f"tcp-{flow}", "goodput"] for flow in range(flows))
        assert low < found["tfmcc", "goodput"] / tcp < high, kind


def test_only_what_stands_beside_is_in_phase() -> None:
    for module in (tfmcc_beside_tcp, pgmcc_beside_tcp):
        for point in module.points(False):
            late = "send_jitter" in point.scenario["flows"]["tcp"]
            kind = point.key[0]  # type: ignore[index]
            assert (late, point.beside) == {
                tfmcc_beside_tcp.RED: (False, False),
                tfmcc_beside_tcp.DROP_TAIL: (True, False),
                tfmcc_beside_tcp.IN_PHASE: (False, True),
            }[kind]
    assert tfmcc_beside_tcp.scenario("drop-tail", "sack", 7, 20)["flows"]["tcp"]["send_jitter"] == "1 ms"


def pgmcc_run(pgmcc: dict[str, float], *tcps: dict[str, float]) -> RunSummary:
    flows = {"pgmcc": pgmcc, **{f"tcp-{number}": tcp for number, tcp in enumerate(tcps)}}
    rows = tuple((flow, metric, "1") for flow, values in flows.items() for metric in values)
    return RunSummary(Layout(rows), array("d", (value for values in flows.values() for value in values.values())))


def test_pgmcc_is_held_against_one_tcp_and_by_its_own_reductions() -> None:
    key = ("red", 2, 50)

    def values(goodput: float, losses: float, timeouts: float, sent: float) -> dict[str, float]:
        return {"goodput": goodput, "loss_reductions": losses, "timeouts": timeouts, "sent": sent}

    run = pgmcc_run(values(3e6, 9, 1, 1000), values(0.5e6, 8, 2, 400), values(1.5e6, 5, 0, 600))
    data = Data({key: PointData(RESOLVED, {1: run})}, [1], quick=False)
    assert pgmcc_beside_tcp.tcp_share(data, key).mean == pytest.approx(0.25)
    assert pgmcc_beside_tcp.ratio(data, key).mean == pytest.approx(3.0)
    # 10 in 1000 packets, and 15 in 1000 of both TCPs.
    assert pgmcc_beside_tcp.reductions(data, key).mean == pytest.approx(10 / 15)
    assert pgmcc_beside_tcp.extreme("red", True, data).note == "beside 2 flows with round trips of 50 ms"


def test_pgmcc_stands_in_the_network_of_tfmcc() -> None:
    for key in [point.key for point in pgmcc_beside_tcp.points(True)]:
        kind, flows, rtt_ms = key  # type: ignore[misc]
        ours = pgmcc_beside_tcp.scenario(kind, flows, rtt_ms)
        theirs = tfmcc_beside_tcp.scenario(kind, "newreno", flows, rtt_ms)
        assert {part: ours[part] for part in ("topology", "links", "flows")} == {
            part: theirs[part] for part in ("topology", "links", "flows")
        }
        assert ours["sessions"]["pgmcc"]["source"] == f"left-{flows}"


def test_the_window_of_pgmcc_is_held_against_theory() -> None:
    """At 1 % loss and 100 ms theory says 12.25 packets; with 11 packets 880 kbit/s are a window each time."""
    run = RunSummary(Layout((("pgmcc", "sending_rate", "bit/s"),)), array("d", [836e3]))
    key = (0.01, 100)
    data = Data({key: PointData(RESOLVED, {1: run}, reduced={1: 11.0})}, [1], quick=False)
    assert pgmcc_window.window(data, *key).mean == pytest.approx(11 / 12.247, rel=1e-4)
    assert pgmcc_window.rate(data, *key).mean == pytest.approx(0.95)


def ftp(**of: float) -> RunSummary:
    return RunSummary(Layout(tuple(("ftp", metric, "1") for metric in of)), array("d", of.values()))


def test_hyblas_throughput_is_compared_over_round_trips_seed_by_seed() -> None:
    """1.2 and 2 times as much at the best as at the worst; slopes of -1 and of -1/2 over a factor of 4."""

    def runs(first: float, second: float, held_s: float = 0.0) -> PointData:
        counted = {"lost": 30.0, "loss_reductions": 12.0, "timeouts": 3.0, "window_limited": held_s}
        return PointData(RESOLVED, {1: ftp(goodput=first, **counted), 2: ftp(goodput=second, **counted)})

    hybla = {("hybla", 25): runs(12e6, 10e6), ("hybla", 100): runs(10e6, 20e6, 2.4)}
    sack = {("hybla-sack", 25): runs(9e6, 9e6), ("hybla-sack", 100): runs(9e6, 9e6)}
    reno = {("reno", 25): runs(8e6, 8e6), ("reno", 100): runs(2e6, 4e6, 20.0)}
    data = Data({**hybla, **sack, **reno}, [1, 2], quick=False)
    spread = tcp_hybla.spread(data, "hybla")
    assert spread.value == pytest.approx((1.2 + 2) / 2)
    assert "Mb/s at 100 ms" in spread.note.split(", ")[0]
    assert tcp_hybla.slope(data, "reno").value == pytest.approx(-0.75)
    # 2.4 of 240 s, and 20 of 4000 round trips of 0.1 s.
    assert tcp_hybla.unlimited(data).value == pytest.approx(0.05)
    assert [row[-2:] for row in tcp_hybla.numbers(data).rows] == [["2.00", "25.0"]] * 2


def test_cubics_window_is_held_against_the_table_and_random_losses() -> None:
    """10.4 Mbit/s over 100 ms are 130 segments of 1000 bytes: 0.695 of 187; p = 0.001 is nearer, 0.9 of 38."""
    counted = {"loss_reductions": 50.0, "timeouts": 1.0}
    cells = {(0.1, 0.4, 1e-4): 10.4e6, (0.1, 0.4, 1e-3): 0.9 * 38 * 8e4}
    data = Data(
        {cell: PointData(RESOLVED, {1: ftp(goodput=rate, **counted)}) for cell, rate in cells.items()}, [1], quick=True
    )
    found = tcp_cubic.column(data, 0.1)
    assert found.value == pytest.approx(130 / 187)
    assert "p = 0.0001" in found.note
    assert [row[3] for row in tcp_cubic.numbers(data).rows] == ["38", "187"]
    assert [row[-1] for row in tcp_cubic.numbers(data).rows] == ["2.0", "2.0"]


def test_random_losses_give_the_rule_of_cubic_more_than_the_table() -> None:
    """Where the function is a pure cubic the factor is that of its scale-free form, whatever p and C are."""
    factors = [tcp_cubic.fluid(cell) / tcp_cubic.table(cell) for cell in ((0.1, 4.0, 1e-4), (0.1, 0.4, 1e-5))]
    assert factors == pytest.approx([1.24, 1.24], abs=0.02)
    assert tcp_cubic.fluid((0.01, 0.4, 1e-3)) / 38 == pytest.approx(1.17, abs=0.02)


def test_each_westwood_is_held_against_the_reno_that_repairs_as_it_does() -> None:
    goodputs = {"reno": 1e6, "newreno": 2e6, "westwood": 3e6, "westwood+": 5e6}
    data = Data(
        {(v, 0.01): PointData(RESOLVED, {1: ftp(goodput=rate)}) for v, rate in goodputs.items()}, [1], quick=True
    )
    found = {v: tcp_westwood.beside_reno(data, v, 0.01).value for v in tcp_westwood.BESIDE}
    assert found == pytest.approx({"westwood": 3.0, "westwood+": 2.5})


def test_losses_are_told_apart_by_cause_and_verdict() -> None:
    key = ("tfmcc", "mbiaz", 0.01)
    # 900 s at 4.096 kbit/s are 900 packets of 512 B.
    shared = {"rate": 4096.0, **dict(zip(differentiation.GAUGES.values(), (30, 20, 10, 40), strict=True))}
    alone = {"rate": 8192.0, **dict(zip(differentiation.GAUGES.values(), (50, 0, 0, 50), strict=True))}
    flows = {"film-0": shared, "film-1": alone, "web": {"rate": 2048.0}}
    rows = tuple((flow, metric, "1") for flow, values in flows.items() for metric in values)
    run = RunSummary(Layout(rows), array("d", (value for values in flows.values() for value in values.values())))
    none = ("tfmcc", "none", 0.01)
    data = Data({key: PointData(RESOLVED, {1: run}), none: PointData(RESOLVED, {1: run})}, [1], quick=False)
    assert differentiation.ratio(data, key).mean == pytest.approx(2.0)
    assert differentiation.by_none(data, key, "web").mean == pytest.approx(1.0)
    assert differentiation.congestion(data, key).mean == pytest.approx(100 * 50 / 1000)
    assert differentiation.called_link(data, [key], by_link=True) == (pytest.approx(0.8), 100)
    assert differentiation.called_link(data, [key], by_link=False) == (pytest.approx(0.1), 100)
    assert differentiation.called_link(data, [key], by_link=True, receivers=("film-0",)) == (pytest.approx(0.6), 50)
    assert differentiation.beside_and_alone(data, [key]) == "60 % and 100 %"


def test_every_case_of_differentiation_is_legal() -> None:
    points = differentiation.points(quick=True)
    schemes = {resolve(point.scenario).data["sessions"]["film"]["scheme"] for point in points}
    assert schemes == {"tfmcc", "omcc", "smcc", "mlda"} == set(differentiation.NAMES)
    for point in points:
        resolved = resolve(point.scenario)
        assert resolved.data["sessions"]["film"]["loss_differentiation"]["rule"] in point.key[1]  # type: ignore[index]
