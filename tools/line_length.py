"""Finds lines longer than 120 characters, which neither `cargo fmt` (comments, texts) nor `ruff format` breaks.

In Markdown rows of tables and lines with an address are as long as they must be, and so is what stands in a block of
code. Prints ``file:line: characters`` and returns 1 if there is one.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MOST = 120
KINDS = (".rs", ".py", ".pyi", ".toml", ".yml", ".md")


def tracked() -> list[Path]:
    """The files of the repository that are written by hand."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout.decode().split("\0")
    return [Path(name) for name in listed if name.endswith(KINDS) or name == "Makefile"]


def too_long(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Number and length of the lines that are too long."""
    in_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if name.endswith(".md"):
            in_code ^= line.lstrip().startswith("```")
            if in_code or line.lstrip().startswith("|") or "://" in line:
                continue
        if len(line) > MOST:
            yield number, len(line)


def main() -> int:
    """Look at all files."""
    found = [
        f"{path}:{number}: {length} characters"
        for path in tracked()
        if path.exists()
        for number, length in too_long(path.name, path.read_text(encoding="utf-8"))
    ]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
