"""Which source files of this package a function rests on, and their fingerprint.

What a function of an experiment made of a run counts as long as none of these files changes. They are the file in which
it stands and those of the modules that this one imports, and so on: told by what the files say, nothing is imported. An
import counts wherever it stands, inside functions, too; but for those that only types need (``if TYPE_CHECKING``), and
those by which an object shows itself (``__repr__``, ``view``). Importing a module also runs the ``__init__`` of the
packages that it is in; these count only where a name of theirs is imported. What other packages do, such as NumPy, is
not looked at, nor are modules that are found at run time by name.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

HOME = Path(__file__).parent
PACKAGE = HOME.name
CORE = f"{PACKAGE}._native"
"""The compiled core, which has a fingerprint of its own: `faircast.version.build`."""
ONE_AT_A_TIME = Lock()
"""Threads that parse at once disturb one another in CPython 3.11 (`ast`: recursion depth mismatch)."""
SHOWING = ("__repr__", "_repr_html_", "_repr_mimebundle_", "_parts", "view")


def fingerprint(function: Callable[..., Any]) -> str:
    """First 12 hexadecimal digits of the SHA-256 of all files that `function` rests on.

    Of a partial function it is that of what it is made of: the function, and the arguments that are functions or have a
    class of their own. Where no file is known, as of what was typed in, all files of the package count.
    """
    with ONE_AT_A_TIME:
        return _digest(frozenset(_modules_of(function)))


def files(function: Callable[..., Any]) -> list[Path]:
    """The files that `function` rests on; see `fingerprint`."""
    with ONE_AT_A_TIME:
        return list(_files(frozenset(_modules_of(function))))


def _modules_of(function: object) -> Iterator[str]:
    """The modules in which a function, its arguments and what they are made of stand."""
    if isinstance(function, partial):
        for part in (function.func, *function.args, *function.keywords.values()):
            yield from _modules_of(part)
        return
    of = function if callable(function) and hasattr(function, "__module__") else type(function)
    module = of.__module__
    if module is not None and module != "builtins":
        yield module


@cache
def _digest(modules: frozenset[str]) -> str:
    digest = hashlib.sha256()
    for path in _files(modules):
        name = path.relative_to(HOME) if path.is_relative_to(HOME) else path.name
        digest.update(f"{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


@cache
def _files(modules: frozenset[str]) -> tuple[Path, ...]:
    found: set[Path] = set()
    waiting: list[Path] = []
    for module in modules:
        path = _file(module) or _file_elsewhere(module)
        if path is None:
            return tuple(sorted(HOME.rglob("*.py")))
        waiting.append(path)
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imports(path)
    return tuple(sorted(found))


def _file(module: str) -> Path | None:
    """The file of a module of this package, if there is one."""
    head, *parts = module.split(".")
    if head != PACKAGE:
        return None
    place = HOME.joinpath(*parts)
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)


def _file_elsewhere(module: str) -> Path | None:
    """The file of a module of another package that is there already."""
    path = getattr(sys.modules.get(module), "__file__", None)
    return Path(path) if path is not None and path.endswith(".py") else None


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """The files of this package that a file imports."""
    found = (_file(module) or _file(module.rpartition(".")[0]) for module in _names(path) if module != CORE)
    return tuple(dict.fromkeys(file for file in found if file is not None))


def _names(path: Path) -> Iterator[str]:
    """What a file imports, with the names that it takes of it."""
    waiting: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.FunctionDef) and node.name in SHOWING:
            continue
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)
