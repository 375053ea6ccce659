"""What the verbs share: options, the way they end, tables."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Literal, ParamSpec

import typer

from faircast.cli.endings import ending
from faircast.cli.streams import legible

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Runs at once; default: one per core.")]


def verb(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors of a verb into messages and exit codes."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with sigterm_interrupts():
                command(*args, **kwargs)
            sys.stdout.flush()
        except typer.Exit:
            raise
        except BaseException as error:
            raise typer.Exit(ending(error, as_json=bool(kwargs.get("as_json")))) from None

    return guarded


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM, by which batch systems and containers end a job, do what Ctrl-C does.

    Once: those who send it several times mean the same, and what they wait for is the end that the first one began.
    """

    def interrupt(signum: int, _: FrameType | None) -> None:
        signal.signal(signum, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGTERM) is interrupt:
            signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def console() -> Console:
    """Standard output for tables; wide if it is not a terminal, so that lines stay whole."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> None:
    """Print a table; the columns named in `right` are aligned at their right end, those in `whole` are never folded."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Literal["right", "left"] = "right" if column in right else "left"
        shown.add_column(Text(legible(column)), justify=justify, overflow="fold", no_wrap=column in whole)
    for row in rows:
        shown.add_row(*(Text(legible(cell)) for cell in row))
    console().print(shown)
