"""Rows of the small tables beside the sentences: one for each option, one for each group."""

from __future__ import annotations

from collections.abc import Sequence

from driftduel.verdict.groups import EMPTY
from driftduel.verdict.parts import Part, percent, percent_range, plain
from driftduel.verdict.standing import Standing
from driftduel.verdict.text import shows_score

OPTIONS = ("option", "wins", "proved", "votes")
GROUPS = ("votes", "ahead", "wins", "proved", "how sure")
"""What stands above the columns; above the first of groups stands their column."""


def option_rows(standing: Standing) -> list[tuple[str, ...]]:
    """Return a row for each option that is offered, the leader first.

    Examples
    --------
    >>> from driftduel.verdict.standing import Option
    >>> tea = Option(name="tea", score=0.7, low=0.6, high=0.8, compared=90)
    >>> both = (tea, Option(name="milk"))
    >>> option_rows(Standing(options=both, votes=90, best=0, scored_against="others"))
    [('tea', '70%', '60% to 80%', '90'), ('milk', '', '', '')]
    """
    rows: list[tuple[str, ...]] = []
    for one in (standing.options[n] for n in standing.order):
        if one.offered:
            told = one.low is not None and one.high is not None
            wins = percent(one.score) if shows_score(one) else ""
            proved = percent_range(one.low or 0.0, one.high or 0.0) if told else ""
            votes = "" if one.compared is None else f"{one.compared:,}"
            rows.append((plain((Part("name", one.name),)), wins, proved, votes))
    return rows


def group_rows(standings: Sequence[tuple[str, Standing]]) -> list[tuple[str, ...]]:
    """Return a row for each group: who is ahead in it, by how much, and how sure that is.

    Examples
    --------
    >>> from driftduel.verdict.standing import Option
    >>> tea = Option(name="tea", score=0.7, low=0.6, high=0.8, compared=90)
    >>> both = {"options": (tea, Option(name="milk")), "scored_against": "others"}
    >>> english = Standing(votes=90, best=0, decided=True, **both)
    >>> for row in group_rows([("en", english), ("", Standing(votes=3, **both))]):
    ...     print(row)
    ('en', '90', 'tea', '70%', '60% to 80%', 'is best')
    ('(empty)', '3', '', '', '', 'cannot be told')
    """
    rows: list[tuple[str, ...]] = []
    for group, standing in standings:
        name = plain((Part("name", group or EMPTY),))
        if standing.leader is None:
            level = ", ".join(standing.options[n].name for n in standing.level_with)
            rows.append((name, f"{standing.votes:,}", level, "", "", "level" if level else NOBODY))
            continue
        best = standing.order.index(standing.leader)
        _, wins, proved, _ = option_rows(standing)[best]
        sure = "is best" if standing.decided else "is ahead, not proved"
        who = plain((Part("name", standing.options[standing.leader].name),))
        rows.append((name, f"{standing.votes:,}", who, wins, proved, sure))
    return rows


NOBODY = "cannot be told"
