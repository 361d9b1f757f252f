"""Who won against whom in a log, who beats all others, and proved cycles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from driftduel.votes.figures import Condorcet, Pair, Rows
from driftduel.votes.log import Log
from driftduel.votes.sequences import interval


def pairs_of(log: Log, late: Log, alpha: float) -> Rows[Pair]:
    """Return of every pair that met how often, in the latest time who won, and the interval."""
    met, wins = log.head_to_head(), late.head_to_head()
    first, second = np.nonzero(np.triu(met + met.T, 1))
    votes = (wins + wins.T)[first, second]
    won = wins[first, second]
    low, high = interval(won, votes, alpha / max(len(first), 1))
    return Rows(
        Pair(
            first=log.arms[a],
            second=log.arms[b],
            votes=int(met[a, b] + met[b, a]),
            votes_since=int(votes[n]),
            share=float(won[n] / votes[n]) if votes[n] else None,
            low=float(low[n]),
            high=float(high[n]),
        )
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    )


def condorcet_of(arms: tuple[str, ...], matrix: Sequence[Pair]) -> Condorcet:
    """Return who beats all others, whether that is proved, and whether it is proved nobody does."""
    beats = dict.fromkeys(arms, 0)
    ahead = dict.fromkeys(arms, 0)
    beaten = dict.fromkeys(arms, False)
    for pair in matrix:
        for one, other, low, share in (
            (pair.first, pair.second, pair.low, pair.share),
            (pair.second, pair.first, 1 - pair.high, _turned(pair.share)),
        ):
            beats[one] += low > 0.5
            ahead[one] += share is not None and share > 0.5
            beaten[other] |= low > 0.5
    winner = [arm for arm in arms if ahead[arm] == len(arms) - 1]
    proved = bool(winner) and beats[winner[0]] == len(arms) - 1
    return Condorcet(
        winner=winner[0] if winner else None,
        proved=proved,
        proved_none=all(beaten.values()),
        cycle=_cycle(arms, matrix),
    )


def _cycle(arms: tuple[str, ...], matrix: Sequence[Pair]) -> tuple[str, ...] | None:
    """Return arms of which each is proved to beat the next, and the last the first, few if any."""
    place = {arm: n for n, arm in enumerate(arms)}
    beats: list[list[int]] = [[] for _ in arms]
    for pair in matrix:
        first, second = place[pair.first], place[pair.second]
        if pair.low > 0.5:
            beats[first].append(second)
        elif pair.high < 0.5:
            beats[second].append(first)
    shortest: list[int] | None = None
    for start in range(len(arms)):
        paths = {start: [start]}
        reached = [start]
        for arm in reached:  # grows while it is read: nearest arms first
            if shortest is not None and len(paths[arm]) >= len(shortest):
                break
            if start in beats[arm]:
                shortest = paths[arm]
                break
            for other in beats[arm]:
                if other not in paths:
                    paths[other] = [*paths[arm], other]
                    reached.append(other)
        if shortest is not None and len(shortest) == 3:  # none is shorter
            break
    return None if shortest is None else tuple(arms[arm] for arm in shortest)


def _turned(share: float | None) -> float | None:
    return None if share is None else 1 - share
