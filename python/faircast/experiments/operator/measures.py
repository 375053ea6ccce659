"""What viewers and readers got in a case, as means over seeds.

Counted is what was due, or arrived, after the warm-up; only the time to start is that of the first picture, which comes
before. A segment that is skipped counts as no quality and no rate, and a picture that never came stands still all the
time.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from faircast.experiments.operator.beam import TERMINALS, WARMUP_S, WET
from faircast.statistics import scaled

if TYPE_CHECKING:
    from collections.abc import Callable

    from faircast.experiment import Data
    from faircast.experiments.operator.beam import Case
    from faircast.statistics import Estimate

DRY, SHOWERED = range(TERMINALS - WET), range(TERMINALS - WET, TERMINALS)
"""Viewers by their numbers."""


def still(data: Data, case: Case, viewers: range) -> Estimate:
    """For which part of the time pictures stand still, per cent, in the mean over these viewers."""
    counted_s = case.duration_s - WARMUP_S

    def of(seed: int) -> float:
        run = data.run(case, seed)
        found = [run[f"film-{viewer}", "stalled"] for viewer in viewers]
        return math.fsum(counted_s if math.isnan(stalled_s) else stalled_s for stalled_s in found) / len(found)

    return scaled(data.over_seeds(of), 100 / counted_s)


def unfinished(data: Data, case: Case) -> Estimate:
    """Which part of the pages that arrived the end of the run cut off, per cent."""

    def of(seed: int) -> float:
        run = data.run(case, seed)
        return 100 * run["pages", "unfinished"] / run["pages", "transfers"]

    return data.over_seeds(of)


def of_film(metric: str, factor: float = 1.0) -> Callable[[Data, Case], Estimate]:
    """A metric of the session."""
    return lambda data, case: scaled(data.estimate(case, "film", metric), factor)


def of_pages(metric: str) -> Callable[[Data, Case], Estimate]:
    """A metric of the pages; a percentile that falls among unfinished ones is at least what it says."""
    return lambda data, case: data.estimate(case, "pages", metric)


MEASURES: dict[str, tuple[str, Callable[[Data, Case], Estimate]]] = {
    "startup_s": ("start (s)", of_film("startup_delay_p50_all")),
    "still_dry_percent": ("still, dry (%)", lambda data, case: still(data, case, DRY)),
    "still_wet_percent": ("still, shower (%)", lambda data, case: still(data, case, SHOWERED)),
    "quality": ("quality", of_film("quality_mean")),
    "shown_mbps": ("shown (Mbit/s)", of_film("media_rate_mean", 1e-6)),
    "page_p50_s": ("page, 50 % (s)", of_pages("completion_p50")),
    "page_p95_s": ("page, 95 % (s)", of_pages("completion_p95")),
    "unfinished_percent": ("unfinished (%)", unfinished),
}
"""By column of ``cells.csv`` its title in tables, and how it is measured."""
