"""Standard output and standard error that never end the work: whatever their encoding, closed, or read by nobody."""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import Any, TextIO

PLAIN = {
    "±": "+-",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "×": "x",
    "·": "*",
    "−": "-",
    "–": "-",
    "…": "...",
    "²": "^2",
    "√": "sqrt",
    "µ": "u",
    "μ": "u",
    "σ": "sigma",
    "Σ": "sum",
}
"""What stands in an encoding that lacks the sign. Anything else is written as an escape, such as ``\\u03b1``."""

ERRORS = "faircast"
"""Name of the error handler that does so."""


class Outlet(io.FileIO):
    """A file descriptor of the process that goes quiet as soon as nobody takes what is written.

    A reader that has seen enough (``| head``) is no error. Any other failure, such as a full disk, is raised once if
    `tells`, and what is still to come is dropped: nothing fails again when the interpreter ends.
    """

    def __init__(self, descriptor: int, *, tells: bool) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self._tells = tells
        self._quiet = False

    def write(self, data: Any, /) -> int:
        """Write some of the bytes, or say that all of them are written."""
        if self._quiet:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self._quiet = True
            if self._tells and not isinstance(error, BrokenPipeError):
                raise OSError(error.errno, error.strerror, "standard output") from None
            return len(data)


def prepare() -> None:
    """Put such streams in the place of those that Python has opened."""
    codecs.register_error(ERRORS, spelled)
    fill_standard_descriptors()
    if os.name == "posix":
        sys.stdout = opened(sys.stdout, 1, tells=True)
        sys.stderr = opened(sys.stderr, 2, tells=False)
        return
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def opened(given: TextIO | None, descriptor: int, *, tells: bool) -> io.TextIOWrapper:
    """The stream of a descriptor, in the encoding of the one that Python has opened.

    Python opens none if the descriptor was closed; then what is written goes nowhere.
    """
    if given is None:
        return open(os.devnull, "w", encoding="utf-8", errors=ERRORS)  # noqa: PTH123
    given.flush()
    raw = Outlet(descriptor, tells=tells)
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, given.encoding, ERRORS, line_buffering=raw.isatty() or not tells)


def fill_standard_descriptors() -> None:
    """Open what is closed of the descriptors 0 to 2 as the null device: else the next file would take the number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def spelled(error: UnicodeError) -> tuple[str, int]:
    """The error handler: signs in plain letters, everything else as an escape."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(spell(sign) for sign in error.object[error.start : error.end]), error.end


def spell(sign: str) -> str:
    """One sign in ASCII. What stands for a byte of a path that is no text becomes that byte's escape."""
    code = ord(sign)
    if sign in PLAIN:
        return PLAIN[sign]
    if 0xDC80 <= code <= 0xDCFF:  # surrogateescape, PEP 383
        return f"\\x{code - 0xDC00:02x}"
    return sign.encode("ascii", "backslashreplace").decode()


def legible(text: str) -> str:
    """`text` as standard output can show it, so that a table knows how wide it is."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(sign if encodes(sign, encoding) else spell(sign) for sign in text)
    return text


def encodes(sign: str, encoding: str) -> bool:
    """Whether an encoding has a sign."""
    try:
        sign.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
