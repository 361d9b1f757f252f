"""What the votes of a poll prove at every look."""

from __future__ import annotations

import numpy as np

from driftduel.arena.proofs import ProofCache, looked_at
from driftduel.arena.replica import Cast
from driftduel.votes.log import Log
from driftduel.votes.proof.changes import turns


def cast(n, turn, seed=0):
    """Two options, numbered 7 and 3; the first wins 80 % until it turns."""
    rng = np.random.default_rng(seed)
    swapped = rng.random(n) < 0.5
    left, right = np.where(swapped, 3, 7), np.where(swapped, 7, 3)
    first = rng.random(n) < np.where(np.arange(n) < turn, 0.8, 0.2)
    outcome = np.where(swapped, 1.0 - first, first).astype(float)
    return of_one_era(left, right, outcome, np.zeros(n, int), 2)


def of_one_era(left, right, outcome, tossed, arms):
    n = len(left)
    known = np.array([[arms, arms]])
    return Cast(left, right, outcome, 1_000_000 * np.arange(n), tossed, np.zeros(n, int), known)


def first(votes, n):
    return Cast(*(column[:n] for column in votes[:-1]), votes.known)


def test_a_pair_that_turns_is_proved_and_stays_so_with_more_votes():
    votes = cast(1500, 600)
    seen = []
    for n in (300, 600, 700, 1000, 1500):
        found = ProofCache().prove(first(votes, n), [7, 3])
        seen.append(found)
    assert [len(found.turned) for found in seen] == [0, 0, 1, 1, 1]
    (turn,) = seen[-1].turned
    assert seen[2].turned == seen[3].turned == (turn,)
    assert (turn.kind, turn.option, turn.other) == ("turned", 0, 1)
    assert 580e6 <= turn.likeliest.value <= 620e6 <= turn.proved.value <= 700e6
    assert seen[-1].drifted is not None


def test_tastes_that_never_change_prove_nothing():
    """20 logs; one of them proves a change with probability .05 at most, so two seldom do."""
    wrong = 0
    for seed in range(20):
        found = ProofCache().prove(cast(600, 10**9, seed), [7, 3])
        wrong += bool(found.turned) or found.drifted is not None
    assert wrong == 0


def test_votes_that_count_otherwise_are_looked_at_again():
    cache, votes = ProofCache(), cast(1000, 500)
    found = cache.prove(votes, [7, 3])
    assert cache.prove(votes, [7, 3]) is found
    assert cache.prove(cast(1000, 10**9), [7, 3]).turned == ()


def test_few_votes_are_all_looked_at_and_most_of_many():
    assert looked_at(99) == 0
    for n in (100, 999, 5000, 123_456):
        assert 0.99 * n <= looked_at(n) <= n


def test_polls_of_rules_3_hear_what_pairs_prove_alone():
    """Three options; the first falls against both others, so its tosses prove it before a pair."""
    rng = np.random.default_rng(3)
    n = 1200
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    late = np.arange(n) >= 600
    chance = np.where(left == 0, np.where(late, 0.3, 0.7), 0.5)
    chance = np.where(right == 0, np.where(late, 0.7, 0.3), chance)
    outcome = (rng.random(n) < chance).astype(float)
    votes = of_one_era(left, right, outcome, np.full(n, 3), 3)
    cache = ProofCache()
    both = cache.prove(votes, [0, 1, 2]).turned
    pairs = cache.prove(votes, [0, 1, 2], by_tosses=False).turned
    log = Log(["a", "b", "c"], np.arange(n), left, right, outcome)
    assert [one.kind for one in both] == ["fell"]
    assert [(one.kind, one.option, one.other) for one in pairs] == [
        (one.kind, one.arm, one.other) for one in turns(log)[0]
    ]
    assert {one.kind for one in pairs} == {"turned"}
