"""Schemes that are Python classes: their files in an archive, and, if it is allowed, back into a process.

Code of others can do whatever its user can. So nothing of it is read as Python, let alone run, unless somebody who has
looked at it says so.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faircast.archiving.record import CODE, Opened
from faircast.errors import InputError, brief
from faircast.guests import origin, register_scheme, registered
from faircast.scenario import Resolved


def guests_of(scenarios: Iterable[Resolved]) -> dict[str, str]:
    """What scenarios name that is not built into faircast: by name the origin."""
    found: dict[str, str] = {}
    for scenario in scenarios:
        found.update(_guests_in(scenario.data))
    return dict(sorted(found.items()))


def _guests_in(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        name = value.get("scheme", value.get("kind"))
        if isinstance(name, str) and isinstance(value.get("origin"), str):
            yield name, value["origin"]
        for part in value.values():
            yield from _guests_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _guests_in(part)


def described(guests: Mapping[str, str]) -> tuple[dict[str, dict[str, Any]], dict[str, Path], list[str]]:
    """What a record says of guests, the files of their code by name in the archive, and what should be known.

    A class of this process whose module has a file brings that file along; everything else is named only.
    """
    told: dict[str, dict[str, Any]] = {}
    files: dict[str, Path] = {}
    notes = []
    for name, whence in guests.items():
        told[name] = {"origin": whence}
        scheme = registered(name)
        if scheme is None or origin(scheme) != whence:
            notes.append(f"{name} is a guest from {whence}: whoever verifies the archive needs it, too")
            continue
        path = _file_of(scheme)
        if path is None:
            notes.append(
                f"the class {scheme.__qualname__} of {name} stands in no module that others can import: put it into a "
                "file of its own, so that the archive can hold it"
            )
            continue
        member = f"{CODE}/{scheme.__module__.replace('.', '/')}.py"
        files[member] = path
        told[name] |= {"module": scheme.__module__, "class": scheme.__qualname__, "code": member}
    return told, files, notes


def _file_of(scheme: type) -> Path | None:
    try:
        path = Path(inspect.getfile(scheme))
    except (OSError, TypeError):
        return None
    return path if scheme.__module__ != "__main__" and path.suffix == ".py" and path.is_file() else None


def provide(opened: Opened, *, allowed: bool) -> list[str]:
    """Make the guests of an archive known whose code it holds, if that is allowed; gives the names of files that ran.

    Those that this process has already need nothing. Raises `InputError` if code is needed and not allowed, or is not
    what its origin says.
    """
    needed = {}
    for name, guest in opened.record.guests.items():
        scheme = registered(name)
        if "code" in guest and (scheme is None or origin(scheme) != guest.get("origin")):
            needed[name] = guest
    if not needed:
        return []
    files = sorted({str(guest["code"]) for guest in needed.values()})
    if not allowed:
        raise InputError(
            f"{opened.path} holds code: {brief(', '.join(files))} of {brief(', '.join(needed))}; nothing of it was "
            "run. Look at it, and if you trust it, say --allow-code"
        )
    for name, guest in needed.items():
        with _loaded(opened, name, guest) as scheme:
            found = origin(scheme)
            if found != guest.get("origin"):
                whence = brief(guest.get("origin"))
                raise InputError(f"{opened.path}: the code of {brief(name)} is {brief(found)}, not {whence}")
            register_scheme(name, scheme)
    return files


@contextmanager
def _loaded(opened: Opened, name: str, guest: Mapping[str, Any]) -> Iterator[Any]:
    """The class of a guest, from the code in the archive, while its file and module are there.

    A class without a version is known by the hash of that file.
    """
    module, member = str(guest.get("module")), str(guest["code"])
    content = opened.texts.get(member)
    if content is None or not all(part.isidentifier() for part in module.split(".")):
        raise InputError(f"{opened.path} is damaged: it has no code of {brief(name)}")
    before = sys.modules.get(module)
    with tempfile.TemporaryDirectory(prefix="faircast-code-") as folder:
        file = Path(folder) / "code.py"
        file.write_bytes(content)
        spec = importlib.util.spec_from_file_location(module, file)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[module] = loaded = importlib.util.module_from_spec(spec)
        try:
            yield _executed(loaded, spec.loader, str(guest.get("class")), f"the code of {name} in {opened.path}")
        finally:
            if before is None:
                del sys.modules[module]
            else:
                sys.modules[module] = before


def _executed(module: Any, loader: Any, path: str, where: str) -> Any:
    """The class at a path of a module, which is run for that."""
    try:
        loader.exec_module(module)
        for part in path.split("."):
            module = getattr(module, part)
    except Exception as error:
        raise InputError(f"{where} does not work here: {type(error).__name__}: {error}") from None
    return module
