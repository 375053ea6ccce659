"""Draws the figures of docs/changes.md from examples/scenarios: rtt-steps and rain-fade, seed 1.

python tools/figure_changes.py [FOLDER]        default docs/figures
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import faircast
from faircast import figures

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Run both scenarios, draw both figures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "figures"
    scenarios = ROOT / "examples" / "scenarios"
    with figures.style():
        rtt_steps(faircast.run(scenarios / "rtt-steps.toml"), folder)
        rain_fade(faircast.run(scenarios / "rain-fade.toml"), folder)
    return 0


def rtt_steps(result: Any, folder: Path) -> None:
    """What the receiver measures, and how fast the source sends."""
    figure, (rtt, rate) = figures.panels(2, 1, width=figures.PAGE_IN, height=3.2, sharex=True)
    receiver = rows(result.receivers, "receiver", "video-0")
    figures.trace(
        rtt, receiver["t_s"], [1e3 * s for s in receiver["rtt_s"]], label="measured by the receiver", series=0
    )
    times = [0, 120, 120, 240, 240, 360]
    figures.trace(rtt, times, [20, 20, 200, 200, 20, 20], label="of the empty way", series=1)
    rtt.set_ylabel("round-trip time, ms")
    rtt.legend()
    flow = rows(result.flows, "flow", "video")
    figures.trace(rate, flow["t_s"], [r / 1e6 for r in flow["sending_bps"]], label="sending rate", series=0)
    figures.trace(rate, receiver["t_s"], [r / 1e6 for r in receiver["rate_bps"]], label="received", series=2)
    rate.set_ylabel("Mbit/s")
    rate.set_xlabel("time, s")
    rate.set_ylim(bottom=0)
    rate.legend()
    save(figure, folder, "changes-rtt-steps")


def rain_fade(result: Any, folder: Path) -> None:
    """What TCP and TFMCC get of what the link can carry."""
    figure, axes = figures.panels(width=figures.PAGE_IN, height=2.6)
    times = [0, 120, 120, 140, 140, 160, 160, 180, 180, 185, 185, 200, 200, 220, 220, 240, 240, 400]
    rates = [2, 2, 1.5, 1.5, 1, 1, 0.5, 0.5, 0, 0, 0.5, 0.5, 1, 1, 1.5, 1.5, 2, 2]
    figures.trace(axes, times, rates, label="rate of the link", series=6)
    tcp = rows(result.flows, "flow", "download")
    figures.trace(axes, tcp["t_s"], [r / 1e6 for r in tcp["rate_bps"]], label="TCP", series=1)
    tfmcc = rows(result.flows, "flow", "video")
    figures.trace(axes, tfmcc["t_s"], [r / 1e6 for r in tfmcc["rate_bps"]], label="TFMCC", series=0)
    axes.set_ylabel("Mbit/s")
    axes.set_xlabel("time, s")
    axes.legend()
    save(figure, folder, "changes-rain-fade")


def rows(table: Any, key: str, name: str) -> dict[str, list[float]]:
    """The columns of the rows of one subject."""
    columns: dict[str, list[Any]] = table.to_pydict()
    keep = [value == name for value in columns[key]]
    return {column: [v for v, kept in zip(values, keep, strict=True) if kept] for column, values in columns.items()}


def save(figure: Any, folder: Path, name: str) -> None:
    """The PNG, as the other figures of the documentation."""
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})


if __name__ == "__main__":
    sys.exit(main())
