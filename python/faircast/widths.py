"""How narrow the interval of a metric is to be: ``5 %`` of its mean, or ``0.05 Mbit/s``."""

from __future__ import annotations

import math
from dataclasses import dataclass

from faircast.errors import InputError, brief
from faircast.quantity import KINDS, read

RELATIVE = "%"


@dataclass(frozen=True)
class Width:
    """A half width that the interval of a mean is to have."""

    text: str
    """As it was given."""
    number: float
    unit: str
    """``%`` of the mean, a unit of the metric's kind, or none for metrics that have none."""

    def check(self, metric: str, unit: str) -> None:
        """Raise an `InputError` if a metric of this unit has no such width."""
        if self.unit != RELATIVE and self._factor(unit) is None:
            example = "0.05" if unit == "1" else f"0.05 {'Mbit/s' if unit == 'bit/s' else unit}"
            said = "is a plain number" if unit == "1" else f"has the unit {unit}"
            raise InputError(f"--until-ci {brief(self.text)}: {metric} {said}; legal are '5 %' or '{example}', say")

    def half(self, mean: float, unit: str) -> float:
        """The half width about this mean, in the unit of the metric."""
        if self.unit == RELATIVE:
            return self.number / 100 * abs(mean)
        return self.number * (self._factor(unit) or math.nan)

    def _factor(self, unit: str) -> float | None:
        if self.unit == ("" if unit == "1" else unit):
            return 1.0
        return next((kind[self.unit] / kind[unit] for kind in KINDS if self.unit in kind and unit in kind), None)


def width_of(given: object) -> Width:
    """A width as it is typed; a number is one without a unit. Raises `InputError` for what is none, and for zero."""
    text = given.strip() if isinstance(given, str) else repr(given)
    found = read(given)
    if found is None or not math.isfinite(found.number):
        raise InputError(f"--until-ci {brief(text)}: legal is a part of the mean, '5 %', or a width, '0.05 Mbit/s'")
    if found.number <= 0:
        raise InputError(f"--until-ci {brief(text)}: no number of seeds gives that; legal is above 0, such as '5 %'")
    return Width(text, found.number, found.unit)
