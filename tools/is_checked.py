"""Make sure that the core which Python loads is the one of a folder, and that its arithmetic is checked for overflow.

    python tools/is_checked.py FOLDER

Each crate of ours that is in it must be named in `tools/checked.toml`: one that is not would wrap around unseen.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from faircast import _native

ROOT = Path(__file__).resolve().parent.parent
# What such arithmetic ends with.
PANIC = b"panic_const_add_overflow"
# For browsers only.
APART = {"faircast-wasm"}


def problems(folder: Path) -> list[str]:
    """What is wrong, in sentences."""
    core = Path(_native.__file__)
    named = tomllib.loads((ROOT / "tools/checked.toml").read_text(encoding="utf-8"))["profile"]["release"]["package"]
    ours = {f"faircast-{path.name}" for path in (ROOT / "crates").iterdir() if (path / "Cargo.toml").exists()} - APART
    found = []
    if not core.is_relative_to(folder.resolve()):
        found.append(f"{core} is loaded, which is not in {folder}")
    elif PANIC not in core.read_bytes():
        found.append(f"{core} does not check its arithmetic")
    if ours != set(named):
        found.append(f"tools/checked.toml does not name the crates that there are: {sorted(ours ^ set(named))}")
    return found


if __name__ == "__main__":
    if wrong := problems(Path(sys.argv[1])):
        sys.exit("\n".join(wrong))
