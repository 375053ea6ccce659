"""What holds a session down after a trouble, since when and until when: moments of runs with an outage or losses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_why import scenario

import faircast
from faircast.causes.equation import Inputs
from faircast.causes.recovery import begun, loss_event_rate, open_interval, sent_since
from faircast.causes.rows import Rows

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "outage.toml"


def rates(*rows: tuple[float, float]) -> Rows:
    """Events of rates: moments and what was sent from then on."""
    times, values = (np.array(column) for column in zip(*rows, strict=True))
    return Rows({"t_s": times, "event": np.full(len(rows), "rate"), "after": values})


def test_a_trouble_begins_deep_down_and_ends_half_way_up() -> None:
    assert begun(rates((1.0, 100.0), (2.0, 30.0), (3.0, 90.0))) is None, "a third is no trouble"
    fell = [(1.0, 60.0), (2.0, 100.0), (10.0, 49.0), (12.0, 24.0)]
    assert begun(rates(*fell)) == (10.0, 100.0), "since it fell below half"
    assert begun(rates(*fell, (500.0, 49.0))) == (10.0, 100.0), "however long it takes"
    assert begun(rates(*fell, (500.0, 50.0))) is None
    assert begun(rates(*fell, (500.0, 50.0), (501.0, 12.0))) == (501.0, 50.0), "from where it had come"
    assert begun(rates((1.0, 100.0), (50.0, 60.0), (62.0, 60.0), (63.0, 24.0))) is None, "of the last minute"


def test_how_many_packets_without_a_loss() -> None:
    # By hand: up to twice the mean nothing is discounted, (x + 5 M) / 6.
    assert open_interval(10.0, 11.0, 0.5) == pytest.approx(16.0)
    # At four times the mean the closed ones count half, (4 M + 2.5 M) / 3.5, and no less beyond.
    assert open_interval(10.0, 65 / 3.5, 0.5) == pytest.approx(40.0)
    assert open_interval(10.0, 105 / 3.5, 0.5) == pytest.approx(80.0)
    assert open_interval(10.0, 25.0, 1.0) == pytest.approx(100.0), "without discounting"
    assert open_interval(10.0, 5.0, 0.5) == 10.0
    inputs = Inputs(packet_bytes=1000, receive_bps=1e5, rtt_s=0.1, p=0.2)
    needed = loss_event_rate(inputs, 1e6)
    assert needed is not None
    assert Inputs(packet_bytes=1000, receive_bps=1e5, rtt_s=0.1, p=needed).asked_bps() == pytest.approx(1e6)
    assert loss_event_rate(inputs, 1e4) is None
    assert sent_since(rates((0.0, 10.0), (4.0, 20.0)), 3.0, 5.5) == pytest.approx(10 + 30)


def recovery(result: faircast.RunResult, at_s: float) -> dict[str, Any] | None:
    """The facts of the step on the recovery at a moment, and its text."""
    steps = [step for step in faircast.why(result, at=at_s, flow="video").steps if step.kind == "recovery"]
    return steps[0].facts | {"text": steps[0].text} if steps else None


def back_s(result: faircast.RunResult, after_s: float, bps: float) -> float:
    """When the rate of the source first came to this after a moment."""
    events = Rows.of(result.events).having(event="rate", flow="video").between(after_s, math.inf)
    first = events.where(events["after"] >= bps).first()
    assert first is not None
    return float(first["t_s"])


@pytest.fixture(scope="module")
def by_the_letter() -> faircast.RunResult:
    """The example by the letter of the RFC, by which growth takes minutes."""
    sets = ["sessions.video.profile=rfc4654", "duration=160s"]
    return faircast.run(EXAMPLE, sets=sets)


def test_nothing_is_told_of_a_session_that_is_well(by_the_letter: faircast.RunResult) -> None:
    assert recovery(by_the_letter, 90.0) is None


def test_silence_holds_it_down_while_the_link_is_down(by_the_letter: faircast.RunResult) -> None:
    found = recovery(by_the_letter, 109.0)
    assert found is not None
    assert 100.0 < found["since_s"] < 102.0
    assert found["held_by"] == "silence"
    assert found["until_s"] is None
    assert "nobody limits it and the last report came at 99.8" in found["text"]
    assert "until the next report comes" in found["text"]


def test_growth_by_the_letter_holds_it_down_for_minutes(by_the_letter: faircast.RunResult) -> None:
    found = recovery(by_the_letter, 150.0)
    assert found is not None
    assert found["held_by"] == "growth"
    flows = Rows.of(by_the_letter.flows).having(flow="video").where_before(150.0 + 1e-9).last()
    assert flows is not None
    assert found["speed_bps2"] == pytest.approx(8000 / flows["max_rtt_s"] ** 2)
    assert f"R_max = {flows['max_rtt_s']:.3g} s" in found["text"]
    goal = min(found["asked_bps"], 0.5 * found["before_bps"])
    assert found["until_s"] == pytest.approx(150 + (goal - found["now_bps"]) / found["speed_bps2"])
    assert found["until_s"] > 300


def test_the_loss_history_holds_it_down_until_enough_packets_have_come() -> None:
    # Half of all packets are lost for five seconds; then the way up is that of the loss intervals.
    losses = 'changes = [{ at = "20 s", loss = { kind = "bernoulli", p = 0.5 } }, { at = "25 s", loss = LATER }]'
    text = scenario(c=losses.replace("LATER", '{ kind = "none" }') + '\nloss = { kind = "bernoulli", p = 0.002 }')
    sets = ["duration=60s", "sessions.video.gap_floor=follows", "sessions.video.initial_max_rtt=100ms"]
    result = faircast.run(text, sets=sets)
    held = []
    for at_s in np.arange(25.5, 60.0, 0.5):
        found = recovery(result, float(at_s))
        if found is None:
            break
        held.append((float(at_s), found))
    at_s, found = next((at_s, it) for at_s, it in held if it["now_bps"] > 0.02 * it["before_bps"])
    assert found["held_by"] == "loss-history"
    actual_s = back_s(result, 25.5, 0.5 * found["before_bps"])
    assert 0.5 < (found["until_s"] - at_s) / (actual_s - at_s) < 2.0, (at_s, found, actual_s)
    assert 0 < found["packets_so_far"] < found["packets"]
    assert at_s < actual_s < held[-1][0] + 0.5, "and is told of until it is back"


def test_the_session_of_the_example_is_back_before_five_times_the_outage_are_over() -> None:
    result = faircast.run(EXAMPLE, sets=["duration=200s"])
    found = recovery(result, 109.0)
    assert found is not None
    assert found["held_by"] == "silence"
    actual_s = back_s(result, 110.0, 0.5 * found["before_bps"])
    assert actual_s < 150.0
    assert recovery(result, 0.5 * (110.0 + actual_s)) is not None
    # A packet that waited for the link has come back after seconds.
    held = [recovery(result, at_s) for at_s in np.arange(110.5, actual_s, 0.5)]
    waited = [found for found in held if found is not None and found["held_by"] == "round-trip-time"]
    assert waited
    assert all(found["rtt_s"] > 2 * found["rtt_before_s"] for found in waited)
    assert recovery(result, actual_s + 1.0) is None
    sent = Rows.of(result.flows).having(flow="video")
    before, after = (sent.between(*span)["sending_bps"].mean() for span in ((60.0, 99.0), (160.0, 199.0)))
    assert 0.5 < after / before < 2.0, (before, after)
