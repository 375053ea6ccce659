"""The Parquet files of one seed: which there are, whether they are whole and belong together."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError, ResultWarning
from faircast.fingerprint import fingerprints
from faircast.ledger import Ledger
from faircast.manifest import MANIFEST, read_manifest, write_manifest
from faircast.parquet import Origin, origin_from, read_columns, read_metadata, read_parts, read_rows, read_table

if TYPE_CHECKING:
    import pyarrow as pa

AGAIN = "run the seed again"


class StoredSeed:
    """The folder of one seed, its tables read when they are asked for.

    Where a manifest lies beside the files each is held against its length at once, and against its SHA-256 when it is
    read; where none does, a `ResultWarning` says so.
    """

    simulated_s: float | None = None
    """How far the seed came, seconds, if its manifest says so."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
        self._ledger = Ledger(folder)
        if (folder / MANIFEST).exists():
            self._hold_against(read_manifest(folder))
        elif self.files:
            warnings.warn(f"{folder} has no {MANIFEST}, so damage in it is not found", ResultWarning, stacklevel=2)
        if not self.files:
            raise InputError(f"{folder} holds no Parquet tables of a run")

    @classmethod
    def of_file(cls, path: Path) -> StoredSeed:
        """One table of a seed, whatever lies beside it but for the manifest."""
        stored = cls.__new__(cls)
        stored.folder, stored.files, stored._ledger = path.parent, {path.stem: path}, Ledger.of(path.parent)
        if not (path.parent / MANIFEST).exists():
            warnings.warn(f"{path} has no {MANIFEST} beside it, so damage is not found", ResultWarning, stacklevel=2)
        return stored

    @cached_property
    def origin(self) -> Origin:
        """Where the tables come from, as one of them says."""
        path = self.files.get("summary") or next(iter(self.files.values()))
        self._ledger.demand(path.name, again=AGAIN)
        return origin_from(read_metadata(path), path)

    def check(self) -> None:
        """Raise `InputError` unless all tables come from one run; only the ends of the files are read."""
        for path in self.files.values():
            self._same_run(origin_from(read_metadata(path), path), path)

    def read(self, name: str) -> pa.Table:
        """One table. Raises `InputError` if it is damaged or comes from another run."""
        path = self.files[name]
        self._ledger.demand(path.name, again=AGAIN)
        table = read_table(path)
        self._same_run(origin_from(table.schema.metadata, path), path)
        return table

    def rows(self, name: str) -> int:
        """How many rows a table has; it is not read for that."""
        self._ledger.demand(self.files[name].name, again=AGAIN)
        return read_rows(self.files[name])

    def columns(self, name: str) -> list[str]:
        """The names of a table's columns; the table is not read for that."""
        self._ledger.demand(self.files[name].name, again=AGAIN)
        return read_columns(self.files[name])

    def parts(self, name: str, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
        """Some columns of a table in parts of at most so many rows, one in memory at a time."""
        path = self.files[name]
        self._ledger.demand(path.name, again=AGAIN)
        self._same_run(origin_from(read_metadata(path), path), path)
        yield from read_parts(path, columns, rows)

    def _same_run(self, origin: Origin, path: Path) -> None:
        if origin != self.origin:
            first = (self.files.get("summary") or next(iter(self.files.values()))).name
            raise InputError(f"{path} does not belong to the same run as {first} beside it")

    def _hold_against(self, manifest: dict[str, Any]) -> None:
        if manifest["kind"] != "seed":
            raise InputError(f"{self.folder} holds a {manifest['kind']}, not one seed of a run; faircast.read reads it")
        self._ledger = Ledger(self.folder, manifest)
        self.simulated_s = manifest.get("simulated_s")
        if not self._ledger.names:
            raise InputError(f"{self.folder / MANIFEST} does not list the files; {AGAIN}")
        for name in self._ledger.names:
            if wrong := self._ledger.damage(name, content=False):
                raise InputError(f"{wrong}; {AGAIN}")


def conclude_seed(folder: Path, digest: str, seed: int, **more: Any) -> None:
    """Write the manifest of the folder of a seed, in which all tables are: their fingerprints, and `more`."""
    files = {name: entry for name, entry in fingerprints(folder).items() if name != MANIFEST}
    write_manifest(folder, {"kind": "seed", "hash": digest, "seed": seed, **more, "files": files})


def damage_of_seed(folder: Path) -> str | None:
    """What is wrong with the folder of a seed, the first that is found; all its files are read."""
    try:
        files = Ledger(folder, read_manifest(folder))
    except InputError as error:
        return error.message
    if not files.names:
        return f"{folder / MANIFEST} does not list the files"
    return next((wrong for name in files.names if (wrong := files.damage(name))), None)
