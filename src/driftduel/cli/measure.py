"""``driftduel measure``: how much a world moves, and who wins when; what one matrix says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.shared import Json, as_names, as_numbers, console, print_json, working

if TYPE_CHECKING:
    from driftduel.votes.tables import Table
    from driftduel.worlds import Stream


def measure(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A stream (.npz), or votes, counts of wins or a square table "
            "(.csv, .tsv, also .gz, or .parquet).",
        ),
    ],
    bandwidth: Annotated[
        float | None,
        typer.Option(
            help="For logs: how far a vote speaks for other times, in days for dates; "
            "'inf' for one matrix throughout. If left out: 'inf', unless another predicts "
            "held-out votes clearly better."
        ),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="For logs: the arms to keep; all if left out."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE=NAME,...",
            help="For logs: what the columns are called, as in time=when,left=a,right=b.",
        ),
    ] = None,
    winner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="For logs: the column that says who won."),
    ] = None,
    horizon: Annotated[
        int | None,
        typer.Option(help="Number of rounds; if left out the stream's own, for logs one a vote."),
    ] = None,
    remove_bias: Annotated[
        bool, typer.Option("--remove-bias", help="For logs: take out the advantage of being left.")
    ] = False,
    weight: Annotated[
        str | None,
        typer.Option(metavar="W,W,W", help="Also measure for this weight, one number per arm."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Do not shorten long lists.")] = False,
    as_json: Json = False,
) -> None:
    """Say how much a world moves, in every sense, and who wins when.

    Whether a shift is significant depends on the number of rounds: it is one that costs a player
    who misses it more than learning costs anyway.

    Votes are noisy: beside every count of a log stands the range it has when the dates of the votes
    are shuffled.
    """
    from driftduel.votes.squares import is_one_matrix
    from driftduel.votes.tables import read_table

    given = {
        "--bandwidth": bandwidth,
        "--arms": arms,
        "--remove-bias": remove_bias or None,
        "--columns": columns,
        "--winner": winner,
        "--horizon": horizon,
    }
    numbers = None if weight is None else as_numbers(weight, "--weight")
    roles = as_roles(columns, winner)
    with working(f"measuring {file.name}"):
        table = None if _is_stream(file) else read_table(file)
        one_matrix = table is not None and is_one_matrix(table, roles)
        summary: dict[str, Any] = {"file": str(file)}
        if table is None:
            _refuse(given, ("--horizon",), f"for logs of votes, {file.name} is a stream")
            summary |= {"log": None, **_measured(_stream(file, horizon), numbers)}
        elif one_matrix:
            allowed = ("--columns", "--winner")
            _refuse(given, allowed, f"for votes with a time, {file.name} holds one matrix")
            summary |= _matrix(table, roles, numbers)
        else:
            names = None if arms is None else as_names(arms, "--arms")
            summary |= _votes(table, roles, bandwidth, names, horizon, remove_bias, numbers)
    for note in summary["notes"] if one_matrix else (summary["log"] or {}).get("notes", ()):
        typer.echo(f"driftduel: note: {file.name}: {note}", err=True)
    if as_json:
        print_json(summary)
    elif one_matrix:
        from driftduel.cli.square import print_matrix

        print_matrix(console(), summary, everything=everything)
    else:
        from driftduel.cli.tables import print_summary

        print_summary(console(), summary, everything=everything)


def as_roles(columns: str | None, winner: str | None) -> dict[str, str]:
    """Return what columns are called, by what they are."""
    roles: dict[str, str] = {}
    pairs = [] if columns is None else as_names(columns, "--columns")
    for pair in [*pairs, *([] if winner is None else [f"winner={winner}"])]:
        role, sign, name = (part.strip() for part in pair.partition("="))
        if not (role and sign and name):
            raise ValueError(f"--columns: {pair!r} must be ROLE=NAME, as in time=when")
        if role in roles:
            raise ValueError(f"--columns: {role!r} is given twice")
        roles[role] = name
    return roles


def _is_stream(file: Path) -> bool:
    """Return whether a file is a stream and not a table, by its name."""
    from driftduel.votes.tables import SUFFIXES

    if not file.exists():
        raise FileNotFoundError(_missing(file))
    if not file.name.endswith((".npz", *SUFFIXES)):
        raise ValueError(
            f"{file}: must be a stream (.npz) or a table of votes, of counts or of one matrix "
            f"({', '.join(SUFFIXES)})"
        )
    return file.name.endswith(".npz")


def _refuse(given: dict[str, Any], allowed: Sequence[str], reason: str) -> None:
    for option, value in given.items():
        if value is not None and option not in allowed:
            raise ValueError(f"{option} is {reason}")


def _stream(file: Path, horizon: int | None) -> Stream:
    from driftduel.worlds import Stream

    world = Stream.load(file)
    return world if horizon is None else world.stretch(horizon)


def _measured(world: Stream, weight: list[float] | None) -> dict[str, Any]:
    from driftduel.report import summarise
    from driftduel.worlds.measures import measure as measure_stream

    return {"weight": weight, **summarise(world, measure_stream(world, weight))}


def _matrix(table: Table, roles: dict[str, str], weight: list[float] | None) -> dict[str, Any]:
    from driftduel.cli.square import summarise_matrix
    from driftduel.votes.squares import matrix_of

    matrix, notes = matrix_of(table, roles)
    return {"weight": weight, **summarise_matrix(matrix, weight), "notes": notes}


def _missing(file: Path) -> str:
    from driftduel.worlds import catalogue

    name = str(file)
    hint = ""
    if name in catalogue.names():
        hint = f"; to write that world: driftduel streams {name} --out {name}.npz"
    return f"{name}: there is no such file{hint}"


def _votes(
    table: Table,
    roles: dict[str, str],
    bandwidth: float | None,
    arms: list[str] | None,
    horizon: int | None,
    remove_bias: bool,
    weight: list[float] | None,
) -> dict[str, Any]:
    from driftduel.report import summarise
    from driftduel.votes import measure_log
    from driftduel.votes.reading import votes_of

    log, notes = votes_of(table, roles)
    if arms is not None:
        log = log.select(arms)
    found = measure_log(log, horizon, bandwidth, weight=weight, remove_bias=remove_bias)
    about = {
        "votes": log.n_votes,
        "dated": log.dated,
        "bandwidth": found.bandwidth if math.isfinite(found.bandwidth) else None,
        "bandwidth_chosen": found.chosen,
        "bias_removed": remove_bias,
        "says": found.says,
        "beyond_noise": found.beyond_noise,
        "shuffles": found.shuffles,
        "null_band": {
            name: {"found": band.found, "low": band.low, "high": band.high, "verdict": band.verdict}
            for name, band in found.bands.items()
        },
        "notes": notes,
    }
    return {"log": about, "weight": weight, **summarise(found.world, found.measures)}
