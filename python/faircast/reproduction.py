"""Reproduce experiments: plan their runs, compute each once, judge, draw, write.

::

    results/mecn-fig8a-5d0c.../
        manifest.json
        measurements.parquet          the summary of every run: the numbers behind tables and figures
        kept.parquet                  what experiments keep of runs besides, if they do: tables, what they made of them
        measurements.journal          both while runs are computed, each from the moment it is finished
        mecn-fig8a/summary.json       published beside measured, verdicts with reasons
        mecn-fig8a/mecn-fig8a.pdf     the figure, and the same as .png
        x-all/cells.csv               all numbers of the figure, of experiments that compare in cells
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast import kept
from faircast.arrow import to_arrow
from faircast.batch import Watcher
from faircast.campaign import Campaign, PlannedRun, Progress
from faircast.engine import chosen
from faircast.engine.contract import Engine
from faircast.engine.taken import Taken, Wanted
from faircast.errors import InputError
from faircast.experiment import Data, Experiment, Point, PointData, Verdict, judge, lacks, overall
from faircast.experiments import select
from faircast.ledger import Ledger
from faircast.looks import QUICK_REPS, next_look
from faircast.manifest import INTERRUPTED, MANIFEST, read_manifest
from faircast.measurements import Measurements
from faircast.narrowing import Only, label, narrow
from faircast.report import CELLS, SUMMARY, Report, Reproduction, without_nan, write_cells
from faircast.scenario import Resolved, Source, resolve, seeds
from faircast.sources import fingerprint
from faircast.storage import as_json, writing
from faircast.summary import RunSummary
from faircast.version import build, commit, faircast_version
from faircast.workplace import Workplace, check_place, default_path

if TYPE_CHECKING:
    import pyarrow as pa
    from distributed import Client

    from faircast._native import RawResult


def reproduce(
    *ids: str,
    paper: str | None = None,
    everything: bool = False,
    reps: int | None = None,
    quick: bool = False,
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
    out: str | Path | None = None,
    only: Only | None = None,
    watcher: Watcher | None = None,
) -> Reproduction:
    """Reproduce experiments by id, or all of a paper, and write verdicts and figures.

    Parameters
    ----------
    ids
        Experiments, as ``faircast list experiments`` names them; or give `paper`, or `everything`, which are all but
        those of the papers ``side-by-side`` and ``queues``.
    reps
        Seeds 1 to `reps`; None for what the experiment wants, usually 10, or 3 with `quick`. With None, and without
        `quick`, an experiment of which a criterion is within the noise goes on with 10, 20 and 40 seeds until none is.
    quick
        As few points as still show the shape; verdicts are marked *quick*.
    jobs
        Runs at once, by default one per core. Results do not depend on it.
    engine
        Where runs are computed, if not in threads of this process: see `faircast.sweep`.
    out
        The folder, by default ``results/<ids>-<hash>``. One that holds a reproduction is continued.
    only
        Of experiments with axes the points with these values alone: ``{"scheme": ["tfmcc"], "path": "geo"}``. Each
        gives the same numbers as in the whole. A path may be a scenario file, with a network of your own.
    """
    experiments = select(ids, paper=paper, everything=everything)
    name = paper or ("all" if everything else "-".join(dict.fromkeys(ids)))
    if only:
        before = brought_before(Path(out)) if out is not None else {}
        experiments = [narrow(experiment, only, before) for experiment in experiments]
        name = f"{name}-{label(experiments[0])}"
    return carry_out(experiments, name=name, reps=reps, quick=quick, jobs=jobs, engine=engine, out=out, watcher=watcher)


def carry_out(
    experiments: Sequence[Experiment],
    *,
    name: str,
    reps: int | None = None,
    quick: bool = False,
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
) -> Reproduction:
    """Reproduce the given experiments; see `reproduce`."""
    engine = chosen(engine, jobs)
    plan = planned(experiments, quick, {one.id: reps or (QUICK_REPS if quick else one.reps) for one in experiments})
    path = Path(out) if out is not None else default_path(name, plan.hash)
    only = {name: list(values) for name, values in experiments[0].only.items()}
    brought = {file: said for one in experiments for file, said in one.brought.items()}
    place = Workplace(path, lambda: continued(path, quick, only, brought))
    with place.locked():
        manifest = place.manifest
        is_stale = manifest.get("build") != build()  # its numbers may differ
        manifest |= {"build": build(), "commit": commit(), "name": name, "quick": quick, "only": only}
        if brought:
            manifest["brought"] = brought
        known = Measurements(path, place.files) if is_stale else Measurements.read(path, place.files)
        begin = time.perf_counter()
        with plan.campaign.ready(known, engine=engine) as compute, place.call() as note:
            if is_stale:
                Measurements.discard(place.files)
            done = concluded(plan, known, compute(watcher), begin)
            while reps is None and not quick and done.is_whole and (more := further(experiments, done)):
                plan, begin = planned(experiments, quick, more), time.perf_counter()
                known = Measurements.read(path, place.files)
                later = plan.campaign.go_on(known, engine=engine, watcher=watcher)
                done = done.followed_by(concluded(plan, known, later, begin))
            note["experiments"] = {report.id: round(report.wall_s or 0.0, 3) for report in done.reports}
            listed = manifest.setdefault("experiments", [])
            listed += [name for name in note["experiments"] if name not in listed]
            if done.failed:
                note["failed"] = list(done.failed)
            if not done.is_whole:
                manifest["status"] = INTERRUPTED
        if not done.interrupted:  # last, so that whatever ends this process before finds what it kept of the runs
            Measurements.close(path)
    return done


def planned(experiments: Sequence[Experiment], quick: bool, reps: Mapping[str, int]) -> Plan:
    """The runs of those experiments that are named, with so many seeds each."""
    plan = Plan(quick)
    for experiment in experiments:
        if experiment.id in reps:
            plan.add(experiment, seeds(1, reps[experiment.id]))
    return plan


def further(experiments: Sequence[Experiment], done: Reproduction) -> dict[str, int]:
    """By experiment of which a criterion is within the noise the number of seeds of the next look."""
    found = {}
    for experiment in experiments:
        report = done[experiment.id]
        if experiment.goes_on and any(criterion.straddles is not None for criterion in report.criteria):
            look = next_look(len(report.seeds))
            if look is not None:
                found[experiment.id] = look
    return found


def concluded(plan: Plan, known: Measurements, done: Progress, begin: float) -> Reproduction:
    """Conclude what is complete of a plan, whose runs have been computed since `begin`."""
    files = known.files
    if not done.interrupted:
        known.keep()
    reports = []
    for planned in plan.experiments:
        data = planned.data(plan, done.summaries)
        if data is not None:
            reports.append(conclude(planned.experiment, data, files, begin))
    failed = [f"the run {run.name} with seed {run.key[1]}: {run.reason}" for run in done.failed]
    return Reproduction(files.folder, reports, done.interrupted, done.computed, done.found, failed)


def brought_before(path: Path) -> dict[str, Any]:
    """What files said that have gone since a reproduction, by their names, as its folder has it; empty without one."""
    if not (path / MANIFEST).is_file():
        return {}
    brought: dict[str, Any] = read_manifest(path).get("brought", {})
    return {file: said for file, said in brought.items() if not Path(file).exists()}


def continued(path: Path, quick: bool, only: Mapping[str, Sequence[str]], brought: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of a reproduction that can be continued; see `check_place`."""
    manifest = check_place(path, "reproduction", {})
    if manifest.setdefault("quick", quick) != quick:
        there = "quick" if manifest["quick"] else "full"
        raise InputError(f"{path} holds a {there} reproduction; choose another folder with --out")
    narrowed_to = manifest.setdefault("only", {} if "name" in manifest else only)
    if narrowed_to != only:
        what = " ".join(["with", *(f"--only {axis}={','.join(values)}" for axis, values in narrowed_to.items())])
        raise InputError(
            f"{path} holds a reproduction {what if narrowed_to else 'without --only'}; choose another folder with --out"
        )
    if changed := [file for file, said in manifest.get("brought", {}).items() if brought.get(file) != said]:
        raise InputError(
            f"{path} holds a reproduction with what {changed[0]} said then, and it says something else now; "
            "choose another folder with --out"
        )
    return manifest


def conclude(experiment: Experiment, data: Data, files: Ledger, begin: float) -> Report:
    """Judge, draw and write one experiment, into the folder of its name."""
    folder = files.folder / experiment.id
    verdicts = [judge(criterion, data) for criterion in experiment.criteria]
    verdict = overall(verdicts)
    if data.quick:
        verdicts = [Verdict(**{**asdict(item), "verdict": f"{item.verdict} (quick)"}) for item in verdicts]
        verdict = f"{verdict} (quick)"
    figures: list[Path] = []
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if experiment.figure is not None:
            from faircast.figures import save, style

            with style():
                figure = experiment.figure(data)
                if data.quick:
                    figure.text(1.0, 0.0, "quick", ha="right", va="bottom", fontsize=7, color="#888888")
                figures = save(figure, folder, experiment.id)
        cells = None if experiment.cells is None else without_nan(experiment.cells(data))
        if cells is not None:
            write_cells(files, f"{experiment.id}/{CELLS}", cells)
    report = Report(
        id=experiment.id,
        paper=experiment.paper,
        place=experiment.place,
        title=experiment.title,
        published=experiment.published,
        verdict=verdict,
        why=experiment.why if lacks(verdict) else "",
        criteria=verdicts,
        says=experiment.says(data),
        numbers=None if experiment.numbers is None else experiment.numbers(data),
        cells=cells,
        figures=figures,
        seeds=data.seeds,
        version=faircast_version(),
        wall_s=time.perf_counter() - begin,
    )
    with files.put(f"{experiment.id}/{SUMMARY}") as file:
        file.write(as_json(report.to_json()))
    return report


@dataclass(eq=False)
class KeepingRun(PlannedRun):
    """A run of which tables and values are kept, in memory and in the folder."""

    tables: dict[str, pa.Table] = field(default_factory=dict)
    """Tables to keep; empty until the run is done."""
    reduced: dict[str, Any] = field(default_factory=dict)
    """By the name of the reducing function."""
    wanted: set[str] = field(default_factory=set)
    reducers: dict[str, Callable[[RawResult], Any]] = field(default_factory=dict)
    """Reducing functions by a name that is the same in every process."""
    noted: dict[str, Any] = field(default_factory=dict)
    """What the folder holds, for other experiments perhaps."""

    def asked(self) -> Wanted:
        """The wanted tables, and what the reducing functions make of the run."""
        return Wanted(tuple(sorted(self.wanted)), dict(self.reducers))

    def keep(self, taken: Taken) -> dict[str, Any]:
        """Keep all of that."""
        for name in self.wanted:
            self.tables[name] = to_arrow(taken.columns[name])
        self.reduced |= taken.reduced
        own = {name: kept.to_json(table) for name, table in self.tables.items()}
        noted: dict[str, Any] = {"tables": self.noted.get("tables", {}) | own}
        reduced, sources = self._before("reduced"), self._before("sources")
        for name, reduce in self.reducers.items():
            with suppress(TypeError):  # what has no form in JSON is computed again when the folder is continued
                reduced[name] = kept.to_json(self.reduced[name])
                sources[name] = fingerprint(reduce)
        if reduced:
            noted |= {"reduced": reduced, "sources": sources}
        return noted

    def recall(self, noted: dict[str, Any]) -> bool:
        """Take the same from the folder. What functions of other sources made of a run is passed over."""
        self.noted = noted
        tables, reduced, sources = noted.get("tables", {}), self._before("reduced"), self._before("sources")
        if not self.wanted <= set(tables) or not set(self.reducers) <= set(reduced):
            return False
        if any(sources.get(name) != fingerprint(reduce) for name, reduce in self.reducers.items()):
            return False
        self.tables = {name: kept.from_json(tables[name]) for name in self.wanted}
        self.reduced = {name: kept.from_json(reduced[name]) for name in self.reducers}
        return True

    def _before(self, what: str) -> dict[str, Any]:
        """By the names of reducing functions what the folder holds of them."""
        found = self.noted.get(what)
        return dict(found) if isinstance(found, dict) else {}


@dataclass
class PlannedExperiment:
    """An experiment with the runs of its points."""

    experiment: Experiment
    seeds: range
    points: dict[Hashable, tuple[Point, dict[int, str]]]
    """Each with what its scenario is known by, seed by seed."""
    quick: bool

    def kept_as(self, point: Point) -> str:
        """Under which name a folder has what a point's `reduce` made of a run."""
        return point.kept_as or f"{self.experiment.id} {point.key!r}"

    def data(self, plan: Plan, summaries: dict[tuple[str, int], RunSummary]) -> Data | None:
        """What the runs gave; None if some of them are missing."""
        found = {}
        for key, (point, digests) in self.points.items():
            keys = {seed: (digests[seed], seed) for seed in self.seeds}
            if any(run not in summaries for run in keys.values()):
                return None
            name = self.kept_as(point)
            runs = {seed: plan.campaign.runs[run] for seed, run in keys.items()}
            found[key] = PointData(
                scenario=plan.campaign.scenarios[digests[self.seeds[0]]],
                summaries={seed: summaries[run] for seed, run in keys.items()},
                tables={seed: run.tables for seed, run in runs.items()},
                reduced={seed: run.reduced[name] for seed, run in runs.items() if name in run.reduced},
            )
        return Data(found, self.seeds, quick=self.quick)


class Plan:
    """The runs of some experiments, each once."""

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.experiments: list[PlannedExperiment] = []
        self.campaign = Campaign(KeepingRun)
        self._resolved: dict[str, Resolved] = {}

    def resolved(self, scenario: Source) -> Resolved:
        """A scenario with all defaults, found once for all seeds and experiments that have it."""
        if not isinstance(scenario, Mapping):
            return resolve(scenario)
        text = json.dumps(scenario, default=repr)
        if text not in self._resolved:
            self._resolved[text] = resolve(scenario)
        return self._resolved[text]

    @property
    def hash(self) -> str:
        """The hash of all scenarios; tells plans apart that differ in anything but the seeds."""
        return hashlib.sha256("\n".join([str(self.quick), *self.campaign.scenarios]).encode()).hexdigest()[:12]

    def add(self, experiment: Experiment, seeds: range) -> None:
        """Plan the runs of an experiment."""
        points: dict[Hashable, tuple[Point, dict[int, str]]] = {}
        planned = PlannedExperiment(experiment, seeds, points, self.quick)
        for point in experiment.points(self.quick):
            assert point.key not in points, f"{experiment.id} has two points {point.key}"
            digests: dict[int, str] = {}
            points[point.key] = (point, digests)
            scenario = None
            for number, seed in enumerate(seeds):
                if scenario is None or callable(point.scenario):
                    scenario = self.resolved(point.scenario_of(seed))
                run = self.campaign.want(scenario, seed, copy=point.copy)
                digests[seed] = run.digest
                if point.table_seeds is None or number < point.table_seeds:
                    run.wanted.update(point.tables)
                if point.reduce is not None:
                    run.reducers[planned.kept_as(point)] = point.reduce
        self.experiments.append(planned)
