"""What the verbs share: options, the way they end, what they print with."""

from __future__ import annotations

import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from faircast.cli.endings import ending, note
from faircast.cli.tables import table
from faircast.cli.terminal import definitions, say
from faircast.errors import InputError, ResultWarning

if TYPE_CHECKING:
    from faircast.engine.contract import Engine

__all__ = [
    "Certificates",
    "Dask",
    "Jobs",
    "Json",
    "Label",
    "Processes",
    "Sets",
    "definitions",
    "engine_of",
    "one_place",
    "say",
    "table",
    "verb",
]

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

Processes = Annotated[
    int | None, typer.Option("--processes", metavar="N", help="Runs at once, each in a process of its own.")
]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="WHERE", help="A Dask cluster: tcp://HOST:PORT, tls://HOST:PORT or local:N."),
]
Certificates = Annotated[
    Path | None,
    typer.Option("--dask-certificates", metavar="DIR", help="For tls://: ca.pem, cert.pem and key.pem."),
]


def engine_of(jobs: int | None, processes: int | None, dask: str | None, certificates: Path | None) -> Engine:
    """Where runs are computed, by the options. Raises `InputError` if they name several places, or none that is one."""
    given = {"--jobs": jobs, "--processes": processes, "--dask": dask}
    several = [name for name, value in given.items() if value is not None]
    if len(several) > 1:
        raise InputError(f"{' and '.join(several)} say where runs are computed; give one of them")
    if certificates is not None and dask is None:
        raise InputError("--dask-certificates are for --dask tls://HOST:PORT")
    if dask is not None:
        from faircast.engine.dask import Dask as DaskEngine

        return DaskEngine(dask, certificates=certificates)
    if processes is not None:
        from faircast.engine.processes import Processes as ProcessEngine

        return ProcessEngine(processes)
    from faircast.engine.threads import Threads

    return Threads(jobs)


def verb(command: Callable[P, None]) -> Callable[P, None]:
    """Turn the errors of a verb into messages and exit codes."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with sigterm_interrupts(), noted_warnings():
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


@contextmanager
def noted_warnings() -> Iterator[None]:
    """Write each `ResultWarning` to standard error once, as other notes."""
    told: set[str] = set()

    def tell(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, ResultWarning):
            before(message, category, *where, **more)
        elif str(message) not in told:
            told.add(str(message))
            note(str(message))

    with warnings.catch_warnings():
        before = warnings.showwarning
        warnings.simplefilter("always", ResultWarning)
        warnings.showwarning = tell
        yield


def one_place(out: Path | None, label: str) -> None:
    """Raises `InputError` if both ``--out`` and ``--label`` are given."""
    if out is not None and label:
        raise InputError("--label is a part of the folder's name, --out gives all of it; give one of them")
