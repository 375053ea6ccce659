"""What the receivers of sessions get beside TCP, of the summaries of runs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from faircast.statistics import jackknife

if TYPE_CHECKING:
    from faircast.experiment import Data
    from faircast.experiments.side_by_side.path import Bottleneck, Path
    from faircast.statistics import Estimate


def ratios(data: Data, key: Hashable, path: Path) -> dict[str, Estimate]:
    """By bottleneck with TCPs the rate of the receivers behind it over that of the TCPs there, ratios of means.

    Infinite where TCP got nothing, NaN where nobody got anything.
    """

    def of(one: Bottleneck, seeds: Sequence[int]) -> float:
        above, below = mean(one.receivers, seeds), mean(one.tcps, seeds)
        return above / below if below > 0 else math.inf if above > 0 else math.nan

    def mean(names: Sequence[str], seeds: Sequence[int]) -> float:
        return math.fsum(data.run(key, seed)[name, "rate"] for seed in seeds for name in names) / len(names)

    return {one.link: jackknife(partial(of, one), data.seeds) for one in path.bottlenecks if one.tcps}
