"""The document of a sweep: what is varied, and of each point all that was measured, with intervals."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from faircast.display.grid import ranges, some
from faircast.plot.sweep import distinct, usual
from faircast.quantity import on_one_scale
from faircast.reporting.of_run import Made, seed_options
from faircast.reporting.packing import Chunk
from faircast.reporting.toml import toml_of
from faircast.vary import as_text
from faircast.version import faircast_version

if TYPE_CHECKING:
    from faircast.sweep_folder import SweepPoint
    from faircast.sweeps import SweepResult

MOST_VALUES = 2_500_000
"""Numbers that a page holds: of a larger sweep the metrics are those of flows, sessions and the run."""
MOST_LETTERS = 60_000_000
"""Of the scenarios of all points as TOML, which are much alike and become small."""
COLUMNS = 5
"""Numbers of a metric at a point: mean, both ends of its interval, seeds, optimum."""


def document_of(result: SweepResult) -> Made:
    """The document of a sweep. Raises `InputError` if nothing of it is finished."""
    from faircast.errors import InputError

    metrics = list(result.metrics)
    if not metrics:
        raise InputError(f"{result.folder} has no finished run yet; faircast sweep {result.folder} goes on with it")
    first = usual(result)
    notes = []
    most = MOST_VALUES // (COLUMNS * len(result.points))
    if len(metrics) > most:
        notes.append(f"Of {len(metrics)} metrics the page holds {most}; faircast show and the folder have all.")
        metrics = [*first, *(metric for metric in metrics if metric not in first)][:most]
    if result.missing:
        notes.append(f"Not finished: {result.missing} runs are missing; faircast sweep {result.folder} goes on.")
    chunk, scenarios = Chunk("numbers"), Chunk("scenarios")
    texts = [toml_of(point.scenario.data) for point in result.points]
    if sum(map(len, texts)) <= MOST_LETTERS:
        scenarios.data += json.dumps(texts).encode()
    else:
        notes.append(f"The scenarios of the points are not in the page; they are in {result.folder}/points.parquet.")
    paths = [path_of(result, path) for path in result.varied]
    places = [dict(zip(path["values"], path["places"], strict=True)) for path in paths]
    sweep = {
        "paths": paths,
        "points": [point_of(result, point, places) for point in result.points],
        "metrics": numbers(result, metrics, chunk),
        "usual": [metrics.index(metric) for metric in first],
        "name": result.name,
        "chunk": chunk.name,
    }
    if scenarios.data:
        sweep["scenarios"] = scenarios.name
    chunks = [one for one in (chunk, scenarios) if one.data]
    return Made({"head": head_of(result, notes), "sweep": sweep}, chunks)


def path_of(result: SweepResult, path: str) -> dict[str, Any]:
    """What is varied: its values in the order along an axis, and where they stand there."""
    values = distinct(result, path)
    scale = on_one_scale(values)
    places, unit = scale if scale is not None else ([float(place) for place in range(len(values))], "")
    order = sorted(range(len(values)), key=lambda at: places[at])
    return {
        "path": path,
        "unit": unit,
        "isNumber": scale is not None,
        "values": [as_text(values[at]) for at in order],
        "places": [places[at] for at in order],
    }


def point_of(result: SweepResult, point: SweepPoint, places: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """A point: its values, the command that repeats it alone; `places` say of each path where its values stand."""
    values = [as_text(point.values[path]) for path in result.varied]
    return {
        "values": values,
        "places": [of[value] for of, value in zip(places, values, strict=True)],
        "seeds": ranges(point.seeds),
        "hash": point.scenario.hash,
        "command": command_of(result, point),
        "options": shlex.join(seed_options(point.seeds)),
    }


def command_of(result: SweepResult, point: SweepPoint) -> str:
    """What runs one point again: the scenario of the sweep with the point's values set."""
    words = ["faircast", "run", f"{result.name}.toml"]
    for assignment in [*result.sets, *(f"{path}={given(value)}" for path, value in point.values.items())]:
        words += ["--set", assignment]
    return shlex.join([*words, *seed_options(point.seeds)])


def given(value: Any) -> str:
    """A value as ``--set`` reads it."""
    return value if isinstance(value, str) else json.dumps(value)


def numbers(result: SweepResult, metrics: Sequence[tuple[str, str]], chunk: Chunk) -> list[dict[str, Any]]:
    """Put mean, interval, seeds and optimum of each metric at all points into a chunk."""
    import numpy as np

    place = {metric: at for at, metric in enumerate(metrics)}
    shape = (len(metrics), COLUMNS, len(result.points))
    found = np.full(shape, np.nan)
    found[:, 3, :] = 0.0
    for at, point in enumerate(result.points):
        for row in result.rows(point):
            which = place.get((row.subject, row.metric))
            if which is None or not row.over_seeds.n:
                continue
            over = row.over_seeds
            low, high = over.interval or (np.nan, np.nan)  # of one seed there is none
            found[which, :, at] = over.mean, low, high, over.n, row.optimum
    made = []
    for (subject, metric), block in zip(metrics, found, strict=True):
        at = chunk.put(block.reshape(-1), "<f8")
        made.append({"subject": subject, "metric": metric, "unit": result.unit(subject, metric), "at": at})
    return made


def head_of(result: SweepResult, notes: Sequence[str]) -> dict[str, Any]:
    """What stands on top of the page and at its end."""
    changed = f" with {', '.join(result.sets)}" if result.sets else ""
    versions = faircast_version()
    return {
        "title": f"{result.name}{changed}: a sweep",
        "description": "",
        "ran": [
            f"{len(result.points)} points were run, each with seeds {ranges(result.seeds)}.",
            *(varied_sentence(result, path) for path in result.varied),
        ],
        "came": came(result),
        "results": [],
        "warnings": warnings_of(result),
        "notes": list(notes),
        "commands": [
            {"does": "goes on with the sweep, or says that all is there", "command": again(result)},
            {"does": "prints it", "command": shlex.join(["faircast", "show", str(result.folder)])},
        ],
        "scenario": "",
        "seeds": ranges(result.seeds),
        "version": versions,
        "hash": "",
    }


def again(result: SweepResult) -> str:
    """The command that continues the sweep."""
    return shlex.join(["faircast", "sweep", str(result.folder)])


def varied_sentence(result: SweepResult, path: str) -> str:
    """What a path was."""
    return f"{path} is {some([as_text(value) for value in distinct(result, path)])}."


def came(result: SweepResult) -> list[str]:
    """Of what a sweep is about the extremes of the means, and where they are; what changes nothing."""
    from faircast.reporting.sentences import number, rate

    said = []
    for subject, metric in usual(result):
        unit = result.unit(subject, metric)
        estimates = [(result.estimate(point, subject, metric), point) for point in result.points]
        known = [(one, point) for one, point in estimates if one.n]
        if not known:
            continue
        low = min(known, key=lambda pair: pair[0].mean)
        high = max(known, key=lambda pair: pair[0].mean)
        texts = [rate(one) if unit == "bit/s" else f"{number(one, 1.0)} {unit}" for one, _ in (low, high)]
        said.append(
            f"The {metric.replace('_', ' ')} of {subject} goes from {texts[0]} at {where(low[1].values)} "
            f"to {texts[1]} at {where(high[1].values)}."
        )
    said += [f"{path} changes nothing at all." for path in result.without_effect()]
    return said


def where(values: Mapping[str, Any]) -> str:
    """The values of a point."""
    return ", ".join(f"{path} = {as_text(value)}" for path, value in values.items())


def warnings_of(result: SweepResult) -> list[dict[str, Any]]:
    """One line for each kind and subject: how many runs have it."""
    table = result.warnings
    found: dict[tuple[str, str], tuple[str, int]] = {}
    columns = (table.column(name).to_pylist() for name in ("kind", "subject", "message"))
    for kind, subject, message in zip(*columns, strict=True):
        told, runs = found.get((kind, subject), (message, 0))
        found[kind, subject] = told, runs + 1
    return [
        {
            "kind": kind,
            "subject": subject,
            "message": message if runs == 1 else f"{message} (so or similarly in {runs} runs)",
            "seeds": [],
        }
        for (kind, subject), (message, runs) in found.items()
    ]
