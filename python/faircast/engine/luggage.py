"""What runs take along to where they are computed: guests that are Python classes, and functions that reduce results.

What another process can import by its name travels as a name. What it cannot, because it was typed in or lies in a
folder of its author's, travels as code, by `cloudpickle`.
"""

from __future__ import annotations

import copyreg
import json
import struct
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import cloudpickle

from faircast.errors import InputError, brief
from faircast.guests import Registration, registrations
from faircast.sources import HOME

if TYPE_CHECKING:
    from faircast.engine.contract import Task

MAIN = "__main__"

# Guests pack their headers with these, and Python cannot pickle them.
copyreg.pickle(struct.Struct, lambda layout: (struct.Struct, (layout.format,)))


def pack(tasks: Iterable[Task]) -> bytes:
    """The guests that the scenarios of these tasks name, and their reducing functions.

    Raises `InputError` that names what cannot travel, and says why.
    """
    tasks = list(tasks)
    known = registrations()
    guests = [known[name] for name in named({task.job.scenario for task in tasks}, known)]
    reducers: dict[int, tuple[str, Callable[..., Any]]] = {}
    for task in tasks:
        for name, reduce in task.wanted.reducers.items():
            reducers.setdefault(id(reduce), (name, reduce))
    for guest in guests:
        check(f"the scheme {guest.name}", guest)
    for name, reduce in reducers.values():
        check(f"what is kept of runs as {brief(name)}", reduce)
    return dumps((guests, [reduce for _, reduce in reducers.values()]))


def packed(tasks: Sequence[tuple[int, Task]]) -> bytes:
    """Tasks with their places, on their way to `faircast.engine.remote.compute`."""
    return zlib.compress(dumps(list(tasks)), 1)


def named(scenarios: Iterable[str], known: Mapping[str, Registration]) -> list[str]:
    """The guests among `known` that scenarios name."""
    texts = list(scenarios)
    marks = {name: (f'"origin":{as_text(guest.origin)}', f'"scheme":{as_text(name)}') for name, guest in known.items()}
    return [name for name, found in marks.items() if any(mark in text for mark in found for text in texts)]


def as_text(value: str) -> str:
    """A text as canonical JSON has it."""
    return json.dumps(value, ensure_ascii=False)


def check(what: str, thing: object) -> None:
    """Raise `InputError` if `thing` cannot travel."""
    try:
        dumps(thing)
    except Exception as error:
        raise InputError(f"{what} cannot be sent to other processes: {error}") from None


def dumps(thing: object) -> bytes:
    """Bytes of anything that can travel."""
    with by_value(modules_of(thing)):
        data: bytes = cloudpickle.dumps(thing)
    return data


@contextmanager
def by_value(names: Iterable[str]) -> Iterator[None]:
    """Inside, `cloudpickle` sends these modules as code, unless they are installed, which they are elsewhere, too."""
    own: list[ModuleType] = []
    for name in dict.fromkeys(names):
        module = sys.modules.get(name)
        if module is not None and name != MAIN and not is_installed(module):
            cloudpickle.register_pickle_by_value(module)
            own.append(module)
    try:
        yield
    finally:
        for module in own:
            with suppress(ValueError):  # two threads at once
                cloudpickle.unregister_pickle_by_value(module)


def is_installed(module: ModuleType) -> bool:
    """Whether a module is a part of Python, of faircast or of an installed package."""
    file = getattr(module, "__file__", None)
    if file is None:
        return True
    paths = sysconfig.get_paths()
    places = [HOME, *(Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib"))]
    return any(Path(file).is_relative_to(place) for place in places)


def modules_of(thing: object) -> Iterator[str]:
    """The modules in which a function or a guest's class stands, and the functions that a partial one is made of."""
    if isinstance(thing, partial):
        for part in (thing.func, *thing.args, *thing.keywords.values()):
            yield from modules_of(part)
    elif isinstance(thing, Registration):
        yield from modules_of(thing.scheme)
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from modules_of(part)
    else:
        of = thing if callable(thing) and hasattr(thing, "__module__") else type(thing)
        module = of.__module__
        if module and module != "builtins":
            yield module
