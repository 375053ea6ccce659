"""Figures as papers print them: vector PDF and PNG, intervals drawn, readable in grey and by the colour-blind.

Series differ in colour, marker and line style. The palette is that of Okabe and Ito (Color Universal Design, 2008).
Equal data give equal files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)), (0, (3, 1)), (0, (1, 2)), (0, (7, 2)))
COLUMN_IN, PAGE_IN = 3.5, 7.16
"""Widths of one column and of the whole page of a two-column paper, in inches."""

UNDATED: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
"""By format what keeps matplotlib from writing when and by which version a file was made."""


@contextmanager
def style() -> Iterator[None]:
    """The look of all figures; draw and save inside."""
    import matplotlib as mpl

    look: Any = {
        "font.size": 8,
        "font.family": "DejaVu Sans",
        "axes.linewidth": 0.6,
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.titlesize": 8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "grid.linewidth": 0.4,
        "grid.color": "#dddddd",
        "lines.linewidth": 1.2,
        "lines.markersize": 4,
        "legend.fontsize": 7,
        "legend.title_fontsize": 7,
        "legend.frameon": False,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "pdf.fonttype": 3,
        "svg.hashsalt": "faircast",
        "figure.constrained_layout.use": True,
    }
    with mpl.rc_context(look):
        yield


def panels(
    rows: int = 1, columns: int = 1, *, width: float = COLUMN_IN, height: float = 2.4, **options: Any
) -> tuple[Figure, Any]:
    """A figure and its axes, sizes in inches; like `matplotlib.pyplot.subplots`, but without global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, **options)


def curve(
    axes: Axes, x: Sequence[float], y: Sequence[Estimate], *, label: str, series: int, joined: bool = True
) -> None:
    """Means over seeds with their 95 % intervals; `series` counts the curves and chooses colour, marker and line.

    Points are `joined` unless `x` has no order.
    """
    axes.errorbar(
        x,
        [item.mean for item in y],
        yerr=[item.ci95 or 0.0 for item in y],
        label=label,
        color=COLOURS[series % len(COLOURS)],
        marker=MARKERS[series % len(MARKERS)],
        linestyle=LINES[series % len(LINES)] if joined else "none",
        capsize=2,
        elinewidth=0.8,
        markerfacecolor="white" if series % 2 else None,
    )


def trace(axes: Axes, x: Sequence[float], y: Sequence[float], *, label: str, series: int, width: float = 0.8) -> None:
    """A time series of one run."""
    axes.plot(
        x,
        y,
        label=label,
        color=COLOURS[series % len(COLOURS)],
        linestyle=LINES[series % len(LINES)],
        linewidth=width,
    )


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write ``<name>.pdf`` and ``<name>.png`` (300 dpi), without dates or versions inside."""
    paths = [folder / f"{name}.{form}" for form in ("pdf", "png")]
    for path in paths:
        with path.open("wb") as file:
            write(figure, file, path.suffix.removeprefix("."))
    return paths


def write(figure: Figure, file: IO[bytes], form: str, *, dpi: int = 300) -> None:
    """Write a figure as ``png``, ``pdf`` or ``svg``, without dates or versions inside: equal data give equal bytes."""
    with style():
        resolution: Any = dpi if form == "png" else "figure"
        figure.savefig(file, format=form, dpi=resolution, metadata=UNDATED[form])
