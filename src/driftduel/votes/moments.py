"""When votes were cast: dates, dates and times, seconds since 1970, and what Excel makes of them.

The first row says what the times are, and all rows must be like it. Days since 1970-01-01 come out
where they are dates, without a zone in UTC; other numbers stay as they are. Whether 01/02/2024 is
in January or in February is found from the other rows: one of them has a day above 12, or they are
in order read one way only. If nothing tells, the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from driftduel._support import hints
from driftduel.votes.cells import check_present, numbers
from driftduel.votes.log import Array, BadRow, as_days, first_true

if TYPE_CHECKING:
    import polars as pl

Read = Callable[["pl.Series"], "pl.Series"]
"""Reads the cells of a column; null where one is not of the kind."""

_DAY = 86_400.0
_UNIX = {"seconds": 1.0, "milliseconds": 1e3, "microseconds": 1e6, "nanoseconds": 1e9}
_FROM, _TO = 5e8, 5e9
"""Seconds of 1985 and 2128: numbers between them, or a thousand times as large, are of 1970 on."""
_EXCEL, _EXCEL_FROM, _EXCEL_TO = 25_569, 20_000, 80_000
"""The number that 1970-01-01 has in Excel, and those of 1954 and 2119."""
_EXCEL_2000 = 36_526
_WHOLE_FROM, _WHOLE_TO = 1700_01_01, 2199_12_31
_CLOCK = 10**6
_EARLIEST_YEAR = 1000

_STAMP = re.compile(
    r"\d{4}(?P<cut>[-/.])\d\d?(?P=cut)\d\d?(?P<mark>[T ])\d\d?:\d\d(?P<seconds>:\d\d(\.\d*)?)?"
    r"(?P<zone>Z| ?UTC| ?[+-]\d\d(:?\d\d)?)?"
)
_ORDERED = re.compile(
    r"\d\d?(?P<cut>[-/.])\d\d?(?P=cut)(?P<year>\d{4}|\d\d)"
    r"(?P<clock>,? +\d\d?:\d\d(?P<seconds>:\d\d)?(?P<half> ?[AaPp]\.?[Mm]\.?)?)?"
)
_WEEKDAY = r"(?i)^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,? +"
_ZONE = re.compile(r" ?\b((?:GMT|UTC)[+-]\d{1,2}(?::?\d\d)?|[A-Z]{3,4})$")
_NAME_OF_ZONE = r" \([^()]*\)$"
_ZONES = {
    "GMT": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8,
    "PDT": -7, "CET": 1, "CEST": 2, "BST": 1, "EET": 2, "EEST": 3, "WET": 0, "WEST": 1, "JST": 9,
    "AEST": 10, "AEDT": 11,
}  # fmt: skip
"""Hours before UTC of zones that have one meaning where such files come from."""
_SEASON = r"^(\d{4})[/-](?:\d{2}|\d{4})$"
_QUARTER = r"^(?:(\d{4})[- ]?Q([1-4])|Q([1-4])[- /]?(\d{4}))$"
_WEEK = r"^(\d{4})-?W(\d\d?)$"
_NAMED = (
    "%d %b %y", "%d %b %Y", "%d-%b-%y", "%d-%b-%Y", "%b %d, %Y", "%b %d %Y",
    "%d %B %Y", "%B %d, %Y",
)  # fmt: skip
_CLOCKS = ("%H:%M:%S", "%H:%M", "%I:%M:%S %p", "%I:%M %p")
_NAMED_TIMES = (
    *(f"{day}{cut}{clock}" for day in _NAMED for cut in (" ", ", ", " at ") for clock in _CLOCKS),
    "%b %d %H:%M:%S %Y",
)
_OTHER_TIMES = (
    *(f"{day} {clock}" for day in ("%Y/%m/%d", "%Y-%m-%d") for clock in _CLOCKS[2:]),
    "%Y%m%dT%H%M%S", "%Y%m%dT%H%M%SZ",
)  # fmt: skip
_OFFSET = r"([+-]\d\d):?(\d\d)$"
_SAMPLE = 50
_NUMBER = "a number"
_EXPECTED = "must be a number, an ISO date or an ISO date and time, such as 2024-05-31"


@dataclass(frozen=True, eq=False)
class Times:
    """The times of votes.

    Attributes
    ----------
    time : array of shape (n,)
        Days since 1970-01-01 if they are dates, else numbers as they were.
    dated : bool
        Whether they are dates.
    how : str
        What was assumed of how they are written, empty if nothing was.
    """

    time: Array
    dated: bool
    how: str = ""


def read_times(column: pl.Series, dayfirst: bool | None = None) -> Times:
    """Return the times of a column.

    Parameters
    ----------
    column : polars.Series
        Dates, times, numbers or text.
    dayfirst : bool, optional
        Whether 01/02/2024 is the first of February; found from the column if left out.

    Raises
    ------
    BadRow
        If a row is not as the first one is, or the order of day and month is nowhere told.

    Examples
    --------
    >>> import polars as pl
    >>> read_times(pl.Series("when", ["01/02/1970", "13/02/1970"]))
    Times(time=array([31., 43.]), dated=True, how='day first')
    >>> read_times(pl.Series("when", [1.7e9, 1.7e9 + 43_200]))
    Times(time=array([19675.92592593, 19676.42592593]), dated=True, how='unix seconds')
    """
    import polars as pl

    if column.dtype == pl.String:
        return _from_text(column, dayfirst)
    check_present(column)
    if column.dtype == pl.Date:
        return Times(as_days(column.to_numpy()), dated=True)
    if column.dtype == pl.Datetime:
        return Times(_days(column), dated=True)
    return _from_numbers(numbers(column), column.name)


def clocks_of(column: pl.Series) -> Array | None:
    """Return clocks as parts of a day; None if a cell is none.

    Examples
    --------
    >>> import polars as pl
    >>> clocks_of(pl.Series(["06:00", "18:30"])), clocks_of(pl.Series(["6:00 am", "12:00 PM"]))
    (array([0.25      , 0.77083333]), array([0.25, 0.5 ]))
    >>> clocks_of(pl.Series(["18:30", "late"]))
    """
    import polars as pl

    if column.dtype == pl.String:
        said = column.str.strip_chars().str.to_uppercase()
        said = said.str.replace(r" ?([AP])\.?M\.?$", " ${1}M")
        read = (said.str.to_time(form, strict=False) for form in _CLOCKS)
        column = next((found for found in read if not found.has_nulls()), column)
    if column.dtype != pl.Time or not len(column) or column.has_nulls():
        return None
    return column.cast(pl.Int64).to_numpy() / (_DAY * 1e9)


def looks_like_dates(column: pl.Series) -> bool:
    """Tell whether the first cells of a column are dates, and no mere numbers."""
    import polars as pl

    if column.dtype in (pl.Date, pl.Datetime):
        return True
    said = _first_cells(column)
    if not len(said):
        return False
    found = _reader(said[0], None)
    return found is not None and found[0] != _NUMBER and not found[1](said).has_nulls()


def is_readable(column: pl.Series) -> bool:
    """Tell whether the first cell of a column is a time of some kind, a number included.

    If a later one is not, that is for its owner to mend, and no reason to do without times.
    """
    import polars as pl

    if column.dtype.is_numeric() or column.dtype in (pl.Date, pl.Datetime):
        return True
    said = _first_cells(column)
    return len(said) > 0 and _reader(said[0], None) is not None


def _first_cells(column: pl.Series) -> pl.Series:
    import polars as pl

    if column.dtype != pl.String:
        return pl.Series([], dtype=pl.String)
    said = column.drop_nulls().head(_SAMPLE).str.strip_chars()
    return _usual(said.filter(said != ""))


def _usual(said: pl.Series) -> pl.Series:
    """Return times without weekdays, and zones, seasons, quarters and weeks as others are written.

    What the first cell has is looked for in all of them.
    """
    import polars as pl

    first = said[0] if len(said) else None
    if not first:
        return said
    if "season" in said.name.lower() and re.fullmatch(_SEASON, first):
        return said.str.replace(_SEASON, "${1}")
    if re.fullmatch(_QUARTER, first):
        parts = pl.select(
            year=said.str.replace(_QUARTER, "${1}${4}"), part=said.str.replace(_QUARTER, "${2}${3}")
        )
        month = 3 * parts["part"].cast(pl.Int64, strict=False) - 2
        return (parts["year"] + "-" + month.cast(pl.String).str.zfill(2)).rename(said.name)
    if re.fullmatch(_WEEK, first):
        weeks = said.str.replace(_WEEK, "${1}-W${2}-1")
        return weeks.str.to_date("%G-W%V-%u", strict=False).cast(pl.String)
    if re.match(_WEEKDAY, first):
        said = said.str.replace(_WEEKDAY, "")
        first = said[0]
    if re.search(_NAME_OF_ZONE, first):
        said = said.str.replace(_NAME_OF_ZONE, "")
        first = said[0]
    zone = _ZONE.search(first)
    if zone is None or (zone[1] not in _ZONES and zone[1][:3] not in ("GMT", "UTC")):
        return said
    if zone[1] == "UTC":
        return said if _STAMP.fullmatch(first) else said.str.replace(r" ?UTC$", "+00:00")
    for name, hours in _ZONES.items():
        said = said.str.replace(rf" ?\b{name}$", f"{hours:+03}:00")
    said = said.str.replace(r" ?(?:GMT|UTC)([+-])(\d)(:\d\d)?$", "${1}0${2}${3}")
    said = said.str.replace(r" ?(?:GMT|UTC)([+-]\d\d):?(\d\d)$", "${1}:${2}")
    return said.str.replace(r"(?: ?(?:GMT|UTC))?([+-]\d\d)$", "${1}:00")


def _from_text(column: pl.Series, dayfirst: bool | None) -> Times:
    import polars as pl

    column = _usual(column)
    found = _parsed(column, dayfirst)
    if found is None or found[1].has_nulls():
        # Blanks around cells are rare, and taking them off is not free.
        stripped = _usual(column.str.strip_chars())
        check_present(stripped)
        found = _parsed(stripped, dayfirst)
        if found is None:
            raise BadRow(0, f"{column.name} is {stripped[0]!r}, {_EXPECTED}")
        if found[1].has_nulls():
            row = first_true(found[1].is_null().to_numpy())
            raise BadRow(
                row,
                f"{column.name} is {stripped[row]!r}, must be {found[0]} as in the first row",
            )
    _, parsed, how = found
    if parsed.dtype == pl.Float64:
        return _from_numbers(numbers(parsed), column.name)
    return Times(_days(parsed), dated=True, how=how)


def _parsed(said: pl.Series, dayfirst: bool | None) -> tuple[str, pl.Series, str] | None:
    """Return what the first row is, the rows read like it, and what was assumed; None if unknown.

    Dates that may be read either way are read the way that fits all rows.
    """
    if not len(said) or said[0] is None:
        return None
    ordered = _ordered(said[0])
    if ordered is not None:
        return _either_way(said, ordered, dayfirst)
    found = _reader(said[0], dayfirst)
    return None if found is None else (found[0], found[1](said), "")


def _ordered(first: str) -> re.Match[str] | None:
    """Return the parts of a date such as 01/02/2024; with points and a whole year it is German."""
    found = _ORDERED.fullmatch(first)
    if found is None or (found["cut"] == "." and len(found["year"]) == 4 and not found["clock"]):
        return None
    return found


def _reader(first: str, dayfirst: bool | None) -> tuple[str, Read] | None:
    """Return what a cell is, and what reads all cells that are like it; None if it is no time."""
    import polars as pl

    def dates(form: str) -> Read:
        return lambda said: said.str.to_date(form, strict=False)

    def times(form: str) -> Read:
        def read(said: pl.Series) -> pl.Series:
            clock = said.str.replace(_OFFSET, "").str.strip_chars().str.to_uppercase()
            # "at" stands between a date and a clock, and is no part of a name in capitals.
            found = clock.str.to_datetime(
                form.replace(" at ", " AT "), time_unit="us", strict=False
            )
            if not said.str.contains(_OFFSET).any():
                return found
            hours = said.str.extract(_OFFSET, 1).cast(pl.Int64).fill_null(0)
            minutes = said.str.extract(_OFFSET, 2).cast(pl.Int64).fill_null(0)
            away = 60 * hours + minutes * (
                1 - 2 * said.str.contains(r"-\d\d:?\d\d$").cast(pl.Int64)
            )
            return found - (away * 60_000_000).cast(pl.Duration("us"))

        return read

    stamp, ordered = _STAMP.fullmatch(first), _ordered(first)
    if stamp is not None:
        return "a time like 2024-05-31T12:30:00", lambda said: _stamps(said, stamp)
    if ordered is not None:
        parts = ordered
        return f"a date like {first}", lambda said: _best_order(said, parts)
    known: dict[str, Read] = {
        _NUMBER: lambda said: said.cast(pl.Float64, strict=False),
        "a date like 2024-05-31": dates("%Y-%m-%d"),
        "a date like 2024/05/31": dates("%Y/%m/%d"),
        "a date like 2024.05.31": dates("%Y.%m.%d"),
        "a date like 31.05.2024": dates("%m.%d.%Y" if dayfirst is False else "%d.%m.%Y"),
        "a month like 2024-05": lambda said: (said + "-01").str.to_date("%Y-%m-%d", strict=False),
    }
    if re.search(r"[A-Za-z]{3}", first) and re.search(r"\d", first):
        known |= {f"a date like {_example(form)}": dates(form) for form in _NAMED}
        known |= {f"a time like {_example(form)}": times(form) for form in _NAMED_TIMES}
    elif re.fullmatch(r"\d[-\d/:T ]+([AaPpMm. ]*|Z)([+-]\d\d:\d\d)?", first):
        known |= {f"a time like {_example(form)}": times(form) for form in _OTHER_TIMES}
    one = pl.Series([first])
    return next(((kind, read) for kind, read in known.items() if _is_read(read(one))), None)


def _is_read(one: pl.Series) -> bool:
    """Tell whether a cell is read, and not one of 24 as of the year 24."""
    if one.has_nulls():
        return False
    return not one.dtype.is_temporal() or int(one.dt.year()[0]) >= _EARLIEST_YEAR


def _stamps(said: pl.Series, first: re.Match[str]) -> pl.Series:
    """Read dates with times as the first row is written, or else somewhat more freely."""
    cut, mark = first["cut"], first["mark"]
    clock = "%H:%M:%S%.f" if first["seconds"] else "%H:%M"
    zone = first["zone"] or ""
    form = f"%Y{cut}%m{cut}%d{mark}{clock}"
    if zone in ("", "Z", " UTC", "UTC"):
        parsed = said.str.to_datetime(f"{form}{zone}", time_unit="us", strict=False)
        if not parsed.has_nulls():
            return parsed
    if not zone:
        return parsed
    one_zone = said.str.replace(r" ?(Z|UTC)$", "+00:00").str.replace(r" ?([+-]\d\d)$", "${1}:00")
    one_mark = one_zone.str.replace("[T ]", mark).str.replace(r" ([+-]\d\d:?\d\d)$", "${1}")
    return one_mark.str.to_datetime(f"{form}%z", time_unit="us", strict=False)


def _either_way(
    said: pl.Series, first: re.Match[str], dayfirst: bool | None
) -> tuple[str, pl.Series, str]:
    """Read dates such as 01/02/2024 in the order that is asked for, or that fits all rows."""
    words = {True: "day first", False: "month first"}
    kind = f"a date like {said[0]}"
    if dayfirst is not None:
        return kind, _in_order(said, first, dayfirst), words[dayfirst]
    readings = {order: _in_order(said, first, order) for order in (True, False)}
    fits = [order for order, parsed in readings.items() if not parsed.has_nulls()]
    if len(fits) < 2:
        order = readings[True].null_count() <= readings[False].null_count()
        return kind, readings[order], words[order]
    if (readings[True] == readings[False]).all():
        return kind, readings[True], ""
    rising = [order for order, parsed in readings.items() if parsed.is_sorted()]
    if len(rising) != 1:
        rising = [o for o, parsed in readings.items() if parsed.is_sorted(descending=True)]
    if len(rising) == 1:
        return kind, readings[rising[0]], f"{words[rising[0]]}, by the order of the rows"
    raise BadRow(
        0,
        f"{said.name} is {said[0]!r}, and no row tells whether the day or the month comes first; "
        f"say {hints.either('--dayfirst or --monthfirst', 'dayfirst=True or dayfirst=False')}",
    )


def _best_order(said: pl.Series, first: re.Match[str]) -> pl.Series:
    """Read dates in the order that fits more of them."""
    readings = [_in_order(said, first, order) for order in (True, False)]
    return min(readings, key=lambda parsed: parsed.null_count())


def _in_order(said: pl.Series, first: re.Match[str], dayfirst: bool) -> pl.Series:
    cut, year = first["cut"], "%Y" if len(first["year"]) == 4 else "%y"
    order = ("%d", "%m", year) if dayfirst else ("%m", "%d", year)
    form = cut.join(order)
    if not first["clock"]:
        return said.str.to_date(form, strict=False)
    seconds = ":%S" if first["seconds"] else ""
    one_blank = said.str.replace(r",? +", " ")
    if not first["half"]:
        return one_blank.str.to_datetime(f"{form} %H:%M{seconds}", time_unit="us", strict=False)
    half = one_blank.str.to_uppercase().str.replace(r" ?([AP])\.?M\.?$", " ${1}M")
    return half.str.to_datetime(f"{form} %I:%M{seconds} %p", time_unit="us", strict=False)


def _example(form: str) -> str:
    parts = {"%d": "31", "%b": "May", "%B": "May", "%Y": "2024", "%y": "24", "%H": "14"}
    parts |= {"%M": "30", "%S": "00", "%I": "2", "%p": "PM"}
    for part, text in parts.items():
        form = form.replace(part, text)
    return form


def _days(column: pl.Series) -> Array:
    import polars as pl

    if column.dtype == pl.Datetime and column.dtype.time_zone is not None:  # type: ignore[attr-defined]
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    return as_days(column.to_numpy())


def _from_numbers(values: Array, name: str) -> Times:
    """Return numbers as days if all of them are seconds since 1970, or the like."""
    low, high = float(values.min()), float(values.max())
    for unit, scale in _UNIX.items():
        if low >= _FROM * scale and high < _TO * scale:
            return Times(values / (_DAY * scale), dated=True, how=f"unix {unit}")
    for clock, example in ((1, "dates such as 20240531"), (_CLOCK, "times such as 20240531143000")):
        if low >= _WHOLE_FROM * clock and high < (_WHOLE_TO + 1) * clock:
            days = _from_whole(values, "%Y%m%d" if clock == 1 else "%Y%m%d%H%M%S")
            if days is not None:
                return Times(days, dated=True, how=example)
    called = name.lower()
    if low >= _EXCEL_FROM and high <= _EXCEL_TO:
        broken = low >= _EXCEL_2000 and bool((values % 1).any())
        if "date" in called or "datum" in called or (broken and "timestamp" in called):
            return Times(values - _EXCEL, dated=True, how="Excel dates")
    return Times(values, dated=False)


def _from_whole(values: Array, form: str) -> Array | None:
    """Return numbers such as 20240531 as days, None if one of them is no date."""
    import polars as pl

    if (values != np.floor(values)).any():
        return None
    said = pl.Series(values.astype(np.int64)).cast(pl.String)
    dates = said.str.to_datetime(form, time_unit="us", strict=False)
    return None if dates.has_nulls() else as_days(dates.to_numpy())
