"""Citations of RFCs name sections that there are; tools/rfc_citations.py, which looks."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
TABLE = """# A comment.

RFC 6298 Computing TCP's Retransmission Timer
2 The Basic Algorithm
(2.4)

RFC 4654 TFMCC
3.2 Determining the Maximum RTT
3.3 Adjusting the Sending Rate
5.5 History Discounting
A Algorithms
A.1 The First
"""


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rfc_citations", ROOT / "tools" / "rfc_citations.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/// Silence (RFC 4654 section 3.3).", "4654 3.3"),
        ("RFC 4654, section 3.3, 10 R", "4654 3.3"),
        ("RFC 4654 sections 3.1 to 3.4 and 3.6", "4654 3.1, 4654 3.4, 4654 3.6"),
        ("| `clr.rs` | the CLR | RFC 4654 sections 3.3, 3.6 |", "4654 3.3, 4654 3.6"),
        ("RFC 3550 appendix A.1; RFC 3550, appendices A.1 and B", "3550 A.1, 3550 A.1, 3550 B"),
        (
            "RFC 6298 (2.4), (2.5): within bounds; RFC 6298 (5.4) to (5.6)",
            "6298 (2.4), 6298 (2.5), 6298 (5.4), 6298 (5.6)",
        ),
        ("    /// data only (RFC 3168 section\n    /// 6.1.2)", "3168 6.1.2"),
        ("# as RFC\n# 4654 has it in section 3.3", "4654 3.3"),
        ("RFC 4654 section 3.3; RFC 5348 section 4.3", "4654 3.3, 5348 4.3"),
        ("the four cases of section 3.3 of RFC 4654", "4654 3.3"),
        ("RFC 4654, section 3.2, step 3 and section 4", "4654 3.2, 4654 4"),
        ("RFC 4654 and [Kwon] section 4.2. Nothing (section 7).", ""),
        ("RFC 4654 has it. Nothing (section 7).", ""),
        ("see section 3.3", ""),
        ("Sections without a number of an RFC are\n//! of RFC 4654.\nThe gap (section 3.7).", "4654 3.7"),
        ("Sections without a number of an RFC are of RFC 4654. RFC 5348 (section 5.5); [Kwon] section 4", "5348 5.5"),
    ],
)
def test_what_a_citation_is(tool: ModuleType, text: str, found: str) -> None:
    assert ", ".join(f"{one.rfc} {one.section}" for one in tool.citations(text)) == found


def test_a_citation_is_said_to_be_where_it_stands(tool: ModuleType) -> None:
    assert [one.line for one in tool.citations("one\n// RFC 4654 section\n// 3.3. Then\n\n// RFC 6298 (2.4)")] == [2, 5]


def test_a_section_that_there_is_not_is_told(tool: ModuleType) -> None:
    table = tool.known(TABLE)
    told = [
        tool.wrong(one, table) for one in tool.citations("RFC 4654 sections 3.3 and 3.8, A.1; RFC 6298 (2.4), (2.6)")
    ]
    assert told == ["", "RFC 4654 has no section 3.8", "", "", "RFC 6298 has no section (2.6)"]
    (unknown,) = (tool.wrong(one, table) for one in tool.citations("RFC 9000 section 2"))
    assert unknown == "rfc_sections.txt does not know RFC 9000, of which section 2 is cited"


def test_the_stored_sections_have_titles_and_are_in_order(tool: ModuleType) -> None:
    table = tool.known(tool.TABLE.read_text(encoding="utf-8"))
    assert list(table) == sorted(table, key=int)
    for rfc, sections in table.items():
        assert all(title or section.startswith("(") for section, title in sections.items()), rfc
        numbered = [section.split(".") for section in sections if section[0].isdigit()]
        assert numbered == sorted(numbered, key=lambda parts: [int(part) for part in parts]), rfc


def test_all_citations_hold(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert tool.main([]) == 0
