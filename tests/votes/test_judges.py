"""What a judge lets expect of votes: by the definitions; and people's intervals hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.votes.forecasts import block_starts, of_past
from driftduel.votes.judges import Answers
from studies import judges as study
from tests.naive import judges as naive


def some_log(rng, n, cases):
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    return dd.Log(
        [*"abc"], np.arange(n), left, right, rng.choice([0.0, 0.5, 1.0], size=n),
        propensity=np.full(n, 1 / 6), extras=pl.DataFrame({"context": rng.choice(cases, size=n)}),
    )  # fmt: skip


def some_answers(rng, n, cases, until):
    left = rng.integers(3, size=n)
    right = (left + rng.integers(1, 3, size=n)) % 3
    return Answers(
        "robot", [*"abc"], left, right, rng.choice([0.0, 0.5, 1.0], size=n),
        rng.integers(until, size=n) + 0.5, rng.choice(cases, size=n),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_what_is_expected_is_what_loops_expect(seed):
    rng = np.random.default_rng(seed)
    log = some_log(rng, 30, ["x", "y", "z"])
    answers = some_answers(rng, 25, ["x", "y"], 30)
    found = answers.expect(log, partial=True)
    past, starts = of_past(log), block_starts(log.time).tolist()
    cases = log.extras["context"].to_list()
    for row in rng.choice(30, size=6, replace=False).tolist():
        for one, other in ((0, 1), (2, 0)):
            told = naive.expected(answers, log, cases, past, starts, one, other, row)
            assert found.tables[found.of_row[row], one, other] == pytest.approx(told, abs=1e-6)


def test_an_answer_stands_until_the_same_is_asked_again():
    said = Answers("robot", [*"ab"], [0, 0], [1, 1], [1, 0], [5, 9])
    assert [said.calls(at)[0, 0, 1] for at in (0, 5, 8, 9)] == [1, 1, 1, -1]


def test_a_judge_who_contradicts_itself_says_nothing():
    said = Answers("robot", [*"ab"], [0, 1], [1, 0], [1, 1], [5, 5])
    assert said.calls()[0, 0, 1] == 0


def test_what_is_expected_of_a_vote_does_not_depend_on_it_or_on_later_ones():
    rng = np.random.default_rng(5)
    log = some_log(rng, 400, ["x", "y"])
    answers = some_answers(rng, 60, ["x", "y"], 400)
    whole, part = (answers.expect(one, partial=True) for one in (log, log.rows(slice(0, 150))))
    np.testing.assert_allclose(whole.tables[whole.of_row[:150]], part.tables[part.of_row])


def test_a_case_of_which_some_pair_was_not_asked_about_says_nothing():
    """Else a judge asked about the pairs that were voted on alone would bias scores."""
    rng = np.random.default_rng(8)
    poll = study.Poll(1_500, 8, adaptive=False)
    full = study.by_side(poll)
    row = np.array([int(case) for case in full.case])
    shown = (full.left == poll.log.left[row]) & (full.right == poll.log.right[row])
    shown |= (full.left == poll.log.right[row]) & (full.right == poll.log.left[row])
    columns = (full.left, full.right, full.outcome, full.time)
    biased = Answers("robot", full.arms, *(one[shown] for one in columns), row[shown].astype(str))
    none = Answers("robot", full.arms, [], [], [], [])
    found, nothing = biased.expect(poll.log), none.expect(poll.log)
    for n in rng.choice(1_500, size=20):
        told = (one.tables[one.of_row[n]] for one in (found, nothing))
        np.testing.assert_allclose(*told)


def test_no_answers_at_all_leave_what_earlier_votes_say():
    log = some_log(np.random.default_rng(6), 200, ["x"])
    found = Answers("robot", log.arms, [], [], [], []).expect(log)
    past = of_past(log)
    told = found.tables[found.of_row[-1]] - past.tables[past.of_row[-1]]
    assert np.abs(told).max() < 0.2  # but for how far they are believed


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        (([0], [1], [1, 0], [0]), "different lengths"),
        (([0], [0], [1], [0]), "beside itself"),
        (([0], [2], [1], [0]), "none of the 2"),
        (([0], [1], [0.7], [0]), "outcomes that are none"),
    ],
)
def test_answers_that_make_no_sense_are_refused(columns, what):
    with pytest.raises(ValueError, match=what):
        Answers("robot", ["a", "b"], *columns)


def test_answers_of_other_arms_are_refused():
    log = some_log(np.random.default_rng(7), 20, ["x"])
    with pytest.raises(ValueError, match="other arms"):
        dd.estimate(log, predictions=Answers("robot", ["a", "b"], [], [], [], []))


def test_a_good_judge_makes_intervals_narrower_and_a_useless_one_hardly_wider():
    poll = study.Poll(1_500, 3, adaptive=False)
    alone, missed, _ = study.measured(poll, None, [1_500])
    assert not missed
    widths = {}
    for judge in (study.by_side, study.good, study.lying, study.useless):
        (widths[judge.__name__],), missed, _ = study.measured(poll, judge(poll), [1_500])
        assert not missed, judge.__name__
    assert widths["by_side"] < 0.8 * alone[0]
    assert widths["good"] < 0.9 * alone[0]
    assert widths["lying"] < 0.9 * alone[0]  # who always lies is as good as who never does
    assert widths["useless"] < 1.02 * alone[0]


def test_the_study_tells_after_how_many_votes_a_width_was_reached():
    assert study.votes_for(0.1, [100, 400], np.array([0.2, 0.1])) == pytest.approx(400)
    assert study.votes_for(0.2**0.5 * 0.1**0.5, [100, 400], np.array([0.2, 0.1])) == pytest.approx(
        200
    )
    assert np.isnan(study.votes_for(0.05, [100, 400], np.array([0.2, 0.1])))
