"""Which compiled core is in use: that of this package, or one with guests that another package brings.

A core cannot take in compiled code from elsewhere, as two builds of Rust need not agree on how anything lies in memory.
So a crate with guests builds a core of its own, the same one with its guests in it, and its package says where that is
by an entry point of the group ``faircast.core``. It takes the place of this package's own.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.metadata import entry_points, version

GROUP = "faircast.core"
COMPLETING = "_FAIRCAST_COMPLETE"
"""Environment variable: if set, a shell asks the command line what could stand next, for which no core is needed."""
CHOICE = "FAIRCAST_CORE"
"""Environment variable: the name of the entry point to take, or ``faircast`` for the core of this package."""
OWN = "faircast"


def choose() -> None:
    """Put the core that another package brings in the place of this package's own, if there is one.

    Raises `ImportError` if there are several, or if it was built for another version of faircast.
    """
    if COMPLETING in os.environ:
        return
    found = {entry.name: entry.value for entry in entry_points(group=GROUP)}
    asked = os.environ.get(CHOICE)
    if asked == OWN or (not found and not asked):
        return
    if asked and asked not in found:
        raise ImportError(f"{CHOICE} is {asked}; there are {', '.join(sorted({OWN, *found}))}")
    if not asked and len(found) > 1:
        names = ", ".join(sorted(found))
        raise ImportError(f"several packages bring a core: {names}; name one by {CHOICE}, or one crate with the guests")
    name = asked or next(iter(found))
    core = import_module(found[name])
    if core.__version__ != version("faircast"):
        built, here = core.__version__, version("faircast")
        raise ImportError(f"the core of {name} was built with faircast {built}, this is {here}: build it anew")
    sys.modules["faircast._native"] = core
    sys.modules["faircast"]._native = core  # type: ignore[attr-defined]
