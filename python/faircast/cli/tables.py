"""Tables for people, on a terminal of any width."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from faircast.cli.streams import legible
from faircast.cli.terminal import NOT_A_TERMINAL, wide, words, wrapped
from faircast.cli.terminal import columns as columns_of_terminal

BETWEEN = 3
"""Signs between two columns."""
READABLE = 24
"""Columns that a longer text gets at least: narrower than that one reads it word by word."""


@dataclass(frozen=True)
class Column:
    """One column with what it needs."""

    heading: str
    cells: list[str]
    is_number: bool
    is_whole: bool
    """Neither the heading nor a cell may be broken into lines."""

    @property
    def least(self) -> int:
        """The width below which a number, a word, or what is to stay whole would break."""
        headings = [self.heading] if self.is_whole else words(self.heading)
        if self.is_number or self.is_whole:
            return max(map(wide, [*self.cells, *headings, ""]))
        parts = [word for cell in self.cells for word in words(cell)]
        return max(map(wide, [*parts, *headings, " " * min(READABLE, self.natural)]))

    @property
    def natural(self) -> int:
        """The width at which nothing has to be broken."""
        return max(map(wide, [self.heading, *self.cells]))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> None:
    """Print a table that fits the terminal; no number and no word is ever broken.

    Columns named in `right` hold numbers: they are aligned at their right end and stay in one line, as do those named
    in `whole`. Other cells, and headings, are texts, broken between words. Columns in which every cell is empty are
    left out. The first of these forms that fits is taken:

    1. the table as it is, texts in as many lines as they need, but not narrower than 24 columns;
    2. turned over, if there are numbers only beside the first column: a column for each row, a line for each column;
    3. in pieces one below the other, if the columns from the first number on are all numbers: each piece repeats the
       columns before;
    4. a block for each row, with a line for each cell.

    The width is that of ``COLUMNS``, otherwise of the terminal, otherwise 160.
    """
    width = columns_of_terminal() or NOT_A_TERMINAL
    made = [
        Column(legible(name), [legible(row[i]) for row in rows], name in right, name in whole)
        for i, name in enumerate(columns)
    ]
    made = [column for column in made if any(column.cells) or not rows]
    keys = next((i for i, column in enumerate(made) if column.is_number), len(made))
    only_numbers_follow = keys > 0 and all(column.is_number for column in made[keys:])
    if fits(made, width):
        draw(made, width)
    elif only_numbers_follow and keys == 1 and fits(turned(made), width):
        draw(turned(made), width)
    elif only_numbers_follow and all(fits([*made[:keys], column], width) for column in made[keys:]):
        for piece in pieces(made[:keys], made[keys:], width):
            draw(piece, width)
    else:
        draw_blocks(made, width)


def total(widths: Sequence[int]) -> int:
    """The width of a table of such columns."""
    return sum(widths) + BETWEEN * (len(widths) - 1) + 2


def fits(columns: Sequence[Column], width: int) -> bool:
    """Whether the table finds room without breaking anything."""
    return total([column.least for column in columns]) <= width


def turned(columns: Sequence[Column]) -> list[Column]:
    """The table turned over: rows as columns."""
    first, *others = columns
    headings = Column(first.heading, [column.heading for column in others], is_number=False, is_whole=True)
    made = [
        Column(name, [column.cells[i] for column in others], is_number=True, is_whole=True)
        for i, name in enumerate(first.cells)
    ]
    return [headings, *made]


def pieces(keys: Sequence[Column], numbers: Sequence[Column], width: int) -> list[list[Column]]:
    """The columns of numbers in as few pieces as possible, each after the keys."""
    found = [[*keys]]
    for column in numbers:
        if len(found[-1]) > len(keys) and not fits([*found[-1], column], width):
            found.append([*keys])
        found[-1].append(column)
    return found


def shared(columns: Sequence[Column], width: int) -> list[int]:
    """The widths of columns that fit: what is left beyond the least goes in equal steps to those that can use it."""
    widths = [column.least for column in columns]
    natural = [column.natural for column in columns]
    left = width - total(widths)
    while left > 0 and (hungry := [i for i, now in enumerate(widths) if now < natural[i]]):
        for i in hungry[:left]:
            widths[i] += 1
        left -= len(hungry[:left])
    return widths


def draw(columns: Sequence[Column], width: int) -> None:
    """Print a table that fits."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    rooms = shared(columns, width)
    for column, room in zip(columns, rooms, strict=True):
        justify: Literal["left", "right"] = "right" if column.is_number else "left"
        shown.add_column(Text(wrapped(column.heading, room)), justify=justify, width=room)
    for row in zip(*(column.cells for column in columns), strict=True):
        shown.add_row(*(Text(wrapped(cell, room)) for cell, room in zip(row, rooms, strict=True)))
    out = Console(highlight=False, width=max(width, total([column.least for column in columns])))
    with out.capture() as drawn:
        out.print(shown)
    print("\n".join(line.rstrip() for line in drawn.get().split("\n")), end="")


def draw_blocks(columns: Sequence[Column], width: int) -> None:
    """Print a block for each row: the heading before each cell that is not empty, texts with a hanging indent."""
    margin = max(wide(column.heading) for column in columns) + 2
    if margin > width / 2:
        margin = 4
    print()
    for row in zip(*(column.cells for column in columns), strict=True):
        for column, cell in zip(columns, row, strict=True):
            if not cell:
                continue
            first = f"{column.heading:<{margin}}"
            if wide(first) > margin:
                print(column.heading)
                first = " " * margin
            print(wrapped(cell, width, first=first, later=" " * margin))
        print()
    sys.stdout.flush()
