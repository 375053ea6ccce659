"""What is kept of a run of the paper's network: who got how much when, and how many layers came through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiments.rows import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from faircast._native import RawResult
    from faircast.experiment import Data
    from faircast.summary import Columns

WINDOW_S = 5
"""Rates are kept as means of so long; the figures of the paper have 10 s (choice)."""
JOINED, LEFT, BLOCKED, RELEASED = "layer-added", "layer-dropped", "blocked", "released"


@dataclass(frozen=True)
class Course:
    """What is kept of a run, by the names of its sessions."""

    rates: dict[str, NDArray[np.float64]]
    """What reached the receivers in each window, KBytes/s; NaN where there was no receiver."""
    changes: dict[str, NDArray[np.float64]]
    """Of a multicast session rows of when its layers changed, s, and how many come through from then on: with blocking
    those that the gateway lets pass, with RLM those that are joined. Nothing came through before the first."""
    held: dict[str, NDArray[np.float64]]
    """Of a multicast session rows of when its receiver joined or left layers, s, and how many it has from then on."""
    handoffs: NDArray[np.float64]
    """When the gateway was handed over from one satellite to another, s."""

    def mean_rate(self, name: str, begin_s: float, end_s: float) -> float:
        """Of a session over a time that begins and ends with a window, KBytes/s."""
        return float(self.windows(name, begin_s, end_s, WINDOW_S).mean())

    def windows(self, name: str, begin_s: float, end_s: float, length_s: int) -> NDArray[np.float64]:
        """Its rates in longer windows, KBytes/s."""
        rates = self.rates[name][round(begin_s / WINDOW_S) : round(end_s / WINDOW_S)]
        means: NDArray[np.float64] = rates.reshape(-1, length_s // WINDOW_S).mean(axis=1)
        return means

    def mean_layers(self, name: str, begin_s: float, end_s: float) -> float:
        """How many of its layers come through, the mean over time."""
        times, layers = self.changes[name].T
        edges = np.clip(np.append(times, np.inf), begin_s, end_s)
        return float((layers * np.diff(edges)).sum() / (end_s - begin_s))

    def time_with_empty(self, name: str, least: int, begin_s: float, end_s: float) -> float:
        """The part of the time in which so many layers or more are held and do not come through."""
        edges = np.unique(np.concatenate([[begin_s, end_s], self.changes[name][:, 0], self.held[name][:, 0]]))
        edges = edges[(edges >= begin_s) & (edges <= end_s)]
        held, through = (_values_at(rows, edges[:-1]) for rows in (self.held[name], self.changes[name]))
        return float(np.diff(edges)[held - through >= least].sum() / (end_s - begin_s))

    def layers_at(self, name: str, times_s: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
        """How many come through at these moments."""
        return _values_at(self.changes[name], times_s)

    def steps(self, name: str, begin_s: float, end_s: float) -> list[tuple[int, int]]:
        """Each change of the number: layers before and after."""
        times, layers = self.changes[name].T
        after = layers.astype(int)
        before = np.append(0, after[:-1])
        during = (times >= begin_s) & (times < end_s) & (before != after)
        return list(zip(before[during].tolist(), after[during].tolist(), strict=True))


def course(uplink: str, sessions: Sequence[str], raw: RawResult) -> dict[str, Any]:
    """The fields of `Course` of a finished run: rates of everything, layers of the multicast sessions named."""
    tables = raw.tables()
    flows, events, acts = (to_arrow(tables[name]) for name in ("flows", "events", "router_events"))
    rates = flows["rate_bps"].to_numpy() / 8000
    receivers = {name: list(joined_and_left(events, name)) for name in sessions}
    return {
        "rates": {name: rates[at] for name, at in places(flows, "flow").items()},
        "changes": {
            name: passing([*did, *blocked_and_released(acts, uplink, name)]) for name, did in receivers.items()
        },
        "held": {name: passing(did) for name, did in receivers.items()},
        "handoffs": handoffs_of(tables, uplink.removesuffix("-up")),
    }


def handoffs_of(tables: dict[str, Columns], station: str) -> NDArray[np.float64]:
    """When a station went over from one satellite to another, s."""
    table = to_arrow(tables["handoffs"])
    if not table.num_rows:
        return np.zeros(0)
    at = places(table, "station")[station] & ~places(table, "from")[""]
    found: NDArray[np.float64] = table["t_s"].to_numpy()[at]
    return found


def course_of(data: Data, key: Any, seed: int) -> Course:
    """What was kept of a run."""
    return Course(**data.reduced(key, seed))


def joined_and_left(events: pa.Table, session: str) -> Iterable[tuple[float, str, int]]:
    """What the receiver of a session did: times, events and layers."""
    kinds = places(events, "event")
    of = places(events, "flow").get(session)
    for kind in (JOINED, LEFT):
        if of is not None and kind in kinds:
            at = np.flatnonzero(of & kinds[kind])
            yield from (
                (t, kind, int(n)) for t, n in zip(*(_column(events, c, at) for c in ("t_s", "layer")), strict=True)
            )


def blocked_and_released(acts: pa.Table, link: str, session: str) -> Iterable[tuple[float, str, int]]:
    """What the agent of a link did to the layers of a session: times, events and layers."""
    kinds, at_link = places(acts, "event"), places(acts, "link").get(link)
    for about, of in places(acts, "about").items():
        name, _, group = about.rpartition("/")
        for kind in (BLOCKED, RELEASED):
            if name == session and kind in kinds and at_link is not None:
                at = np.flatnonzero(of & at_link & kinds[kind])
                yield from ((t, kind, int(group)) for t in _column(acts, "t_s", at))


def _values_at(rows: NDArray[np.float64], times_s: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """What rows of time and value have come to at these moments; 0 before the first."""
    found: NDArray[np.float64] = np.append(0.0, rows[:, 1])[np.searchsorted(rows[:, 0], times_s, side="right")]
    return found


def _column(table: pa.Table, name: str, at: NDArray[np.int64]) -> list[float]:
    found: list[float] = table[name].to_numpy()[at].tolist()
    return found


def passing(told: Iterable[tuple[float, str, int]]) -> NDArray[np.float64]:
    """How the number of layers of a session that come through changed: rows of time and number.

    A layer that is joined passes, until its receiver leaves it or the router blocks it. Once one of its session has
    been blocked, the router blocks what is joined before anything of it passes; that passes from its release on.
    """
    live: set[int] = set()
    capped = False
    rows: list[tuple[float, int]] = []
    for t_s, what, layer in sorted(told, key=lambda item: item[0]):
        before = len(live)
        if what == RELEASED or (what == JOINED and not capped):
            live.add(layer)
        elif what in (LEFT, BLOCKED):
            capped |= what == BLOCKED
            live.discard(layer)
        if len(live) != before:
            rows.append((t_s, len(live)))
    return np.array(rows, dtype=np.float64).reshape(-1, 2)
