"""What texts and tables of objects are made of.

The tables are plain HTML, escaped, without colours, scripts or anything from elsewhere, so that they look the same on
light and on dark notebooks and in saved ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from faircast.errors import shortened
from faircast.ranges import to_ranges

ROWS_SHOWN = 20
NAMES_SHOWN = 8
LINE = "border-bottom: 1px solid rgba(128, 128, 128, 0.4); padding: 0.2em 0.8em"


@dataclass(frozen=True)
class Grid:
    """A table of texts: the first column names the rows, the others hold numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: bool = False
    """Whether the others hold words."""


def described(kind: str, head: str, *lines: str) -> str:
    """A text for ``repr``: ``<RunResult: head``, and indented lines, those that are not empty."""
    return "\n".join([f"<{kind}: {shortened(head)}", *(f"  {shortened(line)}" for line in lines if line)]) + ">"


def html(head: str, *grids: Grid, notes: Iterable[str] = ()) -> str:
    """A text for ``_repr_html_``: a heading, tables of at most `ROWS_SHOWN` rows, notes. All of it is escaped."""
    parts = [f"<p><strong>{escape(head)}</strong></p>", *(_grid(grid) for grid in grids if grid.rows)]
    parts += [f"<p>{escape(note)}</p>" for note in notes if note]
    return f"<div>{''.join(parts)}</div>"


def some(names: Sequence[str], most: int = NAMES_SHOWN) -> str:
    """``a, b, c``; of many names the first and how many more there are."""
    if len(names) <= most:
        return ", ".join(names)
    return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"


def ranges(numbers: Sequence[int]) -> str:
    """``1 to 10, 12``."""
    return some([str(first) if first == last else f"{first} to {last}" for first, last in to_ranges(numbers)])


def rate_unit(highest: float) -> tuple[float, str]:
    """The unit in which rates up to `highest`, bit/s, are shown, and what they are multiplied by."""
    return (1e-6, "Mbit/s") if highest >= 1e6 else (1e-3, "kbit/s")


def _grid(grid: Grid) -> str:
    def line(kind: str, texts: Sequence[str]) -> str:
        sides = ["left", *["left" if grid.words else "right"] * (len(texts) - 1)]
        cells = zip(sides, map(escape, map(shortened, texts)), strict=True)
        return "".join(f'<{kind} style="text-align: {side}; {LINE}">{text}</{kind}>' for side, text in cells)

    head = line("th", grid.columns)
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in grid.rows[:ROWS_SHOWN])
    more = len(grid.rows) - ROWS_SHOWN
    rest = f"<p>and {more} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"
