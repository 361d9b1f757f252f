"""The commands and their options; each does its work in the module of its name."""

from __future__ import annotations

from typing import Annotated

import typer

from driftduel.cli import (
    analyse,
    arena,
    demo,
    learners,
    measure,
    moved,
    report,
    run,
    streams,
    vote,
)

app = typer.Typer(
    name="driftduel",
    help="Find, and keep finding, what people prefer, when preferences drift.",
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        from driftduel import __version__

        typer.echo(f"driftduel {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("demo")(demo.demo)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("measure")(measure.measure)
app.command("analyse")(analyse.analyse)
app.command("streams")(streams.streams)
app.command("learners")(learners.learners)
app.command("new")(vote.new)
app.command("ask")(vote.ask)
app.command("tell")(vote.tell)
app.command("undo")(vote.undo)
app.command("status")(vote.status)
app.add_typer(arena.app, name="arena")
for name in moved.MOVED:
    app.command(name, hidden=True, add_help_option=False, context_settings=moved.ANY_OPTIONS)(
        moved.moved
    )
