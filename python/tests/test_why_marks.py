"""Explanations of congestion marks, of f(N), and of rates that hardly change."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import faircast
from faircast.causes.fate import thresholds
from faircast.causes.rows import Rows
from faircast.causes.tfmcc import chosen, is_steady
from faircast.throughput import throughput_bps

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def flat(found: faircast.Explanation) -> str:
    """The text in one line."""
    return " ".join(found.text.split())


def test_a_mark_of_plain_ecn() -> None:
    result = faircast.run(
        EXAMPLES / "red-ecn.toml", sets=["duration=20s", "warmup=2s", 'probes.packets=["bottleneck"]']
    )
    reductions = Rows.of(result.events).having(flow="bulk-0", event="moderate-reduction")
    packets = Rows.of(result.packets).having(flow="bulk-0", is_data=1)
    assert len(reductions) > 5
    for place in (0, 3, len(reductions) - 1):
        event = reductions.row(place)
        found = faircast.why(result, at=event["t_s"], flow="bulk-0")
        change, mark, limit = found.steps
        # The next acknowledgement after a mark asks for the segment after the marked one.
        assert (change.facts["number"], mark.facts["number"]) == (event["cause_number"], event["cause_number"] - 1)
        row = packets.having(number=mark.facts["number"], action="marked-moderate").last()
        assert row is not None
        assert (mark.kind, mark.t_s, mark.facts["link"]) == ("packet", row["t_s"], "bottleneck")
        assert (mark.facts["queue_pkts"], mark.facts["average_pkts"]) == (row["queue_pkts"], row["average_pkts"])
        # Over the bottleneck of 40 ms and back, and through its queue.
        assert 0.08 < event["t_s"] - mark.t_s < 0.4
        assert event["cwnd_after_pkts"] == pytest.approx(event["cwnd_before_pkts"] / 2, rel=1e-6)
        windows = f"cwnd from {event['cwnd_before_pkts']:.3g} to {event['cwnd_after_pkts']:.3g} packets"
        assert f"after a congestion mark: {windows}" in " ".join(found.headline.split())
        assert "was marked (congestion experienced) at bottleneck" in mark.text
        assert "by the RED queue, limit 150 packets" in mark.text
        assert "thresholds 15 and 45 packets" in mark.text
        assert limit.facts["ssthresh_pkts"] > 0
    # Without packets in the result the run is made again, and says the same.
    again = faircast.run(EXAMPLES / "red-ecn.toml", sets=["duration=20s", "warmup=2s"])
    assert faircast.why(again, at=event["t_s"], flow="bulk-0").steps == found.steps


def test_marks_of_both_levels_of_mecn() -> None:
    result = faircast.run(EXAMPLES / "mecn-chain.toml", sets=["duration=30s", "warmup=2s", 'probes.packets=["hop-0"]'])
    packets = Rows.of(result.packets).having(is_data=1)
    for level, left, flow in (("incipient", 0.8, "ftp-1"), ("moderate", 0.6, "ftp-8")):
        event = Rows.of(result.events).having(flow=flow, event=f"{level}-reduction").last()
        assert event is not None
        found = faircast.why(result, at=event["t_s"], flow=flow)
        assert f"after a congestion mark ({level}): cwnd from" in found.headline
        mark = found.steps[1]
        row = packets.having(flow=flow, number=mark.facts["number"], action=f"marked-{level}").last()
        assert row is not None
        assert (mark.t_s, mark.facts["link"], mark.facts["action"]) == (row["t_s"], "hop-0", f"marked-{level}")
        assert f"was marked ({level} congestion) at hop-0 (router-0 to router-1)" in mark.text
        assert "thresholds 10, 20 and 40 packets" in mark.text
        change = found.steps[0].facts
        assert change["cwnd_after_pkts"] == pytest.approx(left * change["cwnd_before_pkts"], rel=1e-6)


def test_thresholds_that_the_scenario_leaves_open() -> None:
    mecn = {"kind": "mecn", "min_th": "7 packets", "mid_th": "auto", "max_th": "auto"}
    assert thresholds(mecn) == "thresholds 7, 14 and 28 packets"
    assert thresholds({**mecn, "mid_th": "10 packets"}) == "thresholds 7, 10 and 20 packets"
    assert thresholds({"kind": "red", "min_th": "7 packets", "max_th": "auto"}) == "thresholds 7 and 21 packets"
    # RED's own first one follows from the rate of its link.
    assert thresholds({"kind": "red", "min_th": "auto", "max_th": "auto"}) == ""
    assert thresholds({"kind": "drop-tail", "limit": "5 packets"}) == ""


def test_f_of_n_of_omcc() -> None:
    sets = ["duration=40s", "warmup=2s", 'probes.queues=["bottleneck"]']
    result = faircast.run(EXAMPLES / "omcc-bottleneck.toml", sets=sets)
    events = Rows.of(result.events).having(flow="lecture")
    rates = events.having(event="rate", cause="report").between(25.0, 40.0)
    fall = rates.row(int((rates["after"] / rates["before"]).argmin()))
    found = faircast.why(result, at=fall["t_s"], flow="lecture")
    facts = found.steps[1].facts
    # Five receivers, the utility of TCP: f(N) is the root of 5.
    assert facts["factor"] == pytest.approx(math.sqrt(5), rel=1e-6)
    assert "times f(N) = 2.24" in flat(found)
    asked = math.sqrt(5) * throughput_bps(1000, facts["rtt_s"], facts["p"])
    assert found.rate_bps == pytest.approx(asked, rel=1e-6)
    receive, rtt, loss = found.what_ifs
    # Without f_apply the receive rate does not bound.
    assert (receive.halved_bps, receive.doubled_bps) == (found.rate_bps, found.rate_bps)
    assert (rtt.halved_bps, rtt.doubled_bps) == pytest.approx((2 * asked, asked / 2), rel=1e-6)
    doubled = math.sqrt(5) * throughput_bps(1000, facts["rtt_s"], 2 * facts["p"])
    assert loss.doubled_bps == pytest.approx(doubled, rel=1e-6)


def test_a_step_of_f_of_n_is_one_of_the_changes() -> None:
    sets = ["duration=20s", "warmup=2s"]
    result = faircast.run(EXAMPLES / "omcc-bottleneck.toml", sets=sets)
    reports = list(Rows.of(result.events).having(flow="lecture", event="report"))
    rates = Rows.of(result.events).having(flow="lecture", event="rate")
    told = 0
    for before, now in itertools.pairwise(reports):
        change = rates.between(now["t_s"], now["t_s"]).last()
        if before["receiver"] != now["receiver"] or before["factor"] == now["factor"] or change is None:
            continue
        found = faircast.why(result, at=now["t_s"], flow="lecture")
        if found.moment_s == now["t_s"] and now["loss_event_rate"] > 0:
            assert f"f(N) rose from {before['factor']:.3g} to {now['factor']:.3g}, which alone turns" in flat(found)
            told += 1
    assert told > 0


def test_a_longer_round_trip_says_where_packets_waited() -> None:
    sets = ["duration=40s", "warmup=2s", 'probes.queues=["bottleneck"]']
    result = faircast.run(EXAMPLES / "omcc-bottleneck.toml", sets=sets)
    reports = list(Rows.of(result.events).having(flow="lecture", event="report"))
    longer = [
        now["t_s"]
        for before, now in itertools.pairwise(reports)
        if before["receiver"] == now["receiver"]
        and now["rtt_s"] > 1.1 * before["rtt_s"]
        and now["after"] < before["before"]
    ]
    queues = Rows.of(result.queues)
    told = 0
    for at in longer:
        found = faircast.why(result, at=at, flow="lecture")
        inputs = [step for step in found.steps if step.kind == "inputs"]
        if found.moment_s == at and inputs:
            near = queues.between(at - 1, at)
            row = near.row(int(near["queue_pkts"].argmax()))
            waiting = f"{row['queue_pkts']:.0f} packets at {row['t_s']:.3f} s"
            assert inputs[0].text.endswith(f" Along the path most packets waited at bottleneck: {waiting}.")
            told += 1
    assert told > 0


def changes(*rates: tuple[float, float, float]) -> Rows:
    """Events of the rate: when, from what, to what."""
    columns = np.array(rates).T
    return Rows(dict(zip(("t_s", "before", "after"), columns, strict=True)))


def test_what_is_explained_of_several_changes() -> None:
    # A fall by a hundredth and more goes first, whatever has risen.
    rows = changes((9.2, 100.0, 80.0), (9.5, 80.0, 79.9), (9.8, 79.9, 120.0))
    assert (chosen(rows, 10.0, 1.0) or {})["t_s"] == 9.2
    # A tiny one only where nothing has risen.
    rows = changes((9.2, 100.0, 99.9), (9.5, 99.9, 104.0), (9.8, 104.0, 103.8))
    assert (chosen(rows, 10.0, 1.0) or {})["t_s"] == 9.5
    rows = changes((9.2, 100.0, 99.3), (9.5, 99.3, 98.5))
    assert (chosen(rows, 10.0, 1.0) or {})["t_s"] == 9.5
    # What is longer ago counts only if nothing else has happened.
    rows = changes((5.0, 100.0, 50.0), (6.0, 50.0, 51.0))
    assert (chosen(rows, 10.0, 1.0) or {})["t_s"] == 6.0


def test_what_is_steady() -> None:
    rows = changes((9.2, 100.0, 100.4), (9.5, 100.4, 100.9))
    assert is_steady(rows, rows.row(1), 10.0, 1.0)
    # Small steps that add up are a change.
    rows = changes((9.2, 100.0, 100.6), (9.5, 100.6, 101.2))
    assert not is_steady(rows, rows.row(1), 10.0, 1.0)
    # Of what is longer ago only the last counts.
    rows = changes((5.0, 100.0, 50.0), (6.0, 50.0, 50.1))
    assert is_steady(rows, rows.row(1), 10.0, 1.0)
    rows = changes((5.0, 50.0, 50.1), (6.0, 100.0, 50.0))
    assert not is_steady(rows, rows.row(1), 10.0, 1.0)


def test_a_rate_that_hardly_changes_is_said_to_stay() -> None:
    result = faircast.run(
        EXAMPLES / "rain-fade.toml", sets=["duration=200s", "warmup=20s", "flows.download.send_jitter=0s"]
    )
    rates = Rows.of(result.events).having(flow="video", event="rate")
    at = next(
        row["t_s"]
        for row in rates
        if row["t_s"] > 185
        and row["after"] < row["before"]
        and is_steady(rates.between(0, row["t_s"]), row, row["t_s"], 1.0)
    )
    found = faircast.why(result, at=at, flow="video")
    now = rates.between(0, at).last()
    assert now is not None
    assert " stayed about " in found.headline
    assert "nothing changed it by more than a hundredth" in found.headline
    assert " fell " not in found.text
    assert [step.kind for step in found.steps if step.kind != "recovery"] == ["report", "limit"]
    assert "video-0 has limited the rate since" in flat(found)
    assert len(found.what_ifs) == 3
    assert found.moment_s is not None
    assert found.moment_s <= at
