"""Length and SHA-256 of the files of a result, as the manifest of a seed holds them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def fingerprints(folder: Path) -> dict[str, list[int | str]]:
    """Length in bytes and SHA-256 of every file of a folder."""
    return {path.name: [path.stat().st_size, sha256(path)] for path in sorted(folder.iterdir())}


def are_fingerprints(found: object) -> bool:
    """Whether something read from a manifest has the form of what `fingerprints` gives."""
    return isinstance(found, Mapping) and all(isinstance(entry, list) and len(entry) == 2 for entry in found.values())


def damage(file: Path, fingerprint: list[Any], *, content: bool = True) -> str | None:
    """What is wrong with a file; without `content` only its length is looked at, as that costs nothing."""
    length, digest = fingerprint
    if not file.is_file():
        return f"{file} is missing"
    if file.stat().st_size != length:
        return f"{file} has {file.stat().st_size} bytes, not {length}"
    if content and sha256(file) != digest:
        return f"{file} is not as it was written, its SHA-256 differs"
    return None


def sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
