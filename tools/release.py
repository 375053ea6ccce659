"""Say where what a release says of itself does not agree: versions, authors, licences, lock files, oldest versions.

    python tools/release.py

Everything is read from the files of the tree; nothing is built, and nothing is asked of anybody.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
AUTHORS = "the faircast developers"
INCLUDED = re.compile(r'\binclude(?:_str|_bytes)?!\("([^"]+)"\)')
NUMBER = re.compile(r"^## \[(\d+\.\d+\.\d+)\]", re.MULTILINE)


def toml(root: Path, name: str) -> dict[str, Any]:
    """A file of the tree."""
    return tomllib.loads((root / name).read_text(encoding="utf-8"))


def problems(root: Path) -> Iterator[str]:
    """All that does not agree."""
    workspace = toml(root, "Cargo.toml")["workspace"]
    package, version = workspace["package"], workspace["package"]["version"]
    project = toml(root, "pyproject.toml")["project"]
    citation = (root / "CITATION.cff").read_text(encoding="utf-8")
    yield from versions(root, workspace, version, citation)
    if project.get("version") is not None or "version" not in project.get("dynamic", ()):
        yield "pyproject.toml: the version is to come from Cargo.toml, dynamic"
    said = [
        ("Cargo.toml", package.get("authors", [])),
        ("pyproject.toml", [author.get("name") for author in project.get("authors", [])]),
        ("CITATION.cff", re.findall(r"^  - name: (.*)$", citation, re.MULTILINE)),
    ]
    yield from (f"{name}: authors are {found}" for name, found in said if [str(a).lower() for a in found] != [AUTHORS])
    if project["license"] != package["license"]:
        yield f"pyproject.toml has the licence {project['license']}, Cargo.toml {package['license']}"
    yield from crates(root)
    yield from oldest(root, package, project)
    yield from locked(root, project)


def versions(root: Path, workspace: dict[str, Any], version: str, citation: str) -> Iterator[str]:
    """Where another version stands than in the workspace's Cargo.toml."""
    for name, entry in workspace["dependencies"].items():
        if isinstance(entry, dict) and "path" in entry and entry.get("version") != version:
            yield f"Cargo.toml: {name} is wanted in version {entry.get('version')}, not {version}"
    if f"\nversion: {version}\n" not in citation:
        yield f"CITATION.cff: the version is not {version}"
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = NUMBER.findall(changelog)
    if not heads or heads[0] != version:
        yield f"CHANGELOG.md: the newest section is {heads[:1]}, not {version}"
    if heads != sorted(heads, key=numbers, reverse=True):
        yield "CHANGELOG.md: versions are not in order, newest first"
    if "## [Unreleased]" not in changelog.partition(f"## [{version}]")[0]:
        yield "CHANGELOG.md: there is no [Unreleased] above the newest version"
    page = (root / "docs" / "versions.md").read_text(encoding="utf-8")
    for head in heads:
        if f"\n## {head}\n" not in page:
            yield f"docs/versions.md: nothing is said of {head}"
    for lock in ("Cargo.lock", "examples/tfmcc-percentile/Cargo.lock", "examples/worst-loss/Cargo.lock"):
        for entry in toml(root, lock)["package"]:
            if entry["name"].startswith("faircast-") and entry["version"] != version:
                yield f"{lock}: {entry['name']} {entry['version']}, not {version}"


def crates(root: Path) -> Iterator[str]:
    """What crates lack that is asked for when they are packaged."""
    for path in sorted(root.glob("crates/*/Cargo.toml")):
        package = toml(root, str(path.relative_to(root)))["package"]
        name = path.parent.name
        if not package.get("description"):
            yield f"crates/{name}: no description"
        for key in ("version", "edition", "rust-version", "license", "authors", "publish"):
            if package.get(key) != {"workspace": True}:
                yield f"crates/{name}: {key} is not that of the workspace"
        for source in sorted(path.parent.glob("src/**/*.rs")):
            if source.stem.endswith("tests"):  # not compiled by those who take the package
                continue
            for included in INCLUDED.findall(source.read_text(encoding="utf-8")):
                if not (source.parent / included).resolve().is_relative_to(path.parent.resolve()):
                    yield f"{source.relative_to(root)}: {included} is not in the package of the crate"


def oldest(root: Path, package: dict[str, Any], project: dict[str, Any]) -> Iterator[str]:
    """Where the oldest Rust or Python is said differently."""
    channel = toml(root, "rust-toolchain.toml")["toolchain"]["channel"]
    if numbers(package["rust-version"]) > numbers(channel):
        yield f"Cargo.toml: rust-version {package['rust-version']} is newer than the toolchain, {channel}"
    python = re.fullmatch(r">=(3\.\d+)", project["requires-python"])
    if python is None:
        yield f"pyproject.toml: requires-python is {project['requires-python']}"
        return
    short = python[1].replace(".", "")
    features = toml(root, "crates/py/Cargo.toml")["dependencies"]["pyo3"]["features"]
    if f"abi3-py{short}" not in features:
        yield f"crates/py: the features of pyo3 do not have abi3-py{short}"
    target = toml(root, "pyproject.toml")["tool"]["ruff"]["target-version"]
    if target != f"py{short}":
        yield f"pyproject.toml: ruff looks for {target}, not py{short}"


def locked(root: Path, project: dict[str, Any]) -> Iterator[str]:
    """What `requirements.lock` lacks, or has outside the bounds of pyproject.toml."""
    from packaging.requirements import Requirement

    text = (root / "requirements.lock").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        found.setdefault(name.lower(), []).append(version)
    if len(re.findall(r"--hash=sha256:", text)) < len(found):
        yield "requirements.lock: packages without hashes"
    for listed in (project["dependencies"], *project["optional-dependencies"].values()):
        for one in map(Requirement, listed):
            has = found.get(one.name.lower(), [])
            if not has or not all(one.specifier.contains(version) for version in has):
                yield f"requirements.lock: {one} is wanted, {has or 'nothing'} is there"


def numbers(version: str) -> tuple[int, ...]:
    """A version for comparing."""
    return tuple(map(int, version.split(".")))


def main() -> None:
    """Say what does not agree; exit code 1 if anything does not."""
    found = list(problems(ROOT))
    for line in found:
        print(line)
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
