"""What `ask` and `tell` cost by hand, and what of it is the lock that threads take turns by.

Two copies of a learner play the same duels by turns, a hundred at a time, one with the lock and one
without. What is printed are medians: of the time of a call, and of what the lock adds to it.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from statistics import median

import driftduel as dd
from driftduel.learners import Duel

LEARNERS = ("Uniform", "RUCB", "MetaBosse", "CalibratedMetaBosse")
ROUNDS = 100
"""Rounds of a turn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=500, help="turns of each copy")
    options, _ = parser.parse_known_args()
    print(f"{'microseconds a call':<22} {'ask':>8} {'tell':>8} {'the lock adds':>16}")
    for name in LEARNERS:
        kind = dd.all_learners()[name]
        fresh = kind(10)
        play(fresh, ask, tell)
        learner, bare = copy.deepcopy(fresh), copy.deepcopy(fresh)
        with_lock, without = [], []
        for turn in range(options.turns):  # who goes first finds other things in the caches
            if turn % 2:
                without.append(play(bare, ask, tell))
            with_lock.append(play(learner, kind.ask, kind.tell))
            if not turn % 2:
                without.append(play(bare, ask, tell))
        asked, told = (median(column) for column in zip(*with_lock, strict=True))
        added = [sum(one) / sum(other) - 1 for one, other in zip(with_lock, without, strict=True)]
        print(f"{name:<22} {asked:8.2f} {told:8.2f} {median(added):15.1%}")


def play(
    learner: dd.Learner,
    ask: Callable[[dd.Learner], Duel],
    tell: Callable[[dd.Learner, Duel, float], None],
) -> tuple[float, float]:
    """Ask some duels, then tell them; return the microseconds of one of each."""
    begin = time.thread_time()
    duels = [ask(learner) for _ in range(ROUNDS)]
    middle = time.thread_time()
    for duel in duels:
        tell(learner, duel, float(duel.left <= duel.right))
    end = time.thread_time()
    return 1e6 * (middle - begin) / ROUNDS, 1e6 * (end - middle) / ROUNDS


def ask(learner: dd.Learner) -> Duel:
    """Ask as `Learner.ask` does, without the lock."""
    session = learner.session
    return session.ask(learner)


def tell(learner: dd.Learner, duel: Duel, outcome: float) -> None:
    """Tell as `Learner.tell` does, without the lock."""
    session = learner.session
    session.tell(learner, duel, outcome)
