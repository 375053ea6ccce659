"""What the throughput equation gives for a receiver of TFMCC or OMCC, and would give for other inputs.

As ``crates/proto/src/tfmcc/measurement.rs`` has it; the tests hold one to the other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from faircast.causes.explanation import WhatIf
from faircast.throughput import throughput_bps


@dataclass(frozen=True)
class Inputs:
    """What a receiver's rate is computed from."""

    packet_bytes: float
    """s: bytes of a data packet."""
    receive_bps: float
    """X_recv, bit/s."""
    rtt_s: float
    """R, seconds."""
    p: float
    """Loss event rate; 0 before the first loss."""
    factor: float = 1.0
    """f(N) of OMCC."""
    is_capped: bool = False
    """Whether f(N) gives no more than is received (``f_apply = "receive-rate"``)."""
    max_bps: float = math.inf
    """The session's `max_rate`."""

    def equation_bps(self) -> float:
        """X of the equation, without f(N); infinite without a loss."""
        return throughput_bps(self.packet_bytes, self.rtt_s, self.p) if self.p > 0 else math.inf

    def asked_bps(self) -> float:
        """X_r: the equation times f(N), or twice the receive rate before the first loss; a packet in 8 s at least."""
        if self.p <= 0:
            asked = 2 * self.receive_bps
        else:
            equation = self.equation_bps()
            asked = self.factor * equation
            if self.is_capped:
                asked = min(asked, max(self.receive_bps, equation))
        return max(asked, self.packet_bytes)

    def rate_bps(self) -> float:
        """What the source may send for it: X_r up to the session's `max_rate`."""
        return min(self.asked_bps(), self.max_bps)

    def what_ifs(self) -> tuple[WhatIf, ...]:
        """The rate with each input half and twice as large; p is at most 1."""
        inputs = (("X_recv", "receive_bps", "bit/s"), ("R", "rtt_s", "s"), ("p", "p", "1"))
        return tuple(
            WhatIf(name, getattr(self, field), unit, self._scaled(field, 0.5), self._scaled(field, 2.0))
            for name, field, unit in inputs
        )

    def _scaled(self, field: str, factor: float) -> float:
        value = factor * getattr(self, field)
        return replace(self, **{field: min(value, 1.0) if field == "p" else value}).rate_bps()
