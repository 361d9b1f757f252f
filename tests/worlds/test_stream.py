"""What a stream is, its slices and sums, regret over time, and what it refuses."""

from __future__ import annotations

import copy
import pickle
from datetime import date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.worlds import stream_file as module
from tests.naive import criteria as naive

P = [[0.5, 0.6], [0.4, 0.5]]
Q = [[0.5, 0.3], [0.7, 0.5]]
CYCLE = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
LADDER = [[0.5, 0.75, 1], [0.25, 0.5, 0.75], [0, 0.25, 0.5]]
PAPERS = [[0.5, 0.625, 0.625], [0.375, 0.5, 1.0], [0.375, 0.0, 0.5]]
SPAN = (date(2020, 1, 1), date(2020, 12, 31))

quick = settings(max_examples=100, deadline=None, derandomize=True)


@st.composite
def rounds(draw, n_arms=None, longest=12):
    """One matrix a round, out of at most three, with K in 2 to 4."""
    K = draw(st.integers(2, 4)) if n_arms is None else n_arms
    palette = []
    for _ in range(3):
        matrix = np.full((K, K), 0.5)
        for a in range(K):
            for b in range(a):
                matrix[a, b] = draw(st.sampled_from([0, 0.25, 0.5, 1]))
                matrix[b, a] = 1 - matrix[a, b]
        palette.append(matrix)
    which = draw(st.lists(st.integers(0, 2), min_size=1, max_size=longest))
    return np.array([palette[m] for m in which])


def matrices_of(s: dd.Stream) -> list[list[list[float]]]:
    return [s.matrix(t).tolist() for t in range(s.horizon)]


def is_canonical(s: dd.Stream) -> bool:
    debuts = [int(np.flatnonzero(s.which == m)[0]) for m in range(len(s.palette))]
    return (
        s.starts[0] == 0
        and bool((np.diff(s.starts) > 0).all())
        and s.starts[-1] < s.horizon
        and bool((np.diff(s.which) != 0).all())
        and debuts == sorted(debuts)
        and len({matrix.tobytes() for matrix in s.palette}) == len(s.palette)
        and all(a.flags.c_contiguous for a in (s.palette, s.which, s.starts))
        and s.which.dtype == s.starts.dtype == np.int64
    )


# What a stream is


@quick
@given(rounds())
def test_a_sequence_gives_back_its_matrices_in_canonical_form(world):
    s = dd.Stream.sequence(world)
    assert matrices_of(s) == world.tolist()
    assert (s.horizon, s.n_arms, len(s)) == (len(world), world.shape[1], len(world))
    assert is_canonical(s)


@quick
@given(rounds(), st.data())
def test_the_general_form_means_palette_and_timeline(world, data):
    starts = sorted(data.draw(st.sets(st.integers(1, 30), max_size=len(world) - 1)) | {0})
    which = data.draw(st.lists(st.integers(0, len(world) - 1), min_size=1, max_size=len(starts)))
    starts = starts[: len(which)]
    which = which[: len(starts)]
    horizon = starts[-1] + data.draw(st.integers(1, 5))
    s = dd.Stream(world, which, starts, horizon)
    expected = [
        world[which[max(n for n in range(len(starts)) if starts[n] <= t)]].tolist()
        for t in range(horizon)
    ]
    assert matrices_of(s) == expected
    assert s == dd.Stream.sequence(expected)
    assert is_canonical(s)
    assert [s.stretch_at(t) for t in s.starts] == list(range(s.n_stretches))
    assert s.ends.tolist() == [*s.starts[1:].tolist(), s.horizon]


def test_a_stationary_stream_has_one_stretch():
    s = dd.Stream.stationary(P, 10)
    assert (s.n_stretches, s.starts.tolist(), s.which.tolist()) == (1, [0], [0])
    assert s.matrix(9).tolist() == P


def test_a_piecewise_stream_changes_at_its_starts():
    s = dd.Stream.piecewise([P, Q, P], starts=[0, 3, 5], horizon=6)
    assert matrices_of(s) == [P, P, P, Q, Q, P]


def test_equal_matrices_are_stored_once_and_unused_ones_not_at_all():
    s = dd.Stream([Q, P, P, Q], which=[1, 2, 3, 1], starts=[0, 2, 4, 6], horizon=8)
    assert s.palette.tolist() == [P, Q]
    assert s.which.tolist() == [0, 1, 0]
    assert s.starts.tolist() == [0, 4, 6]


def test_zero_and_minus_zero_are_the_same_preference():
    minus = [[0.5, -0.0], [1.0, 0.5]]
    s = dd.Stream.sequence([[[0.5, 0.0], [1.0, 0.5]], minus])
    assert s.n_stretches == 1


def test_matrices_whose_keys_collide_are_still_told_apart(monkeypatch):
    class NoSalt:
        def integers(self, low, high, size, dtype):
            return np.zeros(size, dtype)

    monkeypatch.setattr(module.np.random, "default_rng", lambda seed: NoSalt())
    swapped = np.array(LADDER)[::-1, ::-1]
    s = dd.Stream.sequence([LADDER, swapped, LADDER, -0.0 + swapped])
    assert len(s.palette) == 2
    assert s.which.tolist() == [0, 1, 0, 1]


def test_many_repeated_matrices_are_found_across_chunks():
    rng = np.random.default_rng(0)
    distinct = np.full((30_000, 2, 2), 0.5)
    distinct[:, 0, 1] = rng.random(30_000)
    distinct[:, 1, 0] = 1 - distinct[:, 0, 1]
    s = dd.Stream.sequence(np.concatenate([distinct, distinct[::-1]]))
    assert len(s.palette) == 30_000
    assert s.n_stretches == 59_999
    assert s.matrix(59_999).tolist() == distinct[0].tolist()


def test_a_billion_rounds_with_a_hundred_stretches_cost_kilobytes():
    margins = np.linspace(0, 0.5, 100)
    palette = np.full((100, 2, 2), 0.5)
    palette[:, 0, 1] += margins
    palette[:, 1, 0] -= margins
    s = dd.Stream.piecewise(palette, np.arange(100) * 10**7, 10**9)
    assert s.n_stretches == 100
    assert s.palette.nbytes + s.which.nbytes + s.starts.nbytes == 100 * (4 * 8 + 8 + 8)
    assert s.matrix(10**9 - 1)[0, 1] == 1
    assert s.stretch_at(5 * 10**7 - 1) == 4


def test_a_stream_does_not_share_its_arrays_with_the_caller():
    palette, which, starts = np.array([P, Q]), np.array([0, 1]), np.array([0, 5])
    s = dd.Stream(palette, which, starts, 10)
    sequence = dd.Stream.sequence(palette)
    palette[:] = 0.5
    which[:] = 0
    starts[1] = 3
    assert matrices_of(s) == [P] * 5 + [Q] * 5
    assert matrices_of(sequence) == [P, Q]


def test_the_arrays_of_a_stream_are_read_only_however_it_was_made():
    s = dd.Stream.piecewise([P, Q], [0, 5], 10)
    copies = (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s)))
    assert all(other == s for other in copies)
    made_from = (s[2:], s[:], s + s, s.stretch(20), s.relabel([1, 0]), dd.Stream.sequence([P]))
    for made in (s, *copies, *made_from):
        for array in (made.palette, made.which, made.starts, made.matrix(0)):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


def test_streams_are_equal_when_they_are_the_same_world():
    s = dd.Stream.piecewise([P, Q], [0, 5], 10, labels=["tea", "coffee"])
    assert s == dd.Stream([Q, P, Q], [1, 1, 0], [0, 2, 5], 10, labels=("tea", "coffee"))
    assert s != dd.Stream.piecewise([P, Q], [0, 5], 10)
    assert s != dd.Stream.piecewise([P, Q], [0, 5], 11, labels=["tea", "coffee"])
    assert s != dd.Stream.piecewise([P, Q], [0, 6], 10, labels=["tea", "coffee"])
    assert s != dd.Stream.piecewise([Q, P], [0, 5], 10, labels=["tea", "coffee"])
    assert s != "stream"
    assert dd.Stream([P], [0], [0], 3) != dd.Stream([P], [0], [0], 3, span=SPAN)


def test_a_stream_is_not_hashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(dd.Stream.stationary(P, 1))


@pytest.mark.parametrize(
    ("s", "text"),
    [
        (dd.Stream.stationary(P, 10**9), "Stream(2 arms, 1,000,000,000 rounds, stationary)"),
        (
            dd.Stream.piecewise([P, Q, P], [0, 3, 5], 6),
            "Stream(2 arms, 6 rounds, 3 stretches of 2 matrices)",
        ),
        (
            dd.Stream([P], [0], [0], 366, span=SPAN),
            "Stream(2 arms, 366 rounds, stationary, 2020-01-01 to 2020-12-31)",
        ),
    ],
)
def test_repr_tells_what_it_is(s, text):
    assert repr(s) == text


def test_rounds_of_a_dated_stream_have_dates():
    s = dd.Stream.sequence([P, Q] * 183)
    assert s.date(3) is None
    dated = dd.Stream(s.palette, s.which, s.starts, s.horizon, span=SPAN)
    assert [dated.date(t) for t in (0, 31, 365)] == [SPAN[0], date(2020, 2, 1), SPAN[1]]
    assert dd.Stream([P], [0], [0], 1, span=SPAN).date(0) == SPAN[0]


def test_times_of_day_are_dropped_from_the_span():
    s = dd.Stream([P], [0], [0], 3, span=(datetime(2020, 1, 1, 12), datetime(2020, 1, 3, 6)))
    assert s.span == (date(2020, 1, 1), date(2020, 1, 3))


# Slices, sums, other horizons, other orders


@quick
@given(rounds(), st.data())
def test_a_slice_holds_the_rounds_that_python_would_slice(world, data):
    s = dd.Stream.sequence(world)
    T = len(world)
    ends = st.none() | st.integers(-T - 2, T + 2)
    part = slice(data.draw(ends), data.draw(ends))
    if len(world[part]) == 0:
        with pytest.raises(ValueError, match="holds no round"):
            s[part]
        return
    assert matrices_of(s[part]) == world[part].tolist()
    assert is_canonical(s[part])


@quick
@given(rounds(), st.data())
def test_a_stream_cut_in_two_and_joined_is_the_same(world, data):
    s = dd.Stream.sequence(world)
    cut = data.draw(st.integers(0, len(world)))
    joined = s if cut in (0, len(world)) else s[:cut] + s[cut:]
    assert joined == s


@quick
@given(rounds(n_arms=3), rounds(n_arms=3))
def test_a_sum_plays_one_stream_after_the_other(first, second):
    both = dd.Stream.sequence(first) + dd.Stream.sequence(second)
    assert matrices_of(both) == [*first.tolist(), *second.tolist()]
    assert is_canonical(both)


@quick
@given(rounds(), st.integers(1, 60))
def test_a_stretched_stream_keeps_the_share_of_every_change(world, horizon):
    s = dd.Stream.sequence(world)
    other = s.stretch(horizon)
    assert other.horizon == horizon
    assert is_canonical(other)
    # Stretch n begins at the share starts[n] / T of the new horizon, rounded down.
    expected = []
    for t in range(horizon):
        begun = [n for n, start in enumerate(s.starts) if start * horizon // len(world) <= t]
        expected.append(s.palette[s.which[begun[-1]]].tolist())
    assert matrices_of(other) == expected


@quick
@given(rounds(), st.integers(1, 5))
def test_stretching_by_a_whole_factor_repeats_every_round_and_can_be_undone(world, factor):
    s = dd.Stream.sequence(world)
    longer = s.stretch(factor * len(world))
    assert matrices_of(longer) == np.repeat(world, factor, axis=0).tolist()
    assert longer.stretch(len(world)) == s


@quick
@given(rounds(), st.data())
def test_relabelling_moves_rows_and_columns_and_can_be_undone(world, data):
    K = world.shape[1]
    order = data.draw(st.permutations(range(K)))
    names = [f"arm {a}" for a in range(K)]
    s = dd.Stream.sequence(world, labels=names)
    t = s.relabel(order)
    assert t.labels == tuple(names[a] for a in order)
    expected = [[[m[a][b] for b in order] for a in order] for m in world.tolist()]
    assert matrices_of(t) == expected
    assert is_canonical(t)
    assert t.relabel(np.argsort(order)) == s


def test_labels_and_dates_follow_a_slice():
    s = dd.Stream([P, Q], [0, 1], [0, 100], 366, labels=["tea", "coffee"], span=SPAN)
    part = s[31:60]
    assert part.labels == ("tea", "coffee")
    assert part.span == (date(2020, 2, 1), date(2020, 2, 29))
    assert part.stretch(1000).span == part.span
    assert part.relabel([1, 0]).span == part.span


def test_a_sum_keeps_labels_and_drops_dates():
    named = dd.Stream([P], [0], [0], 3, labels=["tea", "coffee"], span=SPAN)
    plain = dd.Stream.stationary(Q, 2)
    for both in (named + plain, plain + named, named + named):
        assert both.labels == ("tea", "coffee")
        assert both.span is None


def test_a_slice_of_a_long_stream_does_not_keep_its_palette():
    s = dd.Stream.sequence([P, Q, [[0.5, 1], [0, 0.5]]])
    assert s[:2].palette.tolist() == [P, Q]
    assert s[1:].palette.tolist() == s.palette[1:].tolist()


# Regret over time


@quick
@given(rounds(n_arms=3), st.data())
def test_dynamic_regret_adds_up_the_regret_of_every_round(world, data):
    n = data.draw(st.integers(1, len(world)))
    arms = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    left, right = data.draw(arms), data.draw(arms)
    turn = data.draw(st.integers(1, len(world)))
    weights = [[0.5, 0.25, 0.25], [0, 0, 1]]
    weighted = dd.Weighted(dd.WeightSequence(weights, [0, turn]))
    s = dd.Stream.sequence(world)

    def matrix(t):
        return world[t].tolist()

    def weight(t):
        return weights[t >= turn]

    def uniform(t):
        return naive.borda_weight(matrix(t))

    for weak, of_a_round in ((False, naive.regret), (True, naive.weak_regret)):
        expected = naive.dynamic_regret(matrix, weight, left, right, of_a_round)
        assert s.regret(left, right, weighted, weak=weak).tolist() == [float(x) for x in expected]
        expected = naive.dynamic_regret(matrix, uniform, left, right, of_a_round)
        # 1/3 is not a float: a few units in the last place over 12 rounds.
        assert s.regret(left, right, weak=weak) == pytest.approx(
            [float(x) for x in expected], abs=1e-14
        )


@quick
@given(rounds(n_arms=3), st.data())
def test_condorcet_regret_is_exact_or_names_the_first_round_without_a_winner(world, data):
    n = data.draw(st.integers(1, len(world)))
    arms = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    left, right = data.draw(arms), data.draw(arms)
    s = dd.Stream.sequence(world)
    beaten = [t for t in range(n) if (world[t].min(axis=1) < 0.5).all()]
    if beaten:
        with pytest.raises(ValueError) as error:  # noqa: PT011
            s.regret(left, right, "condorcet")
        assert str(error.value) == (
            f"round {beaten[0]}: no arm is a Condorcet winner, so Condorcet regret is undefined"
        )
        return
    expected = naive.dynamic_regret(
        lambda t: world[t].tolist(),
        lambda t: [],
        left,
        right,
        lambda matrix, _, i, j: naive.condorcet_regret(matrix, i, j),
    )
    assert s.regret(left, right, dd.Condorcet()).tolist() == [float(x) for x in expected]


def test_a_cycle_after_the_rounds_played_does_not_matter():
    s = dd.Stream.piecewise([LADDER, CYCLE], [0, 5], 10)
    assert s.regret([2] * 5, [2] * 5, "condorcet")[-1] == 2.5
    with pytest.raises(ValueError, match=r"^round 5: no arm is a Condorcet winner"):
        s.regret([2] * 6, [2] * 6, "condorcet")


def test_gap_rows_begin_where_the_world_or_the_criterion_changes():
    s = dd.Stream.piecewise([LADDER, PAPERS, LADDER], [0, 4, 8], 12)
    gaps, begins = s.gap_rows("condorcet")
    assert begins.tolist() == [0, 4, 8]
    assert gaps.tolist() == [[0, 0.25, 0.5], [0, 0.125, 0.125], [0, 0.25, 0.5]]
    masses = dd.WeightSequence([[1, 0, 0], [0, 0, 1], [0, 1, 0]], [0, 6, 99])
    gaps, begins = s.gap_rows(dd.Weighted(masses))
    assert begins.tolist() == [0, 4, 6, 8]
    assert gaps.tolist() == [[0, 0.25, 0.5], [0, 0.125, 0.125], [0.375, 0, 0.5], [0, 0.25, 0.5]]


def test_gap_rows_name_the_first_round_without_a_condorcet_winner():
    s = dd.Stream.piecewise([LADDER, PAPERS, CYCLE, LADDER, CYCLE], [0, 3, 7, 9, 20], 30)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        s.gap_rows(dd.Condorcet())
    assert str(error.value) == (
        "round 7: no arm is a Condorcet winner, so Condorcet regret is undefined"
    )


# Bad input


@pytest.mark.parametrize(
    ("which", "starts", "horizon", "message"),
    [
        ([0, 1], [0, 5], 0, "horizon is 0, must be at least 1"),
        ([0, 1], [0, 5], -3, "horizon is -3, must be at least 1"),
        ([0, 1], [0, 5], 10.0, "horizon is 10.0, must be a whole number"),
        ([0, 1], [0, 5], "10", "horizon is '10', must be a whole number"),
        ([0, 1], [0, 5], True, "horizon is True, must be a whole number"),
        ([0, 1], [0, 5], None, "horizon is None, must be a whole number"),
        ([0, 1], [0, 5], 2**62 + 1, f"horizon is {2**62 + 1}, must be at most {2**62}"),
        ([0, 1], [0], 10, "stream: 1 starts but 2 in which"),
        ([0], [0, 5], 10, "stream: 2 starts but 1 in which"),
        ([0, 1], [1, 5], 10, "stream: starts[0] = 1, must be 0"),
        ([0, 1], [0, 0], 10, "stream: starts[1] = 0 does not come after starts[0] = 0"),
        ([0, 1, 0], [0, 7, 5], 10, "stream: starts[2] = 5 does not come after starts[1] = 7"),
        ([0, 1], [0, 10], 10, "stream: starts[1] = 10, must be below the horizon 10"),
        ([0, 1], [0, 2.5], 10, "stream: starts[1] = 2.5, must be a whole number"),
        ([0, 1], [0, float("nan")], 10, "stream: starts[1] = nan, must be a whole number"),
        ([0, 1], [0, float("inf")], 10, "stream: starts[1] = inf, must be a whole number"),
        (
            [0, 1],
            np.array([0, 2**63], dtype=np.uint64),
            10,
            "stream: starts[1] = 9223372036854775808, must be a whole number",
        ),
        ([0, 1], [], 10, "stream: starts: must be a list of whole numbers, one at least"),
        ([0, 1], 0, 10, "stream: starts: must be a list of whole numbers, one at least"),
        ([0, 1], [[0, 5]], 10, "stream: starts: must be a list of whole numbers, one at least"),
        ([0, 1], ["0", "5"], 10, "stream: starts: must be a list of whole numbers, one at least"),
        (
            [0, 1],
            [[0], [5, 6]],
            10,
            "stream: starts: must be a list of whole numbers, one at least",
        ),
        ([0, None], [0, 5], 10, "stream: which: must be a list of whole numbers, one at least"),
        ([0, 0.5], [0, 5], 10, "stream: which[1] = 0.5, must be a whole number"),
        ([0, 2], [0, 5], 10, "stream: which[1] = 2, must be between 0 and 1"),
        ([-1, 0], [0, 5], 10, "stream: which[0] = -1, must be between 0 and 1"),
    ],
)
def test_a_bad_timeline_is_refused_with_the_reason(which, starts, horizon, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.Stream([P, Q], which, starts, horizon)
    assert str(error.value) == message


def test_a_bad_matrix_is_refused_with_its_place_in_the_palette():
    bad = [[0.5, 0.7], [0.4, 0.5]]
    message = r"preference matrix 1: P\[0,1\] \+ P\[1,0\] = 1.1, must be 1"
    with pytest.raises(ValueError, match=message):
        dd.Stream([P, bad], [0], [0], 10)
    with pytest.raises(ValueError, match=message):
        dd.Stream.sequence([P, bad])
    with pytest.raises(ValueError, match=message):
        dd.Stream.piecewise([P, bad], [0, 5], 10)
    with pytest.raises(ValueError, match=r"^preference matrix: P\[0,1\] \+ P\[1,0\] = 1.1"):
        dd.Stream.stationary(bad, 10)
    with pytest.raises(ValueError, match=r"has shape \(2, 2\), must be a list of K x K matrices"):
        dd.Stream.sequence(P)


def test_piecewise_needs_a_start_for_every_matrix():
    with pytest.raises(ValueError, match=r"^stream: 1 starts but 2 in which$"):
        dd.Stream.piecewise([P, Q], [0], 10)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["tea"], "labels: 1 given, there are 2 arms"),
        (["tea", "tea"], "labels: each arm needs a different one"),
        ("ab", "labels: must be a list of names, not the text 'ab'"),
    ],
)
def test_bad_labels_are_refused(labels, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.Stream.stationary(P, 10, labels=labels)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "span", [(SPAN[0],), ("2020-01-01", "2020-12-31"), (*SPAN, SPAN[1]), (1, 2)]
)
def test_a_span_that_is_not_two_dates_is_refused(span):
    with pytest.raises(ValueError, match="must be the dates of the first and the last round"):
        dd.Stream([P], [0], [0], 10, span=span)


def test_a_span_that_ends_before_it_begins_is_refused():
    with pytest.raises(ValueError, match=r"^span: ends on 2020-01-01, before it begins on"):
        dd.Stream([P], [0], [0], 10, span=(SPAN[1], SPAN[0]))


@pytest.mark.parametrize("t", [-1, 10, 10**12])
def test_a_round_outside_the_horizon_has_no_matrix_and_no_date(t):
    s = dd.Stream([P], [0], [0], 10, span=SPAN)
    for look in (s.matrix, s.stretch_at, s.date):
        with pytest.raises(ValueError, match=rf"^round is {t}, must be between 0 and 9$"):
            look(t)


def test_a_stream_is_sliced_by_rounds_in_order():
    s = dd.Stream.stationary(P, 10)
    with pytest.raises(TypeError, match=r"s.matrix\(t\) gives one matrix"):
        s[3]
    with pytest.raises(ValueError, match=r"^slice step is 2, must be 1$"):
        s[::2]
    with pytest.raises(ValueError, match=r"^slice step is -1, must be 1$"):
        s[::-1]
    with pytest.raises(ValueError, match=r"^slice \[5:5\] holds no round$"):
        s[5:5]
    with pytest.raises(ValueError, match=r"^slice \[10:10\] holds no round$"):
        s[10:]


def test_streams_that_do_not_fit_are_not_joined():
    s = dd.Stream.stationary(P, 10, labels=["tea", "coffee"])
    with pytest.raises(ValueError, match=r"^streams of 2 and 3 arms do not join$"):
        s + dd.Stream.stationary(LADDER, 10)
    with pytest.raises(ValueError, match=r"^streams with different arm labels do not join$"):
        s + dd.Stream.stationary(P, 10, labels=["coffee", "tea"])
    with pytest.raises(ValueError, match=r"must be at most 4611686018427387904$"):
        dd.Stream.stationary(P, 2**62) + s
    with pytest.raises(TypeError):
        s + 1


@pytest.mark.parametrize("horizon", [0, -1, 2.0])
def test_a_stream_is_not_stretched_to_a_bad_horizon(horizon):
    with pytest.raises(ValueError, match=rf"^horizon is {horizon}, must be"):
        dd.Stream.stationary(P, 10).stretch(horizon)


@pytest.mark.parametrize("order", [[0], [0, 0], [0, 2], [0, 1, 2]])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(ValueError, match=r"^order must name each arm 0 to 1 once$"):
        dd.Stream.stationary(P, 10).relabel(order)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        ([0, 1], [0], "left has 2 rounds but right has 1"),
        ([0] * 11, [0] * 11, "11 rounds played, the horizon is 10"),
        ([0, 2], [0, 0], "left[1] = 2, must be between 0 and 1"),
        ([0, 0], [-1, 0], "right[0] = -1, must be between 0 and 1"),
        ([0.5], [0], "left[0] = 0.5, must be a whole number"),
        ([], [], "left: must be a list of whole numbers, one at least"),
    ],
)
def test_regret_of_bad_plays_is_refused(left, right, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        dd.Stream.stationary(P, 10).regret(left, right)
    assert str(error.value) == message


def test_regret_under_a_criterion_for_other_arms_is_refused():
    s = dd.Stream.stationary(P, 10)
    with pytest.raises(ValueError, match=r"^weight: has 3 entries, there are 2 arms$"):
        s.regret([0], [0], dd.Weighted([0.5, 0.3, 0.2]))
    with pytest.raises(ValueError, match=r"^criterion is 'best', must be"):
        s.regret([0], [0], "best")


def test_dates_between_the_ends_of_the_span_are_spread_evenly():
    s = dd.Stream([P], [0], [0], 5, span=(date(2020, 1, 1), date(2020, 1, 9)))
    assert [s.date(t) - SPAN[0] for t in range(5)] == [timedelta(days=2 * t) for t in range(5)]


def test_labels_that_cannot_be_printed_are_refused():
    with pytest.raises(ValueError, match=r"^labels: name 2 is '\\x1b', must be printable$"):
        dd.Stream.stationary(P, 10, labels=["a", "\x1b"])


def test_a_single_round_is_called_one():
    assert repr(dd.Stream.stationary(P, 1)) == "Stream(2 arms, 1 round, stationary)"
