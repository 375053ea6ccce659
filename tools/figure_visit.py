"""Draws the figure of docs/index.md: the scenario of a picture of the laboratory's first visit, seed 1.

python tools/figure_visit.py [FOLDER]        default docs/figures
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

from figure_changes import rows, save

import faircast
from faircast import figures

ROOT = Path(__file__).resolve().parent.parent
VISITS = ROOT / "web" / "src" / "lab" / "visits.ts"


def scenario(name: str) -> str:
    """The scenario of that name among the pictures, as TOML. They are there as texts, since one reads them there."""
    texts = re.findall(r"text: `(.*?)`", VISITS.read_text(encoding="utf-8"), re.DOTALL)
    return next(text for text in texts if tomllib.loads(text)["name"] == name)


def main() -> int:
    """Run it, draw it."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures"
    result = faircast.run(tomllib.loads(scenario("unequal-receivers")))
    with figures.style():
        figure, axes = figures.panels(width=figures.PAGE_IN, height=2.6)
        for series in range(3):
            line = "500 kbit/s" if series == 2 else "4 Mbit/s"
            receiver = rows(result.receivers, "receiver", f"film-{series}")
            rate = [value / 1e3 for value in receiver["rate_bps"]]
            figures.trace(axes, receiver["t_s"], rate, label=f"film-{series}, a line of {line}", series=series)
        axes.set_ylabel("rate of the receivers, kbit/s")
        axes.set_xlabel("time, s")
        axes.set_ylim(bottom=0)
        axes.legend()
        save(figure, folder, "first-receivers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
