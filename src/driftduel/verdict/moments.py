"""A moment of whatever clock votes have: the number of a round, a time, a date, or a number."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Literal

Kind = Literal["round", "time", "date", "number"]


@dataclass(frozen=True, order=True)
class Moment:
    """A moment: a round or vote by its number, a time, a date, or a number as a file has it.

    Attributes
    ----------
    kind : {"round", "time", "date", "number"}
        What it is; all moments of a `Standing` are of one kind.
    value : int, float or date
        The number of the round, microseconds since 1970 (UTC), the date, or the number.

    Examples
    --------
    >>> Moment.round(5) < Moment.round(7)
    True
    >>> Moment.time(1_700_000_000_000_000).to_json()
    '2023-11-14T22:13:20.000000+00:00'
    >>> Moment.of(date(2024, 6, 30)).to_json(), Moment.of(0.5).to_json()
    ('2024-06-30', 0.5)
    """

    kind: Kind
    value: Any

    @classmethod
    def round(cls, number: int) -> Moment:
        """Return a round or vote, by its number; 0 is the first."""
        return cls("round", number)

    @classmethod
    def time(cls, microseconds: int) -> Moment:
        """Return a time in microseconds since 1970, UTC."""
        return cls("time", microseconds)

    @classmethod
    def of(cls, moment: date | float) -> Moment:
        """Return a moment of a log: a date and time (UTC), a date, or a number."""
        if isinstance(moment, datetime):
            seconds = int(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp())
            return cls("time", seconds * 1_000_000 + moment.microsecond)
        return cls("date", moment) if isinstance(moment, date) else cls("number", float(moment))

    def to_json(self) -> int | float | str:
        """Return it as JSON has it: times and dates by ISO 8601, others as numbers."""
        if self.kind == "time":
            whole, rest = divmod(self.value, 1_000_000)
            at = datetime.fromtimestamp(whole, UTC).replace(microsecond=rest)
            return at.isoformat(timespec="microseconds")
        if self.kind == "date":
            return str(self.value)
        number: int | float = self.value
        return number
