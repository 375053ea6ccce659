"""What docs/cluster.md shows, so that tests run it as it stands there."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import doc_commands  # noqa: E402

BLOCKS = doc_commands.blocks((ROOT / "docs" / "cluster.md").read_text(encoding="utf-8"))


def write_files(folder: Path) -> None:
    """Write the files of the page into a folder."""
    for block in BLOCKS:
        if block.file:
            (folder / block.file).write_text(block.text, encoding="utf-8")


def shown(beginning: str) -> str:
    """The commands of the block that begins so."""
    (found,) = [block.text for block in BLOCKS if block.language == "sh" and block.text.startswith(beginning)]
    return found
