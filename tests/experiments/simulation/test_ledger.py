from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.experiments.simulation import ledger as module
from driftduel.experiments.simulation.ledger import Ledger
from tests.experiments.simulation.worlds import SEQUENCE, SWITCHING, played, streams, weights
from tests.naive import criteria as naive

LIMITS = {"pairs": 2**24, "rounds": 300, "arms": 1}
CRITERIA = [dd.Borda(), dd.Condorcet(), dd.Weighted([0.25, 0.5, 0.125, 0.125])]


@pytest.fixture(params=LIMITS)
def record(request, monkeypatch):
    """Let the ledger keep each of its three records in turn."""
    monkeypatch.setattr(module, "_LARGEST", LIMITS[request.param])
    monkeypatch.setattr(module, "_NEAR", 16 if request.param == "pairs" else 1)
    return request.param


def record_of(run):
    return [name for name in LIMITS if getattr(run.ledger, name) is not None]


def by_definition(stream, criterion, left, right, kinds):
    """The regret of every round so far, in fractions."""

    def weight(t):
        if isinstance(criterion, dd.Borda):
            return naive.borda_weight(stream.matrix(t))
        return criterion.weight.at(t).tolist()

    return naive.dynamic_regret(
        lambda t: stream.matrix(t).tolist(), weight, left.tolist(), right.tolist(), kinds
    )


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
def test_regret_is_that_of_the_pairs_played(record, criterion):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=300)
    assert record_of(run) == [record]
    left, right = played(learner, SWITCHING, 3)
    assert run.regret(criterion).tolist() == SWITCHING.regret(left, right, criterion).tolist()


@pytest.mark.parametrize("points", [1, 7, 299, [1, 130, 131, 171, 300], [5], [300, 10, 10]])
def test_regret_at_chosen_points_is_that_of_the_rounds_before(record, points):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=points)
    every_round = SWITCHING.regret(*played(learner, SWITCHING, 3))
    assert run.regret().tolist() == every_round[run.rounds - 1].tolist()


def test_weak_regret_counts_the_better_arm(record):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=300)
    if record == "arms":
        with pytest.raises(
            ValueError,
            match=r"^weak regret needs the pairs of every segment; those of 4 arms over 300 "
            r"segments are too many to keep, ask for fewer points$",
        ):
            run.regret(weak=True)
    else:
        every_round = SWITCHING.regret(*played(learner, SWITCHING, 3), weak=True)
        assert run.regret(weak=True).tolist() == every_round.tolist()


def test_binary_regret_counts_rounds(record):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=300)
    if record == "arms":
        with pytest.raises(ValueError, match=r"^binary regret needs the pairs of every segment"):
            run.regret(binary=True)
    else:
        left, right = played(learner, SWITCHING, 3)
        for weak in (False, True):
            expected = SWITCHING.regret(left, right, weak=weak, binary=True)
            assert run.regret(weak=weak, binary=True).tolist() == expected.tolist()


def test_plays_count_every_ordered_pair(record):
    learner = dd.learners.Uniform(4)
    left, right = played(learner, SWITCHING, 3)
    expected = np.zeros((4, 4), int)
    np.add.at(expected, (left, right), 1)
    run = dd.simulate(learner, SWITCHING, seed=3)
    assert run.plays.tolist() == expected.tolist()
    run.plays[:] = 0
    assert run.plays.sum() == 300


def test_weights_that_change_are_followed_if_they_were_named(record):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=300, criteria=[SEQUENCE, "condorcet"])
    every_round = SWITCHING.regret(*played(learner, SWITCHING, 3), SEQUENCE)
    assert run.regret(SEQUENCE).tolist() == every_round.tolist()


def test_the_changing_weights_of_the_learner_need_not_be_named(record):
    learner = dd.learners.Uniform(4, criterion=SEQUENCE)
    run = dd.simulate(learner, SWITCHING, seed=3, points=[300])
    every_round = SWITCHING.regret(*played(learner, SWITCHING, 3), SEQUENCE)
    assert run.regret(SEQUENCE).tolist() == [every_round[-1]]


def test_weights_that_change_where_nothing_was_kept_apart_are_refused(record):
    learner = dd.learners.Uniform(4)
    run = dd.simulate(learner, SWITCHING, seed=3, points=[300])
    if record == "rounds":
        every_round = SWITCHING.regret(*played(learner, SWITCHING, 3), SEQUENCE)
        assert run.regret(SEQUENCE).tolist() == [every_round[-1]]
    else:
        with pytest.raises(
            ValueError,
            match=r"^the weights change at rounds that the run did not keep apart; pass the "
            r"criterion to simulate\(criteria=\.\.\.\)$",
        ):
            run.regret(SEQUENCE)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(streams(), weights(), st.integers(0, 9), st.data())
def test_regret_is_what_the_definitions_say(stream, criterion, seed, data):
    points = data.draw(st.lists(st.integers(1, stream.horizon), min_size=1))
    limit = data.draw(st.sampled_from([2**24, stream.horizon, 1]))
    learner = dd.learners.Uniform(4)
    left, right = played(learner, stream, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST", limit)
        run = dd.simulate(learner, stream, seed, points, criteria=[criterion])
    for measure in (dd.Borda(), criterion):
        sums = by_definition(stream, measure, left, right, naive.regret)
        expected = [sums[n - 1] for n in sorted(set(points))]
        assert [Fraction(value) for value in run.regret(measure)] == expected
        if run.ledger.arms is None:
            sums = by_definition(stream, measure, left, right, naive.weak_regret)
            expected = [sums[n - 1] for n in sorted(set(points))]
            assert [Fraction(value) for value in run.regret(measure, weak=True)] == expected


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=30), st.sets(st.integers(1, 29)), st.data())
def test_the_sizes_of_batches_do_not_matter(limit, codes, turns, data):
    cuts = np.array([0, *sorted(turn for turn in turns if turn < len(codes))])
    batch = data.draw(st.integers(1, len(codes)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST", min(limit, len(codes)) if limit < 2**24 else limit)
        whole, pieces = (Ledger(3, len(codes), cuts) for _ in range(2))
    pairs = np.array(codes, np.int32)
    whole.add(0, pairs)
    for first in range(0, len(codes), batch):
        pieces.add(first, pairs[first : first + batch])
    assert whole.plays.ravel().tolist() == np.bincount(codes, minlength=9).tolist()
    assert pieces.plays.tolist() == whole.plays.tolist()
    gaps = np.arange(3.0)[None]
    begins = np.array([0])
    left, right = pairs // 3, pairs % 3
    expected = [part.sum() for part in np.split((left + right) / 2, cuts[1:])]
    assert whole.regret(gaps, begins).tolist() == expected
    assert pieces.regret(gaps, begins).tolist() == expected


def sizes(ledger):
    kept = (ledger.pairs, ledger.rounds, ledger.arms)
    return [None if record is None else record.shape for record in kept]


def test_the_record_does_not_grow_with_the_horizon():
    for horizon in (10**3, 10**6, 10**9, 10**15):
        cuts = np.arange(0, horizon, horizon // 200)
        assert sizes(Ledger(10, horizon, cuts)) == [(200, 100), None, None]


def test_few_rounds_with_many_segments_or_arms_are_kept_one_by_one():
    assert sizes(Ledger(100, 10**4, np.arange(10**4))) == [None, (10**4,), None]
    assert sizes(Ledger(1000, 10**4, np.array([0]))) == [None, (10**4,), None]


def test_many_rounds_with_many_segments_and_arms_are_counted_by_arm():
    cuts = np.arange(0, 10**8, 10**5)
    assert sizes(Ledger(1000, 10**8, cuts)) == [None, None, (1000, 1000)]


@pytest.mark.parametrize("record", ["pairs", "arms"])
def test_counts_do_not_overflow(record, monkeypatch):
    if record == "arms":
        monkeypatch.setattr(module, "_LARGEST", 1)
    ledger = Ledger(2, 2**33, np.array([0, 2**32]))
    kept = getattr(ledger, record)
    kept[0, 0] = 2**31 - 1  # as if so many rounds had been played
    ledger.add(2**31 - 1, np.zeros(3, np.int32))
    rounds = 2**31 - 1 + (3 if record == "pairs" else 6)
    assert kept[0, 0] == rounds
    share = 1 if record == "pairs" else 0.5
    assert ledger.regret(np.array([[1.0, 0.0]]), np.array([0])).tolist() == [share * rounds, 0]


def test_small_counts_take_half_the_room():
    assert Ledger(2, 2**30 - 1, np.array([0])).pairs.dtype == np.int32
    assert Ledger(2, 2**30, np.array([0])).pairs.dtype == np.int64
    assert Ledger(2, 2**31 - 1, np.array([0, 2**30 - 1])).pairs.dtype == np.int64
    assert Ledger(2, 2**31 - 2, np.array([0, 2**30 - 1])).pairs.dtype == np.int32
