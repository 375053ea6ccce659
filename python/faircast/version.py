"""Which faircast this is: its version, the build of its compiled core and the commit of that."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

from faircast import _native


def faircast_version() -> str:
    """The version of this package."""
    return version("faircast")


@cache
def build() -> str:
    """First 12 hexadecimal digits of the SHA-256 of the compiled core: tells two builds of one version apart."""
    file = getattr(_native, "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else "unknown"


def commit() -> str | None:
    """The commit of which the compiled core was built, ``-dirty`` behind it if there were changes; None if not known.

    It is that of the last build at which anything compiled had changed; Python files may be newer where the package is
    installed in place.
    """
    found: str | None = _native.__commit__
    return found
