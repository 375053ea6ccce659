"""Draws the figure of docs/constellations.md from examples/scenarios/berkeley-boston.toml: delay over 6000 s.

python tools/figure_constellation.py [FOLDER]        default docs/figures
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import faircast
from faircast import figures

ROOT = Path(__file__).resolve().parent.parent
ENDS = ("berkeley", "boston")


def main() -> int:
    """Follow the way, draw its delay and where stations were handed off."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures"
    series = faircast.paths(ROOT / "examples" / "scenarios" / "berkeley-boston.toml", *ENDS)
    with figures.style():
        figure, axes = figures.panels(width=figures.PAGE_IN, height=2.8)
        draw(axes, series)
        folder.mkdir(parents=True, exist_ok=True)
        figure.savefig(folder / "constellations-delay.png", dpi=150, metadata={"Software": None})
    return 0


def draw(axes: Any, series: faircast.PathSeries) -> None:
    """The delay, broken where it jumps; a mark below for each hand-off, and one for each other change of the way."""
    changed = np.flatnonzero(series.event != "")
    delays, times = np.insert(1e3 * series.delay_s, changed, np.nan), np.insert(series.t_s, changed, np.nan)
    figures.trace(axes, times.tolist(), delays.tolist(), label="propagation delay", series=0, width=1.2)
    levels = iter((15.0, 12.5, 10.0))
    for number, station in enumerate(ENDS, start=1):
        at = series.handoffs[station]
        mark(axes, at, next(levels), f"hand-off of {station}", number)
    others = series.t_s[series.event == "path-changed"]
    mark(axes, others, next(levels), "other change of the way", 3)
    axes.set_ylim(8, 55)
    axes.set_xlim(0, series.end_s)
    axes.set_xlabel("time, s")
    axes.set_ylabel("Berkeley to Boston, ms")
    axes.legend(loc="upper center", ncols=4)


def mark(axes: Any, times: Any, level: float, label: str, series: int) -> None:
    """A row of marks."""
    axes.plot(
        times,
        np.full(len(times), level),
        figures.MARKERS[series],
        color=figures.COLOURS[series],
        markersize=3.5,
        label=label,
        linestyle="none",
    )


if __name__ == "__main__":
    sys.exit(main())
