"""Length and SHA-256 of the files of a result, as its manifest has them.

SHA-256 because it can be had everywhere (``sha256sum``) and because processors have instructions for it: 1 GB takes
0.6 s, less than to read it from most disks.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faircast.errors import InputError


def fingerprints(folder: Path) -> dict[str, list[int | str]]:
    """Length in bytes and SHA-256 of every file of a folder."""
    return {path.name: fingerprint(path) for path in sorted(folder.iterdir())}


def fingerprint(path: Path) -> list[int | str]:
    """Length in bytes and SHA-256 of a file."""
    return [path.stat().st_size, sha256(path)]


def are_fingerprints(found: object) -> bool:
    """Whether something read from a manifest has the form of what `fingerprints` gives."""
    return isinstance(found, Mapping) and all(isinstance(entry, list) and len(entry) == 2 for entry in found.values())


def damage(file: Path, fingerprint: list[Any], *, content: bool = True) -> str | None:
    """What is wrong with a file; without `content` only its length is looked at, as that costs nothing."""
    length, digest = fingerprint
    try:
        with file.open("rb") as opened:  # once, as it may be replaced meanwhile
            found = os.fstat(opened.fileno()).st_size
            if found != length:
                return f"{file} has {found} bytes, not {length}"
            if content and hashlib.file_digest(opened, "sha256").hexdigest() != digest:
                return f"{file} is not as it was written, its SHA-256 differs"
    except FileNotFoundError:
        return f"{file} is missing"
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    return None


def sha256(path: Path) -> str:
    """The SHA-256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
