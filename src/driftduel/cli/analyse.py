"""``driftduel analyse``: what votes tell, in sentences and a small table, as a page, or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.answers import answer
from driftduel.cli.shared import Json, as_names, as_numbers
from driftduel.cli.votes import (
    Columns,
    DayFirst,
    Files,
    Left,
    NoHeader,
    Only,
    Right,
    Time,
    Values,
    Winner,
    as_roles,
    as_values,
)


def analyse(
    files: Files,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="The page to write, FILE.html if left out; votes.html for standard input.",
        ),
    ] = None,
    arms: Annotated[
        str | None, typer.Option(metavar="A B C", help="The arms to keep; all if left out.")
    ] = None,
    only: Only = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Also tell each group of this column apart."),
    ] = None,
    release: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME@DATE",
            help="What was changed on purpose, as 'version 2 of blue@2024-05-03': whether that is "
            "why who leads changed. May be given several times.",
        ),
    ] = None,
    drift: Annotated[
        bool,
        typer.Option("--drift", help="Also say how much tastes moved, beside what noise shows."),
    ] = False,
    variants: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A B", help="Arms that are variants of one thing and count as one; repeatable."
        ),
    ] = None,
    left: Left = None,
    right: Right = None,
    winner: Winner = None,
    time: Time = None,
    columns: Columns = None,
    dayfirst: DayFirst = None,
    no_header: NoHeader = False,
    values: Values = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="Judge by this weight, one number per arm."),
    ] = None,
    alpha: Annotated[float, typer.Option(help="The chance of an error that is accepted.")] = 0.05,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="uniform|independent",
            help="What is assumed of how pairs were chosen, in place of propensities; "
            "independent of the votes if left out and the file has none.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say who is best, since when, and how sure that is.

    Prints the answer, and writes a page with all of it if the extra 'report' is installed. The page
    holds all it needs and opens without a network. Both say what is likely, what is proved, and
    what the votes do not tell.
    """
    answer(
        files,
        out=out,
        arms=None if arms is None else as_names(arms, "--arms"),
        only=only,
        by=by,
        releases=release,
        drift=drift,
        variants=[as_names(group, "--variants") for group in variants or ()],
        columns=as_roles(columns, left=left, right=right, winner=winner, time=time),
        dayfirst=dayfirst,
        header=not no_header,
        values=as_values(values),
        weight=None if weight is None else as_numbers(weight, "--weight"),
        alpha=alpha,
        pairs=pairs,
        as_json=as_json,
    )
