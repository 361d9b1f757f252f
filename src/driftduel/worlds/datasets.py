"""Real votes and well-known matrices that ship with the library, with their owners' notices.

Whoever shows results made from them shows the notice too: it is among the ``credits`` of the logs
and streams, and `notice` returns its text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from driftduel.matrix.preferences import Array, as_matrix
from driftduel.votes.log import Log, as_arms
from driftduel.votes.reading import read_log
from driftduel.votes.smoothing import YEAR
from driftduel.worlds.stream import Stream

LOGS = ("american_league", "formula_1", "premier_league")
MATRICES = ("arithmetic", "cyclic", "hudry", "llm_arena", "six_rankers", "tennis")

BIG_SIX = (
    "Arsenal",
    "Chelsea",
    "Liverpool",
    "Manchester City",
    "Manchester United",
    "Tottenham Hotspur",
)
"""The clubs that won all but two of the Premier League's seasons, or came near."""

_ON_GOALS = {2011: "Manchester City"}
"""Seasons in which two clubs had the most points, and goals decided."""
_LAST_WHOLE_SEASON = 2024

_DATA = Path(__file__).parent / "data"


class LabelledMatrix(NamedTuple):
    """A preference matrix and the labels of its arms."""

    labels: tuple[str, ...]
    P: Array


@cache
def american_league_log() -> Log:
    """Return the games of the eight American League clubs, 1903-1960; left is the home club.

    BOS Boston, CHA Chicago, CLE Cleveland, DET Detroit, NYA New York, PHA Philadelphia (Kansas
    City from 1955), SLA St. Louis (Baltimore from 1954), WS1 Washington.

    The information used here was obtained free of charge from and is copyrighted by Retrosheet.
    Interested parties may contact Retrosheet at "www.retrosheet.org".

    Examples
    --------
    >>> american_league_log()
    Log(8 arms, 35,271 votes, 1903-04-20 to 1960-10-02)
    """
    return _log("american_league")


@cache
def formula_1_log() -> Log:
    """Return comparisons of nine Formula 1 teams, one per race and pair of teams, 1997-2025.

    A team is a lineage: one that was sold keeps its history. The team whose best car was
    classified better wins. The votes of one race come from one ranking, so they are not
    independent. Data: F1DB, CC BY 4.0.

    Examples
    --------
    >>> formula_1_log()
    Log(9 arms, 19,666 votes, 1997-03-09 to 2025-12-07)
    """
    return _log("formula_1")


@cache
def premier_league_log() -> Log:
    """Return the games of 51 clubs of the Premier League, 1992-2026; left is the home club.

    A quarter are ties. Three clubs leave and three join each summer. Data: openfootball, CC0.

    Examples
    --------
    >>> premier_league_log()
    Log(51 arms, 13,125 votes, 1992-08-15 to 2026-04-27)
    """
    return _log("premier_league")


@cache
def premier_league_champions() -> dict[int, str]:
    """Return the champions by the year in which the season began, from points: 3 a win, 1 a tie.

    Examples
    --------
    >>> champions = premier_league_champions()
    >>> len(champions), champions[1994], champions[2015]
    (33, 'Blackburn Rovers', 'Leicester City')
    """
    log = premier_league_log()
    days = log.time.astype("datetime64[D]")
    years, months = days.astype("datetime64[Y]"), days.astype("datetime64[M]")
    seasons = 1970 + years.astype(int) - ((months - years).astype(int) < 6)
    points = np.zeros((_LAST_WHOLE_SEASON + 1, log.n_arms), dtype=np.int64)
    whole = seasons <= _LAST_WHOLE_SEASON
    for arm, own in ((log.left, log.outcome), (log.right, 1 - log.outcome)):
        np.add.at(
            points,
            (seasons[whole], arm[whole]),
            np.where(own == 0.5, 1, 3 * own)[whole].astype(np.int64),
        )
    found = {
        year: log.arms[int(points[year].argmax())] for year in range(1992, _LAST_WHOLE_SEASON + 1)
    }
    return found | _ON_GOALS


def american_league(
    horizon: int = 100_000,
    bandwidth: float = 1.5 * YEAR,
    *,
    arms: Sequence[str] | None = None,
    remove_bias: bool = True,
) -> Stream:
    """Make a world of slow drift and weak signal: baseball, 1903-1960.

    The advantage of playing at home is removed. With the default bandwidth the Borda winner
    changes 10 times; with 1 year it changes more often, with 3 years less.

    The information used here was obtained free of charge from and is copyrighted by Retrosheet.
    Interested parties may contact Retrosheet at "www.retrosheet.org".

    Parameters
    ----------
    horizon, bandwidth, arms, remove_bias
        As for `driftduel.worlds.stream_from_log`; the bandwidth is in days.

    Examples
    --------
    >>> american_league(horizon=1000)
    Stream(8 arms, 1,000 rounds, 1,000 stretches of 1,000 matrices, 1903-04-20 to 1960-10-02)
    """
    return american_league_log().stream(horizon, bandwidth, arms=arms, remove_bias=remove_bias)


def formula_1(
    horizon: int = 100_000,
    bandwidth: float = 0.5 * YEAR,
    *,
    arms: Sequence[str] | None = None,
) -> Stream:
    """Make a world of strong signal and clear regimes: Formula 1, 1997-2025.

    With the default bandwidth the Borda winners, read on 21 July of each year, are Ferrari
    1997-2004, McLaren 2005, Ferrari 2006-08, Red Bull 2009-13, Mercedes 2014-21, Red Bull
    2022-23 and McLaren 2024-25. Data: F1DB, CC BY 4.0.

    Parameters
    ----------
    horizon, bandwidth, arms
        As for `driftduel.worlds.stream_from_log`; the bandwidth is in days.

    Examples
    --------
    >>> world = formula_1(horizon=1000)
    >>> world.date(500)
    datetime.date(2011, 7, 29)
    >>> world.labels[world.matrix(500).sum(axis=1).argmax()]
    'red-bull'
    """
    return formula_1_log().stream(horizon, bandwidth, arms=arms)


def premier_league(
    horizon: int = 100_000,
    bandwidth: float = 0.5 * YEAR,
    *,
    arms: Sequence[str] | None = None,
    remove_bias: bool = True,
) -> Stream:
    """Make a world of six clubs that took turns: the Premier League, 1992-2026.

    The advantage of playing at home is removed. Data: openfootball, CC0.

    Parameters
    ----------
    horizon, bandwidth, arms, remove_bias
        As for `driftduel.worlds.stream_from_log`; the bandwidth is in days. Without ``arms`` the
        world is of `BIG_SIX`.

    Examples
    --------
    >>> premier_league(horizon=1000).n_arms
    6
    """
    chosen = BIG_SIX if arms is None else arms
    return premier_league_log().stream(horizon, bandwidth, arms=chosen, remove_bias=remove_bias)


def matrix(name: str) -> LabelledMatrix:
    """Return one of the small preference matrices of the field, with its labels.

    =========== ==== =================================================================
    name        arms what it is
    =========== ==== =================================================================
    six_rankers    6 rankers of arXiv's search; a1 wins in every sense
    cyclic         4 a1 beats three arms that beat each other in a circle
    arithmetic     8 ``P[i, j] = 0.5 + 0.05 (j - i)``; SST and STI hold
    hudry         13 no Condorcet winner; a1 beats most arms but a2, a3, a4 win by Borda
    tennis         8 tennis players; no Condorcet winner
    llm_arena     16 language models in votes of 2025; ties count half, six decimals
    =========== ==== =================================================================

    Examples
    --------
    >>> matrix("cyclic").P
    array([[0.5, 0.6, 0.6, 0.6],
           [0.4, 0.5, 0.9, 0.1],
           [0.4, 0.1, 0.5, 0.9],
           [0.4, 0.9, 0.1, 0.5]])
    """
    import polars as pl

    if name not in MATRICES:
        raise ValueError(f"matrix {name!r} is unknown, known are: {', '.join(MATRICES)}")
    table = pl.read_csv(_DATA / f"{name}.csv")
    labels = tuple(table.columns[1:])
    P = as_matrix(table.select(labels).to_numpy(), name)
    P.setflags(write=False)
    return LabelledMatrix(labels, P)


def stationary(name: str, horizon: int = 100_000, *, arms: Sequence[str] | None = None) -> Stream:
    """Make a world that never changes of one of the matrices, with its labels and notice.

    With ``arms``, labels of the matrix, it has only these.

    Examples
    --------
    >>> stationary("cyclic", horizon=1000)
    Stream(4 arms, 1,000 rounds, stationary)
    >>> stationary("cyclic", horizon=1000, arms=["a3", "a1"]).matrix(0)
    array([[0.5, 0.4],
           [0.6, 0.5]])
    """
    labels, P = matrix(name)
    if arms is not None:
        chosen = as_arms(arms)
        for label in chosen:
            if label not in labels:
                known = ", ".join(labels)
                raise ValueError(f"arms: {label!r} is not in {name}, known are: {known}")
        places = [labels.index(label) for label in chosen]
        labels, P = chosen, P[np.ix_(places, places)]
    return Stream([P], [0], [0], horizon, labels=labels, credits=[notice(name)])


def notice(name: str) -> str:
    """Return the notice that must be shown with what is made from a log or matrix.

    Examples
    --------
    >>> print(notice("formula_1").splitlines()[0])
    Formula 1 results from F1DB (https://github.com/f1db/f1db), licensed under CC BY 4.0
    (https://creativecommons.org/licenses/by/4.0/). Credit: F1DB.
    """
    if name not in LOGS + MATRICES:
        known = ", ".join(LOGS + MATRICES)
        raise ValueError(f"data set {name!r} is unknown, known are: {known}")
    return _notices()[name]


def _log(name: str) -> Log:
    return read_log(_DATA / f"{name}.csv.gz").with_credits(notice(name))


@cache
def _notices() -> dict[str, str]:
    text = (_DATA / "NOTICES.md").read_text(encoding="utf-8")
    notices = {}
    for section in text.split("\n## ")[1:]:
        heading, _, body = section.partition("\n")
        for name in heading.split(", "):
            notices[name] = body.strip()
    return notices
