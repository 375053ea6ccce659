"""The data that comes with the package."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_sample_of_elements_is_there_and_small() -> None:
    data = files("faircast") / "data"
    text = (data / "iridium-next.json").read_text()
    assert len(text) < 100_000
    sets = json.loads(text)
    assert len({one["OBJECT_NAME"] for one in sets}) == 66
    assert {one["EPOCH"][:10] for one in sets} == {"2025-08-06"}
    assert text == (ROOT / "crates" / "scenario" / "data" / "iridium-next.json").read_text(), "that of the core"
    assert "iridium-next.json" in (data / "README.md").read_text()
