"""Docstrings of public items say something where they stand alone; tools/docstrings.py, which looks."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '''"""A module."""

PUBLIC = 1
"""A constant."""
_PRIVATE = 2
"""Nobody reads this."""


class Kind:
    """A class."""

    size: int
    """An attribute."""
    _own: int
    """Nobody reads this."""

    def __init__(self) -> None:
        self.made = 1
        """Made with it."""
        self._kept = 2
        """Nobody reads this."""

    async def method(self) -> None:
        """A method."""

        def inner() -> None:
            """Nobody reads this."""

    def _method(self) -> None:
        """Nobody reads this."""


def bare() -> None: ...
'''


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docstrings", ROOT / "tools" / "docstrings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_looked_at(tool: ModuleType) -> None:
    found = list(tool.documented(ast.parse(SOURCE)))
    assert {name: text for _, name, text in found} == {
        "": "A module.",
        "PUBLIC": "A constant.",
        "Kind": "A class.",
        "Kind.size": "An attribute.",
        "Kind.made": "Made with it.",
        "Kind.method": "A method.",
    }
    assert [SOURCE.splitlines()[line - 1].strip().strip('"') for line, _, _ in found] == [text for _, _, text in found]


@pytest.mark.parametrize(
    "text",
    [
        "The same of several, as means with intervals.",
        "Those of a folder, which may have none.",
        "That of a folder to read from; an error if it is damaged.",
        "The other way about: the optimum beside every value.",
        "Likewise.",
        "See above.",
        "Who.",
        "For machines.",
        "For machines; what JSON cannot say is null.",
        "Of faircast.",
        "Of `KINDS`; empty if there is none.",
        "In words.",
    ],
)
def test_what_says_nothing_alone(tool: ModuleType, text: str) -> None:
    assert tool.wrong(text)
    assert tool.wrong(f"{text}\n\nA paragraph below says more.")


@pytest.mark.parametrize(
    "text",
    [
        "The means of several results with intervals.",
        "What machines read; what JSON cannot say is null.",
        "Who receives.",
        "Of every unknown the links that carry it.",
        "For each receiver the links from the source to it.",
        "Fig. 3 to 5: queues.",
        "Degrees.",
        "``1 to 10, 12``.",
        "bit/s.",
    ],
)
def test_what_says_enough(tool: ModuleType, text: str) -> None:
    assert tool.wrong(text) == ""


def test_no_docstring_says_nothing(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert tool.main([]) == 0


RUST = """
/// The same of several.
#[derive(Debug)]
pub struct Several {
    /// When.
    pub at: u64,
    /// That of nobody.
    own: u64,
    /// Whose it is,
    /// in words.
    pub(crate) owner: String,
}

/// Those of a crate.
fn private() {}
//// The same again: no doc comment.
pub fn bare() {}
"""


def test_doc_comments_of_rust_are_looked_at_if_they_are_public(tool: ModuleType, tmp_path: Path) -> None:
    found = list(tool.documented_in_rust(RUST))
    assert [(name, text) for _, name, text in found] == [
        ("struct Several", "The same of several."),
        ("at: u64", "When."),
        ("owner: String", "Whose it is,\nin words."),
    ]
    path = tmp_path / "several.rs"
    path.write_text(RUST, encoding="utf-8")
    assert tool.main([str(path)]) == 1
    path.write_text("/// What several have.\npub struct Several;\n", encoding="utf-8")
    assert tool.main([str(path)]) == 0


def test_all_crates_are_looked_at(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    looked_at = {path.parts[1] for path in tool.files() if path.suffix == ".rs"}
    assert {"proto", "sim", "scenario", "orbit", "py"} <= looked_at
