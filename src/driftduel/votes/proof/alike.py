"""Evidence that groups of voters differ, which holds whatever drift there is, and at every look.

Of one ordered pair of options two votes that follow each other, cast by voters of different groups,
are *matched*. If groups do not differ, and tastes for the pair did not move between these two
votes, it is a toss which of them was for the left option where just one was. For each pair of
options and of groups the wealth of a gambler who bets on that coin, by the bets of Krichevsky and
Trofimov, is

    2^n B(a + 1/2, n - a + 1/2) / B(1/2, 1/2)

after n such tosses of which a fell on one side; the wealths of all cells, each begun with what the
others have, multiply. The product is an e-value: that it ever reaches 1 / alpha has a chance of at
most alpha if groups do not differ.
"""

from __future__ import annotations

import math

from driftduel.votes.log import Log

PROVED = math.log(20.0)
"""From here on it is proved that groups differ, with 95 %."""

_MOST = 200_000
"""Of more votes the first are looked at, as a gambler has to begin somewhere."""


def log_e_value(log: Log, groups: list[str]) -> float | None:
    """Return the logarithm of the e-value against "groups do not differ"; None where none holds.

    It holds if each row is a vote, in the order in which they were cast. ``groups`` has the group
    of each row.

    Examples
    --------
    >>> n = 400
    >>> left, right = [0] * n, [1] * n
    >>> voters = ["de", "en"] * (n // 2)
    >>> log = Log(["tea", "milk"], range(n), left, right, [1.0, 0.0] * (n // 2))
    >>> log_e_value(log, voters) > PROVED, log_e_value(log, ["de"] * n)
    (True, 0.0)
    """
    if (log.count != 1).any() or not log.timed:
        return None
    waiting: dict[tuple[int, int], tuple[str, float]] = {}
    tosses: dict[tuple[int, int, str, str], list[int]] = {}
    total = 0.0
    rows = zip(
        log.left[:_MOST].tolist(),
        log.right[:_MOST].tolist(),
        log.outcome[:_MOST].tolist(),
        groups,
        strict=False,
    )
    for left, right, outcome, group in rows:
        if outcome not in (0.0, 1.0) or left == right:
            continue
        pair = (min(left, right), max(left, right))
        won = outcome if left < right else 1.0 - outcome
        before = waiting.get(pair)
        if before is None or before[0] == group:
            waiting[pair] = (group, won)
            continue
        del waiting[pair]
        if before[1] == won:
            continue
        one, other = sorted((before[0], group))
        side = int(won == (group == one))
        counts = tosses.setdefault((*pair, one, other), [0, 0])
        total += math.log((counts[side] + 0.5) / (sum(counts) + 1.0) * 2.0)
        counts[side] += 1
    return total
