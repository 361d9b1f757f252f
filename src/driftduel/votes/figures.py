"""The figures of an analysis beside its verdict: pairs, cycles, ratings, sides, votes over time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from driftduel.verdict.standing import Moment

if TYPE_CHECKING:
    import polars as pl


_Row = TypeVar("_Row")


class Rows(tuple[_Row, ...]):
    """Records one after the other, which are also a table."""

    @property
    def frame(self) -> pl.DataFrame:
        """The records as a data frame, a row each."""
        import polars as pl

        return pl.DataFrame(plain(self), infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return the records as a data frame of pandas; needs pandas and pyarrow."""
        return self.frame.to_pandas()


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two arms that met: how often in all and of late, and the share the first won of late."""

    first: str
    second: str
    votes: int
    votes_since: int
    share: float | None
    low: float
    high: float

    @property
    def proved(self) -> bool:
        """Whether one of them is proved to win more than half."""
        return self.low > 0.5 or self.high < 0.5


@dataclass(frozen=True, kw_only=True)
class Condorcet:
    """Who beats all others, if anybody does, whether that is proved, and a cycle that is proved.

    ``proved_none`` is whether everybody is proved to lose to somebody.
    """

    winner: str | None
    proved: bool
    proved_none: bool
    cycle: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class Rated:
    """Bradley-Terry ratings of late, whether they fit, and what is said of them."""

    installed: bool
    rows: Rows[dict[str, Any]]
    fits: bool | None
    p_value: float | None
    says: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Taste:
    """By how much the same arm wins more often on the left, and the range of that."""

    points: float
    low: float
    high: float

    @property
    def proved(self) -> bool:
        """Whether there is a taste for a side."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, kw_only=True)
class Sides:
    """The share of votes that the left arm won, with its range.

    ``taste`` is None if no pair was shown in both orders; ``shown_left`` is how often the best arm
    was, and ``suspect`` whether it profits from that, or may.
    """

    left_share: float
    low: float
    high: float
    taste: Taste | None
    shown_left: float | None
    suspect: bool


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Votes in one of equal parts of the time, from a moment on."""

    begin: Moment
    votes: int


def plain(record: Any) -> Any:
    """Return a record, or several, as JSON has it."""
    if isinstance(record, (tuple, list)):
        return [plain(one) for one in record]
    if isinstance(record, Bar):
        return {"begin": record.begin.to_json(), "votes": record.votes}
    if isinstance(record, dict):
        return record
    return None if record is None else asdict(record)
