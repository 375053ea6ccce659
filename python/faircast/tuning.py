"""The best values of some paths: trials that Optuna chooses, each a point of a sweep.

Trials are asked for in batches of fixed width and told in the order of their numbers, so which are tried does not hang
on how they are run. All have the same seeds: what one has more than another is taken seed by seed.
"""

from __future__ import annotations

import hashlib
import json
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.batch import Watcher
from faircast.campaign import Progress
from faircast.design import Axis, axis_of
from faircast.engine import chosen
from faircast.engine.contract import Engine
from faircast.errors import InputError, brief
from faircast.expression import Constraint, Expression, constraint, expression
from faircast.manifest import MANIFEST, read_manifest
from faircast.outline import units_of
from faircast.pairs import Runs, told_apart
from faircast.scenario import Source, whole
from faircast.scenario import seeds as seeds_of
from faircast.statistics import Estimate, estimate
from faircast.sweep_folder import SweepPoint
from faircast.sweep_plan import Plan, Trees, check_sets, planned
from faircast.sweeps import SweepResult, carry_out, runs_of
from faircast.vary import POINTS_MAX, check_paths, known_by, spelled
from faircast.workplace import default_path

if TYPE_CHECKING:
    import optuna
    from distributed import Client

TRIALS, REPS, WIDTH = 64, 5, 8
"""Unless said."""
BELOW_ONE = math.nextafter(1.0, 0.0)


@dataclass(frozen=True)
class Goal:
    """What is to be found."""

    objective: Expression
    maximise: bool
    constraints: tuple[Constraint, ...]
    axes: tuple[Axis, ...]
    seed: int
    """The scenario's seed, by which the sampler draws."""
    reps: int
    width: int

    def to_json(self) -> dict[str, Any]:
        """The goal as the manifest holds it; equal goals try the same values."""
        return {
            "maximise" if self.maximise else "minimise": self.objective.text,
            "subject_to": [item.text for item in self.constraints],
            "vary": {axis.path: axis.text for axis in self.axes},
            "seed": self.seed,
            "reps": self.reps,
            "width": self.width,
        }

    def check(self, units: Mapping[tuple[str, str], str]) -> None:
        """Raise an `InputError` for metrics that there will not be, and units that do not fit."""
        self.objective.check(units)
        for item in self.constraints:
            item.check(units)


@dataclass(frozen=True)
class Trial:
    """A point that was tried."""

    number: int
    """Counted from 0, in the order in which they were asked for; the first one with these values."""
    point: SweepPoint
    objective: Estimate
    """Over the seeds, with a 95 % interval."""
    slacks: tuple[Estimate, ...]
    """By how much each constraint holds; below 0 it does not."""
    values: Mapping[int, float]
    """The objective by seed."""

    @property
    def holds(self) -> bool:
        """Whether the objective is defined and all constraints hold on average."""
        defined = self.objective.n == len(self.point.seeds) and math.isfinite(self.objective.mean)
        return defined and all(slack.mean >= 0 for slack in self.slacks)

    @property
    def surely(self) -> bool:
        """Whether the intervals of all constraints leave out that they do not hold."""
        return self.holds and all(slack.ci95 is not None and slack.mean >= slack.ci95 for slack in self.slacks)


@dataclass(frozen=True)
class Tuning:
    """What was tried, and the best of it."""

    sweep: SweepResult
    goal: Goal
    trials: tuple[Trial, ...]
    """Each point once, in the order in which they were asked for."""

    @property
    def ranking(self) -> list[Trial]:
        """The points at which all constraints hold, the best one first."""
        sign = -1.0 if self.goal.maximise else 1.0
        return sorted(
            (t for t in self.trials if t.holds), key=lambda trial: (sign * trial.objective.mean, trial.number)
        )

    @property
    def best(self) -> Trial | None:
        """The best one; None if the constraints hold nowhere."""
        return next(iter(self.ranking), None)

    @property
    def second(self) -> Trial | None:
        """The second best."""
        return next(iter(self.ranking[1:]), None)

    @property
    def difference(self) -> Estimate | None:
        """What the best has more of the objective than the second best, seed by seed, with a 95 % interval."""
        if self.best is None or self.second is None:
            return None
        seeds = self.best.values.keys() & self.second.values.keys()
        return estimate([self.best.values[seed] - self.second.values[seed] for seed in sorted(seeds)])

    @property
    def is_sure(self) -> bool | None:
        """Whether that interval leaves out zero; None without one."""
        return None if self.difference is None else told_apart(self.difference)

    def __repr__(self) -> str:
        best = "none holds" if self.best is None else f"best {self.best.objective} at {dict(self.best.point.values)}"
        return f"<Tuning: {len(self.trials)} points, {best}>"


def tune(
    scenario: Source,
    *,
    vary: Mapping[str, Any],
    maximise: str | None = None,
    minimise: str | None = None,
    subject_to: Sequence[str] = (),
    trials: int | None = None,
    reps: int | None = None,
    width: int | None = None,
    seed: int | None = None,
    sets: Sequence[str] = (),
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
    out: str | Path | None = None,
    label: str = "",
    watcher: Watcher | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Look for the values of some paths that are best for an objective, as Optuna's sampler TPE chooses them.

    >>> found = faircast.tune(
    ...     "geo.toml",
    ...     vary={"links.downlink.queue.limit": "20..400 packets:log"},
    ...     maximise="min(video-*/rate)",
    ...     subject_to=["web/rate_mean >= 0.8 * optimum(web-0/rate)"],
    ... )
    >>> found.best.point.values

    Every trial is a point of a sweep, with the same seeds; the folder is continued, and tries the same values again.

    Parameters
    ----------
    scenario
        As for `faircast.sweep`.
    vary
        By path a range, ``"1..100 Mbit/s:log"``, or a list of values.
    maximise, minimise
        One of them: arithmetic over metrics (`docs/tune.md`), of which the mean over the seeds counts.
    subject_to
        Constraints, ``"web/rate_mean >= 0.5 Mbit/s"``, that are to hold on average over the seeds.
    trials
        How many points are tried, 64 unless said.
    reps, seed
        The seeds of each trial: so many, 5 unless said, from this one on (default: the scenario's, 1).
    width
        Trials that are asked for at once, 8 unless said. More keep more cores busy and learn less from each other.
    sets, jobs, engine, out, label
        As for `faircast.sweep`.
    told
        Called when a batch is told, with the trials that are done and those that there will be.

    Raises
    ------
    InputError
        The scenario is not legal at any point of the first batch, or what is asked for makes no sense.
    ImportError
        Optuna is not installed: ``pip install faircast[tune]``.
    """
    sampler_of()  # says what is missing before anything else
    if out is not None and label:
        raise InputError("--label is a part of the folder's name, --out gives all of it; give one of them")
    engine, number = chosen(engine, jobs), positive("--trials", trials, TRIALS)
    if number > POINTS_MAX:
        raise InputError(f"--trials is {number}; legal are {POINTS_MAX}, as all are kept in memory")
    goal = goal_of(scenario, vary, maximise, minimise, subject_to, reps, width, sets)
    study = Study(goal, scenario, tuple(sets), number, seed, told)
    plan = study.begin()
    goal.check(units_of(plan.points[0].scenario, plan.points[0].seeds[0]))
    place = Path(out) if out is not None else default_path(f"{plan.name}-tune", plan.digest, label)
    check_goal(place, goal)
    kept = {"tuned": goal.to_json(), "until": None}
    done = carry_out(plan, place, tables=(), engine=engine, watcher=watcher, further=study.further, kept=kept)
    done.tuned = kept["tuned"]
    return tuning_of(done)


def goal_of(
    scenario: Source,
    vary: Mapping[str, Any],
    maximise: str | None,
    minimise: str | None,
    subject_to: Sequence[str],
    reps: int | None,
    width: int | None,
    sets: Sequence[str],
) -> Goal:
    """What is to be found. Raises `InputError` for what is not legal."""
    if (maximise is None) == (minimise is None):
        given = "both are given" if maximise is not None else "none is given"
        raise InputError(f"--maximise or --minimise says what is best, and {given}; give one of them")
    if isinstance(subject_to, str):
        raise InputError(f"subject_to is {brief(repr(subject_to))}; a list is needed, [{brief(repr(subject_to))}]")
    if not vary:
        raise InputError("nothing is varied; say --vary PATH=RANGE, such as 'links.bottleneck.rate=1..100 Mbit/s:log'")
    check_paths([str(path) for path in vary])
    check_sets(sets, [spelled(str(path)) for path in vary])
    seed = Trees(sets).of(scenario).get("seed", 1)
    return Goal(
        expression(str(minimise if maximise is None else maximise), "--minimise" if maximise is None else "--maximise"),
        maximise is not None,
        tuple(map(constraint, subject_to)),
        tuple(axis_of(spelled(str(path)), values) for path, values in vary.items()),
        seed if isinstance(seed, int) else 1,
        positive("--reps", reps, REPS),
        positive("--width", width, WIDTH),
    )


def positive(name: str, given: int | None, default: int) -> int:
    """A number from 1 on."""
    found = default if given is None else whole(name, given)
    if found < 1:
        raise InputError(f"{name} is {found}; it must be at least 1")
    return found


def check_goal(place: Path, goal: Goal) -> None:
    """Refuse a folder whose points were tried for another goal, or for none."""
    if not (place / MANIFEST).exists():
        return
    held = read_manifest(place).get("tuned")
    if held != json.loads(json.dumps(goal.to_json())):
        what = "no trials" if held is None else "trials for another objective, or with other ranges, --reps or --width"
        raise InputError(f"{place} holds {what}; choose another folder with --out")


def goal_from_json(kept: Mapping[str, Any]) -> Goal:
    """The goal that a manifest holds."""
    maximise = "maximise" in kept
    return Goal(
        expression(kept["maximise" if maximise else "minimise"]),
        maximise,
        tuple(map(constraint, kept["subject_to"])),
        tuple(axis_of(path, values) for path, values in kept["vary"].items()),
        kept["seed"],
        kept["reps"],
        kept["width"],
    )


def tuning_of(result: SweepResult) -> Tuning:
    """What was tried in a folder. Raises `InputError` if its points are no trials."""
    if result.tuned is None:
        raise InputError(f"{result.folder} is a sweep whose points are no trials of faircast tune")
    goal = goal_from_json(result.tuned)
    found = [trial_of(goal, number, point, result.runs(point)) for number, point in enumerate(result.points)]
    return Tuning(result, goal, tuple(found))


def trial_of(goal: Goal, number: int, point: SweepPoint, runs: Runs) -> Trial:
    """What the runs of a point say of the goal."""
    values = {seed: goal.objective.of(run) for seed, run in runs.items()}
    slacks = tuple(mean_of([item.slack(run) for run in runs.values()]) for item in goal.constraints)
    defined = {seed: value for seed, value in values.items() if not math.isnan(value)}
    return Trial(number, point, mean_of(list(values.values())), slacks, defined)


def mean_of(values: Sequence[float]) -> Estimate:
    """Mean and interval; undefined if one of the values is, as a mean of the others would flatter."""
    return estimate(values) if values and not any(map(math.isnan, values)) else estimate([])


class Study:
    """The trials as they are asked for and told."""

    def __init__(
        self,
        goal: Goal,
        scenario: Source,
        sets: tuple[str, ...],
        number: int,
        seed: int | None,
        told: Callable[[int, int], None] | None,
    ) -> None:
        import optuna

        self.goal, self.scenario, self.sets, self.number, self.told = goal, scenario, sets, number, told
        self._seed = seed
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        most, least = optuna.study.StudyDirection.MAXIMIZE, optuna.study.StudyDirection.MINIMIZE
        self._study = optuna.create_study(
            direction=most if goal.maximise else least, sampler=sampler_of(goal.seed, bool(goal.constraints))
        )
        self._asked: list[tuple[optuna.Trial, SweepPoint | None]] = []
        """Of the latest batch, with the points; None for those that are not legal."""
        self._done = 0
        self._points: dict[str, SweepPoint] = {}
        self._refused: list[InputError] = []
        self._plan: Plan

    def begin(self) -> Plan:
        """The first batch. Raises `InputError` if no point of it is legal."""
        self._ask()
        if not self._points:
            raise self._refused[0]
        text = json.dumps([self._plan.digest, self.goal.to_json()], sort_keys=True)
        return self._plan._replace(
            points=list(self._points.values()), digest=hashlib.sha256(text.encode()).hexdigest()[:12]
        )

    def further(self, points: Sequence[SweepPoint], done: Progress) -> list[SweepPoint] | None:
        """Tell what became of a batch and ask for the next one; None if there is none."""
        del points
        while True:
            self._tell(done)
            if self.told is not None:
                self.told(self._done, self.number)
            if self._done >= self.number:
                return None
            before = len(self._points)
            self._ask()
            if len(self._points) > before:
                return list(self._points.values())

    def _ask(self) -> None:
        width = min(self.goal.width, self.number - self._done)
        self._asked = []
        for trial in [self._study.ask() for _ in range(width)]:
            values = {
                axis.path: axis.at(min(trial.suggest_float(axis.path, 0, 1), BELOW_ONE)) for axis in self.goal.axes
            }
            self._asked.append((trial, self._point(values)))

    def _point(self, values: Mapping[str, Any]) -> SweepPoint | None:
        known = self._points.get(known_by(values))
        if known is not None:
            return known
        try:
            self._plan = planned(self.scenario, {}, [values], self.sets)
        except InputError as error:
            self._refused.append(error)
            return None
        (point,) = self._plan.points
        start = point.scenario.seed if self._seed is None else self._seed
        found = SweepPoint(point.values, point.scenario, tuple(seeds_of(start, self.goal.reps)))
        return self._points.setdefault(known_by(point.values), found)

    def _tell(self, done: Progress) -> None:
        import optuna

        for trial, point in self._asked:
            found = None if point is None else trial_of(self.goal, 0, point, runs_of(point, done))
            if found is None or found.objective.n == 0 or not math.isfinite(found.objective.mean):
                trial.set_user_attr(CONSTRAINTS, [1.0] * len(self.goal.constraints))
                self._study.tell(trial, state=optuna.trial.TrialState.FAIL)
            else:
                trial.set_user_attr(CONSTRAINTS, [violation(slack) for slack in found.slacks])
                self._study.tell(trial, found.objective.mean)
        self._done += len(self._asked)


CONSTRAINTS = "constraints"
"""What a trial has of them for the sampler: above 0 where one does not hold."""


def violation(slack: Estimate) -> float:
    """How much a constraint does not hold."""
    return -slack.mean if slack.n else 1.0


def sampler_of(seed: int = 1, constrained: bool = False) -> optuna.samplers.BaseSampler:
    """Optuna's TPE: the same trials for the same seed. Raises `ImportError` with what to install."""
    try:
        import optuna
    except ImportError as error:
        raise InputError(f"faircast tune needs Optuna ({error}): pip install 'faircast[tune]'") from None

    def constraints(trial: optuna.trial.FrozenTrial) -> Sequence[float]:
        return list(trial.user_attrs[CONSTRAINTS])

    more: dict[str, Any] = {"constraints_func": constraints} if constrained else {}
    with warnings.catch_warnings():  # constraints are an experiment of version 4, and deprecated in 5
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        warnings.simplefilter("ignore", FutureWarning)
        return optuna.samplers.TPESampler(seed=seed, constant_liar=True, **more)
