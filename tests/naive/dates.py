"""When did it change: every toss is kept, and every round is asked."""

from __future__ import annotations

import math

import numpy as np

log_gamma = np.vectorize(math.lgamma, otypes=[float])


def log_beta(wins, losses):
    """ln B(w + 1/2, l + 1/2) of each pair: outcomes may be graded, so these may be any numbers."""
    return log_gamma(wins + 0.5) + log_gamma(losses + 0.5) - log_gamma(wins + losses + 1.0)


class EveryToss:
    """Tosses in lists."""

    def __init__(self):
        self.rounds, self.arms, self.outcomes = [], [], []

    def record(self, round_, arm, outcome):
        self.rounds.append(round_)
        self.arms.append(arm)
        self.outcomes.append(outcome)

    def date(self, since, fell, rose):
        """The smallest and largest of the most likely rounds that hold 95 % together."""
        rounds, arms, outcomes = map(np.array, (self.rounds, self.arms, self.outcomes))
        candidates = np.arange(since + 1, rounds[-1] + 1)
        height = np.zeros(len(candidates))
        for arm in (fell, rose):
            chosen = (arms == arm) & (rounds >= since)
            wins = np.concatenate([[0.0], np.cumsum(outcomes[chosen])])
            losses = np.concatenate([[0.0], np.cumsum(1.0 - outcomes[chosen])])
            split = log_beta(wins, losses) + log_beta(wins[-1] - wins, losses[-1] - losses)
            height += split[np.searchsorted(rounds[chosen], candidates)]
        chance = np.exp(height - height.max())
        chance /= chance.sum()
        order = np.argsort(-chance, kind="stable")
        enough = np.searchsorted(np.cumsum(chance[order]), 0.95)
        chosen = candidates[height >= height[order[enough]] - 1e-9]
        return int(chosen.min()), int(chosen.max())
