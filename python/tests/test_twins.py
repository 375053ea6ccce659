"""The twins in plain Python say what the golden files have."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TWINS = sorted(file for file in (ROOT / "reference").glob("*.py") if file.name != "golden_file.py")


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.stem)
def test_golden_files_are_what_the_twins_write(twin: Path) -> None:
    done = subprocess.run([sys.executable, str(twin), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_each_golden_file_has_a_twin() -> None:
    texts = [twin.read_text(encoding="utf-8") for twin in TWINS]
    for file in (ROOT / "tests" / "golden").iterdir():
        assert any(f'golden_file.write("{file.name}"' in text for text in texts), file.name
