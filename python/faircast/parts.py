"""What the classes of `faircast.model` have in common: how a part is written, and its check when it is made."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from faircast.errors import InputError


@dataclasses.dataclass(kw_only=True, repr=False)
class Part:
    """A part of a scenario."""

    kind: ClassVar[str | None] = None
    scheme: ClassVar[str | None] = None

    def to_dict(self) -> dict[str, Any]:
        """The part as it stands in a JSON or TOML file: only the keys that were set."""
        given = {field.name.removesuffix("_"): getattr(self, field.name) for field in dataclasses.fields(self)}
        tags = {"kind": self.kind, "scheme": self.scheme}
        return {key: _plain(value) for key, value in (tags | given).items() if value is not None}

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        shown = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"{type(self).__qualname__}({', '.join(shown)})"


P = TypeVar("P", bound=Part)


def checked(part: type[P]) -> type[P]:
    """A class whose objects are held against the schema of scenarios when they are made.

    An object that is not legal in form raises `InputError`, with all that is wrong and in the words that a scenario
    with it would get. What depends on the rest of a scenario is found when that is run or validated.
    """
    make = part.__init__
    fields = dataclasses.fields(part)
    keys = {field.name: field.name.removesuffix("_") for field in fields}
    tags = {tag: name for tag in ("kind", "scheme") if (name := getattr(part, tag)) is not None}
    defaults = {keys[field.name]: field.default for field in fields if field.default not in (None, dataclasses.MISSING)}

    @functools.wraps(make)
    def checking(self: P, *args: Any, **given: Any) -> None:
        if not args:
            check(part.__name__, keys, tags | defaults, given)
        make(self, *args, **given)

    setattr(part, "__init__", checking)  # noqa: B010
    part.__doc__ = _whole(part)
    return part


def check(name: str, keys: Mapping[str, str], beside: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Raise `InputError` if what was given is no part called `name`; `beside` is what is known without being given."""
    from faircast import _native
    from faircast.scenario import as_json, count, plain

    try:
        values = {keys.get(key, key): plain(value) for key, value in given.items() if value is not None}
    except RecursionError:
        raise InputError(f"{name} is nested too deeply, or holds itself") from None
    problems = _native.check_part(name, as_json(dict(beside) | values))
    problems += [(key, f"write {key}_ in Python") for key in given if key not in keys and f"{key}_" in keys]
    if problems:
        raise InputError(f"{name} {count(len(problems))}", problems)


PARAMETERS = "\n\nParameters\n----------\n"


def _whole(part: type[Part]) -> str:
    """The docstring of a class with the parameters that it takes over from others, which the source says once.

    What `help` and the prompt's `?` show is then about every argument.
    """
    docs = [inspect.cleandoc(vars(base)["__doc__"] or "") for base in part.__mro__ if issubclass(base, Part)]
    said: dict[str, str] = {}
    for _, _, entries in (doc.partition(PARAMETERS) for doc in docs):
        for entry in re.split(r"\n(?=\w)", entries) if entries else []:
            said.setdefault(entry.partition(" : ")[0], entry.rstrip())
    lines = [said[field.name] for field in dataclasses.fields(part) if field.name in said]
    return docs[0].partition(PARAMETERS)[0] + (PARAMETERS + "\n".join(lines) if lines else "")


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
