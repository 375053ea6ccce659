"""How long transfers of web traffic took: of each entry and class of size the part that took longer than a time.

A page may hold some of the transfers only, so this is made of all of them, as `faircast plot DIR transfers` draws it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from faircast.reporting.tables import Table, Texts
from faircast.reporting.thinning import Kept, read

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

POINTS = 400
"""Points of one line at most, about half of them for its last percents."""
EXACT = (0.5, 0.95, 0.99)
"""Percentiles that are among them, those of the summary."""


def times_of(transfers: Table, warmup_s: float) -> dict[str, Any]:
    """A table with the points of all lines: ``flow``, ``class`` (0 of all classes), how many ``transfers``.

    Of each point ``took_s``, and ``longer``, the part of the transfers that took longer. One that was not finished took
    longer than all others, so a line ends above zero if there are any. What arrived in the warm-up is left out.
    """
    import numpy as np

    columns = read(transfers, Kept(None), ("t_s", "flow", "class", "completion_s"))
    late = columns["t_s"] > (warmup_s or -1.0)  # its end belongs to the warm-up, unless there is none
    flows = columns["flow"]
    lines = []
    for flow in range(len(flows.words)):
        of_flow = late & (flows.codes == flow)
        classes = np.unique(columns["class"][of_flow])
        for number in (0.0, *classes.tolist()):
            own = of_flow if number == 0 else of_flow & (columns["class"] == number)
            took, longer = points(columns["completion_s"][own])
            shape = np.ones(len(took))
            lines.append((flow * shape, number * shape, own.sum() * shape, took, longer))
    whole = [np.concatenate(column) for column in zip(*lines, strict=True)] if lines else [np.zeros(0)] * 5
    codes, size_class, count, took, longer = whole
    words = Texts(codes.astype(np.int64), flows.words)
    return {"flow": words, "class": size_class, "transfers": count, "took_s": took, "longer": longer}


def points(completions: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of completion times in seconds, NaN of what was not finished, the points of their line."""
    import numpy as np

    finished = np.sort(completions[~np.isnan(completions)])
    number = len(finished)
    if number > POINTS:
        # Ranks from the last one: one after the other at first, then ever farther apart; and evenly beside.
        far = np.geomspace(1, number, POINTS // 2)
        even = np.linspace(1, number, POINTS // 2)
        exact = len(completions) - np.ceil(len(completions) * np.array(EXACT))
        behind = np.round(np.concatenate([far, even, exact - (len(completions) - number) + 1]))
        behind = np.unique(behind[behind >= 1].astype(np.int64))  # 1 is the last that was finished
        ranks = number - behind[::-1]
    else:
        ranks = np.arange(number)
    return finished[ranks], 1.0 - (ranks + 1) / max(len(completions), 1)
