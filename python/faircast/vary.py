"""What a sweep varies: paths of a scenario with lists of values, their product, rows of a CSV file.

A point is one value for each varied path. Values are read as those of ``--set``: TOML, and text where they are none.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from faircast.errors import InputError, brief, choose
from faircast.scenario import DEEPEST, decoded, parse_value, plain, split_path

POINTS_MAX = 10_000
"""Points of a sweep: all are checked before the first run and kept in memory with their scenarios."""
SCENARIO = "scenario"
"""The path that stands for the file of the scenario itself."""
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""What TOML takes for a key without quotes."""
CLOSING = {"[": "]", "{": "}", "(": ")"}

Values = Mapping[str, Any]
"""Of one point: by path."""


def parse_axis(text: str, name: str = "--vary") -> tuple[str, list[Any]]:
    """One ``--vary``: the path and its values, split at commas outside quotes and brackets."""
    text = decoded(text, name)
    option = f"{name} {brief(text)}"
    path, equals, listed = text.partition("=")
    path = path.strip()
    if not equals or not path:
        raise InputError(f"{option}: write path=a,b,c, for instance --vary links.bottleneck.delay='50 ms','250 ms'")
    if not listed.strip():
        raise InputError(f"{option}: no values are listed; write {path}=a,b,c")
    return path, [parse_value(part, option) for part in split(listed, option)]


def split(text: str, option: str) -> list[str]:
    """The parts between commas that stand neither between quotes nor between brackets."""
    parts, start, open_, quote, escaped = [], 0, "", "", False
    for place, letter in enumerate(text):
        if quote:
            if escaped:
                escaped = False
            elif letter == "\\" and quote == '"':
                escaped = True
            elif letter == quote:
                quote = ""
        elif letter == '"' or (letter == "'" and (open_ or not text[start:place].strip())):  # elsewhere an apostrophe
            quote = letter
        elif letter in CLOSING:
            open_ += CLOSING[letter]
        elif open_ and letter == open_[-1]:
            open_ = open_[:-1]
        elif letter == "," and not open_:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    if quote or open_:
        raise InputError(f"{option}: {brief(last)} is not a TOML value, a closing {quote or open_[-1]} is missing")
    parts.append(last)
    if "" in parts:
        raise InputError(f"{option}: value {parts.index('') + 1} of {len(parts)} is empty; take out the comma")
    return parts


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV file whose first line names the varied paths; values are read as those of ``--vary``."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a text file in UTF-8; the list of a sweep is CSV") from None
    except OSError as error:
        raise InputError(f"cannot read the list {path}: {error.strerror}") from None
    lines = [(number, row) for number, row in _records(path, text) if any(cell.strip() for cell in row)]
    if not lines:
        raise InputError(f"{path} is empty; its first line names the varied paths, each further one is a point")
    header = [cell.strip() for cell in lines[0][1]]
    for place, name in enumerate(header, 1):
        if not name:
            raise InputError(f"{path}: column {place} has no name; the first line names the varied paths")
        if name in header[: place - 1]:
            raise InputError(f"{path}: two columns are named {brief(name)}")
    if len(lines) == 1:
        raise InputError(f"{path} has no rows below the first line, which names the varied paths")
    rows = []
    for number, cells in lines[1:]:
        if len(cells) != len(header):
            given = f"{len(cells)} value{'' if len(cells) == 1 else 's'}"
            raise InputError(f"{path}, line {number}: {given} for the {len(header)} paths of the first line")
        row = {}
        for name, cell in zip(header, cells, strict=True):
            if not cell.strip():
                raise InputError(f"{path}, line {number}: no value for {brief(name)}")
            row[name] = parse_value(cell.strip(), f"{path}, line {number}, {brief(name)}")
        rows.append(row)
    return rows


def _records(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, skipinitialspace=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: this is not legal CSV: {error}") from None


def points(vary: Mapping[str, Sequence[Any]], rows: Sequence[Values] | None = None) -> list[dict[str, Any]]:
    """All points: the product of what is varied, the last path changing fastest, each with every row if there are some.

    Raises `InputError` for an empty list, paths of which one holds the other, a point that stands there twice, rows
    that do not name the same paths, and more points than can be.
    """
    if not isinstance(vary, Mapping):
        raise InputError(f"vary is {brief(repr(vary))}; a mapping from paths to lists of values is needed")
    if rows is not None and (isinstance(rows, Mapping) or not all(isinstance(row, Mapping) for row in rows)):
        raise InputError(
            f"rows is {brief(repr(rows))}; a list is needed, of a mapping from paths to values for each point"
        )
    given = None if rows is None else [dict(row) for row in rows]
    check_paths([str(path) for path in (*vary, *(given[0] if given else ()))])
    axes = {spelled(str(path)): _listed(str(path), values) for path, values in vary.items()}
    listed: list[dict[str, Any]] = [{}]
    if given is not None:
        listed = [{spelled(str(path)): plain(value) for path, value in row.items()} for row in given]
        if not listed:
            raise InputError("rows is an empty list; it needs a row for each point")
        for number, row in enumerate(listed, 1):
            if set(row) != set(listed[0]):
                named = ", ".join(listed[0]) or "nothing"
                raise InputError(f"row {number} names {', '.join(row) or 'nothing'}, the first row {named}")
    if not axes and not listed[0]:
        raise InputError("nothing is varied; say --vary path=a,b,c, or --list FILE.csv")
    number = prod(map(len, axes.values())) * len(listed)
    if number > POINTS_MAX:
        raise InputError(
            f"the sweep has {number} points; legal are {POINTS_MAX}, as all are checked and kept in memory before the "
            "first run; give it in parts, each to the same folder"
        )
    found = [
        dict(zip(axes, values, strict=True)) | {path: row[path] for path in listed[0]}
        for values in product(*axes.values())
        for row in listed
    ]
    seen: set[str] = set()
    for point in found:
        if known_by(point) in seen:
            raise InputError(f"the point {describe(point)} stands there twice")
        seen.add(known_by(point))
    return found


def _listed(path: str, values: Any) -> list[Any]:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise InputError(f"the values of {brief(path)} are {brief(repr(values))}; a list of values is needed")
    found = [plain(value) for value in values]
    if not found:
        raise InputError(f"no values are listed for {brief(path)}")
    seen: set[str] = set()
    for text in map(as_text, found):
        if text in seen:
            raise InputError(f"the value {brief(text)} of {brief(path)} stands there twice")
        seen.add(text)
    return found


def keys_of(path: str) -> tuple[str, ...]:
    """The parts of a path, as those of ``--set``; an `InputError` if it is none."""
    keys = tuple(key.strip().strip('"') for key in split_path(path))
    if not keys or not all(keys) or len(keys) > DEEPEST:
        raise InputError(f"{brief(path)} is not a path of a scenario, such as links.bottleneck.delay")
    return keys


def spelled(path: str) -> str:
    """A path in the one way in which sweeps write it, however it was typed: without quotes where it needs none."""
    return ".".join(key if BARE.fullmatch(key) else f'"{key}"' for key in keys_of(path))


def check_paths(paths: Sequence[str]) -> None:
    """Refuse paths of which one is, or holds, another, and the seed."""
    seen: dict[tuple[str, ...], str] = {}
    for path in paths:
        keys = keys_of(path)
        if keys == ("seed",):
            raise InputError("the seed is not varied: --seed names the first one and --reps how many, for every point")
        for other, before in seen.items():
            if keys == other:
                raise InputError(f"{brief(path)} is varied twice; give all its values in one list")
            if keys[: len(other)] == other or other[: len(keys)] == keys:
                whole, part = (before, path) if len(other) < len(keys) else (path, before)
                raise InputError(
                    f"{brief(whole)} and {brief(part)} are both varied, but the second is part of the first"
                )
        seen[keys] = path


def as_text(value: Any) -> str:
    """A value as it is shown and typed: a text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def known_by(values: Values) -> str:
    """What tells points of one sweep apart, in whatever order their paths are given."""
    return json.dumps(dict(sorted(values.items())), ensure_ascii=False)


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """By path its end, as long as it takes to tell the paths apart: ``limit`` of ``links.bottleneck.queue.limit``."""
    found = {}
    for path in paths:
        keys = keys_of(path)
        ends = [keys_of(other) for other in paths if other != path]
        length = next((n for n in range(1, len(keys)) if all(keys[-n:] != end[-n:] for end in ends)), len(keys))
        found[path] = ".".join(keys[-length:])
    return found


def path_among(name: str, varied: Sequence[str]) -> str:
    """The varied path of which `name` is the end; an `InputError` if there is none, or more than one."""
    if name in varied:
        return name
    keys = keys_of(name)
    ends = [path for path in varied if keys_of(path)[-len(keys) :] == keys]
    if len(ends) > 1:
        raise InputError(f"{brief(name)} is the end of several varied paths: {', '.join(ends)}")
    return ends[0] if ends else choose("varied path", name, list(short_names(varied).values()))


def describe(values: Values) -> str:
    """A point in a message: ``limit = 50 packets, scheme = tfmcc``."""
    names = short_names(list(values))
    return ", ".join(f"{names[path]} = {brief(as_text(value))}" for path, value in values.items())
