"""Files of votes that try to make an analysis say more than they prove."""

from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.votes import Log, cautions
from driftduel.votes.analyses import analyse
from driftduel.votes.histories import history
from tests.votes.test_estimates import ladder, sampled, without
from tests.votes.test_histories import one_ahead

EVEN = np.full((3, 3), 0.5)


def pairs_of(rng, n, n_arms):
    left = rng.integers(n_arms, size=n)
    return left, (left + rng.integers(1, n_arms, size=n)) % n_arms


def votes_by(rng, worth, left, right):
    """Outcomes by Bradley-Terry; worth is (K,) or of each vote, (n, K)."""
    worth = np.broadcast_to(worth, (len(left), np.shape(worth)[-1]))
    row = np.arange(len(left))
    return rng.random(len(left)) < 1 / (1 + np.exp(worth[row, right] - worth[row, left]))


def said(found):
    return " ".join(found.sentences)


def test_votes_that_are_there_twenty_times_are_noticed():
    rng = np.random.default_rng(1)
    left, right = pairs_of(rng, 60, 3)
    outcome = rng.random(60) < 0.5
    columns = (np.repeat(part, 20) for part in (np.arange(60), left, right, outcome))
    found = analyse(Log(["a", "b", "c"], *columns))
    assert "Beware: votes of a pair agree with the next one in 9" in said(found)
    assert "Some votes may be there more than once" in said(found)


@pytest.mark.parametrize("copies", [2, 3])
def test_votes_that_are_there_a_few_times_are_noticed(copies):
    rng = np.random.default_rng(2)
    left, right = pairs_of(rng, 1500, 3)
    outcome = rng.random(1500) < 0.5
    columns = (np.repeat(part, copies) for part in (np.arange(1500), left, right, outcome))
    assert cautions.copies(Log(["a", "b", "c"], *columns)) is not None


@pytest.mark.parametrize("kind", ["still", "a change", "a season", "days in order of outcomes"])
def test_votes_that_are_there_once_are_not_suspected(kind):
    """None in 60 logs; a limit of 5 standard errors is passed with probability 1e-5 in all."""
    for seed in range(15):
        rng = np.random.default_rng(seed)
        n = 3000
        left, right = pairs_of(rng, n, 3)
        time = np.arange(n)
        wave = {"still": 0 * time, "a change": np.where(time < n / 2, 1.5, -1.5)}.get(
            kind, 0.8 * np.sin(time / n * 24 * np.pi)
        )
        outcome = votes_by(rng, np.stack([wave, -wave, 0 * wave], axis=1), left, right)
        if kind == "days in order of outcomes":
            time = time // 150
            order = np.lexsort((outcome, right, left, time))
            time, left, right, outcome = (part[order] for part in (time, left, right, outcome))
        assert cautions.copies(Log(["a", "b", "c"], time, left, right, outcome)) is None


def test_few_votes_ties_and_counts_are_not_suspected():
    few = Log(["a", "b"], range(20), [0] * 20, [1] * 20, [1] * 20)
    ties = Log(["a", "b"], range(90), [0] * 90, [1] * 90, [0.5] * 90)
    counted = Log(["a", "b"], range(90), [0] * 90, [1] * 90, [1, 0, 0] * 30, [7] * 90)
    apart = Log(list("abcdefgh"), range(56), np.repeat(range(8), 7), np.tile(range(7), 8), [1] * 56)
    assert [cautions.copies(log) for log in (few, ties, counted, apart)] == [None] * 4


def test_an_arm_that_left_is_not_called_best():
    rng = np.random.default_rng(3)
    worth = np.array([0.3, 0.0, -0.3, 1.5])
    early, late = pairs_of(rng, 1200, 4), pairs_of(rng, 800, 3)
    left, right = (np.concatenate(part) for part in zip(early, late, strict=True))
    outcome = votes_by(rng, worth, left, right)
    found = analyse(Log(["a", "b", "c", "gone"], np.arange(2000), left, right, outcome))
    assert found.to_dict()["best"] == "a"
    assert "gone" not in found.to_dict()["candidates"]
    assert "gone" not in [row["arm"] for row in found.to_dict()["scores"]]
    last = max(np.flatnonzero((left == 3) | (right == 3)))
    assert found.to_dict()["left"] == {"gone": last}
    words = f"gone is left out of who is best now: its last vote was at time {last}."
    assert words in found.sentences
    assert "gone" in found.history.bands["arm"].to_list()
    assert {"gone", "a"} in [{pair["first"], pair["second"]} for pair in found.to_dict()["pairs"]]
    assert found.to_dict()["condorcet"]["winner"] == "a"


def test_who_is_shown_seldom_by_a_learner_has_not_left():
    log = sampled(np.random.default_rng(4), 2400, EVEN)
    log = log.rows((log.time < 800) | ((log.left != 2) & (log.right != 2)))
    assert cautions.gone(log) == {}
    assert list(cautions.gone(without(log))) == ["arm 2"]


def test_who_comes_late_is_best_since_then():
    rng = np.random.default_rng(5)
    early, late = pairs_of(rng, 1500, 3), pairs_of(rng, 1000, 4)
    left, right = (np.concatenate(part) for part in zip(early, late, strict=True))
    outcome = votes_by(rng, np.array([0.3, 0.0, -0.3, 1.5]), left, right)
    found = analyse(Log(["a", "b", "c", "new"], np.arange(2500), left, right, outcome))
    first = min(np.flatnonzero((left == 3) | (right == 3)))
    assert (found.to_dict()["best"], found.to_dict()["since"]) == ("new", first)
    assert f"new is in the votes since time {first};" in said(found)
    assert f"new is best on average since time {first}." in said(found)
    assert "of its votes against one of a, b and c." in said(found)


def test_ties_alone_put_nobody_ahead():
    left, right = pairs_of(np.random.default_rng(6), 400, 3)
    found = analyse(Log(["a", "b", "c"], np.arange(400), left, right, np.full(400, 0.5)))
    assert found.to_dict()["best"] is None
    assert found.proved[0] == "Nobody is ahead: a, b and c are level."
    assert not found.to_dict()["decided"]


def test_votes_of_one_time_say_nothing_of_changes():
    log = without(sampled(np.random.default_rng(7), 600, ladder(3, 0.2)))
    found = analyse(Log(log.arms, np.zeros(600), log.left, log.right, log.outcome))
    assert "All votes are of one time, so they cannot show a change." in found.sentences
    assert found.to_dict()["changes"] == []


def test_an_arm_that_profits_from_its_side_is_named():
    rng = np.random.default_rng(8)
    left, right = pairs_of(rng, 2000, 3)
    turned = right == 0
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    found = analyse(Log(["a", "b", "c"], np.arange(2000), left, right, rng.random(2000) < 0.65))
    assert found.to_dict()["best"] == "a"
    assert found.to_dict()["side"]["suspect"]
    assert "a was on the left in 100% of its votes, where options win more often" in said(found)
    assert found.to_dict()["side"]["taste"]["low"] < 0.15 < found.to_dict()["side"]["taste"]["high"]
    fair = analyse(without(sampled(np.random.default_rng(9), 2000, one_ahead(3, 0, 0.2))))
    assert not fair.to_dict()["side"]["suspect"]


def test_a_drift_that_leaves_the_leader_shows_no_change():
    """Of 40 logs without another leader 7 or more show one with probability 1e-3 at .05 each."""
    shown = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        left, right = pairs_of(rng, 2000, 4)
        part = np.linspace(0, 1, 2000)
        worth = np.stack([1.2 - 0.9 * part, 0 * part, -0.2 + 0 * part, -0.6 + 0.7 * part], axis=1)
        log = Log(list("abcd"), np.arange(2000), left, right, votes_by(rng, worth, left, right))
        shown += bool(analyse(log).to_dict()["changes"])
    assert shown <= 6


def test_an_order_of_votes_by_arms_shows_no_change():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        left, right = pairs_of(rng, 2000, 4)
        order = np.lexsort((np.maximum(left, right), np.minimum(left, right)))
        left, right = left[order], right[order]
        outcome = votes_by(rng, np.array([0.4, 0.2, 0.0, -0.6]), left, right)
        assert (
            analyse(Log(list("abcd"), np.arange(2000), left, right, outcome)).to_dict()["changes"]
            == []
        )


def test_very_few_votes_do_not_tell_how_many_more_it_takes():
    found = analyse(Log(["a", "b"], [1, 2], [0, 1], [1, 0], [1, 0]))
    assert found.proved[0] == "After 2 votes it is too early to name a leader."


def test_propensities_that_are_too_small_are_refused():
    """They would make few votes weigh much."""
    log = sampled(np.random.default_rng(10), 600, EVEN)
    small = Log(*columns_of(log), propensity=np.full(600, 0.01))
    with pytest.raises(ValueError, match=r"^the propensities are wrong: arm \d was shown more of"):
        history(small)
    with pytest.raises(ValueError, match=r'correct them, or assume something else, as pairs="ind'):
        analyse(small)
    assert analyse(Log(*columns_of(log))).to_dict()["doubts"] == {}
    assert analyse(log).to_dict()["doubts"] == {}


def test_pairs_that_are_not_uniform_are_refused_as_such():
    log = sampled(np.random.default_rng(11), 3000, EVEN)
    often = log.rows((log.left == 0) | (log.right == 0) | (log.time % 10 == 0))
    with pytest.raises(
        ValueError, match=r"^pairs is 'uniform', but they were not: arm 0 was shown"
    ):
        history(Log(*columns_of(often)), pairs="uniform")


def columns_of(log):
    return log.arms, log.time, log.left, log.right, log.outcome


def test_an_arm_that_met_only_some_is_said_to_have_no_score():
    rng = np.random.default_rng(12)
    left, right = np.array([[0, 1], [1, 0], [1, 2], [2, 1]])[rng.integers(4, size=2000)].T
    outcome = votes_by(rng, np.array([0.8, 0.0, 0.0]), left, right)
    arms, time = ["arm 0", "arm 1", "arm 2"], np.arange(2000)
    found = analyse(Log(arms, time, left, right, outcome, propensity=np.full(2000, 0.25)))
    assert "arm 0" in found.to_dict()["doubts"]
    text = said(found)
    assert "No overlap: these votes cannot tell the score of arm 0, which never met arm 2." in text
    row = next(row for row in found.to_dict()["scores"] if row["arm"] == "arm 0")
    assert row["score"] is row["score_against_others"] is None
    assert row["low"] < row["high"]
    if not found.to_dict()["decided"]:
        assert found.to_dict()["best"] != "arm 0"


def test_a_learner_that_serves_the_leader_alone_claims_little():
    rng = np.random.default_rng(13)
    learner, rows = dd.DriftDuel(4, seed=1), []
    for time in range(1500):
        duel = learner.ask()
        outcome = float(rng.random() < 0.5) if duel.is_vote else 0.5
        learner.tell(duel, outcome)
        rows.append((time, duel.left, duel.right, outcome, duel.propensity))
    *columns, chance = (np.array(part) for part in zip(*rows, strict=True))
    found = analyse(Log(list("abcd"), *columns, propensity=chance))
    assert not found.to_dict()["decided"]
    assert found.to_dict()["changes"] == []


def test_a_leader_who_is_shown_left_more_often_is_not_suspected_without_a_taste():
    rng = np.random.default_rng(14)
    left, right = pairs_of(rng, 3000, 3)
    turned = (right == 0) & (rng.random(3000) < 0.5)
    left, right = np.where(turned, right, left), np.where(turned, left, right)
    outcome = votes_by(rng, np.array([1.0, 0.0, 0.0]), left, right)
    side = analyse(Log(["a", "b", "c"], np.arange(3000), left, right, outcome)).to_dict()["side"]
    assert side["low"] > 0.5
    assert side["shown_left"] > 0.7
    assert side["taste"]["low"] < 0 < side["taste"]["high"]
    assert not side["suspect"]


def test_a_taste_for_a_side_misses_as_seldom_as_it_says():
    """Of 200 logs 21 or more miss with probability 1e-3 if each does with .05."""
    missed = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        left, right = pairs_of(rng, 300, 3)
        log = Log(["a", "b", "c"], np.arange(300), left, right, rng.random(300) < 0.6)
        taste = cautions.side(log, None, 0.05).taste
        missed += not taste.low <= 0.1 <= taste.high
    assert missed <= 20


def test_pairs_in_one_order_tell_no_taste():
    log = Log(["a", "b"], range(50), [0] * 50, [1] * 50, [1] * 50)
    found = cautions.side(log, "a", 0.05)
    assert (found.taste, found.suspect, found.shown_left) == (None, True, 1.0)
