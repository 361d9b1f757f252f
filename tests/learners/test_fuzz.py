"""No file crashes, hangs or confuses a learner: a small share of many attacks, and all of them."""

from __future__ import annotations

import pytest

from tests.learners.fuzzing import TARGETS, attacks, run

PARTS = 4
"""Learners are shared out, so that processors can share the work."""


@pytest.mark.parametrize("part", range(PARTS))
def test_a_changed_file_is_refused_or_played_on(part):
    variants = list(TARGETS)[part::PARTS]
    counts, wrong = run(attacks(variants, part, 5 * len(variants), 5 * len(variants)))
    assert wrong == []
    assert counts.total() == 10 * len(variants)
    assert min(counts["refused"], counts["played"]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_changed_files_are_refused_or_played_on(part):
    variants = list(TARGETS)[part::PARTS]
    todo = attacks(variants, 1000 * part, 5000 // PARTS, 5000 // PARTS)
    counts, wrong = run(todo, NUMBA_BOUNDSCHECK="1")
    assert wrong == []
    assert counts.total() == 10_000 // PARTS
