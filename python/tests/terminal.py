"""What must hold of all that a verb prints for people, whatever the width of the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pytest
from conftest import Cli, Ran
from rich.cells import cell_len

WIDTHS = (60, 80, 100, 160)
UNBOUNDED = 4000
"""Columns at which no line has to break."""
RULE = re.compile(r"[─-]{3,}")
BROKEN = re.compile(r"…|(?:±|\d\.|\de[-+]?)$|^(?:±|\.\d)")
"""A cell of a table that cannot be whole."""


def assert_whole(text: str, width: int, *, of: str | None = None) -> None:
    """No line is wider than `width`, no number or word is broken or missing.

    `of` is the same output at `UNBOUNDED` columns: then every word must be one of its words, and the other way round.
    Without it only what looks broken in a table is found.
    """
    in_table = False
    for line in text.splitlines():
        assert cell_len(line) <= width, f"wider than {width}: {line!r}"
        in_table = bool(line.strip()) and (in_table or RULE.fullmatch(line.replace(" ", "")) is not None)
        if in_table:
            for cell in re.split(r"\s{2,}", line.strip()):
                assert not BROKEN.search(cell), f"broken at {width} columns: {cell!r} in {line!r}"
    if of is not None:
        shown, whole = set(words([text])), set(words([of]))
        assert shown <= whole, f"broken at {width} columns: {sorted(shown - whole)}"
        assert whole <= shown, f"missing at {width} columns: {sorted(whole - shown)}"


def words(texts: Iterable[str]) -> Iterable[str]:
    """The words and numbers of texts, without rules of tables."""
    return (word for text in texts for word in text.split() if not RULE.fullmatch(word))


def assert_whole_at_all_widths(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, *arguments: object, widths: Iterable[int] = WIDTHS, code: int = 0
) -> Ran:
    """Call a verb, which must print the same each time, at several widths; gives what it did at 80 columns."""

    def at(width: int) -> Ran:
        monkeypatch.setenv("COLUMNS", str(width))
        done = cli(*arguments)
        assert done.code == code, done.err
        return done

    at(UNBOUNDED)  # the first call computes, the others find it done
    whole = at(UNBOUNDED).out
    for width in widths:
        assert_whole(at(width).out, width, of=whole)
    return at(80)
