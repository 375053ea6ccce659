"""What is kept of a run of the paper's network beside its summary: rates over time, levels, drops and joins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Point
from faircast.experiments.ehlert.network import DURATION_S, INTERVAL_S, SESSION, Case
from faircast.experiments.rows import places

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from faircast._native import RawResult
    from faircast.experiment import Data


@dataclass(frozen=True)
class Course:
    """What is kept of a run: arrays with a value for each interval of 5 s; rates are in kbit/s, headers included."""

    rates: dict[str, NDArray[np.float64]]
    """What reached each flow's and each receiver's host, by name."""
    levels: dict[str, NDArray[np.float64]]
    """How many layers each receiver holds, the mean over the interval."""
    loss: dict[str, NDArray[np.float64]]
    """The loss that each receiver measured over its loss window, link errors counted, at the end of the interval."""
    layers: NDArray[np.float64]
    """What the source sent on each layer: rows by layer."""


@dataclass(frozen=True)
class Fine:
    """What is kept of a run with rows every half a second."""

    joins_s: NDArray[np.float64]
    """When the receivers behind the satellite joined a layer beside the first, in the order of time."""
    dropped: NDArray[np.float64]
    """Packets dropped by full queues of the downlinks of the satellite in each interval."""
    probe_s: float
    """How long these intervals are."""


def with_course(case: Case) -> Point:
    """The point of a case, of which the course of every run is kept."""
    return Point(key=case, scenario=case.scenario(), reduce=course, beside=not case.jitter)


def with_joins(case: Case) -> Point:
    """The point of a case, of which joins and drops are kept."""
    return Point(key=case, scenario=case.scenario(), reduce=fine)


def course(raw: RawResult) -> dict[str, Any]:
    """The fields of `Course` of a finished run."""
    tables = raw.tables()
    flows, receivers, layers = (to_arrow(tables[name]) for name in ("flows", "receivers", "layers"))
    of_receivers = places(receivers, "receiver")
    rates = {name: _kbps(flows, rows) for name, rows in places(flows, "flow").items() if name != SESSION}
    rates |= {name: _kbps(receivers, rows) for name, rows in of_receivers.items()}
    group = layers["group"].to_numpy()
    return {
        "rates": rates,
        "levels": {name: receivers["mean_level"].to_numpy()[rows] for name, rows in of_receivers.items()},
        "loss": {name: receivers["raw_loss"].to_numpy()[rows] for name, rows in of_receivers.items()},
        "layers": np.array([_kbps(layers, group == number) for number in sorted(set(group.tolist()))]),
    }


def fine(raw: RawResult) -> dict[str, Any]:
    """The fields of `Fine` of a finished run."""
    tables = raw.tables()
    links, events = (to_arrow(tables[name]) for name in ("links", "events"))
    of_links = {name: rows for name, rows in places(links, "link").items() if name.startswith("down-sat-")}
    down = [rows for name, rows in of_links.items() if not name.endswith(".back")]
    dropped = np.sum([links["dropped_overflow_pkts"].to_numpy()[rows] for rows in down], axis=0)
    added = places(events, "event").get("layer-added", np.zeros(events.num_rows, dtype=bool))
    added &= events["after"].to_numpy() > 1
    hosts = places(events, "receiver")
    here = [name for name in (f"{SESSION}-0", f"{SESSION}-1") if name in hosts]
    behind = np.any([hosts[name] for name in here], axis=0) if here else np.zeros(events.num_rows, dtype=bool)
    times = links["t_s"].to_numpy()[down[0]]
    return {
        "joins_s": np.sort(events["t_s"].to_numpy()[added & behind]),
        "dropped": dropped,
        "probe_s": float(times[0]),
    }


def course_of(data: Data, case: Case, seed: int) -> Course:
    """What was kept of a run."""
    return Course(**data.reduced(case, seed))


def fine_of(data: Data, case: Case, seed: int) -> Fine:
    """What was kept of a run with joins and drops."""
    return Fine(**data.reduced(case, seed))


def middles() -> NDArray[np.float64]:
    """The middles of the intervals, s."""
    found: NDArray[np.float64] = np.arange(0, DURATION_S, INTERVAL_S) + INTERVAL_S / 2
    return found


def _kbps(table: pa.Table, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = table["rate_bps"].to_numpy()[rows] / 1e3
    return found
