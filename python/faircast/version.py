"""Which faircast this is: its version, and the build of its compiled core."""

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
