from __future__ import annotations

import numpy as np
import pytest

from driftduel import WeightSequence
from driftduel.matrix.weights import as_weight, point_mass, uniform


def test_uniform_gives_every_arm_the_same_share():
    assert uniform(4).tolist() == [0.25] * 4


def test_a_point_mass_is_on_one_arm():
    assert point_mass(3, 1).tolist() == [0, 1, 0]


def test_an_arbitrary_weight_on_the_simplex_is_accepted():
    weight = as_weight((0.5, 0.3, 0.2), 3)
    assert weight.dtype == np.float64
    assert weight.tolist() == [0.5, 0.3, 0.2]


def test_a_weight_may_miss_the_simplex_by_rounding():
    assert as_weight(np.full(10, 0.1)).tolist() == [0.1] * 10
    assert len(as_weight(np.full(3, 1 / 3))) == 3


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([0.5, 0.6], "weight: sums to 1.1, must sum to 1"),
        ([0.5, 0.50000001], "weight: sums to 1.00000001, must sum to 1"),
        ([0.0, 0.0], "weight: sums to 0, must sum to 1"),
        ([1.5, -0.5], "weight: w[1] = -0.5, must not be negative"),
        ([0.5, float("nan")], "weight: w[1] is nan"),
        ([float("inf"), 0.5], "weight: w[0] is inf"),
        ([], "weight: has shape (0,), must be one number per arm"),
        ([[0.5, 0.5]], "weight: has shape (1, 2), must be one number per arm"),
        (["a", "b"], "weight: must be numbers in rows of equal length"),
        ([[0.5], [0.2, 0.3]], "weight: must be numbers in rows of equal length"),
        (None, "weight: w[0] is nan"),
    ],
)
def test_a_bad_weight_is_refused_with_the_reason(bad, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        as_weight(bad)
    assert str(error.value) == message


def test_a_weight_for_another_number_of_arms_is_refused():
    with pytest.raises(ValueError, match=r"^weight: has 2 entries, there are 3 arms$"):
        as_weight([0.5, 0.5], 3)


def test_a_uniform_weight_over_no_arms_is_refused():
    with pytest.raises(ValueError, match=r"^n_arms is 0, must be at least 1$"):
        uniform(0)


@pytest.mark.parametrize("arm", [-1, 3])
def test_a_point_mass_on_an_unknown_arm_is_refused(arm):
    with pytest.raises(ValueError, match=rf"^arm is {arm}, must be between 0 and 2$"):
        point_mass(3, arm)


def test_a_sequence_gives_each_round_the_weight_of_its_stretch():
    sequence = WeightSequence([[1, 0], [0.5, 0.5], [0, 1]], starts=[0, 3, 4])
    expected = [[1, 0]] * 3 + [[0.5, 0.5]] + [[0, 1]] * 2
    assert [sequence.at(t).tolist() for t in range(6)] == expected
    assert sequence.n_arms == 2


def test_a_sequence_of_one_weight_rules_for_ever():
    for weights in ([0.25, 0.75], [[0.25, 0.75]]):
        assert WeightSequence(weights).at(10**12).tolist() == [0.25, 0.75]


def test_a_sequence_joins_stretches_with_equal_weights():
    sequence = WeightSequence([[1, 0], [1, 0], [0, 1], [1, 0]], starts=[0, 2, 5, 6])
    assert sequence.starts.tolist() == [0, 5, 6]
    assert sequence.table.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_equal_sequences_are_equal_and_hash_the_same():
    one = WeightSequence([[1, 0], [0, 1]], starts=[0, 5])
    same = WeightSequence(np.array([[1, -0.0], [1, 0], [0, 1]]), starts=np.array([0, 2, 5]))
    assert one == same
    assert hash(one) == hash(same)
    assert one != WeightSequence([[1, 0], [0, 1]], starts=[0, 6])
    assert one != WeightSequence([[1, 0], [0.5, 0.5]], starts=[0, 5])
    assert one != "weights"


def test_a_sequence_does_not_share_arrays_with_its_caller():
    weights, starts = np.array([[1.0, 0], [0, 1]]), np.array([0, 5])
    sequence = WeightSequence(weights, starts)
    weights[0] = [0.5, 0.5]
    starts[1] = 7
    assert sequence.at(0).tolist() == [1, 0]
    assert sequence.starts.tolist() == [0, 5]


def test_the_arrays_of_a_sequence_are_read_only():
    sequence = WeightSequence([[1, 0], [0, 1]], starts=[0, 5])
    for array in (sequence.table, sequence.starts, sequence.at(0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("weights", "starts", "message"),
    [
        ([[1, 0], [0, 1]], [0], "weights: 2 weights but 1 starts"),
        ([[1, 0], [0, 1]], (0,), "weights: 2 weights but 1 starts"),
        ([[1, 0]], [0, 5], "weights: 1 weights but 2 starts"),
        ([[1, 0], [0, 1]], [1, 5], "weights: starts[0] = 1, must be 0"),
        ([[1, 0], [0, 1]], [0, 0], "weights: starts[1] = 0 does not come after starts[0] = 0"),
        (
            [[1, 0], [0, 1], [1, 0]],
            [0, 7, 5],
            "weights: starts[2] = 5 does not come after starts[1] = 7",
        ),
        ([[1, 0], [0, 1]], [0, 1.5], "weights: starts[1] = 1.5, must be a whole number"),
        ([[1, 0]], [], "weights: starts: must be a list of whole numbers, one at least"),
        ([[1, 0]], 0, "weights: starts: must be a list of whole numbers, one at least"),
        ([[1, 0], [0, 1.1]], [0, 5], "weight 1: sums to 1.1, must sum to 1"),
        ([[2, -1], [0, 1]], [0, 5], "weight 0: w[1] = -1, must not be negative"),
        ([1, 1], [0], "weight: sums to 2, must sum to 1"),
        ([], [0], "weight: has shape (0,), must be one number per arm"),
        (np.zeros((0, 2)), [0], "weights: has shape (0, 2), must be one weight per stretch"),
        ([[[1, 0]]], [0], "weights: has shape (1, 1, 2), must be one weight per stretch"),
        ([[1, 0], [1]], [0, 5], "weights: must be numbers in rows of equal length"),
        (["a"], [0], "weights: must be numbers in rows of equal length"),
    ],
)
def test_a_bad_sequence_is_refused_with_the_reason(weights, starts, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        WeightSequence(weights, starts)
    assert str(error.value) == message


def test_a_round_before_the_first_has_no_weight():
    with pytest.raises(ValueError, match=r"^round is -1, must not be negative$"):
        WeightSequence([1, 0]).at(-1)
