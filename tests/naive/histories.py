"""Who was best when by the definitions: every span, every pair of arms, every moment."""

from __future__ import annotations

import math

from tests.naive.estimates import rounds, value
from tests.naive.sequences import wealth


def proved_ahead(log, weight, first, second, level):
    """By propensities: whether one arm is ahead of another on average."""
    z = [
        value(first, weight, one, "+") + value(second, weight, one, "-") - 1 for one in rounds(log)
    ]
    return sum(z) > 0 and wealth(sum(z), sum(x * x for x in z)) >= 1 / level


def outcomes(log, a, b):
    return [
        one[3] if one[1] == a else 1 - one[3] for one in rounds(log, 1.0) if set(one[1:3]) == {a, b}
    ]


def proved_ahead_by_pairs(log, weight, first, second, level):
    """By the means of pairs: the same."""
    coefficients = {(first, second): weight[first] + weight[second]}
    for d in range(len(weight)):
        if d not in (first, second):
            coefficients[first, d] = coefficients[d, second] = weight[d]
    total, variance = (weight[first] + weight[second]) / 2 - 1, 0.0
    for (a, b), c in coefficients.items():
        mine = outcomes(log, a, b)
        if mine:
            total += c * sum(mine) / len(mine)
            variance += c * c / len(mine)
    return total > math.sqrt(math.log(1 / level) / 2 * variance)


def family(log, weight, alpha, cells, starts, test):
    """Begin, end and candidates of every span."""
    rows = [*starts, len(log)]
    k = len(weight)
    found = []
    level = 0
    while cells >> level >= 2:
        length = cells >> level
        begins = range(0, cells - length + 1, length // 2)
        share = alpha / ((level + 1) * (level + 2)) / len(begins) / (k - 1)
        for begin in begins:
            part = rows[begin], rows[begin + length]
            if part[0] == part[1] or not (log.left != log.right)[slice(*part)].any():
                continue
            some = log.rows(slice(*part))
            behind = {
                a for a in range(k) for c in range(k) if c != a and test(some, weight, c, a, share)
            }
            found.append((begin, begin + length, set(range(k)) - behind))
        level += 1
    return found


def stretches(log, spans, cells, starts):
    """The stretches that prove a change: each ends as soon as it can, then is made shorter.

    From its beginning, as long as it still proves one. It may prove one again when it is shorter
    still, as who has no vote before its end, or none since its beginning, is no candidate.
    """
    rows = [*starts, len(log)]
    asked = log.left != log.right

    def shown(part):
        return {*log.left[part][asked[part]].tolist(), *log.right[part][asked[part]].tolist()}

    def proves(begin, end):
        there = shown(slice(0, rows[end])) & shown(slice(rows[begin], None))
        for first, last, candidates in spans:
            if begin <= first and last <= end:
                there &= candidates
        return asked[rows[begin] : rows[end]].any() and not there

    found = []
    search = 0
    for end in range(cells + 1):
        if end > search and proves(search, end):
            begin = search
            while proves(begin + 1, end):
                begin += 1
            found.append((begin, end))
            search = end
    return found


def date_change(log, begin, end, fell, rose):
    """The smallest, likeliest and largest of the moments that hold 95 % together."""
    moments = [r for r in range(begin + 1, end) if log.time[r] != log.time[r - 1]]
    heights, priors = [], []
    before = begin
    for tau in moments:
        height = 0.0
        for a in range(log.n_arms):
            for b in range(a + 1, log.n_arms):
                if {fell, rose} & {a, b}:
                    for part in (slice(begin, tau), slice(tau, end)):
                        mine = [
                            (log.outcome[r] if log.left[r] == a else 1 - log.outcome[r])
                            for r in range(len(log))[part]
                            for _ in range(int(log.count[r]))
                            if {log.left[r], log.right[r]} == {a, b}
                        ]
                        won = sum(mine)
                        lost = len(mine) - won
                        height += math.lgamma(won + 0.5) + math.lgamma(lost + 0.5)
                        height -= math.lgamma(len(mine) + 1) + math.log(math.pi)
        heights.append(height)
        priors.append(sum(log.count[before:tau]))
        before = tau
    top = max(heights)
    chances = [p * math.exp(h - top) for p, h in zip(priors, heights, strict=True)]
    order = sorted(range(len(moments)), key=lambda n: -heights[n])
    held = 0.0
    for n in order:
        held += chances[n]
        if held >= 0.95 * sum(chances):
            chosen = [m for m, h in zip(moments, heights, strict=True) if h >= heights[n] - 1e-9]
            return min(chosen), max(chosen)
    raise AssertionError
