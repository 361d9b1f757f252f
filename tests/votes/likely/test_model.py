"""The forward and the backward pass beside the definitions of `tests/naive/likely.py`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftduel.votes.likely.bins import into_bins, into_coarse
from driftduel.votes.likely.constants import choose, components, grid
from driftduel.votes.likely.design import Matrix, Pairs
from driftduel.votes.likely.filtering import Constants, _keep, outcomes, run_filter
from driftduel.votes.likely.layout import Layout
from driftduel.votes.likely.sampling import draw
from driftduel.votes.likely.story import _path, last_begins, turning_points
from tests.naive import likely as naive


def one_model(scale, drift, jumps=0.0, size=0.5):
    return Constants(*(np.array([x]) for x in (scale, drift, jumps, size, 0.01, 1.0, 0.0)))


def some_votes(seed, n, k, ties=0.0):
    rng = np.random.default_rng(seed)
    left = rng.integers(k, size=n)
    right = (left + rng.integers(1, k, size=n)) % k
    outcome = np.where(rng.random(n) < ties, 0.5, rng.random(n) < 0.6)
    return left, right, outcome


def rows_of(bins):
    return [
        [
            tuple(part[at] for part in (bins.left, bins.right, bins.count, bins.won))
            for at in range(bins.rows[b], bins.rows[b + 1])
        ]
        for b in range(len(bins))
    ]


def small_bins(seed, k, n_bins, ties=0.0, per_bin=12):
    left, right, outcome = some_votes(seed, n_bins * per_bin, k, ties)
    time = np.repeat(np.arange(n_bins, dtype=float), per_bin)
    return into_bins(left, right, outcome, time, k, sides=False)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.integers(1, 6),
    st.sampled_from([0.0, 0.3]),
    st.floats(0.0, 5.0),
)
def test_filter_of_one_model_is_newton_bin_by_bin(seed, k, n_bins, ties, drift):
    bins = small_bins(seed, k, n_bins, ties)
    found = run_filter(bins, Layout(k), one_model(0.7, drift), 1)
    mean, spread = np.zeros(k), np.eye(k) * 0.49
    total = 0.0
    for b, rows in enumerate(rows_of(bins)):
        if b:
            mean, spread = naive.moved(mean, spread, 0.7, drift, bins.gap[b])
        mean, spread, gain = naive.update(mean, spread, rows, bins.ties)
        total += gain
        np.testing.assert_allclose(found.pools[b].mean[0], mean, atol=1e-4)
        np.testing.assert_allclose(found.pools[b].spread[0], spread, atol=1e-4)
    assert found.evidence == pytest.approx(total, abs=1e-3)


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.3]))
def test_evidence_with_jumps_is_the_sum_over_all_histories(seed, ties):
    bins = small_bins(seed, 3, 3, ties)
    found = run_filter(bins, Layout(3), one_model(0.5, 0.3, 0.8), 600)
    exact = naive.evidence_of_histories(rows_of(bins), bins.gap, 3, 0.5, 0.3, 0.8, 0.5, bins.ties)
    # Children keep the weight of the likelihood to the last digit that Newton steps leave.
    assert found.evidence == pytest.approx(exact, abs=1e-3)


def test_samples_have_the_moments_of_the_smoother():
    bins = small_bins(3, 3, 6, per_bin=30)
    found = run_filter(bins, Layout(3), one_model(0.6, 2.0), 1)
    samples = draw(found, bins, 20_000, seed=1)
    for b, (mean, spread) in enumerate(
        naive.smoothed(rows_of(bins), bins.gap, 3, 0.6, 2.0, bins.ties)
    ):
        # Six standard errors of 20,000 samples: false in 1 of 10^8 runs, and the seed is fixed.
        np.testing.assert_allclose(samples[:, b].mean(axis=0), mean, atol=6 * 0.6 / 141)
        np.testing.assert_allclose(np.cov(samples[:, b].T), spread, atol=6 * 0.36 * 1.5 / 141)


@settings(max_examples=50, deadline=None)
@given(st.floats(-30, 30), st.floats(0, 5))
def test_outcomes_have_mean_and_variance_of_win_tie_and_loss(x, ties):
    chances, values = naive.outcome_chances(x, ties), np.array([1, 0.5, 0])
    mean, variance = outcomes(np.array([x]), ties)
    assert mean[0] == pytest.approx(chances @ values, abs=1e-9)
    assert variance[0] == pytest.approx(chances @ values**2 - (chances @ values) ** 2, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_many_rows_add_up_as_a_matrix_does(seed, k, sided):
    rng = np.random.default_rng(seed)
    left, right = np.nonzero(~np.eye(k, dtype=bool))
    kept = rng.random(len(left)) < 0.7
    left, right = left[kept], right[kept]
    size = k + sided
    z = np.zeros((len(left), size))
    z[np.arange(len(left)), left] = 1
    z[np.arange(len(left)), right] = -1
    z[:, k:] = 1
    root = rng.normal(size=(3, size, size))
    x, spread, weight = rng.normal(size=(3, size)), root @ root.mT, rng.random((3, len(left)))
    one, other = Matrix(z), Pairs(left, right, size, sided)
    np.testing.assert_allclose(other.of(x), one.of(x), atol=1e-12)
    np.testing.assert_allclose(other.variance(spread), one.variance(spread), atol=1e-12)
    np.testing.assert_allclose(other.gradient(weight), one.gradient(weight), atol=1e-12)
    np.testing.assert_allclose(other.curvature(weight), one.curvature(weight), atol=1e-12)
    sums = np.einsum("nr,ra,rb->nab", weight, z, z)
    np.testing.assert_allclose(one.curvature(weight), sums, atol=1e-12)


def test_a_bin_of_many_rows_is_told_by_places_and_gives_the_same(monkeypatch):
    bins = small_bins(5, 5, 3, per_bin=400)
    many = run_filter(bins, Layout(5), one_model(0.7, 1.0, 0.8), 9)
    assert isinstance(Layout(5).design(bins, slice(0, bins.rows[1]))[0], Matrix)
    monkeypatch.setattr("driftduel.votes.likely.layout._MANY_ROWS", 1)
    assert isinstance(Layout(5).design(bins, slice(0, bins.rows[1]))[0], Pairs)
    few = run_filter(bins, Layout(5), one_model(0.7, 1.0, 0.8), 9)
    assert few.evidence == pytest.approx(many.evidence, abs=1e-6)
    np.testing.assert_allclose(few.chances, many.chances, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-8, 0), min_size=2, max_size=30), st.integers(1, 12), st.integers(0, 99))
def test_what_is_kept_has_the_weight_of_all(weights, most, seed):
    log_weight = np.array(weights)
    kept, new = _keep(log_weight, np.arange(len(weights)), most, np.random.default_rng(seed))
    assert len(kept) == min(most, len(weights))
    assert np.exp(new).sum() == pytest.approx(np.exp(log_weight).sum())


def test_what_is_kept_is_expected_to_weigh_what_it_did():
    log_weight = np.log(np.array([0.5, 0.2, 0.1, 0.1, 0.06, 0.04]))
    total = np.zeros(6)
    for seed in range(4_000):
        kept, new = _keep(log_weight, np.arange(6), 3, np.random.default_rng(seed))
        np.add.at(total, kept, np.exp(new))
    # A weight varies by at most .3: 5 standard errors of 4,000 draws.
    np.testing.assert_allclose(total / 4_000, np.exp(log_weight), atol=5 * 0.15 / 63)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_turning_point_has_the_fewest_exceptions(flags):
    assert turning_points(np.array([flags]))[0] == naive.turning_point(flags)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.booleans(), max_size=12))
def test_what_is_true_without_a_break_begins_after_the_last_exception(flags):
    flags = [*flags, True]
    assert last_begins(np.array([flags]))[0] == naive.last_begin(flags)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 7))
def test_path_of_names_is_worth_the_most(seed, k, n_bins):
    rng = np.random.default_rng(seed)
    p_best = rng.dirichlet(np.full(k, 0.5), size=n_bins)
    p_best[-1] = 1 / k  # nobody is named only for being likeliest now
    gap = np.append(0, rng.random(n_bins - 1))
    names, share, price = _path(p_best, gap)
    worth = share @ p_best[np.arange(n_bins), names] - price * (np.diff(names) != 0).sum()
    assert worth == pytest.approx(naive.best_path_value(p_best, share, price))


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.integers(1, 300),
    st.booleans(),
    st.booleans(),
)
def test_bins_hold_every_vote_once_and_split_no_moment(seed, k, n, dated, sides):
    left, right, outcome = some_votes(seed, n, k, 0.2)
    rng = np.random.default_rng(seed)
    time = np.sort(rng.integers(0, 40, size=n)) * rng.choice([1.0, 30.0])
    count = rng.integers(1, 4, size=n).astype(float)
    bins = into_bins(left, right, outcome, time, k, count=count, dated=dated, sides=sides)
    wins = np.zeros((k, k))
    np.add.at(wins, (left, right), count * outcome)
    np.add.at(wins, (right, left), count * (1 - outcome))
    told = np.zeros((k, k))
    np.add.at(told, (bins.left, bins.right), bins.won)
    np.add.at(told, (bins.right, bins.left), bins.count - bins.won)
    np.testing.assert_allclose(told, wins)
    assert (bins.last[:-1] < bins.first[1:]).all()
    assert bins.gap.sum() == pytest.approx(1.0 if len(bins) > 1 else 0.0)
    coarse = into_coarse(bins, 3)
    assert len(coarse) <= max(3, 1)
    assert coarse.count.sum() == pytest.approx(bins.count.sum())
    assert coarse.won.sum() == pytest.approx(bins.won.sum())


def test_arms_are_on_offer_while_votes_of_them_are_to_be_expected():
    """Arm 2 plays in the first and the last third; nobody votes in the middle of it for a while."""
    rng = np.random.default_rng(0)
    left, right, outcome = some_votes(0, 900, 3)
    there = np.arange(900) // 300 != 1
    left = np.where(there, left, rng.permuted(np.tile([0, 1], 450)))
    right = np.where(there, right, 1 - left)
    bins = into_bins(left, right, outcome, np.arange(900.0), 3)
    third = len(bins) // 3
    assert bins.offered[:, :2].all()
    assert bins.offered[: third - 1, 2].all()
    assert bins.offered[-third + 1 :, 2].all()
    assert not bins.offered[third + 2 : -third - 2, 2].any()


def test_votes_that_come_from_rankings_count_less():
    rng = np.random.default_rng(0)
    left, right, time = [], [], []
    for race in range(60):
        order = np.argsort(rng.gumbel(size=6) + np.linspace(0, 1, 6))
        for i in range(6):
            for j in range(i + 1, 6):
                left.append(order[i])
                right.append(order[j])
                time.append(float(race))
    won = np.ones(len(left))
    ranked = into_bins(np.array(left), np.array(right), won, np.array(time), 6, sides=False)
    apart = into_bins(
        *some_votes(1, len(left), 6)[:2],
        (rng.random(len(left)) < 0.6).astype(float),
        np.array(time),
        6,
    )
    assert ranked.worth == pytest.approx(3 / 7)
    assert apart.worth == 1.0


def test_long_logs_of_many_arms_run_fewer_models():
    assert components(100, 6) > components(1_000, 60) >= 10
    whole = grid()
    bins = small_bins(5, 3, 20)
    assert len(choose(bins, Layout(3)).drift) == len(whole.drift)
    assert np.exp(whole.chance).sum() == pytest.approx(1.0)
    assert np.exp(grid(paired=True).chance).sum() == pytest.approx(1.0)
