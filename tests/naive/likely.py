"""The likely story by its definitions: one model, one jump history, one sequence at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np


def outcome_chances(x, ties):
    """Win, tie and loss of Davidson."""
    parts = np.array([math.exp(x), ties * math.exp(x / 2), 1.0])
    return parts / parts.sum()


def log_likelihood(s, rows, ties):
    """Of rows (left, right, votes, won): a tie is half a win, at the weight e^(x/2) of its own."""
    total = 0.0
    for left, right, votes, won in rows:
        x = s[left] - s[right]
        total += won * x - votes * math.log(math.exp(x) + ties * math.exp(x / 2) + 1)
    return total


def update(mean, spread, rows, ties):
    """The Gaussian at the mode by plain Newton steps with differences of first order in loops."""
    k = len(mean)
    precision = np.linalg.inv(spread)
    s = mean.copy()
    for _ in range(100):
        gradient = -precision @ (s - mean)
        hessian = precision.copy()
        for left, right, votes, won in rows:
            win, tie, _ = outcome_chances(s[left] - s[right], ties)
            expected = win + tie / 2
            variance = win + tie / 4 - expected**2
            z = np.zeros(k)
            z[left], z[right] = 1, -1
            gradient += (won - votes * expected) * z
            hessian += votes * variance * np.outer(z, z)
        s = s + np.linalg.solve(hessian, gradient)
    away = s - mean
    evidence = log_likelihood(s, rows, ties) - away @ precision @ away / 2
    evidence -= (np.linalg.slogdet(hessian)[1] + np.linalg.slogdet(spread)[1]) / 2
    return s, np.linalg.inv(hessian), evidence


def moved(mean, spread, scale, drift, gap):
    """What drift leaves of a strength, and adds to its variance."""
    kept = math.exp(-drift * gap / (2 * scale**2))
    return kept * mean, kept**2 * spread + np.eye(len(mean)) * scale**2 * (1 - kept**2)


def evidence_of_histories(bins, gaps, k, scale, drift, jumps, size, ties):
    """The probability of all votes: the sum over every history of jumps."""
    kinds = ["none", "all", *range(k)]
    total = []
    for history in itertools.product(kinds, repeat=len(bins) - 1):
        mean, spread = np.zeros(k), np.eye(k) * scale**2
        log_weight = 0.0
        for b, rows in enumerate(bins):
            if b:
                mean, spread = moved(mean, spread, scale, drift, gaps[b])
                chance = min(jumps * gaps[b], 0.3)
                kind = history[b - 1]
                if kind == "none":
                    log_weight += math.log(1 - 2 * chance)
                elif kind == "all":
                    log_weight += math.log(chance)
                    spread = spread + np.eye(k) * size
                else:
                    log_weight += math.log(chance / k)
                    spread = spread.copy()
                    spread[kind, kind] += size
            mean, spread, gain = update(mean, spread, rows, ties)
            log_weight += gain
        total.append(log_weight)
    top = max(total)
    return top + math.log(sum(math.exp(one - top) for one in total))


def smoothed(bins, gaps, k, scale, drift, ties):
    """Means and covariances of all bins given all votes, of one model without jumps."""
    mean, spread = np.zeros(k), np.eye(k) * scale**2
    before, after = [], []
    for b, rows in enumerate(bins):
        if b:
            mean, spread = moved(mean, spread, scale, drift, gaps[b])
        before.append((mean, spread))
        mean, spread, _ = update(mean, spread, rows, ties)
        after.append((mean, spread))
    found = [after[-1]]
    for b in range(len(bins) - 2, -1, -1):
        kept = math.exp(-drift * gaps[b + 1] / (2 * scale**2))
        gain = after[b][1] * kept @ np.linalg.inv(before[b + 1][1])
        mean = after[b][0] + gain @ (found[0][0] - before[b + 1][0])
        spread = after[b][1] + gain @ (found[0][1] - before[b + 1][1]) @ gain.T
        found.insert(0, (mean, spread))
    return found


def turning_point(flags):
    """Where false turns to true at the fewest exceptions, the last of such places."""
    wrong = [sum(flags[:at]) + len(flags[at:]) - sum(flags[at:]) for at in range(len(flags) + 1)]
    return max(at for at, one in enumerate(wrong) if one == min(wrong))


def last_begin(flags):
    """Since when it is true without a break, of flags whose last is true."""
    return min(at for at in range(len(flags)) if all(flags[at:]))


def best_path_value(p_best, share, price):
    """The most that any sequence of names is worth, each change at a price."""
    n_bins, n_arms = p_best.shape
    return max(
        sum(share[b] * p_best[b, k] for b, k in enumerate(names))
        - price * sum(one != other for one, other in itertools.pairwise(names))
        for names in itertools.product(range(n_arms), repeat=n_bins)
    )
