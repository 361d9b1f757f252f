"""What reports prove: the tosses by going through the log, and how often intervals hold."""

from __future__ import annotations

import math

import numpy as np
import pytest

import driftduel as dd
from benchmarks.coverage import favourite, report_holds, report_worlds, tosses_of
from driftduel.learners.driftpoll.guard import LEAST, LEAST_OF_PAIR, chance_of
from driftduel.learners.parts.findings import ALPHA
from driftduel.learners.parts.tally import REIGN
from driftduel.testing.driving import switching_world
from driftduel.votes.sequences import interval, log_evidence
from tests.modes import often
from tests.naive import sequences, tally

TOSSED = {"DriftPoll": tally.tossed_by_poll, "DriftDuel": tally.tossed_by_driftduel}


def play(learner, world, seed=0, ties=0.1):
    """Play through a stream; return the log, and who was best after each round."""
    script = np.random.default_rng(seed)
    log, best = [], []
    for t in range(world.horizon):
        duel = learner.ask()
        outcome = float(script.random() < world.matrix(t)[duel.left, duel.right])
        outcome = 0.5 if not duel.is_vote or script.random() < ties else outcome
        learner.tell(duel, outcome)
        log.append((duel.left, duel.right, duel.ticket, outcome))
        best.append(learner.best())
    return log, best


@pytest.mark.parametrize("name", sorted(TOSSED))
@pytest.mark.parametrize("seed", range(4))
def test_scores_are_shares_of_the_tosses_since_the_last_change(name, seed):
    n_arms = 2 + seed
    learner = dd.all_learners()[name](n_arms, seed=seed)
    log, best = play(learner, switching_world(n_arms, 1500), seed)
    report = learner.report()
    since = report.counted_since
    assert since == learner.episodes[-1]
    assert len(learner.episodes) > 1
    wins, tosses = tally.scores(log[since:], n_arms, TOSSED[name])
    if n_arms == 2:  # a pair is a coin, whoever chose it
        met = tally.pairs(log[since:], 2)
        wins, tosses = [met[0][1], met[1][0]], [int(met[0][1] + met[1][0])] * 2
    number = len(learner.episodes) - 1
    level = 0.6 * ALPHA / ((number + 1) * (number + 2))
    assert report.duels == tuple(tosses)
    for arm in range(n_arms):
        assert report.scores[arm] == (wins[arm] / tosses[arm] if tosses[arm] else None)
        if 0 < tosses[arm] < 100:
            low, high = sequences.interval(wins[arm], tosses[arm], level / n_arms, 2000)
            assert report.intervals[arm] == pytest.approx((low, high), abs=1e-3)
    now, before = tally.leaders(best, REIGN)
    assert (report.best, report.before) == (now, before)


def test_for_condorcet_the_duels_with_the_best_since_the_last_change_count():
    learner = dd.DriftDuel(4, criterion="condorcet", seed=1)
    log, _ = play(learner, switching_world(4, 2500))
    report = learner.report()
    assert len(learner.episodes) == 2
    wins = tally.pairs(log[learner.episodes[-1] :], 4)
    assert (report.scored_against, report.scores[report.best]) == ("the best", None)
    for arm in {0, 1, 2, 3} - {report.best}:
        duels = wins[arm][report.best] + wins[report.best][arm]
        assert report.duels[arm] == duels
        assert report.scores[arm] == pytest.approx(wins[arm][report.best] / duels)
        # The second count of a life; .6 of its level is shared by the pairs of the first arms.
        ends = interval(wins[arm][report.best], duels, 0.6 * ALPHA / (2 * 3) / 6)
        assert report.intervals[arm] == pytest.approx([float(end) for end in ends])


def test_a_poll_trusts_no_pair_in_full_so_tickets_tell_tosses():
    assert 1.0 - chance_of(max(LEAST, LEAST_OF_PAIR)) < 1.0 - 1e-3


@pytest.mark.parametrize("name", sorted(TOSSED))
def test_opponents_of_tosses_are_drawn_at_random(name):
    """The most of 5 opponents in n tosses is within 5 standard deviations of n/5."""
    learner = dd.all_learners()[name](6, seed=1)
    log, _ = play(learner, switching_world(6, 4000))
    met = np.zeros((6, 6))
    for left, right, ticket, _ in log:
        for arm in TOSSED[name](left, right, ticket) if left != right else ():
            met[arm, right if arm == left else left] += 1
    assert (met.sum(axis=1) > 40).sum() >= 2
    for arm in range(6):
        n = met[arm].sum()
        assert abs(np.delete(met[arm], arm) - n / 5).max() <= 5 * math.sqrt(0.16 * n) + 1e-9


@pytest.mark.parametrize("name", sorted(TOSSED))
def test_votes_go_on_counting_when_arms_come_and_go(name):
    """By going through the log: all votes of a pair, and tosses by class of opponents."""
    learner = dd.all_learners()[name](4, seed=1)
    log, _ = play(learner, switching_world(4, 900)[:400])
    learner.change_arms(leave=[3])
    report = learner.report()
    wins, tosses = tally.tables(log, 4, TOSSED[name])
    assert report.counted_since == 0
    for arm in range(3):
        others = [other for other in range(3) if other != arm]
        assert report.duels[arm] == sum(tosses[arm][other][0] for other in others)
        won = sum(tosses[arm][other][1] for other in others)
        assert report.scores[arm] == (won / report.duels[arm] if report.duels[arm] else None)
    assert (report.duels[3], report.scores[3], report.intervals[3]) == (0, None, (0.0, 1.0))
    learner.change_arms(join=[4])
    assert learner.report().apart == (4,)
    if name == "DriftDuel":  # which meets an arm that loses always less than 30 times
        return
    while learner.report().apart:
        duel = learner.ask()
        outcome = 0.5 + 0.5 * np.sign(duel.right - duel.left)
        learner.tell(duel, outcome)
        log.append((duel.left, duel.right, duel.ticket, outcome))
    report = learner.report()
    wins, tosses = tally.tables(log, 5, TOSSED[name])
    for arm in range(3):  # two others that were always there, and one that came
        old = [other for other in range(3) if other != arm]
        n = sum(tosses[arm][other][0] for other in old), wins[arm][4] + wins[4][arm]
        won = sum(tosses[arm][other][1] for other in old), wins[arm][4]
        parts = [(share, s / m) for share, s, m in zip((2, 1), won, n, strict=True) if m]
        shares = sum(share for share, _ in parts)
        score = sum(share * mean for share, mean in parts) / shares if parts else None
        assert report.scores[arm] == pytest.approx(score)
        assert report.duels[arm] == sum(n)
        low, high = report.intervals[arm]
        assert 0 <= low <= (report.scores[arm] or 0.5) <= high <= 1


@pytest.mark.parametrize("name", sorted(TOSSED))
def test_an_arm_that_won_every_duel_is_not_shown_below_that(name):
    learner = dd.all_learners()[name](3, seed=1, labels=["tea", "coffee", "milk"])
    for _ in range(6000):
        duel = learner.ask()
        learner.tell(duel, 0.5 + 0.5 * ((duel.left == 0) - (duel.right == 0)))
    report = learner.report()
    assert report.duels[0] >= 30
    assert (report.scores[0], report.intervals[0][1]) == (1.0, 1.0)
    assert "tea: wins 100% (" in str(report)


def test_a_change_that_is_likely_is_told_before_it_is_proved():
    """Until it is declared, a poll whose leader was replaced never says that nothing changed."""
    told = 0
    for seed in range(12):
        learner = dd.DriftPoll(4, seed=seed)
        script = np.random.default_rng(seed)
        for t in range(2400):
            duel = learner.ask()
            matrix = favourite(4, 0.7, 0 if t < 1200 else 1)
            learner.tell(duel, float(script.random() < matrix[duel.left, duel.right]))
            if t >= 1200 and t % 20 == 0 and learner.best() == 1:
                report = learner.report()
                assert "No change of taste was noticed" not in str(report)
                if report.doubt is not None:
                    told += 1
                    assert report.changes == ()
                    assert "not proved yet." in str(report)
                    assert 500 <= report.doubt <= t
    assert told > 0


RUNS = often(40, 100)
MISSES = often(7, 13)
"""If 5 % of the runs miss, more than so many do with a chance below .1 %."""


@pytest.mark.slow
@pytest.mark.parametrize("kind", [dd.DriftPoll, dd.DriftDuel])
def test_equal_arms_are_seldom_told_apart(kind):
    world = report_worlds(5000)["4 arms, all equal"]
    rows = [report_holds(kind(4), world, seed) for seed in range(RUNS)]
    assert sum(apart for _, apart in rows) <= MISSES
    assert sum(missed for missed, _ in rows) <= MISSES


@pytest.mark.slow
@pytest.mark.parametrize("kind", [dd.DriftPoll, dd.DriftDuel])
@pytest.mark.parametrize("name", ["4 arms, one wins .6", "10 arms in a row"])
def test_intervals_seldom_ever_miss(kind, name):
    world = report_worlds(5000)[name]
    missed = [report_holds(kind(world.n_arms), world, seed)[0] for seed in range(RUNS)]
    assert sum(missed) <= MISSES


@pytest.mark.slow
@pytest.mark.parametrize("kind", [dd.DriftPoll, dd.DriftDuel])
def test_the_old_winners_interval_holds_its_average_while_a_change_is_not_declared(kind):
    world = report_worlds(4000)["4 arms, .6, another from the middle on"]
    missed = 0
    for seed in range(RUNS):
        wins, tosses, sums, _ = tosses_of(kind(4), world, seed)
        some = tosses[:, 0] > 0
        evidence = log_evidence(wins[some, 0], tosses[some, 0], sums[some, 0] / tosses[some, 0])
        missed += bool(np.any(evidence >= math.log(4 / ALPHA)))
    assert missed <= MISSES
