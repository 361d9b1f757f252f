"""``driftduel measure``: how much a world moves, and who wins when; what one matrix says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.answers import name_of, source_of, verdict_of
from driftduel.cli.shared import Json, as_names, as_numbers
from driftduel.cli.terminal import console, print_json, working
from driftduel.cli.votes import (
    Columns,
    DayFirst,
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

if TYPE_CHECKING:
    from driftduel.votes.analysis import Analysis
    from driftduel.votes.log import Log
    from driftduel.votes.squares import Matrix
    from driftduel.worlds import Stream


def measure(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="A stream (.npz), or votes, counts of wins or a square table, in whatever "
            "driftduel analyse reads.",
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
        typer.Option(metavar="A B C", help="For logs: the arms to keep; all if left out."),
    ] = None,
    only: Only = None,
    left: Left = None,
    right: Right = None,
    winner: Winner = None,
    time: Time = None,
    columns: Columns = None,
    dayfirst: DayFirst = None,
    no_header: NoHeader = False,
    values: Values = None,
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
    given = {
        "--bandwidth": bandwidth,
        "--arms": arms,
        "--remove-bias": remove_bias or None,
        "--horizon": horizon,
        "--columns": columns,
        "--winner": winner,
        "--left": left,
        "--right": right,
        "--time": time,
        "--dayfirst": dayfirst,
        "--no-header": no_header or None,
        "--values": values,
        "--only": only,
    }
    numbers = None if weight is None else as_numbers(weight, "--weight")
    reading: dict[str, Any] = {
        "columns": as_roles(columns, left=left, right=right, winner=winner, time=time),
        "dayfirst": dayfirst,
        "header": not no_header,
        "values": as_values(values),
    }
    name = name_of(files)
    summary: dict[str, Any] = {"file": ", ".join(files)}
    notes: list[str] = []
    verdict: Analysis | None = None
    with working(f"measuring {name}"):
        if _is_stream(files):
            _refuse(given, ("--horizon",), f"for logs of votes, {name} is a stream")
            world = _stream(Path(files[0]), horizon)
            summary |= {"log": None, **_measured(world, numbers)}
        else:
            from driftduel.votes.matrices import matrix_of_votes, matrix_or_votes

            matrix, log, notes = matrix_or_votes(source_of(files), **reading)
            if log is None:
                _refuse(given, _OF_TABLES, f"for votes, {name} holds probabilities")
            elif not log.timed:
                _refuse(
                    given, _OF_TABLES + _OF_VOTES, f"for votes with a time, {name} holds one matrix"
                )
            if log is not None:
                verdict = _verdict(log, arms, only, numbers)
                log, notes = verdict.log, [*verdict.notes]
                known = verdict.to_dict()
                summary["verdict"] = {key: known[key] for key in _VERDICT}
            if log is not None and log.timed:
                summary |= _votes(log, notes, bandwidth, horizon, remove_bias, numbers)
            else:
                if matrix is None or arms is not None or only is not None:
                    assert log is not None
                    matrix, more = matrix_of_votes(log)
                    notes = [*notes, *more]
                summary |= _matrix(matrix, notes, numbers)
    for note in notes:
        typer.echo(f"driftduel: note: {name}: {note}", err=True)
    if as_json:
        print_json(summary)
        return
    if verdict is not None:
        print(*verdict_of(verdict), "", _COUNTED, "", sep="\n")
    if "matrix" in summary:
        from driftduel.cli.square import print_matrix

        print_matrix(console(), summary, everything=everything)
    else:
        from driftduel.cli.summary import print_summary

        print_summary(console(), summary, everything=everything)


_COUNTED = (
    "What follows takes the counted shares for the truth. Of who is best in them, only what is "
    "said above is proved."
)

_OF_TABLES = ("--columns", "--winner", "--left", "--right", "--time", "--dayfirst", "--no-header")
"""Options that say how a table is read, with or without votes."""

_VERDICT = ("best", "decided", "candidates", "says")
"""What of an analysis stands in a measure of the same votes."""

_OF_VOTES = ("--values", "--arms", "--only")


def _verdict(
    log: Log, arms: str | None, only: list[str] | None, weight: list[float] | None
) -> Analysis:
    """Return who is best by the votes that are asked for, as ``analyse`` says it."""
    from driftduel.matrix.criteria import Weighted
    from driftduel.votes.analyses import analyse

    return analyse(
        log,
        None if weight is None else Weighted(weight),
        arms=None if arms is None else as_names(arms, "--arms"),
        only=only,
    )


def _is_stream(files: list[str]) -> bool:
    """Return whether a file is a stream and not a table, by its name."""
    for file in files:
        if "://" not in file and file != "-" and not Path(file).exists():
            raise FileNotFoundError(_missing(Path(file)))
    return len(files) == 1 and files[0].endswith(".npz")


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


def _matrix(matrix: Matrix, notes: list[str], weight: list[float] | None) -> dict[str, Any]:
    from driftduel.cli.square import summarise_matrix

    return {"weight": weight, **summarise_matrix(matrix, weight), "notes": notes}


def _missing(file: Path) -> str:
    from driftduel.worlds import catalogue

    name = str(file)
    hint = ""
    if name in catalogue.names():
        hint = f"; to write that world: driftduel streams {name} --out {name}.npz"
    return f"{name}: there is no such file{hint}"


def _votes(
    log: Log,
    notes: list[str],
    bandwidth: float | None,
    horizon: int | None,
    remove_bias: bool,
    weight: list[float] | None,
) -> dict[str, Any]:
    from driftduel.report import summarise
    from driftduel.votes import measure_log

    found = measure_log(log, horizon, bandwidth, weight=weight, remove_bias=remove_bias)
    about = {
        "votes": log.n_votes,
        "dated": log.dated,
        "bandwidth": found.bandwidth if math.isfinite(found.bandwidth) else None,
        "bandwidth_chosen": found.chosen,
        "bias_removed": remove_bias,
        "says": found.says,
        "drift_proved": None if found.drift.proved is None else str(found.drift.proved),
        "drift_of_strengths": found.drift.of_strengths,
        "beyond_noise": found.beyond_noise,
        "shuffles": found.shuffles,
        "null_band": {
            name: {"found": band.found, "low": band.low, "high": band.high, "verdict": band.verdict}
            for name, band in found.bands.items()
        },
        "notes": notes,
    }
    return {"log": about, "weight": weight, **summarise(found.world, found.measures)}
