"""No circle of imports in the crates; tools/circles.py, which finds them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent for path in ROOT.glob("crates/*/src"))
LEFT = {"proto": [12, 2], "scenario": [8, 6, 6, 2, 2, 2]}
"""Crates that still have circles, of so many files: no more of them, and none larger."""


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
    found = tool.circles(tool.modules(crate / "src"))
    allowed = LEFT.get(crate.name, [])
    if allowed:
        assert [len(circle) for circle in found] == allowed, f"fewer circles? then shorten the list: {found}"
    else:
        assert found == []


def test_all_crates_are_looked_at() -> None:
    assert {crate.name for crate in CRATES} == {"orbit", "proto", "py", "scenario", "sim"}


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
    found = tool.modules(tmp_path)
    assert set(found) == {"a", "b", "b::inner", "c", "d", "e"}
    assert tool.imports(found) == {
        "a": {"b"},
        "b": {"b::inner"},
        "b::inner": {"d"},
        "c": {"a", "b", "b::inner"},
        "d": {"e"},
        "e": {"a"},
    }
    assert tool.circles(found) == [["a", "b", "b::inner", "d", "e"]]


def test_a_crate_without_imports_has_no_circle(tool: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "alone.rs").write_text("fn f() {}")
    assert tool.circles(tool.modules(tmp_path)) == []
