"""``faircast run``: run a scenario, or repeat or continue a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from faircast.cli.common import (
    Certificates,
    Dask,
    Jobs,
    Json,
    Label,
    Processes,
    Sets,
    engine_of,
    one_place,
    say,
    verb,
)
from faircast.cli.endings import note, print_json, warn
from faircast.errors import INTERRUPTED, NOT_FINISHED, OK
from faircast.progress import Reporter

if TYPE_CHECKING:
    from faircast.scenario import Resolved
    from faircast.summary import Row


@verb
def command(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A scenario in TOML or JSON, or a result folder.", show_default=False)
    ],
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="First seed, 0 to 2^53 - 1; default: the scenario's, 1.")
    ] = None,
    reps: Annotated[int | None, typer.Option(metavar="N", help="How many seeds, each a run; default: 1.")] = None,
    sets: Sets = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: results/<name>-<hash>.")] = None,
    label: Label = "",
    jobs: Jobs = None,
    processes: Processes = None,
    dask: Dask = None,
    certificates: Certificates = None,
    as_json: Json = False,
) -> None:
    r"""Run a scenario, write its tables and show the summary.

    Finished seeds of the same scenario are kept and not run again. A result folder in place of FILE is continued in
    place, or repeated elsewhere with --out or --label.

    Example: faircast run examples/scenarios/geo-loss.toml \
                 --set duration=60s --label short
    """
    from faircast.folder import RunFolder
    from faircast.runs import from_result, run_into
    from faircast.scenario import resolve, seeds
    from faircast.version import faircast_version

    one_place(out, label)
    engine = engine_of(jobs, processes, dask, certificates)
    made_by = list(sets or [])
    earlier = from_result(file)
    if earlier is None:
        scenario = resolve(file, sets=sets or [])
        wanted = seeds(scenario.seed if seed is None else seed, 1 if reps is None else reps)
        chosen: Sequence[int] = wanted
    else:
        scenario, chosen, version, made_in, before = earlier
        made_by = [*before, *made_by]
        if version != faircast_version():
            note(f"{file} was made by faircast {version}, numbers may differ")
        if sets:
            scenario = resolve(scenario, sets=sets)
        elif out is None and not label:
            out = made_in
        if seed is not None or reps is not None:
            chosen = seeds(chosen[0] if seed is None else seed, 1 if reps is None else reps)
    folder = RunFolder.open(out, scenario, label=label, sets=made_by)
    with Reporter(f"running {scenario.name}", quiet=as_json) as reporter:
        outcome = run_into(folder, chosen, engine=engine, watcher=reporter)
    for number, reason in outcome.damaged.items():
        done = "run again" if number in outcome.computed else "removed"
        note(f"seed {number} was damaged and is {done}: {reason}")
    held = Held(scenario, folder.path, folder.sets, folder.finished(), outcome.rows)
    try:
        if outcome.hurried:
            raise KeyboardInterrupt
        if as_json:
            print_json(to_json(held, computed=outcome.computed, interrupted=outcome.interrupted, failed=outcome.failed))
        else:
            show(held, idle=not outcome.computed and not outcome.interrupted)
    except KeyboardInterrupt:
        if not outcome.interrupted:
            note(f"all is computed and written to {folder.path}; faircast show {folder.path} shows it")
            raise typer.Exit(INTERRUPTED if as_json else OK) from None
    if outcome.interrupted:
        note("interrupted; what was finished is kept, the same command continues")
        raise typer.Exit(INTERRUPTED)
    for number, reason in outcome.failed.items():
        note(f"seed {number} was given up: {reason}; the same command tries it anew")
    if outcome.failed:
        raise typer.Exit(NOT_FINISHED)


class Held(NamedTuple):
    """What the folder of a run holds."""

    scenario: Resolved
    path: Path
    sets: Sequence[str]
    seeds: Mapping[int, Path]
    """The folders of the finished seeds."""
    rows: Sequence[Row]
    """The summary over them."""


def show(held: Held, *, idle: bool = False) -> None:
    """The summary on screen, and the warnings; `idle` if a call found nothing left to do."""
    from faircast.cli.view import headline, show_rows
    from faircast.utility.valued import valued
    from faircast.warning import lines, of_folder

    if held.rows:
        title = headline(held.scenario.name, held.sets, len(held.seeds))
        show_rows(title, held.rows, optimum=valued(held.scenario.data))
    if idle:
        say("nothing left to do: the folder holds these seeds already")
    say(f"results in {held.path}")
    for line in lines(of_folder(held.seeds), len(held.seeds)):
        warn(line)


def to_json(held: Held, *, computed: Sequence[int], interrupted: bool, failed: Mapping[int, str]) -> dict[str, Any]:
    """The runs of a folder and their summary as plain values for JSON."""
    from faircast import summary
    from faircast.utility.valued import valued
    from faircast.warning import of_folder

    return {
        "scenario": held.scenario.name,
        "hash": held.scenario.hash,
        "sets": list(held.sets),
        "folder": str(held.path),
        "seeds": list(held.seeds),
        "computed": list(computed),
        "interrupted": interrupted,
        "failed": [{"seed": seed, "reason": reason} for seed, reason in failed.items()],
        "optimum": valued(held.scenario.data).to_json(),
        "warnings": [warning.to_json() for warning in of_folder(held.seeds)],
        "summary": summary.to_json(held.rows),
    }
