"""``driftduel analyse``: what a file of votes proves, as one page, or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.shared import Json, as_names, as_numbers, console, print_json, working
from driftduel.cli.votes import (
    Columns,
    DayFirst,
    Files,
    Left,
    NoHeader,
    Right,
    Time,
    Winner,
    as_roles,
    name_of,
    source_of,
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
        str | None, typer.Option(metavar="A,B,C", help="The arms to keep; all if left out.")
    ] = None,
    left: Left = None,
    right: Right = None,
    winner: Winner = None,
    time: Time = None,
    columns: Columns = None,
    dayfirst: DayFirst = None,
    no_header: NoHeader = False,
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

    The page holds all it needs and opens without a network. It claims what the votes prove, and
    says what they do not.
    """
    from driftduel.matrix.criteria import Weighted
    from driftduel.votes.analyses import analyse as analyse_log
    from driftduel.votes.reading import read

    if not as_json:
        from driftduel.report.extra import check_drawing

        check_drawing()
    page = _page(files[0]) if out is None else out
    if page.is_dir():
        raise ValueError(f"{page}: is a folder, must be a file such as {page / 'votes.html'}")
    numbers = None if weight is None else as_numbers(weight, "--weight")
    names = None if arms is None else as_names(arms, "--arms")
    name = name_of(files)
    with working(f"reading {name}"):
        log = read(
            source_of(files),
            arms=names,
            columns=as_roles(columns, left=left, right=right, winner=winner, time=time),
            dayfirst=dayfirst,
            header=not no_header,
            propensities=pairs is None,
        )
    notes = [*log.notes]
    with working(f"analysing {log.n_votes:,} votes"):
        found = analyse_log(
            log, None if numbers is None else Weighted(numbers), alpha=alpha, pairs=pairs
        )
    for note in notes:
        typer.echo(f"driftduel: note: {name}: {note}", err=True)
    if as_json:
        print_json({"file": ", ".join(files), **found.to_dict()})
        return
    from driftduel.report.analysis import write_analysis

    with working(f"writing {page.name}"):
        write_analysis(found, page, f"What {name} tells", notes)
    screen = console()
    screen.print(str(found), soft_wrap=True)
    screen.print(f"written: {page}", soft_wrap=True)


def _page(file: str) -> Path:
    """Return the page that is written if nothing is said: beside the file."""
    path = Path("votes" if file == "-" else file)
    return path.with_name(f"{path.resolve().name if path.is_dir() else path.name}.html")
