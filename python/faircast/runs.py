"""One scenario: run it in memory, or run its seeds into a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, overload

from faircast.batch import Job, Watcher
from faircast.engine import chosen
from faircast.engine.contract import Engine, Task
from faircast.engine.taken import Everything, Taken
from faircast.errors import InputError, NotFinishedError, brief
from faircast.folder import RunFolder
from faircast.libraries import load
from faircast.manifest import MANIFEST, read_manifest, sets_of
from faircast.ranges import from_ranges
from faircast.reading import Runs
from faircast.results import RunResult
from faircast.scenario import Resolved, Source, count, resolve
from faircast.scenario import seeds as seeds_from
from faircast.spare import give_back
from faircast.stored import StoredSeed
from faircast.summary import Row

if TYPE_CHECKING:
    from distributed import Client

PROBLEMS_SHOWN = 20


@overload
def run(
    scenario: Source,
    *,
    seed: int | None = None,
    seeds: None = None,
    sets: Sequence[str] = (),
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
) -> RunResult: ...
@overload
def run(
    scenario: Source,
    *,
    seed: None = None,
    seeds: Iterable[int],
    sets: Sequence[str] = (),
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
) -> Runs: ...
def run(
    scenario: Source,
    *,
    seed: int | None = None,
    seeds: Iterable[int] | None = None,
    sets: Sequence[str] = (),
    jobs: int | None = None,
    engine: Engine | Client | str | None = None,
) -> RunResult | Runs:
    """Run a scenario and keep its tables in memory.

    Ctrl-C ends the runs and raises `KeyboardInterrupt`; nothing is kept.

    Parameters
    ----------
    scenario
        A path to TOML or JSON, TOML or JSON text, a mapping, or an object of `faircast.model`.
    seed
        0 to 2^53 - 1, by default the one that the scenario names; the same scenario and seed give the same result, byte
        for byte.
    seeds
        Several in place of one, such as ``range(1, 11)``: the result is then a `Runs`. All tables of all of them stay
        in memory, 8 bytes for a number and 4 for a text; what ``faircast run --reps`` writes to a folder, on the other
        hand, `faircast.read` reads table by table.
    sets
        Assignments ``path=value`` as those of ``faircast run --set``.
    jobs
        Runs at once, by default one per core. Results do not depend on it.
    engine
        Where runs are computed, if not in threads of this process: see `faircast.sweep`.

    Raises
    ------
    InputError
        The scenario or a seed is not legal; all problems at once.
    NotFinishedError
        A run failed.
    """
    if seed is not None and seeds is not None:
        raise InputError("seed and seeds are given; legal is one of them")
    if seeds is not None:
        wanted = legal_seeds(seeds)
    resolved = resolve(scenario, sets=sets)
    if seeds is None:
        wanted = list(seeds_from(resolved.seed if seed is None else seed, 1))
    outcome = chosen(engine, jobs).compute(
        [Task(Job(resolved.json, one, resolved.name), Everything()) for one in wanted],
        lambda place, taken: RunResult.of(resolved, wanted[place], taken),
    )
    for place, reason in outcome.failed.items():
        raise NotFinishedError(f"the run {resolved.name} with seed {wanted[place]} failed: {reason}")
    results = [result for result in outcome.results if result is not None]
    if outcome.interrupted or len(results) < len(wanted):
        raise KeyboardInterrupt
    return results[0] if seeds is None else Runs({result.seed: result for result in results})


def legal_seeds(given: Iterable[int]) -> list[int]:
    """The seeds as a list, or an `InputError` that names all that are not legal."""
    try:
        listed = list(given)
    except TypeError:
        raise InputError(f"seeds is {brief(repr(given))}; legal are several, such as range(1, 11)") from None
    if not listed:
        raise InputError("seeds is empty; legal is at least one")
    found: dict[int, None] = {}
    wrong: list[tuple[str, str]] = []
    for place, one in enumerate(listed):
        try:
            (number,) = seeds_from(one, 1)
        except InputError as error:
            wrong.append((f"seeds[{place}]", error.message))
            continue
        if number in found:
            wrong.append((f"seeds[{place}]", f"{number} is there already"))
        found[number] = None
    if wrong:
        more = [("", f"and {len(wrong) - PROBLEMS_SHOWN} more")] if len(wrong) > PROBLEMS_SHOWN else []
        raise InputError(f"seeds {count(len(wrong))}", wrong[:PROBLEMS_SHOWN] + more)
    return list(found)


@dataclass(frozen=True)
class FolderOutcome:
    """What became of the runs of a folder."""

    rows: Sequence[Row]
    """The summary over all seeds that are finished."""
    computed: list[int]
    """Seeds that this call finished."""
    found: list[int]
    """Seeds that were there already."""
    damaged: dict[int, str]
    """Seeds that were there, but damaged, with the reason; they have been removed."""
    interrupted: bool
    """Whether somebody ended it before all seeds were finished."""
    hurried: bool = False
    """Whether somebody wanted it to end when all seeds were finished already."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """Seeds that were given up, with the reason; the next call tries them anew."""


def run_into(
    folder: RunFolder, wanted: Iterable[int], *, engine: Engine | None = None, watcher: Watcher | None = None
) -> FolderOutcome:
    """Run those of the wanted seeds that the folder does not hold yet, and write their tables and the summary."""
    engine = chosen(engine, None)
    wanted = list(wanted)
    scenario = folder.scenario

    def keep(place: int, taken: Taken) -> bool:
        folder.write(RunResult.of(scenario, jobs[place].seed, taken))
        return not taken.effort.interrupted

    load()  # before anything is written
    give_back()
    with folder.locked() as there:
        jobs = [Job(scenario.json, seed, scenario.name) for seed in wanted if seed not in there]
        with engine.ready([Task(job, Everything()) for job in jobs]) as work, folder.work(wanted):
            try:
                outcome = work(keep, watcher=watcher)
            except Exception:
                with suppress(Exception):  # a summary of what is there; the first error is the one to tell
                    folder.conclude()
                raise
            rows = folder.conclude()
    computed = [job.seed for job, done in zip(jobs, outcome.results, strict=True) if done]
    found = [seed for seed in wanted if seed in there]
    complete = all(outcome.results)
    return FolderOutcome(
        rows,
        computed,
        found,
        folder.damaged,
        outcome.interrupted and not complete,
        outcome.interrupted and complete,
        {jobs[place].seed: reason for place, reason in outcome.failed.items()},
    )


class Earlier(NamedTuple):
    """What a result says of its making."""

    scenario: Resolved
    seeds: list[int]
    """Of the folder of a run all that were asked for, finished or not."""
    version: str
    folder: Path | None
    """The folder of a run, which can be continued; None for a part of one."""
    sets: list[str] = []  # noqa: RUF012
    """What was changed by ``--set`` to get the scenario, as far as that is known."""


def from_result(path: Path) -> Earlier | None:
    """What made a result: the folder of a run, that of one seed or one of its Parquet files.

    None if `path` is none of these, hence presumably a scenario.
    """
    try:
        is_folder = path.is_dir()
    except OSError:  # no path can be so long; to read it as a scenario says so
        return None
    if path.suffix == ".parquet":
        origin = StoredSeed.of_file(path).origin
        return Earlier(origin.scenario, [origin.seed], origin.version, None)
    if not is_folder:
        return None
    manifest = read_manifest(path) if (path / MANIFEST).exists() or not any(path.glob("*.parquet")) else None
    if manifest is None or manifest["kind"] == "seed":
        result = RunResult.read(path)
        return Earlier(result.scenario, [result.seed], result.version, None)
    if manifest["kind"] != "run":
        raise InputError(f"{path} holds a {manifest['kind']}; only the folder of a run can be run again")
    if "scenario" not in manifest or "version" not in manifest or not manifest.get("seeds"):
        raise InputError(f"{path / MANIFEST} is damaged: it lacks the scenario, the seeds or the version")
    return Earlier(
        resolve(manifest["scenario"]), from_ranges(manifest["seeds"]), str(manifest["version"]), path, sets_of(manifest)
    )
