"""What the verbs share: options, the way they end, tables."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer

from faircast.cli.endings import ending
from faircast.cli.streams import legible
from faircast.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change a value of the scenario first; again and again."),
]
Label = Annotated[
    str,
    typer.Option("--label", metavar="TEXT", help="Part of the folder's name; not with --out.", show_default=False),
]
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


def one_place(out: Path | None, label: str) -> None:
    """Raises `InputError` if both ``--out`` and ``--label`` are given."""
    if out is not None and label:
        raise InputError("--label is a part of the folder's name, --out gives all of it; give one of them")


def console() -> Console:
    """Standard output for tables; wide if it is not a terminal, so that lines stay whole."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else 160)


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: Sequence[str] = (),
    whole: Sequence[str] = (),
) -> None:
    """Print a table; the columns named in `right` are aligned at their right end, those in `whole` are never folded.

    Nor are the cells of those in `right`, as they are numbers. If all but the first column are such and there are more
    than a line can hold, the table goes on below with the first column repeated.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    out = console()
    least = [widest(name, [row[i] for row in rows], whole=name in whole) for i, name in enumerate(columns)]
    at_ease = [max(len(legible(name)), width) for name, width in zip(columns, least, strict=True)]
    only_numbers = set(columns[1:]) <= set(right)
    here = range(1, 1)
    while True:
        here = range(here.stop, len(columns))
        while only_numbers and len(here) > 1 and line_width(least, here) > out.width:
            here = here[:-1]
        shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        tight = only_numbers and line_width(at_ease, here) > out.width
        for i in (0, *here):
            name = columns[i]
            is_number = name in right
            shown.add_column(
                Text(legible(name)),
                justify="right" if is_number else "left",
                overflow="fold",
                width=least[i] if tight and is_number else None,
                no_wrap=name in whole or (is_number and not tight),
            )
        for row in rows:
            shown.add_row(*(Text(legible(row[i])) for i in (0, *here)))
        out.print(shown)
        if here.stop == len(columns):
            return


def widest(heading: str, cells: Sequence[str], *, whole: bool) -> int:
    """The width below which a cell or a word of the heading would break."""
    return max(len(legible(text)) for text in [*([heading] if whole else heading.split()), *cells, ""])


def line_width(widths: Sequence[int], numbers: Sequence[int]) -> int:
    """The width of a table of the first column and these: a sign at both ends, three between columns."""
    return 2 + widths[0] + sum(3 + widths[i] for i in numbers)
