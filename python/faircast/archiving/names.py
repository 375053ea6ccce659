"""Which names a file of an archive may have: such that every system can put it where it belongs, and nowhere else."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

PART_MAX, NAME_MAX = 255, 1000
"""Bytes of a part of a name, which file systems allow, and of a whole one."""
SIGNS = frozenset('\\:*?"<>|')
"""What means something else to some system."""


def wrong_with(name: str) -> str | None:
    """What is wrong with the name of a file, None if nothing is."""
    parts = name.split("/")
    if name.startswith("/"):
        return "it begins at the root of a disk"
    if ".." in parts:
        return "it leads out of the folder"
    if not all(parts) or "." in parts:
        return "a part of it is empty"
    if any(sign in SIGNS or not sign.isprintable() for sign in name):
        return "it has a sign that some system takes for another"
    if any(part.endswith((".", " ")) or part.startswith(" ") for part in parts):
        return "a part of it ends with a dot, or a blank is at an end of it"
    if unicodedata.normalize("NFC", name) != name:
        return "it has letters in a form that some systems write otherwise"
    if len(name.encode()) > NAME_MAX or any(len(part.encode()) > PART_MAX for part in parts):
        return "it is too long"
    return None


def clash(names: Iterable[str]) -> tuple[str, str] | None:
    """Two names that cannot lie beside each other everywhere: equal but for capitals, or one a folder of the other."""
    seen: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        plain = name.casefold()
        parts = plain.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        other = seen.get(plain) or folders.get(plain) or next((seen[one] for one in above if one in seen), None)
        if other is not None:
            return other, name
        seen[plain] = name
        folders.update(dict.fromkeys(above, name))
    return None
