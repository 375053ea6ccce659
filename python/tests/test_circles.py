"""No circle of imports in the crates and in the Python package; tools/circles.py, which finds them."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent for path in ROOT.glob("crates/*/src"))


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("circles", ROOT / "tools" / "circles.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_files_import_each_other_in_no_circle(tool: ModuleType, crate: Path) -> None:
    found = tool.read(crate)
    circles = tool.circles(found)
    assert not circles, "\n".join(tool.described(circle, found) for circle in circles)


def test_files_of_the_python_package_import_each_other_in_no_circle(tool: ModuleType) -> None:
    found = tool.read(ROOT / "python" / "faircast")
    circles = [tool.described(circle, found) for circle in tool.circles(found)]
    assert not circles, "\n".join(circles)


def test_all_crates_are_looked_at() -> None:
    names = {"cast", "codec", "deliver", "inert", "norm", "orbit", "proto", "py", "scenario", "sim", "tables", "wasm"}
    assert {crate.name for crate in CRATES} == names | {"wire"}


def test_what_an_import_is(tool: ModuleType, tmp_path: Path) -> None:
    files = {
        "lib.rs": "pub mod a; use crate::b::X;",
        "a.rs": "use crate::b::{self, Y as Z};\n// use crate::c::X;\nfn f() {}\n#[cfg(test)]\nuse crate::c::T;",
        "b/mod.rs": "mod inner;\nuse inner::Deep;\nuse std::fmt;",
        "b/inner.rs": "fn f(x: super::super::d::T) {}",
        "c.rs": "use super::{a::P, b::{inner::Deep, Q}};",
        "d.rs": "use crate::e::X;",
        "e.rs": "fn f() -> crate::a::P {}",
        "c_tests.rs": "use crate::c::T;",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = tool.imports(tool.modules(tmp_path))
    assert set(found) == {"a", "b", "b::inner", "c", "d", "e"}
    assert found == {
        "a": {"b"},
        "b": {"b::inner"},
        "b::inner": {"d"},
        "c": {"a", "b", "b::inner"},
        "d": {"e"},
        "e": {"a"},
    }
    assert tool.circles(found) == [["a", "b", "b::inner", "d", "e"]]


def test_what_stands_behind_tests_counts_and_tests_do_not(tool: ModuleType, tmp_path: Path) -> None:
    text = """mod a;
#[cfg(test)]
mod a_tests;
pub use a::X;
#[cfg(test)]
use crate::b::Y;

impl X {
    #[cfg(test)]
    fn looked_at(&self) -> crate::c::Y {
        crate::c::Y
    }

    pub(in crate::e) fn seen(&self) -> crate::d::Y {}
}

#[cfg(test)]
mod tests {
    use crate::b::Y;
}
"""
    for name in ("a.rs", "b.rs", "c.rs", "d.rs", "e.rs"):
        (tmp_path / name).write_text("")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "mod.rs").write_text(text)
    (tmp_path / "m" / "a.rs").write_text("")
    assert tool.imports(tool.modules(tmp_path))["m"] == {"m::a", "d"}


def test_a_crate_without_imports_has_no_circle(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "alone.rs").write_text("fn f() {}")
    assert tool.circles(tool.imports(tool.modules(tmp_path))) == []


PACKAGE = {
    "__init__.py": "import typing\nif typing.TYPE_CHECKING:\n    from p.a import X\nelse:\n    import p.types\n",
    "a.py": "import json\nfrom p import b, types\n",
    "b.py": "def f():\n    import p.packed.inner\n",
    "c.py": "from .packed import name\nimport p\n",
    "types.pyi": "",
    "packed/__init__.py": "from p.packed.inner import thing as name\n",
    "packed/inner.py": "\"\"\"Of `p.c`.\"\"\"\nREGISTRY = {'d': 'p.d', 'no': 'p.d.nothing else', 'other': 'q.a'}\n",
    "packed/beside.py": "from . import inner\nfrom p.packed.inner import thing\n",
    "d.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from p.a import X\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for name, text in PACKAGE.items():
        (tmp_path / "p" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "p" / name).write_text(text)
    return tmp_path / "p"


def test_what_an_import_of_python_is(tool: ModuleType, package: Path) -> None:
    found = tool.read(package)
    assert found == {
        "p": {"p.types"},
        "p.a": {"p.b", "p.types"},
        "p.b": {"p.packed.inner"},
        "p.c": {"p", "p.packed"},
        "p.d": set(),
        "p.packed": {"p.packed.inner"},
        "p.packed.beside": {"p.packed.inner"},
        "p.packed.inner": {"p.d"},
        "p.types": set(),
    }
    assert tool.circles(found) == []


@pytest.mark.parametrize(
    "made",
    [
        "from p.a import X\n",
        "def f():\n    import p.a as other\n",
        "class K:\n    def f(self):\n        from .a import X\n",
        "REGISTRY = ['p.a']\n",
        "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    from p import a\n",
    ],
)
def test_a_circle_of_python_files_is_found_and_named(tool: ModuleType, package: Path, made: str) -> None:
    (package / "d.py").write_text(made)
    found = tool.read(package)
    circles = tool.circles(found)
    assert circles == [["p.a", "p.b", "p.d", "p.packed.inner"]]
    assert tool.described(circles[0], found).splitlines() == [
        "a circle of 4 files",
        "    p.a -> p.b",
        "    p.b -> p.packed.inner",
        "    p.d -> p.a",
        "    p.packed.inner -> p.d",
    ]


def test_a_name_that_the_package_hands_on_leads_to_all_that_it_names(tool: ModuleType, package: Path) -> None:
    (package / "__init__.py").write_text("HOME = {'X': 'p.a'}\n")
    (package / "d.py").write_text("from p import X\n")
    assert tool.circles(tool.read(package)) == [["p", "p.a", "p.b", "p.d", "p.packed.inner"]]


def test_no_file_imports_from_a_floor_above(tool: ModuleType) -> None:
    """Of the floors in the chapter on architecture; what is not named there may lie anywhere."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = text.split("## Floors of `python/faircast`")[1].split("\n## ")[0]
    rows = [re.findall(r"`([\w/]+)`", line.split("|")[2]) for line in table.splitlines() if line.startswith("| ")]
    floors = {name.strip("/").replace("/", "."): floor for floor, row in enumerate(rows) for name in row}
    found = tool.read(ROOT / "python" / "faircast")

    def floor_of(module: str) -> int | None:
        """That of the module, or of the package that it is in."""
        name = module.removeprefix("faircast.")
        while name and name not in floors:
            name = name.rpartition(".")[0]
        return floors.get(name)

    named = {module: floor for module in found if (floor := floor_of(module)) is not None}
    assert len(named) > 100
    assert all(f"faircast.{name}" in found for name in floors)
    upwards = [f"{a} -> {b}" for a in named for b in found[a] & named.keys() if named[b] > named[a]]
    assert not upwards, "\n".join(upwards)
