"""Memory that is held free by those who handed it out."""

from __future__ import annotations

import sys

from faircast import _native


def give_back() -> None:
    """Give the system what allocators hold free: that of the C library, and Arrow's.

    Both keep what has been released for the next request, each thread for itself, so that the peaks of what comes one
    after the other would add up.
    """
    if "pyarrow" in sys.modules:
        import pyarrow as pa

        pa.default_memory_pool().release_unused()
    _native.give_back()
