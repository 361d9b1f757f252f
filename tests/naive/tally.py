"""What a report counts, by the definition: go through all duels told since counting began."""

from __future__ import annotations


def tossed_by_poll(left, right, ticket):
    """The arms whose opponent was drawn at random: what counts in full."""
    _, left_weight, right_weight = ticket
    return [arm for arm, weight in ((left, left_weight), (right, right_weight)) if weight == 1.0]


def tossed_by_driftduel(left, right, ticket):
    """-1 is a toss for the right arm, 1 for the left, 2 for both."""
    return {-1.0: [right], 0.0: [], 1.0: [left], 2.0: [left, right]}[ticket[1]]


def scores(log, n_arms, tossed):
    """Wins and tosses of each arm; duels of an arm with itself do not count."""
    wins, tosses = [0.0] * n_arms, [0] * n_arms
    for left, right, ticket, outcome in log:
        if left == right:
            continue
        for arm in tossed(left, right, ticket):
            tosses[arm] += 1
            wins[arm] += outcome if arm == left else 1.0 - outcome
    return wins, tosses


def pairs(log, n_arms):
    """Wins of the row over the column."""
    wins = [[0.0] * n_arms for _ in range(n_arms)]
    for left, right, _, outcome in log:
        if left != right:
            wins[left][right] += outcome
            wins[right][left] += 1.0 - outcome
    return wins


def tables(log, n_arms, tossed):
    """Wins of the row over the column; tosses of the row that met it, with how many it won."""
    tosses = [[(0, 0.0)] * n_arms for _ in range(n_arms)]
    for left, right, ticket, outcome in log:
        if left == right:
            continue
        for arm in tossed(left, right, ticket):
            other, won = (right, outcome) if arm == left else (left, 1.0 - outcome)
            n, s = tosses[arm][other]
            tosses[arm][other] = n + 1, s + won
    return pairs(log, n_arms), tosses


def leaders(best_after_each_round, reign):
    """Who leads, and who did before for so many rounds; a short reign is as if it was not."""
    now, since, ended = None, 0, []
    for round_, arm in enumerate(best_after_each_round, start=1):
        if arm == now:
            continue
        if now is not None and round_ - since >= reign:
            ended.append((now, since))
            now, since = arm, round_
        elif ended and ended[-1][0] == arm:
            now, since = ended.pop()
        else:
            now, since = arm, round_
    return now, ended[-1][0] if ended else None
