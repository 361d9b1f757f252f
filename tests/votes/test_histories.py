"""Histories: by the definitions, silent where nothing changes, and right about what does."""

from __future__ import annotations

import re
from datetime import date

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.votes import Log, histories
from driftduel.votes.analyses import analyse
from driftduel.votes.dating import date_change
from driftduel.votes.spans import cell_starts
from tests.naive import histories as naive
from tests.votes.test_estimates import ladder, logs, sampled, weights, without


def one_ahead(k, best, margin):
    chances = np.full((k, k), 0.5)
    chances[best] += margin
    chances[:, best] -= margin
    chances[best, best] = 0.5
    return chances


def joined(*parts):
    """One log after the other."""
    length = 0
    rows = []
    for part in parts:
        rows.append((part.time + length, part.left, part.right, part.outcome))
        length += len(part)
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    return Log(
        parts[0].arms, *columns, propensity=np.concatenate([part.propensity for part in parts])
    )


@settings(max_examples=60, deadline=None)
@given(st.data(), logs(), st.sampled_from([0.05, 0.9]), st.booleans())
def test_spans_and_stretches_are_those_of_loops(data, log, alpha, by_pairs):
    """Small logs prove little, so the votes count fifty times and the level is generous."""
    weight = data.draw(weights(log.n_arms))
    log = Log(
        log.arms, log.time, log.left, log.right, log.outcome, 50 * log.count,
        propensity=np.maximum(log.propensity, 0.05),
    )  # fmt: skip
    if by_pairs:
        log = log.votes
    depth = 2
    starts = cell_starts(log, 8)
    assert np.all(np.diff(starts) >= 0)
    assert all(row == 0 or log.time[row] != log.time[row - 1] for row in starts)
    kind = "independent" if by_pairs else None
    family = histories._family(log, weight, kind, depth, alpha)
    test = naive.proved_ahead_by_pairs if by_pairs else naive.proved_ahead
    expected = naive.family(log, weight, alpha, 8, starts, test)
    found = {(s.begin, s.end): set(np.flatnonzero(s.candidates)) for s in family.members}
    assert found == {(begin, end): candidates for begin, end, candidates in expected}
    stretches = [(s.begin, s.end) for s in histories._stretches(family)]
    assert stretches == naive.stretches(log, expected, 8, starts)


@settings(max_examples=80, deadline=None)
@given(logs())
def test_dates_are_those_of_loops(log):
    fell, rose = 0, 1
    assume(len(set(log.time)) > 2)
    first, likeliest, last = date_change(log, 0, len(log), fell, rose)
    assert first <= likeliest <= last
    assert (first, last) == naive.date_change(log, 0, len(log), fell, rose)


def test_a_date_is_the_likeliest_one_and_a_range_holds_95_percent():
    votes = [1] * 30 + [1, 0] * 3 + [0] * 30
    log = Log(["a", "b"], np.arange(66), [0] * 66, [1] * 66, votes)
    first, likeliest, last = date_change(log, 0, 66, 0, 1)
    assert (first, last) == naive.date_change(log, 0, 66, 0, 1)
    assert likeliest in (31, 33, 35)
    shorter = date_change(log, 20, 50, 0, 1)
    assert shorter == (first, likeliest, last) or shorter[0] >= 20


def test_many_moments_are_put_together_and_the_range_only_grows(monkeypatch):
    rng = np.random.default_rng(1)
    parts = [sampled(rng, 300, one_ahead(3, best, 0.3)) for best in (0, 1)]
    log = joined(*parts)
    fine = date_change(log, 0, 600, 0, 1)
    monkeypatch.setattr("driftduel.votes.dating._MOST_MOMENTS", 60)
    coarse = date_change(log, 0, 600, 0, 1)
    assert coarse[0] <= fine[0] <= fine[2] <= coarse[2]
    assert coarse[2] - coarse[0] <= fine[2] - fine[0] + 40


@pytest.mark.parametrize("known", [True, False])
def test_a_change_is_proved_and_dated(known):
    """Seed 2; the credible range misses with 5 %, the guaranteed one holds."""
    rng = np.random.default_rng(2)
    log = joined(*(sampled(rng, 1000, one_ahead(3, best, 0.3)) for best in (0, 2, 1)))
    found = dd.history(log if known else without(log))
    assert [(c.before, c.after) for c in found.changes] == [("arm 0", "arm 2"), ("arm 2", "arm 1")]
    for change, truth in zip(found.changes, (1000, 2000), strict=True):
        assert change.earliest <= truth <= change.latest
        assert change.after_surely <= truth <= change.before_surely
        assert change.latest - change.earliest < 120
    assert (found.best, found.decided) == ("arm 1", True)
    assert found.since == found.changes[-1].likeliest
    assert (found.assuming is None) == known
    assert "arm 2 took over from arm 0 between time " in str(found)
    assert found.standing.to_dict()["leader"] == "arm 1"
    assert ("if who met whom" in str(found)) == (not known)
    assert repr(found) == "History(3 arms, 3,000 votes, 2 proved changes)"


def test_bands_hold_and_cover_the_log():
    rng = np.random.default_rng(3)
    log = joined(*(sampled(rng, 1200, one_ahead(3, best, 0.3)) for best in (0, 1)))
    truth = [dd.Borda().scores(one_ahead(3, best, 0.3)) for best in (0, 1)]
    for found in (dd.history(log), dd.history(without(log))):
        bands = found.bands
        assert bands.height == 36
        for n, (begin, end, arm, score, low, high, assuming) in enumerate(bands.rows()):
            expected = truth[int(begin >= 1200)][n % 3]
            assert arm == log.arms[n % 3]
            assert low <= expected <= high
            assert low <= score <= high
            assert end > begin
            assert assuming == found.assuming


def test_votes_without_a_change_are_said_to_hold_none():
    found = dd.history(sampled(np.random.default_rng(4), 3000, ladder(4, 0.2)))
    assert found.changes == ()
    assert (found.best, found.decided, found.since) == ("arm 0", True, 0.0)
    assert "No change of who is best is proved" in str(found)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("kind", ["equal", "ladder", "uneven", "bursts"])
def test_logs_without_a_change_hardly_ever_show_one(k, kind):
    """30 logs of 800 votes each, seeds 0 to 29, at alpha = .05 in two readings.

    If each showed a change with 5 %, more than 6 of 30 would with probability 3e-3; they do with
    much less, as the bounds are those of the worst case.
    """
    chances = ladder(k, 0.1 if kind == "ladder" else 0.0)
    shown = np.zeros(2)
    for seed in range(30):
        rng = np.random.default_rng(seed)
        pairs = rng.random((k, k)) ** 3 + 0.02 if kind == "uneven" else np.ones((k, k))
        np.fill_diagonal(pairs, 0)
        log = sampled(rng, 800, chances, pairs / pairs.sum())
        if kind == "bursts":
            time = np.sort(rng.integers(0, 20, 800))
            log = Log(log.arms, time, log.left, log.right, log.outcome, propensity=log.propensity)
        shown += [bool(dd.history(one).changes) for one in (log, without(log))]
    assert shown.max() <= 6


def test_rows_of_counts_are_no_change():
    """Of a day's votes the wins stand before the losses; they are of one time."""
    days = np.repeat(np.arange(10), 2)
    log = Log(["a", "b"], days, [0] * 20, [1] * 20, [1, 0] * 10, [100] * 20)
    assert dd.history(log).changes == ()
    once = Log(["a", "b"], [1, 1], [0, 0], [1, 1], [1, 0], [900, 100])
    found = dd.history(once)
    assert (found.changes, found.best, found.decided) == ((), "a", True)


def test_who_had_no_vote_is_no_candidate():
    rng = np.random.default_rng(5)
    log = joined(*(sampled(rng, 1000, one_ahead(2, best, 0.3)) for best in (0, 1)))
    with_absent = Log([*log.arms, "absent"], log.time, log.left, log.right, log.outcome)
    found = dd.history(with_absent, [0.5, 0.5, 0.0])
    assert len(found.changes) == 1
    assert found.candidates == ("arm 1",)


def test_who_is_away_for_a_while_may_be_best_meanwhile():
    """Milk is best from vote 1,500 on, and not asked about between 1,200 and 6,500."""
    rng = np.random.default_rng(3)
    t = np.arange(8000)
    k = np.where((t >= 1200) & (t < 6500), 3, 4)
    left = (rng.random(8000) * k).astype(int)
    right = (left + 1 + (rng.random(8000) * (k - 1)).astype(int)) % k
    strengths = np.array([[0, 0, 0.45, 0], [0.2, 0, 0, 0.4], [0, 0.2, 0, 0.4]])
    now = np.searchsorted([1500, 4250], t, side="right")
    chance = np.clip(0.5 + strengths[now, left] - strengths[now, right], 0.02, 0.98)
    wins = (rng.random(8000) < chance).astype(float)
    log = Log(["tea", "water", "juice", "milk"], t, left, right, wins)
    found = dd.history(log, dd.Weighted([1 / 3, 1 / 3, 1 / 3, 0]))
    assert len(found.changes) == 1  # that water took over from tea later is about these two
    assert found.changes[0].before == "juice"
    assert "milk" in found.changes[0].after_among
    # Where milk never comes back it is not on offer, and water took over.
    gone = log.rows(t < 6500)
    changes = dd.history(gone, dd.Weighted([1 / 3, 1 / 3, 1 / 3, 0])).changes
    assert [(one.before, one.after) for one in changes] == [("juice", "tea"), ("tea", "water")]


def test_dates_are_dates_where_the_log_has_dates():
    rng = np.random.default_rng(6)
    log = joined(*(sampled(rng, 500, one_ahead(2, best, 0.3)) for best in (0, 1)))
    dated = Log(log.arms, log.time // 10, log.left, log.right, log.outcome, dated=True)
    found = dd.history(dated)
    (change,) = found.changes
    assert change.earliest <= date(1970, 2, 20) <= change.latest
    assert f"is best since about {change.likeliest.day} {change.likeliest:%b} 1970;" in str(found)
    assert found.bands["begin"][0] == date(1970, 1, 1)


def test_uniform_pairs_may_be_assumed():
    log = without(sampled(np.random.default_rng(7), 500, ladder(3)))
    assert "every pair was as likely" in str(dd.history(log, pairs="uniform"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 2}, "alpha is 2, must be a positive number and below 1"),
        ({"criterion": dd.Condorcet()}, "criterion is Condorcet(), must be Borda or Weighted"),
        ({"pairs": "any"}, "pairs is 'any', must be one of uniform, independent"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    log = sampled(np.random.default_rng(2), 30, ladder(3))
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.history(log, **options)
    assert str(error.value).startswith(message)


def test_a_history_of_very_many_arms_is_refused():
    log = Log(list(map(str, range(501))), [1], [0], [1], [1])
    with pytest.raises(ValueError, match=r"^the log has 501 arms, a history can have 500; select"):
        dd.history(log)


def test_one_vote_proves_nothing():
    found = dd.history(Log(["a", "b"], [1], [0], [1], [1]))
    assert (found.changes, found.best, found.candidates) == ((), "a", ("a", "b"))
    assert str(found).startswith("After 1 vote it is too early to name a leader.")
    assert found.standing.rivals == (1,)
    assert found.bands.select("low", "high").rows() == [(0.25, 0.75)] * 2


def test_who_may_have_led_before_is_said_where_it_is_not_proved():
    """Seed 3; two arms share the lead for 3,000 votes, then a third one is ahead."""
    rng = np.random.default_rng(3)
    tied = np.full((4, 4), 0.5)
    tied[:2, 2:], tied[2:, :2] = 0.75, 0.25
    log = without(joined(sampled(rng, 3000, tied), sampled(rng, 3000, one_ahead(4, 2, 0.3))))
    (change,) = dd.history(log).changes
    assert change.after_among == ("arm 2",)
    assert {"arm 0", "arm 1"} <= {*change.before_among}
    text = " ".join(analyse(log).sentences)
    assert re.search("arm 2 took over from (arm 0 or arm 1|arm 1 or arm 0) between", text)


def test_a_change_that_may_be_of_what_was_shown_says_so():
    """Seeds 0 to 9: arm 0 is best at all times, but pairs are shown when they look best or worst.

    Of such logs about half show a change, as averages are over the votes of each pair.
    """
    tastes = np.array([[0.6, 0.55, 0.5], [0.6, 0.95, 0.9]])  # of pairs (0, 1), (0, 2) and (1, 2)
    time = np.arange(6000)
    taste, early = time // 50 % 2, time < 3000
    caution = "if other pairs were shown just when tastes changed"
    changed = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        pair = np.where(rng.random(6000) < 0.2, 0, np.where((taste == 0) == early, 1, 2))
        left, right = np.array([[0, 1], [0, 2], [1, 2]])[pair].T
        log = Log(["a", "b", "c"], time, left, right, rng.random(6000) < tastes[taste, pair])
        found = analyse(log)
        changed += bool(found.to_dict()["changes"])
        assert (caution in " ".join(found.sentences)) == bool(found.to_dict()["changes"])
    assert changed >= 1
