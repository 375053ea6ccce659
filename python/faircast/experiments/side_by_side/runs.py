"""The scenarios of the comparison: of each cell one, and the point that runs it.

Whatever the path: TCP has segments of the path's packet size without a header, delayed ACKs, no window of its own, at
least 1 s until a time-out, and starts at a random moment of the first second; sessions and their receivers are there
from 0 s, and a group that was left comes for 2 s more. The same seed meets the same losses on every last hop and starts
the same TCPs at the same moment in all runs of a situation.

Choice: where bottlenecks are drop-tail, TCP puts off each packet by a random time of up to one packet's at the
bottleneck, as Floyd and Jacobson ask of such simulations. Over GEO phases would decide otherwise, by up to a factor of
six, and no seed would vary them (`surprises.phases`). RED, in the tree, has random moments of its own.

Choice: both TCPs recover with SACK, as today's hosts do, so that they differ in how they grow alone. *SACK* names the
one that grows as Reno does. Without SACK CUBIC, which over GEO overshoots by twenty packets and more in a round trip,
repairs one of them per round trip until its timer expires, every time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from faircast.experiment import Point
from faircast.experiments.side_by_side import schemes
from faircast.experiments.side_by_side.cells import BESIDE, REFERENCE, Cell, Path, Situation, cells
from faircast.experiments.side_by_side.measures import PROBES, reduce
from faircast.experiments.side_by_side.schemes import Row

RECOVERY = {"cubic": {"recovery": "sack"}}
"""Of the variants that do not recover by what they are called after."""


def scenario(cell: Cell, seed: int = 1) -> dict[str, Any]:
    """The scenario of a cell; only over LEO it is another one with each seed, as the constellation starts elsewhere.

    Raises `InputError` for a scheme that does not exist.
    """
    situation = cell.situation
    path = situation.on
    agent = schemes.agent(cell.scheme) if cell.run == BESIDE else None
    flows = [*path.tcps, *(path.instead if cell.run == REFERENCE else ())]
    return {
        "format": 1,
        "name": name(cell),
        "duration": f"{path.duration_s:g} s",
        "warmup": f"{path.warmup_s:g} s",
        **path.network(situation.loss, agent, seed),
        "flows": {flow: tcp(situation.tcp, path, flow) for flow in flows},
        "sessions": sessions(cell) if cell.run == BESIDE else {},
        "probes": PROBES | {"queues": [bottleneck.link for bottleneck in path.bottlenecks]},
    }


def point(cell: Cell) -> Point:
    """The point of a cell, of whose runs is kept what `measures.reduce` makes of them."""
    seeded = cell.situation.on.seeded
    return Point(
        key=cell,
        scenario=partial(scenario, cell) if seeded else scenario(cell),
        reduce=partial(reduce, cell),
    )


def points(rows: Sequence[Row], situations: Sequence[Situation]) -> list[Point]:
    """All points that a comparison of these schemes in these situations needs."""
    return [point(cell) for cell in cells(rows, situations)]


def name(cell: Cell) -> str:
    """What the runs of a cell are called in tables."""
    situation = cell.situation
    row = str(cell.scheme) if cell.scheme in schemes.SCHEMES else schemes.label(cell.scheme)
    legal = re.sub("[^A-Za-z0-9_.-]", "-", row or cell.run)
    return (
        f"x-{'queues' if situation.queue else 'all'}-{legal}-{situation.path}-{100 * situation.loss:g}-{situation.tcp}"
    )


def tcp(variant: str, path: Path, flow: str) -> dict[str, Any]:
    """One TCP flow, by its name in results."""
    source, sink = path.ends[flow]
    jitter_s = path.jitters_s.get(flow, path.send_jitter_s)
    jitter = {"send_jitter": f"{1000 * jitter_s:.4f} ms"} if jitter_s else {}
    return (
        {
            "kind": "tcp",
            "variant": variant,
            "from": source,
            "to": sink,
            "mss": f"{path.packet_bytes} B",
            "hdr": "0 B",
            "ack_size": "40 B",
            "delayed_ack": True,
            "rto_min": "1 s",
            "start_jitter": "1 s",
        }
        | RECOVERY.get(variant, {})
        | jitter
    )


def sessions(cell: Cell) -> dict[str, Any]:
    """The sessions of a cell, all of its scheme."""
    path = cell.situation.on
    return {
        session: schemes.session(cell.scheme, path)
        | {"source": source, "receivers": {"nodes": list(nodes)}, "membership": {"profile": "realistic"}}
        for session, (source, nodes) in path.members.items()
    }
