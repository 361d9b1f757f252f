"""Scores with variants of one thing counted as one, by plain loops."""

from __future__ import annotations


def things_of(n_arms, variants, there):
    """Return the things on offer: sets of arms, each arm in one."""
    things = []
    for group in variants:
        thing = [arm for arm in group if arm in there]
        if thing:
            things.append(thing)
    for arm in range(n_arms):
        if arm in there and not any(arm in thing for thing in things):
            things.append([arm])
    return things


def score(chances, arm, things):
    """Return the chance to beat an opponent: a thing is drawn, then one of its arms."""
    total = 0.0
    for thing in things:
        for other in thing:
            total += chances[arm][other] / (len(things) * len(thing))
    return total


def best_of(chances, variants, there):
    """Return who has the highest score."""
    things = things_of(len(chances), variants, there)
    best, most = None, -1.0
    for arm in sorted(there):
        own = score(chances, arm, things)
        if own > most:
            best, most = arm, own
    return best
