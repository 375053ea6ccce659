"""What is kept of one run of the comparison: who got what, how evenly, at what price for queues and in messages.

Everything is counted after the warm-up, in bytes on the wire, but for the time to settle, which counts from the
beginning. Choices:

* A receiver that was no member got nothing, not an undefined rate.
* The delay that TCP finds is how long its own packets wait at the bottleneck in the mean: those of all its flows
  behind it, acknowledgements not among them. Where queues are fair the length of the whole queue says nothing of it.
* Rates have settled at the first second from which all means over 10 s that lie in the next 30 s are within a quarter
  of the mean over the second half of the run; the means begin at each whole second. One that got nothing in the second
  half has not settled.
* A coefficient of variation is given where a bin holds at least five packets at the mean rate, otherwise nothing.
* Reports of hosts are called joins and leaves, those of routers grafts and prunes; among both are the periodic ones,
  which say the same again where messages can be lost. Each message about membership has 40 bytes and crosses one link.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiments.rows import places
from faircast.summary import RunSummary, from_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from faircast._native import RawResult
    from faircast.experiments.side_by_side.cells import Cell
    from faircast.experiments.side_by_side.path import Bottleneck, Path
    from faircast.summary import Columns

INTERVAL_S = 0.1
PROBES: dict[str, Any] = {"interval": f"{INTERVAL_S:g} s", "flows": True, "links": False, "events": False}
"""What a scenario has to observe; beside it ``queues`` with the links of the path's bottlenecks."""
BINS_S = (0.1, 1, 10)
"""How long the bins are over which rates vary."""
LEAST_PKTS = 5
"""So many packets a bin has at the mean rate, or nothing is said of how it varies."""
MEAN_S, STAYS_S, BAND = 10, 30, 0.25
"""Settled is what stays, in means over so long, for so long within this part of its mean."""
KINDS: dict[str, str] = {
    "feedback": "feedback of receivers",
    "source": "messages of the source without data",
    "hosts": "joins and leaves",
    "routers": "grafts and prunes",
    "acknowledgements": "acknowledgements of both",
}
"""Kinds of messages, with their names for readers."""
MEMBERSHIP = {
    "hosts": "joins_and_leaves",
    "routers": "grafts_and_prunes",
    "acknowledgements": "membership_acknowledgements",
}
"""The metrics of those that are about membership."""
MEMBERSHIP_BYTES = 40
"""What each of these has on the wire; they go over one link."""


def reduce(cell: Cell, raw: RawResult) -> dict[str, Any]:
    """What is kept of a finished run; see `of_tables`."""
    return of_tables(cell.situation.on, raw.tables())


def of_tables(path: Path, tables: Mapping[str, Columns]) -> dict[str, Any]:
    """What is kept of the tables of a run on a path.

    ``tcps``, ``receivers``
        By name ``rate``, bit/s; ``cov``, the coefficients of variation over `BINS_S`, None where a bin has too few
        packets; ``settled_s``, None if it never settled.
    ``bottlenecks``
        By link ``queue_pkts``, the mean queue; ``wait_ms``, how long packets of the TCPs behind it wait there in the
        mean, None if none left it; and ``utilisation``.
    ``messages``
        By kind (`KINDS`) packets and bytes of all sessions together; empty without sessions.
    """
    summary = from_columns(tables["summary"])
    flows, receivers = (to_arrow(tables[name]) for name in ("flows", "receivers"))
    waits = _waits(tables["sojourn"])
    sessions = summary.subjects("reports_received")
    rows_of_flows, rows_of_receivers = places(flows, "flow"), places(receivers, "receiver")
    of_flows, of_receivers = (table["rate_bps"].to_numpy() for table in (flows, receivers))
    return {
        "tcps": {
            name: _got(path, summary, name, of_flows[rows])
            for name, rows in rows_of_flows.items()
            if name not in sessions
        },
        "receivers": {name: _got(path, summary, name, of_receivers[rows]) for name, rows in rows_of_receivers.items()},
        "bottlenecks": {one.link: _carried(one, summary, waits) for one in path.bottlenecks},
        "messages": _messages(summary, sessions, list(rows_of_receivers)),
    }


def variation(rates: NDArray[np.float64], bin_s: float, packet_bytes: int) -> float | None:
    """The coefficient of variation of rates, one for each `INTERVAL_S`, in longer bins; what fills no bin is left out.

    None where a bin has fewer than `LEAST_PKTS` packets in the mean.
    """
    each = round(bin_s / INTERVAL_S)
    bins = rates[: len(rates) // each * each].reshape(-1, each).mean(axis=1)
    mean = float(bins.mean()) if bins.size else 0.0
    if mean * bin_s < 8 * packet_bytes * LEAST_PKTS:
        return None
    return float(bins.std()) / mean


def settled_s(rates: NDArray[np.float64]) -> float | None:
    """From when on rates, one for each `INTERVAL_S` from the beginning of a run, have settled, s; None if never."""
    each = round(1 / INTERVAL_S)
    seconds = rates[: len(rates) // each * each].reshape(-1, each).mean(axis=1)
    mean = float(seconds[len(seconds) // 2 :].mean()) if seconds.size else 0.0
    windows = STAYS_S - MEAN_S + 1
    if mean == 0 or len(seconds) < STAYS_S:
        return None
    sums = np.cumsum(np.append(0.0, seconds))
    means = (sums[MEAN_S:] - sums[:-MEAN_S]) / MEAN_S
    inside = np.abs(means - mean) <= BAND * mean * (1 + 1e-9)
    count = np.cumsum(np.append(0, inside))
    found = np.flatnonzero(count[windows:] - count[:-windows] == windows)
    return float(found[0]) if found.size else None


def _got(path: Path, summary: RunSummary, name: str, rates: NDArray[np.float64]) -> dict[str, Any]:
    there = np.nan_to_num(rates)
    late = there[round(path.warmup_s / INTERVAL_S) :]
    rate = summary[name, "rate"]
    return {
        "rate": 0.0 if math.isnan(rate) else rate,
        "cov": [variation(late, bin_s, path.packet_bytes) for bin_s in BINS_S],
        "settled_s": settled_s(there),
    }


def _waits(table: Columns) -> dict[tuple[str, str], tuple[int, float]]:
    """By link and flow how many packets left the link's queue, and how long they had waited in the mean, s."""
    columns = (to_arrow(table)[name].to_pylist() for name in ("link", "flow", "packets", "mean_s"))
    return {(link, flow): (packets, mean_s) for link, flow, packets, mean_s in zip(*columns, strict=True) if flow}


def _carried(
    bottleneck: Bottleneck, summary: RunSummary, waits: Mapping[tuple[str, str], tuple[int, float]]
) -> dict[str, float | None]:
    link = bottleneck.link
    if (link, "efficiency") not in summary:  # nothing came to it
        return {"queue_pkts": 0.0, "wait_ms": None, "utilisation": 0.0}
    each = [waits[link, flow] for flow in bottleneck.tcps if (link, flow) in waits]
    packets = sum(count for count, _ in each)
    total_s = math.fsum(count * mean_s for count, mean_s in each)
    return {
        "queue_pkts": summary[link, "queue_mean"],
        "wait_ms": 1e3 * total_s / packets if packets else None,
        "utilisation": summary[link, "efficiency"],
    }


def _messages(summary: RunSummary, sessions: Iterable[str], receivers: Iterable[str]) -> dict[str, list[float]]:
    def sent(names: Iterable[str]) -> list[float]:
        each = list(names)
        return [math.fsum(summary[name, metric] for name in each) for metric in ("messages", "message_bytes")]

    sessions = list(sessions)
    if not sessions:
        return {}
    membership = {kind: math.fsum(summary[name, metric] for name in sessions) for kind, metric in MEMBERSHIP.items()}
    return {
        "feedback": sent(receivers),
        "source": sent(sessions),
        **{kind: [count, count * MEMBERSHIP_BYTES] for kind, count in membership.items()},
    }
