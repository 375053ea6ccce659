"""A finished folder becomes one file that others can verify and cite."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faircast.archiving import crate
from faircast.archiving.code import described, guests_of
from faircast.archiving.container import RECORD, Member, header, write
from faircast.archiving.environment import environment
from faircast.archiving.names import clash, wrong_with
from faircast.archiving.numbers import digest_of, writer_of
from faircast.archiving.plans import finished
from faircast.archiving.record import FILES_MAX, RESULTS, SCENARIOS, SCENARIOS_MAX, Record, is_kept
from faircast.errors import InputError, brief
from faircast.fingerprint import fingerprint
from faircast.storage import new_file, writing


@dataclass(frozen=True)
class Packed:
    """An archive that has been written."""

    path: Path
    record: Record
    """What it says of itself."""
    notes: tuple[str, ...]
    """What should be known: what was left out, and what whoever verifies it needs besides."""


def archive(
    folder: str | Path, *, out: str | Path | None = None, authors: Sequence[str] = (), licence: str = ""
) -> Path:
    """Make one zip of a finished result folder, with all that is needed to repeat and to cite it.

    >>> faircast.archive("results/geo-3f0c9a12be77", authors=["Ada Lovelace"], licence="CC-BY-4.0")

    It holds the results, the resolved scenarios, the lock files of what computed them, the commands, versions and
    commit, and a description in RO-Crate 1.1. Equal folders give equal bytes. `faircast.verify` runs it anew.

    Parameters
    ----------
    folder
        That of a run, a sweep or a reproduction.
    out
        The file, by default that of the folder's name with ``.zip``, beside the folder.
    authors
        Who made the results, for the description.
    licence
        Under which licence others may use them: an SPDX identifier or an address.

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    InputError
        The folder holds no result, is not finished or damaged, or the file cannot be written there.
    NotFinishedError
        The disk is full.
    """
    return packed(Path(folder), out=out, authors=authors, licence=licence).path


def packed(folder: Path, *, out: str | Path | None = None, authors: Sequence[str] = (), licence: str = "") -> Packed:
    """Make the archive of a folder; see `archive`."""
    what = finished(folder)
    path = Path(out) if out is not None else default_file(folder)
    check_place(path)
    guests, code, notes = described(guests_of(what.scenarios.values()))
    texts = {f"{SCENARIOS}/{digest}.json": scenario.json.encode() for digest, scenario in what.scenarios.items()}
    results = {f"{RESULTS}/{name}": what.folder / name for name in what.files}
    sources: dict[str, bytes | Path] = {**results, **code, **texts, **environment()}
    files = {name: entry_of(source) for name, source in sorted(sources.items())}
    tables = {name: what.folder / name for name in what.numbers if name.endswith(".parquet")}
    told = what.manifest
    record = Record(
        kind=told["kind"],
        name=str(told.get("name", "scenario")),
        version=str(told["version"]),
        build=str(told["build"]),
        commit=told.get("commit"),
        plan=what.plan,
        guests=guests,
        writers=sorted({writer_of(path) for path in tables.values()}),
        numbers={name: digest_of(path) for name, path in tables.items()},
        files=files,
    )
    names = {digest: scenario.name for digest, scenario in what.scenarios.items()}
    description = crate.description(record, told, names, authors, licence)
    sources[crate.FILE] = description
    record = with_file(record, crate.FILE, entry_of(description))
    check(record)
    ordered = [(RECORD, record.to_bytes()), *((name, sources[name]) for name in record.files)]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path.parent}: {error.strerror}") from None
    with writing(path), new_file(path) as file:
        write(file, ordered)
    if left := what.left_out:
        more = f" and {len(left) - 3} more" if len(left) > 3 else ""
        notes.append(f"left out, as they are no part of the result: {', '.join(left[:3])}{more}")
    return Packed(path, record, tuple(notes))


def default_file(folder: Path) -> Path:
    """The file beside a folder that has its name."""
    name = folder.resolve().name
    if not name:
        raise InputError(f"{folder} has no name; say where to put the archive with --out")
    return folder.resolve().with_name(f"{name}.zip") if folder.name in ("", "..") else folder.with_name(f"{name}.zip")


def check_place(path: Path) -> None:
    """Raise `InputError` if something stands there that is no archive of faircast: one of those is replaced."""
    try:
        if not path.exists():
            return
        begin = header(Member(RECORD, 0, 0))
        if path.is_file():
            with path.open("rb") as file:
                found = file.read(len(begin))
            if found[:4] == begin[:4] and found[30:] == begin[30:]:
                return
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
    raise InputError(f"{path} is there already and is no archive; give another file with --out")


def entry_of(source: bytes | Path) -> tuple[int, str]:
    """Length and SHA-256 of a file."""
    if isinstance(source, Path):
        length, digest = fingerprint(source)
        return int(length), str(digest)
    return len(source), hashlib.sha256(source).hexdigest()


def with_file(record: Record, name: str, entry: tuple[int, str]) -> Record:
    """The record with one more file, in its place."""
    return replace(record, files=dict(sorted({**record.files, name: entry}.items())))


def check(record: Record) -> None:
    """Raise `InputError` for what no reader would take."""
    for name in record.files:
        if wrong := wrong_with(name):
            raise InputError(f"the file {brief(name)} cannot be archived: {wrong}")
    if both := clash([RECORD, *record.files]):
        raise InputError(f"{brief(both[0])} and {brief(both[1])} cannot lie beside each other everywhere")
    if len(record.files) > FILES_MAX:
        raise InputError(f"there are {len(record.files)} files; an archive holds {FILES_MAX} at most")
    kept = sum(length for name, (length, _) in record.files.items() if is_kept(name))
    if kept > SCENARIOS_MAX:
        raise InputError(f"the scenarios have {kept} bytes; an archive holds {SCENARIOS_MAX} at most")
