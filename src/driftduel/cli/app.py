"""The commands and their options; each does its work in the module of its name."""

from __future__ import annotations

from typing import Annotated

import typer

from driftduel.cli import (
    analyse,
    arena,
    demo,
    judge,
    learners,
    measure,
    moved,
    report,
    run,
    streams,
    told,
    vote,
    why,
)
from driftduel.cli.groups import GroupedCommands, examples

app = typer.Typer(
    name="driftduel",
    help="Find, and keep finding, what people prefer, when preferences drift.",
    cls=GroupedCommands,
    epilog=examples("driftduel"),
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    if version:
        from driftduel import __version__

        typer.echo(f"driftduel {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("demo", epilog=examples("demo"))(demo.demo)
app.command("run", epilog=examples("run"))(run.run)
app.command("report", epilog=examples("report"))(report.report)
app.command("measure", epilog=examples("measure"))(measure.measure)
app.command("analyse", epilog=examples("analyse"))(analyse.analyse)
app.command("streams", epilog=examples("streams"))(streams.streams)
app.command("learners", epilog=examples("learners"))(learners.learners)
app.command("new", epilog=examples("new"))(vote.new)
app.command("ask", epilog=examples("ask"))(vote.ask)
app.command("tell", epilog=examples("tell"))(vote.tell)
app.command("undo", epilog=examples("undo"))(vote.undo)
app.command("status", epilog=examples("status"))(vote.status)
app.command("judge", epilog=examples("judge"))(judge.judge)
arena.app.command("notify", epilog=examples("arena notify"))(told.notify)
why.register(arena.app)
app.add_typer(arena.app, name="arena")
for name in moved.MOVED:
    app.command(name, hidden=True, add_help_option=False, context_settings=moved.ANY_OPTIONS)(
        moved.moved
    )
