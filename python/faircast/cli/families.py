"""Many subjects of one kind in few lines: rows of hosts, links and flows whose names differ in a number only."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

NUMBER = re.compile(r"\d+")
LINES_SHOWN = 20
"""Lines of a table at most, unless so many families are to be shown."""
FEWEST = 3
"""Members from which on a family is one line."""


@dataclass(frozen=True)
class Column:
    """A column of a table of subjects, in their order: texts are made of those that are shown."""

    values: Sequence[Sequence[float]]
    """What stands there: the first number ranks it, NaN for none."""
    text: Callable[[Sequence[float]], str]

    def shown(self, place: int) -> str:
        """The text of a subject."""
        return self.text(self.values[place])

    def rank(self, place: int) -> float:
        """What a subject is ranked by; those without a value are the lowest."""
        value = self.values[place][0]
        return -math.inf if math.isnan(value) else value

    def is_equal(self, places: Sequence[int]) -> bool:
        """Whether these subjects show the same."""
        import numpy as np

        values = np.asarray(self.values, float)[places]
        same = (values == values[0]) | (np.isnan(values) & np.isnan(values[0]))
        first = self.text(values[0])
        return all(self.text(values[place]) == first for place in np.flatnonzero(~same.all(axis=1)))


@dataclass(frozen=True)
class Line:
    """A line of a table."""

    name: str
    cells: list[str]


def lines(
    subjects: Sequence[str], columns: Sequence[Column], *, always: bool, extremes: bool
) -> tuple[list[Line], int]:
    """The lines of a table of subjects, and how many subjects are in none of them.

    A family, subjects whose names differ in their numbers only, is one line with the range of each value, if

    * it has three members or more, and all of them show the same, or
    * it has more members than three, and either `always`, or all subjects together are more than 20.

    Below the line of a family that differs stand those of its members with the lowest (if `extremes`) and the highest
    first value. If more than 20 lines are left those of single subjects with the lowest and highest first values are
    shown, or only with the highest.
    """
    families: dict[str, list[int]] = {}
    for place, name in enumerate(subjects):
        families.setdefault(NUMBER.sub("*", name), []).append(place)
    crowded = len(subjects) > LINES_SHOWN
    found: list[tuple[int, Line]] = []
    single: list[int] = []
    for members in families.values():
        several = len(members) >= FEWEST
        if several and ((len(members) > FEWEST and (always or crowded)) or all(c.is_equal(members) for c in columns)):
            found += [(members[0], line) for line in family(members, subjects, columns, extremes=extremes)]
        else:
            single += members
    room = max(LINES_SHOWN - len(found), 2 if extremes else 1)
    kept = chosen(single, columns, room, extremes=extremes)
    found += [(place, Line(subjects[place], [column.shown(place) for column in columns])) for place in kept]
    return [line for _, line in sorted(found, key=lambda item: item[0])], len(single) - len(kept)


def family(members: Sequence[int], subjects: Sequence[str], columns: Sequence[Column], *, extremes: bool) -> list[Line]:
    """The lines of a family: its ranges, and the members at the ends unless all are equal."""
    equal = [column.is_equal(members) for column in columns]
    texts = [
        column.shown(members[0]) if same else spread(column, members)
        for column, same in zip(columns, equal, strict=True)
    ]
    found = [Line(common_name([subjects[place] for place in members]), texts)]
    if all(equal):
        return found
    rank = columns[0].rank
    ends = [(min(members, key=rank), "lowest")] if extremes else []
    ends.append((max(reversed(members), key=rank), "highest"))
    return [
        *found,
        *(Line(f"  {subjects[place]}, {end}", [column.shown(place) for column in columns]) for place, end in ends),
    ]


def spread(column: Column, members: Sequence[int]) -> str:
    """The values of a family that differ: the lowest and the highest mean."""
    known = [value for place in members if not math.isnan((value := tuple(column.values[place]))[0])]
    if not known:
        return column.shown(members[0])
    low, high = min(value[0] for value in known), max(value[0] for value in known)
    at_ends = [{column.text(value) for value in known if value[0] == end} for end in (low, high)]
    first, last = (text.partition(" ± ")[0] for text in (min(at_ends[0]), max(at_ends[1])))
    return first if first == last else f"{first} to {last}"


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


def chosen(places: Sequence[int], columns: Sequence[Column], room: int, *, extremes: bool) -> list[int]:
    """As many as there is room for: those with the highest first values, and with the lowest if `extremes`."""
    if len(places) <= room:
        return list(places)
    ranked = sorted(places, key=columns[0].rank) if columns else list(places)
    low = room // 2 if extremes else 0
    return [*ranked[:low], *ranked[len(ranked) - (room - low) :]]
