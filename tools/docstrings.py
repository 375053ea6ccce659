"""Finds docstrings of public items, in Python and in Rust, that open with words which say nothing alone.

    python tools/docstrings.py [FILE ...]

On the pages made of them each stands by itself, in no order that its author knows: "The same of several runs." leaves
its reader to look for the other. Looked at are modules, classes, functions and attributes of Python whose names do not
begin with an underscore, and doc comments in Rust of what begins with `pub`. Prints ``file:line: name: what is wrong``
and returns 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PLACES = ("python/faircast", "tools", "reference")
RUST = ("crates", "examples")
DOC = re.compile(r"\s*///(?!/) ?(.*)")
PUBLIC = re.compile(r"\s*pub(?:\([^)]*\))?\s+(.*?)[,;{(]*$")
ELSEWHERE = re.compile(r"(The same|The other|The others|That|Those|These|They|Such|Likewise|Ditto|As above|See)\b")
"""What points to something that is not on the page."""
LOOSE = re.compile(r"(As|At|By|For|From|In|Of|On|To|Under|With|Without)\b")
"""What hangs on a noun that is left out; a few words more may say enough."""
FEW = 3
"""Words of a sentence that is too short to begin so."""
UNITS = ("Degrees", "Nanoseconds")
"""Words that say enough of a number that has a name."""
SENTENCE = re.compile(r"(?<=[.;])(?<!Fig\.)(?<!Eq\.)\s")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Body = ast.Module | ast.ClassDef | Function


def documented(item: Body, name: str = "") -> Iterator[tuple[int, str, str]]:
    """Line, name and docstring of every public item in a module or class, and of itself; a module has no name."""
    if (text := ast.get_docstring(item)) is not None:
        yield item.body[0].lineno, name, text
    if isinstance(item, Function):
        return
    yield from attributes(item, name)
    for inner in item.body:
        if isinstance(inner, Function) and inner.name == "__init__":
            yield from attributes(inner, name)
        elif isinstance(inner, ast.ClassDef | Function) and is_public(inner.name):
            yield from documented(inner, f"{name}.{inner.name}".removeprefix("."))


def attributes(item: Body, owner: str) -> Iterator[tuple[int, str, str]]:
    """What is assigned in the body of a module, a class or an ``__init__`` and has a text below."""
    for assigned, below in zip(item.body, item.body[1:], strict=False):
        if not isinstance(assigned, ast.Assign | ast.AnnAssign) or not isinstance(below, ast.Expr):
            continue
        target = assigned.targets[0] if isinstance(assigned, ast.Assign) else assigned.target
        name = ast.unparse(target).removeprefix("self.")
        if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str) and is_public(name):
            yield below.lineno, f"{owner}.{name}".removeprefix("."), below.value.value


def is_public(name: str) -> bool:
    """Whether somebody outside may use it."""
    return not name.startswith("_")


def wrong(text: str) -> str:
    """What is wrong with the beginning of a docstring; empty if nothing is."""
    first = SENTENCE.split(text.strip())[0]
    words = first.split()
    if found := ELSEWHERE.match(first):
        return f'"{found[0]} ..." points to what does not stand beside it'
    if len(words) == 1 and first.rstrip(".;").isalpha() and first.rstrip(".;") not in UNITS:
        return f'"{first}" is one word'
    if LOOSE.match(first) and len(words) <= FEW:
        return f'"{first}" says nothing alone'
    return ""


def documented_in_rust(source: str) -> Iterator[tuple[int, str, str]]:
    """Line, item and text of every doc comment of something public."""
    lines = source.splitlines()
    block: list[str] = []
    for number, line in enumerate(lines, start=1):
        if found := DOC.match(line):
            block.append(found[1])
        elif block and not line.strip().startswith("#"):
            if item := PUBLIC.match(line):
                yield number, item[1].strip(), "\n".join(block)
            block = []


def files() -> list[Path]:
    """All that are looked at; tests of Rust are on no page."""
    python = [path for place in PLACES for path in Path(place).rglob("*.py")]
    rust = [path for place in RUST for path in Path(place).rglob("src/**/*.rs")]
    return sorted([*python, *(path for path in rust if "target" not in path.parts and "test" not in path.stem)])


def main(names: list[str]) -> int:
    """Look at these files, or at all."""
    paths = [Path(name) for name in names] or files()
    bad = 0
    for path in paths:
        source = path.read_text(encoding="utf-8")
        found = documented_in_rust(source) if path.suffix == ".rs" else documented(ast.parse(source))
        for line, name, text in found:
            if complaint := wrong(text):
                bad += 1
                print(f"{path}:{line}: {name or 'module'}: {complaint}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
