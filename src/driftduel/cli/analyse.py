"""``driftduel analyse``: what a file of votes proves, as one page, or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from driftduel.cli.measure import as_roles
from driftduel.cli.shared import Json, as_names, as_numbers, console, print_json, working

_TIMELESS = (
    "no column says when votes were cast, so that all count as of one time; a column time, with "
    "dates or 1, 2, 3, ... in the order of the votes, would tell of changes"
)


def analyse(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Votes, one a row (.csv, .tsv, also .gz, or .parquet)."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The page to write, FILE.html if left out."),
    ] = None,
    arms: Annotated[
        str | None, typer.Option(metavar="A,B,C", help="The arms to keep; all if left out.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=NAME,...",
            help="What the columns are called, as in time=when,left=a,right=b.",
        ),
    ] = None,
    winner: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column that says who won.")
    ] = None,
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
    from driftduel.votes.reading import crowding, find_columns, usual_columns, votes_of
    from driftduel.votes.tables import SUFFIXES, is_square, read_table

    if not as_json:
        from driftduel.report.extra import check_drawing

        check_drawing()
    if file.exists() and not file.name.endswith(SUFFIXES):
        raise ValueError(f"{file}: must be a table of votes ({', '.join(SUFFIXES)})")
    page = file.with_name(f"{file.name}.html") if out is None else out
    if page.is_dir():
        raise ValueError(f"{page}: is a folder, must be a file such as {page / 'votes.html'}")
    numbers = None if weight is None else as_numbers(weight, "--weight")
    names = None if arms is None else as_names(arms, "--arms")
    with working(f"reading {file.name}"):
        table = read_table(file)
    if is_square(table):
        raise ValueError(
            f"{file.name}: is a square table without times, which driftduel measure reads; one row "
            "a vote, or a count of votes, with its time is needed"
        )
    with working(f"checking {table.frame.height:,} rows"):
        try:
            roles, guesses = usual_columns(table, as_roles(columns, winner))
            timed = "time" in find_columns(table, roles)
        except ValueError as error:
            raise table.complaint(error) from None
        log, notes = votes_of(table, roles, timed=timed, propensities=pairs is None)
        notes = [*guesses, *([] if timed else [_TIMELESS]), *notes, *crowding(table)]
        del table  # of a large file it is larger than the votes
        log = log if names is None else log.select(names)
    with working(f"analysing {log.n_votes:,} votes"):
        found = analyse_log(
            log, None if numbers is None else Weighted(numbers), alpha=alpha, pairs=pairs
        )
    for note in notes:
        typer.echo(f"driftduel: note: {file.name}: {note}", err=True)
    if as_json:
        print_json({"file": str(file), "says": found.sentences, **found.data, "notes": notes})
        return
    from driftduel.report.analysis import write_analysis

    with working(f"writing {page.name}"):
        write_analysis(found, page, f"What {file.name} tells", notes)
    screen = console()
    for sentence in found.sentences:
        screen.print(sentence, soft_wrap=True)
    screen.print(f"written: {page}", soft_wrap=True)
