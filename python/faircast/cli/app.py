"""The verbs of the command ``faircast``: one file each."""

from __future__ import annotations

import typer

from faircast.cli import bench, list_, paths, reproduce, run, schema, validate

app = typer.Typer(
    name="faircast",
    help="Laboratory for fair multicast congestion control: run scenarios, reproduce papers, judge results.\n\n"
    "Exit codes: 0 done, 1 a criterion does not hold (--strict), 2 bad input, 3 could not finish, 130 interrupted.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("list")(list_.command)
app.command("run")(run.command)
app.command("validate")(validate.command)
app.command("paths")(paths.command)
app.command("schema")(schema.command)
app.command("reproduce")(reproduce.command)
app.command("bench")(bench.command)


def show_version(asked: bool) -> None:
    """Print the version and leave."""
    if asked:
        from faircast.results import faircast_version

        print(faircast_version())
        raise typer.Exit


@app.callback()
def everywhere(
    version: bool = typer.Option(False, "--version", callback=show_version, is_eager=True, help="Show the version."),
) -> None:
    """Options before the verb."""
