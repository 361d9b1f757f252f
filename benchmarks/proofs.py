"""What votes prove at every look: how soon, and how often falsely.

Changes: the votes after a change of the best arm until some change is proved, of uniform pairs, and
in how many logs in which nothing changes one is ever proved: equal arms, Bradley-Terry, near ties,
ties, an advantage of the left side, pairs chosen by who is ahead, arms that join.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.proof.changes import turns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHANGES = ((2, 0.8), (2, 0.6), (4, 0.8), (4, 0.7), (4, 0.6), (10, 0.8), (10, 0.7))
"""How many arms there are, and how often the best beats each of the others."""

CHANGED_AT = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--still", type=int, default=400, help="logs in which nothing changes")
    parser.add_argument("--votes", type=int, default=2000, help="of each of these")
    options, _ = parser.parse_known_args()
    print(f"votes after a change at {CHANGED_AT:,} until it is proved, {options.runs} logs")
    print(f"{'arms':>5} {'best':>5} {'median':>7} {'90 %':>7} {'proved':>7} {'before':>7}")
    for n_arms, share in CHANGES:
        delays, before = np.array([delay(n_arms, share, seed) for seed in range(options.runs)]).T
        median, most = np.quantile(delays, [0.5, 0.9], method="higher")
        print(
            f"{n_arms:5} {share:5} {median:7.0f} {most:7.0f} {np.isfinite(delays).mean():7.2f} "
            f"{before.sum():7.0f}",
            flush=True,
        )
    print(f"logs of {options.votes:,} votes without a change in which one is ever proved")
    for name, world in STILL.items():
        wrong = sum(
            bool(turns(world(seed, options.votes), drawn=name in DRAWN)[0])
            for seed in range(options.still)
        )
        print(f"{name:>40} {wrong:4} of {options.still:,}", flush=True)


def delay(n_arms: int, share: float, seed: int) -> tuple[float, bool]:
    """Return the votes after a change until one is proved, and whether one was before."""
    rng = np.random.default_rng(seed)
    n_votes = CHANGED_AT + (4000 if share < 0.65 else 3000)
    best = np.where(np.arange(n_votes) < CHANGED_AT, 0, 1)
    left, right = uniform(rng, n_arms, n_votes)
    chance = 0.5 + (share - 0.5) * ((left == best) - 1.0 * (right == best))
    found = turns(log(rng, n_arms, left, right, chance), drawn=True)[0]
    votes = np.array([one.proved for one in found], dtype=np.float64) + 1 - CHANGED_AT
    return float(votes[votes > 0].min(initial=np.inf)), bool((votes <= 0).any())


def uniform(rng: np.random.Generator, n_arms: int, n_votes: int) -> tuple[Ints, Ints]:
    """Return pairs drawn alike."""
    left = rng.integers(n_arms, size=n_votes)
    return left, (left + rng.integers(1, n_arms, size=n_votes)) % n_arms


def log(
    rng: np.random.Generator,
    n_arms: int,
    left: Ints,
    right: Ints,
    chance: Floats,
    ties: float = 0.0,
) -> dd.Log:
    """Return a log of outcomes with these chances, some of them ties."""
    outcome = (rng.random(len(left)) < chance).astype(np.float64)
    outcome[rng.random(len(left)) < ties] = 0.5
    names = [f"arm {arm}" for arm in range(n_arms)]
    return dd.Log(names, np.arange(len(left)), left, right, outcome)


def still(
    n_arms: int, strength: float = 0.0, side: float = 0.0, ties: float = 0.0
) -> Callable[[int, int], dd.Log]:
    """Return a world of uniform pairs in which nothing changes; strengths are log odds apart."""

    def world(seed: int, n_votes: int) -> dd.Log:
        rng = np.random.default_rng([7, seed])
        left, right = uniform(rng, n_arms, n_votes)
        odds = strength * (right - left) + side
        return log(rng, n_arms, left, right, 1 / (1 + np.exp(-odds)), ties)

    return world


def chosen(n_arms: int, strength: float = 0.0) -> Callable[[int, int], dd.Log]:
    """Return a world in which two that won most so far, more or less, meet."""

    def world(seed: int, n_votes: int) -> dd.Log:
        rng = np.random.default_rng([8, seed])
        won = np.zeros(n_arms)
        left, right = np.zeros((2, n_votes), dtype=np.int64)
        outcome = np.zeros(n_votes)
        for vote in range(n_votes):
            left[vote], right[vote] = np.argsort(won + 10 * rng.random(n_arms))[-2:]
            odds = strength * (right[vote] - left[vote])
            outcome[vote] = rng.random() < 1 / (1 + np.exp(-odds))
            won *= 0.99  # what was long ago is forgotten, so that others come back
            won[left[vote]] += outcome[vote]
            won[right[vote]] += 1 - outcome[vote]
        names = [f"arm {arm}" for arm in range(n_arms)]
        return dd.Log(names, np.arange(n_votes), left, right, outcome)

    return world


def joining(n_arms: int, strength: float = 0.0) -> Callable[[int, int], dd.Log]:
    """Return a world in which the first arm, the strongest, joins in the middle."""

    def world(seed: int, n_votes: int) -> dd.Log:
        rng = np.random.default_rng([9, seed])
        left, right = uniform(rng, n_arms, n_votes)
        early = np.arange(n_votes) < n_votes // 2
        first, second = uniform(rng, n_arms - 1, n_votes)
        left, right = np.where(early, first + 1, left), np.where(early, second + 1, right)
        odds = strength * (right - left)
        return log(rng, n_arms, left, right, 1 / (1 + np.exp(-odds)))

    return world


DRAWN = {
    "2 arms, equal": still(2),
    "2 arms, Bradley-Terry": still(2, 1.0),
    "2 arms, 40 % ties": still(2, ties=0.4),
    "4 arms, equal": still(4),
    "4 arms, Bradley-Terry": still(4, 0.5),
    "4 arms, near ties": still(4, 0.05),
    "4 arms, left +10 %, 30 % ties": still(4, 0.2, side=0.4, ties=0.3),
    "10 arms, equal": still(10),
    "10 arms, Bradley-Terry": still(10, 0.3),
    "10 arms, near ties": still(10, 0.05),
}
"""Worlds of uniform pairs, in which every vote is a toss of both arms."""

STILL = DRAWN | {
    "4 arms, equal, pairs by who is ahead": chosen(4),
    "10 arms, Bradley-Terry, likewise": chosen(10, 0.2),
    "5 arms, Bradley-Terry, one joins": joining(5, 0.5),
}
"""All worlds in which nothing changes."""


if __name__ == "__main__":
    main()
