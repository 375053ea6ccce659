"""The networks of x-start, what starts in them, and what is kept of a run.

One bottleneck between two pairs of hosts. A TCP as Linux has it is established there, and somebody else starts; or one
starts alone. Packets have 1500 B, and everybody's are of one size. Choices: TCP sends each packet up to a packet's time
late, at random, so that phases do not decide whose are lost; the established TCP begins at a random moment, so that the
start meets it anywhere in its sawtooth.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiments.jitter import one_packet
from faircast.experiments.rows import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircast._native import RawResult

PACKET_B = 1500
ACCESS_MS = 1
COUNTED_S = 30
"""How long after the start it is counted what the established TCP gets."""
STEP_S = 0.1
"""How often it is written down what one that is alone gets."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """A bottleneck, and when what happens there."""

    title: str
    mbps: float
    rtt_ms: int
    spread_s: int = 0
    """The established TCP begins at a random moment of so many seconds, about the time between two of its losses."""
    start_s: int = 0
    """Somebody else starts then."""
    max_rtt: str = "500 ms"
    """What TFMCC takes R_max for at first."""

    @property
    def bdp_packets(self) -> float:
        """What is on the way between the hosts and back while the link is full."""
        return 1000 * self.mbps * self.rtt_ms / (8 * PACKET_B)


PATHS = {
    "slow": Path(title="10 Mbit/s, 40 ms", mbps=10, rtt_ms=40, spread_s=10, start_s=40),
    "fast": Path(title="50 Mbit/s, 100 ms", mbps=50, rtt_ms=100, spread_s=60, start_s=120),
}
GEO = Path(title="10 Mbit/s over GEO, 560 ms", mbps=10, rtt_ms=560, max_rtt="1 s")
QUEUES: dict[str, float | None] = {"0.5 BDP": 0.5, "1 BDP": 1.0, "2 BDP": 2.0, "FQ-CoDel": None}
"""The queues by what they are called: of drop-tail ones how many products of bandwidth and delay they hold."""
ESTABLISHED = {"reno": "Reno", "cubic": "CUBIC"}
NOBODY, LETTER, DOUBLING, OMCC, CUBIC = "nobody", "letter", "doubling", "omcc", "cubic"
STARTERS: dict[str, str] = {
    NOBODY: "nobody",
    CUBIC: "CUBIC, initial window 10",
    DOUBLING: "TFMCC, doubling",
    OMCC: "OMCC, doubling",
    LETTER: "TFMCC, RFC 4654",
}
"""Who starts, as readers see them."""
SESSIONS: dict[str, dict[str, str]] = {
    LETTER: {"scheme": "tfmcc", "slow_start": "rfc4654"},
    DOUBLING: {"scheme": "tfmcc", "slow_start": "doubling"},
    OMCC: {"scheme": "omcc", "slow_start": "doubling"},
}
OLD, NEW = "established", "starter"


@dataclass(frozen=True, kw_only=True)
class Case:
    """Who starts where, beside whom."""

    path: str
    """A key of `PATHS`."""
    queue: str
    """A key of `QUEUES`."""
    beside: str
    """A key of `ESTABLISHED`."""
    starter: str
    """A key of `STARTERS`."""


def tcp(path: Path, variant: str, place: int) -> dict[str, Any]:
    """A TCP flow between a pair of hosts."""
    return {
        "kind": "tcp",
        "profile": "linux",
        "variant": variant,
        "from": f"left-{place}",
        "to": f"right-{place}",
        **one_packet(PACKET_B, path.mbps),
    }


def starting(path: Path, starter: str, place: int) -> dict[str, Any]:
    """What a scenario says of one that starts."""
    begin = {"start": f"{path.start_s} s"}
    if starter == NOBODY:
        return {}
    if starter == CUBIC:
        return {"flows": {NEW: {**tcp(path, CUBIC, place), "initial_cwnd": "10 packets", **begin}}}
    session = {
        **SESSIONS[starter],
        "source": f"left-{place}",
        "receivers": {"nodes": f"right-{place}"},
        "packet_size": f"{PACKET_B} B",
        "initial_max_rtt": path.max_rtt,
        **begin,
    }
    return {"sessions": {NEW: session}}


def network(path: Path, queue: str) -> dict[str, Any]:
    """The bottleneck with its queue, between two pairs of hosts."""
    held = QUEUES[queue]
    config: dict[str, Any] = {"kind": "fq-codel"}
    if held is not None:
        config = {"kind": "drop-tail", "limit": f"{round(held * path.bdp_packets)} packets"}
    return {
        "topology": {
            "kind": "dumbbell",
            "left": 2,
            "right": 2,
            "access": {"rate": "1 Gbit/s", "delay": f"{ACCESS_MS} ms"},
        },
        "links": {
            "bottleneck": {
                "rate": f"{path.mbps:g} Mbit/s",
                "delay": f"{path.rtt_ms / 2 - 2 * ACCESS_MS:g} ms",
                "queue": config,
                "back": {"queue": {"kind": "drop-tail", "limit": "10000 packets"}},
            }
        },
    }


def beside(case: Case) -> dict[str, Any]:
    """One that starts beside an established TCP."""
    path = PATHS[case.path]
    new = starting(path, case.starter, 1)
    old = {**tcp(path, case.beside, 0), "start_jitter": f"{path.spread_s} s"}
    return {
        "format": 1,
        "name": f"x-start-{case.path}-{case.queue}-{case.beside}-{case.starter}".lower().replace(" ", "-"),
        "duration": f"{path.start_s + COUNTED_S} s",
        **network(path, case.queue),
        **new,
        "flows": {OLD: old, **new.get("flows", {})},
        "probes": {"interval": "1 s", "links": False, "events": False},
    }


def alone(path: Path, starter: str, duration_s: int) -> dict[str, Any]:
    """One that starts where nobody else is, with a queue of one product."""
    return {
        "format": 1,
        "name": f"x-start-alone-{path.rtt_ms}ms-{starter}",
        "duration": f"{duration_s} s",
        **network(path, "1 BDP"),
        **starting(replace(path, start_s=0), starter, 0),
        "probes": {"interval": f"{1000 * STEP_S:g} ms", "links": False, "events": False},
    }


def courses(raw: RawResult) -> dict[str, NDArray[np.float64]]:
    """What each flow got in the intervals of a run, without repetitions, bit/s."""
    table = to_arrow(raw.tables()["flows"])
    got = table["goodput_bps"].to_numpy()
    return {flow: np.array(got[here]) for flow, here in places(table, "flow").items()}
