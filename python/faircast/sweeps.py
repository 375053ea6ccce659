"""Sweeps: one scenario at many points, each with the same seeds, in one folder.

Every point runs with the same seeds, and random streams are named after what draws from them, so that points whose
nodes and links have the same names meet the same chances: their differences are taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from faircast.batch import Watcher
from faircast.campaign import Campaign, Progress
from faircast.design import INDICES, Design, check_design, refuse_ranges
from faircast.design import from_json as design_from_json
from faircast.engine import chosen
from faircast.engine.contract import Engine
from faircast.errors import InputError, brief, choose
from faircast.ledger import Ledger
from faircast.manifest import INTERRUPTED, read_manifest, sets_of
from faircast.measurements import Measurements
from faircast.metrics import check_metric, parse_metric
from faircast.outline import check_before
from faircast.pairs import difference_of
from faircast.rows import Rows
from faircast.scenario import Source
from faircast.scenario import seeds as seeds_of
from faircast.shard import SHARD, Shard, check_part
from faircast.statistics import Estimate, estimate
from faircast.stopping import Look, Rule, Stop, Until, UntilApart, check_metrics, from_json, further, look_at, rule_of
from faircast.storage import clear_leftovers
from faircast.summary import RunSummary, equal, over_seeds
from faircast.sweep_folder import (
    KIND,
    TABLES,
    SweepMeasurements,
    SweepPoint,
    SweepRun,
    joined,
    read_points,
    typed,
    write_points,
)
from faircast.sweep_plan import Plan, again, designed, planned
from faircast.vary import as_text, known_by, path_among
from faircast.viewable import Viewable
from faircast.workplace import Workplace, check_build, check_place, default_path

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

    from faircast.display.viewer import Parts
    from faircast.plot.picture import Picture

RUNS_MAX = 1_000_000
"""Runs of a sweep, which are planned at once and kept in memory with their summaries."""
LEGAL_TABLES = (
    "acm",
    "dilation",
    "events",
    "flows",
    "handoffs",
    "layers",
    "links",
    "packets",
    "paths",
    "playback",
    "proxies",
    "queues",
    "receivers",
    "router_events",
    "routers",
    "slots",
    "sojourn",
    "summary",
    "transfers",
    "warnings",
)
"""The tables of a run."""
FAILED_RUNS = "failed"
"""Entry of the manifest: the runs that the latest call gave up."""


class FailedPoint(NamedTuple):
    """A run of a sweep that was given up."""

    values: Mapping[str, Any]
    """The point: the value of each varied path."""
    seed: int
    reason: str


class SweepResult(Viewable):
    """The results of a sweep: by point, seed, subject and metric one number."""

    def __init__(
        self,
        folder: Path,
        store: SweepMeasurements,
        *,
        name: str,
        sets: Sequence[str],
        interrupted: bool,
        computed: int = 0,
        found: int = 0,
        failed: Sequence[FailedPoint] = (),
        until: Rule | None = None,
        design: Design | None = None,
        tuned: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = folder
        """The folder in which it is."""
        self.name = name
        """The name of the scenario that is varied."""
        self.sets = list(sets)
        """The assignments that all points share."""
        self.points = tuple(store.points)
        """The points of the latest call in their order, then those that the folder holds besides."""
        self.varied = tuple(store.points[0].values) if store.points else ()
        """The varied paths, in the order given."""
        self.seeds = sorted({seed for point in self.points for seed in point.seeds})
        """All seeds that were asked for."""
        self.interrupted = interrupted
        """Whether runs are missing."""
        self.computed = computed
        """Runs that the call computed."""
        self.found = found
        """Runs that the folder held already."""
        self.failed = tuple(failed)
        """Runs that the latest call gave up, as they ended their worker again and again; the next one tries them."""
        self.until = until
        """The rule by which seeds were added, if there was one."""
        self.design = design
        """What drew the points, if something did."""
        self.tuned = tuned
        """If its points are trials of ``faircast tune``: what that was to find, as the manifest has it."""
        self._store = store

    @classmethod
    def read(cls, folder: str | Path) -> SweepResult:
        """The sweep of a folder, also of one at which a process works or that was interrupted: what is finished.

        Raises `InputError` if the folder holds something else or a file in it is damaged.
        """
        folder = Path(folder)
        manifest = read_manifest(folder)
        if manifest["kind"] != KIND:
            raise InputError(f"{folder} holds a {manifest['kind']}, not a sweep")
        files = Ledger(folder, manifest)
        points = read_points(files)
        if not points:
            raise InputError(f"{folder} is a sweep that has not begun; there is nothing to read yet")
        store = SweepMeasurements.of(files, points)
        missing = len(store.finished()) < sum(len(point.seeds) for point in points)
        name = str(manifest.get("name", "scenario"))
        until = from_json(manifest["until"]) if "until" in manifest else None
        design = design_from_json(manifest["design"]) if "design" in manifest else None
        more: dict[str, Any] = {"until": until, "design": design, "tuned": manifest.get("tuned")}
        failed = [FailedPoint(**item) for item in manifest.get(FAILED_RUNS, [])]
        return cls(folder, store, name=name, sets=sets_of(manifest), interrupted=missing, failed=failed, **more)

    def __repr__(self) -> str:
        from faircast.display.sweeps import of_sweep

        return of_sweep(self)

    def _repr_html_(self) -> str:
        from faircast.display.sweeps import html_of_sweep

        return html_of_sweep(self)

    @property
    def missing(self) -> int:
        """Runs that were asked for, by this call or another, and are not finished."""
        return sum(len(point.seeds) for point in self.points) - len(self._store.finished())

    @cached_property
    def done(self) -> list[int]:
        """The seeds with which a point at least is finished."""
        return sorted({seed for point in self.points for seed in self.runs(point)})

    @cached_property
    def table(self) -> pa.Table:
        """One column per varied path, then ``seed, subject, metric, unit, value, optimum``: a row for each number."""
        return self._store.to_arrow().drop_columns(["point", "hash"])

    @cached_property
    def summary(self) -> pa.Table:
        """One column per varied path, then ``subject, metric, unit, mean, ci95, n, min, max, optimum``, over seeds."""
        import numpy as np
        import pyarrow as pa

        from faircast.measurements import repeated
        from faircast.summary import to_arrow

        by_point = [self.rows(point) for point in self.points]
        lengths = np.array([len(rows) for rows in by_point], np.int64)
        varied = {path: repeated(typed([p.values[path] for p in self.points]), lengths) for path in self.varied}
        numbers = to_arrow([row for rows in by_point for row in rows])
        return pa.table(varied | {name: numbers.column(name) for name in numbers.column_names})

    @property
    def warnings(self) -> pa.Table:
        """One column per varied path, then ``seed, kind, subject, value, message``: the warnings of all runs."""
        return self._store.warnings_to_arrow().drop_columns(["point", "hash"])

    def runs(self, point: SweepPoint) -> dict[int, RunSummary]:
        """The summaries of a point, by seed: those that are finished."""
        keys = {seed: (point.scenario.hash, seed) for seed in point.seeds}
        return {seed: self._store[key] for seed, key in keys.items() if key in self._store}

    def rows(self, point: SweepPoint) -> Rows:
        """The summary of a point over its seeds: a row for each subject and metric."""
        return over_seeds(self.runs(point))

    def select(self, where: Mapping[str, Any] | None = None, **values: Any) -> list[SweepPoint]:
        """The points with these values, by path or by the end of a path that tells it from the others.

        Raises `InputError` for a path that is not varied, and for a value that a path nowhere has.

        >>> result.select(scheme="tfmcc")
        >>> result.select({"links.bottleneck.queue.limit": "50 packets"})
        """
        wanted = {self.path(name): value for name, value in {**(where or {}), **values}.items()}
        for path, value in wanted.items():
            known = [point.values[path] for point in self.points]
            if value not in known:
                there = ", ".join(dict.fromkeys(map(as_text, known)))
                raise InputError(f"{path} is nowhere {brief(repr(value))}; it is {there}")
        return [point for point in self.points if all(point.values[path] == value for path, value in wanted.items())]

    def path(self, name: str) -> str:
        """The varied path of which `name` is the end; an `InputError` if there is none, or more than one."""
        return path_among(name, self.varied)

    def values(self, point: SweepPoint, subject: str, metric: str) -> dict[int, float]:
        """One number of a point by seed; empty if the point does not have it, but another one does.

        Raises `InputError` if no point has it.
        """
        self.check(subject, metric)
        key = subject, metric
        return {seed: run[key] for seed, run in self.runs(point).items() if key in run}

    def unit(self, subject: str, metric: str) -> str:
        """The unit of a metric. Raises `InputError` if no point has it."""
        self.check(subject, metric)
        return self._units[subject, metric]

    def estimate(self, point: SweepPoint, subject: str, metric: str) -> Estimate:
        """Mean and 95 % interval of one number of a point over its seeds."""
        return estimate(list(self.values(point, subject, metric).values()))

    @cached_property
    def stops(self) -> list[Stop]:
        """Where each point stands by the rule of `until`; empty without one."""
        if self.until is None:
            return []
        return self.until.stops(self.points, [self.runs(point) for point in self.points], self._units)

    def difference(self, a: SweepPoint, b: SweepPoint, subject: str, metric: str) -> Estimate:
        """What `a` has more than `b`, with a 95 % interval: seed by seed where the names of their links agree.

        Where they do not, the runs are independent samples (`faircast.statistics.difference`).
        """
        self.check(subject, metric)
        return difference_of(self.runs(a), self.runs(b), subject, metric)

    @cached_property
    def _units(self) -> dict[tuple[str, str], str]:
        layouts = {id(run.layout): run.layout for point in self.points for run in self.runs(point).values()}
        return {(s, metric): unit for layout in layouts.values() for s, metric, unit in layout.rows}

    @property
    def metrics(self) -> list[tuple[str, str]]:
        """All pairs of subject and metric that a point has."""
        return list(self._units)

    def without_effect(self) -> list[str]:
        """The varied paths that change nothing: points that differ in one of them only have equal numbers, all of them.

        Seed by seed. A path is not judged if no two points differ in nothing else, or if two that do have no common
        seed yet.
        """
        found = []
        for path in self.varied:
            groups: dict[str, list[dict[int, RunSummary]]] = {}
            for point in self.points:
                others = {other: value for other, value in point.values.items() if other != path}
                groups.setdefault(known_by(others), []).append(self.runs(point))
            pairs = [pair for runs in groups.values() for pair in pairwise(runs)]
            if pairs and all(
                a.keys() & b.keys() and all(equal(a[s], b[s]) for s in a.keys() & b.keys()) for a, b in pairs
            ):
                found.append(path)
        return found

    def plot(self, *metrics: str, x: str | None = None, series: str | None = None, width: str = "page") -> Picture:
        """Draw metrics, each given as ``"video/rate"``, with intervals; without any the rates of sessions and flows.

        >>> result.plot("video/rate", x="queue.limit", series="scheme").save("sweep.pdf")

        Parameters
        ----------
        x
            The varied path along x; by default the one with most values that are numbers. Its end is enough.
        series
            The varied path that tells lines apart; by default the first of the others. More paths become panels.
        width
            ``"page"`` or ``"column"`` of a paper.

        Raises
        ------
        InputError
            There is no such metric or path, or there would be too many panels.
        """
        from faircast.plot.sweep import picture_of

        return picture_of(self, metrics, x=x, series=series, width=width)

    def report(self, out: str | Path | None = None) -> Path:
        """Write one HTML page of the sweep, which opens everywhere, and give its path; by default into its folder.

        See ``docs/report.md``. Raises `InputError` if nothing is finished yet or the file cannot be written.
        """
        from faircast.reporting.report import write_sweep

        return write_sweep(self, out).path

    def _parts(self) -> Parts:
        from faircast.display.viewer import MOST_POINTS, Parts, drawn
        from faircast.reporting.of_sweep import document_of

        return Parts(lambda _: document_of(self), lambda: drawn(self.plot()), len(self.points) <= MOST_POINTS)

    def check(self, subject: str, metric: str) -> None:
        """Raise an `InputError`, with names that resemble, if no point has this metric."""
        check_metric(subject, metric, self.metrics)


def sweep(
    scenario: Source | None = None,
    *,
    vary: Mapping[str, Sequence[Any] | str] | None = None,
    rows: Sequence[Mapping[str, Any]] | None = None,
    design: str | None = None,
    samples: int | None = None,
    reps: int | None = None,
    seed: int | None = None,
    sets: Sequence[str] = (),
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
    out: str | Path | None = None,
    label: str = "",
    tables: Sequence[str] = (),
    shard: str | None = None,
    until: Until | None = None,
    max_reps: int | None = None,
    metrics: Sequence[str] = (),
    watcher: Watcher | None = None,
    told: Callable[[Look], None] | None = None,
) -> SweepResult:
    """Run a scenario at many points, each with the same seeds, and keep all measurements in one folder.

    >>> result = faircast.sweep(
    ...     "geo.toml",
    ...     vary={
    ...         "links.bottleneck.queue.limit": ["50 packets", "100 packets"],
    ...         "sessions.video.scheme": ["tfmcc", "omcc"],
    ...     },
    ...     reps=10,
    ... )
    >>> result.estimate(result.points[0], "video", "rate")

    All points are checked before the first run. Runs that the folder holds already are not computed again, so that a
    sweep goes on where it was interrupted, and takes in more values or more seeds.

    Parameters
    ----------
    scenario
        A path to TOML or JSON, TOML or JSON text, a mapping, or an object of `faircast.model`; None if `vary` has the
        path ``scenario``, whose values are files; or the folder of a sweep, all of whose runs are wanted.
    vary
        By path of the scenario a list of values; points are the product, the last path changing fastest.
    rows
        Points one by one, each a mapping from the same paths to values; with `vary` besides, the product of both.
    design
        Draw the points from ranges in `vary`, such as ``"1..100 Mbit/s:log"``: ``"latin"`` or ``"sobol"`` fill the
        space, ``"sobol-indices"`` are for `faircast.sensitivity`. The scenario's seed decides what is drawn.
    samples
        How many of them, by default 64; of ``"sobol-indices"`` 256, each of which makes paths + 2 points.
    reps, seed
        The seeds of every point: so many (default 1) from this one on (default: the scenario's, 1).
    sets
        Assignments ``path=value`` that all points share, as those of ``faircast run --set``.
    jobs
        Runs at once, by default one per core. Results do not depend on it.
    engine
        Where runs are computed, if not in threads of this process: ``faircast.engine.processes.Processes(4)``, a Dask
        cluster (a ``distributed.Client``, or ``"tcp://HOST:PORT"``, or ``"local:4"``). Results do not depend on it.
    out
        The folder, by default ``results/<name>-sweep-<hash>``. The hash is that of the scenario without the values that
        are varied, and of the varied paths: more values and more seeds go to the same folder.
    label
        Stands in the name of the default folder.
    tables
        Tables of each run to write, such as ``flows``; what they hold depends on the scenario's probes.
    shard
        ``"3/16"`` for the third of sixteen parts of the points, in a folder of its own; `faircast.merge` puts them
        together.
    until
        Add seeds to each point, beyond the first `reps` (then 10 unless said), until the intervals of these metrics
        are narrow: ``{"video/rate": "5 %"}`` or ``{"video/rate": "0.05 Mbit/s"}``; or a `faircast.UntilApart`.
    max_reps
        With `until` the most seeds of a point; by default 20 times those of the first look.
    metrics
        Metrics that are wanted of the runs: one that there will not be is refused before the first run.
    told
        With `until` called after each look, with what it has told.

    Raises
    ------
    InputError
        The scenario is not legal at some points, or what is varied makes no sense; nothing has been run or written.
    """
    if out is not None and label:
        raise InputError("--label is a part of the folder's name, --out gives all of it; give one of them")
    engine = chosen(engine, jobs)
    for option, given in (("tables", tables), ("sets", sets)):
        if isinstance(given, str):
            raise InputError(f"{option} is {brief(repr(given))}; a list is needed, such as [{brief(repr(given))}]")
    for name in tables:
        choose("table", name, LEGAL_TABLES)
    plan = again(scenario, vary, rows, sets)
    if design is not None:
        if plan is not None or rows is not None:
            raise InputError("--design draws points of a scenario; give its file, and ranges with --vary")
        if design == INDICES and until is not None:
            raise InputError(f"--design {INDICES} needs the same seeds at all points; give --reps and no --until-..")
        plan = designed(scenario, vary or {}, sets, design, samples)
    elif samples is not None:
        raise InputError("--samples says how many points --design draws, and that is not given")
    else:
        refuse_ranges(vary or {})
        plan = plan or planned(scenario, cast("Mapping[str, Sequence[Any]]", vary or {}), rows, sets)
    start = plan.points[0].seeds[0] if plan.folder is not None else plan.points[0].scenario.seed
    rule = None
    if until is not None:
        if isinstance(until, UntilApart):
            until = replace(until, between=path_among(until.between, plan.varied))
        start = start if seed is None else seed
        rule = rule_of(until, varied=plan.varied, reps=reps, max_reps=max_reps, start=start)
        seeds_of(start, rule.last)
        reps = rule.first
    elif max_reps is not None:
        raise InputError("--max-reps is the limit of --until-ci and --until-apart, and neither is given")
    elif plan.folder is not None and reps is None and seed is None and out is None:
        rule = rule_in(plan.folder)  # goes on by it
    if plan.folder is None or reps is not None or seed is not None:
        wanted = seeds_of(start if seed is None else seed, 1 if reps is None else reps)
        each = wanted.stop - wanted.start
        if each * len(plan.points) > RUNS_MAX:
            raise InputError(
                f"--reps is {each}, which makes {each * len(plan.points)} runs of {len(plan.points)} points; legal are "
                f"{RUNS_MAX} runs, as all are planned and kept in memory at once"
            )
        points = [SweepPoint(point.values, point.scenario, tuple(wanted)) for point in plan.points]
        plan = plan._replace(points=points)
    if shard is not None:
        if rule is not None:
            raise InputError("a shard has a fixed number of seeds, as merge looks for all of them; leave --until out")
        if plan.folder is not None:
            raise InputError(f"{plan.folder} is a result folder, of which no part is taken; give the scenario file")
        part = Shard.cut(shard, plan.points)
        plan = plan._replace(points=part.own(plan.points), shard=part)
    asked = [*(rule.metrics if rule is not None else ()), *map(parse_metric, metrics)]
    units = check_before([point.scenario for point in plan.points], start, asked) if asked else {}
    if rule is not None:
        rule.check(units)
    path = Path(out) if out is not None else plan.folder
    if path is None or label:
        name = f"{plan.name}-{KIND}" if plan.shard is None else f"{plan.name}-{KIND}-{plan.shard.label}"
        path = default_path(name, plan.digest, label)
    further = None if rule is None else partial(further_points, rule, told)
    kept = {"until": None if rule is None else rule.to_json()}
    if plan.design is not None:
        kept["design"] = plan.design.to_json()
    done = carry_out(plan, path, tables=tuple(tables), engine=engine, watcher=watcher, further=further, kept=kept)
    done.until, done.design = rule, plan.design
    return done


def carry_out(
    plan: Plan,
    path: Path,
    *,
    tables: tuple[str, ...],
    engine: Engine,
    watcher: Watcher | None,
    further: Callable[[Sequence[SweepPoint], Progress], list[SweepPoint] | None] | None = None,
    kept: Mapping[str, Any] | None = None,
) -> SweepResult:
    """Compute what the folder does not hold yet of a plan.

    `further` gives, of the points that are computed, those that are wanted next, or None; `kept` are entries of the
    manifest, those that are None being taken out.
    """
    points: list[SweepPoint] = []

    def check() -> dict[str, Any]:
        check_design(path, plan.design)
        manifest = check_place(path, KIND, {"hash": plan.digest})
        check_build(path, manifest)
        check_part(path, manifest, plan.shard)
        points[:] = joined(plan.points, read_points(Ledger(path, manifest)), path, plan.make)
        return manifest

    place = Workplace(path, check)
    with place.locked():
        for folder in (path / TABLES).glob("*/"):
            clear_leftovers(folder)
        manifest = place.manifest
        manifest |= {"name": plan.name, "hash": plan.digest, "varied": list(plan.varied)}
        if plan.shard is not None:
            manifest[SHARD] = plan.shard.to_json()
        for name, value in (kept or {}).items():
            manifest.pop(name, None)
            if value is not None:
                manifest[name] = value
        store = SweepMeasurements.of(place.files, points)
        first = campaign(plan, path, tables)
        with first.ready(store, engine=engine) as compute, place.call(sets=list(plan.sets)) as note:
            write_points(place.files, points)
            done = compute(watcher)
            while not done.interrupted and further is not None:
                more = further(plan.points, done)
                if more is None:
                    break
                plan = plan._replace(points=more)
                points[:] = joined(more, points, path, plan.make)
                write_points(place.files, points)
                store.points = list(points)
                done = done.followed_by(campaign(plan, path, tables).go_on(store, engine=engine, watcher=watcher))
            note |= {"points": len(plan.points), "computed": done.computed, "found": done.found}
            missing = sum(len(point.seeds) for point in points) - len(store.finished())
            if missing:
                manifest["status"] = INTERRUPTED
            failed = [
                FailedPoint(dict(point.values), run.key[1], run.reason)
                for run in done.failed
                for point in points
                if point.scenario.hash == run.key[0]
            ]
            manifest.pop(FAILED_RUNS, None)
            if failed:
                manifest[FAILED_RUNS] = [item._asdict() for item in failed]
        if not done.interrupted:  # last, so that whatever ends this process before finds what it kept of the runs
            Measurements.close(path)
    return SweepResult(
        path,
        store,
        name=plan.name,
        sets=sets_of(manifest),
        interrupted=done.interrupted,
        computed=done.computed,
        found=done.found,
        failed=failed,
    )


def further_points(
    rule: Rule, told: Callable[[Look], None] | None, points: Sequence[SweepPoint], done: Progress
) -> list[SweepPoint] | None:
    """The points with the seeds that a rule asks for after a look; None if it asks for none."""
    runs = [runs_of(point, done) for point in points]
    layouts = {id(run.layout): run.layout for own in runs for run in own.values()}
    units = {(subject, metric): unit for layout in layouts.values() for subject, metric, unit in layout.rows}
    check_metrics(rule.metrics, units)
    rule.check(units)
    stops = rule.stops(points, runs, units)
    if told is not None:
        told(look_at(stops, rule))
    return further(rule, points, stops) if any(stop.open for stop in stops) else None


def runs_of(point: SweepPoint, done: Progress) -> dict[int, RunSummary]:
    """The summaries of a point by seed, those that are finished."""
    keys = {seed: (point.scenario.hash, seed) for seed in point.seeds}
    return {seed: done.summaries[key] for seed, key in keys.items() if key in done.summaries}


def rule_in(folder: Path) -> Rule | None:
    """The rule by which the sweep of a folder was begun."""
    kept = read_manifest(folder).get("until")
    return None if kept is None else from_json(kept)


def campaign(plan: Plan, path: Path, tables: tuple[str, ...]) -> Campaign[SweepRun]:
    """The runs of a plan: all points with one seed, then with the next."""
    runs = Campaign(SweepRun.make)
    for seed in sorted({seed for point in plan.points for seed in point.seeds}):
        for point in plan.points:
            if seed in point.seeds:
                run = runs.want(point.scenario, seed)
                if tables:
                    run.wanted[path / TABLES / point.tables / f"seed-{seed}"] = tables
    return runs
