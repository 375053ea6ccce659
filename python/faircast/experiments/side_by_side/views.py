"""What the views of comparisons share: numbers of cells, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from faircast.errors import InputError, brief, nearest
from faircast.experiment import Axis, Brought, Data
from faircast.experiments.side_by_side import runs, schemes
from faircast.experiments.side_by_side.cells import (
    BESIDE,
    SITUATIONS,
    TCP_NAMES,
    Cell,
    Situation,
)
from faircast.experiments.side_by_side.estimates import Spread
from faircast.experiments.side_by_side.heat_map import Square, ordered
from faircast.experiments.side_by_side.schemes import SCHEMES, SUFFIX, Row, label
from faircast.statistics import Estimate

Place = tuple[Row, Situation]
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
    most: float = math.inf
    """Numbers that are further from zero than this are explained."""
    beyond: str = ""
    """What is said of them."""

    def reason(self, value: float) -> str:
        """What is to be said of a number that is none, or infinite."""
        if math.isnan(value):
            return self.lacks
        return self.infinite if math.isinf(value) else self.beyond if abs(value) > self.most else ""


def foreign(text: str) -> Row:
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
    scheme = schemes.read(text) if text.endswith(SUFFIX) else text
    situation = next(one for one in SITUATIONS if one.path == "geo")
    scenario = runs.scenario(Cell(situation=situation, run=BESIDE, scheme=scheme))
    try:
        resolve(scenario)
    except InputError as error:
        (name,) = scenario["sessions"]
        problems = [(path.removeprefix(f"sessions.{name}").lstrip("."), said) for path, said in error.problems]
        hint = "" if isinstance(scheme, Brought) else "; a TOML file of a session's parameters can say more"
        raise InputError(f"scheme {brief(text)} {count(len(problems))}{hint}", problems) from None
    return scheme


SCHEME = Axis(
    name="scheme",
    values={scheme: scheme for scheme in SCHEMES},
    other=foreign,
    others="and any other scheme of the core, or a TOML file of a session's parameters",
    holds="scheme",
)
TCP = Axis(name="tcp", values={tcp: tcp for tcp in TCP_NAMES})


def places(data: Data) -> list[Place]:
    """The cells that there are, row by row."""
    cells = [key for key in data.points if isinstance(key, Cell) and key.run == BESIDE]
    situations = ordered({cell.situation for cell in cells})
    rows = dict.fromkeys(cell.scheme for cell in cells)
    return [(scheme, situation) for scheme in rows for situation in situations]


def named(place: Place) -> str:
    """A cell in words: ``TFMCC (GEO, 1 %, CUBIC)``."""
    return f"{label(place[0])} ({place[1]})"


def over_receivers(name: str, of: Callable[[Data, Situation, Row], Spread], **more: Any) -> list[Quantity]:
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
