"""Kernel smoothing of votes, vote by vote from the formulas.

A vote is ``(time, left, right, outcome, count)``; a list of votes is in the order of time.
"""

from __future__ import annotations

import math
from fractions import Fraction

Vote = tuple[float, int, int, float, int]


def kernel(distance, bandwidth):
    return math.exp(-0.5 * (distance / bandwidth) ** 2)


def matrix(votes: list[Vote], n_arms, time, bandwidth, pseudo_count, bias=0.5):
    """P_t, with votes for a side weighted by how little its advantage explains them."""
    P = [[0.5] * n_arms for _ in range(n_arms)]
    for a in range(n_arms):
        for b in range(n_arms):
            if a == b:
                continue
            won, lost = weights(votes, a, b, time, bandwidth, bias)
            P[a][b] = (pseudo_count / 2 + won) / (pseudo_count + won + lost)
    return P


def left_bias(votes: list[Vote]):
    """Mantel and Haenszel over runs of 20 entries of one pair; None where it is undefined."""
    runs: dict[tuple[int, int, int], dict[str, Fraction]] = {}
    seen: dict[tuple[int, int], int] = {}
    for _, left, right, outcome, count in votes:
        a, b = sorted((left, right))
        before = seen.get((a, b), 0)
        seen[a, b] = before + 1
        table = runs.setdefault((a, b, before // 20), dict.fromkeys("ABCD", Fraction(0)))
        for_left = count * Fraction(outcome)
        for_right = count * (1 - Fraction(outcome))
        if left == a:
            table["A"] += for_left
            table["B"] += for_right
        else:
            table["C"] += for_right
            table["D"] += for_left
    for_left = sum(t["A"] * t["D"] / sum(t.values()) for t in runs.values())
    for_right = sum(t["B"] * t["C"] / sum(t.values()) for t in runs.values())
    if for_left == 0 or for_right == 0:
        return None
    ratio = math.sqrt(for_left / for_right)
    return ratio / (1 + ratio)


def held_out_loss(votes: list[Vote], n_arms, bandwidth, pseudo_count, folds, bias=0.5):
    """Mean log-loss when the votes of a fold are predicted from the others, times as clusters."""
    losses = held_out_losses(votes, n_arms, bandwidth, pseudo_count, folds, bias)
    return sum(losses.values()) / sum(vote[4] for vote in votes)


def held_out_losses(votes: list[Vote], n_arms, bandwidth, pseudo_count, folds, bias=0.5):
    """The log-loss of the votes of each time."""
    beta = math.log(bias / (1 - bias))
    total = dict.fromkeys(sorted({vote[0] for vote in votes}), 0.0)
    for vote in votes:
        others = not_in_the_fold(votes, vote[0], folds)
        fair = matrix(others, n_arms, vote[0], bandwidth, pseudo_count, bias)[vote[1]][vote[2]]
        total[vote[0]] += loss(vote, fair, beta)
    return total


def leaning_losses(votes: list[Vote], n_arms, bandwidth, pseudo_count, folds, bias=0.5):
    """The same for one matrix, with no more votes of a pair than the bandwidth had."""
    beta = math.log(bias / (1 - bias))
    total = dict.fromkeys(sorted({vote[0] for vote in votes}), 0.0)
    for vote in votes:
        when, left, right = vote[:3]
        others = not_in_the_fold(votes, when, folds)
        near = sum(weights(others, left, right, when, bandwidth, bias))
        won, lost = weights(others, left, right, when, math.inf, bias)
        share = won / (won + lost) if won + lost > 0 else 0.5
        fair = (pseudo_count / 2 + near * share) / (pseudo_count + near)
        total[when] += loss(vote, fair, beta)
    return total


def margin(losses: dict[float, float], smaller: dict[float, float]):
    """By how many standard errors, over the times, losses are smaller; None if they do not vary."""
    gains = [losses[when] - smaller[when] for when in losses]
    mean = sum(gains) / len(gains)
    variance = sum((gain - mean) ** 2 for gain in gains) * len(gains) / (len(gains) - 1)
    return sum(gains) / math.sqrt(variance) if variance > 1e-12 else None


def not_in_the_fold(votes: list[Vote], when, folds):
    moments = sorted({vote[0] for vote in votes})
    fold = {moment: n % folds for n, moment in enumerate(moments)}
    return [vote for vote in votes if fold[vote[0]] != fold[when]]


def weights(votes: list[Vote], a, b, time, bandwidth, bias):
    """The votes that a won and lost against b, weighted as `matrix` does."""
    won = lost = 0.0
    for when, left, right, outcome, count in votes:
        near = count * kernel(time - when, bandwidth)
        for_left = near * outcome / (2 * bias)
        for_right = near * (1 - outcome) / (2 * (1 - bias))
        if (left, right) == (a, b):
            won += for_left
            lost += for_right
        if (left, right) == (b, a):
            won += for_right
            lost += for_left
    return won, lost


def loss(vote: Vote, fair, beta):
    _, _, _, outcome, count = vote
    left_wins = 1 / (1 + (1 - fair) / fair * math.exp(-beta))
    return -count * (outcome * math.log(left_wins) + (1 - outcome) * math.log(1 - left_wins))
