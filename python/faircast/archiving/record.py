"""``archive.json``: what an archive holds, each file with length and SHA-256, and what is to be run to get it again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from faircast.archiving.container import RECORD, Reader
from faircast.archiving.names import clash, wrong_with
from faircast.errors import InputError, brief
from faircast.manifest import CHECKSUM, MANIFEST, checksum
from faircast.ranges import from_ranges
from faircast.report import SUMMARY
from faircast.storage import as_json

FORMAT = 1
"""The form of an archive; another one is refused."""
RESULTS, SCENARIOS, CODE, ENVIRONMENT = "results", "scenarios", "code", "environment"
"""The folders of an archive."""
FILES_MAX = 100_000
SCENARIOS_MAX = 2**28
"""Bytes of all scenarios, which are held in memory, and of all code."""
SEEDS_MAX = 10_000_000


@dataclass(frozen=True, kw_only=True)
class Record:
    """What an archive says of itself."""

    kind: str
    """``run``, ``sweep`` or ``reproduction``."""
    name: str
    version: str
    """The version of faircast that computed the results."""
    build: str
    """The build of its compiled core (`faircast.version.build`)."""
    commit: str | None
    """The commit of which the core was built, if it is known."""
    plan: dict[str, Any]
    """What is to be run, as `faircast.archiving.plans` writes it."""
    guests: dict[str, dict[str, Any]]
    """By name what is not built in: its ``origin``, and of Python classes ``module``, ``class`` and ``code``."""
    writers: list[str]
    """What wrote the tables: versions of Arrow, by which bytes differ, and no number does."""
    numbers: dict[str, str]
    """By table of the results the digest of its numbers (`faircast.archiving.numbers`)."""
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    """All other files by name: length in bytes and SHA-256, in the order in which they stand in the archive."""

    @property
    def results(self) -> dict[str, tuple[int, str]]:
        """The files of the result folder, by their names in it."""
        begin = f"{RESULTS}/"
        return {name.removeprefix(begin): entry for name, entry in self.files.items() if name.startswith(begin)}

    def to_bytes(self) -> bytes:
        """The content of ``archive.json``."""
        told = {"format": FORMAT, **vars(self), "files": {name: list(entry) for name, entry in self.files.items()}}
        return as_json(told | {CHECKSUM: checksum(told)})

    @classmethod
    def from_bytes(cls, content: bytes, path: Path) -> Record:
        """Take what an archive says. Raises `InputError` if it is damaged, or names what an archive may not hold."""
        try:
            told = json.loads(content)
            if told["format"] != FORMAT:
                found = brief(told["format"])
                raise InputError(f"{path} is an archive of format {found}, not {FORMAT}; a newer faircast reads it")
            if told.pop(CHECKSUM) != checksum(told) or as_json(told | {CHECKSUM: checksum(told)}) != content:
                raise ValueError
            del told["format"]
            files = {str(name): (entry[0], str(entry[1])) for name, entry in told.pop("files").items()}
            record = cls(**told, files=files)
            sound = record._is_sound()
        except InputError:
            raise
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError):
            sound = False
        if not sound:
            raise InputError(f"{path} is damaged: {RECORD} is not as it was archived")
        record._check_names(path)
        return record

    def _is_sound(self) -> bool:
        texts = (self.kind, self.name, self.version, self.build, self.commit or "")
        return (
            all(isinstance(text, str) for text in (*texts, *self.writers, *self.numbers.values()))
            and all(isinstance(table, dict) for table in (self.plan, *self.guests.values()))
            and all(type(length) is int and length >= 0 for length, _ in self.files.values())
            and f"{RESULTS}/{MANIFEST}" in self.files
        )

    def _check_names(self, path: Path) -> None:
        """Raise `InputError` for a name that could lead elsewhere, and for more than an archive may hold."""
        for name in self.files:
            if wrong := wrong_with(name):
                raise InputError(f"{path} is refused: it names the file {brief(name)}, and {wrong}")
        if both := clash([RECORD, *self.files]):
            raise InputError(f"{path} is refused: {brief(both[0])} and {brief(both[1])} cannot lie beside each other")
        if len(self.files) > FILES_MAX:
            raise InputError(f"{path} is refused: it has {len(self.files)} files; legal are {FILES_MAX}")
        kept = sum(length for name, (length, _) in self.files.items() if is_kept(name))
        if kept > SCENARIOS_MAX:
            raise InputError(f"{path} is refused: its scenarios have {kept} bytes; legal are {SCENARIOS_MAX}")


@dataclass(frozen=True)
class Opened:
    """An archive that has been read and is whole."""

    path: Path
    record: Record
    texts: Mapping[str, bytes]
    """Scenarios, code, manifests and what experiments conclude, by name."""

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the archived folder."""
        try:
            found = json.loads(self.texts[f"{RESULTS}/{MANIFEST}"])
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise InputError(f"{self.path} is damaged: the manifest in it is none")
        return found

    @property
    def commands(self) -> list[list[str]]:
        """The commands that made the results, word by word: to be shown, never to be carried out."""
        calls = self.manifest.get("calls")
        found = [call.get("command") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
        return [[str(word) for word in words] for words in found if isinstance(words, list)]

    def scenario(self, digest: str) -> str:
        """The text of a scenario. Raises `InputError` if there is none, or another one."""
        import hashlib

        found = self.texts.get(f"{SCENARIOS}/{digest}.json")
        if found is None or hashlib.sha256(found).hexdigest()[:12] != digest:
            raise InputError(f"{self.path} is damaged: it has no scenario {brief(digest)}")
        return found.decode(errors="replace")


def is_kept(name: str) -> bool:
    """Whether the content of a file is held in memory when an archive is read."""
    return name.startswith((f"{SCENARIOS}/", f"{CODE}/")) or name.endswith((f"/{MANIFEST}", f"/{SUMMARY}"))


def open_archive(path: str | Path) -> Opened:
    """Read an archive from front to end and hold every byte of it against its record; nothing is unpacked or run.

    Raises `InputError` if it is none, is damaged (all damaged files are named), or names what an archive may not hold.
    """
    path = Path(path)
    with _opened(path) as (file, size):
        reader = Reader(path, file, size)
        record = Record.from_bytes(reader.record(), path)
        texts = reader.hold(record.files, is_kept)
    if reader.damaged:
        first, wrong = reader.damaged[0]
        what = f"{first}: {wrong}" if len(reader.damaged) == 1 and first else "it was changed"
        listed = [] if len(reader.damaged) == 1 and first else reader.damaged
        raise InputError(f"{path} is damaged: {what}", listed)
    return Opened(path, record, {name: text for name, text in texts.items() if is_kept(name)})


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder; an archive is one file, which faircast archive makes")
        if not path.is_file():
            raise InputError(f"cannot read {path}: there is no such file")
        with path.open("rb") as file:
            yield file, path.stat().st_size
    except (OSError, ValueError) as error:  # no path is so long, or has a zero byte
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def seeds_of(ranges: Any, path: Path) -> list[int]:
    """Seeds from ranges of first and last, as an untrusted archive has them."""
    try:
        whole = all(type(end) is int for item in ranges for end in item)
        if not whole or sum(last - first + 1 for first, last in ranges) > SEEDS_MAX:
            raise ValueError
        return from_ranges(ranges)
    except (TypeError, ValueError):
        raise InputError(f"{path} is damaged: what it says of seeds means nothing") from None
