"""What can go wrong, and the exit code that says so on the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

OK = 0
CRITERION_FAILED = 1
BAD_INPUT = 2
NOT_FINISHED = 3
INTERRUPTED = 130

LESS_MEMORY = "fewer --jobs or a smaller scenario need less"

LONGEST = 800
"""Characters of a message; what is longer is cut."""
LONGEST_VALUE = 200
"""Characters of a value within a message."""
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]")
"""What a terminal obeys, and the byte order mark, which nobody sees."""


class InputError(ValueError):
    """The error of wrong input, from a person or a file; nothing has been written.

    Parameters
    ----------
    message
        What is wrong and what to change, in one sentence.
    problems
        All that is wrong with a scenario: pairs of path (``links.bottleneck.rate``) and message.
    lines
        For each problem the line of the TOML file or text on which it stands, counted from 1; None where it stands on
        none.
    """

    def __init__(
        self, message: str, problems: Sequence[tuple[str, str]] = (), lines: Sequence[int | None] = ()
    ) -> None:
        super().__init__(message)
        self.message = shortened(message)
        self.problems = [(shortened(path), shortened(text)) for path, text in problems]
        self.lines = list(lines) or [None] * len(self.problems)

    def __str__(self) -> str:
        return "\n".join([self.message, *(f"  {text}" for text in self.listed())])

    def listed(self) -> list[str]:
        """The problems in words: ``line 12, links.bottleneck.delay: ...``."""
        places = [
            ", ".join(part for part in ("" if line is None else f"line {line}", path) if part)
            for (path, _), line in zip(self.problems, self.lines, strict=True)
        ]
        return [f"{place}: {text}" if place else text for place, (_, text) in zip(places, self.problems, strict=True)]

    def to_json(self) -> list[dict[str, str | int | None]]:
        """The problems for programs: ``{"path", "message", "line"}``."""
        return [
            {"path": path, "message": text, "line": line}
            for (path, text), line in zip(self.problems, self.lines, strict=True)
        ]


class ResultWarning(UserWarning):
    """What should be known of a result folder: that something was damaged in it, or could not be checked."""


class NotFinishedError(RuntimeError):
    """The error of a run or a result that could not be completed: full disk, internal error.

    What was complete before is kept.
    """


@contextmanager
def begun() -> Iterator[None]:
    """Inside, something has been written already: an `InputError`, which comes too late, is a `NotFinishedError`."""
    try:
        yield
    except InputError as error:
        raise NotFinishedError(f"{error}; what was finished before is kept") from error


def nearest(name: str, legal: Sequence[str]) -> str:
    """`` (did you mean x?)`` if one of the legal names resembles `name`, otherwise nothing."""
    from difflib import get_close_matches

    found = get_close_matches(name, legal, n=1)
    return f" (did you mean {found[0]}?)" if found else ""


def choose(kind: str, name: str, legal: Sequence[str]) -> str:
    """`name` if it is one of the legal ones, otherwise an `InputError` that names them."""
    if name in legal:
        return name
    raise InputError(f"there is no {kind} {brief(name)}{nearest(name, legal)}; there are: {', '.join(legal) or 'none'}")


def shortened(text: str, longest: int = LONGEST) -> str:
    """`text` as a message can hold it: without characters that nobody sees, and cut in the middle if it is long.

    Line feeds stay; a terminal obeys the others, and they come from names and values that somebody wrote.
    """
    if len(text) > longest:
        end = longest // 4  # where a message says what is legal
        text = f"{text[: longest - end]} ... {len(text) - longest} characters left out ... {text[len(text) - end :]}"
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def brief(value: object) -> str:
    """A value that somebody gave, as a part of a message."""
    return shortened(str(value), LONGEST_VALUE)
