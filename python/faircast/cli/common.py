"""What the verbs share: errors to exit codes, output for people and for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec

import typer

from faircast.errors import BAD_INPUT, INTERRUPTED, NOT_FINISHED, InputError, NotFinishedError

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Jobs = Annotated[int | None, typer.Option("--jobs", metavar="N", help="Runs at once; default: one per core.")]


def verb(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors of a verb into messages and exit codes."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        as_json = bool(kwargs.get("as_json"))
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except InputError as error:
            fail(str(error), BAD_INPUT, as_json, error.problems)
        except NotFinishedError as error:
            fail(str(error), NOT_FINISHED, as_json)
        except KeyboardInterrupt:
            fail("interrupted", INTERRUPTED, as_json)
        except MemoryError:
            fail("out of memory; fewer --jobs or a smaller scenario need less", NOT_FINISHED, as_json)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            fail(f"{where}{error.strerror or error}", NOT_FINISHED, as_json)

    return guarded


def fail(message: str, code: int, as_json: bool, problems: Sequence[tuple[str, str]] = ()) -> NoReturn:
    """Say what went wrong, on standard error (and as JSON on standard output if asked for), and leave."""
    print(f"faircast: {message}", file=sys.stderr)
    if as_json:
        listed = [{"path": path, "message": text} for path, text in problems]
        print_json({"error": message.splitlines()[0], "problems": listed, "exit_code": code})
    raise typer.Exit(code)


def print_json(value: Any) -> None:
    """JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


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
        shown.add_column(
            column, justify="right" if column in right else "left", overflow="fold", no_wrap=column in whole
        )
    for row in rows:
        shown.add_row(*(Text(cell) for cell in row))
    console().print(shown)
