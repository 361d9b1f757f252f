"""The commands and their options; each does its work in a module of its own."""

from __future__ import annotations

from typing import Annotated

import typer

from driftduel.cli import (
    benchmarking,
    demo,
    measuring,
    players,
    reporting,
    reproducing,
    running,
    voting,
    worlds,
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
app.command("run")(running.run)
app.command("report")(reporting.report)
app.command("reproduce")(reproducing.reproduce)
app.command("benchmark")(benchmarking.benchmark)
app.command("measure")(measuring.measure)
app.command("streams")(worlds.streams)
app.command("learners")(players.learners)
app.command("new")(voting.new)
app.command("ask")(voting.ask)
app.command("tell")(voting.tell)
app.command("status")(voting.status)
