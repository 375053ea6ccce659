"""``ro-crate-metadata.json``: an archive told to machines that know nothing of faircast, in RO-Crate 1.1.

It is written by hand: what is told here is forty lines of JSON-LD, for which the library `rocrate` would bring a dozen
packages into every installation. https://www.researchobject.org/ro-crate/specification/1.1/ has what it must contain.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from faircast.archiving.record import CODE, RESULTS, SCENARIOS, Record
from faircast.storage import as_json

FILE = "ro-crate-metadata.json"
SPECIFICATION = "https://w3id.org/ro/crate/1.1"
FORMATS = {
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
    ".csv": "text/csv",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".py": "text/x-python",
    ".txt": "text/plain",
    ".lock": "application/toml",
}


def description(
    record: Record,
    manifest: Mapping[str, Any],
    scenarios: Mapping[str, str],
    authors: Sequence[str] = (),
    licence: str = "",
) -> bytes:
    """The description of an archive with the files that its record has by now."""
    calls = [call for call in manifest.get("calls", []) if isinstance(call.get("date"), str)]
    dates = [call["date"] for call in calls]
    people = [{"@id": f"#author-{place}", "@type": "Person", "name": name} for place, name in enumerate(authors, 1)]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{record.name}: a {record.kind} of faircast",
        "description": f"Results of faircast {record.version}, with the resolved scenarios and all that repeats them: "
        "faircast verify runs them anew and compares.",
        "datePublished": max(dates, default="1970-01-01")[:10],
        "license": licence or "No licence is stated.",
        "hasPart": [{"@id": quote(name)} for name in record.files],
        "mentions": [{"@id": f"#call-{place}"} for place in range(1, len(calls) + 1)],
    }
    if people:
        root["author"] = [{"@id": person["@id"]} for person in people]
    graph: list[dict[str, Any]] = [
        {
            "@id": FILE,
            "@type": "CreativeWork",
            "about": {"@id": "./"},
            "conformsTo": {"@id": SPECIFICATION},
        },
        root,
        *people,
        {
            "@id": "#faircast",
            "@type": "SoftwareApplication",
            "name": "faircast",
            "description": f"Build {record.build}, commit {record.commit or 'unknown'}.",
            "softwareVersion": record.version,
            "license": "Apache-2.0 OR MIT",
        },
        *(file_of(name, entry, scenarios) for name, entry in record.files.items()),
        *(action_of(place, call, record) for place, call in enumerate(calls, 1)),
    ]
    return as_json({"@context": f"{SPECIFICATION}/context", "@graph": graph})


def file_of(name: str, entry: tuple[int, str], scenarios: Mapping[str, str]) -> dict[str, Any]:
    """A file of the archive."""
    length, digest = entry
    path = PurePath(name)
    told: dict[str, Any] = {"@id": quote(name), "@type": "File", "name": name}
    if name.startswith(f"{CODE}/"):
        told["@type"] = ["File", "SoftwareSourceCode"]
    if name.startswith(f"{SCENARIOS}/"):
        told["description"] = f"The scenario {scenarios.get(path.stem, '')} with all its defaults."
    told |= {"contentSize": str(length), "sha256": digest}
    if path.suffix in FORMATS:
        told["encodingFormat"] = FORMATS[path.suffix]
    return told


def action_of(place: int, call: Mapping[str, Any], record: Record) -> dict[str, Any]:
    """A command that worked on the folder: what it began with and what came of it."""
    words = call.get("command")
    told: dict[str, Any] = {
        "@id": f"#call-{place}",
        "@type": "CreateAction",
        "name": shlex.join(map(str, words)) if isinstance(words, list) else "a call from Python",
        "startTime": call["date"],
        "instrument": {"@id": "#faircast"},
        "object": [{"@id": quote(name)} for name in record.files if name.startswith(f"{SCENARIOS}/")],
        "result": [{"@id": quote(name)} for name in record.files if name.startswith(f"{RESULTS}/")],
    }
    return told
