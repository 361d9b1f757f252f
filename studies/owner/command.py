"""``python -m studies owner``: what the page of a poll said, and whether it was true."""

from __future__ import annotations

import csv
import gzip
import io
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from studies.owner.weeks import Look


def owner(
    polls: Annotated[int, typer.Option(min=1, help="How many polls, of four kinds in turn.")] = 60,
    days: Annotated[float, typer.Option(min=2, help="Taste changes at .6 of them.")] = 21.0,
    votes: Annotated[int, typer.Option(min=20, help="Questions that are answered a day.")] = 200,
    looks: Annotated[int, typer.Option(min=1, help="How often a day the owner looks.")] = 3,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all looks there, as CSV in gzip.")
    ] = None,
    said: Annotated[bool, typer.Option(help="Print what was said at every look.")] = False,
) -> None:
    """Play three weeks of polls on the real service and hold every sentence against the truth.

    Ends with 1 if a sentence was false.
    """
    from studies.owner.polls import polls as all_polls
    from studies.owner.summary import as_tables, faults, rows
    from studies.owner.weeks import play

    known = all_polls(polls, days=days)
    found: list[Look] = []
    with ProcessPoolExecutor(jobs) as pool:
        for mine in pool.map(partial(play, days=days, votes=votes, looks=looks), known):
            found += mine
            for one in mine if said else ():
                judged = one.judged
                truth = {True: "right", False: "wrong", None: "names nobody"}[judged.right]
                told = "; ".join([truth, *judged.false, *judged.clashes])
                typer.echo(f"{one.poll} day {one.day:.2f}, {one.votes} votes ({told}): {one.said}")
    if out is not None:
        out.write_bytes(packed(found))
    typer.echo(as_tables(rows(known, found)))
    for line in faults(found):
        typer.echo(line)
    if any(one.judged.false for one in found):
        raise typer.Exit(1)


def packed(looks: list[Look]) -> bytes:
    """Return looks as CSV in gzip, the same bytes for the same looks."""
    text = io.StringIO()
    table = [one.row() for one in looks]
    writer = csv.DictWriter(text, list(table[0]))
    writer.writeheader()
    writer.writerows(table)
    return gzip.compress(text.getvalue().encode(), mtime=0)
