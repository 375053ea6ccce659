"""Quantities of scenarios, a number with its unit, as numbers: ``"20 ms"``, ``"1.5 Mbit/s"``, ``"50 packets"``."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from faircast.errors import InputError, brief

TIMES = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
RATES = {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
BYTES = {"B": 1.0, "KB": 1e3, "kB": 1e3, "MB": 1e6, "GB": 1e9}
KINDS = (TIMES, RATES, BYTES)
"""Units that can be turned into each other."""

TEXT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s].*?)?\s*")


class Quantity(NamedTuple):
    """A number and the unit that stands behind it, empty if none does."""

    number: float
    unit: str


def read(value: object) -> Quantity | None:
    """A number, or a text that is a number with a unit; None for anything else (names, tables, yes or no)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Quantity(float(value), "")
    found = TEXT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    unit = found[2] or ""
    return Quantity(float(found[1]), "packets" if unit == "packet" else unit)


def seconds(value: str | float, what: str) -> float:
    """A moment or a length of time in seconds: a number of them, or a text with its unit.

    Raises `InputError` for what is none, naming it `what`.
    """
    found = read(value)
    if found is not None and found.unit in TIMES:
        at = found.number * TIMES[found.unit]
    elif found is not None and not isinstance(value, str):
        at = found.number
    elif found is not None and found.unit == "":
        raise InputError(f"{what} is {brief(value)}; write it with its unit, such as '{str(value).strip()} s'")
    else:
        raise InputError(f"{what} is {brief(str(value))}; legal is a time, such as '37 s' or '250 ms'")
    if not math.isfinite(at) or at < 0:
        raise InputError(f"{what} is {brief(value)}; legal are times from 0 s on")
    return at


def on_one_scale(values: list[object]) -> tuple[list[float], str] | None:
    """Values as numbers of one unit, and that unit; None if they are not numbers that can be compared.

    Times, rates and sizes are turned into the largest unit in which all that are not zero are at least one, otherwise
    the smallest that is named.
    """
    found = [read(value) for value in values]
    known = [item for item in found if item is not None]
    if len(known) < len(found) or not known:
        return None
    units = list(dict.fromkeys(item.unit for item in known))
    if len(units) == 1:
        return [item.number for item in known], units[0]
    for kind in KINDS:
        if all(unit in kind for unit in units):
            in_base = [item.number * kind[item.unit] for item in known]
            by_size = sorted(units, key=kind.__getitem__)
            fitting = [unit for unit in by_size if all(abs(x) >= kind[unit] for x in in_base if x)]
            unit = fitting[-1] if fitting else by_size[0]
            # Divided by what the unit is, 500 us are exactly 0.5 ms where multiplied by 1000 they might not be.
            return [float(f"{x / kind[unit]:.12g}") for x in in_base], unit
    return None
