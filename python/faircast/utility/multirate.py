"""What stands in the summary of a run with multirate sessions: fair rates of every receiver, satisfaction, properties.

It is about scenarios in which some session is multirate: by its scheme, or since ``[optimum] multirate`` says so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from faircast.errors import NotFinishedError
from faircast.utility.network import periods_of
from faircast.utility.optimum import Optimum, solve
from faircast.utility.problem import InfeasibleError, Problem
from faircast.utility.properties import properties
from faircast.utility.satisfaction import alone, effort

if TYPE_CHECKING:
    from faircast.scenario import Resolved
    from faircast.summary import RunSummary

Row = tuple[str, str, str, float]
EFFORT_MAX = 5_000_000
"""What is computed for satisfaction beside a run (`faircast.utility.satisfaction.effort`): about ten seconds' work."""
KEPT = 256
"""Scenarios and problems whose rates are remembered."""


@dataclass(frozen=True)
class Yardsticks:
    """What the rates of a run with multirate sessions are held against."""

    problem: Problem
    max_min: Optimum | None
    """None if there is none."""
    proportional: Optimum | None
    """None if there is none, or if it is too much work beside a run."""
    alone: dict[str, float] | None
    """By receiver its max-min fair rate as the only one of its session; None as above."""


def rows_of(found: Yardsticks, summary: RunSummary) -> list[Row]:
    """The rows beside a summary: subject, metric, unit, value."""
    rates, used = summary.column("rate"), summary.column("efficiency")
    rows: list[Row] = []
    for metric, best in (("max_min_rate", found.max_min), ("proportional_rate", found.proportional)):
        known = {} if best is None else best.metrics
        rows += [(name, metric, "bit/s", rate) for (name, what), rate in known.items() if what == "rate"]
    if found.max_min is not None:
        for name, fair in _of_one(found.max_min).items():
            rows.append((name, "share", "1", rates.get(name, math.nan) / fair))
    for name, fair in (found.alone or {}).items():
        rows.append((name, "satisfaction", "1", rates.get(name, math.nan) / fair))
    for name, one in properties(found.problem, rates, used).items():
        rows += [("run", name, "1", one.share), ("run", f"{name}_shortfall", "1", one.shortfall)]
    return rows


def yardsticks(scenario: Resolved, pairs_max: int) -> Yardsticks | None:
    """What the rates of a scenario are held against; remembered.

    None if no session is multirate, or if the network or who is present changes after the warm-up.
    """
    return _of(scenario, pairs_max, EFFORT_MAX)


def _of_one(best: Optimum) -> dict[str, float]:
    """The rates of unicast flows and of receivers."""
    unicast = {name: rate for name, rate in best.rates.items() if name not in best.receivers}
    return unicast | {name: rate for each in best.receivers.values() for name, rate in each.items()}


@lru_cache(maxsize=KEPT)
def _of(scenario: Resolved, pairs_max: int, effort_max: int) -> Yardsticks | None:
    fair = periods_of(scenario, utility="max-min")
    if fair is None or len(fair.problems) > 1 or not any(demand.multirate for demand in fair.problems[0].demands):
        return None
    proportional = periods_of(scenario, utility="proportional")
    assert proportional is not None, "they do not hang on the utility"
    return _solved(fair.problems[0], proportional.problems[0], pairs_max, effort_max)


@lru_cache(maxsize=KEPT)
def _solved(problem: Problem, proportional: Problem, pairs_max: int, effort_max: int) -> Yardsticks:
    try:
        best = solve(problem)
    except InfeasibleError:
        return Yardsticks(problem, None, None, None)
    try:
        valued = solve(proportional, pairs_max=pairs_max)
    except NotFinishedError:
        valued = None
    return Yardsticks(problem, best, valued, alone(problem) if effort(problem) <= effort_max else None)
