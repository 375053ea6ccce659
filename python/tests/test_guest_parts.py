"""Parts of the core for schemes that are Python classes, and the scheme of the examples that is made of them."""

from __future__ import annotations

import math
import pickle
import random
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from faircast import guest_parts
from faircast.guest_parts import (
    LossHistory,
    Pacer,
    RateControl,
    ReceiveRate,
    Rtt,
    loss_event_rate,
    stamp_us,
    throughput_bps,
)

EXAMPLE = Path(__file__).parents[2] / "examples" / "tfmcc-percentile"
MS = 1_000_000
NAN = math.nan


def test_the_throughput_equation() -> None:
    # p = 0.01, R = 0.1 s: R·sqrt(2p/3) = 0.00816497, 4R·3·sqrt(3p/8)·p·(1 + 32p²) = 0.000737198; 8000 bit over the sum.
    assert throughput_bps(1000, 0.1, 0.01) == pytest.approx(898_658, abs=1)
    # With b = 2: 0.0115470 and, with t_RTO = 1 s, 3·sqrt(6p/8)·p·1.0032 = 0.00260640.
    assert throughput_bps(1000, 0.1, 0.01, acknowledged=2, rto_s=1.0) == pytest.approx(565_225, abs=20)
    assert loss_event_rate(1000, 0.1, 898_658) == pytest.approx(0.01, rel=1e-5)


def arrive(history: LossHistory, *numbers: int, marked: bool = False) -> list[str]:
    return [history.arrive(n * 10 * MS, n, 0.05, first_interval=10, marked=marked) for n in numbers]


def test_a_loss_is_one_when_three_more_have_come() -> None:
    history = LossHistory()
    assert arrive(history, 0, 1, 2, 4, 5, 6) == ["plain"] * 5 + ["loss event"]
    # Interval 10 before it; since it began 3, 4, 5 and 6.
    assert (history.events, history.intervals, history.open_interval) == (1, [10.0], 4)
    assert history.loss_event_rate == pytest.approx(1 / 10)
    arrive(history, *range(7, 23))
    # The mean of 20 and 10 is more than 10.
    assert (history.open_interval, history.loss_event_rate) == (20, pytest.approx(1 / 15))
    # Number 24 is lost: 21 packets after 3, more than twice the mean of 10, so that this counts 20/21 (RFC 5348, 5.5).
    arrive(history, 23, 25, 26)
    assert arrive(history, 27) == ["loss event"]
    assert history.intervals == [21.0, 10.0]
    assert history.loss_event_rate == pytest.approx((1 + 20 / 21) / (21 + 10 * 20 / 21))
    assert arrive(history, 27, 26) == ["duplicate", "duplicate"]


def test_marks_are_losses_and_events_are_apart_by_a_round_trip() -> None:
    history = LossHistory()
    arrive(history, 0, 1, 2)
    assert arrive(history, 3, 4, marked=True) == ["loss event", "loss"]
    assert arrive(history, 5, 6, 7, 8) == ["plain"] * 4
    assert arrive(history, 9, marked=True) == ["loss event"]  # 60 ms after the first
    assert history.intervals == [6.0, 10.0]
    history.measured(0.025)  # half of what stood for it: a quarter of the first interval
    assert history.intervals[-1] == pytest.approx(2.5)


def test_round_trip_times() -> None:
    rtt = Rtt()
    assert (rtt.value_s, rtt.smoothed_s) == (None, None)
    # The clock here is 1 s ahead of the sender's; stamps wrap.
    wrap_ns = 2**32 * 1000
    assert stamp_us(wrap_ns + 5000) == 5
    assert rtt.measure(wrap_ns + 1000 * MS, stamp_us(wrap_ns + 900 * MS), 950_000 - 1_000_000 & 0xFFFF_FFFF)
    assert rtt.value_s == pytest.approx(0.1)
    assert not rtt.measure(1300 * MS, 1_100_000, 200_000)
    assert rtt.smoothed_s == pytest.approx(0.15)
    # One-way delay to the sender: 200 000 - 1 100 000, so D_r + now - sent = 0.25 s.
    rtt.adjust(1550 * MS, 400_000)
    assert rtt.value_s == pytest.approx(0.25)
    assert rtt.smoothed_s == pytest.approx(0.15)


def test_an_even_stream_is_measured_exactly() -> None:
    received = ReceiveRate()
    assert received.packets_per_s(0, 0.4) == 0
    for n in range(100):
        received.arrive(n * 10 * MS, 0.4)
    assert received.packets_per_s(990 * MS, 0.4) == pytest.approx(100)


def test_packets_are_paced() -> None:
    pacer = Pacer()
    assert pacer.due is None
    pacer.begin(1000 * MS)
    pacer.sent(1000 * MS, 0.5)
    assert pacer.due == 1500 * MS
    pacer.follow(1100 * MS, 0.2)
    pacer.follow(1100 * MS, 0.8)
    assert pacer.due == 1200 * MS
    pacer.stop()
    assert pacer.due is None


def test_the_rate_follows_who_limits() -> None:
    control = RateControl(1000, max_rate_bps=1e6)
    assert (control.rate_bps(0), control.clr, control.in_slow_start) == (0, None, True)
    control.begin(0)
    assert control.rate_bps(0) == pytest.approx(8000 / 0.5)  # a packet per R_max
    assert control.suppression_bps == math.inf
    here = control.feedback_round
    # Twice what receiver 7 gets, over its round-trip time.
    assert control.hear(100 * MS, 7, 32_000, 0.1, feedback_round=here, have_loss=False)
    assert control.rate_bps(150 * MS) == pytest.approx(24_000)
    assert control.rate_bps(200 * MS) == pytest.approx(32_000)
    # A loss ends slow start; what is lower counts at once.
    assert control.hear(300 * MS, 9, 20_000, 0.1, feedback_round=here)
    assert (control.clr, control.in_slow_start) == (9, False)
    assert control.rate_bps(300 * MS) == pytest.approx(20_000)
    assert control.suppression_bps == pytest.approx(18_000)  # (1 - g) of the lowest report
    # Who wants more does not limit, nor who says nothing. R = 0.05 s where R_max stood for it: ten times the rate.
    assert not control.hear(310 * MS, 3, 40_000, 0.1, feedback_round=here)
    assert not control.hear(320 * MS, 3, NAN, 0.1, feedback_round=here)
    assert not control.hear(320 * MS, 3, 4_000, NAN, feedback_round=here)
    assert not control.hear(330 * MS, 3, 4_000, 0.05, feedback_round=here, used_max_rtt_s=0.5)
    assert control.hear(340 * MS, 3, 4_000, 0.05, feedback_round=here)
    assert not control.dismiss(350 * MS, 8)
    assert control.dismiss(350 * MS, 3)
    assert control.clr is None
    assert control.feedback_round == (here + 1) % 256


def test_silence_halves_the_rate() -> None:
    control = RateControl(1000, slow_start=False, initial_max_rtt_s=0.1)
    control.begin(0)
    control.hear(10 * MS, 7, 1e6, 0.1, feedback_round=control.feedback_round)
    before, now, rounds = control.rate_bps(10 * MS), 0, 0
    while now < 60_000 * MS:
        assert control.deadline is not None
        now = control.deadline
        rounds += control.expire(now)
    assert not control.in_slow_start
    assert control.rate_bps(now) < before / 2
    assert rounds > 3
    assert control.clr is None


def _heard(**given: float) -> bool:
    control = RateControl(1000)
    control.begin(0)
    return control.hear(MS, 1, 1e6, feedback_round=control.feedback_round, **given)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: throughput_bps(0, 0.1, 0.1), "segment_bytes is 0; legal is from 1 to 65535"),
        (lambda: throughput_bps(1000, -1, 0.1), "rtt_s is -1; legal is above 0 to 3600"),
        (lambda: throughput_bps(1000, 0.1, NAN), "loss_event_rate is NaN; legal is above 0 to 1"),
        (lambda: throughput_bps(1000, 0.1, 1.5), "loss_event_rate is 1.5"),
        (lambda: throughput_bps(1000, 0.1, 0.1, acknowledged=0.5), "acknowledged is 0.5; legal is from 1 to 1000000"),
        (lambda: throughput_bps(1000, 0.1, 0.1, rto_s=0), "rto_s is 0"),
        (lambda: loss_event_rate(1000, 0.1, 0), "rate_bps is 0; legal is above 0 to"),
        (lambda: LossHistory(discount_threshold=0), "discount_threshold is 0"),
        (
            lambda: LossHistory().arrive(0, 2**48, 0.1, first_interval=1),
            "sequence is 281474976710656; legal is a whole number from 0 to 281474976710655",
        ),
        (lambda: LossHistory().arrive(0, -1, 0.1, first_interval=1), "sequence is -1; legal is a whole number from 0"),
        (lambda: stamp_us(-1), "now is -1; legal is a whole number from 0 to 18446744073709551615"),
        (lambda: Pacer().begin(2**64), "now is 18446744073709551616"),
        (lambda: Rtt().measure(0, 2**32, 0), "echoed_us is 4294967296; legal is a whole number from 0 to 4294967295"),
        (lambda: Rtt().adjust(0, -1), "sent_us is -1"),
        (lambda: RateControl(1000).hear(0, 1, 1e6, 0.1, feedback_round=256), "feedback_round is 256; legal is a whole"),
        (lambda: RateControl(1000).hear(0, 1, 1e6, 0.1, feedback_round=0), "a report has come before begin"),
        (lambda: _heard(rtt_s=-1), "rtt_s is -1; legal is above 0 to 3600"),
        (lambda: _heard(rtt_s=0), "rtt_s is 0; legal"),
        (lambda: _heard(rtt_s=math.inf), "rtt_s is inf; legal"),
        (lambda: _heard(rtt_s=0.1, used_max_rtt_s=0), "used_max_rtt_s is 0; legal"),
        (lambda: RateControl(1000).dismiss(0, 2**32), "receiver is 4294967296"),
        (lambda: RateControl(-1), "packet_size is -1; legal is"),
        (lambda: LossHistory().arrive(0, 0, math.inf, first_interval=1), "rtt_s is inf"),
        (lambda: LossHistory().arrive(0, 0, 0.1, first_interval=0.5), "first_interval is 0.5; legal is from 1 to"),
        (lambda: LossHistory().measured(0), "rtt_s is 0"),
        (lambda: Rtt().measure(0, 0, 0, weight=1), "weight is 1; legal is from 0 to less than 1"),
        (lambda: ReceiveRate().arrive(0, 0), "window_s is 0"),
        (lambda: ReceiveRate().packets_per_s(0, NAN), "window_s is NaN"),
        (lambda: Pacer().sent(0, 0), "gap_s is 0"),
        (lambda: Pacer().follow(0, -1), "gap_s is -1"),
        (lambda: RateControl(0), "packet_size"),
        (lambda: RateControl(1000, max_rate_bps=0), "max_rate_bps is 0"),
        (lambda: RateControl(1000, initial_max_rtt_s=NAN), "initial_max_rtt_s is NaN"),
    ],
)
def test_what_is_not_legal_is_said(call: Any, told: str) -> None:
    with pytest.raises(ValueError, match="legal is") as wrong:
        call()
    assert told in str(wrong.value)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_breaks_them(seed: int) -> None:
    draw = random.Random(seed)
    times = [0, 1, 10 * MS, 2**40, 2**63, 2**64 - 1]
    numbers = [0, 1e-9, 0.1, 1.0, 64.0, 3600.0, 1e9, 1e300, math.inf, -1.0, NAN]
    history, rtt, received, pacer, control = LossHistory(), Rtt(), ReceiveRate(), Pacer(), RateControl(1000)
    now = 0
    for _ in range(5000):
        now = draw.choice(times) if draw.random() < 0.02 else min(now + draw.randrange(200 * MS), 2**64 - 1)
        x, y, count = draw.choice(numbers), draw.choice(numbers), draw.randrange(2**32)
        yes, few = draw.random() < 0.5, draw.randrange(256)
        seen = partial(control.hear, now, few, x, y, feedback_round=few)
        given = [
            partial(history.arrive, now, draw.choice([count, few, 2**47]), x, first_interval=y, marked=yes),
            partial(history.measured, x),
            partial(rtt.measure, now, count, count ^ few, weight=x),
            partial(rtt.adjust, now, count),
            partial(received.arrive, now, x),
            partial(received.packets_per_s, now, x),
            partial(pacer.begin, now),
            partial(pacer.sent, now, x),
            partial(pacer.follow, now, x),
            partial(control.begin, now),
            partial(seen, have_loss=yes),
            partial(seen, used_max_rtt_s=x, leave=yes),
            partial(control.expire, now),
            partial(control.dismiss, now, few),
        ]
        with suppress(ValueError):
            draw.choice(given)()
        assert 0 <= history.loss_event_rate <= 1
        assert control.rate_bps(now) >= 0
        assert control.max_rtt_s > 0


def test_they_stay_where_they_are() -> None:
    for part in (LossHistory(), Rtt(), ReceiveRate(), Pacer(), RateControl(1000)):
        with pytest.raises(TypeError):
            pickle.dumps(part)
    assert set(guest_parts.__all__) >= {"LossHistory", "RateControl"}
    assert guest_parts.__doc__ is not None
    assert all(f"`{name}`" in guest_parts.__doc__ for name in guest_parts.__all__)


class Told:
    """A seat and an outbox that remember nothing but what was sent."""

    own, group, members, line_rate_bps = 3, 100, 2, None

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def random(self) -> float:
        return 0.5

    def send(self, _to: int, _size: int, fields: bytes, **_more: object) -> None:
        self.sent.append(fields)

    def event(self, *_: object, **__: object) -> None: ...


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.delitem(sys.modules, "in_python", raising=False)
    yield import_module("in_python")
    del sys.modules["in_python"]


def test_who_limits_and_falls_among_the_slowest_limits_no_longer(example: Any) -> None:
    told = Told()
    source = example.Percentile(percentile=50).source(told)  # one of two is passed over
    source.handle(0, "start", told)

    def report(now_ms: int, receiver: int, bps: float) -> None:
        said = (source.rate.feedback_round, bps, stamp_us((now_ms - 50) * MS), 0, 0.0, True)
        source.hear(now_ms * MS, receiver, example.REPORT.pack(*said), told)

    report(100, 1, 8000)
    assert (source.passed_over, source.rate.clr) == (1, None)
    report(200, 2, 12_000)
    assert source.rate.clr == 2
    report(300, 1, 40_000)  # so that receiver 2 is the slowest
    report(400, 2, 11_000)
    assert (source.passed_over, source.rate.clr) == (2, None)


def test_who_hears_that_another_one_wants_less_does_not_report(example: Any) -> None:
    def told_by(suppression_bps: float) -> int | None:
        told = Told()
        member = example.Percentile().member(told)
        for number in range(20):
            said = (number, 7, suppression_bps, 0.5, number * 10_000, example.NOBODY, 0, example.NOBODY)
            member.take(number * 10 * MS, 9, example.DATA.pack(*said), told)
        deadline: int | None = member.deadline()
        return deadline

    # 100 packets of 1000 B a second come, and twice as many are wanted: 1.6 Mbit/s.
    assert told_by(1e6) is None
    assert told_by(math.inf) == round(6 * 0.5e9 * (1 + math.log(0.5) / math.log(10_000)))


@pytest.mark.parametrize("size", [0, 72, 65_536, 70_000])
def test_the_example_says_which_packets_are_legal(example: Any, size: int) -> None:
    (wrong,) = example.Percentile(packet_size=size).check()
    assert wrong == ("packet_size", f"{size} B given; legal is 73 B to 65535 B")
    assert example.Percentile(packet_size=min(max(size, 73), 65_535)).check() == []


def test_the_example_follows_its_percentile(tmp_path: Path) -> None:
    for name in ("in_python.py", "one-slow.toml"):
        shutil.copy(EXAMPLE / name, tmp_path)
    done = subprocess.run([sys.executable, "in_python.py"], check=False, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rates = [[float(word) for word in line.split() if word.isdecimal()] for line in done.stdout.splitlines()[1:]]
    (none, nine_of_none, slow_of_none), (tenth, nine_of_tenth, slow_of_tenth) = rates
    assert (none, tenth) == (0, 10)
    assert slow_of_none <= 100.5
    assert nine_of_none < 130  # all have what the slow one's line of 100 kbit/s carries
    assert nine_of_tenth > 1200  # of 2 Mbit/s
    assert slow_of_tenth <= 100.5
