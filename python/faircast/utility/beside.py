"""The optimum in the summary of a run: a column beside the values, and how far the run is from it.

It is computed after a run, once for every distinct network, whatever the number of runs.
"""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from faircast.errors import NotFinishedError
from faircast.interruption import give_way
from faircast.utility.multirate import rows_of, yardsticks
from faircast.utility.network import periods_of
from faircast.utility.optimum import Optimum, solve
from faircast.utility.over_time import OverTime, over_time
from faircast.utility.problem import InfeasibleError, Problem, TooLargeError

if TYPE_CHECKING:
    from faircast.scenario import Resolved
    from faircast.summary import Columns

Found = Optimum | OverTime | InfeasibleError | NotFinishedError | None
PAIRS_MAX = 1_000_000
"""What is looked for beside a run: about 1000 links of which every two have a flow in common, ten seconds' work. The
longest stretch without a chance to end is one factorisation, half a second."""
PATIENCE_S = 0.1
KEPT = 256
"""Problems and scenarios whose optimum is remembered."""


def optimum_beside(scenario: Resolved) -> Found:
    """The optimum of a scenario over its measured time, or why there is none; remembered.

    None if what changes, and when, is not known before a run (`faircast.utility.network.periods_of`); a warning tells
    of it.
    """
    with _alone():
        return _of(scenario)


@contextmanager
def _alone() -> Iterator[None]:
    """Of many runs at once the first computes what the others will find."""
    while not _lock.acquire(timeout=PATIENCE_S):
        give_way()
    try:
        yield
    finally:
        _lock.release()


def with_optimum(columns: Columns, scenario: Resolved, *, partial: bool = False) -> Columns:
    """The columns of a summary with ``optimum``, and with the rows that are about it.

    That of an interrupted run, `partial`, has the column without anything in it: an interrupt does not wait.

    Rows: ``optimum_distance`` of ``run``; if constant rates leave no room for an optimum, ``inelastic_excess`` of every
    link where that is so, bit/s; ``optimum_pairs`` of ``run`` if the network is too large (`PAIRS_MAX`). With multirate
    sessions, and a network that does not change, those of `faircast.utility.multirate`.
    """
    from faircast.summary import RunSummary, from_columns, optimum_column

    found = None if partial else optimum_beside(scenario)
    summary = from_columns(columns)
    rows: list[tuple[str, str, str, float]] = []
    best: dict[tuple[str, str], float] = {}
    if found is None and not partial:
        return [*columns, ("optimum", "f64", array("d", [math.nan for _ in summary]).tobytes(), None)]
    if isinstance(found, Optimum | OverTime):
        best = dict(found.metrics)
        if best:
            rows.append(("run", "optimum_distance", "1", found.distance(summary.column("rate"))))
    else:
        rows.append(("run", "optimum_distance", "1", math.nan))
    if isinstance(found, TooLargeError):
        rows.append(("run", "optimum_pairs", "1", float(found.pairs)))
    if isinstance(found, InfeasibleError):
        rows += [(link, "inelastic_excess", "bit/s", excess) for link, excess in found.overload.items()]
    if not partial and not (isinstance(found, Optimum) and not found.is_multirate):
        with _alone():
            held_against = yardsticks(scenario, PAIRS_MAX)
        if held_against is not None:
            rows += rows_of(held_against, summary)
    added = {"subject": [row[0] for row in rows], "metric": [row[1] for row in rows], "unit": [row[2] for row in rows]}
    extended: Columns = [
        (name, kind, *_with_words(data, dictionary or [], added[name]))
        if name in added
        else (name, kind, data + array("d", [row[3] for row in rows]).tobytes(), dictionary)
        for name, kind, data, dictionary in columns
    ]
    beside = optimum_column(RunSummary(summary.layout, summary.values, best)).tobytes()
    behind = array("d", [best.get((subject, metric), math.nan) for subject, metric, _, _ in rows]).tobytes()
    return [*extended, ("optimum", "f64", beside + behind, None)]


def _with_words(data: bytes, dictionary: list[str], words: list[str]) -> tuple[bytes, list[str]]:
    if not words:
        return data, dictionary
    places = {word: place for place, word in enumerate(dictionary)}
    assert len(places) == len(dictionary), "words of a dictionary are distinct"
    codes = array("i", [places.setdefault(word, len(places)) for word in words])
    return data + codes.tobytes(), list(places)


@lru_cache(maxsize=KEPT)
def _of(scenario: Resolved) -> Found:
    periods = periods_of(scenario)
    if periods is None:
        return None
    optima = []
    for problem in periods.problems:
        give_way()
        found = _solved(problem)
        if not isinstance(found, Optimum):
            return found
        optima.append(found)
    return optima[0] if len(optima) == 1 and not periods.members else over_time(periods.parts, optima, periods.members)


@lru_cache(maxsize=KEPT)
def _solved(problem: Problem) -> Optimum | InfeasibleError | NotFinishedError:
    try:
        return solve(problem, pairs_max=PAIRS_MAX)
    except (InfeasibleError, NotFinishedError) as error:
        return error


_lock = threading.Lock()
