"""What results say of themselves: short texts for ``repr``, small tables for notebooks.

The tables are plain HTML, escaped, without colours, scripts or anything from elsewhere, so that they look the same on
light and on dark notebooks and in saved ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from faircast.errors import shortened
from faircast.statistics import Estimate, with_interval
from faircast.summary import Row, over_seeds

if TYPE_CHECKING:
    from faircast.reading import Runs
    from faircast.report import Reproduction
    from faircast.results import RunResult
    from faircast.scenario import Resolved
    from faircast.utility.optimum import Optimum
    from faircast.ways import PathSeries

ROWS_SHOWN = 20
NAMES_SHOWN = 8
LINE = "border-bottom: 1px solid rgba(128, 128, 128, 0.4); padding: 0.2em 0.8em"


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first column names the rows, the others hold numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False
    """Whether the others hold words."""


def described(kind: str, head: str, *lines: str) -> str:
    """A text for ``repr``: ``<RunResult: head``, and indented lines, those that are not empty."""
    return "\n".join([f"<{kind}: {shortened(head)}", *(f"  {shortened(line)}" for line in lines if line)]) + ">"


def html(head: str, *grids: Grid, notes: Iterable[str] = ()) -> str:
    """A text for ``_repr_html_``: a heading, tables of at most `ROWS_SHOWN` rows, notes. All of it is escaped."""
    parts = [f"<p><strong>{escape(head)}</strong></p>", *(_grid(grid) for grid in grids if grid.rows)]
    parts += [f"<p>{escape(note)}</p>" for note in notes if note]
    return f"<div>{''.join(parts)}</div>"


def some(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """``a, b, c``; of many names the first and how many more there are."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def of_scenario(scenario: Resolved) -> str:
    """``geo, 300 s, hash 3f0c9a12be77``."""
    return f"{scenario.name}, {scenario.data['duration']}, hash {scenario.hash}"


def traffic(scenario: Resolved) -> str:
    """``flows web (4 tcp); sessions video (tfmcc)``."""
    flows = [f"{name} ({_kinds(flow)})" for name, flow in _of(scenario, "flows").items()]
    sessions = [f"{name} ({session.get('scheme')})" for name, session in _of(scenario, "sessions").items()]
    found = [("flows", flows), ("sessions", sessions)]
    return "; ".join(f"{what} {some(names)}" for what, names in found if names) or "no flows"


def _of(scenario: Resolved, key: str) -> dict[str, Any]:
    found = scenario.data.get(key)
    return found if isinstance(found, dict) else {}


def _kinds(flow: Mapping[str, Any]) -> str:
    count = flow.get("count", 1)
    return f"{count} {flow.get('kind')}" if count != 1 else str(flow.get("kind"))


def of_run(result: RunResult) -> str:
    """The ``repr`` of a result."""
    head = f"{of_scenario(result.scenario)}, seed {result.seed}"
    return described("RunResult", head, traffic(result.scenario), f"tables with rows: {tables_of(result)}")


def of_runs(runs: Runs) -> str:
    """The ``repr`` of several."""
    first = runs.of(runs.seeds[0])
    return described(
        "Runs",
        head_of_runs(runs),
        traffic(runs.scenario),
        f"tables with rows of seed {first.seed}: {tables_of(first)}",
        f"interrupted: {ranges(runs.interrupted)}" if runs.interrupted else "",
        "" if runs.folder is None else f"in {runs.folder}",
    )


def tables_of(result: RunResult) -> str:
    """``flows 40, links 200``: tables that are not empty, without the summary, which every result has."""
    counted = {name: result.count_rows(name) for name in result.names if name != "summary"}
    return ", ".join(f"{name} {rows}" for name, rows in counted.items() if rows) or "none"


def head_of_runs(runs: Runs) -> str:
    """Scenario and seeds."""
    return f"{of_scenario(runs.scenario)}, {len(runs.seeds)} seed{'s' * (len(runs.seeds) != 1)}: {ranges(runs.seeds)}"


def html_of_run(result: RunResult) -> str:
    """The most important numbers of a result."""
    rows = over_seeds({result.seed: result.metrics()})
    return html(f"{of_scenario(result.scenario)}, seed {result.seed}", *grids(rows), notes=notes(rows))


def html_of_runs(runs: Runs) -> str:
    """The same of several, as means with intervals."""
    several = ["mean ± half width of the 95 % interval over the seeds"] if len(runs.seeds) > 1 else []
    return html(head_of_runs(runs), *grids(runs.rows), notes=[*notes(runs.rows), *several])


def of_resolved(scenario: Resolved) -> str:
    """The ``repr`` of a scenario."""
    return described("Resolved", of_scenario(scenario), _network(scenario), traffic(scenario))


def html_of_resolved(scenario: Resolved) -> str:
    """What a scenario is made of."""
    flows = [[name, _kinds(flow)] for name, flow in _of(scenario, "flows").items()]
    sessions = [[name, str(session.get("scheme"))] for name, session in _of(scenario, "sessions").items()]
    return html(
        of_scenario(scenario),
        Grid(["flow or session", "kind"], flows + sessions, words=True),
        notes=[_network(scenario)],
    )


def of_optimum(optimum: Optimum) -> str:
    """The ``repr`` of the best rates."""
    factor, unit = rate_unit(max(optimum.rates.values(), default=0.0))
    rates = [f"{name} {rate * factor:.4g} {unit}" for name, rate in optimum.rates.items()]
    full = [name for name, link in optimum.links.items() if link.binds]
    head = f"utility {_utility(optimum)}, {len(rates)} rate{'s' * (len(rates) != 1)}"
    return described("Optimum", head, some(rates), f"full links: {some(full) or 'none'}")


def html_of_optimum(optimum: Optimum) -> str:
    """The best rates, those of receivers included, and the links they fill."""
    factor, unit = rate_unit(max(optimum.rates.values(), default=0.0))
    rates = []
    for name, rate in optimum.rates.items():
        rates.append([name, f"{rate * factor:.4g}"])
        rates += [[receiver, f"{got * factor:.4g}"] for receiver, got in optimum.receivers.get(name, {}).items()]
    links = [
        [name, f"{link.capacity * factor:.4g}", f"{link.elastic * factor:.4g}", f"{link.price:.3g}"]
        for name, link in optimum.links.items()
        if link.binds
    ]
    return html(
        f"optimum of the utility {_utility(optimum)}",
        Grid(["flow, session, receiver", f"rate, {unit}"], rates),
        Grid(["full link", f"capacity, {unit}", f"of it for these rates, {unit}", "price"], links),
    )


def of_path(series: PathSeries) -> str:
    """The ``repr`` of a way over time."""
    delays = "; ".join(f"{name}: {value}" for name, value in _path(series))
    return described("PathSeries", f"{series.from_} to {series.to}, {series.end_s:g} s", delays)


def html_of_path(series: PathSeries) -> str:
    """A way over time in a few numbers."""
    rows = [[name, value] for name, value in _path(series)]
    return html(f"way from {series.from_} to {series.to}, {series.end_s:g} s", Grid(["", ""], rows, words=True))


def of_reproduction(found: Reproduction) -> str:
    """The ``repr`` of a reproduction."""
    verdicts = [f"{report.id}: {report.verdict}" for report in found.reports]
    count = f"{len(verdicts)} experiment{'s' * (len(verdicts) != 1)} in {found.folder}"
    more = [f"and {len(verdicts) - ROWS_SHOWN} more"] if len(verdicts) > ROWS_SHOWN else []
    state = "interrupted" if found.interrupted else ""
    return described("Reproduction", count, *verdicts[:ROWS_SHOWN], *more, state)


def html_of_reproduction(found: Reproduction) -> str:
    """The verdicts, each with what its figure shows."""
    rows = [[report.id, report.verdict, report.says] for report in found.reports]
    grid = Grid(["experiment", "verdict", "what it shows"], rows, words=True)
    return html(f"reproduction in {found.folder}", grid, notes=["interrupted"] * found.interrupted)


def _network(scenario: Resolved) -> str:
    topology = scenario.data.get("topology")
    return f"topology {topology.get('kind')}" if isinstance(topology, dict) else "nodes and links one by one"


def _utility(optimum: Optimum) -> str:
    return optimum.problem.says or str(optimum.problem.utility)


def _path(series: PathSeries) -> list[tuple[str, str]]:
    found = series.summary
    delays = [f"{value * 1e3:.4g}" for value in (found.min_s, found.mean_s, found.max_s)]
    return [
        ("shortest, mean and longest delay", f"{', '.join(delays)} ms" if len(series.t_s) else "none"),
        ("changes of the way", str(found.changes)),
        ("lost", f"{found.lost} times, {found.without_s:.4g} s without a way"),
        ("hand-offs", some([f"{name} {number}" for name, number in found.handoffs.items()]) or "none"),
    ]


def grids(rows: Sequence[Row]) -> list[Grid]:
    """Of a summary the rates of flows, sessions and receivers, and links on which something happens."""
    subjects: dict[str, dict[str, Row]] = {}
    for row in rows:
        subjects.setdefault(row.subject, {})[row.metric] = row
    flows = {name: found for name, found in subjects.items() if "rate" in found}
    rates = [found[key].over_seeds.high for found in flows.values() for key in ("rate", "goodput") if key in found]
    factor, unit = rate_unit(max(rates, default=0.0))
    lines = []
    for name, found in flows.items():
        best = found["rate"].optimum
        cells = [_cell(found.get(key), factor) for key in ("rate", "goodput")]
        lines.append([name, *cells, with_interval(best * factor, None) if best == best else "-"])
    links = {name: found for name, found in subjects.items() if "efficiency" in found and _busy(found)}
    columns = ("efficiency", "drops_all", "lost_all", "queue_mean")
    return [
        Grid(["flow, session, receiver", f"rate, {unit}", f"goodput, {unit}", f"optimum of the rate, {unit}"], lines),
        Grid(
            ["link", "efficiency", "drops, whole run", "lost, whole run", "mean queue, packets"],
            [[name, *(_cell(found.get(key)) for key in columns)] for name, found in links.items()],
        ),
    ]


def notes(rows: Sequence[Row]) -> list[str]:
    """What a summary says of the run as a whole."""
    found = {row.metric: row.over_seeds for row in rows if row.subject == "run"}
    texts = {"jain_index": "Jain's fairness index of the flows", "optimum_distance": "distance from the optimum"}
    return [f"{text}: {found[metric]}" for metric, text in texts.items() if metric in found and found[metric].n]


def rate_unit(highest: float) -> tuple[float, str]:
    """The unit in which rates up to `highest`, bit/s, are shown, and what they are multiplied by."""
    return (1e-6, "Mbit/s") if highest >= 1e6 else (1e-3, "kbit/s")


def ranges(numbers: Sequence[int]) -> str:
    """``1 to 10, 12``."""
    from faircast.manifest import to_ranges

    return some([str(first) if first == last else f"{first} to {last}" for first, last in to_ranges(numbers)])


def _busy(link: Mapping[str, Row]) -> bool:
    counts = ("drops_all", "lost_all", "marks_incipient_all", "marks_moderate_all")
    return (
        "queue_mean" in link
        or link["efficiency"].over_seeds.high >= 0.5
        or any(link[name].over_seeds.high > 0 for name in counts if name in link)
    )


def _cell(row: Row | None, factor: float = 1.0) -> str:
    if row is None or not row.over_seeds.n:
        return "-"
    return number(row.over_seeds, factor)


def number(item: Estimate, factor: float = 1.0) -> str:
    """An estimate in another unit, as a cell."""
    return with_interval(item.mean * factor, None if item.ci95 is None else item.ci95 * factor)


def _grid(grid: Grid) -> str:
    def line(kind: str, texts: Sequence[str]) -> str:
        sides = ["left", *["left" if grid.words else "right"] * (len(texts) - 1)]
        cells = zip(sides, map(escape, map(shortened, texts)), strict=True)
        return "".join(f'<{kind} style="text-align: {side}; {LINE}">{text}</{kind}>' for side, text in cells)

    head = line("th", grid.columns)
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in grid.rows[:ROWS_SHOWN])
    more = len(grid.rows) - ROWS_SHOWN
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
