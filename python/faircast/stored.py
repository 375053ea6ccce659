"""The Parquet files of one seed: which there are, whether they are whole and belong together."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError
from faircast.fingerprint import are_fingerprints, damage
from faircast.manifest import MANIFEST, read_manifest
from faircast.results import Origin, origin_from, read_metadata, read_table

if TYPE_CHECKING:
    import pyarrow as pa

AGAIN = "run the seed again"


class StoredSeed:
    """The folder of one seed, its tables read when they are asked for.

    Where a manifest lies beside the files each is held against its length at once, and against its SHA-256 when it is
    read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
        self._listed: dict[str, list[Any]] = {}
        if (folder / MANIFEST).exists():
            self._hold_against(read_manifest(folder))
        if not self.files:
            raise InputError(f"{folder} holds no Parquet tables of a run")

    @classmethod
    def of_file(cls, path: Path) -> StoredSeed:
        """One table of a seed, whatever lies beside it."""
        stored = cls.__new__(cls)
        stored.folder, stored.files, stored._listed = path.parent, {path.stem: path}, {}
        return stored

    @cached_property
    def origin(self) -> Origin:
        """Where the tables come from, as one of them says."""
        path = self.files.get("summary") or next(iter(self.files.values()))
        return origin_from(read_metadata(path), path)

    def check(self) -> None:
        """Raise `InputError` unless all tables come from one run; only the ends of the files are read."""
        for path in self.files.values():
            self._same_run(origin_from(read_metadata(path), path), path)

    def read(self, name: str) -> pa.Table:
        """One table. Raises `InputError` if it is damaged or comes from another run."""
        path = self.files[name]
        if path.name in self._listed and (wrong := damage(path, self._listed[path.name])):
            raise InputError(f"{wrong}; {AGAIN}")
        table = read_table(path)
        self._same_run(origin_from(table.schema.metadata, path), path)
        return table

    def _same_run(self, origin: Origin, path: Path) -> None:
        if origin != self.origin:
            first = (self.files.get("summary") or next(iter(self.files.values()))).name
            raise InputError(f"{path} does not belong to the same run as {first} beside it")

    def _hold_against(self, manifest: dict[str, Any]) -> None:
        if manifest["kind"] != "seed":
            raise InputError(f"{self.folder} holds a {manifest['kind']}, not one seed of a run; faircast.read reads it")
        listed = manifest.get("files", {})
        if not are_fingerprints(listed) or not listed:
            raise InputError(f"{self.folder / MANIFEST} does not list the files; {AGAIN}")
        for name, fingerprint in listed.items():
            if wrong := damage(self.folder / name, fingerprint, content=False):
                raise InputError(f"{wrong}; {AGAIN}")
        self._listed = listed
