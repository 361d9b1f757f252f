"""Worlds whose arms come and go by their definitions, round by round, in exact fractions.

An arm that is not on offer plays no part: regret, winners and phases are those of the matrix with
the other rows and columns alone.
"""

from __future__ import annotations

from fractions import Fraction

from tests.naive import criteria
from tests.naive.preferences import condorcet_winners


def gaps_at(stream, t, criterion):
    """The gap of each arm on offer in a round, by its number."""
    arms = stream.offered_at(t).tolist()
    P = [[Fraction(float(stream.matrix(t)[a, b])) for b in arms] for a in arms]
    if criterion == "condorcet":
        c = condorcet_winners(P)[0]
        gaps = [P[c][a] - Fraction(1, 2) for a in range(len(arms))]
    else:
        weight = criteria.borda_weight(P)
        if criterion != "borda":
            weight = [Fraction(criterion[a]) for a in arms]
        gaps = criteria.gaps(P, weight)
    return dict(zip(arms, gaps, strict=True))


def regret(stream, played, criterion):
    """Cumulative regret of the pairs played, one a round."""
    total, sums = Fraction(0), []
    for t, (i, j) in enumerate(played):
        gaps = gaps_at(stream, t, criterion)
        total += (gaps[int(i)] + gaps[int(j)]) / 2
        sums.append(float(total))
    return sums


def switches(stream, criterion):
    """The fewest changes of winner."""
    count, unbroken = 0, None
    for t in range(stream.horizon):
        gaps = gaps_at(stream, t, criterion)
        winners = {a for a in gaps if gaps[a] == 0}
        if unbroken is None:
            unbroken = winners
        elif unbroken & winners:
            unbroken &= winners
        else:
            count, unbroken = count + 1, winners
    return count


def phases(stream, criterion):
    """The rounds at which significant phases begin.

    Arm a is unsafe on the rounds s1 < s2 if it was not on offer in one of them, or if its gaps
    there sum to K^(1/3) (s2 - s1)^(2/3), for Condorcet to (K (s2 - s1))^(1/2).
    """
    most = max(len(stream.offered_at(t)) for t in range(stream.horizon))
    degree = 2 if criterion == "condorcet" else 3
    gaps = [gaps_at(stream, t, criterion) for t in range(stream.horizon)]

    def is_unsafe(arm, s1, s2):
        rounds = range(s1, s2 + 1)
        if any(arm not in gaps[t] for t in rounds):
            return True
        total = sum(gaps[t][arm] for t in rounds)
        return total**degree >= most * Fraction(s2 - s1) ** (degree - 1)

    starts, begin = [0], 0
    safe = set(range(stream.n_arms))
    for now in range(stream.horizon):
        safe -= {arm for arm in safe if any(is_unsafe(arm, s1, now) for s1 in range(begin, now))}
        if not safe:
            starts.append(now)
            begin, safe = now, set(range(stream.n_arms))
    return starts
