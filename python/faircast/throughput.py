"""The TCP throughput equation.

As ``crates/proto/src/parts/throughput_equation.rs`` has it; the tests hold one to the other.
"""

from __future__ import annotations

import math


def throughput_bps(segment_bytes: float, rtt_s: float, p: float) -> float:
    """The rate of a TCP, bit/s, at the loss event rate `p` (RFC 5348 section 3.1, with b = 1 and t_RTO = 4 R)."""
    increase = rtt_s * math.sqrt(2 * p / 3)
    timeouts = 4 * rtt_s * 3 * math.sqrt(3 * p / 8) * p * (1 + 32 * p * p)
    return 8 * segment_bytes / (increase + timeouts)
