"""Loading NumPy, Arrow and SciPy where there may be too little memory for them.

They take addresses by the hundred megabytes. Under a limit of the address space (``ulimit -v``) some of that fails in
ways that no program survives, as when OpenBLAS, which SciPy brings, gets no room for its threads. So they are loaded
before anything is written, and only if there is room.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

NEEDED = 420 << 20
"""Addresses that they take by themselves with one thread and the memory of the C library; rounded up from 375 MiB
(NumPy 2, Arrow 25, SciPy 1.17 on x86-64)."""
LACKING = ("failed to map segment", "cannot allocate memory")
"""What the loader says of a library for which there is no room (dlopen(3))."""


def load() -> None:
    """Load what follows a run needs. Raises `MemoryError` if there is no room for it."""
    left = room()
    if left is not None:
        # Each thread of OpenBLAS takes a buffer, and Arrow's own pool reserves a gigabyte at its first use.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
        if left < NEEDED and "scipy.sparse.linalg" not in sys.modules:
            wanted, there = (f"{size / 1e6:.0f} MB" for size in (NEEDED, left))
            raise MemoryError(f"NumPy, Arrow and SciPy need {wanted} of addresses, the limit leaves {there}")
    import numpy as np
    import pyarrow.parquet
    import scipy.sparse.linalg

    del np, pyarrow, scipy


def room() -> int | None:
    """Bytes that the limit of the address space leaves to this process; None without a limit."""
    if sys.platform == "win32":
        return None
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except OSError:
        return limit
    return max(0, limit - used)


def is_lack_of_memory(error: ImportError) -> bool:
    """Whether a module could not be loaded for want of memory."""
    return any(text in str(error).lower() for text in LACKING)
