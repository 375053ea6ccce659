"""Series over several seeds: the mean with its 95 % interval, or with the lowest and the highest of few seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from faircast.plot.lines import FEW_SEEDS, over_seeds
from faircast.plot.recording import ENDS, round_up
from faircast.reporting.tables import SHOWN, Table, Texts
from faircast.reporting.thinning import Codes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLES = {
    "flows": ("rate_bps", "sending_bps", "cwnd_pkts", "srtt_s"),
    "receivers": ("rate_bps", "level", "rtt_s", "loss_event_rate", "loss_rate", "loss"),
    "queues": ("queue_pkts", "average_pkts", "sojourn_s"),
    "links": ("utilisation",),
}
"""The columns over which there are bands."""
POINTS = 400
"""As many values as can be told apart in a picture."""
MOST_SUBJECTS = 200
"""Of a table with more nothing is put together: no picture has room for so many bands."""


def words(seeds: int) -> str:
    """What the ends of bands are."""
    if seeds > FEW_SEEDS:
        return f"mean over {seeds} seeds with its 95 % interval"
    return f"mean over {seeds} seeds; the band reaches from the lowest seed to the highest"


def bands_of(by_seed: Sequence[dict[str, Table]], stop_s: float, steps: dict[str, float]) -> dict[str, dict[str, Any]]:
    """By table its columns over all seeds: moments, subjects and ``NAME.mean``, ``NAME.low``, ``NAME.high``.

    `steps` has by table the time between two rows of one subject, seconds.
    """
    found = {}
    for name, wanted in TABLES.items():
        tables = [tables[name] for tables in by_seed if name in tables]
        if len(tables) < 2:
            continue
        columns = [column for column in wanted if column in tables[0].columns]
        made = _of_table(tables, columns, stop_s, steps[name])
        if made:
            found[name] = made
    return found


def _of_table(tables: Sequence[Table], columns: Sequence[str], stop_s: float, step_s: float) -> dict[str, Any]:
    import numpy as np

    subjects = Codes(SHOWN[tables[0].name].subject)
    for table in tables:
        for part in table.parts(subjects.columns):
            subjects.of(part)
    if len(subjects.found) > MOST_SUBJECTS:
        return {}
    bin_s = step_s * round_up(stop_s / POINTS / step_s)
    bins = max(1, int(np.ceil(stop_s / bin_s - ENDS)))
    size = len(subjects.found) * bins
    means: dict[str, list[NDArray[np.float64]]] = {name: [] for name in columns}
    for table in tables:
        total, number = np.zeros((len(columns), size)), np.zeros((len(columns), size))
        for part in table.parts(["t_s", *subjects.columns, *columns]):
            # What a receiver has measured stays as it was when it has left, but then it means nothing any more.
            is_member = ~np.isnan(part["rate_bps"]) if table.name == "receivers" else True
            # A row stands for the interval that ends at its moment, thus the bin is the one that ends there or later.
            place = np.clip(np.ceil(part["t_s"] / bin_s - ENDS).astype(np.int64) - 1, 0, bins - 1)
            key = subjects.of(part) * bins + place
            for at, name in enumerate(columns):
                there = ~np.isnan(part[name]) & is_member
                total[at] += np.bincount(key[there], part[name][there], minlength=size)
                number[at] += np.bincount(key[there], minlength=size)
        for at, name in enumerate(columns):
            means[name].append(np.divide(total[at], number[at], out=np.full(size, np.nan), where=number[at] > 0))
    found: dict[str, Any] = {"t_s": np.tile(np.minimum(bin_s * np.arange(1, bins + 1), stop_s), len(subjects.found))}
    for at, column in enumerate(subjects.columns):
        names = [str(subject[at]) for subject in subjects.found]
        listed = list(dict.fromkeys(names))
        found[column] = Texts(np.repeat(np.array([listed.index(one) for one in names], np.int64), bins), listed)
    for name, values in means.items():
        found |= {f"{name}.{end}": column for end, column in _spread(np.array(values)).items()}
    return found


def _spread(values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Mean, and both ends of the band, of each column of an array of seeds."""
    import numpy as np

    middle, half = over_seeds(values)
    if len(values) > FEW_SEEDS:
        return {"mean": middle, "low": middle - half, "high": middle + half}
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    return {"mean": middle, "low": low, "high": high}
