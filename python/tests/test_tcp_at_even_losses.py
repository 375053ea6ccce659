"""TCP that loses every n-th packet: the average windows of RFC 9438, section 5.1, tables 1 and 2."""

from __future__ import annotations

import pytest

import faircast

ALONE = """
format = 1
name = "alone"
duration = "{duration} s"
warmup = "{warmup} s"

[topology]
kind = "dumbbell"
left = 1
right = 1
access = {{ rate = "100 Gbit/s", delay = "1 us" }}

[links.bottleneck]
rate = "20 Gbit/s"
delay = "{delay} s"
loss = {{ kind = "every", n = {n} }}

[links.bottleneck.back]
loss = {{ kind = "none" }}

[flows.file]
kind = "tcp"
variant = "{variant}"

[probes]
flows = false
links = false
"""


def window(variant: str, rtt_s: float, n: int) -> float:
    """The average window, segments of 1000 bytes, over some thirty losses."""
    duration = max(60.0, 35 * n**0.5 * rtt_s)
    text = ALONE.format(variant=variant, duration=duration, warmup=0.3 * duration, delay=rtt_s / 2, n=n)
    return faircast.run(text)["file", "goodput"] * rtt_s / 8000


@pytest.mark.parametrize(
    ("rtt_s", "n", "reno", "cubic"),
    [(0.1, 100, 12, 12), (0.1, 1000, 38, 38), (0.1, 10_000, 120, 187), (0.01, 10_000, 120, 120)],
)
def test_average_windows_are_those_of_the_rfc(rtt_s: float, n: int, reno: float, cubic: float) -> None:
    # The RFC's are those of an ideal sawtooth; ours has slow starts and whole segments.
    assert window("sack", rtt_s, n) == pytest.approx(reno, rel=0.15)
    assert window("cubic", rtt_s, n) == pytest.approx(cubic, rel=0.15)
