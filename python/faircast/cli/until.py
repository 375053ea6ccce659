"""What `sweep` says of seeds that are added until intervals are narrow or differences are apart from 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from faircast.cli.endings import note, warn
from faircast.cli.terminal import say
from faircast.errors import InputError

if TYPE_CHECKING:
    from faircast.metrics import Metric
    from faircast.statistics import Estimate
    from faircast.stopping import Look, Stop, Until
    from faircast.sweep_folder import SweepPoint
    from faircast.sweeps import SweepResult

LISTED = 5
"""Points that are named, of each kind."""

UntilCi = typer.Option(
    "--until-ci", metavar="WIDTH", help="Add seeds until the --metric is within ± '5 %' or '0.05 Mbit/s'; again each."
)
UntilApartOption = typer.Option(
    "--until-apart", metavar="PATH", help="Add seeds until the values of a path, or PATH=A,B, are apart in --metric."
)
MaxReps = typer.Option("--max-reps", metavar="N", help="The most seeds then; default: 20 times --reps.")


def asked(widths: Sequence[str], apart: str | None, metrics: Sequence[str]) -> Until | None:
    """What the options ask for. Raises `InputError` if they do not fit together."""
    from faircast.metrics import parse_metric
    from faircast.stopping import UntilApart
    from faircast.vary import parse_axis

    if widths and apart is not None:
        raise InputError("--until-ci and --until-apart are both given; seeds are added for one of them")
    if apart is not None:
        path, values = parse_axis(apart, "--until-apart") if "=" in apart else (apart, None)
        return UntilApart(path, tuple(map(parse_metric, metrics)), None if values is None else tuple(values))
    if not widths:
        return None
    if not metrics:
        raise InputError("--until-ci needs a metric: --metric SUBJECT/METRIC, again and again")
    if len(widths) > 1 and len(widths) != len(metrics):
        raise InputError(
            f"--until-ci is given {len(widths)} times and --metric {len(metrics)} times; give one width for all "
            "metrics, or one for each in their order"
        )
    each = list(widths) * len(metrics) if len(widths) == 1 else widths
    return dict(zip(metrics, each, strict=True))


def tell_look(look: Look) -> None:
    """What a look has told, while the sweep goes on."""
    if look.next_seeds:
        left = look.points - look.stopped
        note(
            f"{look.runs} runs: {look.stopped} of {many(look.points, 'point')} have seeds enough, {left} "
            f"{'goes' if left == 1 else 'go'} on to {look.next_seeds} seeds; about {look.expected} more runs expected"
        )


def shown(result: SweepResult, place: int, key: Metric) -> Estimate:
    """What stands in the table: with a rule for its width the interval at the stop, otherwise Student's."""
    stop = stop_of(result, place)
    if stop is not None and key in stop.found:
        return stop.found[key]
    return result.estimate(result.points[place], *key)


def stop_of(result: SweepResult, place: int) -> Stop | None:
    """Where a point stopped, if seeds were added for the width of intervals."""
    from faircast.stopping import UntilNarrow

    return result.stops[place] if isinstance(result.until, UntilNarrow) and result.stops else None


def lines(result: SweepResult) -> list[str]:
    """What became of it: how many points have what was asked for, the runs and what they spared."""
    from faircast.stopping import UntilNarrow

    if result.until is None or not result.stops:
        return []
    stops, rule = result.stops, result.until
    reached = [stop for stop in stops if stop.reached]
    if isinstance(rule, UntilNarrow):
        wanted = ", ".join(f"{'/'.join(key)} within ± {width.text}" for key, width in rule.widths.items())
        found = [f"{len(reached)} of {many(len(stops), 'point')} have {wanted}"]
    else:
        wanted = ", ".join(map("/".join, rule.metrics))
        found = [f"{len(reached)} of {many(len(stops), 'point')} are apart in {wanted}"]
    runs, most = sum(stop.seeds for stop in stops), max(stop.seeds for stop in stops)
    if most * len(stops) > runs:
        found.append(f"{runs} runs did; as many seeds for all as one point took, {most}, are {most * len(stops)}")
    missed = [(point, stop) for point, stop in zip(result.points, stops, strict=True) if not stop.reached]
    for point, stop in missed[:LISTED]:
        found.append(f"  {not_reached(result, point, stop)}")
    if len(missed) > LISTED:
        found.append(f"  and {len(missed) - LISTED} more; --json lists all")
    return found


def not_reached(result: SweepResult, point: SweepPoint, stop: Stop) -> str:
    """Why a point does not have what was asked for."""
    from faircast.stopping import UntilNarrow
    from faircast.vary import describe

    rule = result.until
    where = describe(point.values)
    if stop.open:
        return f"not yet at {where}: {many(stop.seeds, 'seed')} so far"
    absent = [key for key, item in stop.found.items() if item.n == 0]
    if absent:
        return f"never at {where}: it has no {', '.join(map('/'.join, absent))}"
    if not isinstance(rule, UntilNarrow):
        return f"not at {where} with {stop.seeds} seeds, the limit"
    wide = [f"{'/'.join(key)} {within(item)}" for key, item in stop.found.items() if wider(result, key, item)]
    return f"not at {where} with {stop.seeds} seeds, the limit: {', '.join(wide)}"


def wider(result: SweepResult, key: Metric, item: Estimate) -> bool:
    """Whether an interval is wider than it was to be."""
    from faircast.stopping import UntilNarrow

    assert isinstance(result.until, UntilNarrow)
    units = {key: result.unit(*key)}
    return item.ci95 is None or item.n < result.until.first or item.ci95 > result.until.half(key, item.mean, units)


def within(item: Estimate) -> str:
    """A half width in words: as a part of the mean."""
    if item.ci95 is None or not item.mean:
        return f"has {many(item.n, 'value')} and no interval" if item.ci95 is None else "is 0 on average"
    return f"± {100 * item.ci95 / abs(item.mean):.2g} %"


def warnings(result: SweepResult) -> list[str]:
    """Metrics that take few values, and the joint coverage of many intervals."""
    from faircast.stopping import UntilNarrow
    from faircast.vary import describe

    found: list[str] = []
    if result.until is None:
        return found
    if result.until.first < FEWEST:
        found.append(
            f"the first look has {result.until.first} seeds; intervals at the stop are known to hold with {FEWEST} on"
        )
    for key in result.until.metrics:
        at = [place for place, stop in enumerate(result.stops) if key in stop.coarse]
        if at:
            values = result.values(result.points[at[0]], *key)
            few = len({f"{value:.9g}" for value in values.values()})
            found.append(
                f"{'/'.join(key)} takes {many(few, 'value')} in {len(values)} seeds at "
                f"{describe(result.points[at[0]].values)}{f' and {len(at) - 1} more points' if len(at) > 1 else ''}: "
                "its interval may be much too short, as what happens rarely is missing in few seeds"
            )
    if isinstance(result.until, UntilNarrow):
        intervals = sum(stop.reached for stop in result.stops) * len(result.until.widths)
        if intervals >= MANY:
            found.append(
                f"each of these {intervals} intervals holds with 95 % at least; of so many up to "
                f"{round(0.05 * intervals)} are expected to miss their means, and all hold together only by luck"
            )
    return found


FEWEST = 10
"""Seeds of a first look with which coverage was simulated."""
MANY = 20
"""Intervals of which one is expected to miss."""


def tell(result: SweepResult) -> None:
    """All of it on screen."""
    for line in lines(result):
        say(line)
    for text in warnings(result):
        warn(text)


def to_json(result: SweepResult) -> dict[str, Any] | None:
    """The rule, and where each point stopped; what JSON cannot say is null."""
    from faircast.sequential import looks
    from faircast.summary import finite

    if result.until is None:
        return None
    rule = result.until
    return {
        **rule.to_json(),
        "looks": list(looks(rule.first, rule.last)),
        "runs": sum(stop.seeds for stop in result.stops),
        "not_reached": sum(not stop.reached for stop in result.stops),
        "notes": warnings(result),
        "points": [
            {
                "values": dict(point.values),
                "seeds": stop.seeds,
                "reached": stop.reached,
                "open": stop.open,
                "metrics": [
                    {
                        "subject": key[0],
                        "metric": key[1],
                        "mean": finite(item.mean),
                        "half_width": finite(item.ci95),
                        "n": item.n,
                        "few_values": key in stop.coarse,
                    }
                    for key, item in stop.found.items()
                ],
            }
            for point, stop in zip(result.points, result.stops, strict=True)
        ],
    }


def many(number: int, noun: str) -> str:
    """`1 point`, `3 points`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
