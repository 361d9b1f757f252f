"""The story of a poll while votes come in: what was looked at before changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from driftduel.votes.likely.growing import Growing

ALL = np.ones(4, dtype=bool)


def some_votes(n, k=4, seed=0, ties=0.1):
    """Arm 0 is best in the first half, arm 1 in the second."""
    rng = np.random.default_rng(seed)
    strength = np.zeros((n, k))
    strength[: n // 2, 0] = strength[n // 2 :, 1] = 1.0
    left = rng.integers(k, size=n)
    right = (left + rng.integers(1, k, size=n)) % k
    gap = strength[np.arange(n), left] - strength[np.arange(n), right]
    won = (rng.random(n) < 1 / (1 + np.exp(-gap))).astype(float)
    won[rng.random(n) < ties] = 0.5
    return left, right, won, np.arange(n, dtype=float)


def first(votes, n):
    return [part[:n] for part in votes]


def same(one, other):
    np.testing.assert_array_equal(one.samples, other.samples)
    np.testing.assert_array_equal(one.filtered.chances, other.filtered.chances)
    assert one.filtered.evidence == other.filtered.evidence
    return True


@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_who_looks_first_sees_what_those_see_who_looked_before(ties):
    votes = some_votes(700, ties=ties)
    growing = Growing()
    for n in (1, 2, 40, 41, 130, 500, 501, 699, 700):
        story = growing.tell(*first(votes, n), 4, [(0.0, ALL)])
    assert same(story, Growing().tell(*votes, 4, [(0.0, ALL)]))


def test_votes_that_were_taken_back_or_came_late_leave_no_trace():
    votes = some_votes(600)
    growing = Growing()
    growing.tell(*votes, 4, [(0.0, ALL)])
    kept = [np.delete(part, 17) for part in votes]
    assert same(growing.tell(*kept, 4, [(0.0, ALL)]), Growing().tell(*kept, 4, [(0.0, ALL)]))
    assert same(growing.tell(*votes, 4, [(0.0, ALL)]), Growing().tell(*votes, 4, [(0.0, ALL)]))


def test_pausing_and_resuming_forget_nothing():
    votes = some_votes(600)
    growing = Growing()
    before = growing.tell(*votes, 4, [(0.0, ALL)])
    assert before.now == 1
    paused = growing.tell(*votes, 4, [(0.0, ALL), (600.0, np.arange(4) != 1)])
    assert paused.now != 1
    assert paused.p_best[-1, 1] == 0
    np.testing.assert_array_equal(paused.p_best[:-1], before.p_best)
    assert paused.bins.first[-1] == 600.0
    back = growing.tell(*votes, 4, [(0.0, ALL), (600.0, np.arange(4) != 1), (601.0, ALL)])
    np.testing.assert_array_equal(back.samples[:, :-1], before.samples)
    np.testing.assert_array_equal(back.p_best[-1], before.p_best[-1])


def test_an_option_that_joins_takes_nothing_from_what_is_known_of_others():
    votes = some_votes(600)
    growing = Growing()
    before = growing.tell(*votes, 4, [(0.0, ALL)])
    joined = [(0.0, np.arange(5) < 4), (600.0, np.ones(5, dtype=bool))]
    after = growing.tell(*votes, 5, joined)
    assert after.n_arms == 5
    assert 0 < after.p_best[-1, 4] < 0.5  # it may be the best, as nothing is known of it
    assert after.p_best[-2, 4] == 0  # and was not there before
    ahead = before.p_beats()[1, [0, 2, 3]]
    np.testing.assert_allclose(after.p_beats()[1, [0, 2, 3]], ahead, atol=0.1)
    assert np.isfinite(after.bands_in(-1)).all()


def test_an_option_is_best_only_while_it_is_on_offer():
    votes = some_votes(600)
    offers = [(0.0, ALL), (300.0, np.arange(4) != 0)]
    story = Growing().tell(*votes, 4, offers)
    assert story.bins.offered[0].all()
    assert not story.bins.offered[-1, 0]
    assert story.best[:, -1].max() <= 3
    assert (story.best[:, -1] != 0).all()


def test_a_circle_gets_effects_of_pairs():
    """0 beats 1, 1 beats 2 and 2 beats 0 in 9 of 10 votes: one number an option is too little."""
    rng = np.random.default_rng(0)
    n = 900
    left = rng.integers(3, size=n)
    right = (left + 1) % 3
    won = (rng.random(n) < 0.9).astype(float)
    story = Growing().tell(left, right, won, np.arange(float(n)), 3, [(0.0, ALL[:3])])
    assert story.filtered.layout.paired
    assert story.chances_in(-1)[:, [0, 1, 2], [1, 2, 0]].mean() > 0.8


def test_one_vote_says_little_and_all_options_have_a_band():
    one = [np.array([0]), np.array([1]), np.array([1.0]), np.array([0.0])]
    story = Growing().tell(*one, 4, [(0.0, ALL)])
    assert story.now == 0
    assert story.p_best[-1, 0] < 0.6
    low, high = story.bands_in(-1)[1:]
    assert (low < 0.5).all()
    assert (high > 0.5).all()
