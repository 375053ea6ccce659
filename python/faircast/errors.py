"""What can go wrong, and the exit code that says so on the command line."""

from __future__ import annotations

from collections.abc import Sequence

OK = 0
CRITERION_FAILED = 1
BAD_INPUT = 2
NOT_FINISHED = 3
INTERRUPTED = 130


class InputError(ValueError):
    """Something a person or a file gave is wrong; nothing has been written.

    Parameters
    ----------
    message
        What is wrong and what to change, in one sentence.
    problems
        All that is wrong with a scenario: pairs of path (``links.bottleneck.rate``) and message.
    """

    def __init__(self, message: str, problems: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.problems = list(problems)

    def __str__(self) -> str:
        return "\n".join(
            [self.message, *(f"  {path}: {text}" if path else f"  {text}" for path, text in self.problems)]
        )


class NotFinishedError(RuntimeError):
    """A run or its results could not be completed: full disk, internal error. What was complete before is kept."""


def nearest(name: str, legal: Sequence[str]) -> str:
    """`` (did you mean x?)`` if one of the legal names resembles `name`, otherwise nothing."""
    from difflib import get_close_matches

    found = get_close_matches(name, legal, n=1)
    return f" (did you mean {found[0]}?)" if found else ""
