"""The queues that are compared, each by nothing but its name where its RFC has defaults.

Choices: limits of drop-tail are parts of the product of bandwidth and delay. RED is that of the tree, gentle, with
thresholds at 5 and 50 % of twice that product. FQ-CoDel is there twice, as a session of several layers has a share for
each by its RFC, and one with ``by = "session"``. DualPI2 serves nobody with ECT(1) here: all are in its classic queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Queue:
    """One of them."""

    title: str
    """What stands above its column."""
    about: str
    """What it is called in sentences."""
    config: dict[str, Any]
    """What a link says of it."""


QUEUES: dict[str, Queue] = {
    "tail-quarter": Queue(
        title="¼ BDP", about="a drop-tail queue of a quarter BDP", config={"kind": "drop-tail", "limit": "0.25 BDP"}
    ),
    "tail-one": Queue(
        title="1 BDP", about="a drop-tail queue of one BDP", config={"kind": "drop-tail", "limit": "1 BDP"}
    ),
    "red": Queue(
        title="RED",
        about="RED",
        config={"kind": "red", "limit": "2 BDP", "min_th": "0.1 BDP", "max_th": "1 BDP", "gentle": True},
    ),
    "codel": Queue(title="CoDel", about="CoDel", config={"kind": "codel"}),
    "pie": Queue(title="PIE", about="PIE", config={"kind": "pie"}),
    "dualpi2": Queue(title="DualPI2", about="the classic queue of DualPI2", config={"kind": "dualpi2"}),
    "fq-address": Queue(title="FQ", about="FQ-CoDel by addresses", config={"kind": "fq-codel"}),
    "fq-session": Queue(title="FQ-S", about="FQ-CoDel by sessions", config={"kind": "fq-codel", "by": "session"}),
}
"""Beside each other as columns; the BDP is that of the link with the longest propagation over it."""
LONGEST_BDP = 2
"""No queue here holds more than so many BDP for long."""
