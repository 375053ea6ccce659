"""A summary on screen: what one wants to see first, one line per flow, receiver and link on which something happens."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast.cli.common import say, table
from faircast.cli.families import Column, lines
from faircast.cli.playout import show_playout
from faircast.cli.web import show_web
from faircast.rows import Row, Rows
from faircast.statistics import Estimate, with_interval

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

FLOW = {
    "goodput": "goodput",
    "rate": "rate",
    "optimum": "its optimum",
    "max_min_rate": "max-min fair rate",
    "completion": "completion",
    "sent": "sent",
    "retransmitted": "sent again",
    "loss_reductions": "loss reductions",
    "ecn_reductions": "ECN reductions",
    "timeouts": "time-outs",
}
RECEIVER = {
    "goodput": "goodput",
    "rate": "rate",
    "optimum": "its optimum",
    "max_min_rate": "max-min fair rate",
    "satisfaction": "satisfaction",
    "loss_event_rate_end": "loss event rate, at the end",
    "rtt_end": "round-trip time, at the end",
    "loss_events": "loss events",
    "reports": "reports",
}
LINK = {
    "efficiency": "efficiency",
    "drops_all": "drops, whole run",
    "drops_late": "drops",
    "marks_incipient_late": "incipient marks",
    "marks_moderate_late": "moderate marks",
    "lost_late": "lost",
    "dilation": "dilation",
    "queue_mean": "mean queue",
    "queue_sd": "s.d. of queue",
}
PROPERTIES = {
    "fully_utilised": "fully utilised receiver",
    "same_path": "same path, same rate",
    "per_receiver_link": "per-receiver link",
    "per_session_link": "per-session link",
}
ALIKE = ("optimum", "max_min_rate")
"""Metrics that all seeds have alike."""


def headline(name: str, sets: Sequence[str], seeds: int) -> str:
    """What a table of results is of: the scenario's name, what was changed by ``--set``, the number of seeds."""
    changed = f" with {', '.join(sets)}" if sets else ""
    return f"{name}{changed}, {seeds} seed{'s' if seeds != 1 else ''}"


def show_rows(title: str, rows: Sequence[Row], *, optimum: object = None) -> None:
    """Flows, receivers of sessions, and links with a probed queue, drops, marks, losses or much to do.

    Values are those after the warm-up. `optimum` says by which utility the optimum beside the rates is one.
    """
    import numpy as np

    found = Rows.of(rows)
    interval = ", mean ± half width of the 95 % interval" if bool(np.any(found.estimates.n > 1)) else ""
    say(f"{title}; after the warm-up unless said{interval}")
    receivers = found.layout.subjects_with("reports")
    others = set(receivers)
    show_subjects("flow", FLOW, found, [name for name in found.layout.subjects_with("goodput") if name not in others])
    show_subjects("receiver", RECEIVER, found, receivers)
    show_playout(found)
    show_web(found)
    show_subjects("link", LINK, found, busy(found))
    fairness = found.get("run", "jain_index")
    if fairness is not None:
        say(f"Jain's fairness index of the flows: {fairness.over_seeds}")
    show_distance(found)
    if optimum is not None and not bool(np.all(np.isnan(found.optimum))):
        say(f"optimum: {optimum}")
    show_properties(found)


def show_distance(rows: Rows) -> None:
    """How far the rates are from the optimum, or why there is none."""
    distance, pairs = rows.get("run", "optimum_distance"), rows.get("run", "optimum_pairs")
    full = rows.layout.subjects_with("inelastic_excess")
    if distance is not None and distance.over_seeds.n:
        say(f"distance from the optimum, root of the mean of (rate/optimum - 1)²: {distance.over_seeds}")
    elif distance is not None and pairs is not None:
        many = f"{pairs.over_seeds.high:.0f} coupled pairs of links"
        say(f"no optimum beside so large a network ({many}); faircast.optimum computes it")
    elif distance is not None and not full:
        say("the optimum was not found; faircast.optimum says why")
    for name, excess in zip(full, rows.estimates.high[rows.layout.with_metric("inelastic_excess")], strict=True):
        say(f"no optimum: constant rates fill link {name}, with {excess:.9g} bit/s more than it has")


def show_properties(rows: Rows) -> None:
    """In which part of its cases each fairness property of layered multicast holds, and how far it is missed."""
    lines = []
    for name, text in PROPERTIES.items():
        share, shortfall = rows.get("run", name), rows.get("run", f"{name}_shortfall")
        if share is not None and shortfall is not None and share.over_seeds.n:
            lines.append([text, str(share.over_seeds), str(shortfall.over_seeds)])
    if lines:
        columns = ["fairness property", "holds in this part of cases", "greatest shortfall"]
        table(columns, lines, right=columns[1:], whole=[])


def busy(rows: Rows) -> list[str]:
    """Links on which something happens, at least the busiest: probed, used by half, with drops, marks or losses."""
    import numpy as np

    links = rows.layout.subjects_with("efficiency")
    of = Subjects(rows, links)
    used = of.metric("efficiency").high
    shown = used >= 0.5
    shown[np.argmax(np.nan_to_num(used, nan=-math.inf)) if links else []] = True
    shown |= of.metric("queue_mean").there
    for name in ("drops_all", "marks_incipient_all", "marks_moderate_all", "lost_all"):
        shown |= of.metric(name).high > 0
    return [links[place] for place in np.flatnonzero(shown)]


@dataclass(frozen=True)
class Metric:
    """A metric of some subjects, in their order."""

    there: npt.NDArray[np.bool_]
    """Who has it, if only as a value that is not defined."""
    mean: Floats
    ci95: Floats
    low: Floats
    high: Floats
    """NaN where there is none."""
    unit: str

    @property
    def is_known(self) -> bool:
        """Whether somebody has a value."""
        return bool((self.high == self.high).any())

    @property
    def is_zero(self) -> bool:
        """Whether all values are zero."""
        defined = self.high == self.high
        return bool(((self.low[defined] == 0) & (self.high[defined] == 0)).all())

    def column(self, scale: Callable[[float], float]) -> Column:
        """As a column on screen."""

        def text(value: Sequence[float]) -> str:
            mean, half, high = value
            if math.isnan(high):
                return "-"
            return with_interval(scale(mean), None if math.isnan(half) else scale(half))

        import numpy as np

        return Column(np.column_stack([self.mean, self.ci95, self.high]), text)  # type: ignore[arg-type]


class Subjects:
    """Some subjects of a summary."""

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        import numpy as np

        self.rows = rows
        self.size = len(names)
        place = {name: place for place, name in enumerate(names)}
        self.place = np.array([place.get(word, -1) for word in rows.layout.subjects.dictionary], np.int64)
        """Of every subject by its code; -1 for others."""

    def metric(self, name: str) -> Metric:
        """One metric; ``optimum`` is that of the rate."""
        import numpy as np

        found = self.rows.layout.with_metric("rate" if name == "optimum" else name)
        found = found[self.place[self.rows.layout.subjects.codes[found]] >= 0]
        at = self.place[self.rows.layout.subjects.codes[found]]

        def spread(values: Any) -> Floats:
            column = np.full(self.size, math.nan)
            column[at] = values
            return column

        estimates, nothing = self.rows.estimates, np.full(len(found), math.nan)
        there = np.zeros(self.size, bool)
        there[at] = True
        unit = self.rows.layout.units.text(int(found[0])) if len(found) else ""
        if name in ALIKE:  # the same for all seeds
            values = self.rows.optimum[found] if name == "optimum" else estimates.mean[found]
            columns = [values, nothing, values, values]
        else:
            columns = [one[found] for one in (estimates.mean, estimates.ci95, estimates.low, estimates.high)]
        mean, ci95, low, high = map(spread, columns)
        return Metric(there, mean, ci95, low, high, unit)


def show_subjects(kind: str, names: Mapping[str, str], rows: Rows, subjects: Sequence[str]) -> None:
    """One table: subjects as lines; goodput, and of the other metrics those that are not zero everywhere."""
    import numpy as np

    if not subjects:
        return
    of = Subjects(rows, subjects)
    metrics = {name: of.metric(name) for name in names}
    # One unit for all rates of the table: they are to be compared.
    rates = [float(np.nanmax(one.high)) for one in metrics.values() if one.unit == "bit/s" and one.is_known]
    highest = {"bit/s": max(rates, default=0.0)}
    columns, cells = [kind], []
    for name, one in metrics.items():
        if not one.is_known or (name != "goodput" and one.is_zero):
            continue
        scale, unit = scaled(highest.get(one.unit, 0.0), one.unit)
        columns.append(f"{names[name]}, {unit}" if unit else names[name])
        cells.append(one.column(scale))
    is_link = kind == "link"
    found_lines, hidden = lines(subjects, cells, always=is_link, extremes=not is_link)
    table(columns, [[line.name, *line.cells] for line in found_lines], right=columns[1:], whole=[kind])
    if hidden:
        which = f"{hidden} less busy links" if is_link else f"{hidden} more {kind}s, between these,"
        say(f"... and {which} in summary.parquet")


def scaled(highest: float, unit: str) -> tuple[Callable[[float], float], str]:
    """How to show numbers of a column: bits in a unit that fits, counts without one."""
    if unit == "bit/s":
        power, prefix = (1e6, "M") if highest >= 1e6 else (1e3, "k")
        return lambda value: value / power, f"{prefix}bit/s"
    return lambda value: value, "" if unit in ("1", "packets") else unit


def number(item: Estimate, scale: Callable[[float], float]) -> str:
    """Mean and half width of an estimate."""
    if item.n == 0:
        return "-"
    return with_interval(scale(item.mean), None if item.ci95 is None else scale(item.ci95))
