"""Pictures of results: one file each, one line each in `PICTURES`.

``faircast plot DIR`` draws them, and so does ``result.plot.rates()``.
"""

from __future__ import annotations

PICTURES = {
    "rates": "what flows and sessions get over time",
    "receivers": "rate, loss event rate and round-trip time of each receiver of a session",
    "transfers": "how many transfers of web traffic took longer than a time",
    "window": "congestion window and slow-start threshold of TCP",
    "levels": "how many layers receivers hold",
    "attempts": "what attempts to join a layer cost: joins and leaves over the packets that they add",
    "rtt": "round-trip times as senders measure them",
    "queue": "packets in probed queues, their averages, how long they wait, drops and marks",
    "links": "how much of the links is used",
    "dilation": "what receivers of a session demand on a link, by what the fastest of them gets",
    "paths": "delay of the ways between nodes, with hand-offs",
}
"""By name what a picture shows; its module has the same name and a function ``figure``.

The first of them that a run has something for is the one that fits it best.
"""
