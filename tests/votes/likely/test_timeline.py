"""`driftduel.timeline`: what it tells of logs whose truth is known."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.verdict.likely import step
from driftduel.votes.likely.bins import into_bins
from driftduel.votes.likely.filtering import Constants, run_filter
from driftduel.votes.likely.groups import _returning
from driftduel.votes.likely.layout import Layout
from driftduel.votes.likely.sampling import draw_ahead
from driftduel.votes.likely.story import tell


def log_of(strengths, seed=0, ties=0.0, side=0.0, **others):
    """A vote a row of strengths, nan while an arm is not on offer."""
    rng = np.random.default_rng(seed)
    n, k = strengths.shape
    left, right = np.empty(n, int), np.empty(n, int)
    for t in range(n):
        left[t], right[t] = rng.choice(np.flatnonzero(~np.isnan(strengths[t])), 2, replace=False)
    gap = strengths[np.arange(n), left] - strengths[np.arange(n), right] + side
    won = (rng.random(n) < 1 / (1 + np.exp(-gap))).astype(float)
    won[rng.random(n) < ties] = 0.5
    names = ["tea", "milk", "water", "juice", "cocoa"][:k]
    return dd.Log(names, np.arange(n), left, right, won, **others)


def swap(n=1_200, k=3):
    """Tea is ahead until half, then milk."""
    strengths = np.zeros((n, k))
    strengths[: n // 2, 0] = strengths[n // 2 :, 1] = 1.2
    return strengths


def test_a_take_over_is_found_with_its_range():
    found = dd.timeline(log_of(swap()))
    assert found.best == "milk"
    assert found.probability > 0.95
    earliest, latest = found.since
    assert earliest.value <= 600 <= latest.value
    assert latest.value - earliest.value < 250
    assert found.leaders["arm"].to_list() == ["tea", "milk"]
    assert found.sentences[0].startswith("milk is very likely best now (over 99%), since about")
    assert found.sentences[1].startswith("Before that tea")


def test_since_is_when_no_other_was_best_in_samples_in_which_it_is_best_now():
    rng = np.random.default_rng(5)
    walks = np.cumsum(rng.normal(0, 0.03, (900, 3)), axis=0)
    story = dd.timeline(log_of(walks, seed=5)).story
    begins = []
    for path in story.best[story.best[:, -1] == story.now]:
        at = len(path) - 1
        while at and path[at - 1] == story.now:
            at -= 1
        begins.append(at)
    low, high = np.quantile(begins, (0.025, 0.975), method="nearest")
    if story.eras[-1].arm == story.now and len(story.eras) > 1:
        low, high = min(low, story.eras[-1].begin), max(high, story.eras[-1].begin)
    assert story.since == (low, high)
    assert high > low


def test_the_model_predicts_better_than_all_votes_alike_where_tastes_changed():
    found = dd.timeline(log_of(swap()))
    assert found.prediction.model < found.prediction.static - 0.01
    assert found.prediction.coin == pytest.approx(np.log(2))
    assert sum(one.votes for one in found.record) == 1_200


def test_a_log_without_change_has_one_era():
    strengths = np.tile([0.9, 0.0, -0.3], (1_200, 1))
    found = dd.timeline(log_of(strengths, seed=3))
    assert found.leaders["arm"].to_list() == ["tea"]
    assert found.sentences[0].startswith("tea is very likely best now")
    assert "the likeliest all the time" in found.sentences[0]


def test_the_same_votes_have_the_same_story():
    log = log_of(swap(600))
    assert dd.timeline(log).to_dict() == dd.timeline(log).to_dict()


def test_best_is_of_those_on_offer():
    strengths = np.tile([1.5, 0.5, 0.0], (1_200, 1))
    strengths[400:, 0] = np.nan
    found = dd.timeline(log_of(strengths, seed=1))
    assert found.leaders["arm"].to_list() == ["tea", "milk"]
    late = found.p_best.filter(pl.col("from") >= 500)
    assert set(late["arm"]) == {"milk", "water"}


def test_a_side_is_told_from_the_arms():
    strengths = np.tile([0.5, 0.0, 0.0], (1_500, 1))
    found = dd.timeline(log_of(strengths, side=0.8))
    story = found.story
    side = story.samples[:, -1, story.filtered.layout.side]
    assert abs(side.mean() - 0.8) < 0.25
    assert found.best == "tea"


def test_pair_effects_are_learned_where_one_number_an_arm_is_too_little():
    rng = np.random.default_rng(2)
    left = rng.integers(3, size=1_500)
    right = (left + rng.integers(1, 3, size=1_500)) % 3
    chance = np.where((right - left) % 3 == 1, 0.8, 0.2)  # tea beats milk beats water beats tea
    log = dd.Log(
        ["tea", "milk", "water"], np.arange(1_500), left, right, rng.random(1_500) < chance
    )
    found = dd.timeline(log)
    assert found.story.filtered.layout.paired
    now = found.story.chances_in(-1).mean(axis=0)
    assert now[0, 1] > 0.7
    assert now[2, 0] > 0.7
    assert found.best_by("condorcet")["probability"].max() < 0.05
    assert found.prediction.model < 0.6


def test_other_criteria_are_functions_of_the_same_samples():
    found = dd.timeline(log_of(swap()))
    for told in (
        found.best_by("borda"),
        found.best_by(panel=["water"]),
        found.best_by("condorcet"),
    ):
        last = told.filter(pl.col("from") == told["from"].max())
        assert last.sort("probability")["arm"][-1] == "milk"
    assert found.best_during(0, 500)["tea"] > 0.9
    with pytest.raises(ValueError, match="give a criterion or a panel"):
        found.best_by()
    with pytest.raises(ValueError, match="panel: 'beer' is not in the log"):
        found.best_by(panel=["beer"])


def test_who_is_best_may_not_be_for_long():
    found = dd.timeline(log_of(swap()))
    assert found.ever_best["tea"] > 0.95
    assert found.ever_best["milk"] > 0.95
    assert found.ever_best["water"] < 0.5
    told = [found.still_best(votes) for votes in (0, 100, 1_200, 12_000, 10**9)]
    assert told[0] == 1.0
    assert told == sorted(told, reverse=True)
    assert told[1] > 0.8
    assert told[-1] < 0.75  # in the long run any of three may be
    with pytest.raises(ValueError, match="votes is -1, must be 0 or more"):
        found.still_best(-1)


def test_states_ahead_have_the_moments_of_the_prior_in_the_long_run():
    """Drift forgets: after long each strength is N(0, S^2) again. 6 standard errors of 4,000."""
    left, right, won = np.zeros(400, int), np.ones(400, int), np.ones(400)
    bins = into_bins(left, right, won, np.arange(400.0), 2)
    scale = 0.7
    drifts = Constants(*(np.array([x]) for x in (scale, 1.0, 0.0, 0.5, 0.01, 1.0, 0.0)))
    found = run_filter(bins, Layout(2, sided=bins.sided), drifts, 1)
    now, later = draw_ahead(found, bins, 1e6, 4_000)
    assert (now[:, 0] - now[:, 1]).mean() > 1
    np.testing.assert_allclose(later[:, :2].mean(axis=0), 0, atol=6 * scale / 63)
    np.testing.assert_allclose(later[:, :2].std(axis=0), scale, atol=6 * scale / 89)
    _, soon = draw_ahead(found, bins, 0.0, 4_000)
    np.testing.assert_array_equal(soon, now)


def test_tables_have_a_row_a_time_and_arm():
    found = dd.timeline(log_of(swap(600)))
    assert found.p_best.columns == ["from", "to", "arm", "probability"]
    sums = found.p_best.group_by("from").agg(pl.col("probability").sum())["probability"]
    np.testing.assert_allclose(sums, 1.0)
    bands = found.scores
    assert (bands["low"] <= bands["score"]).all()
    assert (bands["score"] <= bands["high"]).all()
    pairs = {(a, b): p for a, b, p in found.beats.iter_rows()}
    assert pairs["milk", "tea"] == pytest.approx(1 - pairs["tea", "milk"])


def test_json_has_the_story():
    told = json.loads(json.dumps(dd.timeline(log_of(swap(600))).to_dict()))
    assert told["best"] == "milk"
    assert set(told["since"]) == {"from", "to"}
    assert set(told["prediction"]) == {"model", "static", "coin"}
    assert [one["arm"] for one in told["leaders"]] == ["tea", "milk"]
    assert {"arm", "from", "to", "probability"} <= set(told["leaders"][0])
    assert sum(told["timeline"][0]["probabilities"].values()) == pytest.approx(1, abs=1e-3)


def test_votes_without_times_have_one_moment():
    log = dd.Log(["tea", "milk"], None, [0] * 100, [1] * 100, [1] * 70 + [0] * 30)
    found = dd.timeline(log)
    assert len(found.story.bins) == 1
    assert found.sentences[0] == "tea is very likely best (over 99%)."


def test_one_vote_is_enough_to_say_little():
    found = dd.timeline(dd.Log(["tea", "milk"], [0], [0], [1], [1]))
    assert found.sentences[0].startswith("tea may be best (")
    assert found.probability < 0.75


def test_groups_that_differ_are_told():
    rng = np.random.default_rng(4)
    n = 700
    old = rng.random(n) < np.linspace(0.9, 0.1, n)
    left = rng.integers(2, size=n)
    gap = np.where(old, 1.0, -1.0) * np.where(left == 0, 1, -1)
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    ages = pl.DataFrame({"age": np.where(old, "old", "young"), "shoe": rng.integers(2, size=n)})
    log = dd.Log(["tea", "milk"], np.arange(n), left, 1 - left, won, extras=ages)
    by_age, by_shoe = (dd.timeline(log, groups=name).groups for name in ("age", "shoe"))
    assert by_age.differ
    assert not by_shoe.differ
    assert by_age.proved
    assert not by_shoe.proved
    low, high = by_age.bands()[1:]
    assert (low < high).all()
    assert low[0, 0] > high[1, 0]
    told = {(g, a): p for g, a, p, *_ in by_age.frame.iter_rows()}
    assert told["old", "tea"] > 0.95
    assert told["young", "milk"] > 0.95
    # Nobody's taste changed: the young took over from the old.
    taste, voters = by_age.moved
    assert abs(taste[0]) < 0.08
    assert voters[0] < -0.2
    with pytest.raises(ValueError, match="no column 'height', it has: age, shoe"):
        dd.timeline(log, groups="height")


def test_new_voters_stand_beside_those_who_came_back():
    """Tea is for those who never voted before, milk for those who have; without dates 10 votes."""
    rng = np.random.default_rng(5)
    n = 900
    voters = np.sort(rng.integers(30, size=n))  # one after the other
    nth = np.arange(n) - np.searchsorted(voters, voters)
    left = rng.integers(2, size=n)
    gap = np.where(nth < 10, 1.5, -1.5) * np.where(left == 0, 1, -1)
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    who = pl.DataFrame({"Voter": [f"v{v}" for v in voters]})
    log = dd.Log(["tea", "milk"], np.arange(n), left, 1 - left, won, extras=who)
    found = dd.timeline(log, groups="returning").groups
    assert found.names == ("new", "returning")
    assert found.votes.tolist() == [(nth < 10).sum(), (nth >= 10).sum()]
    assert found.differ
    told = {(g, a): p for g, a, p, *_ in found.frame.iter_rows()}
    assert told["new", "tea"] > 0.95
    assert told["returning", "milk"] > 0.95
    with pytest.raises(ValueError, match="no column 'returning', it has: none"):
        dd.timeline(dd.Log(["tea", "milk"], [0], [0], [1], [1]), groups="returning")


def test_days_tell_new_voters_where_there_are_dates():
    who = pl.DataFrame({"voter": ["ann", "ann", "bob", "ann"]})
    when = [10.0, 10.2, 11.5, 11.5]
    log = dd.Log(["tea", "milk"], when, [0] * 4, [1] * 4, [1] * 4, extras=who, dated=True)
    assert _returning(who["voter"].to_list(), log) == ["new", "new", "new", "returning"]
    assert _returning(["ann", "", None, "ann"], log) == ["new", "", "", "returning"]


def test_an_analysis_by_group_says_whether_tastes_differ():
    rng = np.random.default_rng(6)
    n = 400
    kind = np.where(rng.random(n) < 0.5, "old", "young")
    won = rng.random(n) < np.where(kind == "old", 0.85, 0.15)
    ages = pl.DataFrame({"age": kind})
    log = dd.Log(["tea", "milk"], np.arange(n), [0] * n, [1] * n, won, extras=ages)
    found = dd.analyse(log, by="age")
    assert any(
        one.startswith("By the model tastes by age differ: for old tea") for one in found.sentences
    )
    assert found.to_dict()["likely"]["groups"]["differ"]


def test_too_many_arms_are_refused():
    log = dd.Log([str(n) for n in range(301)], [0], [0], [1], [1])
    with pytest.raises(ValueError, match="a timeline can have 300"):
        dd.timeline(log)


def test_offered_can_be_given():
    log = log_of(swap(600))
    offered = np.ones((600, 3), bool)
    offered[:, 1] = False
    found = tell(log.left, log.right, log.outcome, log.time, 3, offered=offered)
    # Who has a vote was on offer whatever was said.
    assert found.bins.offered.all()
    assert found.now == 1


def test_words_have_three_steps():
    assert [step(p) for p in (0.95, 0.949, 0.75, 0.749)] == [
        "very likely",
        "probably",
        "probably",
        "perhaps",
    ]
