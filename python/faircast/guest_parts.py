"""Parts of schemes, for guests that are Python classes: those of the schemes in Rust, with the same numbers.

=======================  ==============================================================================================
`throughput_bps`         the throughput equation: what a TCP would get (RFC 5348, section 3.1)
`loss_event_rate`        the equation solved for the loss event rate (section 6.3.1)
`LossHistory`            a receiver's losses, loss events and loss event rate (RFC 4654, section 5)
`Rtt`, `stamp_us`        a receiver's round-trip time, from stamps of 32 bits that may wrap (RFC 4654, section 4.3)
`ReceiveRate`            how fast packets arrive (RFC 4654, section 4.3.4)
`Pacer`                  when packets go (RFC 4654, section 3.7)
`RateControl`            the sender's rate and its current limiting receiver (CLR): slow start, the choice of the CLR,
                         growth, silence, feedback rounds (RFC 4654, sections 3.1 to 3.4 and 3.6)
=======================  ==============================================================================================

Moments are whole nanoseconds, as endpoints get them; everything else has its unit in its name. What is not legal is a
`ValueError`. The parts belong to the endpoint that has them: they do not travel to other processes.

``examples/tfmcc-percentile/in_python.py`` is a scheme made of them.
"""

from __future__ import annotations

from faircast._native import (
    LossHistory,
    Pacer,
    RateControl,
    ReceiveRate,
    Rtt,
    loss_event_rate,
    stamp_us,
    throughput_bps,
)

__all__ = [
    "LossHistory",
    "Pacer",
    "RateControl",
    "ReceiveRate",
    "Rtt",
    "loss_event_rate",
    "stamp_us",
    "throughput_bps",
]
