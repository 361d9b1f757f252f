"""Every kind of regret of a run, by its definition, whatever the ledger keeps."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation import ledger
from driftduel.experiments.simulation.ledger import Ledger
from tests.naive import criteria as naive
from tests.naive.preferences import condorcet_winners

HORIZON = 60
KINDS = [(weak, binary) for weak in (False, True) for binary in (False, True)]
KEPT = {"pairs": (2**24, 2**14), "rounds": (2**24, 0), "arms": (0, 0)}
"""The limits of the ledger that make it keep each of its records."""


def random_world(rng, n_arms):
    """Matrices of eighths, so that winners tie now and then, with a Condorcet winner each."""
    world = []
    while len(world) < 6:
        upper = np.triu(rng.integers(0, 9, (n_arms, n_arms)) / 8, 1)
        matrix = upper + np.tril(1 - upper.T, -1) + np.eye(n_arms) / 2
        if condorcet_winners(matrix.tolist()):
            world.append(matrix)
    return dd.Stream.piecewise(world, [0, 7, 8, 30, 41, 59], HORIZON)


def gaps_and_winners(P, criterion):
    rows = P.tolist()
    if criterion == "copeland":
        gaps = naive.copeland_gaps(rows)
        return gaps, [a for a in range(len(P)) if gaps[a] == 0]
    if criterion == "condorcet":
        best = condorcet_winners(rows)
        return [2 * naive.condorcet_regret(rows, best[0], a) for a in range(len(P))], best
    weight = naive.borda_weight(rows)
    return naive.gaps(rows, weight), naive.winners(rows, weight)


def by_definition(stream, criterion, left, right, weak, binary):
    total, sums = 0, []
    for t in range(len(left)):
        gaps, best = gaps_and_winners(stream.matrix(t), criterion)
        i, j = int(left[t]), int(right[t])
        if binary:
            of_a_round = naive.weak_binary_regret if weak else naive.strong_binary_regret
            total += of_a_round(best, i, j)
        else:
            total += min(gaps[i], gaps[j]) if weak else (gaps[i] + gaps[j]) / 2
        sums.append(float(total))
    return sums


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize(("weak", "binary"), KINDS)
@pytest.mark.parametrize("criterion", ["borda", "condorcet", "copeland"])
def test_regret_adds_up_the_rounds(criterion, weak, binary, kept, monkeypatch):
    rng = np.random.default_rng(3)
    for n_arms in (2, 3, 4):
        stream = random_world(rng, n_arms)
        left, right = rng.integers(n_arms, size=(2, HORIZON))
        expected = by_definition(stream, criterion, left, right, weak, binary)
        # Thirds are no floats: a few units in the last place over 60 rounds.
        assert stream.regret(left, right, criterion, weak=weak, binary=binary) == pytest.approx(
            expected, abs=1e-12
        )
        largest, near = KEPT[kept]
        monkeypatch.setattr(ledger, "_LARGEST", largest)
        monkeypatch.setattr(ledger, "_NEAR", near)
        run = a_run(stream, left, right, points=[1, 7, 20, 60])
        assert getattr(run.ledger, kept) is not None
        if kept == "arms" and (weak or binary):
            with pytest.raises(
                ValueError, match=f"^{'weak' if weak else 'binary'} regret needs the pairs"
            ):
                run.regret(criterion, weak=weak, binary=binary)
        else:
            known = run.regret(criterion, weak=weak, binary=binary)
            assert known == pytest.approx([expected[n - 1] for n in run.rounds], abs=1e-12)


def a_run(stream, left, right, points):
    """The run that played these arms, as `simulate` would have recorded it."""
    run = dd.simulate(dd.learners.Uniform(stream.n_arms), stream, points=points)
    cuts = run.ledger.cuts
    kept = Ledger(stream.n_arms, stream.horizon, cuts)
    codes = (left * stream.n_arms + right).astype(np.int32)
    for first, end in pairwise([0, 5, 33, stream.horizon]):
        kept.add(first, codes[first:end])
    return replace(run, ledger=kept)


def test_a_criterion_a_learner_is_not_made_for_is_refused():
    with pytest.raises(ValueError, match="criterion is 'copeland', MetaBosse serves"):
        dd.MetaBosse(3, 100, criterion="copeland")


def test_uniform_play_knows_the_copeland_winner():
    P = [[0.5, 0.6, 0.6], [0.4, 0.5, 1.0], [0.4, 0.0, 0.5]]
    world = dd.Stream.stationary(P, 3000)
    # Each pair is met about 670 times, so a chance of .6 looks below .5 with probability below
    # exp(-2 * 600 * .1^2) = 6e-6.
    assert dd.simulate(dd.learners.Uniform(3, criterion="copeland"), world).best == 0
    assert dd.simulate(dd.learners.Uniform(3), world).best == 1
