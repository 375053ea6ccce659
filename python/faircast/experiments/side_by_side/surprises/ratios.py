"""What the receivers of sessions get beside TCP, of the summaries of runs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from faircast.statistics import jackknife

if TYPE_CHECKING:
    from faircast.experiment import Data
    from faircast.experiments.side_by_side.path import Path
    from faircast.statistics import Estimate


def ratio(data: Data, key: Hashable, above: Sequence[str], below: Sequence[str]) -> Estimate:
    """The mean rate of some receivers or flows over that of others, means over the seeds divided.

    Infinite where the others got nothing, NaN where nobody got anything.
    """

    def of(seeds: Sequence[int]) -> float:
        ours, theirs = mean(above, seeds), mean(below, seeds)
        return ours / theirs if theirs > 0 else math.inf if ours > 0 else math.nan

    def mean(names: Sequence[str], seeds: Sequence[int]) -> float:
        return math.fsum(data.run(key, seed)[name, "rate"] for seed in seeds for name in names) / len(names)

    return jackknife(of, data.seeds)


def ratios(data: Data, key: Hashable, path: Path) -> dict[str, Estimate]:
    """By bottleneck with TCPs the rate of the receivers behind it over that of the TCPs there (see `ratio`)."""
    return {one.link: ratio(data, key, one.receivers, one.tcps) for one in path.bottlenecks if one.tcps}
