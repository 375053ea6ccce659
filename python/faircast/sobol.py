"""What a metric depends on: Sobol' indices of the ranges of a sweep with the design ``sobol-indices``.

The *first-order* index of a range is the part of the metric's variance over all points that it brings about by itself;
its *total* index has besides what it does together with others. The estimator is `scipy.stats.sobol_indices`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.design import INDICES, Design
from faircast.errors import InputError
from faircast.metrics import parse_metric
from faircast.statistics import Estimate, jackknife
from faircast.sweeps import SweepResult
from faircast.vary import known_by

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from faircast.plot.picture import Picture

RESAMPLES = 1000
"""Bootstrap samples of an interval."""


@dataclass(frozen=True)
class Index:
    """One index of one range."""

    value: float
    low: float
    """The lower end of its 95 % interval over the points."""
    high: float
    seeds: float | None
    """Half width of its 95 % interval over the seeds, with these points; None with one seed."""


@dataclass(frozen=True)
class Sensitivity:
    """Sobol' indices of a metric."""

    folder: Path
    name: str
    """The name of the scenario."""
    subject: str
    metric: str
    unit: str
    samples: int
    seeds: tuple[int, ...]
    mean: float
    """Mean of the metric over the points."""
    deviation: float
    """Standard deviation between the points, of their means over the seeds."""
    noise: float | None
    """Part of the variance between the points that the seeds alone bring about; None with one seed."""
    first: Mapping[str, Index]
    """First-order index by path."""
    total: Mapping[str, Index]

    @property
    def table(self) -> pa.Table:
        """A row for each path: ``path``, then ``first`` and ``total``, each with ``_low, _high, _seeds``."""
        import pyarrow as pa

        columns: dict[str, list[Any]] = {"path": list(self.first)}
        for name, found in (("first", self.first), ("total", self.total)):
            for field, ending in (("value", ""), ("low", "_low"), ("high", "_high"), ("seeds", "_seeds")):
                columns[name + ending] = [getattr(index, field) for index in found.values()]
        return pa.table(columns)

    def plot(self, *, width: str = "page") -> Picture:
        """Draw both indices of all paths with their intervals.

        >>> faircast.sensitivity("results/space", "video/rate").plot().save("indices.pdf")
        """
        from faircast.plot.sensitivity import picture_of

        return picture_of(self, width=width)

    def __repr__(self) -> str:
        total = ", ".join(f"{path} {index.value:.2f}" for path, index in self.total.items())
        return f"<Sensitivity of {self.subject}/{self.metric}: total {total}>"


def sensitivity(result: SweepResult | str | Path, metric: str) -> Sensitivity:
    """Sobol' indices of a metric, from a sweep with the design ``sobol-indices``.

    >>> faircast.sensitivity("results/space", "video/rate").table

    Parameters
    ----------
    result
        The sweep, or its folder.
    metric
        ``SUBJECT/METRIC``.

    Raises
    ------
    InputError
        The folder has another design, runs are missing, or the metric is not defined at all points or the same at all.
    """
    sweep = result if isinstance(result, SweepResult) else SweepResult.read(result)
    if sweep.design is None or sweep.design.kind != INDICES:
        held = "no design" if sweep.design is None else f"the design {sweep.design.kind}"
        raise InputError(
            f"{sweep.folder} is a sweep with {held}; indices need the points of faircast sweep --design {INDICES}"
        )
    if sweep.missing:
        raise InputError(f"{sweep.missing} runs of {sweep.folder} are missing; faircast sweep {sweep.folder} adds them")
    subject, name = parse_metric(metric)
    sweep.check(subject, name)
    seeds, values = values_of(sweep, sweep.design, subject, name)
    found = indices(values, sweep.design)
    return Sensitivity(
        sweep.folder, sweep.name, subject, name, sweep.unit(subject, name), sweep.design.samples, tuple(seeds), **found
    )


def values_of(sweep: SweepResult, design: Design, subject: str, metric: str) -> tuple[list[int], NDArray[np.float64]]:
    """The seeds that all points have, and by seed and row of the design the values."""
    import numpy as np

    paths = [axis.path for axis in design.axes]
    by_point = {known_by(point.values): sweep.values(point, subject, metric) for point in sweep.points}
    rows = [known_by(dict(zip(paths, row, strict=True))) for row in design.values()]
    if not all(row in by_point for row in rows):
        raise InputError(f"{sweep.folder} lacks points of its design: another scipy drew them; sweep into a new folder")
    distinct = list(dict.fromkeys(rows))
    seeds = sorted(set.intersection(*(set(by_point[row]) for row in distinct)))
    undefined = sum(
        not by_point[row] or not all(map(math.isfinite, (by_point[row][seed] for seed in seeds))) for row in distinct
    )
    if undefined or not seeds:
        raise InputError(
            f"{subject}/{metric} is absent or not defined in runs of {undefined or len(distinct)} of {len(distinct)} "
            "points; indices need it at all"
        )
    return seeds, np.array([[by_point[row][seed] for row in rows] for seed in seeds])


def indices(values: NDArray[np.float64], design: Design) -> dict[str, Any]:
    """Both indices of each path with their intervals, and how much of the variance is noise.

    Parameters
    ----------
    values
        By seed, and by row of the design as `Design.places` has them.
    """
    import numpy as np

    n, count = design.samples, len(design.axes)
    means = values.mean(axis=0)
    independent = means[: 2 * n]  # A and B
    if np.ptp(independent) <= 1e-12 * np.max(np.abs(independent)):
        raise InputError("the metric is the same at all points; there is no variance to tell apart")
    both = of_rows(means, n)
    random = np.random.default_rng(design.seed)
    drawn = np.array([of_rows(means, n, random.integers(0, n, n)) for _ in range(RESAMPLES)])
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    over_seeds = halves_over_seeds(values, n)
    found = []
    for which in range(2):
        of_paths = {}
        for place in range(count):
            at = which, place
            half = None if over_seeds is None else over_seeds[which][place].ci95
            index = Index(float(both[at]), float(low[at]), float(high[at]), half)
            of_paths[design.axes[place].path] = index
        found.append(of_paths)
    deviation = float(independent.std())
    return {
        "mean": float(independent.mean()),
        "deviation": deviation,
        "noise": None if len(values) < 2 else noise_of(values[:, : 2 * n]) / deviation**2,
        "first": found[0],
        "total": found[1],
    }


def of_rows(means: NDArray[np.float64], n: int, chosen: Any = slice(None)) -> NDArray[np.float64]:
    """First-order and total indices of all paths, of all rows or of chosen ones."""
    import numpy as np
    from scipy.stats import sobol_indices

    blocks = means.reshape(-1, n)[:, chosen]
    parts = {"f_A": blocks[0][None, :], "f_B": blocks[1][None, :], "f_AB": blocks[2:][:, None, :]}
    found = sobol_indices(func=parts, n=n)
    return np.array([found.first_order.ravel(), found.total_order.ravel()])


def halves_over_seeds(values: NDArray[np.float64], n: int) -> list[list[Estimate]] | None:
    """By index and path the jackknife over the seeds; None with one seed."""
    if len(values) < 2:
        return None
    known: dict[tuple[int, ...], NDArray[np.float64]] = {}

    def of(chosen: Sequence[int]) -> NDArray[np.float64]:
        key = tuple(chosen)
        if key not in known:
            known[key] = of_rows(values[list(key)].mean(axis=0), n)
        return known[key]

    def over(which: int, place: int) -> Estimate:
        return jackknife(lambda chosen: float(of(chosen)[which, place]), range(len(values)))

    count = values.shape[1] // n - 2
    return [[over(which, place) for place in range(count)] for which in range(2)]


def noise_of(values: NDArray[np.float64]) -> float:
    """Variance that the seeds bring into the means of points, but for what a seed does to all points alike."""
    seeds, points = values.shape
    left = values - values.mean(axis=0)[None, :] - values.mean(axis=1)[:, None] + values.mean()
    return float((left**2).sum() / ((seeds - 1) * (points - 1)) / seeds)
