"""Long computations in Python that end when someone asks for it.

The core's runs are cancelled by their `_native.Control`. What Python computes for a run in a worker thread, where no
signal arrives, asks here now and then whether it is still wanted; in the main thread Ctrl-C needs no asking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def _always_wanted() -> bool:
    return False


_unwanted: ContextVar[Callable[[], bool]] = ContextVar("unwanted", default=_always_wanted)


class Interrupted(Exception):  # noqa: N818 - no error: somebody wanted it
    """The computation was given up because it is no longer wanted."""


@contextmanager
def interruptible(unwanted: Callable[[], bool]) -> Iterator[None]:
    """Inside, in this thread, `give_way` raises `Interrupted` as soon as `unwanted` returns True."""
    token = _unwanted.set(unwanted)
    try:
        yield
    finally:
        _unwanted.reset(token)


def is_asked() -> bool:
    """Whether `give_way` may raise here."""
    return _unwanted.get() is not _always_wanted


def give_way() -> None:
    """Raise `Interrupted` if this computation is no longer wanted; to be called every fraction of a second."""
    if _unwanted.get()():
        raise Interrupted
