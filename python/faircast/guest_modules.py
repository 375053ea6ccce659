"""Guests by module and class, as ``faircast --guest MODULE:CLASS`` names them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path
from typing import Any

from faircast.errors import InputError, brief, nearest
from faircast.guests import Scheme, register_scheme, registered

FORM = "MODULE:CLASS, or NAME=MODULE:CLASS"
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_asked: dict[str, str] = {}
"""By name of a scheme the text that made it known."""


def register(text: str) -> str:
    """Import a class and make it known as a scheme; the scheme's name.

    Parameters
    ----------
    text
        ``MODULE:CLASS``: what stands before the colon is imported, from the folder in which the process is or from
        where Python finds modules. The scheme is called as the class is, in small letters with hyphens (``WorstLoss``:
        ``worst-loss``), or as ``NAME=`` before it says.

    Raises `InputError` if there is no such module or class, if the module does not work, or if the class cannot be a
    scheme.
    """
    given, equals, path = text.rpartition("=")
    module_name, colon, class_name = path.partition(":")
    where = f"--guest {brief(text)}"
    if module_name.endswith(".py"):
        raise InputError(f"{where}: {brief(module_name)} is a file; say its module, as in {_as_module(module_name)}")
    if not (colon and all(map(str.isidentifier, [*module_name.split("."), *class_name.split(".")]))) or (
        equals and not given
    ):
        raise InputError(f"{where} is not legal; legal is {FORM}, as in in_python:WorstLoss")
    found: Any = _imported(module_name, where)
    for part in class_name.split("."):
        if not hasattr(found, part):
            there = [name for name, one in getmembers(found, isclass) if issubclass(one, Scheme) and one is not Scheme]
            listed = f"; its schemes are {brief(', '.join(there))}" if there else "; there is no scheme in it"
            raise InputError(f"{where}: {module_name} has no {brief(class_name)}{nearest(class_name, there)}{listed}")
        found = getattr(found, part)
    if not (isclass(found) and issubclass(found, Scheme)):
        raise InputError(f"{where}: {brief(path)} is no subclass of faircast.guests.Scheme")
    name = given or WORD.sub("-", found.__name__).replace("_", "-").lower()
    known = registered(name)
    if name in _asked and known is not found:
        raise InputError(f"{where}: --guest {brief(_asked[name])} is called {name}, too; say another NAME=")
    try:
        register_scheme(name, found)
    except InputError as error:
        raise InputError(f"{where}: {error.message}") from None
    _asked[name] = text
    return name


def option_for(name: str) -> list[str]:
    """The words of a command line that make a scheme known as it was here: none if it was no ``--guest``."""
    return ["--guest", _asked[name]] if name in _asked else []


def _as_module(file: str) -> str:
    """How a file of Python is imported, if that is seen."""
    stem = file.removesuffix(".py")
    is_here = not Path(file).is_absolute() and ".." not in stem
    return f"{stem.replace(os.sep, '.')}:CLASS" if is_here else FORM


def _imported(name: str, where: str) -> Any:
    """A module, which is run for that if it was not imported before."""
    try:
        with _found_here():
            return import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise InputError(f"{where}: {name} imports {brief(missing)}, which is not installed") from None
        raise InputError(
            f"{where}: there is no module {brief(missing)} in {Path.cwd()} or where Python looks (PYTHONPATH)"
        ) from None
    except Exception as error:
        raise InputError(f"{where}: {name} does not work: {type(error).__name__}: {error}") from error
    except SystemExit as error:
        raise InputError(f"{where}: {name} ends the program ({error.code}) when it is imported") from error


@contextmanager
def _found_here() -> Iterator[None]:
    """Inside, modules of the current folder come first, as with ``python -m``; then they come last.

    A guest may import more of them later, but must not hide a module that others import late.
    """
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        yield
    finally:
        sys.path.remove(here)
        if here not in sys.path:
            sys.path.append(here)
