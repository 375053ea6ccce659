"""The lock files of what computes: which crates the core was built of, and which Python packages are installed."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution

from faircast import _native
from faircast.archiving.record import ENVIRONMENT
from faircast.version import faircast_version

CRATES, PACKAGES = f"{ENVIRONMENT}/Cargo.lock", f"{ENVIRONMENT}/requirements.txt"


def environment() -> dict[str, bytes]:
    """The lock files by their names in an archive; that of the crates is not there if the core was built without."""
    found = {PACKAGES: requirements().encode()}
    if _native.__lock__:
        found[CRATES] = _native.__lock__.encode()
    return found


def requirements() -> str:
    """What is installed of faircast and of all that it needs, with versions, in the form that pip reads."""
    listed = [f"{name}=={version}" for name, version in sorted(needed("faircast"))]
    head = f"# faircast {faircast_version()} on Python {platform.python_version()}"
    return "\n".join([head, *listed, ""])


def needed(package: str) -> Iterator[tuple[str, str]]:
    """A package and all that it needs without extras, each with its version; what is not installed is left out."""
    from packaging.requirements import Requirement

    seen: set[str] = set()
    waiting = [package]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        yield name, found.version
        for text in found.requires or ():
            one = Requirement(text)
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                waiting.append(one.name)
