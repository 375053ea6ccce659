"""Finds citations of RFCs that name a section which the RFC does not have, by `rfc_sections.txt` beside this file.

    python tools/rfc_citations.py           # prints ``file:line: ...`` for each that is wrong; 1 if there is one
    python tools/rfc_citations.py --list    # prints every citation with the title of what it cites, to be read

A citation is ``RFC 4654 section 3.3``, ``RFC 4654, sections 3.1 to 3.4``, ``section 3.3 of RFC 4654``, ``appendix A.1``
or, where rules have numbers, ``RFC 6298 (2.4)``. It may go over a line's end, and further sections of its sentence
are of the same RFC. A section without an RFC is of the one that its file names, or the ``mod.rs`` beside it:
``Sections without a number of an RFC are of RFC 9438.`` Where nothing does so it is left alone: papers have sections.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TABLE = Path(__file__).with_name("rfc_sections.txt")
PLACES = ("crates", "docs", "examples", "python", "reference", "tools")
KINDS = (".rs", ".py", ".pyi", ".md", ".toml")
EXAMPLES = ("tools/rfc_citations.py", "python/tests/test_rfc_citations.py")
"""Files whose citations are examples."""
ITEM = r"(?:\d+|[A-Z])(?:\.\d+)*(?![\w-])"
RFC = re.compile(r"\bRFC\s(\d+)\b")
SEVERAL = rf"{ITEM}(?:[\s,]+(?:and|to|or)?\s*{ITEM})*"
NAMED = re.compile(rf"\b(?:[Ss]ection|[Aa]ppendix)\s({ITEM})|\b(?:[Ss]ections|[Aa]ppendices)\s({SEVERAL})")
RULE = re.compile(r"(\(\d+\.\d+\))(?:(?:,\s|\s(?:and|to)\s)(\(\d+\.\d+\)))*")
AFTER = re.compile(r"\sof\s(?:the\s)?RFC\s(\d+)")
OTHER = re.compile(r"\[(?!RFC )[A-Z][\w-]+\]|\bdraft\b|\bpaper\b")
"""A source that is no RFC, to which sections behind it belong."""
END = re.compile(r"[.;:]\s|\n\s*\n|\s\|")
"""What ends a sentence, or a cell of a table."""
HEAD = re.compile(r"[Ss]ections\swithout\sa\snumber\sof\san\sRFC\sare\sof\sRFC\s(\d+)")
LEADER = re.compile(r"^\s*(?://[/!]?|#)? ?")
"""What stands before the text of a comment."""


class Citation(NamedTuple):
    """A section that a file cites."""

    line: int
    rfc: str
    section: str


def known(text: str) -> dict[str, dict[str, str]]:
    """By RFC the titles of its sections."""
    found: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if match := re.match(r"RFC (\d+) ", line):
            here = found[match[1]] = {}
        elif line and not line.startswith("#"):
            section, _, title = line.partition(" ")
            here[section] = title
    return found


def default_of(text: str) -> str:
    """The RFC of which sections are that stand without one; empty if the text names none."""
    found = HEAD.search("\n".join(LEADER.sub("", line, count=1) for line in text.split("\n")))
    return found[1] if found else ""


def citations(text: str, default: str = "") -> Iterator[Citation]:
    """All that a file cites, in order; `default` is the RFC of sections that stand without one."""
    plain, lines = "", []
    for number, line in enumerate(text.split("\n"), start=1):
        bare = LEADER.sub("", line, count=1) + "\n"
        plain += bare
        lines += [number] * len(bare)
    default = default_of(text) or default
    begin = 0
    for end in [*(match.end() for match in END.finditer(plain)), len(plain)]:
        for at, rfc, section in in_sentence(plain[begin:end], default):
            yield Citation(lines[begin + at], rfc, section)
        begin = end


def in_sentence(sentence: str, default: str) -> Iterator[tuple[int, str, str]]:
    """Where a sentence cites which section of which RFC."""
    sources = [(match.end(), match[1]) for match in RFC.finditer(sentence)]
    others = [(match.end(), "") for match in OTHER.finditer(sentence)]
    for match in NAMED.finditer(sentence):
        before = max((place for place in sources + others if place[0] <= match.start()), default=(0, default))
        after = AFTER.match(sentence, match.end())
        rfc = after[1] if after else before[1]
        if rfc:
            yield from ((match.start(), rfc, section) for section in re.findall(ITEM, match[1] or match[2]))
    for end, rfc in sources:
        if match := RULE.match(sentence, end + 1):
            yield from ((end, rfc, section) for section in re.findall(r"\(\d+\.\d+\)", match[0]))


def wrong(found: Citation, table: dict[str, dict[str, str]]) -> str:
    """What is wrong with a citation; empty if it holds."""
    if found.rfc not in table:
        return f"{TABLE.name} does not know RFC {found.rfc}, of which section {found.section} is cited"
    return "" if found.section in table[found.rfc] else f"RFC {found.rfc} has no section {found.section}"


def main(arguments: list[str]) -> int:
    """Look at all files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z", *PLACES, "*.md"], capture_output=True, check=True).stdout.decode()
    table = known(TABLE.read_text(encoding="utf-8"))
    count = bad = 0
    for name in sorted(set(listed.split("\0"))):
        if not name.endswith(KINDS) or name in EXAMPLES or not Path(name).exists():
            continue
        module = Path(name).with_name("mod.rs")
        beside = default_of(module.read_text(encoding="utf-8")) if name.endswith(".rs") and module.exists() else ""
        for found in citations(Path(name).read_text(encoding="utf-8"), beside):
            count += 1
            complaint = wrong(found, table)
            bad += bool(complaint)
            if complaint:
                print(f"{name}:{found.line}: {complaint}")
            elif "--list" in arguments:
                print(
                    f"{name}:{found.line}: RFC {found.rfc} {found.section} {table[found.rfc][found.section]}".rstrip()
                )
    if "--list" in arguments:
        print(f"{count} citations, {bad} of them wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
