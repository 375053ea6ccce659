"""Designs: which points of ranges a sweep takes, drawn so that they fill the space or tell what a range decides.

A range is ``1..100 Mbit/s``, on a logarithmic scale ``1..100 Mbit/s:log``; whole numbers without a unit, and packets
and bytes, stay whole. A list of values may stand beside ranges; each of its values is as probable as the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, brief, choose
from faircast.manifest import MANIFEST, read_manifest
from faircast.scenario import plain, whole
from faircast.vary import POINTS_MAX, check_paths, known_by, spelled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INDICES = "sobol-indices"
"""The design of which `faircast.sensitivity` makes indices."""
DESIGNS = ("latin", "sobol", INDICES)
SAMPLES = {"latin": 64, "sobol": 64, INDICES: 256}
"""Samples of each, unless said."""
DIGITS = 6
"""Significant digits of what is drawn: a value in a file can be read."""
NUMBER = r"([+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)"
RANGE = re.compile(rf"\s*{NUMBER}\s*([^\d\s.:][^.:]*?)?\s*\.\.\s*{NUMBER}\s*([^\d\s.:][^:]*?)?\s*(?::\s*(\w+))?\s*")
COUNTED = frozenset(("packet", "packets", "B"))
"""Units of what comes whole."""


@dataclass(frozen=True)
class Range:
    """Values from one number to another."""

    path: str
    text: str
    """As it was given."""
    low: float
    high: float
    unit: str
    log: bool
    whole: bool

    def at(self, place: float) -> Any:
        """The value at a place from 0 up to 1: equal parts of the range, or of its logarithm, are equally probable."""
        above = self.high + 1 if self.whole else self.high  # the last whole number has a part of its own
        x = self.low * (above / self.low) ** place if self.log else self.low + place * (above - self.low)
        return self.value(min(math.floor(x), self.high) if self.whole else x)

    def value(self, number: float) -> Any:
        """A number as the scenario has it: with its unit, and digits that can be read."""
        if self.whole:
            return f"{int(number)} {self.unit}" if self.unit else int(number)
        text = f"{Decimal(f'{number:.{DIGITS}g}'):f}"  # without an exponent
        return f"{text} {self.unit}" if self.unit else float(text)


@dataclass(frozen=True)
class Choice:
    """Values of a list, each as probable as the others."""

    path: str
    values: tuple[Any, ...]

    @property
    def text(self) -> list[Any]:
        """As it was given."""
        return list(self.values)

    def at(self, place: float) -> Any:
        """The value at a place from 0 up to 1."""
        return self.values[min(int(place * len(self.values)), len(self.values) - 1)]


Axis = Range | Choice


@dataclass(frozen=True)
class Design:
    """Points of ranges."""

    kind: str
    samples: int
    axes: tuple[Axis, ...]
    seed: int

    def rows(self) -> list[dict[str, Any]]:
        """The points, each once: whole numbers and lists give some several times."""
        drawn = [{axis.path: value for axis, value in zip(self.axes, row, strict=True)} for row in self.values()]
        return list({known_by(row): row for row in drawn}.values())

    def values(self) -> list[tuple[Any, ...]]:
        """All rows of the design, in its order; see `places`."""
        return [tuple(axis.at(float(x)) for axis, x in zip(self.axes, row, strict=True)) for row in self.places()]

    def places(self) -> NDArray[np.float64]:
        """Places from 0 up to 1, a row for each sample and a column for each path.

        Of ``sobol-indices`` these are the matrices A, B, and then for each path A with its column from B, each of them
        with so many rows as there are samples (Saltelli et al. 2010, table 2).
        """
        import numpy as np

        count = len(self.axes)
        if self.kind == "latin":
            return drawn("LatinHypercube", count, self.samples, self.seed)
        if self.kind == "sobol":
            return drawn("Sobol", count, self.samples, self.seed)
        both = drawn("Sobol", 2 * count, self.samples, self.seed)
        a, b = both[:, :count], both[:, count:]
        parts = [a, b]
        for column in range(count):
            mixed = a.copy()
            mixed[:, column] = b[:, column]
            parts.append(mixed)
        return np.concatenate(parts)

    def to_json(self) -> dict[str, Any]:
        """The design as the manifest holds it."""
        ranges = {axis.path: axis.text for axis in self.axes}
        return {"kind": self.kind, "samples": self.samples, "vary": ranges, "seed": self.seed}

    @property
    def same(self) -> dict[str, Any]:
        """What two designs have in common whose points belong into one folder: a Sobol' sequence can be longer."""
        kept = self.to_json()
        return kept if self.kind == "latin" else {key: value for key, value in kept.items() if key != "samples"}


def drawn(engine: str, count: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Points of the unit cube from one of scipy's engines, the same for a seed."""
    from typing import cast

    import numpy as np
    from scipy.stats import qmc

    random = np.random.default_rng(seed)
    try:
        made = getattr(qmc, engine)(d=count, rng=random)
    except TypeError:  # before scipy 1.15
        made = getattr(qmc, engine)(d=count, seed=random)
    return cast("NDArray[np.float64]", made.random(samples))


def design_of(kind: str, vary: Mapping[str, Any], samples: int | None, seed: int) -> Design:
    """A design. Raises `InputError` for ranges that are none, and for numbers of samples that it cannot have."""
    choose("design", kind, DESIGNS)
    if not vary:
        raise InputError(f"--design {kind} needs ranges: --vary 'links.bottleneck.rate=1..100 Mbit/s:log'")
    check_paths([str(path) for path in vary])
    axes = tuple(axis_of(spelled(str(path)), values) for path, values in vary.items())
    if kind == INDICES and len(axes) < 2:
        raise InputError(
            f"--design {kind} has one path, {axes[0].path}, which all variance is then due to; legal are 2 on"
        )
    number = SAMPLES[kind] if samples is None else whole("--samples", samples)
    if number < 2:
        raise InputError(f"--samples is {number}; legal is 2 on")
    if kind != "latin" and number & (number - 1):
        near = 2 ** round(math.log2(number))
        raise InputError(f"--samples is {number}; a Sobol' sequence is even at powers of two only, such as {near}")
    if kind == INDICES and number * (len(axes) + 2) > POINTS_MAX:
        raise InputError(
            f"--samples {number} makes {number * (len(axes) + 2)} points of {len(axes)} paths, samples times paths and "
            f"two; legal are {POINTS_MAX}"
        )
    return Design(kind, number, axes, seed)


def from_json(kept: Mapping[str, Any]) -> Design:
    """The design that a manifest holds."""
    axes = tuple(axis_of(path, values) for path, values in kept["vary"].items())
    return Design(kept["kind"], kept["samples"], axes, kept["seed"])


def check_design(path: Path, design: Design | None) -> None:
    """Refuse a folder whose points another design has drawn: they would not be told apart any more."""
    if not (path / MANIFEST).exists():
        return
    held = read_manifest(path).get("design")
    before = None if held is None else from_json(held)
    if (before and before.same) != (design and design.same):
        raise InputError(
            f"{path} holds {'points that no design drew' if before is None else f'the design {before.kind} of ranges'}"
            f"{'' if before is None else ' ' + brief(str(before.to_json()['vary']))}; choose another folder with --out"
        )


def axis_of(path: str, values: Any) -> Axis:
    """A range or a list of values."""
    listed = [values] if isinstance(values, str) else list(values)
    if len(listed) == 1 and is_range(listed[0]):
        return range_of(path, listed[0])
    for value in listed:
        if is_range(value):
            raise InputError(f"--vary {path}: {brief(str(value))} is a range; it stands alone, not in a list")
    if len(listed) < 2:
        raise InputError(
            f"--vary {path}={brief(str(listed[0]) if listed else '')}: a design takes ranges, '1..100 Mbit/s', and "
            "lists of two values or more; --set gives one to all points"
        )
    return Choice(path, tuple(plain(value) for value in listed))


def is_range(value: Any) -> bool:
    """Whether a value is the text of a range, legal or not."""
    return isinstance(value, str) and RANGE.fullmatch(value) is not None


def range_of(path: str, text: str) -> Range:
    """A range as it is typed: two numbers, a unit behind the second or behind both, the scale behind a colon."""
    found = RANGE.fullmatch(text)
    option = f"--vary {path}={brief(text)}"
    if found is None:
        raise InputError(f"{option}: a range is two numbers and a unit, such as '1..100 Mbit/s' or '1..100 Mbit/s:log'")
    from_text, from_unit, to_text, to_unit, scale = found.groups()
    unit = (to_unit or from_unit or "").strip()
    if from_unit and from_unit.strip() != unit:
        raise InputError(f"{option}: the ends have the units {from_unit.strip()} and {unit}; write both in one unit")
    low, high = float(from_text), float(to_text)
    if scale not in (None, "log", "linear"):
        raise InputError(f"{option}: the scale is {brief(scale)}; legal are log and linear")
    if not low < high:
        raise InputError(f"{option}: a range goes from the smaller number to the larger one")
    if scale == "log" and low <= 0:
        raise InputError(f"{option}: {from_text} has no logarithm; begin above 0, or leave out :log")
    is_whole = "." not in from_text + to_text and low.is_integer() and high.is_integer()
    return Range(path, text, low, high, unit, scale == "log", is_whole and (not unit or unit in COUNTED))


def refuse_ranges(vary: Mapping[str, Any]) -> None:
    """Raise an `InputError` if a range is given where no design says which of its points are meant."""
    for path, values in vary.items():
        listed: Sequence[Any] = [values] if isinstance(values, str) else values if isinstance(values, list) else []
        for value in listed:
            if is_range(value):
                raise InputError(
                    f"--vary {path}={brief(value)} is a range, and no design says which of its points to take: list "
                    f"values, or give --design {', '.join(DESIGNS[:-1])} or {DESIGNS[-1]}"
                )
