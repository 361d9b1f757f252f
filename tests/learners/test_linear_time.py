"""The arithmetic of docs/linear-time.md: aligned blocks find what all intervals find.

K stands for the number of arms, or its square for unknown weights. Thresholds are S F with any
S > 0, as the proof does not care what S is.
"""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd

BLOCKS_OF_AN_INTERVAL = 6.0
CAPPED = 10.0


def aligned_blocks(first, end, smallest):
    """Cut [first, end) greedily into aligned blocks; fewer than ``smallest`` rounds stay out."""
    blocks = []
    first = -(-first // smallest) * smallest
    while first + smallest <= end:
        length = smallest
        while first % (2 * length) == 0 and first + 2 * length <= end:
            length *= 2
        blocks.append((first, first + length))
        first += length
    return blocks


def every_aligned_block(first, end, smallest):
    length = smallest
    while length <= end - first:
        for start in range(-(-first // length) * length, end - length + 1, length):
            yield start, start + length
        length *= 2


def factor(n_arms, inverse_rates):
    """F of the paper's specification."""
    drift = n_arms ** (1 / 3) * (len(inverse_rates) - 1) ** (2 / 3)
    noise = math.sqrt(n_arms * inverse_rates.sum()) + n_arms * inverse_rates.max()
    return max(drift, noise)


def block_length_used(n_arms, smallest):
    """The proof's b': the smallest block, but no less than K."""
    return smallest if smallest >= n_arms else 1 << (n_arms - 1).bit_length()


@st.composite
def problems(draw):
    """An interval, its scale, the inverse rates of its rounds, K and the smallest block."""
    n_arms = draw(st.integers(1, 40))
    first = draw(st.integers(0, 5000))
    n = draw(st.integers(1, 3000))
    scale = max(n, n_arms) * draw(st.sampled_from([1.0, 1.5, 8.0, 100.0]))
    smallest = 1 << draw(st.integers(0, (8 * n_arms).bit_length() - 1))
    largest = max(1.0, (scale / n_arms) ** (1 / 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    low = draw(st.sampled_from([1.0, largest]))
    return n_arms, first, n, scale, smallest, rng.uniform(low, largest, n)


def most_gaps_unnoticed(first, end, smallest, limit):
    """Return gaps in [first, end), each at most 1, of the largest sum that no block notices.

    ``limit`` gives the most that a block may hold. Blocks are nested, so the most is found from
    the shortest blocks up.
    """
    gaps = np.ones(end - first)
    for start, stop in every_aligned_block(first, end, smallest):
        part = gaps[start - first : stop - first]
        excess = part.sum() - limit(start, stop)
        if excess > 0:
            part -= excess / len(part)
    return gaps


def test_an_interval_is_cut_into_at_most_two_blocks_of_each_length():
    for smallest in (1, 4):
        for first in range(64):
            for end in range(first, first + 200):
                blocks = aligned_blocks(first, end, smallest)
                lengths = [stop - start for start, stop in blocks]
                assert all(n >= smallest and n & (n - 1) == 0 for n in lengths)
                assert all(start % (stop - start) == 0 for start, stop in blocks)
                assert all(one[1] == two[0] for one, two in pairwise(blocks))
                assert all(count <= 2 for count in Counter(lengths).values())
                n = end - first
                assert n - sum(lengths) <= 2 * (smallest - 1)
                assert sum(map(math.sqrt, lengths)) <= (2 + math.sqrt(2)) * math.sqrt(n) + 1e-9
                assert len(lengths) <= 2 * math.log2(1 + n / (2 * smallest)) + 1e-9


def test_the_range_terms_of_all_blocks_stay_below_their_constant():
    x = np.linspace(1, 1000, 1_000_000)
    ratio = 2 * np.log2(1 + x**3 / 2) / x
    assert ratio.max() < 2.575
    # It falls beyond 1000: the derivative of log(1 + x^3/2) / x is negative for x > 4.
    assert 2 + math.sqrt(2) + ratio.max() < BLOCKS_OF_AN_INTERVAL
    assert math.sqrt(2) * (2 + math.sqrt(2)) + 2 * ratio.max() < CAPPED


@settings(max_examples=200, deadline=None, derandomize=True)
@given(problems(), st.booleans())
def test_the_thresholds_of_the_blocks_add_up_to_a_constant_times_that_of_the_scale(problem, capped):
    n_arms, first, n, scale, smallest, inverse = problem
    if capped:
        inverse = np.maximum(inverse, 2.0)
    blocks = aligned_blocks(first, first + n, block_length_used(n_arms, smallest))
    total = sum(factor(n_arms, inverse[s - first : e - first]) for s, e in blocks)
    constant = CAPPED if capped else BLOCKS_OF_AN_INTERVAL
    assert total <= constant * n_arms ** (1 / 3) * scale ** (2 / 3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems(), st.sampled_from([0.05, 0.3, 1.0, 5.0]))
def test_the_worst_gaps_that_no_block_notices_stay_below_the_bound(problem, constant):
    n_arms, first, n, scale, smallest, inverse = problem

    def limit(start, stop):
        return constant * factor(n_arms, inverse[start - first : stop - first])

    gaps = most_gaps_unnoticed(first, first + n, smallest, limit)
    assert gaps.max() <= 1
    for start, stop in every_aligned_block(first, first + n, smallest):
        assert gaps[start - first : stop - first].sum() <= limit(start, stop) * (1 + 1e-9) + 1e-9
    lost = 2 * (block_length_used(n_arms, smallest) - 1)
    bound = BLOCKS_OF_AN_INTERVAL * constant * n_arms ** (1 / 3) * scale ** (2 / 3) + lost
    assert gaps.sum() <= bound
    assert lost <= 16 * n_arms ** (1 / 3) * scale ** (2 / 3)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.data())
def test_gaps_above_the_bound_are_noticed_by_a_block_inside_the_interval(data):
    n_arms = data.draw(st.integers(1, 4))
    smallest = 1 << data.draw(st.integers(0, (8 * n_arms).bit_length() - 1))
    first = data.draw(st.integers(0, 3000))
    n = data.draw(st.integers(64, 4096))
    constant = data.draw(st.sampled_from([0.05, 0.1, 0.2]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    bound = BLOCKS_OF_AN_INTERVAL * constant * n_arms ** (1 / 3) * n ** (2 / 3)
    bound += 2 * (block_length_used(n_arms, smallest) - 1)
    if bound >= 0.95 * n:
        n = math.ceil(max(9.0 * n_arms, (12 * constant) ** 3 * n_arms)) * 8
        bound = BLOCKS_OF_AN_INTERVAL * constant * n_arms ** (1 / 3) * n ** (2 / 3)
        bound += 2 * (block_length_used(n_arms, smallest) - 1)
    # Gaps of either sign: negative with any chance, then as many ones as the bound asks for.
    gaps = np.where(rng.random(n) < rng.random(), rng.uniform(-1, 1, n), rng.random())
    for t in rng.permutation(n):
        if gaps.sum() > bound:
            break
        gaps[t] = 1.0
    assert gaps.sum() > bound
    inverse = np.full(n, max(1.0, (n / n_arms) ** (1 / 3)))
    assert any(
        gaps[start - first : stop - first].sum()
        > constant * factor(n_arms, inverse[start - first : stop - first])
        for start, stop in every_aligned_block(first, first + n, smallest)
    )


def test_a_bad_segment_leaves_enough_to_its_second_half():
    for n in range(2, 20_000):
        rest = n ** (2 / 3) - (math.ceil(n / 2) - 1) ** (2 / 3)
        assert 36 * rest > 13 * n ** (2 / 3)
        assert 57 * rest > 21 * n ** (2 / 3)


def test_no_interval_shorter_than_the_proof_says_can_evict():
    for n_arms in (2, 10, 100):
        for log_horizon in (math.log(8), math.log(10**6)):
            shortest = 16 * n_arms * log_horizon**3
            n = np.arange(2, math.ceil(shortest))
            assert np.all(n < 4 * log_horizon * n_arms ** (1 / 3) * (n - 1.0) ** (2 / 3))


def test_expected_numbers_of_replays_stay_below_those_of_the_proof():
    horizon = 2**12
    age = np.arange(1, horizon + 1, dtype=float)
    before = np.concatenate([[0.0], np.cumsum(age ** (-2 / 3))])
    for power in range(1, 13):
        length = 2**power
        for q in (1, 7, 100, 2000):
            windows = (before[q:] - before[:-q]) * length ** (-1 / 3)
            assert windows.max() <= 3 * (q / length) ** (1 / 3)
        across = before[1:] - before[np.maximum(np.arange(1, horizon + 1) - length, 0)]
        assert across.max() * length ** (-1 / 3) <= 3
    for q in (1, 10, 1000):
        mean = sum(
            length ** (-1 / 3)
            for d in range(1, q + 1)
            for length in (2.0**power for power in range(1, 40))
            if length >= d
        )
        assert mean <= 7.3 * q ** (2 / 3)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_each_base_is_charged_one_interval_of_an_arm_in_which_it_retains_the_arm(seed):
    rng = np.random.default_rng(seed)
    evidence = -1
    stack = [(0, 10**9)]
    charged = {}
    lost = set()
    for t in range(120):
        stack = [base for base in stack if base[1] >= t]
        if t > 0 and rng.random() < 0.2:
            end = t + int(2 ** rng.integers(1, 7))
            stack = [base for base in stack if base[1] > end]
            stack.append((t, end))
        retaining = [base for base in stack if evidence < base[0]]
        active = evidence < stack[-1][0]
        assert active == bool(retaining)
        if active:
            outermost = retaining[0]
            assert outermost not in lost
            charged.setdefault(outermost, []).append(t)
        lost |= {base for base in stack if base not in retaining}
        if rng.random() < 0.08:
            evidence = max(evidence, int(rng.integers(0, t + 1)))
    for base, rounds in charged.items():
        assert rounds == list(range(rounds[0], rounds[-1] + 1))
        assert base[0] <= rounds[0]
        assert rounds[-1] <= base[1]


@pytest.mark.parametrize("n_arms", [2, 3, 5, 10, 33, 100])
@pytest.mark.parametrize("criterion", [dd.Borda(), dd.Condorcet()], ids=["borda", "condorcet"])
@pytest.mark.parametrize("constants", ["quiet", "theory"])
def test_the_smallest_block_is_as_the_proof_wants_it(n_arms, criterion, constants):
    learner = dd.MetaBosse(n_arms, 10**6, criterion=criterion, constants=constants)
    rule = learner._start(np.random.default_rng(0)).rule[0]
    block = int(rule["steps"]) << int(rule["tick_power"])
    size = n_arms**2 if isinstance(criterion, dd.Condorcet) else n_arms
    assert size <= block <= 8 * size


@pytest.mark.parametrize("criterion", [dd.Borda(), dd.Condorcet()], ids=["borda", "condorcet"])
def test_the_rate_in_use_is_never_below_the_papers_and_hardly_above(criterion):
    learner = dd.Bosse(3, 10_000, criterion=criterion)
    size = 9 if isinstance(criterion, dd.Condorcet) else 3
    for age in range(1500):
        rate = learner._session.state.clock[0]["rate"]
        paper = min(1.0, (size / age) ** (1 / 3)) if age else 1.0
        assert paper * (1 - 1e-12) <= rate <= paper * (33 / 32) ** (1 / 3)
        learner.tell(learner.ask(), 0.5)
