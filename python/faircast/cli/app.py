"""The verbs of the command ``faircast``: one file each, loaded when it is asked for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperGroup

from faircast.errors import InputError, brief, nearest

VERBS = {
    "list": "faircast.cli.list_",
    "run": "faircast.cli.run",
    "validate": "faircast.cli.validate",
    "paths": "faircast.cli.paths",
    "schema": "faircast.cli.schema",
    "sweep": "faircast.cli.sweep",
    "merge": "faircast.cli.merge",
    "compare": "faircast.cli.compare",
    "sensitivity": "faircast.cli.sensitivity",
    "tune": "faircast.cli.tune",
    "fit": "faircast.cli.fit",
    "draw": "faircast.cli.draw",
    "network": "faircast.cli.network",
    "reproduce": "faircast.cli.reproduce",
    "show": "faircast.cli.show",
    "archive": "faircast.cli.archive",
    "verify": "faircast.cli.verify",
    "plot": "faircast.cli.plot",
    "report": "faircast.cli.report",
    "why": "faircast.cli.why",
    "events": "faircast.cli.events",
    "lab": "faircast.cli.lab",
    "keys": "faircast.cli.keys",
    "send": "faircast.cli.send",
    "receive": "faircast.cli.receive",
    "probe": "faircast.cli.probe",
    "stream": "faircast.cli.stream",
    "bench": "faircast.cli.bench",
}
"""Every verb with the module whose function `command` does it, in the order of ``faircast --help``.

The first line of that function's docstring is the verb's help in one line. The core, Arrow and what imports them are
imported inside functions: to complete the options of a verb its module is loaded, and that has to be quick.
"""
EXAMPLES = re.compile(r"\n\n(?=Examples?: )")


class Completion(NamedTuple):
    """A word that a shell may put in."""

    value: str
    help: str
    type: str = "plain"


class Verbs(TyperGroup):
    """A group of verbs that loads a verb's module when the verb is called, its help asked or its options completed."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all verbs."""
        del ctx
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The verb of this name, None if there is none."""
        del ctx
        return loaded(cmd_name) if cmd_name in VERBS else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The verb that the first word names. Raises `InputError` if there is none."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and args[0] not in VERBS:
            there = ", ".join(VERBS)
            raise InputError(
                f"there is no verb {brief(args[0])}{nearest(args[0], list(VERBS))}; there are: {there}\n"
                "  Try 'faircast --help'."
            )
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """The verbs, or the options before the verb, that begin so."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [Completion(name, summary(name)) for name in VERBS if name.startswith(incomplete)]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of verbs, each with its whole line of help."""
        del ctx
        with formatter.section("Verbs"):
            formatter.write_dl([(name, summary(name)) for name in VERBS])


def loaded(verb: str) -> Any:
    """A verb as typer has it: its module's `command` with the options."""
    function: Callable[..., None] = import_module(VERBS[verb]).command
    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    single.command(verb)(function)
    found = typer.main.get_command(single)
    found.help = EXAMPLES.sub("\n\n\b\n", found.help or "")  # an example is copied: its lines stay as they are
    return found


def summary(verb: str) -> str:
    """The help of a verb in one line, read from its source: to load all verbs would take much longer."""
    spec = find_spec(VERBS[verb])
    loader: Any = None if spec is None else spec.loader
    source = None if loader is None else loader.get_source(VERBS[verb])
    for node in ast.parse(source or "").body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            return (ast.get_docstring(node) or "").partition("\n")[0]
    return ""


app = typer.Typer(
    name="faircast",
    help="Laboratory for fair multicast congestion control: run scenarios, reproduce papers, judge results.\n\n"
    "Exit codes: 0 done, 1 a criterion does not hold (--strict) or an archive did not come out again, 2 bad input, "
    "3 could not finish, 130 interrupted.",
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    subcommand_metavar="VERB [ARGS]...",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def show_version(asked: bool) -> None:
    """Print the version and leave."""
    if asked:
        from importlib.metadata import version

        print(version("faircast"))
        raise typer.Exit


@app.callback()
def everywhere(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version.")
    ] = False,
    guest: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODULE:CLASS",
            help="A scheme that is a Python class, from this folder or PYTHONPATH; may be repeated. It is called as "
            "the class is (WorstLoss: worst-loss), or as NAME=MODULE:CLASS says.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Options before the verb."""
    del version  # shown by its callback
    if guest:
        from faircast.guest_modules import register

        for text in guest:
            register(text)
