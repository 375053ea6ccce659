"""A scenario from wherever it comes (TOML, JSON, a mapping, the classes of `faircast.model`) in its canonical form."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
import operator
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from faircast import _native
from faircast.background import called
from faircast.errors import InputError, brief

Source: TypeAlias = "str | Path | Mapping[str, Any] | Resolved | Any"
"""A path to TOML or JSON, TOML or JSON text, a mapping, an object of `faircast.model`, or what is resolved already."""

SEED_MAX = 2**53 - 1
FILE_MAX = 2**24
"""Bytes of a scenario file."""
INDEX = re.compile(r"\[(\d+)\]")
"""The place in a list, within a path as messages have it."""
ROW = re.compile(r"\[\d+-\d+\]")
"""The numbers of a row of names."""
DEEPEST = 100
"""Parts of a path; what the core takes is nested no deeper."""


@dataclasses.dataclass(frozen=True, repr=False)
class Resolved:
    """A legal scenario with every default filled in, as canonical JSON: the same text for the same scenario."""

    json: str
    """Without the seed, which is no part of what tells scenarios apart."""
    seed: int = dataclasses.field(default=1, compare=False)
    """The seed that the scenario names, for runs where nothing else is said."""

    @cached_property
    def data(self) -> dict[str, Any]:
        """The scenario as plain Python values."""
        parsed: dict[str, Any] = json.loads(self.json)
        return parsed

    @cached_property
    def hash(self) -> str:
        """First 12 hexadecimal digits of the SHA-256 of the canonical JSON."""
        return hashlib.sha256(self.json.encode()).hexdigest()[:12]

    @property
    def name(self) -> str:
        """The scenario's name, ``scenario`` if it has none."""
        return str(self.data.get("name") or "scenario")

    def __repr__(self) -> str:
        from faircast.display.scenario import of_resolved

        return of_resolved(self)

    def _repr_html_(self) -> str:
        from faircast.display.scenario import html_of_resolved

        return html_of_resolved(self)


def resolve(source: Source, *, sets: Sequence[str] = ()) -> Resolved:
    """Read a scenario, apply ``path=value`` assignments, take in the files that it names and fill in all defaults.

    Files are looked for where the scenario's own file lies, or in the working directory if it has none.

    Raises `InputError` with every problem if the scenario is not legal.
    """
    if isinstance(source, Resolved):
        if not sets:
            return source
        if profiles := [assignment for assignment in sets if keys_of(assignment)[-1] == "profile"]:
            raise InputError(
                f"{profiles[0]}: the scenario is resolved, so all its keys are explicit and win over a profile; "
                "set the keys themselves, or start from what was written"
            )
        source = source.data | {"seed": source.seed}
    tree = read(source)
    for assignment in sets:
        assign(tree, assignment)
    try:
        return resolve_tree(tree, home(source), describe(source))
    except InputError as error:
        raise InputError(error.message, error.problems, lines_of(source, sets, error.problems)) from None


def resolve_tree(tree: dict[str, Any], folder: str | None, where: str) -> Resolved:
    """Fill in the defaults of what `read` gives; `folder` is where its files are, `where` names it in the message.

    Without a folder it may name no files.
    """
    text = as_json(tree)
    try:
        return Resolved(*called(lambda control: _native.resolve(text, folder, control)))
    except _native.ScenarioError as error:
        raise InputError(f"{where} {count(error.total)}", error.problems) from None


def lines_of(source: Source, sets: Sequence[str], problems: Sequence[tuple[str, str]]) -> list[int | None]:
    """For each problem the line of the scenario's TOML on which it stands, or the table in which something is missing.

    None for what an assignment says, and wherever the scenario is no TOML.
    """
    text = toml_of(source)
    if text is None:
        return [None] * len(problems)
    found = _native.toml_lines(text, [path for path, _ in problems])
    assigned = [".".join(keys_of(assignment)).split(".") for assignment in map(decoded, sets)]
    lines: list[int | None] = []
    for (path, _), line in zip(problems, found, strict=True):
        number, known = line or (None, 0)
        keys = parts_of(path)
        there = len(parts_of(path.encode()[:known].decode()))
        # What an assignment says is not in the file, and neither are the tables that it makes.
        new = keys[: there + 1]
        ours = any(
            other == keys[: len(other)] or (there < len(keys) and other[: there + 1] == new) for other in assigned
        )
        lines.append(None if ours else number)
    return lines


def toml_of(source: Source) -> str | None:
    """The TOML of a scenario, from a file or text; None if it is something else, or has gone."""
    if not isinstance(source, str | Path):
        return None
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        return None if source.lstrip().startswith("{") else source
    try:
        return None if Path(source).suffix.lower() == ".json" else read_text(Path(source))
    except InputError:
        return None


def parts_of(path: str) -> list[str]:
    """The parts of a path as messages have it, places in lists among them."""
    return INDEX.sub(r".\1", path).split(".")


def keys_of(assignment: str) -> list[str]:
    """The keys to which an assignment leads."""
    return [key.strip().strip('"') for key in split_path(assignment.partition("=")[0])]


def problems(source: Source, *, sets: Sequence[str] = ()) -> list[tuple[str, str]]:
    """All problems of a scenario, as pairs of path and message; empty if it is legal."""
    try:
        resolve(source, sets=sets)
    except InputError as error:
        return error.problems or [("", error.message)]
    return []


def read(source: Source) -> dict[str, Any]:
    """A scenario as plain values, as it was written: nothing checked, no defaults."""
    if isinstance(source, Resolved):
        return source.data
    if isinstance(source, Mapping) or dataclasses.is_dataclass(source):
        try:
            tree: dict[str, Any] = plain(source)
        except RecursionError:
            raise InputError("the scenario is nested too deeply, or holds itself") from None
        return tree
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        return parse(source, is_json=source.lstrip().startswith("{"), where="the scenario")
    if not isinstance(source, str | Path):
        kind = type(source).__name__
        raise InputError(f"a scenario is a file, text, a mapping or an object of faircast.model, not {kind}")
    path = Path(source)
    return parse(read_text(path), is_json=path.suffix.lower() == ".json", where=str(path))


def home(source: Source) -> str:
    """The folder in which the files are that a scenario names."""
    is_text = isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{"))
    return str(Path(source).parent) if isinstance(source, str | Path) and not is_text else "."


def read_text(path: Path) -> str:
    """The text of a scenario file, without the byte order mark that some editors put in front."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_MAX + 1)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8; a scenario is TOML or JSON") from None
    except OSError as error:
        raise InputError(f"cannot read the scenario {path}: {error.strerror}") from None
    except ValueError as error:  # a zero byte in the name
        raise InputError(f"cannot read the scenario {path}: {error}") from None
    if len(data) > FILE_MAX:
        raise InputError(f"{path} is longer than {FILE_MAX} bytes; `count` makes many flows of one entry")
    return text


def assign(tree: dict[str, Any], assignment: str) -> None:
    """Carry out one ``path=value``, for instance ``links.bottleneck.delay="300 ms"``.

    The value is TOML; what is no TOML value, such as ``300 ms`` without quotes, is taken as text. A part of the path
    that is a number addresses an element of a list, also in brackets, as messages have it. Whether the path means
    something is found by the check.
    """
    assignment = decoded(assignment)
    option = f"--set {brief(assignment)}"
    _, equals, text = assignment.partition("=")
    keys = keys_of(assignment)
    if not equals or not keys or not all(keys) or len(keys) > DEEPEST:
        raise InputError(f"{option}: write path=value, for instance --set links.bottleneck.delay='300 ms'")
    put(tree, keys, parse_value(text.strip(), option), option)


def put(tree: dict[str, Any], keys: Sequence[str], value: Any, option: str) -> None:
    """Set what the keys lead to; `option` says in messages who wants it."""
    at: Any = tree
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        here = brief(".".join(keys[:depth])) or "the scenario"
        if isinstance(at, dict):
            if last:
                at[key] = value
            else:
                at = at.setdefault(key, {})
        elif isinstance(at, list):
            if key not in (places := [str(place) for place in range(len(at))]):
                last_place = f"the elements 0 to {len(at) - 1}" if len(at) > 1 else "the element 0 alone"
                there = f"has {last_place}" if at else "is an empty list"
                raise InputError(f"{option}: {here} {there}, there is no {brief(key)}")
            place = places.index(key)
            if last:
                at[place] = value
            else:
                at = at[place]
        else:
            raise InputError(f"{option}: {here} is {brief(json.dumps(at))}, it has no part {brief(key)}")


def seeds(first: int, reps: int) -> range:
    """The seeds `first` to ``first + reps - 1``, or an `InputError` if one of them is not legal."""
    first, reps = whole("seed", first), whole("--reps", reps)
    if reps < 1:
        raise InputError(f"--reps is {reps}; it must be at least 1")
    if first < 0 or first + reps - 1 > SEED_MAX:
        asked = f"seed {first} is" if reps == 1 else f"seeds {first} to {first + reps - 1} are"
        raise InputError(f"{asked} asked for; legal are 0 to {SEED_MAX} (2^53 - 1)")
    return range(first, first + reps)


def whole(name: str, value: object) -> int:
    """`value` if it is a whole number, as in scenario files also 1.0, otherwise an `InputError`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise InputError(f"{name} is {brief(repr(value))}, {type(value).__name__}; legal is a whole number")
    return operator.index(value)


def count(problems: int) -> str:
    """`has 1 problem`, `has 3 problems`."""
    return f"has {problems} problem{'' if problems == 1 else 's'}"


def describe(source: Source) -> str:
    """How to name a scenario in a message."""
    if isinstance(source, Path) or (isinstance(source, str) and "\n" not in source and not source.startswith("{")):
        return str(source)
    return "the scenario"


def plain(value: Any) -> Any:
    """Dataclasses, enums, tuples and paths as JSON values; what is None is left out, as it means the default."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple | range):
        return [plain(item) for item in value]
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if hasattr(value, "item") and not isinstance(value, str):  # numbers and arrays of numpy
        return plain(value.tolist())
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise InputError(
        f"a scenario holds texts, numbers, lists and tables; {brief(repr(value))} is {type(value).__name__}"
    )


def as_json(tree: Any) -> str:
    """Plain values as JSON for the core; an `InputError` for what JSON cannot say."""
    try:
        text = json.dumps(tree, allow_nan=False, ensure_ascii=False)
        text.encode()
    except UnicodeEncodeError:
        raise InputError("the scenario holds bytes that are no text in UTF-8") from None
    except ValueError:
        where, number = next(infinite(tree, ""), ("", "nan or inf"))
        raise InputError(f"{where or 'the scenario'} is {number}; numbers are finite") from None
    return text


def infinite(tree: Any, path: str) -> Iterator[tuple[str, float]]:
    """The numbers in plain values that are not finite, each with its path."""
    if isinstance(tree, float) and not math.isfinite(tree):
        yield path, tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from infinite(value, f"{path}.{key}" if path else key)
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from infinite(value, f"{path}[{index}]")


def decoded(argument: str, option: str = "--set") -> str:
    """An argument of the command line as the UTF-8 that it is, where the system took it for ASCII."""
    try:
        return os.fsencode(argument).decode() if any("\udc80" <= sign <= "\udcff" for sign in argument) else argument
    except ValueError:
        raise InputError(f"{option} {brief(argument)}: this is no text in UTF-8") from None


def parse(text: str, *, is_json: bool, where: str) -> dict[str, Any]:
    """TOML or JSON text as plain values."""
    try:
        tree = json.loads(text if is_json else called(lambda control: _native.toml_to_json(text, control)))
    except RecursionError:
        raise InputError(f"{where} is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise InputError(f"{where} is not legal JSON, line {error.lineno}, column {error.colno}: {error.msg}") from None
    except _native.ScenarioError as error:
        lines = [None if line is None else line[0] for line in _native.toml_lines(text, [p for p, _ in error.problems])]
        raise InputError(f"{where} is not legal TOML", error.problems, lines) from None
    if not isinstance(tree, dict):
        raise InputError(f"{where} is not a table; a scenario starts with format = 1")
    return tree


def parse_value(text: str, option: str) -> Any:
    """The right side of an assignment."""
    try:
        tree = json.loads(_native.toml_to_json(f"value = {text}"))
        if list(tree) == ["value"]:
            return tree["value"]
    except _native.ScenarioError:
        pass
    if not text or text[0] in "\"'[{" or "\n" in text:
        raise InputError(f"{option}: {brief(text) or 'nothing'} is not a TOML value")
    return text


def split_path(path: str) -> list[str]:
    """Split at dots that do not stand between double quotes; ``a[1]`` is ``a.1``. Nothing if a bracket has no other.

    The brackets of a row of names, ``home-[1-9]``, are part of the name.
    """
    parts = path.split('"')
    parts[::2] = (re.sub(r"\[(?!\d+-\d+\])([^][.]*)\](?=[.[]|$)", r".\1", part) for part in parts[::2])
    if any(sign in ROW.sub("", part) for part in parts[::2] for sign in "[]"):
        return []
    parts[::2] = (part.replace(".", "\n") for part in parts[::2])
    return "".join(parts).split("\n")
