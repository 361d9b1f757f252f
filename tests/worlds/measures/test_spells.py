from __future__ import annotations

import numpy as np
import pytest

import driftduel as dd
from driftduel.worlds.measures.spells import Spell, spells
from tests.report.worlds import tied_world

ROCK = [[0.5, 1, 0], [0, 0.5, 1], [1, 0, 0.5]]
FIRST = [[0.5, 0.6, 0.6], [0.4, 0.5, 0.5], [0.4, 0.5, 0.5]]
LAST = [[0.5, 0.5, 0.4], [0.5, 0.5, 0.4], [0.6, 0.6, 0.5]]
TIED = np.full((3, 3), 0.5)


def borda_spells(stream):
    return list(spells(stream, "borda"))


def condorcet_spells(stream):
    return list(spells(stream, "condorcet"))


def spells_by_rounds(stream, winners):
    """The same, round by round with sets."""
    spells = []
    for t in range(stream.horizon):
        now = set(winners(stream.matrix(t)))
        if spells and (spells[-1][1] & now or not (spells[-1][1] | now)):
            spells[-1][1] &= now
        else:
            spells.append([t, now])
    ends = [start for start, _ in spells[1:]] + [stream.horizon]
    return [
        Spell(start, end, tuple(sorted(arms)))
        for (start, arms), end in zip(spells, ends, strict=True)
    ]


def unbeaten(P):
    return [a for a in range(len(P)) if all(P[a, b] >= 0.5 for b in range(len(P)))]


@pytest.mark.parametrize("seed", range(60))
def test_spells_are_those_of_a_loop_over_rounds(seed):
    stream = tied_world(seed, n_arms=2 + seed % 4)
    assert borda_spells(stream) == spells_by_rounds(stream, dd.Borda().winners)
    assert condorcet_spells(stream) == spells_by_rounds(stream, unbeaten)


@pytest.mark.parametrize("seed", range(20))
def test_there_is_one_spell_more_than_the_measure_counts_changes(seed):
    stream = tied_world(seed, n_arms=3)
    measures = dd.measure(stream)
    assert len(borda_spells(stream)) == measures.borda_switches + 1
    if measures.condorcet_switches is not None:
        assert len(condorcet_spells(stream)) == measures.condorcet_switches + 1


def test_a_tie_goes_on_with_who_wins_next():
    stream = dd.Stream.piecewise([TIED, LAST, TIED], [0, 10, 20], 30)
    assert borda_spells(stream) == [Spell(0, 30, (2,))]


def test_rounds_without_a_condorcet_winner_are_spells_of_nobody():
    stream = dd.Stream.piecewise([FIRST, ROCK, FIRST], [0, 10, 20], 30)
    assert condorcet_spells(stream) == [
        Spell(0, 10, (0,)),
        Spell(10, 20, ()),
        Spell(20, 30, (0,)),
    ]


def test_more_arms_than_a_machine_word_has_bits():
    P = np.full((70, 70), 0.5)
    P[69, :69], P[:69, 69] = 0.9, 0.1
    assert borda_spells(dd.Stream.stationary(P, 5)) == [Spell(0, 5, (69,))]


def test_a_weight_that_changes_makes_spells_too():
    stream = dd.Stream.stationary([[0.5, 0.6, 0.2], [0.4, 0.5, 0.6], [0.8, 0.4, 0.5]], 30)
    weights = dd.WeightSequence([[1, 0, 0], [0, 1, 0]], [0, 12])
    found = list(spells(stream, dd.Weighted(weights)))
    assert found == [Spell(0, 12, (2,)), Spell(12, 30, (0,))]
