"""What a learner asked and was told, kept in a file, is a log that estimates can use."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import driftduel as dd

ARMS = ("tea", "milk", "water")
CHANCES = np.array([[0.5, 0.7, 0.7], [0.3, 0.5, 0.5], [0.3, 0.5, 0.5]])


def kept(learner, path, rounds):
    """Play, and keep every duel with its propensity as a user would."""
    rng = np.random.default_rng(7)
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["time", "left", "right", "left_won", "propensity"])
        for time in range(rounds):
            duel = learner.ask()
            left, right = duel.left, duel.right
            outcome = float(rng.random() < CHANCES[left, right]) if duel.is_vote else 0.5
            learner.tell(duel, outcome)
            rows.writerow([time, ARMS[left], ARMS[right], outcome, duel.propensity])
    return path


SILENT = {"FixedPair", "Oracle"}
"""They show one arm to itself all the time: nobody votes."""


@pytest.mark.filterwarnings("ignore:.*self-duels? skipped")
@pytest.mark.parametrize("name", sorted(set(dd.all_learners()) - SILENT))
def test_every_learner_keeps_propensities_in_all_rounds_or_in_none(name, tmp_path):
    learner = dd.all_learners()[name](3, 400, seed=1)
    log = dd.read_log(kept(learner, tmp_path / "votes.csv", 40))
    if log.propensity is None:
        with pytest.raises(ValueError, match=r"^the log has no propensities, the probability of"):
            dd.estimate(log)
        assert dd.estimate(log, pairs="independent").assuming is not None
    else:
        assert len(log) == 40
        assert np.all((log.propensity > 0) & (log.propensity <= 1))
        assert dd.estimate(log).assuming is None


def test_intervals_from_a_kept_log_hold_the_truth(tmp_path):
    log = dd.read_log(kept(dd.MetaBosse(3, 2000, seed=2), tmp_path / "votes.csv", 2000), arms=ARMS)
    found = dd.estimate(log)
    truth = dd.Borda().scores(CHANCES)
    assert np.all((found.low <= truth) & (truth <= found.high))
    assert found.best == "tea"
