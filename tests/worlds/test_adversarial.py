"""Adversarial worlds: who wins when, what their duels tell, and what is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel.matrix.preferences import condorcet_winners
from driftduel.worlds import adversarial

properties = settings(max_examples=60, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32)


def borda_winner(matrix):
    return int(matrix.mean(axis=1).argmax())


@properties
@given(st.integers(3, 12), st.integers(2, 500), st.floats(0, 1), seeds, st.data())
def test_a_hidden_rise_makes_another_borda_winner_and_no_duel_of_the_old_one_tells(
    n_arms, horizon, at, seed, data
):
    rise = data.draw(st.floats(0.1, 0.5))
    margin = data.draw(st.floats(0.01, 0.9)) * rise * (n_arms - 2) / n_arms
    stream = adversarial.hidden_rise(
        n_arms=n_arms, horizon=horizon, margin=margin, rise=rise, at=at, seed=seed
    )
    start = max(1, round(at * horizon))
    assert stream.starts.tolist() == ([0, start] if start < horizon else [0])
    first, last = stream.matrix(0), stream.matrix(horizon - 1)
    old = borda_winner(first)
    assert (first[old] == last[old]).all()
    assert condorcet_winners(last).tolist() == condorcet_winners(first).tolist() == [old]
    assert (borda_winner(last) != old) == (start < horizon)


@properties
@given(st.integers(3, 12), st.data(), seeds)
def test_a_spoiler_beats_all_but_the_winner_and_nothing_changes(n_arms, data, seed):
    n_spoilers = data.draw(st.integers(1, n_arms - 2))
    stream = adversarial.spoilers(n_arms=n_arms, n_spoilers=n_spoilers, seed=seed)
    matrix = stream.matrix(0)
    (winner,) = condorcet_winners(matrix)
    assert np.count_nonzero(matrix[winner] == 0.7) == n_spoilers
    assert np.count_nonzero(matrix[winner] == 0.52) == n_arms - 1 - n_spoilers
    assert np.count_nonzero(matrix == 0.9) == n_spoilers * (n_arms - 1 - n_spoilers)
    assert stream.n_stretches == 1


@properties
@given(st.integers(3, 12), seeds)
def test_a_dear_challenger_beats_the_borda_winner_alone(n_arms, seed):
    matrix = adversarial.dear_challenger(n_arms=n_arms, seed=seed).matrix(0)
    winner = borda_winner(matrix)
    (challenger,) = np.flatnonzero(matrix[:, winner] > 0.5)
    assert matrix[challenger, winner] == 0.515
    others = [arm for arm in range(n_arms) if arm not in (winner, challenger)]
    assert matrix[challenger, others] == pytest.approx(0.4)
    assert matrix[winner, others] == pytest.approx(0.8)


@properties
@given(st.integers(2, 9), st.integers(1, 200), st.integers(1, 60), seeds)
def test_the_order_of_the_others_changes_and_the_winner_stays(n_arms, horizon, every, seed):
    stream = adversarial.others_change(n_arms=n_arms, horizon=horizon, every=every, seed=seed)
    # Where the same order is drawn again there is no change.
    assert set(stream.starts.tolist()) <= set(range(0, horizon, every))
    winner = borda_winner(stream.matrix(0))
    for start in stream.starts:
        matrix = stream.matrix(int(start))
        assert borda_winner(matrix) == winner
        assert (np.delete(matrix[winner], winner) == 0.6).all()
        others = np.delete(np.delete(matrix, winner, 0), winner, 1)
        assert sorted((others > 0.5).sum(axis=1).tolist()) == list(range(n_arms - 1))


@properties
@given(st.integers(2, 9), st.integers(1, 300), st.integers(1, 60), st.floats(0, 1), seeds)
def test_two_arms_take_turns_after_a_calm(n_arms, horizon, every, calm, seed):
    stream = adversarial.late_start(
        n_arms=n_arms, horizon=horizon, calm=calm, every=every, seed=seed
    )
    begin = max(1, round(calm * horizon))
    assert stream.starts.tolist() == [0, *range(begin, horizon, every)]
    winners = [borda_winner(stream.matrix(int(start))) for start in stream.starts]
    assert all(one != two for one, two in pairwise(winners))
    assert len(set(winners)) == min(2, len(winners))


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        ("hidden_rise", {"n_arms": 2}, "n_arms is 2, must be at least 3"),
        ("hidden_rise", {"n_arms": 3, "rise": 0.3}, "rise is 0.3, must be above 0.3 for the Borda"),
        ("hidden_rise", {"at": 1.5}, "at is 1.5, must be between 0 and 1"),
        ("spoilers", {"n_arms": 4, "n_spoilers": 3}, "n_spoilers is 3, must be at most 2"),
        ("spoilers", {"over": 0.6}, "over is 0.6, must be between 0 and 0.5"),
        (
            "dear_challenger",
            {"n_arms": 3, "margin": 0.3, "lead": 0.2},
            "lead is 0.2, must be above 0.5 for it to be the Borda winner",
        ),
        ("others_change", {"step": 0.2}, "step is 0.2, must be below 0.125 for the winner to stay"),
        ("others_change", {"every": 0}, "every is 0, must be at least 1"),
        ("late_start", {"calm": -1}, "calm is -1, must be between 0 and 1"),
    ],
)
def test_it_refuses(world, parameters, message):
    with pytest.raises(ValueError, match=message):
        getattr(adversarial, world)(**parameters)
