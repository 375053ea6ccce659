"""What is kept of a run of the paper's network: who got how much when, what layers carried, who led, who joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiments.kwon.network import SESSION
from faircast.experiments.rows import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from faircast._native import RawResult
    from faircast.experiment import Data

WINDOW_S = 1
"""Rates are means over so long (the section on experiments plots them so)."""
STEP_S = 0.1
"""How often what layers are to carry is looked at."""
NOBODY = -1
"""Of the lead receivers: there is none."""
ENDS = ("join-succeeded", "join-failed", "join-abandoned")
"""How an attempt to join a layer ends."""


@dataclass(frozen=True)
class Attempt:
    """An attempt of a receiver to join a layer."""

    receiver: int
    layer: int
    """The layer that it wants to join."""
    end: str
    """How it ended, of `ENDS`; empty if the run ended before."""
    decided_s: float
    """When it began to wait for the counting layers; NaN if it did not wait."""
    begun_s: float
    """When it joined the first of them; NaN if it never did."""
    ended_s: float
    """NaN if the run ended before."""
    packets_added: float
    """By how many packets a period its rate was raised."""
    counting_joins: float
    """How many counting layers it joined."""
    has_mbps: float
    """T_S, what it had before, as it knew it at the end."""
    wants_mbps: float
    """T_{S+1}, what it would have with the layer."""
    period_s: float
    """x, in which the attempt adds a packet."""

    @property
    def length_s(self) -> float:
        """From its beginning to its end, waiting not counted."""
        return self.ended_s - self.begun_s


@dataclass(frozen=True)
class Course:
    """What is kept of a run. Receivers are known by their number in the session, from 0; rates are in Mbit/s."""

    rates: dict[str, NDArray[np.float64]]
    """What reached each flow's and each receiver's host in each second, by name; NaN while a receiver was not there."""
    measured: dict[str, NDArray[np.float64]]
    """Of each receiver at the end of each second its round-trip time, s, its loss event rate, and the rate that it
    asks for."""
    layers: NDArray[np.float64]
    """What the source sent on each layer in each second: rows by layer."""
    targets: NDArray[np.float64]
    """T_i, what the layers up to i are to carry together, every 0.1 s from time 0: rows by layer."""
    leads: list[NDArray[np.float64]]
    """Of each layer rows of when its lead receiver changed, s, and who it is from then on."""
    levels: dict[str, NDArray[np.float64]]
    """Of each receiver rows of when its highest layer changed, s, and which it is from then on; -1 if none."""
    told: NDArray[np.float64]
    """Rows of what receivers told of their attempts: time, kind (a place in `KINDS`), receiver, and `DETAILS`."""

    def mean(self, name: str, begin_s: float, end_s: float) -> float:
        """What a flow or a receiver got, the mean over those whole seconds in which it was there; NaN without any."""
        return mean(self.rates[name][round(begin_s) : round(end_s)])

    def mean_target(self, layer: int, begin_s: float, end_s: float) -> float:
        """The mean of T_i."""
        return mean(self.targets[layer][round(begin_s / STEP_S) : round(end_s / STEP_S)])

    def target(self, layer: int, at_s: float) -> float:
        """T_i at a moment."""
        return float(self.targets[layer][round(at_s / STEP_S)])

    def level(self, name: str, at_s: float) -> int:
        """The highest layer that a receiver holds at a moment."""
        return int(value_at(self.levels[name], at_s))

    def time_at(self, name: str, layer: int, begin_s: float, end_s: float) -> float:
        """For how long a layer is the highest that a receiver holds, s."""
        return float(sum(end - begin for begin, end in self.stays(name, layer, begin_s, end_s)))

    def stays(self, name: str, layer: int, begin_s: float, end_s: float) -> list[tuple[float, float]]:
        """From when to when a layer is the highest that a receiver holds."""
        return spans(self.levels[name], layer, begin_s, end_s)

    def leading(self, layer: int, receiver: int, begin_s: float, end_s: float) -> list[tuple[float, float]]:
        """From when to when a receiver leads a layer."""
        return spans(self.leads[layer], receiver, begin_s, end_s)

    def attempts(self, receiver: int | None = None) -> list[Attempt]:
        """All attempts to join a layer, of one receiver or of all, by their ends."""
        found: list[Attempt] = []
        for number in range(len(self.levels)) if receiver is None else [receiver]:
            found += _attempts(self.told[self.told[:, 2] == number])
        return sorted(found, key=lambda item: (np.nan_to_num(item.ended_s, nan=np.inf), item.receiver))


KINDS = ("join-waiting", "join-begun", *ENDS)
DETAILS = ("layer", "packets_added", "counting_joins", "before", "after", "period")
"""Columns of the table of events; rates in bit/s."""


def course(raw: RawResult) -> dict[str, Any]:
    """The fields of `Course` of a finished run."""
    tables = raw.tables()
    flows, receivers, layers, events = (to_arrow(tables[name]) for name in ("flows", "receivers", "layers", "events"))
    at = places(receivers, "receiver")
    names = [f"{SESSION}-{i}" for i in range(len(at))]
    numbers = {name: i for i, name in enumerate(names)}
    of_flows = {name: rows for name, rows in places(flows, "flow").items() if name != SESSION}
    rates = {name: _mbps(flows, rows) for name, rows in of_flows.items()}
    rates |= {name: _mbps(receivers, at[name]) for name in names}
    rank = layers["layer"].to_numpy()
    ranks = sorted({int(found) for found in rank[~np.isnan(rank)].tolist()}) or [0]
    sent = [_mbps(layers, (rank == layer) | (np.isnan(rank) & (len(ranks) == 1))) for layer in ranks]
    duration_s = float(flows["t_s"].to_numpy()[-1])
    return {
        "rates": rates,
        "measured": {
            name: np.array(
                [
                    receivers["rtt_s"].to_numpy()[at[name]],
                    receivers["loss_event_rate"].to_numpy()[at[name]],
                    receivers["desired_bps"].to_numpy()[at[name]] / 1e6,
                ]
            )
            for name in names
        },
        "layers": np.array(sent),
        "targets": np.array([sampled(_targets(events, layer), duration_s) for layer in ranks]),
        "leads": [_leads(events, layer, numbers) for layer in ranks],
        "levels": {name: _levels(events, name) for name in names},
        "told": _told(events, numbers),
    }


def course_of(data: Data, key: Any, seed: int) -> Course:
    """What was kept of a run."""
    return Course(**data.reduced(key, seed))


def mean(values: NDArray[np.float64]) -> float:
    """The mean of those that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if defined.size else float("nan")


def value_at(rows: NDArray[np.float64], at_s: float) -> float:
    """What rows of time and value have come to at a moment; -1 before the first."""
    return float(np.append(-1.0, rows[:, 1])[np.searchsorted(rows[:, 0], at_s, side="right")])


def spans(rows: NDArray[np.float64], value: float, begin_s: float, end_s: float) -> list[tuple[float, float]]:
    """From when to when rows of time and value have this value, within bounds."""
    found: list[tuple[float, float]] = []
    ends = np.append(rows[1:, 0], np.inf)
    for (begin, there), end in zip(rows.tolist(), ends.tolist(), strict=True):
        first, last = max(begin, begin_s), min(end, end_s)
        if there == value and first < last:
            if found and found[-1][1] == first:
                first = found.pop()[0]
            found.append((first, last))
    return found


def sampled(rows: NDArray[np.float64], duration_s: float) -> NDArray[np.float64]:
    """What rows of time and value have come to every 0.1 s, the end among them; NaN before the first."""
    times = STEP_S * np.arange(round(duration_s / STEP_S) + 1)
    found: NDArray[np.float64] = np.append(np.nan, rows[:, 1])[np.searchsorted(rows[:, 0], times + 1e-9, side="right")]
    return found


def _mbps(table: pa.Table, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = table["rate_bps"].to_numpy()[rows] / 1e6
    return found


def _rows(events: pa.Table, kind: str, layer: int | None = None) -> NDArray[np.int64]:
    """The rows of the session's events of a kind; of a scheme without layers all are about layer 0."""
    of, kinds = places(events, "flow").get(SESSION), places(events, "event").get(kind)
    if of is None or kinds is None:
        return np.array([], dtype=np.int64)
    found = of & kinds
    if layer is not None:
        found &= np.nan_to_num(events["layer"].to_numpy()) == layer
    return np.flatnonzero(found)


def _targets(events: pa.Table, layer: int) -> NDArray[np.float64]:
    """When T_i changed and what it is from then on; what it was before the first change it has been from the start."""
    at = _rows(events, "rate", layer)
    t_s, rates = events["t_s"].to_numpy()[at], events["after"].to_numpy()[at]
    if at.size:
        t_s, rates = np.append(0.0, t_s), np.append(events["before"].to_numpy()[at[0]], rates)
    return np.column_stack([t_s, rates / 1e6])


def _leads(events: pa.Table, layer: int, numbers: dict[str, int]) -> NDArray[np.float64]:
    at = _rows(events, "limiting-receiver", layer)
    return np.column_stack([events["t_s"].to_numpy()[at], _receivers(events, at, numbers)])


def _levels(events: pa.Table, name: str) -> NDArray[np.float64]:
    of = places(events, "receiver").get(name, np.zeros(events.num_rows, dtype=bool))
    at = np.sort(np.concatenate([_rows(events, "layer-added"), _rows(events, "layer-dropped")]))
    at = at[of[at]]
    return np.column_stack([events["t_s"].to_numpy()[at], events["after"].to_numpy()[at] - 1])


def _told(events: pa.Table, numbers: dict[str, int]) -> NDArray[np.float64]:
    parts = []
    for kind, name in enumerate(KINDS):
        at = _rows(events, name)
        columns = [events["t_s"].to_numpy()[at], np.full(at.size, kind), _receivers(events, at, numbers)]
        for column in DETAILS:
            names = (column, f"{column}_pkts", f"{column}_s")
            there = next((name for name in names if name in events.column_names), None)
            columns.append(events[there].to_numpy()[at] if there else np.full(at.size, np.nan))
        parts.append(np.column_stack(columns))
    found: NDArray[np.float64] = np.concatenate(parts)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def _receivers(events: pa.Table, at: NDArray[np.int64], numbers: dict[str, int]) -> NDArray[np.float64]:
    words = events["receiver"].combine_chunks()
    known = np.array([numbers.get(word, NOBODY) for word in words.dictionary.to_pylist()], dtype=float)
    found: NDArray[np.float64] = known[words.indices.to_numpy()[at]]
    return found


def _attempts(told: NDArray[np.float64]) -> list[Attempt]:
    """The attempts of one receiver, of what it told in the order of time."""
    found: list[Attempt] = []
    decided = begun = np.nan
    last: list[float] = []
    for row in told.tolist():
        t_s, kind = row[0], KINDS[int(row[1])]
        if kind == "join-waiting":
            decided, begun, last = t_s, np.nan, row
        elif kind == "join-begun":
            begun, last = t_s, row
        else:
            found.append(_attempt(row, kind, decided, begun, t_s))
            decided, begun, last = np.nan, np.nan, []
    if last:
        found.append(_attempt(last, "", decided, begun, np.nan))
    return found


def _attempt(row: list[float], end: str, decided_s: float, begun_s: float, ended_s: float) -> Attempt:
    receiver, layer, packets, joins, has_bps, wants_bps, period_s = row[2:]
    return Attempt(
        receiver=int(receiver),
        layer=int(layer),
        end=end,
        decided_s=decided_s,
        begun_s=begun_s,
        ended_s=ended_s,
        packets_added=packets,
        counting_joins=joins,
        has_mbps=has_bps / 1e6,
        wants_mbps=wants_bps / 1e6,
        period_s=period_s,
    )


def seconds(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The middles of the seconds that rates are means over."""
    found: NDArray[np.float64] = np.arange(len(values), dtype=np.float64) + 0.5 * WINDOW_S
    return found
