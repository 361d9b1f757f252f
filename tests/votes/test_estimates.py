"""Estimates from logs: by the definitions, and what they cannot tell."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from benchmarks import estimates as benchmark
from driftduel.votes import Log
from driftduel.votes.pairwise import PairwiseMeans
from driftduel.votes.weighted import WeightedVotes
from tests.naive import estimates as naive
from tests.naive import proofs

CLOSE = {"rel": 1e-6, "abs": 1e-6}
"""The mixture is as sharp as a root by bisection of either side."""


@st.composite
def weights(draw, n_arms):
    parts = draw(st.lists(st.integers(0, 4), min_size=n_arms, max_size=n_arms))
    total = sum(parts)
    return np.array(parts) / total if total else np.full(n_arms, 1 / n_arms)


@st.composite
def logs(draw, served=True):
    """A few votes at times that repeat, with ties, counts, serves and any propensities."""
    n_arms = draw(st.integers(2, 4))
    rows = []
    time = 0
    for _ in range(draw(st.integers(1, 25))):
        time += draw(st.integers(0, 1))
        left = draw(st.integers(0, n_arms - 1))
        right = (left + draw(st.integers(0 if served else 1, n_arms - 1))) % n_arms
        outcome = draw(st.sampled_from([0.0, 0.5, 1.0]))
        chance = draw(st.sampled_from([0.001, 0.05, 0.2, 0.5, 1.0]))
        rows.append((time, left, right, outcome, draw(st.integers(1, 3)), chance))
    rows.append((time + 1, 0, 1, 1.0, 1, 0.25))
    *parts, chances = zip(*rows, strict=True)
    return Log([f"arm {n}" for n in range(n_arms)], *parts, propensity=chances)


COLUMNS = ("arms", "time", "left", "right", "outcome")


@settings(max_examples=150, deadline=None)
@given(st.data(), logs(), st.sampled_from([0.01, 0.05, 0.5]))
def test_weighted_votes_are_those_of_loops(data, log, alpha):
    weight = data.draw(weights(log.n_arms))
    fast = WeightedVotes(log, weight, log.propensity)
    low, high = fast.bounds(alpha)
    doubts = fast.doubts(alpha)
    for arm in range(log.n_arms):
        expected = naive.score(log, weight, arm)
        assert fast.scores()[arm] == pytest.approx(expected, nan_ok=True, **CLOSE)
        assert (low[arm], high[arm]) == pytest.approx(
            naive.bounds(log, weight, arm, alpha), **CLOSE
        )
        leads = fast.leads(arm, alpha)
        assert math.isnan(leads[arm])
        for other in range(log.n_arms):
            if other != arm:
                expected = naive.lead(log, weight, arm, other, alpha)
                assert leads[other] == pytest.approx(expected, **CLOSE)
        often, seldom = naive.doubted(log, weight, arm, alpha)
        assert bool(doubts[arm]) == (often or seldom)
        assert doubts[arm].startswith("the propensities are wrong") == often


@settings(max_examples=150, deadline=None)
@given(st.data(), logs(), st.sampled_from([0.01, 0.05, 0.5]))
def test_means_of_pairs_are_those_of_loops(data, log, alpha):
    weight = data.draw(weights(log.n_arms))
    fast, slow = PairwiseMeans(log, weight), naive.Pairwise(log, weight)
    low, high = fast.bounds(alpha)
    for arm in range(log.n_arms):
        expected = slow.score(arm)
        assert fast.scores()[arm] == pytest.approx(expected, nan_ok=True)
        assert bool(fast.doubts(alpha)[arm]) == math.isnan(expected)
        assert (low[arm], high[arm]) == pytest.approx(slow.bounds(arm, alpha), abs=1e-9)
        for other in range(log.n_arms):
            if other != arm:
                expected = slow.lead(arm, other, alpha)
                assert fast.leads(arm, alpha)[other] == pytest.approx(expected, abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.data(), logs(), st.sampled_from([0.05, 0.9]))
def test_who_is_ahead_by_pairs_is_decided_by_the_gap(data, log, alpha):
    weight, times = data.draw(weights(log.n_arms)), data.draw(st.integers(1, 12))
    fast = PairwiseMeans(Log(*(getattr(log, name) for name in COLUMNS), times * log.count), weight)
    votes = [
        one
        for *one, n in zip(log.left, log.right, log.outcome, times * log.count, strict=True)
        for _ in range(int(n))
        if one[0] != one[1]
    ]
    for arm in range(log.n_arms):
        found = fast.ahead(arm, alpha)
        for other in range(log.n_arms):
            if other != arm:
                lead = proofs.lead(votes, weight, arm, other, pooled=False)
                near = lead == pytest.approx(math.log(log.n_arms / alpha), abs=1e-3)
                assert near or found[other] == (lead > math.log(log.n_arms / alpha))
        assert not found[arm]


def test_the_gap_decides_before_bounds_of_gaps_are_above_0():
    chances = np.full((4, 4), 0.5)
    chances[0, 1:], chances[1:, 0] = 0.7, 0.3
    log = sampled(np.random.default_rng(5), 500, chances)
    found = dd.estimate(without(log), pairs="independent")
    assert found.decided
    assert min(found.gap(0, rival).low for rival in (1, 2, 3)) < 0


def sampled(rng, n, chances, pairs=None):
    """Votes by a matrix; pairs are the probabilities of the ordered pairs, even if left out."""
    k = len(chances)
    if pairs is None:
        pairs = (1 - np.eye(k)) / (k * (k - 1))
    drawn = rng.choice(k * k, n, p=pairs.ravel())
    left, right = np.divmod(drawn, k)
    outcome = rng.random(n) < chances[left, right]
    labels = [f"arm {arm}" for arm in range(k)]
    return Log(labels, np.arange(n), left, right, outcome, propensity=pairs.ravel()[drawn])


def ladder(k, gap=0.15):
    skill = -gap * np.arange(k)
    return np.clip(0.5 + (skill[:, None] - skill[None, :]) / 2, 0.05, 0.95)


def without(log):
    return Log(log.arms, log.time, log.left, log.right, log.outcome, log.count)


def test_scores_are_found_and_the_best_is_proved():
    """4,000 votes, seed 1; a gap of .1 is 12 standard errors, the bounds miss with 5 % at most."""
    chances = ladder(4, 0.2)
    truth = dd.Borda().scores(chances)
    log = sampled(np.random.default_rng(1), 4000, chances)
    for found in (
        dd.estimate(log, dd.Borda()),
        dd.estimate(without(log), "borda", pairs="uniform"),
        dd.estimate(without(log), [0.25] * 4, pairs="independent"),
    ):
        assert np.all((found.low <= truth) & (truth <= found.high))
        assert np.abs(found.scores - truth).max() < 0.04
        assert (found.best, found.decided, found.candidates) == ("arm 0", True, ("arm 0",))
        gap = found.gap("arm 0", 3)
        assert gap.low < truth[0] - truth[3] < gap.high
        assert gap.low > found.low[0] - found.high[3]
        assert found.gap(3, 0).low == -gap.high
    assert dd.estimate(log).votes.sum() == 8000


def test_an_assumption_stands_beside_every_figure():
    log = without(sampled(np.random.default_rng(2), 300, ladder(3)))
    for pairs, words in (
        ("uniform", "if every pair was as likely as any other, in both orders"),
        ("independent", "if who met whom did not depend on the votes, and who wins does not"),
    ):
        found = dd.estimate(log, pairs=pairs)
        figures = [line for line in str(found).splitlines() if line.startswith("  arm")]
        assert len(figures) == 3
        assert all(words in line for line in figures)
        assert words in repr(found)
        assert words in str(found.gap(0, 1))
        assert set(found.frame["assuming"]) == {found.assuming}


def test_a_log_without_propensities_is_refused_unless_something_is_assumed():
    log = without(sampled(np.random.default_rng(2), 30, ladder(3)))
    with pytest.raises(ValueError, match=r"^the log has no propensities, the probability of each"):
        dd.estimate(log, dd.Borda())


def test_the_frame_holds_the_figures_best_first():
    found = dd.estimate(sampled(np.random.default_rng(3), 900, ladder(3)))
    frame = found.frame
    assert frame.columns == ["arm", "score", "low", "high", "votes", "assuming", "doubt"]
    assert frame["arm"].to_list() == ["arm 0", "arm 1", "arm 2"]
    assert frame["score"].is_sorted(descending=True)
    assert frame["assuming"].dtype == frame["doubt"].dtype == pl.String
    assert repr(found).startswith("Estimate(3 arms, 900 votes: arm 0 is best")


def test_a_period_is_from_one_moment_until_before_another():
    log = sampled(np.random.default_rng(4), 100, ladder(3))
    found = dd.estimate(log, period=(20, 50))
    same = dd.estimate(log.rows(slice(20, 50)))
    assert (found.n_votes, found.period) == (30, "time 20 to 49")
    assert np.array_equal(found.low, same.low)
    assert dd.estimate(log, period=(None, 50)).n_votes == 50
    assert dd.estimate(log, period=(99, None)).n_votes == 1
    dated = Log(log.arms, log.time, log.left, log.right, log.outcome, dated=True)
    later = dd.estimate(dated, period=("1970-01-11", "1970-01-21"), pairs="independent")
    assert (later.n_votes, later.period) == (10, "1970-01-11 to 1970-01-20")


def test_serves_are_rounds_that_say_nothing():
    """Half of the rounds are serves: as propensities say so, scores stay what they are."""
    pairs = np.full((3, 3), 1 / 12)
    np.fill_diagonal(pairs, 1 / 6)
    log = sampled(np.random.default_rng(5), 6000, ladder(3), pairs)
    found = dd.estimate(log)
    truth = dd.Borda().scores(ladder(3))
    assert found.n_serves > 2500
    assert np.all((found.low <= truth) & (truth <= found.high))
    assert np.abs(found.scores - truth).max() < 0.03
    # Without serves the propensities of the votes are too small by half.
    wrong = dd.estimate(log.votes)
    assert "the propensities are wrong: arm 0 was shown more often than they allow" in str(wrong)
    assert np.isnan(wrong.scores).all()
    # What is left is that an arm ties with itself.
    assert (wrong.low.min(), wrong.high.max()) == pytest.approx((1 / 6, 5 / 6))


def test_what_is_missing_is_said():
    """arm 2 never meets arm 0, and arm 1 always stands on its left."""
    pairs = np.array([[0, 0.25, 0], [0.25, 0, 0.5], [0, 0, 0]])
    log = sampled(np.random.default_rng(6), 2000, ladder(3), pairs)
    found = dd.estimate(log)
    assert found.doubts == (
        "no overlap: these votes cannot tell the score of arm 0, which never met arm 2",
        "no overlap: these votes cannot tell the score of arm 1, which met arm 2 on one side only",
        "no overlap: these votes cannot tell the score of arm 2, which never met arm 0 and "
        "met arm 1 on one side only",
    )
    assert found.best is None
    assert not found.decided
    truth = dd.Borda().scores(ladder(3))
    assert np.all((found.low <= truth) & (truth <= found.high))
    assert str(found).count("?") == 3
    apart = dd.estimate(without(log), pairs="independent")
    assert apart.doubts[0] == found.doubts[0]
    assert apart.doubts[1] == ""
    assert apart.best == "arm 1"
    against = dd.estimate(log, [0, 1, 0])
    assert against.doubts[0] == ""
    uneven = dd.estimate(without(log), pairs="uniform")
    assert "was shown more often than they allow" in uneven.doubts[1]


def test_a_pair_that_could_be_asked_for_a_while_only_is_named():
    """Arms 1 and 2 meet in the first tenth only."""
    rng = np.random.default_rng(8)
    first = sampled(rng, 300, ladder(3))
    pairs = np.array([[0, 0.25, 0.25], [0.25, 0, 0], [0.25, 0, 0]])
    second = sampled(rng, 2700, ladder(3), pairs)
    columns = [
        np.append(getattr(first, name), getattr(second, name))
        for name in ("left", "right", "outcome", "propensity")
    ]
    found = dd.estimate(Log(first.arms, np.arange(3000), *columns[:3], propensity=columns[3]))
    assert found.doubts[0] == ""
    assert found.doubts[1].endswith("which could meet arm 2 in a part of the rounds only")


def test_who_cannot_be_told_is_not_ruled_out():
    rng = np.random.default_rng(7)
    left = rng.integers(2, size=3000)
    log = Log(["a", "b", "c"], np.arange(3000), left, 1 - left, left == 0)
    log = Log(log.arms, [*log.time, 3000], [*left, 2], [*(1 - left), 0], [*log.outcome, 1])
    found = dd.estimate(log, pairs="independent")
    assert found.best == "a" or found.best is None
    assert "c" in found.candidates


@pytest.mark.parametrize("player", ["uniform", "1/1000", "DriftPoll"])
@pytest.mark.parametrize("moving", [False, True])
def test_no_interval_ever_misses_more_often_than_it_says(player, moving):
    """10 runs of 400 rounds, seeds 0 to 9, of three arms; looked at after every round.

    If intervals or gaps ever missed with 5 %, more than 3 of 10 runs would with probability 1e-3;
    they do with less.
    """
    found = np.array([benchmark.one_run(player, 3, moving, seed, 400) for seed in range(10)])
    assert found[:, :2].sum(axis=0).max() <= 3


def test_the_benchmark_follows_the_bounds_that_are_told():
    log, truth = benchmark.play("1/1000", 3, moving=True, seed=1, rounds=300)
    gains, losses = benchmark.values(log)
    for length in (17, 300):
        for arm in range(3):
            low, high = naive.bounds(log.rows(log.time < length), [1 / 3] * 3, arm, 0.05)
            for part, end in ((gains, low), (losses, 1 - high)):
                values = part[:length, arm]
                spread = ((values - benchmark.guesses(part)[:length, arm]) ** 2).sum()
                m = naive.root(spread, 2 * 3 / 0.05)
                assert max((values.sum() - m) / length, 0) == pytest.approx(end, **CLOSE)
    assert truth.shape == (300, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha is 0, must be a positive number and below 1"),
        ({"criterion": dd.Condorcet()}, "criterion is Condorcet(), must be Borda or Weighted"),
        ({"criterion": "most"}, "criterion is 'most', must be"),
        ({"criterion": [0.5, 0.5]}, "weight: has 2 entries, there are 3 arms"),
        (
            {"criterion": dd.Weighted(dd.WeightSequence(np.eye(3)[:2], [0, 5]))},
            "criterion is a weight that changes, must be Borda or Weighted with one weight",
        ),
        ({"period": 5}, "period is 5, must be a pair: from when, until before when"),
        ({"period": (200, 300)}, "period is 200 to 300, which holds no votes: Log(3 arms"),
        ({"period": ("a", None)}, "times: must be a list of numbers"),
        ({"pairs": "uniform"}, "pairs is 'uniform', but the log has propensities; leave it out"),
        ({"pairs": "any"}, "pairs is 'any', must be one of uniform, independent"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    log = sampled(np.random.default_rng(2), 30, ladder(3))
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.estimate(log, **options)
    assert str(error.value).startswith(message)


def test_gaps_are_of_two_arms_that_are_there():
    found = dd.estimate(sampled(np.random.default_rng(2), 30, ladder(3)))
    with pytest.raises(ValueError, match=r"^gap: 'arm 1' is both arms, they must differ$"):
        found.gap(1, "arm 1")
    with pytest.raises(ValueError, match=r"^arm is 'x', must be one of arm 0, arm 1 and arm 2 or"):
        found.gap("x", 1)


def test_some_arms_of_a_log_with_propensities_have_the_scores_of_each_other():
    """The rounds of other pairs stay: without them every vote would weigh too much."""
    chances = ladder(4, 0.3)
    log = sampled(np.random.default_rng(21), 6000, chances)
    some = log.select(["arm 2", "arm 0"])
    assert len(some) == len(log)
    assert some.n_votes == log.head_to_head()[np.ix_([0, 2], [0, 2])].sum()
    found = dd.estimate(some)
    truth = dd.Borda().scores(chances[np.ix_([2, 0], [2, 0])])
    assert found.doubts == ("", "")
    assert np.all((found.low <= truth) & (truth <= found.high))
    assert np.all(np.abs(found.scores - truth) < 0.05)
    assert dd.history(some).best == "arm 0"
