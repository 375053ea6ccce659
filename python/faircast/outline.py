"""Which metrics a scenario will have, before anything of it has run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from faircast import _native
from faircast.background import called
from faircast.metrics import Metric, check_metric
from faircast.scenario import Resolved
from faircast.summary import from_columns
from faircast.utility.beside import with_optimum

if TYPE_CHECKING:
    from faircast._native import Control
    from faircast.summary import Columns

NOT_BEFORE = frozenset(
    name + end for name in ("dilation", "dilation_mean", "jain_index", "optimum_distance") for end in ("", "_all")
)
"""Metrics that a subject has if something has happened: nobody knows before the run."""


def units_of(scenario: Resolved, seed: int) -> dict[Metric, str]:
    """The unit of each metric that a run may have, but for those in `NOT_BEFORE`; empty if that cannot be told.

    Links over which nothing comes are among them; a run leaves them out.
    """

    def ask(control: Control | None) -> Columns:
        return _native.outline(scenario.json, seed, control)

    try:
        columns = called(ask)
    except (_native.ScenarioError, _native.GuestError, MemoryError):
        return {}  # the run itself says it better
    layout = from_columns(with_optimum(columns, scenario)).layout
    return {(subject, metric): unit for subject, metric, unit in layout.rows}


def check_before(scenarios: Sequence[Resolved], seed: int, metrics: Sequence[Metric]) -> dict[Metric, str]:
    """The units of metrics, as far as they are known before a run.

    Raises `InputError`, with names that resemble, for a metric that none of the scenarios will have.
    """
    missing = list(metrics)
    known: dict[Metric, str] = {}
    for scenario in {scenario.hash: scenario for scenario in scenarios}.values():
        units = units_of(scenario, seed)
        if not units:
            return {}
        known |= units
        missing = [key for key in missing if key not in units]
        if not missing:
            break
    subjects = {subject for subject, _ in known}
    for subject, metric in missing:
        if metric not in NOT_BEFORE or subject not in subjects:
            check_metric(subject, metric, list(known))
    return {key: known[key] for key in metrics if key in known}
