"""The files of numbers of a result folder, each held against the length and SHA-256 that its manifest has of it.

Numbers are written into a folder by `Ledger.put`, and a reader asks its ledger first. Pictures
have no entry.

Before a file takes its place the manifest says under ``writing`` what will stand there, and under ``files`` still what
stood there before: whichever of the two a killed process has left is whole, and anything else is damage.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Self

from faircast.errors import InputError, ResultWarning
from faircast.fingerprint import are_fingerprints, damage, fingerprint
from faircast.manifest import FILES, FORMAT, MANIFEST, WRITING, read_manifest
from faircast.storage import new_file, remove

TIMES = 5
"""How often a reader looks at a file that somebody writes meanwhile."""


class Ledger:
    """What a manifest has of the files of its folder; names are relative to it.

    Parameters
    ----------
    folder
        Where the files are.
    manifest
        The manifest of the folder; None if it has none, so that nothing can be held against it.
    save
        Writes the manifest, of who holds the right to work on the folder; None for readers.
    """

    def __init__(
        self, folder: Path, manifest: dict[str, Any] | None = None, save: Callable[[], None] | None = None
    ) -> None:
        self.folder = folder
        self._manifest = manifest
        self._save = save
        self._in_place: set[str] = set()
        self._seen: set[str] = set()
        self.damaged: dict[str, str] = {}
        """By name what was wrong with files whose content is computed again."""

    @classmethod
    def of(cls, folder: Path) -> Self:
        """The ledger of a folder to read from; `InputError` if its manifest is damaged."""
        return cls(folder, read_manifest(folder) if (folder / MANIFEST).exists() else None)

    @property
    def names(self) -> list[str]:
        """All files that are to be there."""
        return [name for name, entry in (self._entries(FILES) | self._entries(WRITING)).items() if entry is not None]

    def damage(self, name: str, *, content: bool = True) -> str | None:
        """What is wrong with a file; without `content` only its length is looked at, as that costs nothing.

        Of a file that is not to be there that it is.
        """
        if name in self._seen and self._save is None:
            return None
        wrong = self._damage(name, content=content)
        for _ in range(TIMES):  # it is written at the moment, perhaps
            if wrong is None or not self._is_renewed():
                break
            wrong = self._damage(name, content=content)
        if wrong is None and content and self._save is None:
            self._seen.add(name)
        return wrong

    def demand(self, *names: str, again: str) -> None:
        """Raise `InputError` unless the files are as they were written; `again` says what to do then."""
        for name in names:
            if wrong := self.damage(name):
                raise InputError(f"{wrong}; {again}")

    def holds(self, name: str, again: str) -> bool:
        """Whether there is such a file to read.

        One that is damaged is refused with `again`. Who works on the folder is told by a `ResultWarning`, passes over
        the file, and computes again what it held.
        """
        if self._save is None:
            self.demand(name, again=again)
        elif name not in self._seen and (wrong := self.damage(name)):
            self.tell(name, wrong)
        self._seen.add(name)
        return name not in self.damaged and (self.folder / name).exists()

    def tell(self, name: str, wrong: str) -> None:
        """Say once that a file is damaged, and that what it held is computed again by who works on the folder."""
        if name not in self.damaged:
            self.damaged[name] = wrong
            then = "is missing here" if self._save is None else "is computed again"
            warnings.warn(f"{wrong}; what it held {then}", ResultWarning, stacklevel=2)

    @contextmanager
    def put(self, name: str) -> Iterator[BinaryIO]:
        """A file to write numbers to, which takes its place and its entry when all is written.

        If what it replaces is damaged that is reported, once.
        """
        if name not in self._seen and (wrong := self.damage(name)):
            self.tell(name, wrong)
        self._seen.add(name)
        with new_file(self.folder / name, lambda fresh: self._announce(name, fingerprint(fresh))) as file:
            yield file
        self._in_place.add(name)

    def drop(self, name: str) -> None:
        """Remove a file, if it is there, and its entry."""
        if name in self.names:
            self._announce(name, None)
        remove(self.folder / name)
        self._in_place.add(name)

    def settle(self) -> None:
        """Enter what stands in the folder under ``files``, where nothing is being written."""
        if self._manifest is None:
            return
        entries = self._manifest.setdefault(FILES, {})
        for name, entry in self._manifest.pop(WRITING, {}).items():
            path = self.folder / name
            if name in self._in_place or (damage(path, entry) is None if entry else not path.exists()):
                if entry is None:
                    entries.pop(name, None)
                else:
                    entries[name] = entry
        self._in_place.clear()

    def adopt(self) -> None:
        """Enter all files of numbers of a folder in which nothing is being written, and whose manifest lists none."""
        if self._manifest is not None:
            found = (path for end in ("*.parquet", "*/summary.json", "*/cells.csv") for path in self.folder.glob(end))
            listed = {path.relative_to(self.folder).as_posix(): fingerprint(path) for path in sorted(found)}
            self._manifest[FILES] = listed

    def _announce(self, name: str, entry: list[int | str] | None) -> None:
        if self._manifest is None:
            return
        self.settle()
        self._manifest[WRITING] = {name: entry}
        self._in_place.discard(name)
        if self._save is not None:
            self._save()

    def _entries(self, which: str) -> dict[str, Any]:
        found = {} if self._manifest is None else self._manifest.get(which, {})
        return found if are_fingerprints({name: entry for name, entry in found.items() if entry is not None}) else {}

    def _damage(self, name: str, *, content: bool) -> str | None:
        path, settled, coming = self.folder / name, self._entries(FILES), self._entries(WRITING)
        if name not in settled and name not in coming:
            if self._manifest is None or FORMAT not in self._manifest or not path.exists():
                return None
            return f"{path} has no entry in the manifest beside it"
        # Before it is first written a file is rightly absent.
        entries = [settled.get(name), *([coming[name]] if name in coming else [])]
        reasons = [
            damage(path, entry, content=content) if entry is not None else f"{path} is not to be there"
            for entry in entries
            if entry is not None or path.exists()
        ]
        return reasons[-1] if len(reasons) == len(entries) and None not in reasons else None

    def _is_renewed(self) -> bool:
        """Whether a reader finds other entries than before."""
        if self._manifest is None or self._save is not None:
            return False
        before = self._entries(FILES), self._entries(WRITING)
        self._manifest = read_manifest(self.folder)
        return before != (self._entries(FILES), self._entries(WRITING))
