"""What a run takes with its summary, its optimum and what is shown of it: forecast, and bounded for each receiver."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="proc(5) is Linux's")

LARGE = """
format = 1
name = "large"
duration = "2 s"

[topology]
kind = "dumbbell"
right = {receivers}

[sessions.film]
scheme = "{scheme}"
source = "left-0"

[probes]
links = false
"""


def taken(where: Path, receivers: int, scheme: str) -> tuple[int, int]:
    """Bytes that a run takes at its peak, beside what the process had before, and what was forecast of them.

    The less of two tries: how much allocators hold free depends on how threads meet.
    """
    scenario = where / f"{scheme}-{receivers}.toml"
    scenario.write_text(LARGE.format(receivers=receivers, scheme=scheme))
    program = Path(__file__).with_name("memory_of_runs.py")
    found = []
    for folder in (f"{scheme}-{receivers}-1", f"{scheme}-{receivers}-2"):
        command = [sys.executable, str(program), str(scenario), str(where / folder)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        base, peak, forecast = map(int, done.stderr.splitlines()[-1].split())
        found.append((peak - base, forecast))
    return min(found)


@pytest.mark.parametrize(("scheme", "most"), [("tfmcc", 10_000), ("layered-cbr", 14_000)])
def test_a_run_and_what_follows_it_take_no_more_than_is_forecast(tmp_path: Path, scheme: str, most: int) -> None:
    small, forecast_of_small = taken(tmp_path, 1000, scheme)
    large, forecast_of_large = taken(tmp_path, 8000, scheme)
    assert small <= forecast_of_small
    assert large <= forecast_of_large
    # More than four times as much is refused where it would go well.
    assert forecast_of_large <= 4 * large
    each = (large - small) / 7000
    assert each < most, f"{each:.0f} B for each receiver"
