"""Scores beside what was to be expected of votes: by the definitions, and never wrong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from benchmarks import estimates as benchmark
from driftduel.votes import Log
from driftduel.votes.forecasts import (
    MOST_ARMS,
    as_forecasts,
    block_starts,
    even,
    of_past,
)
from driftduel.votes.robust import RobustVotes
from driftduel.votes.weighted import WeightedVotes
from tests.naive import estimates as naive
from tests.votes.test_estimates import CLOSE, ladder, logs, sampled, weights, without


@settings(max_examples=40, deadline=None)
@given(st.data(), logs(), st.sampled_from([0.01, 0.05, 0.5]))
def test_robust_votes_are_those_of_loops(data, log, alpha):
    weight = data.draw(weights(log.n_arms))
    # Odd chances, so that no two kinds of forecast do as well as each other but for rounding.
    rarest = float(log.propensity.min()) * data.draw(st.sampled_from([1.0, 0.5]))
    chances = data.draw(
        st.lists(st.sampled_from([0.02, 0.31, 0.57, 0.93]), min_size=6, max_size=6).map(np.array)
    )
    table = np.full((4, 4), 0.5)
    table[np.triu_indices(4, 1)] = chances
    table = np.triu(table, 1) + np.tril(1 - table.T, -1)
    given_table = table[: log.n_arms, : log.n_arms]
    past = of_past(log)
    fast = RobustVotes(log, weight, log.propensity, rarest, as_forecasts(given_table, log))
    slow = naive.Robust(
        log,
        weight,
        rarest,
        [
            lambda row: given_table,
            lambda row: np.full((log.n_arms, log.n_arms), 0.5),
            lambda row: past.tables[past.of_row[row]],
        ],
    )
    low, high = fast.bounds(alpha)
    for arm in range(log.n_arms):
        assert fast.scores()[arm] == pytest.approx(slow.score(arm), nan_ok=True, **CLOSE)
        assert (low[arm], high[arm]) == pytest.approx(slow.bounds(arm, alpha), **CLOSE)
        leads = fast.leads(arm, alpha)
        assert np.isnan(leads[arm])
        for other in set(range(log.n_arms)) - {arm}:
            assert leads[other] == pytest.approx(slow.lead(arm, other, alpha), **CLOSE)


@settings(max_examples=60, deadline=None)
@given(logs())
def test_blocks_begin_as_loops_say(log):
    assert block_starts(log.time).tolist() == naive.starts(log.time)


def test_forecasts_are_those_of_the_likely_model_and_know_nothing_of_later_votes():
    log = sampled(np.random.default_rng(3), 900, ladder(4))
    whole = of_past(log)
    assert len(whole.tables) == len(block_starts(log.time))
    cut = 500
    early = of_past(log.rows(slice(0, cut)))
    assert np.array_equal(whole.of_row[:cut], early.of_row)
    at = int(early.of_row[-1])
    assert np.array_equal(whole.tables[: at + 1], early.tables[: at + 1])
    turned = np.where(np.arange(900) < cut, log.outcome, 1 - log.outcome)
    other = of_past(Log(log.arms, log.time, log.left, log.right, turned))
    assert np.array_equal(other.tables[: at + 1], whole.tables[: at + 1])
    assert not np.allclose(other.tables[-1], whole.tables[-1], atol=0.01)
    # 900 votes, seed 3; chances are .5 to .73 and forecast to a standard error of .05 or so.
    assert np.abs(whole.tables[-1] - ladder(4)).max() < 0.15


def test_serves_alone_forecast_nothing():
    log = Log(["a", "b"], range(9), [0] * 9, [*[0] * 8, 1], [0.5] * 8 + [1])
    assert (of_past(log).tables[of_past(log).of_row] == 0.5).all()


def test_of_many_arms_nothing_is_forecast():
    arms = MOST_ARMS + 1
    log = Log([str(n) for n in range(arms)], range(40), [0] * 40, [1] * 40, [1] * 40)
    assert np.array_equal(of_past(log).tables, even(log).tables)


def test_forecasts_make_intervals_narrower():
    """4,000 votes, seed 1: what is known of pairs takes a seventh of the width."""
    log = sampled(np.random.default_rng(1), 4000, ladder(4, 0.3))
    truth = dd.Borda().scores(ladder(4, 0.3))
    found = dd.estimate(log)
    plain = WeightedVotes(log, np.full(4, 0.25), log.propensity)
    low, high = plain.bounds(0.05)
    assert ((found.high - found.low) / (high - low)).max() < 6 / 7
    assert np.all((found.low <= truth) & (truth <= found.high))
    assert found.gap(0, 1).low > plain.leads(0, 0.05)[1]


class Judge:
    """Who answers before people do: every vote is on another question, of which it has a view."""

    def __init__(self, seed, n, right):
        """Answer n questions to two arms; the view is what people say with a given chance."""
        rng = np.random.default_rng(seed)
        outcome = (rng.random(n) < 0.6).astype(float)
        says = np.where(rng.random(n) < right, outcome, 1 - outcome)
        left = rng.integers(2, size=n)
        won = np.where(left == 0, outcome, 1 - outcome)
        self.log = Log(["a", "b"], range(n), left, 1 - left, won, propensity=[0.5] * n)
        trust = max(right, 1 - right) if right > 0.5 else 0.8  # a liar says that it is as good
        first = np.where(says == 1, trust, 1 - trust)
        self.tables = np.full((n, 2, 2), 0.5)
        self.tables[:, 0, 1], self.tables[:, 1, 0] = first, 1 - first


def test_a_judge_narrows_intervals_if_it_agrees_and_never_makes_them_wrong():
    """6 logs of 1,000 votes, seeds 0 to 5; at level .05 three misses have a probability of .002."""
    widths = {}
    for right in (0.5, 0.2, 0.8, 0.9):
        missed, ratios = 0, []
        for seed in range(6):
            judge = Judge(seed, 1000, right)
            found = dd.estimate(judge.log, predictions=judge.tables)
            alone = dd.estimate(judge.log)
            truth = np.array([0.55, 0.45])
            missed += bool(((found.low > truth) | (truth > found.high)).any())
            ratios.append(float((found.high - found.low).mean() / (alone.high - alone.low).mean()))
        widths[right] = np.mean(ratios)
        assert missed <= 2
    assert widths[0.9] < 0.75
    assert widths[0.8] < 0.9
    assert widths[0.5] < 1.01
    assert widths[0.2] < 1.03


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("player", ["uniform", "1/1000", "DriftPoll"])
def test_no_robust_interval_ever_misses_more_often_than_it_says(player, moving):
    """6 runs of 200 rounds, three arms, 4 looks; more than 2 misses have a probability of .002."""
    found = np.array([benchmark.robust_run(player, 3, moving, seed, 200, 4) for seed in range(6)])
    assert found[:, :2].sum(axis=0).max() <= 2


def test_driftpoll_promises_how_rare_a_pair_is():
    poll = dd.DriftPoll(4, seed=0)
    chances = []
    for _ in range(200):
        duel = poll.ask()
        chances.append(duel.propensity)
        poll.tell(duel, "left" if duel.left < duel.right else "right")
    assert poll.rarest == pytest.approx(0.1 / 12)
    assert poll.rarest <= min(chances) < 2 * poll.rarest
    poll.change_arms(join=[4])
    assert poll.rarest == pytest.approx(0.1 / 20)


def test_a_broken_promise_is_found_out_and_widens_intervals():
    """Arm 0 never meets arm 2 in 2,000 votes, though all pairs are said to be possible."""
    pairs = np.array([[0, 0.25, 0], [0.25, 0, 0.25], [0, 0.25, 0]])
    log = sampled(np.random.default_rng(6), 2000, ladder(3), pairs)
    found = dd.estimate(log, rarest=0.01)
    plain = dd.estimate(log)
    assert "never met arm 2" in found.doubts[0]
    assert np.array_equal(found.low, plain.low)
    assert np.array_equal(found.high, plain.high)


def test_a_period_takes_the_forecasts_of_its_rows():
    log = sampled(np.random.default_rng(5), 200, ladder(3))
    tables = np.full((200, 3, 3), 0.5)
    tables[:100, 0, 1], tables[:100, 1, 0] = 1.0, 0.0
    late = dd.estimate(log, period=(100, None), predictions=tables)
    assert np.array_equal(late.low, dd.estimate(log.rows(slice(100, 200))).low)
    early = dd.estimate(log, period=(None, 100), predictions=tables)
    assert not np.array_equal(early.low, dd.estimate(log.rows(slice(0, 100))).low)


def test_with_uniform_pairs_serves_and_their_forecasts_are_left_out():
    log = without(sampled(np.random.default_rng(5), 200, ladder(3)))
    mixed = Log(log.arms, [*log.time, 200], [*log.left, 1], [*log.right, 1], [*log.outcome, 0.5])
    tables = np.full((201, 3, 3), 0.5)
    found = dd.estimate(mixed, pairs="uniform", predictions=tables)
    assert np.array_equal(found.low, dd.estimate(log, pairs="uniform").low)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"predictions": np.full((2, 2), 0.5)}, "predictions is of shape (2, 2), must be (3, 3)"),
        ({"predictions": np.full((3, 3), 0.6)}, "predictions has pairs whose chances do not add"),
        ({"predictions": np.full((3, 3), np.nan)}, "predictions has entries that are no chances"),
        ({"rarest": 0.5}, "rarest is 0.5, must be positive and at most 0.166667, the least"),
        ({"rarest": 0}, "rarest is 0, must be positive and at most"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    log = sampled(np.random.default_rng(2), 30, ladder(3))
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.estimate(log, **options)
    assert str(error.value).startswith(message)


def test_predictions_need_to_know_how_rare_a_pair_may_be():
    pairs = (1 - np.eye(3)) / 8
    pairs[0, 1] += 0.25
    log = sampled(np.random.default_rng(2), 50, ladder(3), pairs)
    table = np.full((3, 3), 0.5)
    with pytest.raises(ValueError, match=r"^predictions are of use only with rarest, what no"):
        dd.estimate(log, predictions=table)
    assert dd.estimate(log, predictions=table, rarest=1 / 8).assuming is None
    with pytest.raises(ValueError, match=r"^rarest is 0.1, but the log has no propensities$"):
        dd.estimate(without(log), rarest=0.1, pairs="uniform")
