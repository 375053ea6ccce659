"""Tables and manifest of a session's folder, made of the journal in it: for who reads Parquet.

The journal stays: it is what the host wrote, and a session that goes on goes on there. What reads a session reads the
journal, so that there is one way, whatever ended it.
"""

from __future__ import annotations

from pathlib import Path

from faircast.errors import InputError
from faircast.fingerprint import fingerprint
from faircast.hosts.records import JOURNAL
from faircast.hosts.result import HostResult
from faircast.hosts.session import HostSession
from faircast.manifest import FINISHED, INTERRUPTED, MANIFEST, write_manifest
from faircast.storage import new_file, writing
from faircast.version import faircast_version

SESSION, VERSION = b"faircast.session", b"faircast.version"
"""Entries in the metadata of each Parquet file; there is no seed, and no scenario that could be run."""


def conclude(folder: Path) -> None:
    """Write the tables that a folder's journal has so far, and the manifest.

    Raises `InputError` if there is no journal, `NotFinishedError` if the disk is full.
    """
    import pyarrow.parquet as pq

    if not (folder / JOURNAL).is_file():
        raise InputError(f"{folder} holds no {JOURNAL}")
    session = HostSession.read(folder)
    result, record = HostResult(session), session.records[0]
    metadata = {SESSION: result.scenario.json.encode(), VERSION: result.version.encode()}
    files = {}
    with writing(folder):
        (folder / MANIFEST).unlink(missing_ok=True)  # it does not say what is between the old tables and the new
        for name in result.names:
            path = folder / f"{name}.parquet"
            with new_file(path) as file:
                pq.write_table(result.table(name).replace_schema_metadata(metadata), file, compression="zstd")
            files[path.name] = fingerprint(path)
        manifest = {
            "kind": "session",
            "name": session.name,
            "session": result.scenario.data,
            "version": result.version,
            "tables_by": faircast_version(),
            "status": FINISHED if record.ended == "done" else INTERRUPTED,
            "left_out": record.left_out,
            "files": {**files, JOURNAL: fingerprint(folder / JOURNAL)},
        }
        write_manifest(folder, manifest)
