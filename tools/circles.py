"""Circles of imports between the files of a Rust crate or of a Python package.

    python tools/circles.py crates/sim python/faircast [FOLDER ...]

A Rust file imports another one of its crate if it names a path into it, in a `use` or elsewhere: by `crate::`,
`super::`, `self::`, or by the name of a child. Left out are `mod x;`, comments, what is behind `#[cfg(test)]`, files of
tests and batteries, and `lib.rs`, which names them all. Calls of methods are no imports: an `impl` block may lie above
the type.

A Python file imports another one of its package by an `import` wherever it stands, inside functions, too, and by a text
that is the whole name of a module, as registries have them. What stands behind `if TYPE_CHECKING:` is left out. That
importing a module also runs the `__init__` of the packages that it is in is no import of theirs; names of modules that
are put together at run time are not seen.
"""

from __future__ import annotations

import ast
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
MODULE = re.compile(r"\w+(\.\w+)+")
OF_TESTS = re.compile(
    r"^( *)#\[cfg\(test\)\]\n(?:\1#\[.*\]\n)*(?:\1[^\n{]*;$|(?:.*\n)+?\1\}$)",
    re.MULTILINE,
)
"""What stands behind `#[cfg(test)]`: a line with `mod` or `use`, or all up to the brace that closes it."""
VISIBILITY = re.compile(r"\bpub\([^)]*\)")


Files = dict[str, Path]
"""By the name of a module its file."""


def read(folder: Path) -> dict[str, set[str]]:
    """By module of a crate or package the others that it imports."""
    if (folder / "__init__.py").exists():
        return imports_of_package(modules_of_package(folder), folder.name)
    return imports(modules(folder / "src"))


def circles(found: dict[str, set[str]]) -> list[list[str]]:
    """The modules that can be reached from themselves by these imports, circle by circle, the largest first."""
    names = list(found)
    edges = [(names.index(a), names.index(b)) for a in names for b in found[a]]
    rows, columns = np.array(edges, dtype=int).reshape(-1, 2).T
    graph = csr_matrix((np.ones(len(edges)), (rows, columns)), shape=(len(names), len(names)))
    count, label = connected_components(graph, connection="strong")
    together = [[name for name, own in zip(names, label, strict=True) if own == one] for one in range(count)]
    return sorted((sorted(circle) for circle in together if len(circle) > 1), key=lambda circle: (-len(circle), circle))


def described(circle: list[str], found: dict[str, set[str]]) -> str:
    """A circle with the imports that make it, a line for each of its modules."""
    lines = [f"    {module} -> {', '.join(sorted(found[module] & set(circle)))}" for module in circle]
    return "\n".join([f"a circle of {len(circle)} files", *lines])


def modules(source: Path) -> Files:
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


def imports(files: Files) -> dict[str, set[str]]:
    """By module the others that it imports."""
    return {
        module: {other for path in paths(module, files) if (other := owner(path, files))} - {module} for module in files
    }


def owner(path: str, files: Files) -> str:
    """The module into which a path from the root of the crate leads; empty if it is none of the crate's."""
    parts = path.split("::")
    ends = ("::".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((end for end in ends if end in files), "")


def paths(module: str, files: Files) -> Iterator[str]:
    """All paths that a module names, from the root of the crate."""
    text = VISIBILITY.sub("", re.sub(r"//.*", "", OF_TESTS.sub("", files[module].read_text())))
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


def modules_of_package(package: Path) -> Files:
    """The files of a package by the names of their modules, ``faircast.plot.frame``; those of types alone, too."""
    files = {file.relative_to(package.parent): file for end in ("py", "pyi") for file in package.rglob(f"*.{end}")}
    return {
        ".".join(path.with_suffix("").parts).removesuffix(".__init__"): files[path] for path in sorted(files, key=str)
    }


def imports_of_package(files: Files, package: str) -> dict[str, set[str]]:
    """By module of a package the others that it imports."""
    return {
        module: {
            other
            for name in names_in(ast.parse(file.read_text(encoding="utf-8")), module, file.stem == "__init__")
            if name.partition(".")[0] == package and (other := module_of(name, files))
        }
        - {module}
        for module, file in files.items()
    }


def module_of(name: str, files: Files) -> str:
    """The module that stands in a name, which may end with one of its functions; empty if there is none."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name


def names_in(tree: ast.AST, module: str, is_package: bool) -> Iterator[str]:
    """What a Python file imports, with the names that it takes of it, and its texts that may be names of modules."""
    home = module if is_package else module.rpartition(".")[0]
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = home.split(".")[: len(home.split(".")) + 1 - node.level] if node.level else []
            of = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{of}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            yield node.value
        elif isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def main(folders: list[str]) -> int:
    """Print every circle with the imports that make it; 1 if there is one."""
    if not folders:
        print(__doc__, file=sys.stderr)
        return 2
    any_found = False
    for folder in folders:
        found = read(Path(folder))
        for circle in circles(found):
            any_found = True
            print(f"{folder}: {described(circle, found)}")
    return int(any_found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
