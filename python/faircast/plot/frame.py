"""The frame of a picture over time: panels above each other, a strip of ticks for what happened, title and legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from faircast import figures
from faircast.errors import InputError
from faircast.hosts.session import is_of_hosts
from faircast.plot.recording import Cut, Grid, Recording

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.plot.events import Row

WIDTHS = {"page": figures.PAGE_IN, "column": figures.COLUMN_IN}
CUT_OFF = 2.0
"""How many times higher than all after it the warm-up must be to be cut off."""
POINTS_PER_IN = 20
"""As many values as can be told apart on an inch of width."""
ROW_IN = 0.13
"""Height of a row of ticks."""
QUIET = "#666666"


@dataclass
class Frame:
    """A picture in the making.

    `open` makes the panels, `close` adds what all pictures have in common.
    """

    recording: Recording
    cut: Cut
    width: str
    said: set[str] = field(default_factory=set)
    """What the note below the picture explains."""
    figure: Figure = field(init=False)
    panels: list[Axes] = field(init=False)
    strip: Axes | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if self.width not in WIDTHS:
            raise InputError(f"the width is {self.width}; legal are {' and '.join(WIDTHS)}")

    @property
    def width_in(self) -> float:
        """The width in inches."""
        return WIDTHS[self.width]

    def grid(self, interval: str, *, is_mean: bool, per_in: int = POINTS_PER_IN) -> Grid:
        """How a table is put together whose rows are so far apart; see `Grid`."""
        grid = Grid(self.cut, self.recording.time(interval), int(self.width_in * per_in), is_mean)
        if grid.puts_together:
            self.said.add(f"means over {time_text(grid.bin_s)}")
        return grid

    def open(self, heights: Sequence[float], rows: Sequence[Row] = ()) -> list[Axes]:
        """Make panels of these heights in inches, one above the other, with a strip below if there are rows for it."""
        every = [*heights, *([ROW_IN * len(rows) + 0.02] if rows else [])]
        self.figure, made = figures.panels(
            len(every),
            1,
            width=self.width_in,
            height=sum(every) + 0.75 + 0.1 * len(every),
            sharex=True,
            squeeze=False,
            gridspec_kw={"height_ratios": every},
        )
        self.panels = list(made[:, 0])
        if rows:
            self.strip = self.panels.pop()
            self._draw_strip(rows)
        return self.panels

    def scale(self, axes: Axes) -> float:
        """Let the vertical axis begin at zero and fit what is drawn so far; gives the highest value that it shows.

        What a slow start does in the warm-up is cut off where it would press everything after it to the ground.
        """
        points = drawn_points(axes)
        warmup = self.recording.time("warmup")
        early = [y for x, y in points if x <= warmup]
        top, before = max((y for x, y in points if x > warmup), default=0.0), max(early, default=0.0)
        if before > CUT_OFF * top > 0:
            self.said.add("what is far higher in the warm-up is cut off")
        else:
            top = max(top, before)
        axes.set_ylim(0, 1.06 * top if top > 0 else 1.0)
        return top

    def close(self, *, has_warmup: bool = True, over_time: bool = True) -> Figure:
        """Limits, shading of the warm-up, legends, title and note."""
        start, stop = self.cut.start_s, self.cut.stop_s
        warmup = self.recording.time("warmup")
        bottom = self.strip or self.panels[-1]
        if over_time:
            bottom.set_xlim(start, stop)
            bottom.set_xlabel("time (s)")
        if has_warmup and warmup > start:
            for axes in self.panels:
                axes.axvspan(start, min(warmup, stop), color="#f0f0f0", linewidth=0, zorder=-10)
            self.said.add("shaded: warm-up")
        explained: set[str] = set()
        for axes in self.panels:
            labels = axes.get_legend_handles_labels()[1]
            if not set(labels) <= explained:
                self._legend(axes)
            explained.update(labels)
        self.figure.align_ylabels(self.panels)
        self.figure.suptitle(self._title(), x=0.01, ha="left", fontsize=8, fontweight="bold")
        if self.said:
            note = "; ".join(sorted(self.said))
            limit = 125 if self.width == "page" else 62
            self.figure.supxlabel(wrapped(note, limit), x=0.01, ha="left", fontsize=6.5, color=QUIET)
        return self.figure

    def _title(self) -> str:
        seeds = self.recording.seeds
        which = f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds"
        if is_of_hosts(self.recording.scenario.data):
            which = "measured on hosts"
        return titled(self.recording.scenario.name, self.recording.sets, which, self.width)

    def _legend(self, axes: Axes) -> None:
        """Outside the data: on the right of a page, below the title in a column."""
        handles, labels = axes.get_legend_handles_labels()
        if not handles:
            return
        if self.width == "page":
            axes.legend(handles, labels, loc="upper left", bbox_to_anchor=(1.0, 1.03), borderaxespad=0.4)
        else:
            longest = max(map(len, labels))
            columns = max(1, min(3, len(labels), int(60 / (longest + 8))))
            axes.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, borderaxespad=0.2)

    def _draw_strip(self, rows: Sequence[Row]) -> None:
        assert self.strip is not None
        strip = self.strip
        for place, row in enumerate(rows):
            for t_s, colour in row.marks:
                strip.vlines(t_s, -place - 0.38, -place + 0.38, colors=colour, linewidth=0.6)
        strip.set_ylim(-len(rows) + 0.45, 0.55)
        strip.set_yticks([-place for place in range(len(rows))], [row.label for row in rows], fontsize=6.5)
        strip.tick_params(axis="y", length=0)
        strip.grid(visible=False, axis="y")
        strip.spines["left"].set_visible(False)


def titled(name: str, sets: Sequence[str], which: str, width: str) -> str:
    """The title: the scenario, what was set, and how many seeds; of many assignments those that have room."""
    letters, lines = (105, 2) if width == "page" else (50, 3)
    for shown in range(len(sets), -1, -1):
        left = [f"{len(sets) - shown} more change{'s' if len(sets) - shown > 1 else ''}"] if shown < len(sets) else []
        changed = f" with {', '.join([*sets[:shown], *left])}" if sets else ""
        text = wrapped(f"{name}{changed}, {which}", letters)
        if text.count("\n") < lines:
            break
    return text


def wrapped(text: str, width: int) -> str:
    """In lines of so many letters."""
    import textwrap

    return "\n".join(textwrap.wrap(text, width, break_on_hyphens=False)) or text


def rate_unit(highest: float) -> tuple[float, str]:
    """What rates up to `highest` bit/s are divided by, and the unit."""
    for power, unit in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if highest >= power:
            return power, unit
    return 1.0, "bit/s"


def time_unit(highest: float) -> tuple[float, str]:
    """What times up to `highest` seconds are divided by, and the unit."""
    return (1.0, "s") if highest >= 1.0 else (1e-3, "ms")


def time_text(time_s: float) -> str:
    """A length of time for people."""
    scale, unit = time_unit(time_s)
    return f"{time_s / scale:.6g} {unit}"


def highest_of(several: Sequence[Any]) -> float:
    """The highest number of arrays, 0 if there is none."""
    import numpy as np

    found = [np.nanmax(array) for array in several if array.size and not np.isnan(array).all()]
    return float(max(found, default=0.0))


def drawn_points(axes: Axes) -> list[tuple[float, float]]:
    """The points of all lines and bands of a panel, those that are defined."""
    import numpy as np

    found = [np.asarray(line.get_xydata(), dtype=float) for line in axes.get_lines()]
    found += [
        np.asarray(path.vertices, dtype=float) for collection in axes.collections for path in collection.get_paths()
    ]
    return [(float(x), float(y)) for points in found for x, y in points if np.isfinite(y)]


def no_room(shown: int, there: int, what: str) -> str:
    """Says that there are more than are shown."""
    return f"{shown} of {there} {what} shown"
