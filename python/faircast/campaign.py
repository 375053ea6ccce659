"""A campaign: the runs that some scenarios and seeds ask for, each computed once and found again in its folder.

A reproduction and a sweep both are one. They differ in what they ask for and in what becomes of it; what they share is
here: a run is known by the hash of its scenario and its seed, `Measurements` holds the summaries of those that are
finished and a journal beside it each from the moment it is, and only what is missing is computed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from faircast.batch import Job, Watcher, run_batch
from faircast.measurements import Key, Measurements
from faircast.scenario import Resolved
from faircast.summary import RunSummary, from_columns
from faircast.utility.beside import with_optimum

if TYPE_CHECKING:
    from faircast._native import RawResult
    from faircast.summary import Columns

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
    def take(self, raw: RawResult, tables: Mapping[str, Columns]) -> dict[str, Any]:
        """Take of a finished run what is wanted beside its summary; gives what the journal is to hold of that.

        Called in a worker, with the tables as the core gave them but for the summary, which has the optimum.
        """

    @abstractmethod
    def recall(self, noted: dict[str, Any]) -> bool:
        """Take the same from what the folder holds, the journal's note among it; whether all of it is there."""


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

    def compute(self, known: Measurements, *, jobs: int, watcher: Watcher | None) -> Progress:
        """Compute what the folder does not hold yet, and write the measurements.

        Every run goes to the journal as soon as it is finished, so that whatever ends this process costs the runs in
        flight. The journal stays: who carries out the campaign closes it when nothing else is left to do.
        """
        needed = [run for key, run in self.runs.items() if key not in known or not run.recall(known.kept.get(key, {}))]
        missing = {run.key for run in needed}
        by_job = {id(run.job): run for run in needed}

        def collect(job: Job, raw: RawResult, _: float) -> RunSummary | None:
            if raw.interrupted:
                return None
            run = by_job[id(job)]
            tables = raw.tables()
            tables["summary"] = with_optimum(tables["summary"], self.scenarios[run.digest])
            summary = from_columns(tables["summary"])
            known.record(run.key, job.label, summary, run.take(raw, tables))
            return summary

        summaries = {key: known[key] for key in self.runs if key not in missing}
        outcome = run_batch([run.job for run in needed], collect, workers=jobs, watcher=watcher)
        for run, summary in zip(needed, outcome.results, strict=True):
            if summary is not None:
                summaries[run.key] = summary
                known.add(run.key, run.job.label, summary)
        known.write()
        computed = sum(summary is not None for summary in outcome.results)
        interrupted = outcome.interrupted and computed < len(needed)
        return Progress(summaries, computed, len(self.runs) - len(needed), interrupted)
