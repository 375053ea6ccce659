"""The manifest of a result folder: what it holds, who worked on it, how that ended."""

from __future__ import annotations

import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

from faircast.errors import InputError, ResultWarning
from faircast.storage import write_json

MANIFEST = "manifest.json"
FILES, WRITING, FORMAT = "files", "writing", "format"
"""Entries: the files of numbers, those of them that are being written (`faircast.ledger`), the form of the folder."""
FORMAT_NUMBER = 2
"""Of folders whose manifests list all files of numbers and have a checksum of their own."""
CHECKSUM = "sha256"
RUNNING, FINISHED, INTERRUPTED, FAILED = "running", "finished", "interrupted", "failed"
FORM: dict[str, type] = {
    "kind": str,
    "scenario": dict,
    "seeds": list,
    "runs": dict,
    "interrupted": dict,
    FILES: dict,
    WRITING: dict,
    "calls": list,
    "experiments": list,
    "varied": list,
    "failed": list,
    "shard": dict,
}
"""What the entries are that are relied on, where they are there."""


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write the manifest of a folder, with its checksum."""
    manifest |= {FORMAT: FORMAT_NUMBER}
    write_json(folder / MANIFEST, manifest | {CHECKSUM: checksum(manifest)})


def checksum(manifest: dict[str, Any]) -> str:
    """The SHA-256 of a manifest in canonical JSON, without its own entry."""
    plain = json.loads(json.dumps(manifest))
    plain.pop(CHECKSUM, None)
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result folder. Raises `InputError` if there is none or it is damaged.

    One of an earlier version has no checksum; a `ResultWarning` says that it has not been checked.
    """
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{folder} is not a result folder: it has no {MANIFEST}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        manifest = None
    if not _well_formed(manifest):
        raise InputError(f"{path} is damaged")
    found: dict[str, Any] = manifest
    if FORMAT not in found and CHECKSUM not in found:
        what = f"{folder.parent} holds seeds" if found["kind"] == "seed" else f"{folder} is"  # once for all seeds
        told = f"{what} of an earlier version, which did not note all that is needed to find damage"
        warnings.warn(told, ResultWarning, stacklevel=2)
    elif found.pop(CHECKSUM, None) != checksum(found):
        raise InputError(f"{path} is damaged: it is not as it was written, its checksum differs")
    return found


def sets_of(manifest: dict[str, Any]) -> list[str]:
    """What was changed by ``--set`` to get the scenario of a folder: that of the last call that changed anything."""
    found = [call["sets"] for call in manifest.get("calls", []) if isinstance(call.get("sets"), list) and call["sets"]]
    return [str(assignment) for assignment in found[-1]] if found else []


def _well_formed(manifest: object) -> bool:
    if not isinstance(manifest, dict) or "kind" not in manifest:
        return False
    if any(not isinstance(manifest[key], form) for key, form in FORM.items() if key in manifest):
        return False
    return all(
        isinstance(item, list) and len(item) == 2 and all(type(end) is int for end in item)
        for item in manifest.get("seeds", [])
    ) and all(isinstance(call, dict) for call in manifest.get("calls", []))
