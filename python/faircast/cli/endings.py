"""How a command ends: whatever happened becomes a message and an exit code."""

from __future__ import annotations

import json
import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from faircast.cli.terminal import columns, wrapped
from faircast.errors import (
    BAD_INPUT,
    INTERRUPTED,
    LESS_MEMORY,
    NOT_FINISHED,
    InputError,
    NotFinishedError,
    shortened,
)
from faircast.libraries import is_lack_of_memory

TRACEBACK = "FAIRCAST_TRACEBACK"
"""Environment variable: if set, errors show where in faircast they came up."""
LISTED = 50
"""Problems of a scenario that are shown on screen."""


def ending(error: BaseException, *, as_json: bool) -> int:
    """Say what went wrong; the exit code."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error, file=sys.stderr)
    match error:
        case InputError():
            return say(error.message, BAD_INPUT, as_json=as_json, error=error)
        case NotFinishedError():
            return say(str(error), NOT_FINISHED, as_json=as_json)
        case KeyboardInterrupt():
            return say("interrupted", INTERRUPTED, as_json=as_json)
        case MemoryError():
            what = f": {error}" if str(error) else ""
            return say(f"out of memory{what}; {LESS_MEMORY}", NOT_FINISHED, as_json=as_json)
        case OSError() if error.strerror:
            where = f"{error.filename}: " if error.filename else ""
            return say(f"{where}{error.strerror}", NOT_FINISHED, as_json=as_json)
        case ImportError() if is_lack_of_memory(error):
            text = f"out of memory: a library that faircast needs cannot be loaded; {error}"
            return say(text, NOT_FINISHED, as_json=as_json)
        case ImportError():
            text = f"cannot load all of faircast or of what it needs, is it installed as a whole? {error}"
            return say(text, NOT_FINISHED, as_json=as_json)
    text = f"internal error, please report it: {type(error).__name__}: {error} ({place(error)})"
    return say(f"{text}\n  {TRACEBACK}=1 faircast ... shows more", NOT_FINISHED, as_json=as_json)


def say(message: str, code: int, *, as_json: bool, error: InputError | None = None) -> int:
    """Tell on standard error what went wrong, and as JSON on standard output if asked for; hands back `code`."""
    lines = [shortened(line) for line in message.splitlines()] or ["for no reason given"]
    listed = error.listed() if error else []
    shown = listed[:LISTED]
    if len(listed) > LISTED:
        shown.append(f"... and {len(listed) - LISTED} more; --json lists them all")
    for line in [f"faircast: {lines[0]}", *lines[1:], *(f"  {line}" for line in shown)]:
        tell(line)
    if as_json:
        problems = error.to_json() if error else []
        with suppress(OSError):  # nobody takes it: the code says it
            print_json({"error": lines[0], "problems": problems, "exit_code": code})
            sys.stdout.flush()
    return code


def note(message: str) -> None:
    """Say on standard error what happened beside the results."""
    tell(f"faircast: {shortened(message)}")


def tell(line: str) -> None:
    """One line on standard error; on a terminal it is broken between words, not within them."""
    width = columns(sys.stderr)
    print(wrapped(line, width, later="" if width is None else "  "), file=sys.stderr)


def warn(message: str) -> None:
    """Say on standard error what is worth knowing and changes no exit code."""
    tell(f"faircast: warning: {shortened(message)}")


def print_json(value: Any) -> None:
    """JSON on standard output, in ASCII: legal whatever the encoding of the stream."""
    print(json.dumps(value, indent=2, allow_nan=False))


def place(error: BaseException) -> str:
    """Where an error came up: ``summary.py:120``."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "place unknown"
