"""A campaign: the runs that some scenarios and seeds ask for, each computed once and found again in its folder.

A reproduction and a sweep both are one. They differ in what they ask for and in what becomes of it; what they share is
here: a run is known by the hash of its scenario and its seed, `Measurements` holds the summaries of those that are
finished and a journal beside it each from the moment it is, and only what is missing is computed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from faircast.batch import Job, Watcher
from faircast.engine.contract import Engine, Task
from faircast.engine.taken import SUMMARY, Taken, Wanted
from faircast.errors import begun
from faircast.measurements import Key, Measurements
from faircast.scenario import Resolved
from faircast.summary import RunSummary, from_columns

R = TypeVar("R", bound="PlannedRun")


@dataclass(eq=False)
class PlannedRun(ABC):
    """One run that a campaign asks for; what it wants of it beside the summary is up to the kind of campaign."""

    digest: str
    """The hash of its scenario; behind it ``#1`` and so on of copies that are computed apart."""
    seed: int
    job: Job

    @property
    def key(self) -> Key:
        """What tells runs apart."""
        return self.digest, self.seed

    @abstractmethod
    def asked(self) -> Wanted:
        """What is to be taken of the run where it is computed, perhaps in another process."""

    @abstractmethod
    def keep(self, taken: Taken) -> dict[str, Any]:
        """Keep, in this process, what was taken; gives what the journal is to hold of it beside the summary.

        Not called in the main thread.
        """

    @abstractmethod
    def recall(self, noted: dict[str, Any]) -> bool:
        """Take the same from what the folder holds, the journal's note among it; whether all of it is there."""


class FailedRun(NamedTuple):
    """A run that was given up, as it ended its worker again and again."""

    key: Key
    name: str
    """The name of its scenario."""
    reason: str


@dataclass(frozen=True)
class Progress:
    """What became of the runs of a campaign."""

    summaries: dict[Key, RunSummary]
    """Of all runs that are finished, from whatever process."""
    computed: int
    """Runs that were computed now."""
    found: int
    """Runs that the folder held already."""
    interrupted: bool
    failed: list[FailedRun] = field(default_factory=list)
    """Runs that were given up; the next call tries them anew."""

    def followed_by(self, later: Progress) -> Progress:
        """Of a campaign that asked for these runs, and then for these and more: of all its runs."""
        computed = self.computed + later.computed
        return Progress(later.summaries, computed, later.found - self.computed, later.interrupted, later.failed)


class Campaign(Generic[R]):
    """Runs by scenario hash and seed, each once, in the order in which they were first asked for.

    Parameters
    ----------
    make
        Makes a run of what its scenario is known by, the seed and the job.
    """

    def __init__(self, make: Callable[[str, int, Job], R]) -> None:
        self._make = make
        self.runs: dict[Key, R] = {}
        self.scenarios: dict[str, Resolved] = {}
        """By what runs know their scenario by."""

    def want(self, scenario: Resolved, seed: int, *, copy: int = 0) -> R:
        """Ask for a run; the one that is there already if it has been asked for before."""
        digest = scenario.hash if copy == 0 else f"{scenario.hash}#{copy}"
        self.scenarios[digest] = scenario
        run = self.runs.get((digest, seed))
        if run is None:
            run = self._make(digest, seed, Job(scenario.json, seed, scenario.name))
            self.runs[digest, seed] = run
        return run

    @contextmanager
    def ready(self, known: Measurements, *, engine: Engine) -> Iterator[Callable[[Watcher | None], Progress]]:
        """Have an engine ready for what the folder does not hold yet; gives what computes it, which is called once.

        Raises `InputError` if the engine cannot do it. Nothing has been written then.

        What is called computes the runs and writes the measurements. Every run goes to the journal as soon as it is
        finished, so that whatever ends this process costs the runs in flight. The journal stays: who carries out the
        campaign closes it when nothing else is left to do.
        """
        needed = [run for key, run in self.runs.items() if key not in known or not run.recall(known.kept.get(key, {}))]
        missing = {run.key for run in needed}

        def keep(place: int, taken: Taken) -> RunSummary:
            run = needed[place]
            summary = from_columns(taken.columns[SUMMARY])
            known.record(run.key, run.job.label, summary, run.keep(taken))
            return summary

        def compute(watcher: Watcher | None) -> Progress:
            summaries = {key: known[key] for key in self.runs if key not in missing}
            outcome = work(keep, watcher=watcher)
            for run, summary in zip(needed, outcome.results, strict=True):
                if summary is not None:
                    summaries[run.key] = summary
                    known.add(run.key, run.job.label, summary)
            known.write()
            computed = sum(summary is not None for summary in outcome.results)
            failed = [
                FailedRun(needed[place].key, needed[place].job.label, why) for place, why in outcome.failed.items()
            ]
            interrupted = outcome.interrupted and computed + len(failed) < len(needed)
            return Progress(summaries, computed, len(self.runs) - len(needed), interrupted, sorted(failed))

        with engine.ready([Task(run.job, run.asked()) for run in needed]) as work:
            yield compute

    def go_on(self, known: Measurements, *, engine: Engine, watcher: Watcher | None) -> Progress:
        """Compute, as `ready` tells, more of what has been begun already."""
        with begun(), self.ready(known, engine=engine) as compute:
            return compute(watcher)
