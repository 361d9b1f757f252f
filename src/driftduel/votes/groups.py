"""Some of the votes by what other columns say, and votes split into groups by one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from driftduel._support import hints
from driftduel._support.text import count, did_you_mean, listing
from driftduel.votes.log import Log

if TYPE_CHECKING:
    import polars as pl

MOST_GROUPS = 50
"""Groups of one column; what has more is a name or a number of each vote and no group."""

_MOST_NAMED = 10
Only = Mapping[str, object] | Sequence[str] | str


def only_where(log: Log, only: Only) -> tuple[Log, str]:
    """Return the votes for which other columns say what is asked for, and what was asked, in words.

    Parameters
    ----------
    log : Log
        The votes, with `Log.extras`.
    only : str, sequence of str or mapping
        ``"language=en"``, several of these, or ``{"language": "en"}``, where several values of a
        column may be in a list. Of one column any of its values counts; of several columns all.

    Examples
    --------
    >>> import polars as pl
    >>> said = pl.DataFrame({"language": ["en", "de", "fr"]})
    >>> log = Log(["tea", "milk"], [1, 2, 3], [0, 1, 0], [1, 0, 1], [1, 1, 0], extras=said)
    >>> only_where(log, ["language=en", "language=fr"])
    (Log(2 arms, 2 votes, time 1 to 3), 'language = en or fr')
    >>> only_where(log, "language=es")
    Traceback (most recent call last):
        ...
    ValueError: only: no vote has language = es, there are: de, en and fr
    """
    asked = _asked(only)
    kept = np.ones(len(log), dtype=np.bool_)
    said = []
    for name, values in asked.items():
        cells = texts_of(log, name, "only")
        there = {*cells.unique()}
        for value in values:
            if value not in there:
                like = did_you_mean(value, there)
                known = listing(sorted(there - {""}), _MOST_NAMED)
                raise ValueError(
                    f"{_only()}: no vote has {name} = {value}{like}, there are: {known}"
                )
        kept &= cells.is_in(values).to_numpy()
        said.append(f"{name} = {' or '.join(value or '(empty)' for value in values)}")
    words = " and ".join(said)
    if not (kept & (log.left != log.right)).any():
        raise ValueError(f"{_only()}: no vote between two different arms has {words}")
    return log.rows(kept), words


def split_by(log: Log, name: str) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the groups of votes by a column, the largest first: its cell, and which rows.

    Groups without a vote between two different arms are left out.

    Examples
    --------
    >>> import polars as pl
    >>> said = pl.DataFrame({"language": ["en", "de", "en"]})
    >>> log = Log(["tea", "milk"], [1, 2, 3], [0, 1, 0], [1, 0, 1], [1, 1, 0], extras=said)
    >>> [(name, kept.tolist()) for name, kept in split_by(log, "language")]
    [('en', [True, False, True]), ('de', [False, True, False])]
    """
    cells = texts_of(log, name, "by")
    values = cells.unique().sort()
    if len(values) > MOST_GROUPS:
        raise ValueError(
            f"{hints.either('--by', 'by')}: {name} has {count(len(values), 'different value')}, "
            f"must have at most {MOST_GROUPS}; keep some of them: "
            f"{hints.only(name, values[-1])}"
        )
    groups = [(value, (cells == value).to_numpy()) for value in values]
    asked = np.where(log.left != log.right, log.count, 0.0)
    sizes = {value: float(asked[kept].sum()) for value, kept in groups}
    for value, kept in sorted(groups, key=lambda group: -sizes[group[0]]):
        if sizes[value]:
            yield value, kept


def seen(log: Log) -> Log:
    """Return the log of those arms alone that it has votes of."""
    asked = log.left != log.right
    shown = {*log.left[asked].tolist(), *log.right[asked].tolist()}
    if len(shown) == log.n_arms:
        return log
    return log.select([arm for n, arm in enumerate(log.arms) if n in shown])


def texts_of(log: Log, name: str, asks: str) -> pl.Series:
    """Return a column of what else is known of the votes as text; nothing is an empty text."""
    import polars as pl

    extras = log.extras
    known = [] if extras is None else extras.columns
    if extras is None or name not in known:
        there = f"there are: {listing(known, _MOST_NAMED)}" if known else "there is none"
        raise ValueError(
            f"{hints.either(f'--{asks}', asks)}: no column {name!r} stands beside the votes"
            f"{did_you_mean(name, known)}, {there}"
        )
    column = extras[name]
    if column.dtype.is_float():
        whole = column.drop_nulls()
        if (whole == whole.floor()).all() and whole.is_finite().all():
            column = column.cast(pl.Int64)
    return column.cast(pl.String).fill_null("").str.strip_chars()


def _asked(only: Only) -> dict[str, list[str]]:
    """Return the values that are asked for, by their columns."""
    if isinstance(only, Mapping):
        return {str(name): [*map(_text, _several(values))] for name, values in only.items()}
    asked: dict[str, list[str]] = {}
    for one in [only] if isinstance(only, str) else only:
        name, sign, value = str(one).partition("=")
        if not sign or not name.strip():
            raise ValueError(f"{_only()}: {one!r} must be COLUMN=VALUE, as in language=en")
        asked.setdefault(name.strip(), []).append(value.strip())
    return asked


def _only() -> str:
    return hints.either("--only", "only")


def _several(values: object) -> Iterable[object]:
    return values if isinstance(values, list | tuple | set | frozenset) else [values]


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
