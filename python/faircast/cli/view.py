"""A summary on screen: what one wants to see first, one line per flow, receiver and link on which something happens."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from faircast.cli.common import say, table
from faircast.cli.families import lines
from faircast.statistics import Estimate, estimate, with_interval
from faircast.summary import Row

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
Metrics = dict[str, tuple[Estimate, str]]
NOTHING = (estimate([]), "")


def headline(name: str, sets: Sequence[str], seeds: int) -> str:
    """What a table of results is of: the scenario's name, what was changed by ``--set``, the number of seeds."""
    changed = f" with {', '.join(sets)}" if sets else ""
    return f"{name}{changed}, {seeds} seed{'s' if seeds != 1 else ''}"


def show_rows(title: str, rows: Sequence[Row], *, optimum: object = None) -> None:
    """Flows, receivers of sessions, and links with a probed queue, drops, marks, losses or much to do.

    Values are those after the warm-up. `optimum` says by which utility the optimum beside the rates is one.
    """
    subjects: dict[str, Metrics] = {}
    for row in rows:
        subjects.setdefault(row.subject, {})[row.metric] = row.over_seeds, row.unit
        if row.metric == "rate":
            subjects[row.subject]["optimum"] = estimate([row.optimum]), row.unit
        if row.metric == "max_min_rate":  # the same for all seeds
            subjects[row.subject]["max_min_rate"] = estimate([row.over_seeds.mean]), row.unit
    several = any(item.n > 1 for found in subjects.values() for item, _ in found.values())
    interval = ", mean ± half width of the 95 % interval" if several else ""
    say(f"{title}; after the warm-up unless said{interval}")
    receivers = {name: found for name, found in subjects.items() if "reports" in found}
    flows = {name: found for name, found in subjects.items() if "goodput" in found and name not in receivers}
    show_subjects("flow", FLOW, flows)
    show_subjects("receiver", RECEIVER, receivers)
    show_subjects("link", LINK, busy(subjects))
    fairness = subjects.get("run", {}).get("jain_index")
    if fairness is not None:
        say(f"Jain's fairness index of the flows: {fairness[0]}")
    show_distance(subjects)
    if optimum is not None and any(not math.isnan(row.optimum) for row in rows):
        say(f"optimum: {optimum}")
    show_properties(subjects.get("run", {}))


def show_distance(subjects: dict[str, Metrics]) -> None:
    """How far the rates are from the optimum, or why there is none."""
    distance = subjects.get("run", {}).get("optimum_distance")
    if distance is not None and distance[0].n:
        say(f"distance from the optimum, root of the mean of (rate/optimum - 1)²: {distance[0]}")
    elif distance is not None and "optimum_pairs" in subjects["run"]:
        pairs = subjects["run"]["optimum_pairs"][0].high
        say(f"no optimum beside so large a network ({pairs:.0f} coupled pairs of links); faircast.optimum computes it")
    elif distance is not None and not any("inelastic_excess" in found for found in subjects.values()):
        say("the optimum was not found; faircast.optimum says why")
    for name, found in subjects.items():
        if "inelastic_excess" in found:
            excess = found["inelastic_excess"][0].high
            say(f"no optimum: constant rates fill link {name}, with {excess:.9g} bit/s more than it has")


def show_properties(run: Metrics) -> None:
    """In which part of its cases each fairness property of layered multicast holds, and how far it is missed."""
    lines = [
        [text, str(run[name][0]), str(run[f"{name}_shortfall"][0])]
        for name, text in PROPERTIES.items()
        if name in run and run[name][0].n
    ]
    if lines:
        columns = ["fairness property", "holds in this part of cases", "greatest shortfall"]
        table(columns, lines, right=columns[1:], whole=[])


def busy(subjects: dict[str, Metrics]) -> dict[str, Metrics]:
    """Links on which something happens, at least the busiest."""
    links = {name: found for name, found in subjects.items() if "efficiency" in found}
    shown = {name for name, found in links.items() if is_busy(found)}
    shown |= set(sorted(links, key=lambda name: -links[name]["efficiency"][0].high)[:1])
    return {name: found for name, found in links.items() if name in shown}


def is_busy(link: Metrics) -> bool:
    """Whether something happens on a link: it is probed, used by half, drops, marks or loses."""
    counts = ("drops_all", "marks_incipient_all", "marks_moderate_all", "lost_all")
    return (
        "queue_mean" in link
        or link["efficiency"][0].high >= 0.5
        or any(link[name][0].high > 0 for name in counts if name in link)
    )


def show_subjects(kind: str, names: dict[str, str], subjects: dict[str, Metrics]) -> None:
    """One table: subjects as lines; goodput, and of the other metrics those that are not zero everywhere."""
    columns: list[str] = [kind]
    cells: dict[str, list[tuple[float, str]]] = {name: [] for name in subjects}
    # One unit for all rates of the table: they are to be compared.
    rates = [
        item.high
        for found in subjects.values()
        for name in names
        for item, unit in [found.get(name, NOTHING)]
        if unit == "bit/s" and item.n
    ]
    highest = {"bit/s": max(rates, default=0.0)}
    for metric, heading in names.items():
        found = [metrics.get(metric) for metrics in subjects.values()]
        known = [item for item in found if item is not None and item[0].n > 0]
        if not known or (metric != "goodput" and all(item[0].low == item[0].high == 0 for item in known)):
            continue
        unit = known[0][1]
        scale, unit = scaled(highest.get(unit, 0.0), unit)
        columns.append(f"{heading}, {unit}" if unit else heading)
        for line, item in zip(cells.values(), found, strict=True):
            line.append((math.nan, "-") if item is None else (item[0].mean, number(item[0], scale)))
    if not subjects:
        return
    is_link = kind == "link"
    found_lines, hidden = lines(cells, always=is_link, extremes=not is_link)
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
