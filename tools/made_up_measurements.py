"""Writes the series of examples/measured, which look like measurements and are none: rates of three receivers.

python tools/made_up_measurements.py [FOLDER]        default examples/measured

For half an hour, a level each second: lognormal, half of the variance of its logarithm stays for slots of 15 s that
begin 12 s after the full minute, the rest is an autoregression with 0.6 from one second to the next; the normals of
each two receivers have the correlation 0.5, and beam-c has no signal in the lowest 4 % of the time.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from scipy.signal import lfilter
from scipy.special import ndtri

from faircast.fitting.drawing import stream

ROOT = Path(__file__).resolve().parent.parent
SECONDS, SLOT, FIRST = 1800, 15, 12
WARM = 100


def main() -> int:
    """Write the three files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "examples" / "measured"
    folder.mkdir(parents=True, exist_ok=True)
    for name, median, spread, out in (("a", 90.0, 0.35, 0.0), ("b", 70.0, 0.35, 0.0), ("c", 55.0, 0.5, 0.04)):
        z = np.sqrt(0.5) * (slots(name) + seconds(name))
        rates = median * np.exp(spread * z)
        lines = ["# Made up by tools/made_up_measurements.py, not measured anywhere.", "time [s],rate [Mbit/s],up"]
        for at, (rate, normal) in enumerate(zip(rates, z, strict=True)):
            lines.append(f"{at},,0" if out and normal < ndtri(out) else f"{at},{rate:.2f},1")
        (folder / f"beam-{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


def together(name: str, n: int) -> np.ndarray:
    """Normals of a receiver, of which each two have the correlation 0.5."""
    kind = name.split("/")[1]
    return np.sqrt(0.5) * (stream(1, f"made-up/common/{kind}", n) + stream(1, f"made-up/{name}", n))


def slots(name: str) -> np.ndarray:
    """What stays for a slot."""
    index = (np.arange(SECONDS) - FIRST) // SLOT + 1
    return together(f"{name}/slot", index[-1] + 1)[index]


def seconds(name: str) -> np.ndarray:
    """What goes from one second to the next."""
    return lfilter([0.8], [1, -0.6], together(f"{name}/second", WARM + SECONDS))[WARM:]


if __name__ == "__main__":
    sys.exit(main())
