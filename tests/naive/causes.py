"""What explains a change, by the definition: all orders of moving what may have moved."""

from __future__ import annotations

from itertools import permutations
from math import exp, factorial

FACTORS = ("voters", "questions", "pairs", "taste")


def lead(moved, facts):
    """Return the lead of the new leader over the old one, with some factors as they are after."""
    at = {name: int(name in moved) for name in FACTORS}
    s, d, e, change = facts["s"], facts["d"], facts["e"], facts["change"]

    def score(k):
        total = 0.0
        for g, group in enumerate(facts["voters"][at["voters"]]):
            for c, context in enumerate(facts["questions"][at["questions"]]):
                for j, shown in facts["pairs"][at["pairs"]][k].items():
                    told = s[k] - s[j] + d[g][k] - d[g][j] + e[c][k] - e[c][j]
                    told += at["taste"] * (change[k] - change[j])
                    total += group * context * shown / (1 + exp(-told))
        return total

    return score(facts["new"]) - score(facts["old"])


def parts(facts):
    """Return the part of each factor: what moving it adds, on average over all orders."""
    found = dict.fromkeys(FACTORS, 0.0)
    for order in permutations(FACTORS):
        for n, name in enumerate(order):
            more = lead(order[: n + 1], facts) - lead(order[:n], facts)
            found[name] += more / factorial(len(FACTORS))
    return found
