"""Many subjects of one kind in few lines: rows of hosts, links and flows whose names differ in a number only."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"\d+")
LINES_SHOWN = 20
"""Lines of a table at most, unless so many families are to be shown."""
FEWEST = 3
"""Members from which on a family is one line."""

Cells = Sequence[tuple[float, str]]
"""A subject's values, NaN where it has none, and what is shown of them."""


@dataclass(frozen=True)
class Line:
    """A line of a table."""

    name: str
    cells: list[str]


def lines(subjects: Mapping[str, Cells], *, always: bool, extremes: bool) -> tuple[list[Line], int]:
    """The lines of a table of subjects, and how many subjects are in none of them.

    A family, subjects whose names differ in their numbers only, is one line with the range of each value, if

    * it has three members or more, and all of them show the same, or
    * it has more members than three, and either `always`, or all subjects together are more than 20.

    Below the line of a family that differs stand those of its members with the lowest (if `extremes`) and the highest
    first value. If more than 20 lines are left those of single subjects with the lowest and highest first values are
    shown, or only with the highest.
    """
    families: dict[str, list[str]] = {}
    for name in subjects:
        families.setdefault(NUMBER.sub("*", name), []).append(name)
    crowded = len(subjects) > LINES_SHOWN
    places = {name: place for place, name in enumerate(subjects)}
    found: list[tuple[int, Line]] = []
    single: list[str] = []
    for members in families.values():
        is_equal = len({tuple(text for _, text in subjects[name]) for name in members}) == 1
        if len(members) >= FEWEST and (is_equal or (len(members) > FEWEST and (always or crowded))):
            found += [(places[members[0]], line) for line in family(members, subjects, extremes=extremes)]
        else:
            single += members
    room = max(LINES_SHOWN - len(found), 2 if extremes else 1)
    kept = chosen(single, lambda name: first_value(subjects[name]), room, extremes=extremes)
    found += [(places[name], Line(name, [text for _, text in subjects[name]])) for name in kept]
    return [line for _, line in sorted(found, key=lambda item: item[0])], len(single) - len(kept)


def family(members: Sequence[str], subjects: Mapping[str, Cells], *, extremes: bool) -> list[Line]:
    """The lines of a family: its ranges, and the members at the ends unless all are equal."""
    columns = list(zip(*(subjects[name] for name in members), strict=True))
    found = [Line(common_name(members), [spread(column) for column in columns])]
    if all(len({text for _, text in column}) == 1 for column in columns):
        return found
    ranked = sorted(members, key=lambda name: first_value(subjects[name]))
    ends = [(ranked[0], "lowest")] if extremes else []
    ends.append((ranked[-1], "highest"))
    return [*found, *(Line(f"  {name}, {end}", [text for _, text in subjects[name]]) for name, end in ends)]


def spread(column: Sequence[tuple[float, str]]) -> str:
    """The values of a family: what all show, or the lowest and the highest mean."""
    known = sorted((value, text) for value, text in column if not math.isnan(value))
    if len({text for _, text in column}) == 1 or not known:
        return column[0][1]
    low, high = (text.partition(" ± ")[0] for _, text in (known[0], known[-1]))
    return low if low == high else f"{low} to {high}"


def common_name(members: Sequence[str]) -> str:
    """``web-0..9``; how many there are is added where the numbers have gaps or names differ in several."""
    numbers = [[int(number) for number in NUMBER.findall(name)] for name in members]
    varying = [i for i in range(len(numbers[0])) if len({row[i] for row in numbers}) > 1]
    parts = NUMBER.split(members[0])
    names = [str(number) for number in numbers[0]]
    for i in varying:
        values = [row[i] for row in numbers]
        names[i] = f"{min(values)}..{max(values)}"
    name = "".join(part + number for part, number in zip(parts, [*names, ""], strict=True))
    if len(varying) == 1:
        values = [row[varying[0]] for row in numbers]
        if max(values) - min(values) + 1 == len(values):
            return name
    return f"{name} ({len(members)})"


def chosen(names: Sequence[str], value: Callable[[str], float], room: int, *, extremes: bool) -> list[str]:
    """As many names as there is room for: those with the highest values, and with the lowest if `extremes`."""
    if len(names) <= room:
        return list(names)
    ranked = sorted(names, key=value)
    low = room // 2 if extremes else 0
    return [*ranked[:low], *ranked[len(ranked) - (room - low) :]]


def first_value(cells: Cells) -> float:
    """What members are ranked by; those without a value are the lowest."""
    return -math.inf if not cells or math.isnan(cells[0][0]) else cells[0][0]
