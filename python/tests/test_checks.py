"""The arithmetic of the cross checks."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from faircast.experiment import Data, PointData
from faircast.experiments.checks import pgmcc_beside_tcp, pgmcc_window, tfmcc_beside_tcp
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
