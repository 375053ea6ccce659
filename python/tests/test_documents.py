"""What the documentation shows is what happens: every command of every page runs, and prints what stands there."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import doc_commands  # noqa: E402
import notebook  # noqa: E402

PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    if any(block.language in ("sh", "python") for block in doc_commands.blocks(page.read_text(encoding="utf-8")))
)
SLOW = bool(os.environ.get("FAIRCAST_SLOW_DOCUMENTS"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    doc_commands.hold(page, tmp_path, slow=SLOW)


def test_every_command_stands_where_it_is_run() -> None:
    """Grammar, with words in capitals or brackets for what is to be put in, stands in blocks without a language."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for block in doc_commands.blocks(page.read_text(encoding="utf-8")):
            if block.language in ("sh", "python", "text") or block.file:  # tests of clusters run those in files
                continue
            for line in block.text.splitlines():
                command = re.match(r"(?:\.venv/bin/)?faircast .*", line)
                assert command is None or re.search(r"[\[|]|\b[A-Z]{2,}|\.\.\.$", command[0].partition("#")[0]), (
                    f"{page.name}:{block.line}: `{command[0]}` stands in a block that no test runs; call the block sh"
                )


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_cells_give(path: Path, tmp_path: Path) -> None:
    shown, given = notebook.read(path), notebook.executed(path, tmp_path)
    assert notebook.texts(given) == notebook.texts(shown), f"python tools/notebook.py {path} puts it there"
    assert any("<Estimate" in text or " ± " in text for text in notebook.texts(given))
    for book in (shown, given):
        kinds = [set(out.data) for cell in book.cells for out in cell.get("outputs", []) if "data" in out]
        assert {"text/plain", "text/html"} in kinds, "a result with its table"
        assert not any("application/vnd.jupyter.widget-view+json" in kind for kind in kinds)
        assert any("data:image/png;base64," in out.data["text/html"] for out in pictured(book))


def pictured(book: Any) -> list[Any]:
    """Outputs with HTML."""
    outputs = [out for cell in book.cells for out in cell.get("outputs", [])]
    return [out for out in outputs if "text/html" in out.get("data", {})]


def test_blocks_are_told_apart() -> None:
    page = (
        "<!-- file: a.toml -->\n```toml\nx = 1\n```\n\n```sh\necho 1\necho 2\n```\n\n```text\n1\n2\n```\n\n"
        "<!-- slow -->\n```sh\nsleep 9\n```\nwords\n```text\nalone\n```\n<!-- not run -->\n```python\nx\n```\n"
    )
    found = doc_commands.blocks(page)
    assert [(block.language, block.file, block.slow, block.run) for block in found] == [
        ("toml", "a.toml", False, True),
        ("sh", "", False, True),
        ("sh", "", True, True),
        ("text", "", False, True),
        ("python", "", False, False),
    ]
    assert found[1].expected is not None
    assert found[1].expected.text == "1\n2\n"
    assert found[3].expected is None
    assert page[found[1].start :].startswith("echo 1")


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\nprintf '1\\n2 \\n3\\n'\n```\n\n```text\n1\n...\n3\n```\n")
    doc_commands.hold(page, tmp_path)
    page.write_text("```python\nx = 5\nprint(x)\n```\n\n```python\nprint(x + 1)\n```\n\n```text\n7\n```\n")
    with pytest.raises(doc_commands.PageError, match=r"page.md:10: .*\n- 7\n\+ 6\n"):
        doc_commands.hold(page, tmp_path)
    doc_commands.write(page, tmp_path)
    assert page.read_text().endswith("```text\n6\n```\n")
    page.write_text("```sh\nfalse\ntrue\n```\n")
    with pytest.raises(doc_commands.PageError, match="exit code 1"):
        doc_commands.hold(page, tmp_path)
    page.write_text("<!-- slow -->\n```sh\nfalse\n```\n")
    doc_commands.hold(page, tmp_path)
    with pytest.raises(doc_commands.PageError):
        doc_commands.hold(page, tmp_path, slow=True)
