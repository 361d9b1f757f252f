"""Evidence that tastes drifted: against the definition, and that still tastes are left alone."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.verdict.always import drifted
from driftduel.verdict.moments import Moment
from driftduel.verdict.parts import Clock, plain
from driftduel.verdict.proved import Drifted
from driftduel.votes.proof.drift import drift
from driftduel.votes.shuffling import Shuffler
from driftduel.worlds import datasets
from tests.modes import COMPILED
from tests.naive import drift as naive

votes = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(0, 2), st.integers(1, 2), st.sampled_from([0.0, 0.5, 1.0])
    ),
    min_size=1,
    max_size=25,
).map(lambda rows: sorted((t, a, (a + d) % 3, x) for t, a, d, x in rows))


def _log(rows, **others):
    times, left, right, outcome = zip(*rows, strict=True)
    return dd.Log(["a", "b", "c"], times, left, right, outcome, **others)


@settings(max_examples=40, deadline=None)
@given(votes, st.booleans())
def test_the_evidence_is_that_of_the_definition(rows, sides):
    expected = naive.log_evidence(rows, 3, sides=sides)
    found = drift(_log(rows, sides=sides))
    assert found.log_evidence == pytest.approx(expected[-1], abs=1e-9)
    assert found.most == pytest.approx(max(expected), abs=1e-9)


@given(votes)
@settings(max_examples=20, deadline=None)
def test_which_side_a_row_names_first_is_no_matter_where_sides_are_unknown(rows):
    turned = [(t, b, a, 1 - x) if n % 2 else (t, a, b, x) for n, (t, a, b, x) in enumerate(rows)]
    found = [drift(_log(one, sides=False)).log_evidence for one in (rows, turned)]
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def _turning(seed, n_votes, share):
    rng = np.random.default_rng(seed)
    left = rng.integers(3, size=n_votes)
    right = (left + rng.integers(1, 3, size=n_votes)) % 3
    best = np.where(np.arange(n_votes) < n_votes / 2, 0, 1)
    wins = 0.5 + (share - 0.5) * ((left == best) - 1.0 * (right == best))
    return dd.Log(["a", "b", "c"], np.arange(n_votes), left, right, rng.random(n_votes) < wins)


def test_a_drift_is_proved_and_the_same_votes_with_shuffled_dates_prove_none():
    log = _turning(1, 1200, 0.8)
    found = drift(log)
    assert 600 < found.proved < 900
    assert not found.of_strengths
    for seed in range(5):
        shuffled = drift(Shuffler(log).shuffled(np.random.default_rng(seed)))
        assert shuffled.proved is None
        assert shuffled.most < math.log(20)


@pytest.mark.once
def test_still_tastes_are_proved_to_drift_no_more_often_than_the_level_says():
    """Seed 3: 200 logs of 3 to 5 arms, ties and an advantage of the left; the next pair is that
    of the arms that won most so far. At .05 a log, more than 27 fail for one seed in 10,000."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(200 if COMPILED else 20):
        n_arms = int(rng.integers(3, 6))
        means = 0.3 + 0.4 * rng.random((n_arms, n_arms))
        won = np.zeros(n_arms)
        rows = []
        for time in range(150):
            first, second = np.argsort(-won - rng.random(n_arms) * 5)[:2]
            outcome = rng.choice([0.5, float(rng.random() < means[first, second])], p=[0.2, 0.8])
            won[first] += outcome
            won[second] += 1 - outcome
            rows.append((time, first, second, outcome))
        times, left, right, outcomes = zip(*rows, strict=True)
        log = dd.Log(list("abcde")[:n_arms], times, left, right, outcomes)
        found = drift(log)
        wrong += found.proved is not None and not found.of_strengths
    assert wrong <= 27


def test_where_pairs_met_seldom_drift_is_proved_if_strengths_alone_tell_who_wins():
    rng = np.random.default_rng(4)
    n_arms, n_votes = 30, 3000
    left = rng.integers(n_arms, size=n_votes)
    right = (left + rng.integers(1, n_arms, size=n_votes)) % n_arms
    strength = np.linspace(-2, 2, n_arms)
    turned = np.where(np.arange(n_votes) < n_votes / 2, 1, -1)
    odds = strength[left] - strength[right]
    names, times = [f"arm {n}" for n in range(n_arms)], np.arange(n_votes)

    def log(odds):
        return dd.Log(names, times, left, right, rng.random(n_votes) < 1 / (1 + np.exp(-odds)))

    found = drift(log(turned * odds))
    assert found.of_strengths
    assert 1500 < found.proved < 2500
    assert found.most < math.log(20)  # not against all constant means
    assert drift(log(odds)).proved is None


def test_who_beats_whom_in_a_circle_is_no_drift():
    rng = np.random.default_rng(5)
    left = rng.integers(3, size=3000)
    right = (left + rng.integers(1, 3, size=3000)) % 3
    outcome = rng.random(3000) < np.where((right - left) % 3 == 1, 0.9, 0.1)
    assert drift(dd.Log(["a", "b", "c"], np.arange(3000), left, right, outcome)).proved is None


def test_an_arm_that_always_wins_is_no_drift():
    # Constant strengths have no largest likelihood here; its bound has to hold all the same.
    log = dd.Log(["a", "b", "c"], np.arange(90), [0, 1, 2] * 30, [1, 2, 0] * 30, [1, 1, 0] * 30)
    assert drift(log).proved is None


def test_votes_without_times_or_of_one_time_prove_nothing():
    outcome = [1] * 50 + [0] * 50
    for time in (None, [3] * 100):
        assert drift(dd.Log(["a", "b"], time, [0] * 100, [1] * 100, outcome)).proved is None


def test_a_row_of_many_votes_counts_as_that_many_rows():
    rows = [(n, 0, 1, float(n < 5)) for n in range(10)]
    once = _log([row for row in rows for _ in range(8)])
    found, expected = drift(_log(rows, count=[8] * 10)), drift(once)
    assert found.proved == expected.proved is not None
    assert found.log_evidence == pytest.approx(expected.log_evidence, abs=1e-9)


def test_serves_count_as_nothing():
    rows = [(n, 0, 1, float(n < 30)) for n in range(60)]
    served = [one for row in rows for one in (row, (row[0], 2, 2, 0.5))]
    assert drift(_log(served)) == drift(_log(rows))


@pytest.mark.once
def test_the_american_league_drifted():
    log = datasets.american_league_log()
    found = drift(log)
    assert str(found.proved) == "1912-07-27"
    assert not found.of_strengths
    assert drift(Shuffler(log).shuffled(np.random.default_rng(0))).most < 0


def test_a_level_that_is_none_is_refused():
    with pytest.raises(ValueError, match="alpha"):
        drift(_log([(0, 0, 1, 1.0)]), alpha=0)


def test_what_is_proved_of_drift_stands_in_the_verdict_and_beside_the_shuffles():
    log = _turning(1, 1200, 0.8)
    proved = drift(log).proved
    said = f"That tastes drifted is proved since time {proved:.0f}, however often somebody looked."
    found = dd.history(log)
    assert said in str(found)
    assert found.standing.to_dict()["drifted"] == {"proved": proved, "of_strengths": False}
    assert dd.measure_log(log, bandwidth=100.0, shuffles=1).says.endswith(said)
    still = Shuffler(log).shuffled(np.random.default_rng(0))
    assert "That tastes drifted" not in str(dd.history(still))


def test_drift_that_no_moving_world_explains_is_said_with_its_assumption():
    one = Drifted(proved=Moment.of(3.0), of_strengths=True)
    assert plain(drifted(one, Clock("day", "vote"))) == (
        "That tastes drifted is proved since time 3, however often somebody looked, if strengths "
        "alone tell who beats whom."
    )
