"""Heat maps of the comparison: rows are schemes, columns situations, the number in every cell.

Colours go to both sides of what is neutral, blue and orange, which all kinds of eyes tell apart. A cell whose interval
includes the neutral value is undecided: it has no colour but stripes. A cell without a number says below why.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from faircast.experiments.side_by_side.cells import PATHS, TCP_NAMES, Situation
from faircast.experiments.side_by_side.queues import QUEUES
from faircast.experiments.side_by_side.schemes import Row, label
from faircast.figures import PAGE_IN, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOW, MIDDLE, HIGH = "#0072B2", "#f7f7f7", "#D55E00"
"""Blue and vermilion of Okabe and Ito (Color Universal Design, 2008)."""
GREY, STRIPES = "#eeeeee", "#b5b5b5"
CELL_IN, ROW_IN = 0.465, 0.25
NAMES_IN = 1.13
"""Widths of a column and of the names of rows at least, and the height of a row."""
LETTER_IN = 0.07
"""What a letter of such a name takes."""
GAP = 0.18
"""Between two paths, in columns."""
HEAD = 2.35
"""Height of the three lines above the rows, in rows."""
TOP_IN, HEAD_IN, BELOW_IN, NOTE_IN = 0.06, 0.18, 0.55, 0.14
"""Heights of the margin, of a title, of the scale with its words, and of a line of reasons."""
LETTERS_PER_INCH = 13
"""Letters of a title that an inch has room for."""
SOFTNESS = 0.7
"""The power of the way to an end with which colours grow: below 1, so that what is near the middle has one, too."""


@dataclass(frozen=True, kw_only=True)
class Square:
    """What is drawn of a cell."""

    value: float
    """NaN if there is none."""
    decided: bool = True
    """Whether its interval leaves the neutral value out."""
    reason: str = ""
    """Why there is no number, or what to know of one that is at its end."""


@dataclass(frozen=True, kw_only=True)
class Scale:
    """How numbers become colours and texts."""

    place: Callable[[float], float]
    """Where a value lies, -1 to 1 with 0 as the neutral one, or 0 to 1 where nothing is neutral; cut at the ends."""
    text: Callable[[float], str]
    marks: Sequence[tuple[float, str]]
    """Values on the bar of colours, with what stands below."""
    low: str
    """What the left end means."""
    high: str
    undecided: str = ""
    """What stripes mean; empty where nothing is neutral."""
    cut: tuple[bool, bool] = (True, True)
    """Whether there are values beyond the ends."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """One heat map of a figure."""

    squares: Mapping[tuple[Row, Situation], Square]
    """By scheme and situation."""
    scale: Scale
    title: str = ""


def short(value: float) -> str:
    """Two digits of a ratio, at most four signs: ``0.031``, ``0.25``, ``1.3``, ``12``."""
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) >= 999.5:
        return "≥1k"
    if abs(value) < 0.005:
        return "0" if value == 0 else "<.01"
    digits = 0 if abs(value) >= 9.95 else 1 if abs(value) >= 0.995 else 2
    return f"{value:.{digits}f}"


def signed(value: float) -> str:
    """Two digits with the sign: ``+0.25``, ``-6.8``; what is 0 after rounding has none."""
    text = f"{value:+.{1 if abs(value) >= 0.995 else 2}f}"
    return "0" if float(text) == 0 else text


def octaves(value: float, ends: float = 3.0) -> float:
    """The place of a ratio whose neutral value is 1: its binary logarithm, the ends at ``2**ends`` and its inverse."""
    if value <= 0:
        return -1.0
    return 1.0 if math.isinf(value) else max(-1.0, min(1.0, math.log2(value) / ends))


RATIO = Scale(
    place=octaves,
    text=short,
    marks=[(2.0**n, text) for n, text in enumerate(("1/8", "1/4", "1/2", "1", "2", "4", "8"), -3)],
    low="TCP gets more",
    high="the session gets more",
    undecided="undecided: the 95 % interval includes 1",
)


def linear(value: float, end: float = 0.5) -> float:
    """The place of a difference whose neutral value is 0, from ``-end`` to `end`."""
    return max(-1.0, min(1.0, value / end))


def decades(value: float, low: float, high: float) -> float:
    """The place of a positive number between two ends, by its logarithm, 0 to 1."""
    if value <= low:
        return 0.0
    return 1.0 if value >= high else math.log(value / low) / math.log(high / low)


def draw(grids: Sequence[Grid]) -> Figure:
    """The heat maps, one below the other; their rows are equal.

    So are their columns, but where queues are compared: there each path has a map of its own.
    """
    grids = [part for grid in grids for part in parted(grid)]
    schemes = list(dict.fromkeys(scheme for grid in grids for scheme, _ in grid.squares))
    lefts = [columns(ordered({situation for _, situation in grid.squares})) for grid in grids]
    names_in = max(NAMES_IN, LETTER_IN * (max(len(label(scheme)) for scheme in schemes) + 2))
    inches = max(names_in + CELL_IN * (max(max(one.values()) for one in lefts) + 1) + 0.08, PAGE_IN / 2)
    reasons = [footnotes(grid) for grid in grids]
    heights = [
        TOP_IN
        + HEAD_IN * len(titled(grid, inches))
        + ROW_IN * (len(schemes) + HEAD)
        + BELOW_IN
        + NOTE_IN * (len(notes) + 0.5 * bool(notes))
        for grid, notes in zip(grids, reasons, strict=True)
    ]
    figure, _ = panels(width=inches, height=sum(heights))
    figure.set_layout_engine("none")
    figure.clear()
    top = sum(heights)
    for grid, notes, height, of_grid in zip(grids, reasons, heights, lefts, strict=True):
        _draw_one(figure, grid, notes, schemes, of_grid, top=top, inches=inches, names_in=names_in)
        top -= height
    return figure


def parted(grid: Grid) -> list[Grid]:
    """A map for each path where queues are compared, for want of room beside each other; the first has the title."""
    situations = ordered({situation for _, situation in grid.squares})
    families = list(dict.fromkeys(one.family for one in situations))
    if not any(one.queue for one in situations) or len(families) == 1:
        return [grid]
    return [
        replace(
            grid,
            squares={place: square for place, square in grid.squares.items() if place[1].family == family},
            title="" if i else grid.title,
        )
        for i, family in enumerate(families)
    ]


def ordered(situations: set[Situation]) -> list[Situation]:
    """The columns: by path, by TCP, by queue and loss, so that the shortest words stand above single columns.

    Networks of the reader's own stand behind the others, by their names.
    """
    tcps, queues = list(TCP_NAMES), ["", *QUEUES]
    families = list(dict.fromkeys(path.family for path in PATHS.values()))
    families += sorted({one.family for one in situations if one.network})
    return sorted(
        situations,
        key=lambda one: (families.index(one.family), tcps.index(one.tcp), queues.index(one.queue), one.loss),
    )


def columns(situations: Sequence[Situation]) -> dict[Situation, float]:
    """Where columns begin, in columns; there is a gap between paths, and where queues are compared between TCPs."""
    groups = list(dict.fromkeys(group(situation) for situation in situations))
    return {one: i + GAP * groups.index(group(one)) for i, one in enumerate(situations)}


def group(situation: Situation) -> tuple[str, str]:
    """What stands close together."""
    return situation.family, situation.tcp if situation.queue else ""


def footnotes(grid: Grid) -> dict[str, str]:
    """A letter for each reason that a cell of the grid has."""
    found = dict.fromkeys(square.reason for square in grid.squares.values() if square.reason)
    return {reason: chr(ord("a") + i) for i, reason in enumerate(found)}


def titled(grid: Grid, inches: float) -> list[str]:
    """The lines of a grid's title."""
    return textwrap.wrap(grid.title, round(LETTERS_PER_INCH * inches))


def colour(place: float, scale: Scale) -> tuple[float, float, float]:
    """The colour of a place on a scale."""
    from matplotlib.colors import to_rgb

    end = to_rgb(HIGH if place > 0 and scale.undecided else LOW)
    middle = to_rgb(MIDDLE)
    part = abs(place) ** SOFTNESS
    return tuple(m + part * (e - m) for m, e in zip(middle, end, strict=True))


def _draw_one(
    figure: Figure,
    grid: Grid,
    notes: Mapping[str, str],
    schemes: Sequence[Row],
    lefts: Mapping[Situation, float],
    *,
    top: float,
    inches: float,
    names_in: float,
) -> None:
    total = figure.get_figheight()
    top -= TOP_IN
    for line in titled(grid, inches):
        figure.text(0.08 / inches, (top - 0.02) / total, line, va="top", fontsize=8.5, fontweight="bold")
        top -= HEAD_IN
    width = max(lefts.values()) + 1
    height = ROW_IN * (len(schemes) + HEAD)
    box = (names_in / inches, (top - height) / total, CELL_IN * width / inches, height / total)
    axes = figure.add_axes(box)
    axes.set(xlim=(0, width), ylim=(len(schemes), -HEAD))
    axes.axis("off")
    _draw_head(axes, lefts)
    for row, scheme in enumerate(schemes):
        axes.text(-0.12, row + 0.5, label(scheme), ha="right", va="center", fontsize=8)
        for situation, left in lefts.items():
            square = grid.squares.get((scheme, situation))
            if square is not None:
                _draw_square(axes, square, grid.scale, left, row, notes)
    _draw_scale(figure, grid.scale, top - height, inches)
    y = top - height - BELOW_IN
    for reason, letter in notes.items():
        figure.text(0.08 / inches, y / total, f"{letter}: {reason}", va="top", fontsize=7)
        y -= NOTE_IN


def _draw_head(axes: Axes, lefts: Mapping[Situation, float]) -> None:
    groups: dict[tuple[str, ...], list[float]] = {}
    compares_queues = any(situation.queue for situation in lefts)
    for situation, left in lefts.items():
        groups.setdefault((situation.family,), []).append(left)
        groups.setdefault((situation.family, situation.tcp), []).append(left)
        size = 6.5 if compares_queues else 7
        axes.text(left + 0.5, -0.15, situation.column, ha="center", va="bottom", fontsize=size)
    paths = {situation.family: situation.on for situation in lefts}
    for key, found in groups.items():
        left, right = min(found), max(found) + 1
        level = -2.3 + 0.8 * (len(key) - 1)
        narrow = right - left < 2
        if len(key) == 1:
            text = paths[key[0]].title if right - left < 3 else paths[key[0]].about
            axes.text((left + right) / 2, level, text, ha="center", va="top", fontsize=8.5, fontweight="bold")
        else:
            text = TCP_NAMES[key[1]]
            axes.text((left + right) / 2, level, text, ha="center", va="top", fontsize=6.5 if narrow else 7.5)
            axes.plot([left + 0.06, right - 0.06], [-0.83, -0.83], color="#888888", linewidth=0.6)
    what = "queue" if compares_queues else "loss on last hops"
    axes.text(-0.12, -0.15, what, ha="right", va="bottom", fontsize=7, color="#555555")
    axes.text(-0.12, -1.5, "beside TCP", ha="right", va="top", fontsize=7, color="#555555")


def _draw_square(axes: Axes, square: Square, scale: Scale, left: float, row: int, notes: Mapping[str, str]) -> None:
    from matplotlib.patches import Rectangle
    from matplotlib.patheffects import withStroke

    look: dict[str, Any] = {"linewidth": 0, "edgecolor": "none"}
    stroke: list[Any] = []
    letter = notes.get(square.reason, "")
    dark = False
    if math.isnan(square.value):
        text, look["facecolor"] = "–", "white"
    elif not square.decided:
        text = scale.text(square.value)
        look |= {"facecolor": GREY, "edgecolor": STRIPES, "hatch": "/////"}
        stroke = [withStroke(linewidth=2.2, foreground=GREY)]
    else:
        text = scale.text(square.value)
        shade = colour(scale.place(square.value), scale)
        look["facecolor"] = shade
        dark = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] < 0.58
    axes.add_patch(Rectangle((left + 0.02, row + 0.03), 0.96, 0.94, **look))
    style: dict[str, Any] = {"color": "white" if dark else "black", "path_effects": stroke}
    axes.text(left + 0.5, row + 0.53, text, ha="center", va="center", fontsize=8, **style)
    if letter:
        axes.text(left + 0.93, row + 0.1, letter, ha="right", va="top", fontsize=6, **style)


def _draw_scale(figure: Figure, scale: Scale, top: float, inches: float) -> None:
    from matplotlib.patches import Rectangle

    total = figure.get_figheight()
    two_sided = bool(scale.undecided)
    wide = inches > 6
    left, length = (0.95, 2.0) if wide else (0.85, min(2.0, inches - 2.15))
    bar = figure.add_axes((left / inches, (top - 0.22) / total, length / inches, 0.1 / total))
    steps = 240
    begin = -1.0 if two_sided else 0.0
    shades = [colour(begin + (1 - begin) * (i + 0.5) / steps, scale) for i in range(steps)]
    bar.imshow([shades], aspect="auto", extent=(begin, 1, 0, 1))
    bar.set(yticks=[])
    bar.grid(visible=False)
    bar.set_xticks([scale.place(value) for value, _ in scale.marks], [text for _, text in scale.marks], fontsize=7)
    bar.tick_params(length=2, pad=1)
    for spine in bar.spines.values():
        spine.set_visible(False)
    y = (top - 0.17) / total
    figure.text((left - 0.06) / inches, y, scale.low, ha="right", va="center", fontsize=7)
    figure.text((left + length + 0.06) / inches, y, scale.high, ha="left", va="center", fontsize=7)
    if not scale.undecided:
        return
    place = left + length + 1.35 if wide else 0.08
    y_key = top - 0.235 if wide else top - 0.5
    key = Rectangle(
        (place / inches, y_key / total),
        0.22 / inches,
        0.13 / total,
        facecolor=GREY,
        edgecolor=STRIPES,
        hatch="/////",
        linewidth=0,
        transform=figure.transFigure,
    )
    figure.add_artist(key)
    figure.text((place + 0.28) / inches, (y_key + 0.065) / total, scale.undecided, va="center", fontsize=7)
