from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import driftduel as dd
from driftduel.matrix.criteria import NoCondorcetWinnerError, as_criterion, pair_regret
from driftduel.matrix.weights import point_mass
from tests.naive import criteria as naive
from tests.naive import tournaments as solutions
from tests.naive.preferences import condorcet_winners

# Sums of K products of eighths and sixteenths are exact in floats, so equality is exact; the
# Borda weight 1/K is not, hence the tolerance of a few units in the last place there.
ROUNDING = 1e-15

PAPERS = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
CYCLE = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]

quick = settings(max_examples=200, deadline=None, derandomize=True)


@st.composite
def matrices(draw, n_arms=None):
    K = draw(st.integers(2, 5)) if n_arms is None else n_arms
    P = np.full((K, K), 0.5)
    for a in range(K):
        for b in range(a):
            P[a, b] = draw(st.integers(0, 8)) / 8
            P[b, a] = 1 - P[a, b]
    return P


@st.composite
def weights(draw, n_arms):
    cuts = sorted(draw(st.lists(st.integers(0, 16), min_size=n_arms - 1, max_size=n_arms - 1)))
    return np.diff([0, *cuts, 16]) / 16


@st.composite
def matrices_with_weight(draw):
    P = draw(matrices())
    return P, draw(weights(len(P)))


def floats(fractions):
    return [float(x) for x in fractions]


@quick
@given(matrices())
def test_borda_scores_gaps_and_winners_follow_their_definitions(P):
    w = naive.borda_weight(P.tolist())
    assert dd.Borda().scores(P) == pytest.approx(floats(naive.scores(P.tolist(), w)), abs=ROUNDING)
    assert dd.Borda().gaps(P) == pytest.approx(floats(naive.gaps(P.tolist(), w)), abs=ROUNDING)
    assert dd.Borda().winners(P).tolist() == naive.winners(P.tolist(), w)


@quick
@given(matrices_with_weight())
def test_weighted_scores_gaps_and_winners_follow_their_definitions(case):
    P, w = case
    criterion = dd.Weighted(w)
    assert criterion.scores(P).tolist() == floats(naive.scores(P.tolist(), w))
    assert criterion.gaps(P).tolist() == floats(naive.gaps(P.tolist(), w))
    assert criterion.winners(P).tolist() == naive.winners(P.tolist(), w)


@quick
@given(matrices())
def test_von_neumann_regret_is_weighted_regret_at_the_von_neumann_winner(P):
    corners = solutions.von_neumann_winners([[Fraction(float(p)) for p in row] for row in P])
    gaps = dd.VonNeumann().gaps(P)
    winners = [a for a in range(len(P)) if any(v[a] for v in corners)]
    assert dd.VonNeumann().winners(P).tolist() == winners
    assert gaps[winners].tolist() == [0.0] * len(winners)
    # Each of several winners gains something on an arm that none of them plays.
    gains = [
        [
            sum(v[c] * (Fraction(float(P[c, a])) - Fraction(1, 2)) for c in range(len(P)))
            for a in range(len(P))
        ]
        for v in corners
    ]
    if len(corners) == 1:
        assert gaps == pytest.approx(floats(gains[0]), abs=1e-12)
    for a in range(len(P)):
        assert float(min(g[a] for g in gains)) - 1e-9 <= gaps[a]
        assert gaps[a] <= float(max(g[a] for g in gains)) + 1e-9
    if len(corners) == 1 and len(winners) == 1:
        assert gaps == pytest.approx(dd.Condorcet().gaps(P), abs=1e-12)


def test_the_von_neumann_gaps_of_a_palette_are_those_of_its_matrices():
    rock = np.array([[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]])
    ladder = np.array([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    world = dd.Stream.piecewise([rock, ladder], [0, 10], 20)
    run = dd.simulate(dd.learners.FixedPair(3, left=1, right=2), world, points=[10, 20])
    assert run.regret("von-neumann") == pytest.approx([0, 10 * 0.15])
    assert run.regret("von-neumann", binary=True).tolist() == [0, 10]


@pytest.mark.parametrize(
    ("criterion", "solution"),
    [
        (dd.TopCycle(), solutions.top_cycle),
        (dd.Uncovered(), solutions.uncovered_set),
        (dd.Banks(), solutions.banks_set),
    ],
)
@quick
@given(P=matrices())
def test_a_member_of_a_tournament_solution_has_no_gap(criterion, solution, P):
    rows = [[Fraction(float(p)) for p in row] for row in P]
    members = solution(rows)
    assert criterion.winners(P).tolist() == members
    assert criterion.gaps(P)[members].tolist() == [0.0] * len(members)
    for arm in set(range(len(P))) - set(members):
        beaten_by = max(P[member, arm] for member in members) - 0.5
        assert criterion.gaps(P)[arm] == (beaten_by if criterion == dd.TopCycle() else 1.0)


def test_banks_refuses_many_arms():
    with pytest.raises(ValueError, match="n_arms is 21, the Banks set is known for 20 arms at"):
        dd.learners.UCBTS(21, criterion="banks")


@quick
@given(matrices_with_weight())
def test_regret_is_the_best_score_minus_the_mean_or_the_better_of_the_two(case):
    P, w = case
    rows = P.tolist()
    for i in range(len(P)):
        for j in range(len(P)):
            assert dd.Weighted(w).regret(P, i, j) == naive.regret(rows, w, i, j)
            assert dd.Weighted(w).regret(P, i, j, weak=True) == naive.weak_regret(rows, w, i, j)


@quick
@given(matrices())
def test_condorcet_regret_is_the_weighted_regret_at_the_point_mass_on_the_winner(P):
    rows = P.tolist()
    unbeaten = condorcet_winners(rows)
    if not unbeaten:
        with pytest.raises(NoCondorcetWinnerError):
            dd.Condorcet().regret(P, 0, 0)
        return
    at_winner = dd.Weighted(point_mass(len(P), unbeaten[0]))
    assert dd.Condorcet().winners(P).tolist() == unbeaten
    assert dd.Condorcet().scores(P).tolist() == P[:, unbeaten[0]].tolist()
    assert dd.Condorcet().gaps(P).tolist() == at_winner.gaps(P).tolist()
    for i in range(len(P)):
        for j in range(len(P)):
            expected = naive.condorcet_regret(rows, i, j)
            assert dd.Condorcet().regret(P, i, j) == expected
            assert at_winner.regret(P, i, j) == expected


@quick
@given(matrices())
def test_copeland_counts_the_arms_beaten_and_half_the_ties(P):
    rows = P.tolist()
    gaps = naive.copeland_gaps(rows)
    scores = [naive.copeland_score(rows, a) for a in range(len(P))]
    assert dd.Copeland().scores(P).tolist() == floats(scores)
    assert dd.Copeland().gaps(P) == pytest.approx(floats(gaps), abs=ROUNDING)
    assert dd.Copeland().winners(P).tolist() == [a for a in range(len(P)) if gaps[a] == 0]
    for i in range(len(P)):
        for j in range(len(P)):
            mean, better = (gaps[i] + gaps[j]) / 2, min(gaps[i], gaps[j])
            assert dd.Copeland().regret(P, i, j) == pytest.approx(float(mean), abs=ROUNDING)
            assert dd.Copeland().regret(P, i, j, weak=True) == pytest.approx(
                float(better), abs=ROUNDING
            )


@quick
@given(matrices_with_weight())
def test_binary_regret_asks_whether_the_arms_are_winners(case):
    P, w = case
    criteria = [dd.Borda(), dd.Weighted(w), dd.Copeland()]
    if condorcet_winners(P.tolist()):
        criteria.append(dd.Condorcet())
    for criterion in criteria:
        best = criterion.winners(P).tolist()
        for i in range(len(P)):
            for j in range(len(P)):
                strong = criterion.regret(P, i, j, binary=True)
                weak = criterion.regret(P, i, j, weak=True, binary=True)
                assert strong == naive.strong_binary_regret(best, i, j)
                assert weak == naive.weak_binary_regret(best, i, j)


def test_an_arm_that_ties_with_the_condorcet_winner_need_not_be_one():
    P = [[0.5, 0.5, 0.75], [0.5, 0.5, 0.25], [0.25, 0.75, 0.5]]
    assert dd.Condorcet().regret(P, 1, 1) == 0
    assert dd.Condorcet().regret(P, 1, 1, binary=True) == 1
    assert dd.Condorcet().regret(P, 0, 1, weak=True, binary=True) == 0


def test_copeland_and_borda_may_disagree():
    assert dd.Copeland().winners(PAPERS).tolist() == [0]
    assert dd.Copeland().scores(CYCLE).tolist() == [0.5, 0.5, 0.5]


def test_borda_counts_the_arm_itself():
    """1/K over all arms: 1.7/3 and not (0.6 + 0.6)/2."""
    assert dd.Borda().scores(PAPERS) == pytest.approx([1.7 / 3, 1.9 / 3, 0.9 / 3], abs=ROUNDING)


def test_borda_and_condorcet_may_disagree():
    assert dd.Borda().winners(PAPERS).tolist() == [1]
    assert dd.Condorcet().winners(PAPERS).tolist() == [0]


def test_borda_equals_the_uniform_weight():
    rng = np.random.default_rng(0)
    P = np.triu(rng.random((7, 7)), 1)
    P = P + np.tril(1 - P.T, -1) + np.eye(7) / 2
    uniform = dd.Weighted([1 / 7] * 7)
    assert dd.Borda().scores(P).tolist() == uniform.scores(P).tolist()


@pytest.mark.parametrize("n_arms", [50, 100])
def test_arms_with_equal_rows_have_equal_scores_to_the_last_bit(n_arms):
    P = np.full((n_arms, n_arms), 0.5)
    P[:-1, -1], P[-1, :-1] = 0.7, 0.3
    weight = np.random.default_rng(1).dirichlet(np.ones(n_arms))
    for criterion in (dd.Borda(), dd.Weighted(weight)):
        assert len(set(criterion.scores(P)[:-1])) == 1
        assert criterion.winners(P).tolist() == list(range(n_arms - 1))


def test_all_maximisers_are_winners():
    ties = np.full((3, 3), 0.5)
    for criterion in (dd.Borda(), dd.Condorcet(), dd.Weighted([0.2, 0.3, 0.5])):
        assert criterion.winners(ties).tolist() == [0, 1, 2]
        assert criterion.gaps(ties).tolist() == [0, 0, 0]


def test_condorcet_scores_refer_to_the_first_of_several_winners():
    P = [[0.5, 0.5, 0.75], [0.5, 0.5, 1.0], [0.25, 0.0, 0.5]]
    assert dd.Condorcet().winners(P).tolist() == [0, 1]
    assert dd.Condorcet().gaps(P).tolist() == [0, 0, 0.25]


def test_a_weight_sequence_changes_scores_with_the_round():
    criterion = dd.Weighted(dd.WeightSequence([[1, 0, 0], [0, 0, 1]], starts=[0, 10]))
    P = np.array(PAPERS)
    assert criterion.scores(P, round_=9).tolist() == P[:, 0].tolist()
    assert criterion.scores(P, round_=10).tolist() == P[:, 2].tolist()
    assert criterion.winners(P).tolist() == [0]
    assert criterion.winners(P, round_=10).tolist() == [1]
    assert criterion.gaps(P, round_=10) == pytest.approx([0.4, 0, 0.5], abs=ROUNDING)
    assert criterion.regret(P, 0, 0) == 0
    assert criterion.regret(P, 0, 0, round_=11) == pytest.approx(0.4, abs=ROUNDING)
    assert criterion.changes().tolist() == [0, 10]


def test_criteria_without_a_sequence_change_never():
    for criterion in (dd.Borda(), dd.Condorcet(), dd.Weighted([0.5, 0.5])):
        assert criterion.changes().tolist() == [0]


def test_criteria_that_mean_the_same_are_equal():
    sequence = dd.WeightSequence([[0.5, 0.5], [0.5, 0.5]], starts=[0, 3])
    assert dd.Borda() == dd.Borda()
    assert dd.Condorcet() == dd.Condorcet() != dd.Borda()
    assert dd.Weighted([0.5, 0.5]) == dd.Weighted(np.array([0.5, 0.5])) == dd.Weighted(sequence)
    assert dd.Weighted([0.5, 0.5]) != dd.Weighted([0.25, 0.75])
    assert len({dd.Weighted([0.5, 0.5]), dd.Weighted(sequence), dd.Borda(), dd.Borda()}) == 2


def test_a_criterion_cannot_be_changed():
    with pytest.raises(AttributeError):
        dd.Weighted([0.5, 0.5]).weight = None


def test_criteria_have_names():
    criteria = (dd.Borda(), dd.Weighted([1, 0]), dd.Condorcet(), dd.Copeland())
    assert [c.name for c in criteria] == ["borda", "weighted", "condorcet", "copeland"]


def test_criteria_are_found_by_name_or_given_as_they_are():
    assert as_criterion("borda") == dd.Borda()
    assert as_criterion("condorcet") == dd.Condorcet()
    assert as_criterion("copeland") == dd.Copeland()
    weighted = dd.Weighted([1, 0])
    assert as_criterion(weighted) is weighted
    assert as_criterion([1, 0]) == weighted


def test_the_regret_of_a_pair_is_combined_entry_by_entry():
    left, right = np.array([0.0, 0.5]), np.array([0.25, 0.25])
    assert pair_regret(left, right).tolist() == [0.125, 0.375]
    assert pair_regret(left, right, weak=True).tolist() == [0, 0.25]
    assert pair_regret(left, right, binary=True).tolist() == [0.25, 0.5]
    assert pair_regret(left, right, weak=True, binary=True).tolist() == [0, 0.25]


@pytest.mark.parametrize("unknown", ["Borda", "weighted", "", None, 3, dd.Borda])
def test_an_unknown_criterion_is_refused(unknown):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        as_criterion(unknown)
    assert str(error.value) == (
        f"criterion is {unknown!r}, must be 'borda', 'condorcet', 'copeland', 'von-neumann', "
        "'top-cycle', 'uncovered', 'banks' or a list of weights"
    )


@pytest.mark.parametrize("method", ["scores", "gaps", "winners"])
def test_condorcet_without_a_winner_is_an_error_and_never_a_silent_zero(method):
    with pytest.raises(ValueError, match=r"^no arm is a Condorcet winner, so Condorcet scores"):
        getattr(dd.Condorcet(), method)(CYCLE)
    with pytest.raises(NoCondorcetWinnerError):
        dd.Condorcet().regret(CYCLE, 0, 1)


def test_the_first_matrix_without_a_condorcet_winner_is_named():
    palette = np.array([PAPERS, PAPERS, CYCLE, PAPERS, CYCLE])
    with pytest.raises(NoCondorcetWinnerError) as error:
        dd.Condorcet().score_table(palette)
    assert error.value.index == 2


@pytest.mark.parametrize("method", ["scores", "gaps", "winners"])
@pytest.mark.parametrize(
    "criterion", [dd.Borda(), dd.Condorcet(), dd.Weighted([0.5, 0.5]), dd.Copeland()]
)
def test_every_criterion_refuses_a_bad_matrix(method, criterion):
    with pytest.raises(ValueError, match=r"P\[0,1\] \+ P\[1,0\] = 1.1, must be 1"):
        getattr(criterion, method)([[0.5, 0.7], [0.4, 0.5]])


@pytest.mark.parametrize("method", ["scores", "gaps", "winners"])
def test_a_weight_for_another_number_of_arms_is_refused(method):
    with pytest.raises(ValueError, match=r"^weight: has 2 entries, there are 3 arms$"):
        getattr(dd.Weighted([0.5, 0.5]), method)(PAPERS)


def test_a_bad_weight_is_refused_by_the_criterion():
    with pytest.raises(ValueError, match=r"^weight: sums to 1.1, must sum to 1$"):
        dd.Weighted([0.5, 0.6])
    with pytest.raises(ValueError, match=r"^weight: has shape \(1, 2\), must be one number"):
        dd.Weighted([[0.5, 0.5]])


def test_a_round_before_the_first_is_refused():
    with pytest.raises(ValueError, match=r"^round is -1, must not be negative$"):
        dd.Weighted([0.5, 0.3, 0.2]).scores(PAPERS, round_=-1)


@pytest.mark.parametrize(("left", "right", "arm"), [(-1, 0, -1), (0, 3, 3), (0.5, 0, 0.5)])
def test_regret_of_an_unknown_arm_is_refused(left, right, arm):
    with pytest.raises(ValueError, match=rf"^arm is {arm}, must be between 0 and 2$"):
        dd.Borda().regret(PAPERS, left, right)
