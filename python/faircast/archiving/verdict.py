"""Hold an archive against what comes out of it here: file by file, byte by byte where that can be."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faircast.archiving.code import provide
from faircast.archiving.numbers import digest_of, writer_here
from faircast.archiving.record import RESULTS, Opened, open_archive
from faircast.archiving.repeat import repeat
from faircast.batch import Watcher
from faircast.engine.threads import Threads
from faircast.errors import InputError
from faircast.fingerprint import fingerprint
from faircast.report import CELLS, SUMMARY
from faircast.version import build, commit, faircast_version

EQUAL = "equal"
SAME_NUMBERS = "same numbers"
DIFFERS = "differs"
NOT_MADE = "not made"
"""What may be said of a file: it came out byte by byte; its numbers did, though who wrote them differs; they did not;
there is no such file."""


@dataclass(frozen=True)
class Compared:
    """A file of numbers of an archive, held against the one that came out here."""

    name: str
    """Within the result folder."""
    verdict: str
    """``equal``, ``same numbers``, ``differs`` or ``not made``."""

    @property
    def holds(self) -> bool:
        """Whether its numbers came out again."""
        return self.verdict in (EQUAL, SAME_NUMBERS)


@dataclass(frozen=True)
class Verified:
    """What became of an archive when it was run anew."""

    file: Path
    kind: str
    """``run``, ``sweep`` or ``reproduction``."""
    name: str
    commands: tuple[tuple[str, ...], ...]
    """The recorded commands, word by word; none of them was carried out."""
    version: str
    """The version of faircast that computed what is archived."""
    build: str
    commit: str | None
    """The commit of which its core was built, if that is known."""
    files: tuple[Compared, ...]
    """Every file of numbers; manifests and pictures are not held against anything."""
    notes: tuple[str, ...]
    """What should be known beside that."""

    @property
    def holds(self) -> bool:
        """Whether all numbers came out again."""
        return all(file.holds for file in self.files)

    def count(self, verdict: str) -> int:
        """Files of which that is said."""
        return sum(file.verdict == verdict for file in self.files)

    def __repr__(self) -> str:
        told = ", ".join(f"{self.count(one)} {one}" for one in VERDICTS if self.count(one))
        return f"<{self.file.name}, {self.kind} of {self.name}: {told or 'nothing to compare'}>"


VERDICTS = (EQUAL, SAME_NUMBERS, DIFFERS, NOT_MADE)


def verify(
    file: str | Path,
    *,
    allow_code: bool = False,
    jobs: int | None = None,
    out: str | Path | None = None,
    watcher: Watcher | None = None,
) -> Verified:
    """Run anew what an archive of `faircast.archive` holds, and compare all files of numbers.

    >>> faircast.verify("geo.zip").holds
    True

    Recorded commands are not carried out: the runs start from the resolved scenarios in the archive.

    Parameters
    ----------
    file
        The archive. Every byte of it is held against its record before anything is run, and nothing is unpacked.
    allow_code
        Whether the code of guests that the archive holds may run. It can do whatever you can.
    jobs
        Runs at once, by default one per core. Results do not depend on it.
    out
        A free place for what comes out; without it that goes when it has been compared.

    Raises
    ------
    InputError
        There is no such archive, it is damaged, or it holds code and that is not allowed.
    NotFinishedError
        A run failed.
    """
    return held(open_archive(file), allow_code=allow_code, jobs=jobs, out=out, watcher=watcher)


def held(
    opened: Opened, *, allow_code: bool, jobs: int | None, out: str | Path | None, watcher: Watcher | None
) -> Verified:
    """Run an archive that is open anew; see `verify`."""
    record = opened.record
    notes = differences(opened)
    if ran := provide(opened, allowed=allow_code):
        notes.append(f"code of the archive ran: {', '.join(ran)}")
    with _place(out) as place:
        done = repeat(opened, place, engine=Threads(jobs), watcher=watcher)
        files = tuple(
            Compared(name, verdict_on(opened, name, place / name)) for name in sorted(record.results) if counts(name)
        )
    return Verified(
        opened.path,
        record.kind,
        record.name,
        tuple(map(tuple, opened.commands)),
        record.version,
        record.build,
        record.commit,
        files,
        (*notes, *dict.fromkeys(done.notes)),
    )


def differences(opened: Opened) -> list[str]:
    """What is known to differ between who made an archive and who verifies it."""
    record = opened.record
    if record.version != faircast_version():
        return [
            f"{opened.path} was made by faircast {record.version}, this is {faircast_version()}: no file can be equal "
            "byte by byte, as each names its version, and numbers may differ, too"
        ]
    notes = []
    if record.build != build():
        commits = f", of commits {record.commit or 'unknown'} and {commit() or 'unknown'}"
        notes.append(f"{opened.path} was made by another build of faircast {record.version}{commits}")
    if others := [writer for writer in record.writers if writer != writer_here()]:
        notes.append(
            f"tables in {opened.path} were written by {', '.join(others)}, here it is {writer_here()}: their bytes "
            "cannot be equal, as each names what wrote it"
        )
    return notes


def counts(name: str) -> bool:
    """Whether a file of a result folder holds numbers."""
    return name.endswith((".parquet", f"/{SUMMARY}", f"/{CELLS}"))


def verdict_on(opened: Opened, name: str, path: Path) -> str:
    """What is to be said of a file that came out, or did not."""
    if not path.is_file():
        return NOT_MADE
    if tuple(fingerprint(path)) == opened.record.results[name]:
        return EQUAL
    if path.suffix == ".parquet":
        return SAME_NUMBERS if digest_of(path) == opened.record.numbers.get(name) else DIFFERS
    if path.name == SUMMARY:
        both = unversioned(opened.texts[f"{RESULTS}/{name}"]), unversioned(path.read_bytes())
        return SAME_NUMBERS if both[0] == both[1] else DIFFERS
    return DIFFERS


def unversioned(content: bytes) -> Any:
    """What a summary of an experiment says, but for the version that made it."""
    try:
        found = json.loads(content)
    except ValueError:
        return None
    return {key: value for key, value in found.items() if key != "version"} if isinstance(found, dict) else found


@contextmanager
def _place(out: str | Path | None) -> Iterator[Path]:
    """Where to put what comes out."""
    if out is None:
        with tempfile.TemporaryDirectory(prefix="faircast-verify-") as folder:
            yield Path(folder) / RESULTS
        return
    path = Path(out)
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise InputError(f"{path} is not empty; give --out a new folder for what comes out")
    yield path
