"""What is kept of runs of Kwon and Byers' network, made by hand."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from faircast.experiment import Data, PointData
from faircast.experiments.kwon.course import DETAILS, KINDS
from faircast.experiments.kwon.measures import CONTROLS
from faircast.experiments.kwon.network import Case
from faircast.scenario import Resolved
from faircast.summary import Layout, RunSummary

PLAIN = Resolved("{}")


def kept(seconds: int = 300, **fields: Any) -> dict[str, Any]:
    """What is kept of a run of so long with one layer and nobody, but for these fields."""
    empty = np.zeros((0, 2))
    return {
        "rates": {},
        "measured": {},
        "layers": np.zeros((1, seconds)),
        "targets": np.zeros((1, 10 * seconds + 1)),
        "leads": [empty],
        "levels": {},
        "told": np.zeros((0, 3 + len(DETAILS))),
    } | fields


def data_of(
    runs: Mapping[Any, Sequence[dict[str, Any]]],
    summaries: Mapping[Any, Mapping[tuple[str, str], float]] | None = None,
) -> Data:
    """Data with these runs of each case, one for each seed from 1; of a case all have the same summary. What is not
    given of another control is as with TFMCC."""
    points: dict[Any, PointData] = {}
    for case, found in runs.items():
        seeds = range(1, len(found) + 1)
        values = (summaries or {}).get(case, {})
        summary = RunSummary(Layout(tuple((*key, "1") for key in values)), array("d", values.values()))
        points[case] = PointData(PLAIN, dict.fromkeys(seeds, summary), reduced=dict(zip(seeds, found, strict=True)))
    for case in [case for case in points if isinstance(case, Case)]:
        for control, profile in CONTROLS:
            points.setdefault(replace(case, control=control, profile=profile), points[case])
    return Data(points, range(1, 1 + max(map(len, runs.values()))), quick=False)


def rows(*found: tuple[float, float]) -> Any:
    return np.array(found, dtype=float).reshape(-1, 2)


def told(
    t_s: float,
    kind: str,
    receiver: int,
    layer: int,
    packets: float = 0,
    joins: float = 0,
    *,
    has_mbps: float = 4,
    wants_mbps: float = 5,
) -> list[float]:
    """What a receiver tells of an attempt, with a period of 64 ms."""
    return [t_s, KINDS.index(kind), receiver, layer, packets, joins, 1e6 * has_mbps, 1e6 * wants_mbps, 0.064]


def of_layers(
    case: Case,
    *,
    got: Mapping[str, float | Sequence[float]],
    levels: Sequence[Any],
    leads: Sequence[Any],
    targets: Sequence[float | Sequence[float]] = (2, 6, 6, 6),
    attempts: Sequence[Sequence[float]] = (),
) -> dict[str, Any]:
    """What is kept of a run of a case: rates and T_i in Mbit/s, constant or in equal parts of the time, and the rest.

    The layers carry what the targets say. TCP flows that are not named get 1 Mbit/s.
    """
    seconds = int(case.duration_s)

    def series(found: float | Sequence[float], points: int) -> Any:
        parts = [found] if isinstance(found, float | int) else list(found)
        return np.repeat(np.array(parts, dtype=float), points // len(parts))

    flows = [name for number in range(1, 1 + len(case.bottlenecks)) for name in case.tcps(number)]
    sums = np.array([series(found, 10 * seconds) for found in targets])
    alone = np.diff(sums, axis=0, prepend=np.zeros((1, sums.shape[1])))
    return kept(
        seconds,
        rates={name: series(got.get(name, 1.0), seconds) for name in [*flows, *got]},
        layers=alone.reshape(len(targets), seconds, 10).mean(axis=2),
        targets=np.column_stack([sums, sums[:, -1]]),
        leads=[*leads, *[rows()] * (len(targets) - len(leads))],
        levels={f"session-{number}": found for number, found in enumerate(levels)},
        told=np.array(attempts, dtype=float).reshape(-1, 3 + len(DETAILS)),
    )
