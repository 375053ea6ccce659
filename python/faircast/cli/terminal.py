"""How wide the terminal is, and text on it: lines break between words, never within a word or a number."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import TextIO

from faircast.cli.streams import legible

NOT_A_TERMINAL = 160
"""Columns of a table whose reader is no terminal: a file, a pipe."""
WORD = re.compile(r"\s*\S+(?: (?:±|\+-) \S+| %)*")
"""A word with the blanks before it; a mean with its interval is one word, and so is a percentage."""
LEAST = 20
"""Columns that are used at least, even if a terminal says that it has fewer."""


def columns(stream: TextIO | None = None) -> int | None:
    """Columns of a stream, by default standard output: ``COLUMNS`` if it is set, else those of the terminal.

    None if it is no terminal.
    """
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked) > 0:
        return max(int(asked), LEAST)
    try:
        found = os.get_terminal_size((stream or sys.stdout).fileno()).columns
    except (OSError, ValueError, AttributeError):  # AttributeError: a stream that a program made up
        return None
    return max(found, LEAST) if found else None


def wide(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def words(text: str) -> list[str]:
    """What of a text is never broken."""
    return [word.strip() for word in WORD.findall(text)]


def wrapped(text: str, width: int | None, *, first: str = "", later: str = "") -> str:
    """Text in lines of at most `width`, with what each begins with; line feeds stay, and longer words stand out.

    Without a width lines stay as they are.
    """
    lines: list[str] = []
    for given in text.split("\n"):
        line = begin = later if lines else first
        for word in WORD.findall(given):
            if width is not None and line != begin and wide(line + word) > width:
                lines.append(line)
                line = later + word.lstrip()
            else:
                line += word
        lines.append(line.rstrip())
    return "\n".join(lines)


def say(text: str = "") -> None:
    """Print a sentence or several on standard output."""
    print(wrapped(legible(text), columns()))


def definitions(pairs: Sequence[tuple[str, str]], *, indent: str = "") -> None:
    """Print names, each with a text beside it; where names take more than a third of the line, below it."""
    width = columns()
    longest = max((len(legible(name)) for name, _ in pairs), default=0)
    beside = width is None or len(indent) + longest + 2 <= width / 3
    for name, text in pairs:
        shown = legible(name)
        if beside:
            later = indent + " " * (longest + 2)
            print(wrapped(legible(text), width, first=f"{indent}{shown:<{longest}}  ", later=later).rstrip())
        else:
            print(f"{indent}{shown}")
            if text:
                print(wrapped(legible(text), width, first=f"{indent}    ", later=f"{indent}    "))
