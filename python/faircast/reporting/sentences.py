"""What was run and what came out, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from faircast.display.grid import ranges, rate_unit, some
from faircast.display.results import grids, notes
from faircast.metrics import is_bound
from faircast.plot.frame import time_text
from faircast.quantity import seconds
from faircast.statistics import scaled, with_interval

if TYPE_CHECKING:
    from faircast.plot.frame import time_text
    from faircast.rows import Row, Rows
    from faircast.scenario import Resolved
from faircast.statistics import Estimate

MOST = 6
"""Of flows and sessions that have a sentence of their own."""
MOST_ROWS = 100
"""Of a table of numbers; the summary in the folder has all."""
NEARLY = 0.02
"""A rate so near to its optimum is said to be as much as that."""


def ran(scenario: Resolved, seeds: Sequence[int], traffic: Sequence[Mapping[str, Any]], reached_s: float) -> list[str]:
    """What was run: how long, over which network, who took part."""
    data = scenario.data
    topology = data.get("topology")
    network = f"the topology {topology['kind']}" if isinstance(topology, dict) else "a network given link by link"
    warmup = data.get("warmup")
    long = str(data["duration"])
    if reached_s < seconds(long, "duration"):
        long = f"{time_text(reached_s)} out of {long}"
    said = [
        f"Simulated: {long} of {network}, with seed{'s' * (len(seeds) != 1)} {ranges(seeds)}"
        + (f"; the first {warmup} are the warm-up." if warmup and not str(warmup).startswith("0 ") else ".")
    ]
    sessions = [one for one in traffic if one["isSession"]]
    flows = [one for one in traffic if not one["isSession"]]
    if sessions:
        listed = [f"{one['name']} ({one['kind']}, {count(len(one['receivers']), 'receiver')})" for one in sessions]
        said.append(f"Sessions: {some(listed)}.")
    if flows:
        kinds: dict[str, list[str]] = {}
        for one in flows:
            kinds.setdefault(one["kind"], []).append(one["name"])
        listed = [f"{count(len(names), 'flow')} of {kind} ({some(names, 4)})" for kind, names in kinds.items()]
        said.append(f"Beside them: {some(listed)}." if sessions else f"Flows: {some(listed)}.")
    if not traffic:
        said.append("Nobody sends anything.")
    return said


def count(number: int, what: str) -> str:
    """``1 receiver``, ``3 receivers``."""
    return f"{number} {what}{'s' * (number != 1)}"


def came(rows: Rows, traffic: Sequence[Mapping[str, Any]], turned_to: Sequence[str] = ()) -> list[str]:
    """What came out: rates beside their optimum, the busiest link, what the run says as a whole, hand-offs.

    `turned_to` has of each hand-off the satellite, empty where a station found none.
    """
    said = []
    found = [(one["name"], rows.get(one["name"], "rate")) for one in traffic]
    rated = [(name, row) for name, row in found if row is not None and row.over_seeds.n]  # web traffic has no rate
    said += [rate_sentence(name, row) for name, row in rated[:MOST]]
    if len(rated) > MOST:
        said.append(f"The rates of {len(rated) - MOST} more stand in the table.")
    said += [transfers_sentence(rows, name) for name in rows.layout.subjects_with("transfers")[:MOST]]
    said += [sentence for name in rows.layout.subjects_with("not_started")[:MOST] for sentence in viewers(rows, name)]
    said += link_sentences(rows)
    said += [f"{text[0].upper()}{text[1:]}." for text in notes(rows)]
    if turned_to:
        lost = sum(not satellite for satellite in turned_to)
        without = f", and were left without one {count(lost, 'time')}" if lost else ""
        said.append(f"Ground stations turned to a satellite {count(len(turned_to) - lost, 'time')}{without}.")
    return said or ["Nobody sent anything, so there are no rates."]


def rate_sentence(name: str, row: Row) -> str:
    """What a flow or session got, beside its optimum."""
    got = rate(row.over_seeds)
    best = row.optimum
    if not best or math.isnan(best):
        return f"{name} got {got}."
    part = row.over_seeds.mean / best
    factor, unit = rate_unit(max(row.over_seeds.high, best))
    optimum = f"{with_interval(best * factor, None)} {unit}"
    if abs(part - 1) < NEARLY:
        return f"{name} got {got}, as much as its optimum of {optimum}."
    return f"{name} got {got}, {part:.0%} of its optimum of {optimum}."


def transfers_sentence(rows: Rows, name: str) -> str:
    """How many transfers of an entry of web traffic came after the warm-up, and how long the median one took."""
    transfers, unfinished, half = (rows.get(name, key) for key in ("transfers", "unfinished", "completion_p50"))
    if transfers is None or not transfers.over_seeds.mean:
        return f"No transfer of {name} came after the warm-up."
    came = f"Of {number(transfers.over_seeds, 1.0)} transfers of {name}"
    if unfinished is None or half is None or not half.over_seeds.n:
        return f"{came} none was finished."
    is_least = is_bound(transfers.over_seeds.low, unfinished.over_seeds.high, 50)
    took = f"{'at least ' * is_least}{number(half.over_seeds, 1.0)} s"
    return f"{came} {number(unfinished.over_seeds, 1.0)} were not finished; the median one took {took}."


def viewers(rows: Rows, name: str) -> list[str]:
    """What the viewers of a session saw: how many a picture, when it came, and how often it stood still."""
    keys = ("viewers_all", "not_started_all", "startup_delay_p50_all", "stalled_viewers", "stalled_mean")
    waited, dark, delay, still, stood = (rows.get(name, key) for key in keys)
    if waited is None or dark is None or not waited.over_seeds.high:
        return [f"Nobody waited for a picture of {name}."]
    of_all = f"Of {number(waited.over_seeds, 1.0)} viewers of {name}"
    if delay is None or not delay.over_seeds.n:
        return [f"{of_all} none saw a picture."]
    least = "at least " * is_bound(waited.over_seeds.low, dark.over_seeds.high, 50)
    said = [
        f"{of_all} {number(dark.over_seeds, 1.0)} saw no picture; to the median one it came after "
        f"{least}{number(delay.over_seeds, 1.0)} s."
    ]
    if still is not None and still.over_seeds.n:
        if not still.over_seeds.high:
            said.append(f"The picture of {name} stood still for nobody after the warm-up.")
        elif stood is not None and stood.over_seeds.n:
            said.append(
                f"It stood still for {number(still.over_seeds, 1.0)} of them after the warm-up; "
                f"the mean over all is {number(stood.over_seeds, 1.0)} s."
            )
    return said


def rate(item: Estimate) -> str:
    """A rate with its interval."""
    factor, unit = rate_unit(item.high)
    return f"{number(item, factor)} {unit}"


def number(item: Estimate, factor: float) -> str:
    """An estimate in another unit."""
    made = scaled(item, factor)
    return with_interval(made.mean, made.ci95)


def link_sentences(rows: Rows) -> list[str]:
    """The busiest link, and where most packets were dropped."""
    names = rows.layout.subjects_with("efficiency")
    links = [(name, row) for name in names if (row := rows.get(name, "efficiency")) is not None and row.over_seeds.n]
    if not links:
        return []
    busiest, row = max(links, key=lambda one: one[1].over_seeds.mean)
    said = [f"The busiest link was {busiest}, used to {row.over_seeds.mean:.1%}."]
    drops = {name: found.over_seeds.mean for name, _ in links if (found := rows.get(name, "drops_all")) is not None}
    if drops and max(drops.values()) > 0:
        most = max(drops, key=lambda name: drops[name])
        several = sum(1 for dropped in drops.values() if dropped > 0)
        where = f", most of those of {several} links" if several > 1 else ""
        said.append(f"{most} dropped {drops[most]:.6g} packets in the whole run{where}.")
    else:
        said.append("No queue dropped a packet.")
    return said


def tables(rows: Rows) -> list[dict[str, Any]]:
    """The most important numbers as tables."""
    titles = ("Rates of flows, sessions and receivers", "Links on which something happened")
    return [
        {
            "title": title if len(grid.rows) <= MOST_ROWS else f"{title}, {MOST_ROWS} of {len(grid.rows)}",
            "columns": list(grid.columns),
            "rows": [list(row) for row in grid.rows[:MOST_ROWS]],
        }
        for title, grid in zip(titles, grids(rows), strict=True)
        if grid.rows
    ]
