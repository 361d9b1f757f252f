"""``driftduel measure``: how much a world moves, and who wins when."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from driftduel.cli.shared import Json, as_names, as_numbers, console, print_json, working

if TYPE_CHECKING:
    from driftduel.streams import Stream


def measure(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A stream (.npz) or a log of votes (.csv, .csv.gz)."),
    ],
    bandwidth: Annotated[
        float | None,
        typer.Option(
            help="For logs: how far a vote speaks for other times, in days for dates; "
            "'inf' for one matrix throughout. Chosen by held-out log-loss if left out."
        ),
    ] = None,
    arms: Annotated[
        str | None,
        typer.Option(metavar="A,B,C", help="For logs: the arms to keep; all if left out."),
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
    """Tell how much a world moves, in every sense, and who wins when.

    Whether a shift is significant depends on the number of rounds: it is one that costs a player
    who misses it more than learning costs anyway.
    """
    from driftduel.report import summarise
    from driftduel.shifts import measure as measure_stream

    with working(f"measuring {file.name}"):
        world, log = _world(file, bandwidth, arms, horizon, remove_bias)
        numbers = None if weight is None else as_numbers(weight, "--weight")
        summary = {
            "file": str(file),
            "log": log,
            "weight": numbers,
            **summarise(world, measure_stream(world, numbers)),
        }
    if as_json:
        print_json(summary)
    else:
        from driftduel.cli.tables import print_summary

        print_summary(console(), summary, everything=everything)


def _world(
    file: Path, bandwidth: float | None, arms: str | None, horizon: int | None, remove_bias: bool
) -> tuple[Stream, dict[str, Any] | None]:
    """Return the world in a file and, if it holds votes, how it was made of them."""
    if not file.exists():
        raise FileNotFoundError(_missing(file))
    if file.name.endswith(".npz"):
        given = {"--bandwidth": bandwidth, "--arms": arms, "--remove-bias": remove_bias or None}
        for option, value in given.items():
            if value is not None:
                raise ValueError(f"{option} is for logs of votes, {file.name} is a stream")
        from driftduel.streams import Stream

        world = Stream.load(file)
        return (world if horizon is None else world.stretch(horizon)), None
    if file.name.endswith((".csv", ".csv.gz")):
        names = None if arms is None else as_names(arms, "--arms")
        return _world_of_votes(file, bandwidth, names, horizon, remove_bias)
    raise ValueError(f"{file}: must be a stream (.npz) or a log of votes (.csv, .csv.gz)")


def _missing(file: Path) -> str:
    from driftduel.streams import catalogue

    name = str(file)
    hint = ""
    if name in catalogue.names():
        hint = f"; to write that world: driftduel streams {name} --out {name}.npz"
    return f"{name}: there is no such file{hint}"


def _world_of_votes(
    file: Path,
    bandwidth: float | None,
    arms: list[str] | None,
    horizon: int | None,
    remove_bias: bool,
) -> tuple[Stream, dict[str, Any]]:
    from driftduel._checks import as_horizon
    from driftduel.streams import choose_bandwidth, read_log

    log = read_log(file, arms=arms)
    rounds = as_horizon(log.n_votes if horizon is None else horizon)
    chosen = bandwidth is None and bool(log.time[-1] > log.time[0])
    if chosen:
        bandwidth = choose_bandwidth(log, remove_bias=remove_bias).bandwidth
    elif bandwidth is None:
        bandwidth = math.inf
    world = log.stream(rounds, bandwidth, remove_bias=remove_bias)
    return world, {
        "votes": log.n_votes,
        "dated": log.dated,
        "bandwidth": bandwidth if math.isfinite(bandwidth) else None,
        "bandwidth_chosen": chosen,
        "bias_removed": remove_bias,
    }
