"""What the views of the comparison share: their points, the axes to which `--only` narrows them, rows of numbers.

All views have the same runs and keep the same of them, so that the second one computes nothing.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path as File
from typing import Any

from faircast.errors import InputError, brief, nearest
from faircast.experiment import Axis, Criterion, Data, Measured, Numbers, Point
from faircast.experiments.side_by_side import runs, schemes
from faircast.experiments.side_by_side.cells import (
    BESIDE,
    LOSSES,
    PATH_NAMES,
    QUICK,
    SITUATIONS,
    TCP_NAMES,
    Cell,
    Situation,
)
from faircast.experiments.side_by_side.estimates import Spread
from faircast.experiments.side_by_side.heat_map import Square, ordered
from faircast.experiments.side_by_side.schemes import SCHEMES, SUFFIX, label
from faircast.looks import QUICK_REPS
from faircast.statistics import Estimate

PAPER = "side-by-side"
PUBLISHED = "No publication has these schemes on the same paths beside the same TCP."
SEEDS = 10
"""Unless the caller says another number; with ``--quick`` `QUICK_REPS`."""

Place = tuple[str, Situation]
"""A cell of a table: the scheme and the situation."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A number of every cell."""

    name: str
    """What is measured, in words."""
    unit: str
    of: Callable[[Data, Place], Estimate]
    over: str = ""
    """Which of several it is: the median, least or greatest over receivers."""
    neutral: float | None = None
    """The value from which it is to be told; None if there is none."""
    lacks: str = "not defined in these runs"
    """Why a cell has no number."""
    infinite: str = ""
    """What it means if the number is infinite."""

    def reason(self, value: float) -> str:
        """What is to be said of a number that is none, or infinite."""
        return self.lacks if math.isnan(value) else self.infinite if math.isinf(value) else ""


def foreign(text: str) -> str:
    """A scheme that is no row of its own, if sessions can run it. Raises `InputError` if they cannot."""
    from faircast.scenario import count, resolve

    if text.endswith(SUFFIX):
        if not File(text).is_file():
            lacks = "this is no file" if File(text).exists() else "there is no such file"
            raise InputError(f"scheme {brief(text)}: {lacks}; it has the parameters of a session in TOML")
    elif text not in (known := list(schemes.parameters())):
        there = f"{', '.join(SCHEMES)}, and what faircast list schemes shows, or a TOML file of a session's parameters"
        raise InputError(
            f"there is no scheme {brief(text) or 'of no name'}{nearest(text, [*SCHEMES, *known])}; there are: {there}"
        )
    situation = next(one for one in SITUATIONS if one.path == "geo")
    scenario = runs.scenario(Cell(situation=situation, run=BESIDE, scheme=text))
    try:
        resolve(scenario)
    except InputError as error:
        (name,) = scenario["sessions"]
        problems = [(path.removeprefix(f"sessions.{name}").lstrip("."), said) for path, said in error.problems]
        hint = "" if text.endswith(SUFFIX) else "; a TOML file of a session's parameters can say more"
        raise InputError(f"scheme {brief(text)} {count(len(problems))}{hint}", problems) from None
    return text


AXES = (
    Axis(
        name="scheme",
        values={scheme: scheme for scheme in SCHEMES},
        other=foreign,
        others="and any other scheme of the core, or a TOML file of a session's parameters",
    ),
    Axis(name="path", values={path: path for path in PATH_NAMES}),
    Axis(name="loss", values={f"{100 * loss:g}%": loss for loss in LOSSES}),
    Axis(name="tcp", values={tcp: tcp for tcp in TCP_NAMES}),
)


def points_of(values: Mapping[str, Sequence[Any]], quick: bool) -> Sequence[Point]:
    """The points of the wanted values, in the situations of a quick run with `quick`."""
    situations = tuple(
        one
        for one in (QUICK if quick else SITUATIONS)
        if all(getattr(one, axis) in values[axis] for axis in values if axis != "scheme")
    )
    rows = tuple(values.get("scheme", SCHEMES))
    # What is written elsewhere may change while a program runs.
    return _points(rows, situations) if set(rows) <= set(SCHEMES) else _points.__wrapped__(rows, situations)


@lru_cache(maxsize=4)
def _points(rows: tuple[str, ...], situations: tuple[Situation, ...]) -> tuple[Point, ...]:
    return tuple(replace(point, kept_as=f"{PAPER} {point.key}") for point in runs.points(rows, situations))


def points(quick: bool) -> Sequence[Point]:
    """All points."""
    return points_of({}, quick)


def narrowed(values: Mapping[str, Sequence[Any]]) -> Callable[[bool], Sequence[Point]]:
    """What takes the place of `points` with ``--only``. Raises `InputError` if two rows are called the same."""
    named_by: dict[str, str] = {}
    for scheme in values.get("scheme", ()):
        other = named_by.setdefault(label(scheme), scheme)
        if other != scheme:
            raise InputError(
                f"schemes {brief(other)} and {brief(scheme)}: both rows would be called {brief(label(scheme))}; "
                "a row is called after its file, so give one of them another name"
            )
    return partial(points_of, values)


def places(data: Data) -> list[Place]:
    """The cells that there are, row by row."""
    cells = [key for key in data.points if isinstance(key, Cell) and key.run == BESIDE]
    situations = ordered({cell.situation for cell in cells})
    rows = dict.fromkeys(cell.scheme for cell in cells)
    return [(scheme, situation) for scheme in rows for situation in situations]


def named(place: Place) -> str:
    """A cell in words: ``TFMCC (GEO, 1 %, CUBIC)``."""
    return f"{label(place[0])} ({place[1]})"


def written(place: Place) -> dict[str, str]:
    """A cell as ``--only`` has it, by axis."""
    scheme, situation = place
    values = {"scheme": scheme, "path": situation.path, "loss": situation.loss, "tcp": situation.tcp}
    return {axis.name: axis.text(values[axis.name]) for axis in AXES}


def command(name: str, data: Data, place: Place) -> str:
    """What repeats one cell of an experiment: a command, or the call in Python where only Python knows the scheme."""
    from faircast.guests import is_class

    only = written(place)
    if is_class(place[0]):
        more = f"{'' if is_usual(data) else f', reps={len(data.seeds)}'}{', quick=True' if data.quick else ''}"
        return f'faircast.reproduce("{name}", only={only}{more})'
    if place[0].endswith(SUFFIX):  # the command holds in every folder
        only["scheme"] = str(File(place[0]).absolute())
    parts = ["faircast", "reproduce", name]
    for axis, value in only.items():
        parts += ["--only", f"{axis}='{value}'" if "," in value else f"{axis}={value}"]
    return shlex.join([*parts, *extent(data)])


def is_usual(data: Data) -> bool:
    """Whether there are as many seeds as without ``--reps``."""
    return len(data.seeds) == (QUICK_REPS if data.quick else SEEDS)


def extent(data: Data) -> list[str]:
    """The options that say how many seeds and points were taken; none if these are the usual ones."""
    return [*([] if is_usual(data) else ["--reps", str(len(data.seeds))]), *(["--quick"] if data.quick else [])]


def over_receivers(name: str, of: Callable[[Data, Situation, str], Spread], **more: Any) -> list[Quantity]:
    """The median, the least and the greatest of what receivers, flows or bottlenecks have."""

    def one(which: str) -> Callable[[Data, Place], Estimate]:
        return lambda data, place: getattr(of(data, place[1], place[0]), which)

    return [Quantity(name=name, over=which, of=one(which), **more) for which in ("median", "least", "greatest")]


def square(quantity: Quantity, data: Data, place: Place) -> Square:
    """A number of a cell as heat maps draw it."""
    found = quantity.of(data, place)
    return Square(value=found.mean, decided=is_decided(quantity, found), reason=quantity.reason(found.mean))


def squares(quantity: Quantity, data: Data) -> dict[Place, Square]:
    """All of them."""
    return {place: square(quantity, data, place) for place in places(data)}


def is_decided(quantity: Quantity, found: Estimate) -> bool:
    """Whether a number differs from what is neutral; always so if nothing is."""
    from faircast.experiments.side_by_side.estimates import decided

    return quantity.neutral is None or math.isnan(found.mean) or decided(found, quantity.neutral)


def rows(name: str, quantities: Iterable[Quantity], data: Data) -> list[dict[str, Any]]:
    """All numbers of an experiment for machines, one in each row."""
    quantities = list(quantities)
    found = []
    for place in places(data):
        for quantity in quantities:
            value = quantity.of(data, place)
            neutral = quantity.neutral is not None and not math.isnan(value.mean)
            low, high = value.interval or (None, None)
            found.append(
                {
                    **written(place),
                    "measure": quantity.name,
                    "over": quantity.over,
                    "unit": quantity.unit,
                    "value": in_words(value.mean),
                    "ci95": value.ci95,
                    "low": in_words(low),
                    "high": in_words(high),
                    "n": value.n,
                    "neutral": quantity.neutral,
                    "decided": is_decided(quantity, value) if neutral else None,
                    "reason": quantity.reason(value.mean),
                    "command": command(name, data, place),
                }
            )
    return found


def in_words(value: float | None) -> float | str | None:
    """A number as rows for machines have it: JSON knows none that is infinite."""
    return "inf" if value == math.inf else value


def numbers(name: str, quantities: Mapping[str, Quantity], data: Data, *, bare: Collection[str] = ()) -> Numbers:
    """Numbers with their intervals as a table for people, a row for each cell; `quantities` by the words above them.

    Those of `bare` have no intervals, for want of room.
    """
    found = []
    for place in places(data):
        only = written(place)
        cells = [text_of(one.of(data, place), bare=words in bare) for words, one in quantities.items()]
        found.append([only["scheme"], " ".join(list(only.values())[1:]), *cells])
    axes = " ".join([*(f"--only {axis.name}={axis.name.upper()}" for axis in AXES), *extent(data)])
    note = f"A row alone: faircast reproduce {name} {axes}; cells.csv has it written out for every row."
    return Numbers(columns=["scheme", "path, loss, TCP", *quantities], rows=found, note=note, whole=["path, loss, TCP"])


def text_of(found: Estimate, *, bare: bool = False) -> str:
    """A number with its interval in few signs; all digits are in ``cells.csv``."""
    if not math.isfinite(found.mean):
        return "-" if math.isnan(found.mean) else "infinite"
    size = abs(found.mean)
    digits = next((n for n, least in enumerate((100, 10, 1, 0.01)) if size >= least), 3 if size == 0 else 4)
    text = f"{found.mean:.{digits}f}"
    if bare or found.interval is None:
        return text
    if found.ci95 is not None:
        return f"{text} ± {found.ci95:.{digits}f}"
    return f"{text} ({' to '.join(f'{end:.{digits}f}' for end in found.interval)})"


def counted(quantity: Quantity, words: tuple[str, str], about: str = "") -> list[Criterion]:
    """Criteria that judge nothing: how many cells lie below and above the neutral value, and are undecided.

    `about` tells several of an experiment apart: ``", in delay"``.
    """

    def of(keep: Callable[[Square], bool]) -> Callable[[Data], Measured]:
        def evaluate(data: Data) -> Measured:
            found = squares(quantity, data)
            kept = [place for place, one in found.items() if keep(one)]
            parts = [
                f"{path} {sum(one.path == key for _, one in kept)} of {sum(one.path == key for _, one in found)}"
                for key, path in PATH_NAMES.items()
                if any(one.path == key for _, one in found)
            ]
            return Measured(value=len(kept), note=", ".join(parts))

        return evaluate

    neutral = quantity.neutral or 0.0

    def at(sign: int) -> Callable[[Square], bool]:
        return lambda one: one.decided and sign * (one.value - neutral) > 0

    below, above = words
    return [
        Criterion(name=f"cells in which {below}{about}", published="not stated", evaluate=of(at(-1))),
        Criterion(name=f"cells in which {above}{about}", published="not stated", evaluate=of(at(1))),
        Criterion(
            name=f"undecided cells: the interval includes {neutral:g}{about}",
            published="not stated",
            evaluate=of(lambda one: not one.decided),
        ),
        Criterion(
            name=f"cells without a number{about}",
            published="not stated",
            evaluate=of(lambda one: math.isnan(one.value)),
        ),
    ]


def ranged(quantity: Quantity, name: str) -> list[Criterion]:
    """Criteria that judge nothing: the least and the greatest number of all cells, and where they are."""

    def of(which: int) -> Callable[[Data], Measured]:
        def evaluate(data: Data) -> Measured:
            ends = extremes(quantity, data)
            if ends is None:
                return Measured(value=None, note="no cell has a number")
            found = quantity.of(data, ends[which])
            return Measured(value=found.mean, ci95=found.ci95, note=named(ends[which]))

        return evaluate

    return [
        Criterion(name=f"{name}, {word} of all cells", published="not stated", evaluate=of(which))
        for which, word in enumerate(("least", "greatest"))
    ]


def sides(quantity: Quantity, data: Data) -> tuple[int, int, int, int]:
    """How many cells lie below what is neutral, above it, are undecided, and how many there are."""
    found, neutral = squares(quantity, data).values(), quantity.neutral or 0.0
    below = sum(one.decided and one.value < neutral for one in found)
    above = sum(one.decided and one.value > neutral for one in found)
    return below, above, sum(not one.decided for one in found), len(found)


def extremes(quantity: Quantity, data: Data) -> tuple[Place, Place] | None:
    """The cells with the least and the greatest number; None if no cell has one."""
    found = {place: value for place, one in squares(quantity, data).items() if not math.isnan(value := one.value)}
    return (min(found, key=lambda place: found[place]), max(found, key=lambda place: found[place])) if found else None


def told(subject: str, quantity: Quantity, data: Data) -> str:
    """The least and the greatest number with their cells, as a clause about `subject`."""
    ends = extremes(quantity, data)
    if ends is None:
        return f"{subject} is defined in no cell"
    texts = [f"{value_text(quantity.of(data, place).mean)} with {named(place)}" for place in dict.fromkeys(ends)]
    return f"{subject} is {texts[0]}" if len(texts) == 1 else f"{subject} ranges from {texts[0]} to {texts[1]}"


def value_text(value: float) -> str:
    """A number for sentences."""
    from faircast.experiment import plain

    return "infinite" if math.isinf(value) else plain(value, 2)
