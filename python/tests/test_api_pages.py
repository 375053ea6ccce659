"""The pages about the Python package name everything that is public, and nothing that is not."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import faircast
from faircast import model

ROOT = Path(__file__).resolve().parents[2]
NAMED = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
OPENINGS = re.compile(r"(This|That|It|These|Here|There) (is|are|says|gives)\b")


def find(path: str) -> Any:
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


def test_everything_public_has_its_place() -> None:
    assert sorted(name.removeprefix("faircast.") for name in NAMED if name.count(".") == 1) == sorted(faircast.__all__)
    assert len(set(NAMED)) == len(NAMED)


@pytest.mark.parametrize("path", NAMED)
def test_what_is_named_is_there_and_says_what_it_is(path: str) -> None:
    found = find(path)
    text = inspect.getdoc(found)
    assert text
    assert not OPENINGS.match(text)
    if inspect.isclass(found) and not issubclass(found, BaseException):
        for name, member in inspect.getmembers(found):
            if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                about = inspect.getdoc(member)
                assert about, f"{path}.{name}"
                assert not OPENINGS.match(about), f"{path}.{name}"


@pytest.mark.parametrize("name", sorted(name for name in vars(model) if name[0].isupper() and name != "TypeAlias"))
def test_parts_of_a_scenario_say_what_they_are(name: str) -> None:
    if inspect.isclass(part := getattr(model, name)):
        assert not OPENINGS.match(inspect.getdoc(part) or "This is empty")


def test_the_pages_are_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "api.md" in navigation
    assert "api-model.md" in navigation
