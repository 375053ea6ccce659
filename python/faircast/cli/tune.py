"""``faircast tune``: the best values of some paths."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    table,
    verb,
)
from faircast.cli.endings import note, print_json, warn
from faircast.errors import INTERRUPTED, InputError
from faircast.progress import Reporter

if TYPE_CHECKING:
    from faircast.statistics import Estimate
    from faircast.tuning import Trial, Tuning

LINES_SHOWN = 10
"""Points in the table, the best ones."""


@verb
def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scenario in TOML or JSON.", show_default=False)],
    vary: Annotated[
        list[str] | None,
        typer.Option("--vary", metavar="PATH=RANGE", help="What is tried: 1..9 Mbit/s, 1..9:log, or a list; again."),
    ] = None,
    maximise: Annotated[
        str | None, typer.Option(metavar="EXPR", help="What is to be most: 'min(video-*/rate)', say.")
    ] = None,
    minimise: Annotated[str | None, typer.Option(metavar="EXPR", help="What is to be least.")] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option("--subject-to", metavar="EXPR", help="What must hold: 'web/rate_mean >= 0.5 Mbit/s'; again."),
    ] = None,
    trials: Annotated[int | None, typer.Option(metavar="N", help="Points that are tried; default: 64.")] = None,
    reps: Annotated[int | None, typer.Option(metavar="N", help="Seeds of every point; default: 5.")] = None,
    width: Annotated[
        int | None, typer.Option(metavar="N", help="Trials that are asked for at once; default: 8.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="The first seed; default: the scenario's, 1.")] = None,
    sets: Sets = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Default: results/<name>-tune-<hash>.")] = None,
    label: Label = "",
    jobs: Jobs = None,
    processes: Processes = None,
    dask: Dask = None,
    certificates: Certificates = None,
    as_json: Json = False,
) -> None:
    r"""Look for the values of keys that are best for an objective.

    Optuna chooses what is tried; all trials have the same seeds and stand in a sweep folder, which show and plot read.
    The same command goes on, and more --trials go to the same folder. It needs pip install 'faircast[tune]'.

    Example: faircast tune examples/scenarios/geo-loss.toml \
                 --set duration=20s --set warmup=5s \
                 --vary 'links.bottleneck.queue.limit=5..200 packets:log' \
                 --maximise file/rate \
                 --subject-to 'bottleneck/efficiency >= 0.1' \
                 --trials 8 --reps 2 --out results/best
    """
    from faircast.tuning import tune
    from faircast.vary import parse_axis

    one_place(out, label)
    axes: dict[str, list[Any]] = {}
    for text in vary or []:
        path, values = parse_axis(text)
        if path in axes:
            raise InputError(f"--vary {path} is given twice; give one range, or all its values in one list")
        axes[path] = values
    with Reporter("tuning", quiet=as_json) as reporter:
        found = tune(
            file,
            vary=axes,
            maximise=maximise,
            minimise=minimise,
            subject_to=subject_to or [],
            trials=trials,
            reps=reps,
            width=width,
            seed=seed,
            sets=sets or [],
            engine=engine_of(jobs, processes, dask, certificates),
            out=out,
            label=label,
            watcher=reporter,
        )
    if as_json:
        print_json(to_json(found))
    else:
        show(found)
        say(f"{found.sweep.computed} runs computed, {found.sweep.found} reused")
    if found.sweep.interrupted:
        note("interrupted; what was finished is kept, the same command continues")
        raise typer.Exit(INTERRUPTED)


def show(found: Tuning) -> None:
    """The best points with the objective and the slacks of constraints, and how sure the best one is."""
    from faircast.cli.view import headline, number, scaled
    from faircast.vary import as_text, short_names

    result, goal = found.sweep, found.goal
    which = "most" if goal.maximise else "least"
    own = goal.objective.check({key: result.unit(*key) for key in result.metrics}) if result.metrics else ""
    scale, unit = scaled(max((abs(t.objective.mean) for t in found.trials if t.objective.n), default=0.0), own)
    say(
        f"{headline(result.name, result.sets, len(result.done))}, {len(found.trials)} points; {which} "
        f"{goal.objective.text}{f', {unit}' if unit else ''}, mean ± half width of the 95 % interval"
    )
    for item in goal.constraints:
        say(f"  subject to {item.text}")
    names = short_names(result.varied)
    ranking = found.ranking
    shown = ranking[:LINES_SHOWN] or list(found.trials[:LINES_SHOWN])
    columns = ["trial", *names.values(), "objective", *[f"slack {n}" for n, _ in enumerate(goal.constraints, 1)]]
    rows = [
        [
            str(trial.number),
            *[as_text(trial.point.values[path]) for path in result.varied],
            number(trial.objective, scale),
            *map(text_of, trial.slacks),
        ]
        for trial in shown
    ]
    table(columns, rows, right=columns[1 + len(names) :], whole=columns[: 1 + len(names)])
    left = len(found.trials) - len(ranking)
    if left and ranking:
        say(f"{left} of {len(found.trials)} points do not hold")
    for line in verdict(found, lambda item: f"{number(item, scale)} {unit}".rstrip()):
        say(line)
    if found.best is not None and not found.best.surely and goal.constraints:
        warn(
            "the constraints hold for the best point on average, but their intervals do not leave out that they do not"
        )
    say(f"results in {result.folder}")


def verdict(found: Tuning, said: Callable[[Estimate], str]) -> list[str]:
    """The best point, and how sure it is against the second best."""
    from faircast.vary import describe

    best, second, apart = found.best, found.second, found.difference
    if best is None:
        return ["no point holds; the table shows the first ones that were tried"]
    lines = [f"best: {describe(best.point.values)}"]
    if second is None or apart is None or apart.n == 0:
        return [*lines, "there is no second point that holds"]
    more = "more" if found.goal.maximise else "less"
    by = f"{said(apart) if found.goal.maximise else said(negative(apart))} {more} than the second best"
    if found.is_sure is None:
        return [*lines, f"it has {by} with one seed, which leaves open whether it is better"]
    sure = "they are told apart" if found.is_sure else "they are not told apart; more --reps may, in another folder"
    return [*lines, f"it has {by}, seed by seed: {sure}"]


def negative(item: Estimate) -> Estimate:
    """A difference the other way round."""
    from dataclasses import replace

    return replace(item, mean=-item.mean, low=-item.high, high=-item.low)


def text_of(item: Estimate) -> str:
    """Mean and half width; nothing where it is undefined."""
    return "-" if item.n == 0 else str(item)


def to_json(found: Tuning) -> dict[str, Any]:
    """What was tried as plain values for JSON."""
    from faircast.summary import finite

    def of(item: Estimate | None) -> dict[str, Any] | None:
        if item is None:
            return None
        return {"mean": finite(item.mean), "ci95": finite(item.ci95), "n": item.n}

    def trial(item: Trial) -> dict[str, Any]:
        slacks = [of(slack) for slack in item.slacks]
        return {
            "number": item.number,
            "values": dict(item.point.values),
            "objective": of(item.objective),
            "slacks": slacks,
            "holds": item.holds,
            "surely": item.surely,
        }

    return {
        "folder": str(found.sweep.folder),
        "goal": found.goal.to_json(),
        "best": None if found.best is None else found.best.number,
        "second": None if found.second is None else found.second.number,
        "difference": of(found.difference),
        "told_apart": found.is_sure,
        "computed": found.sweep.computed,
        "found": found.sweep.found,
        "interrupted": found.sweep.interrupted,
        "trials": [trial(item) for item in found.trials],
    }
