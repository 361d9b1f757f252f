"""What commands that read votes share: the files, and what their columns are called."""

from __future__ import annotations

from typing import Annotated

import typer

from driftduel.cli.shared import as_names

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="Votes in CSV or other text, JSON, Parquet, Arrow or Excel, also packed; a folder of "
        "them, or - for standard input. Several are one log.",
    ),
]
Left = Annotated[
    str | None, typer.Option(metavar="NAME", help="The column with the first of the two options.")
]
Right = Annotated[
    str | None, typer.Option(metavar="NAME", help="The column with the second of the two options.")
]
Winner = Annotated[str | None, typer.Option(metavar="NAME", help="The column that says who won.")]
Time = Annotated[str | None, typer.Option(metavar="NAME", help="The column that says when.")]
Columns = Annotated[
    str | None,
    typer.Option(
        metavar="ROLE=NAME,...",
        help="What columns are called, for any role, as in left_won=y,voter=rater.",
    ),
]
DayFirst = Annotated[
    bool | None,
    typer.Option(
        "--dayfirst/--monthfirst",
        help="Whether 01/02/2024 is in February or in January; found from the file if it tells.",
        show_default=False,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first row is a vote; columns are 1, 2, ...: winner and loser, or left, right "
        "and winner.",
    ),
]
Values = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE=WHO,...",
        help="What values of the winner mean, as in 1=left,2=right,3=tie; of a scale its two ends "
        "are enough, as in 1=left,5=right.",
    ),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        help="Keep the votes of which another column says this; may be given often.",
    ),
]


def as_values(values: str | None) -> dict[str, str] | None:
    """Return what values of the winner mean.

    Examples
    --------
    >>> as_values("1=left, 5=right"), as_values(None)
    ({'1': 'left', '5': 'right'}, None)
    """
    if values is None:
        return None
    known: dict[str, str] = {}
    for pair in as_names(values, "--values"):
        value, sign, meaning = (part.strip() for part in pair.rpartition("="))
        if not (value and sign and meaning):
            raise ValueError(f"--values: {pair!r} must be VALUE=WHO, as in 1=left")
        if value in known:
            raise ValueError(f"--values: {value!r} is given twice")
        known[value] = meaning
    return known


def as_roles(columns: str | None, **named: str | None) -> dict[str, str]:
    """Return what columns are called, by what they are.

    Examples
    --------
    >>> as_roles("time=when, voter=who", left="Option A", right=None)
    {'time': 'when', 'voter': 'who', 'left': 'Option A'}
    """
    roles: dict[str, str] = {}
    pairs = [] if columns is None else as_names(columns, "--columns")
    own = [f"{role}={name}" for role, name in named.items() if name is not None]
    for pair in [*pairs, *own]:
        role, sign, name = (part.strip() for part in pair.partition("="))
        if not (role and sign and name):
            raise ValueError(f"--columns: {pair!r} must be ROLE=NAME, as in time=when")
        if role in roles:
            raise ValueError(f"--columns: {role!r} is given twice")
        roles[role] = name
    return roles
