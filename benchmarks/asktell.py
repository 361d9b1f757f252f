"""What `ask` and `tell` cost by hand, what of it is the lock of threads, and what `fold` saves.

Two copies of a learner play the same duels by turns, a hundred at a time, one with the lock and one
without. What is printed are medians: of the time of a call, and of what the lock adds to it.

Then the log of many rounds is told one by one and folded by fresh copies, and as many rounds are
simulated, by turns. What is printed are medians again: the time of a round, and how many times as
long the others take as a fold.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from statistics import median

import numpy as np

import driftduel as dd
from driftduel.learners import Duel

LEARNERS = ("Uniform", "RUCB", "MetaBosse", "DriftDuel", "DriftPoll")
ROUNDS = 100
"""Rounds of a turn."""
LOG = 100_000
"""Rounds of a log."""
LOGS = 5
"""Logs of each learner."""


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
    print(f"\n{'a round':<22} {'fold, ns':>8} {'tell':>8} {'simulate':>16}")
    for name in LEARNERS:
        times = [log_told(dd.all_learners()[name](10), turn) for turn in range(LOGS + 1)]
        fold = median(row[0] for row in times[1:])  # the first compiles
        others = [median(row[place] / row[0] for row in times[1:]) for place in (1, 2)]
        print(f"{name:<22} {fold:8.1f} {others[0]:7.1f}x {others[1]:15.2f}x")


def log_told(learner: dd.Learner, seed: int) -> tuple[float, float, float]:
    """Return the nanoseconds of a round: folded, told one by one, and simulated."""
    matrix = 0.5 + 0.04 * np.sign(np.arange(10)[None, :] - np.arange(10)[:, None])
    chance, source = np.random.default_rng(seed), learner.clone(seed=seed)
    log = []
    for _ in range(LOG):
        duel = source.ask()
        outcome = float(chance.random() < matrix[duel.left, duel.right]) if duel.is_vote else 0.5
        source.tell(duel, outcome)
        log.append((duel.left, duel.right, duel.ticket or (), outcome))
    columns = [np.array(column) for column in zip(*log, strict=True)]
    copy, told = learner.clone(seed=seed), learner.clone(seed=seed)
    session = told._session
    session.open.update((number, row[:3]) for number, row in enumerate(log))
    session.asked = LOG
    world = dd.Stream.stationary(matrix, LOG)
    moments = [time.thread_time()]
    copy.fold(*columns)
    moments.append(time.thread_time())
    for number, row in enumerate(log):
        told.tell(number, row[3])
    moments.append(time.thread_time())
    dd.simulate(learner, world, seed, points=1)
    moments.append(time.thread_time())
    assert copy.best() == told.best() == source.best()
    fold, tell, simulate = (1e9 * float(part) / LOG for part in np.diff(moments))
    return fold, tell, simulate


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
        tell(learner, duel, float(duel.left < duel.right) if duel.is_vote else 0.5)
    end = time.thread_time()
    return 1e6 * (middle - begin) / ROUNDS, 1e6 * (end - middle) / ROUNDS


def ask(learner: dd.Learner) -> Duel:
    """Ask as `Learner.ask` does, without the lock."""
    session = learner._session
    return session.ask(learner)


def tell(learner: dd.Learner, duel: Duel, outcome: float) -> None:
    """Tell as `Learner.tell` does, without the lock."""
    session = learner._session
    session.tell(learner, duel, outcome)
