"""Circles of imports between the files of a Rust crate.

    python tools/circles.py crates/sim [CRATE ...]

A file imports another one of its crate if it names a path into it, in a `use` or elsewhere: by `crate::`, `super::`,
`self::`, or by the name of a child. Left out are `mod x;`, comments, what is behind `#[cfg(test)]`, files of tests and
batteries, and `lib.rs`, which names them all. Calls of methods are no imports: an `impl` block may lie above the type.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

TESTS = re.compile(r"(^|[/_])(tests?|battery)([/_.]|$)")
USE = re.compile(r"\buse\s+([^;]+);")
INLINE = re.compile(r"\b((?:crate|super|self)(?:::\w+)+)")


def modules(source: Path) -> dict[str, Path]:
    """The files of a crate by the paths of their modules: ``link::changing``."""
    files = {file.relative_to(source): file for file in sorted(source.rglob("*.rs"))}
    own = {path: file for path, file in files.items() if not TESTS.search(str(path)) and str(path) != "lib.rs"}
    return {"::".join(path.with_suffix("").parts).removesuffix("::mod"): file for path, file in own.items()}


def single(text: str) -> Iterator[str]:
    """The paths of a `use`, one by one: ``a::{b, c::{d, e}}`` is three."""
    text = text.strip()
    head, brace, rest = text.partition("{")
    if not brace:
        yield text.partition(" as ")[0].strip()
        return
    depth, begin = 0, 0
    inside = rest[: rest.rindex("}")] + ","
    for place, letter in enumerate(inside):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if part := inside[begin:place].strip():
                yield from (f"{head}{one}" for one in single(part))
            begin = place + 1


def imports(files: dict[str, Path]) -> dict[str, set[str]]:
    """By module the others that it imports."""
    return {
        module: {other for path in paths(module, files) if (other := owner(path, files))} - {module} for module in files
    }


def owner(path: str, files: dict[str, Path]) -> str:
    """The module into which a path from the root of the crate leads; empty if it is none of the crate's."""
    parts = path.split("::")
    ends = ("::".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((end for end in ends if end in files), "")


def paths(module: str, files: dict[str, Path]) -> Iterator[str]:
    """All paths that a module names, from the root of the crate."""
    text = re.sub(r"//.*", "", files[module].read_text().split("#[cfg(test)]")[0])
    for path in [*(one for use in USE.findall(text) for one in single(use)), *INLINE.findall(USE.sub("", text))]:
        above, rest = module, path
        while rest.startswith("super::"):
            above, rest = above.rpartition("::")[0], rest.removeprefix("super::")
        if rest != path:
            yield f"{above}::{rest}".removeprefix("::")
        elif path.startswith("crate::"):
            yield path.removeprefix("crate::")
        elif f"{module}::{path.removeprefix('self::').split('::')[0]}" in files:
            yield f"{module}::{path.removeprefix('self::')}"


def circles(files: dict[str, Path]) -> list[list[str]]:
    """The modules that can be reached from themselves, circle by circle, the largest first."""
    names, found = list(files), imports(files)
    edges = [(names.index(a), names.index(b)) for a in names for b in found[a]]
    rows, columns = np.array(edges, dtype=int).reshape(-1, 2).T
    graph = csr_matrix((np.ones(len(edges)), (rows, columns)), shape=(len(names), len(names)))
    count, label = connected_components(graph, connection="strong")
    together = [[name for name, own in zip(names, label, strict=True) if own == one] for one in range(count)]
    return sorted((sorted(circle) for circle in together if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def main(crates: list[str]) -> int:
    """Print every circle with the imports that make it; 1 if there is one."""
    if not crates:
        print(__doc__, file=sys.stderr)
        return 2
    any_found = False
    for crate in crates:
        files = modules(Path(crate) / "src")
        found = imports(files)
        for circle in circles(files):
            any_found = True
            print(f"{crate}: a circle of {len(circle)} files")
            for module in circle:
                print(f"    {module} -> {', '.join(sorted(found[module] & set(circle)))}")
    return int(any_found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
