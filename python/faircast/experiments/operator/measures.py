"""What viewers and readers got in a run, as means over seeds, and how two cases differ seed by seed.

Counted is what was due, or arrived, after the warm-up; only the time to start is that of the first picture, which comes
before. A segment that is skipped counts as no quality and no rate, and a picture that never came stands still all the
time.

The same seed has the same pages and the same rain in every case, so cases are held against each other in pairs: what
seeds have in common drops out of the difference, and only how much it varies makes its interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiments.operator.beam import TERMINALS, WARMUP_S, WET, Case
from faircast.metrics import is_least
from faircast.pairs import common
from faircast.statistics import Estimate, estimate
from faircast.summary import RunSummary

if TYPE_CHECKING:
    from faircast.experiment import Data

DRY, SHOWERED = range(TERMINALS - WET), range(TERMINALS - WET, TERMINALS)
"""Viewers by their numbers."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Something that is read off a run."""

    title: str
    """What stands in tables."""
    of: Callable[[RunSummary, Case], float]
    """Its value in a run of a case."""
    is_least: Callable[[RunSummary], bool] = lambda _run: False
    """Whether that is known only as at least so much."""

    def over_seeds(self, data: Data, case: Case) -> Estimate:
        """Mean and 95 % interval over the seeds with which the case was run."""
        return estimate([self.of(run, case) for _, run in sorted(data.points[case].summaries.items())])


def still(viewers: range, run: RunSummary, case: Case) -> float:
    """For which part of the time pictures stand still, per cent, in the mean over these viewers."""
    counted_s = case.duration_s - WARMUP_S
    found = [run[f"film-{viewer}", "stalled"] for viewer in viewers]
    lost_s = math.fsum(counted_s if math.isnan(stalled_s) else stalled_s for stalled_s in found)
    return 100 * lost_s / len(found) / counted_s


def unfinished(run: RunSummary, _case: Case) -> float:
    """Which part of the pages that arrived the end of the run cut off, per cent."""
    return 100 * run["pages", "unfinished"] / run["pages", "transfers"]


def of_film(title: str, metric: str, factor: float = 1.0) -> Measure:
    """A metric of the session."""
    return Measure(title=title, of=lambda run, _case: factor * run["film", metric])


def of_pages(title: str, metric: str) -> Measure:
    """A percentile of the pages; if it falls among unfinished ones it is at least what it says."""
    return Measure(
        title=title, of=lambda run, _case: run["pages", metric], is_least=lambda run: is_least(run, "pages", metric)
    )


MEASURES: dict[str, Measure] = {
    "startup_s": of_film("start (s)", "startup_delay_p50_all"),
    "still_dry_percent": Measure(title="still, dry (%)", of=partial(still, DRY)),
    "still_wet_percent": Measure(title="still, shower (%)", of=partial(still, SHOWERED)),
    "quality": of_film("quality", "quality_mean"),
    "shown_mbps": of_film("shown (Mbit/s)", "media_rate_mean", 1e-6),
    "page_p50_s": of_pages("page, 50 % (s)", "completion_p50"),
    "page_p95_s": of_pages("page, 95 % (s)", "completion_p95"),
    "unfinished_percent": Measure(title="unfinished (%)", of=unfinished),
}
"""By column of ``cells.csv``."""


@dataclass(frozen=True)
class Apart:
    """What one case has more of something than another one, seed by seed."""

    difference: Estimate
    """Its mean with the interval of Student's t on the differences; of no pair NaN."""
    seeds: int
    """How many seeds both cases have been run with; those in which the thing is undefined are among them."""
    unsure: int
    """In how many of these seeds one of both is known only as at least so much."""


def apart(data: Data, measure: str, more: Case, less: Case) -> Apart | None:
    """What the first case has more than the second of a measure; None if one of both was not run."""
    if more not in data.points or less not in data.points:
        return None
    one, other, of = data.points[more].summaries, data.points[less].summaries, MEASURES[measure]
    seeds = common(one, other)
    return Apart(
        estimate([of.of(one[seed], more) - of.of(other[seed], less) for seed in seeds]),
        len(seeds),
        sum(of.is_least(one[seed]) or of.is_least(other[seed]) for seed in seeds),
    )
