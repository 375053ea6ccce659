"""One scenario: run it in memory, or run its seeds into a folder."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from faircast import _native
from faircast.batch import Job, Watcher, run_batch, worker_count
from faircast.errors import InputError
from faircast.folder import MANIFEST, RunFolder, read_manifest
from faircast.results import RunResult, origin_of, read_table
from faircast.scenario import Resolved, Source, resolve, seeds
from faircast.summary import Row


def run(scenario: Source, *, seed: int | None = None, sets: Sequence[str] = ()) -> RunResult:
    """Run a scenario and keep its tables in memory.

    Parameters
    ----------
    scenario
        A path to TOML or JSON, TOML or JSON text, a mapping, or an object of `faircast.model`.
    seed
        0 to 2^53 - 1, by default the one that the scenario names; the same scenario and seed give the same result, byte
        for byte.
    sets
        Assignments ``path=value`` as those of ``faircast run --set``.

    Raises
    ------
    InputError
        The scenario or the seed is not legal; all problems at once.
    """
    resolved = resolve(scenario, sets=sets)
    (one,) = seeds(resolved.seed if seed is None else seed, 1)
    job = Job(resolved.json, one, resolved.name)
    outcome = run_batch([job], lambda _, raw, cpu_s: RunResult.from_raw(resolved, one, raw, cpu_s), workers=1)
    if outcome.interrupted or outcome.results[0] is None:
        raise KeyboardInterrupt
    return outcome.results[0]


@dataclass(frozen=True)
class FolderOutcome:
    """What became of the runs of a folder."""

    rows: list[Row]
    """The summary over all seeds that are finished."""
    computed: list[int]
    """Seeds that this call finished."""
    found: list[int]
    """Seeds that were there already."""
    interrupted: bool


def run_into(
    folder: RunFolder, wanted: Iterable[int], *, workers: int | None = None, watcher: Watcher | None = None
) -> FolderOutcome:
    """Run those of the wanted seeds that the folder does not hold yet, and write their tables and the summary."""
    begin = time.perf_counter()
    workers = worker_count(workers)
    there = folder.summaries()
    wanted = list(wanted)
    scenario = folder.scenario
    jobs = [Job(scenario.json, seed, scenario.name) for seed in wanted if seed not in there]
    folder.create()

    def keep(job: Job, raw: _native.RawResult, cpu_s: float) -> bool:
        result = RunResult.from_raw(scenario, job.seed, raw, cpu_s)
        folder.write(result)
        return not raw.interrupted

    outcome = run_batch(jobs, keep, workers=workers, watcher=watcher)
    rows = folder.close(wall_s=time.perf_counter() - begin, interrupted=outcome.interrupted)
    computed = [job.seed for job, done in zip(jobs, outcome.results, strict=True) if done]
    return FolderOutcome(rows, computed, [seed for seed in wanted if seed in there], outcome.interrupted)


def from_result(path: Path) -> tuple[Resolved, list[int], str] | None:
    """Scenario, seeds and version of a result folder, the folder of one seed or one of its Parquet files.

    None if `path` is none of these, hence presumably a scenario.
    """
    try:
        is_folder = path.is_dir()
    except OSError:  # no path can be so long; to read it as a scenario says so
        return None
    if path.suffix == ".parquet":
        origin = origin_of(read_table(path), path)
        return origin.scenario, [origin.seed], origin.version
    if not is_folder:
        return None
    if not (path / MANIFEST).exists() and any(path.glob("*.parquet")):
        result = RunResult.read(path)
        return result.scenario, [result.seed], result.version
    manifest = read_manifest(path)
    if manifest["kind"] != "run":
        raise InputError(f"{path} holds a {manifest['kind']}; only the folder of a run can be run again")
    numbers = sorted({int(seed) for key in ("runs", "interrupted") for seed in manifest.get(key, {})})
    return resolve(manifest["scenario"]), numbers or [1], str(manifest["version"])
