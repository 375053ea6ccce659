"""The way from a node to another over time: delay, hops, hand-offs, without anything being sent.

The core lets the network change as it does in a run and asks its routes. A run tells the same of the pairs of nodes
that ``probes.paths`` names, in its tables ``paths`` and ``handoffs``; see the chapter ``docs/results.md``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast import _native
from faircast.background import called
from faircast.errors import InputError
from faircast.scenario import Resolved, Source, count, describe, resolve, seeds

if TYPE_CHECKING:
    import pyarrow as pa

BETWEEN = " > "
"""Stands between the nodes of a way."""
CHANGES = ("path-changed", "hand-off")
"""Events after which packets take other links than before."""


@dataclass(frozen=True, repr=False)
class PathSeries:
    """The way from one node to another: a row for each sample, and one for each moment at which it changed."""

    from_: str
    to: str
    t_s: np.ndarray
    """Seconds since the start."""
    event: np.ndarray
    """Empty for a sample; `path-changed`, or `hand-off` where a station on the way has turned to another satellite;
    `lost`, when there is no way any more, and `found`, when there is one again."""
    delay_s: np.ndarray
    """Propagation delays of all links of the way at that moment, together; NaN if there is none."""
    hops: np.ndarray
    """How many links; 0 if there is no way."""
    way: np.ndarray
    """The nodes, with `` > `` between them."""
    handoffs: dict[str, np.ndarray]
    """Of each station that has been on the way: when it turned to another satellite, seconds."""
    end_s: float
    """Until when."""

    @property
    def is_sample(self) -> np.ndarray:
        """A mask of the rows that are samples at the interval."""
        mask: np.ndarray = self.event == ""
        return mask

    @cached_property
    def summary(self) -> PathSummary:
        """Delays, changes and hand-offs in a few numbers."""
        delays = self.delay_s[~np.isnan(self.delay_s)]
        samples = self.delay_s[self.is_sample & ~np.isnan(self.delay_s)]
        lasting = np.diff(np.append(self.t_s, self.end_s))
        return PathSummary(
            min_s=float(delays.min()) if len(delays) else np.nan,
            mean_s=float(samples.mean()) if len(samples) else np.nan,
            max_s=float(delays.max()) if len(delays) else np.nan,
            changes=int(np.isin(self.event, CHANGES).sum()),
            lost=int((self.event == "lost").sum()),
            without_s=float(lasting[self.hops == 0].sum()),
            handoffs={name: len(times) for name, times in self.handoffs.items()},
            between_s={name: mean_gap(times) for name, times in self.handoffs.items()},
        )

    def table(self) -> pa.Table:
        """The rows as an Arrow table, with the columns of a run's table ``paths``."""
        import pyarrow as pa

        ends = {"from": [self.from_] * len(self.t_s), "to": [self.to] * len(self.t_s)}
        columns = {name: getattr(self, name) for name in ("event", "delay_s", "hops", "way")}
        return pa.table({"t_s": self.t_s, **ends, **columns})

    def __repr__(self) -> str:
        from faircast.display.path import of_path

        return of_path(self)

    def _repr_html_(self) -> str:
        from faircast.display.path import html_of_path

        return html_of_path(self)


@dataclass(frozen=True)
class PathSummary:
    """A way over time in a few numbers."""

    min_s: float
    """The shortest delay of all rows; NaN if there never was a way."""
    mean_s: float
    """The mean delay of the samples in which there was a way."""
    max_s: float
    """The longest delay of all rows."""
    changes: int
    """How often packets began to take other links."""
    lost: int
    """How often the way was lost."""
    without_s: float
    """How long there was none, in all."""
    handoffs: dict[str, int]
    """Of each station that has been on the way: how often it turned to another satellite."""
    between_s: dict[str, float]
    """The mean time between two of these; NaN if there are not two."""


def paths(
    scenario: Source,
    from_: str,
    to: str,
    *,
    interval: str = "1 s",
    until: str | None = None,
    seed: int | None = None,
    sets: Sequence[str] = (),
) -> PathSeries:
    """The way that packets take from the node `from_` to the node `to`, from the start until the end of the scenario.

    Nothing is sent: routes and delays change as they do in a run with the same seed. The scenario needs no flows.

    Parameters
    ----------
    scenario
        A path to TOML or JSON, TOML or JSON text, a mapping, or an object of `faircast.model`.
    interval
        Time between two samples.
    until
        Where to stop, if before the end.
    seed
        By default the one that the scenario names; some stations look for satellites at random times.
    sets
        Assignments ``path=value`` as those of ``faircast run --set``.

    Raises
    ------
    InputError
        The scenario, a node or a time is not legal; all problems at once.
    """
    (one,) = several([(from_, to)], scenario, interval=interval, until=until, seed=seed, sets=sets)
    return one


def several(
    pairs: Sequence[tuple[str, str]],
    scenario: Source,
    *,
    interval: str = "1 s",
    until: str | None = None,
    seed: int | None = None,
    sets: Sequence[str] = (),
) -> list[PathSeries]:
    """The ways between several pairs of nodes, of one look at the network."""
    named = ", ".join(f"{{from = {json.dumps(from_)}, to = {json.dumps(to)}}}" for from_, to in pairs)
    probes = [f"probes.paths=[{named}]", f"probes.interval={json.dumps(interval)}"]
    resolved = resolve(scenario, sets=[*sets, *probes])
    (one,) = seeds(resolved.seed if seed is None else seed, 1)
    raw = walked(resolved, one, until, describe(scenario))
    tables = raw.take_tables()
    rows, handoffs = arrays(tables["paths"]), arrays(tables["handoffs"])
    return [series(rows, handoffs, from_, to, raw.simulated_s) for from_, to in pairs]


def walked(scenario: Resolved, seed: int, until: str | None, name: str) -> _native.RawResult:
    """What the core says of the ways that the scenario names."""
    try:
        return called(lambda control: _native.walk(scenario.json, seed, until, control))
    except _native.ScenarioError as error:
        raise InputError(f"{name} {count(error.total)}", error.problems) from None


def series(rows: dict[str, Any], handoffs: dict[str, Any], from_: str, to: str, end_s: float) -> PathSeries:
    """The rows of one pair."""
    own = (rows["from"] == from_) & (rows["to"] == to)
    columns = {name: rows[name][own] for name in ("t_s", "event", "delay_s", "hops", "way")}
    nodes = {node for way in set(columns["way"]) for node in way.split(BETWEEN)}
    # One that loses its satellite without finding another turns to none.
    turned = handoffs["to"] != ""
    stations = [name for name in dict.fromkeys(handoffs["station"]) if name in nodes]
    own_handoffs = {name: handoffs["t_s"][turned & (handoffs["station"] == name)] for name in sorted(stations)}
    return PathSeries(from_, to, **columns, handoffs=own_handoffs, end_s=end_s)


def arrays(columns: Sequence[tuple[str, str, bytes, list[str] | None]]) -> dict[str, Any]:
    """Raw columns of the core as arrays."""
    found: dict[str, Any] = {}
    for name, kind, data, dictionary in columns:
        if kind == "str":
            codes = np.frombuffer(data, "<i4")
            found[name] = np.array([*(dictionary or ()), ""], dtype=object)[codes]
        else:
            found[name] = np.frombuffer(data, {"f64": "<f8", "i64": "<i8"}[kind])
    return found


def mean_gap(times: np.ndarray) -> float:
    """The mean time between two of these moments; NaN if there are not two."""
    return float(np.diff(times).mean()) if len(times) > 1 else float("nan")
