"""The documentation as it is written: what its pages say of each experiment, and which scenarios they show."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import doc_commands  # noqa: E402
from reproductions_page import NAMES, rows_of, sections  # noqa: E402

DOCS = ROOT / "docs"
FIGURES = DOCS / "figures"


@dataclass(frozen=True, kw_only=True)
class Row:
    """What the first table of the reproductions says of an experiment, as Markdown."""

    id: str
    place: str
    """``Peng and Sikdar, Figure 5``."""
    published: str
    says: str
    verdict: str
    """With what stands behind it: ``agrees, 14 of 16 cells``."""
    why: str
    paper: str
    """The key of its paper in `NAMES`."""

    @property
    def kind(self) -> str:
        """The verdict alone, by which one filters."""
        return re.split(r", | \(", self.verdict)[0]

    @property
    def picture(self) -> Path | None:
        """Its figure; None if it is a table."""
        found = FIGURES / f"{self.id}.png"
        return found if found.exists() else None


def rows(papers: dict[str, str]) -> list[Row]:
    """All of them, in the order of the page; `papers` says to which paper an experiment belongs."""
    found = []
    for name, line in rows_of((DOCS / "reproductions.md").read_text(encoding="utf-8")).items():
        first, published, says, verdict, why = cells(line)
        place = re.match(r"\[(.*)\]\(#", first)
        assert place is not None, f"a row without a link: {line}"
        found.append(
            Row(
                id=name,
                place=place[1],
                published=published,
                says=says,
                verdict=verdict.strip("*"),
                why=why,
                paper=papers[name],
            )
        )
    return found


def cells(line: str) -> list[str]:
    """The cells of a row of a table in Markdown."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def section(name: str) -> str:
    """What the reproductions say of an experiment, below their heading."""
    return body(sections((DOCS / "reproductions.md").read_text(encoding="utf-8"), "## ")[name])


def all_numbers(name: str, paper: str) -> str:
    """What the appendix of a paper has of it."""
    return body(sections((DOCS / f"reproductions-{paper}.md").read_text(encoding="utf-8"))[name])


def body(part: str) -> str:
    """A section without its anchor and its heading."""
    return re.sub(r'\A<a id="[\w-]+"></a>\s*#+ [^\n]*\n', "", part).strip()


def heading(name: str) -> str:
    """The heading of its section: ``Figure 5: All sessions from the start``."""
    part = sections((DOCS / "reproductions.md").read_text(encoding="utf-8"), "## ")[name]
    found = re.search(r"^#+ (.*)$", part, re.MULTILINE)
    assert found is not None, f"{name} has no heading"
    return found[1]


def whole_scenarios(page: str) -> list[doc_commands.Block]:
    """Blocks of a page that are files with a whole scenario: those that name their format."""
    return [
        block
        for block in doc_commands.blocks(page)
        if block.language == "toml" and block.file and re.search(r"^format\s*=", block.text, re.MULTILINE)
    ]


def examples_run(page: str) -> dict[str, doc_commands.Block]:
    """The examples that commands of a page name, each with the first block that does."""
    found: dict[str, doc_commands.Block] = {}
    for block in doc_commands.blocks(page):
        if block.language == "sh":
            for name in re.findall(r"examples/scenarios/([\w-]+)\.toml", block.text):
                if (ROOT / "examples" / "scenarios" / f"{name}.toml").exists():
                    found.setdefault(name, block)
    return found


__all__ = [
    "DOCS",
    "FIGURES",
    "NAMES",
    "ROOT",
    "Row",
    "all_numbers",
    "cells",
    "examples_run",
    "heading",
    "rows",
    "section",
    "whole_scenarios",
]
