"""What votes prove at every look: how soon, and how often falsely.

Changes: the votes after a change of the best arm until some change is proved, of uniform pairs, and
in how many logs in which nothing changes one is ever proved: equal arms, Bradley-Terry, near ties,
ties, an advantage of the left side, pairs chosen by who is ahead, arms that join.

Decided: the votes until the best of uniform pairs is proved by its gaps, beside those until the
intervals of all arms part.

Votes still missing: how often the number of votes until the best arm is proved to be best lies in
the range that is said when a quarter, half and three quarters of them are in.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from driftduel.votes.decisions import is_decided
from driftduel.votes.estimates import weigh
from driftduel.votes.histories import History
from driftduel.votes.planning import between
from driftduel.votes.proof.changes import turns
from driftduel.votes.proof.leads import proved_best
from driftduel.votes.sequences import simultaneous

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHANGES = ((2, 0.8), (2, 0.6), (4, 0.8), (4, 0.7), (4, 0.6), (10, 0.8), (10, 0.7))
"""How many arms there are, and how often the best beats each of the others."""

CHANGED_AT = 1000

MISSING = ((2, 0.05), (3, 0.1), (5, 0.1))
"""How many arms there are, and by how much one is ahead of each of the others."""


PARTS = ("changes", "decided", "missing", "still", "all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--still", type=int, default=400, help="logs in which nothing changes")
    parser.add_argument("--votes", type=int, default=2000, help="of each of these")
    parser.add_argument("--part", choices=PARTS, default="all")
    options, _ = parser.parse_known_args()
    for name, tell in zip(PARTS, (_changes, _decided, _missing, _still), strict=False):
        if options.part in (name, "all"):
            tell(options)


def _changes(options: argparse.Namespace) -> None:
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


def _decided(options: argparse.Namespace) -> None:
    print(f"votes until decided, medians of {options.runs} logs: intervals, gaps; wrongly by gaps")
    for n_arms, share in CHANGES:
        waits = np.array([until_decided(n_arms, share, seed) for seed in range(options.runs)])
        intervals, gaps = np.quantile(waits[:, :2], 0.5, axis=0, method="higher")
        print(
            f"{n_arms:5} {share:5} {intervals:7.0f} {gaps:7.0f} {waits[:, 2].sum():3.0f}",
            flush=True,
        )


def _missing(options: argparse.Namespace) -> None:
    print("votes still missing: in the range, sooner, later")
    for n_arms, lead in MISSING:
        cases = np.concatenate([missing(n_arms, lead, seed) for seed in range(options.runs)])
        inside, sooner, later = ((cases == place).sum() for place in (0, -1, 1))
        print(f"{n_arms:5} {lead:5} {inside:5} {sooner:5} {later:5} of {len(cases)}", flush=True)


def _still(options: argparse.Namespace) -> None:
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


def until_decided(n_arms: int, share: float, seed: int) -> tuple[float, float, bool]:
    """Return the votes until intervals part, and until gaps are proved, and if ever of a wrong arm.

    Looks are 4 % apart.
    """
    rng = np.random.default_rng([3, seed])
    left, right = uniform(rng, n_arms, 20_000)
    chance = 0.5 + (share - 0.5) * ((left == 0) - 1.0 * (right == 0))
    votes = log(rng, n_arms, left, right, chance)
    found, wrong = [math.inf, math.inf], False
    for n_votes in np.unique(np.geomspace(30, 20_000, 160).astype(int)):
        wins = votes.rows(slice(0, int(n_votes))).head_to_head()
        met = wins + wins.T
        won, tosses = wins.sum(axis=1), met.sum(axis=1)
        leader = int((won / np.maximum(tosses, 1)).argmax())
        parted = is_decided(*simultaneous(won, tosses, 0.05), leader) and bool((tosses >= 30).all())
        best = proved_best(
            wins, won / np.maximum(tosses, 1), 0.05, tosses=(met, wins), classes=[range(n_arms)]
        )
        wrong |= best not in (None, 0)
        for place, decided in enumerate((parted, best is not None)):
            if decided:
                found[place] = min(found[place], float(n_votes))
        if math.isfinite(max(found)):
            break
    return found[0], found[1], wrong


def missing(n_arms: int, lead: float, seed: int) -> Ints:
    """Return at 25, 50 and 75 % of the votes if those that were missing lie in their range.

    0 if they do, -1 if it was proved sooner, 1 if later; nothing where another arm is ahead.
    """
    rng = np.random.default_rng(seed)
    left, right = uniform(rng, n_arms, 30_000)
    chance = 0.5 + lead * ((left == 0) - 1.0 * (right == 0))
    votes, weight = log(rng, n_arms, left, right, chance), np.full(n_arms, 1 / n_arms)

    def open_rivals(n_votes: int) -> list[int]:
        evidence, _ = weigh(votes.rows(slice(0, n_votes)), weight, "independent")
        return [arm for arm in range(1, n_arms) if not evidence.leads(0, 0.05)[arm] > 0]

    looks = np.unique(np.geomspace(100, 30_000, 90).astype(int))
    decided = next((int(n) for n in looks if not open_rivals(int(n))), None)
    found: list[int] = []
    for n_votes in [] if decided is None else [decided // 4, decided // 2, 3 * decided // 4]:
        early, rivals = votes.rows(slice(0, n_votes)), open_rivals(n_votes)
        scores = weigh(early, weight, "independent")[0].scores()
        if np.nanargmax(scores) != 0 or not rivals:
            continue
        candidates = tuple(votes.arms[arm] for arm in [0, *rivals])
        past = SimpleNamespace(decided=False, best=votes.arms[0], candidates=candidates, alpha=0.05)
        said = between(cast(History, past), early, weight, None)
        assert said is not None
        more = (decided or 0) - n_votes
        # Looks are 7 % apart, of which the number is off by half.
        found.append(int(more > 1.03 * said[1]) - int(more < 0.97 * said[0]))
    return np.array(found, dtype=np.int64)


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
