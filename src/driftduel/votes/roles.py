"""What columns of votes can be, what makes a shape of them, and what the user says they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from driftduel._support import hints
from driftduel._support.checks import one_of
from driftduel._support.text import did_you_mean
from driftduel.votes.tables import Table

Columns = Mapping[str, str]
"""What the columns of a table are called there, by what they are called here."""

ROLES = (
    "time", "left", "right", "left_won", "right_won", "winner", "loser", "count", "left_wins",
    "wins", "right_wins", "losses", "ties", "n", "left_score", "right_score", "left_result",
    "right_result", "winner_left", "winner_right", "winner_tie", "ranking", "best", "worst",
    "contest", "option", "place", "propensity", "voter",
)  # fmt: skip
"""What a column can be."""

OUTCOMES = ("left_won", "right_won", "winner")
WINS, LOSSES = ("left_wins", "wins"), ("right_wins", "losses")
ONE_HOT = ("winner_left", "winner_right")
SCORES = ("left_score", "right_score")
RESULTS = ("left_result", "right_result")
LONG = ("contest", "option", "place")

SHAPES = (
    "left, right and winner or left_won; winner and loser; left, right and counts (left_wins, n or "
    "wins, losses, ties); first, second, third, ...; contest, option and place; or a square table "
    "with the options in its first row and first column"
)


@dataclass(frozen=True)
class Shape:
    """How the rows of a table tell who met and who won.

    Attributes
    ----------
    kind : str
        ``votes``, ``won_lost``, ``one_hot``, ``scores``, ``results``, ``counts``, ``ranking``,
        ``long``, ``ballots`` or ``best_worst``.
    named : dict
        What the columns are called there, by their role.
    places : tuple of str
        For rankings: who came first, second and so on; for ballots and for the best and the worst
        of several: the options.
    guessed : bool
        Whether a heading was taken for what it is not called.
    unread : str
        A column that is called as times are and holds none that is known.
    coded : str
        What the cells of winners mean, where they are numbers.
    """

    kind: str
    named: dict[str, str]
    places: tuple[str, ...] = ()
    guessed: bool = False
    unread: str = ""
    coded: str = ""

    @property
    def used(self) -> set[str]:
        """The columns that are votes; all others are extras."""
        kept = {"voter"}
        return {name for role, name in self.named.items() if role not in kept} | {*self.places}


class NoShape(ValueError):  # noqa: N818
    """Nothing in a table names two options."""


def find_columns(table: Table, columns: Columns | None) -> dict[str, str]:
    """Return what the columns of a table are called there, for all that are called as a role is."""
    # A heading in capitals means the same, unless there is one in small letters as well.
    there = {name.lower(): name for name in reversed(table.frame.columns)}
    there |= {name: name for name in table.frame.columns}
    named = {role: there[role] for role in ROLES if role in there}
    given = dict(columns or {})
    for role, name in given.items():
        one_of(role, f"{hints.either('--columns', 'columns')}: the name", ROLES)
        if name not in table.frame.columns:
            like = did_you_mean(name, table.header)
            raise ValueError(f"there is no column {name!r}{like}, {there_are(table)}")
    if given.keys() & {*OUTCOMES, "loser", "ranking", *LONG, "best", "worst"}:
        # What is said counts more than what a column is called.
        named = {role: name for role, name in named.items() if role not in OUTCOMES}
    named = {role: name for role, name in named.items() if name not in given.values()}
    return named | given


def there_are(table: Table) -> str:
    """Return the columns of a table, in words."""
    return f"the columns are: {', '.join(table.header) or 'none'}"


def holds_counts(named: Columns) -> bool:
    """Return whether the rows of a table with these columns are counts."""
    has = named.keys()
    others = has & {*LOSSES, "n"}
    return not has & {*OUTCOMES} and bool(has & {*WINS}) and bool(others)
