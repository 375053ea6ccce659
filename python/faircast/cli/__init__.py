"""The command ``faircast``. This module loads little, so that even a failure to load the rest is reported properly."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from typing import Any

from faircast.cli.endings import ending
from faircast.cli.streams import prepare
from faircast.core import COMPLETING
from faircast.errors import BAD_INPUT, OK, InputError, brief


def main() -> None:
    """Entry point of the command ``faircast``. It always ends with one of the codes of `faircast.errors`."""
    prepare()
    code = carry_out(sys.argv[1:])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        sys.stderr.flush()
    # A thread of work given up must not come back while the interpreter goes down; and Arrow's pool of threads may end
    # the process with SIGABRT if one is just being started then.
    if threading.active_count() > 1 or "pyarrow" in sys.modules:
        os._exit(code)
    sys.exit(code)


def carry_out(arguments: list[str]) -> int:
    """Do what the command line says; the exit code."""
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts us in the background ignores it
        code = invoked(arguments or ["--help"])
        sys.stdout.flush()
        return code if arguments or COMPLETING in os.environ else BAD_INPUT
    except BaseException as error:
        return ending(error, as_json="--json" in arguments)


def invoked(arguments: list[str]) -> int:
    """Let typer find the verb and its options; the exit code. Its own way to do so has exit codes of its own."""
    import typer

    from faircast.cli.app import app

    command = typer.main.get_command(app)
    if COMPLETING in os.environ:
        return completed(command)
    before_verb = True
    try:
        with command.make_context("faircast", list(arguments)) as context:
            before_verb = False
            command.invoke(context)
    except typer.Exit as error:
        return BAD_INPUT if before_verb and error.exit_code else error.exit_code
    except SystemExit as error:  # the options that show and install what completes; an error has been told
        return BAD_INPUT if error.code else OK
    except Exception as error:
        if not hasattr(error, "format_message"):  # what is wrong with an option; typer has moved the class about
            raise
        raise InputError(f"{complaint(error, arguments)}\n  {help_for(error, arguments)}") from None
    return OK


def completed(command: Any) -> int:
    """Print for a shell what could stand next; the exit code that its script waits for."""
    os.environ["COLUMNS"] = "1000"  # one line for each word; typer would wrap the helps
    try:
        command.main(args=[], prog_name="faircast", complete_var=COMPLETING)
    except SystemExit as error:
        return int(error.code or OK)
    return OK


def complaint(error: Any, arguments: list[str]) -> str:
    """What is wrong with an option, with the value that was given."""
    message: str = error.format_message()
    if type(error).__name__ == "NoSuchOption" and getattr(error, "option_name", None) == "--guest":
        return "--guest stands before the verb, as in faircast --guest in_python:WorstLoss run FILE"
    if "valid integer" not in message:
        return message
    names = getattr(getattr(error, "param", None), "opts", [])
    for n, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name in names:
            given = value if equals else "".join(arguments[n + 1 : n + 2])
            return f"{name}: {brief(given)!r} is not legal; legal is a whole number"
    return message


def help_for(error: Exception, arguments: list[str]) -> str:
    """Where to read more. An option without its value does not know its verb, which stands first then."""
    context = getattr(error, "ctx", None)
    verb = " ".join(arguments[:1]) if arguments and not arguments[0].startswith("-") else ""
    return f"Try '{context.command_path if context else f'faircast {verb}'.rstrip()} --help'."
