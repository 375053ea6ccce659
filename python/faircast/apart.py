"""Comparisons that go on until differences are apart from 0: seeds are added to folders of runs, or to a sweep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from faircast.batch import Watcher
from faircast.comparison import Comparison, Side, compare, comparison, short, stopped_pairs
from faircast.engine.contract import Engine
from faircast.errors import InputError, begun
from faircast.folder import RunFolder
from faircast.manifest import read_manifest
from faircast.metrics import parse_metric
from faircast.outline import check_before
from faircast.reading import Runs
from faircast.runs import from_result, run_into
from faircast.scenario import Resolved
from faircast.scenario import seeds as seeds_of
from faircast.sequential import looks
from faircast.stopping import Look, UntilApart, apart_rule, look_at
from faircast.sweep_folder import KIND
from faircast.sweeps import sweep


class Origin(NamedTuple):
    """A folder of runs, and what it is made of."""

    folder: Path
    scenario: Resolved
    start: int
    sets: Sequence[str]


def compare_until_apart(
    folders: Sequence[Path],
    *,
    between: str | tuple[str, Sequence[Any]] | None,
    metrics: Sequence[str],
    reps: int | None = None,
    max_reps: int | None = None,
    engine: Engine | None = None,
    watcher: Watcher | None = None,
    told: Callable[[Look], None] | None = None,
) -> Comparison:
    """Hold folders against the first of them, or values that a sweep varies; seeds are added until they are apart.

    The intervals are those of the level that several looks need (`faircast.sequential.confidence_of_each`). Ctrl-C
    raises `KeyboardInterrupt`; what was finished is kept.
    """
    if not metrics:
        raise InputError("--until-apart needs --metric SUBJECT/METRIC: which difference is it about?")
    if len(folders) == 1 and read_manifest(folders[0])["kind"] == KIND:
        if between is None:
            return compare(folders[0], between=None)  # says that it needs it
        path, values = (between, None) if isinstance(between, str) else between
        until = UntilApart(path, tuple(map(parse_metric, metrics)), None if values is None else tuple(values))
        done = sweep(folders[0], until=until, reps=reps, max_reps=max_reps, engine=engine, watcher=watcher, told=told)
        if done.interrupted:
            raise KeyboardInterrupt
        return compare(folders[0], between=between, metrics=metrics)
    if between is not None or len(folders) < 2:
        compare(*folders, between=between)  # says what is wrong
    return of_folders(folders, metrics, reps, max_reps, engine, watcher, told)


def of_folders(
    folders: Sequence[Path],
    metrics: Sequence[str],
    reps: int | None,
    max_reps: int | None,
    engine: Engine | None,
    watcher: Watcher | None,
    told: Callable[[Look], None] | None,
) -> Comparison:
    """Folders of runs, each with the same seeds."""
    origins = [origin_of(folder) for folder in folders]
    start = origins[0].start
    until = UntilApart("", tuple(map(parse_metric, metrics)))
    rule = apart_rule(until, reps=reps, max_reps=max_reps, start=start)
    seeds_of(start, rule.last)
    for origin in origins:
        check_before([origin.scenario], start, rule.metrics)
    sides: list[Side] = []
    is_begun = False
    for seeds in looks(rule.first, rule.last):
        for origin in origins:
            place = RunFolder.open(origin.folder, origin.scenario, sets=origin.sets)
            with begun() if is_begun else nullcontext():
                done = run_into(place, range(start, start + seeds), engine=engine, watcher=watcher)
            if done.interrupted:
                raise KeyboardInterrupt
            is_begun = is_begun or bool(done.computed)
        names = short([str(folder) for folder in folders])
        sides = [
            Side(name, origin.scenario, Runs.read(origin.folder).summaries)
            for name, origin in zip(names, origins, strict=True)
        ]
        if is_told(rule, sides, told):
            break
    pairs, notes = stopped_pairs(rule, [sides])
    return comparison(pairs, rule.metrics, level=rule.level, notes=notes)


def is_told(rule: UntilApart, sides: Sequence[Side], told: Callable[[Look], None] | None) -> bool:
    """Whether all that are held against the first have stopped."""
    stops = [rule.stop_of(sides[0].runs, side.runs) for side in sides[1:]]
    if told is not None:
        told(look_at(stops, rule))
    return not any(stop.open for stop in stops)


def origin_of(folder: Path) -> Origin:
    """What a folder of runs is made of. Raises `InputError` if it holds something else."""
    earlier = from_result(folder)
    if earlier is None or earlier.folder is None:
        raise InputError(f"{folder} is no folder of runs to which seeds can be added; give what faircast run made")
    return Origin(earlier.folder, earlier.scenario, min(earlier.seeds), earlier.sets)
