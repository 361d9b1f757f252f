"""Votes weighed by how far voters agree: by the likelihood, and never for the other side."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from driftduel.votes import Log
from driftduel.votes.reliability import weigh_voters
from tests.naive import reliability as naive


def log_of(rng, n, voters, truthful, outcomes=(0.0, 1.0)):
    strengths = np.array([1.2, 0.3, -0.5])
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    who = rng.integers(voters, size=n)
    chance = 1 / (1 + np.exp(strengths[right] - strengths[left]))
    means = truthful[who]
    won = (rng.random(n) < means * chance + (1 - means) * (1 - chance)).astype(float)
    if 0.5 in outcomes:
        won[rng.random(n) < 0.2] = 0.5
    extras = pl.DataFrame({"voter": [f"v{one}" for one in who]})
    return Log([*"abc"], np.arange(n), left, right, won, extras=extras)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_where_the_likelihood_is_highest(seed):
    rng = np.random.default_rng(seed)
    log = log_of(rng, 60, 4, np.array([0.95, 0.9, 0.8, 0.5]), (0.0, 0.5, 1.0))
    found = weigh_voters(log)
    place = {name: n for n, name in enumerate(found.voters)}
    who = [place[one] for one in log.extras["voter"].to_list()]
    votes = []
    for left, right, won, voter in zip(log.left, log.right, log.outcome, who, strict=True):
        votes += [(left, right, voter, won), (right, left, voter, 1 - won)]
    s, r = naive.climbed(votes, [0.1, 0.0, -0.1], [0.9] * len(place))
    assert found.weighed == pytest.approx(naive.scores(s), abs=2e-3)
    assert found.reliability == pytest.approx(r, abs=5e-3)


def test_who_clicks_at_random_counts_for_little_and_the_rest_as_before():
    rng = np.random.default_rng(5)
    truthful = np.array([1.0] * 12 + [0.5] * 3)
    log = log_of(rng, 3_000, 15, truthful)
    found = weigh_voters(log)
    by_name = dict(zip(found.voters, found.reliability, strict=True))
    assert max(by_name[f"v{n}"] for n in (12, 13, 14)) < min(by_name[f"v{n}"] for n in range(12))
    alone = weigh_voters(log.rows(~log.extras["voter"].is_in(["v12", "v13", "v14"]).to_numpy()))
    assert np.abs(found.weighed - alone.plain).max() < np.abs(found.plain - alone.plain).max()


def test_who_votes_the_other_way_counts_for_nobody_and_not_for_the_other_side():
    rng = np.random.default_rng(6)
    log = log_of(rng, 2_000, 10, np.array([1.0] * 8 + [0.0] * 2))
    found = weigh_voters(log)
    assert found.reliability.min() == 0.5


def test_a_voter_of_few_votes_is_believed():
    extras = pl.DataFrame({"voter": ["one"] * 40 + ["two"]})
    log = Log([*"ab"], np.arange(41), [0] * 41, [1] * 41, [1.0] * 40 + [0.0], extras=extras)
    found = weigh_voters(log)
    assert found.reliability[1] > 0.7
    assert found.best == ("a", "a")


def test_a_log_without_voters_is_refused():
    log = Log([*"ab"], [0], [0], [1], [1.0])
    with pytest.raises(ValueError, match="no column of the log"):
        weigh_voters(log)
