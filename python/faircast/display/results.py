"""What runs say of themselves: one, or several with different seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from faircast.display.grid import Grid, described, html, ranges, rate_unit
from faircast.display.scenario import of_scenario, traffic
from faircast.statistics import Estimate, with_interval
from faircast.summary import Row, over_seeds

if TYPE_CHECKING:
    from faircast.reading import Runs
    from faircast.results import RunResult


def of_run(result: RunResult) -> str:
    """The ``repr`` of a result."""
    head = f"{of_scenario(result.scenario)}, seed {result.seed}"
    return described("RunResult", head, traffic(result.scenario), f"tables with rows: {tables_of(result)}")


def of_runs(runs: Runs) -> str:
    """The ``repr`` of several results with different seeds."""
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
    """The most important numbers of several results, as means with intervals."""
    several = ["mean ± half width of the 95 % interval over the seeds"] if len(runs.seeds) > 1 else []
    return html(head_of_runs(runs), *grids(runs.rows), notes=[*notes(runs.rows), *several])


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
