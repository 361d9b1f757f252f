"""No file crashes, hangs or confuses a learner: a small share of many attacks, and all of them."""

from __future__ import annotations

import pytest

from driftduel.learners.contract.ranges import fields_without_range
from tests.learners.fuzzing import TARGETS, attack, attacks, run
from tests.modes import often

PARTS = 4
"""Learners are shared out, so that processors can share the work."""


@pytest.mark.parametrize("target", TARGETS)
def test_every_learner_declares_its_ranges(target):
    learner = TARGETS[target](3, 100, 0)
    assert learner._ranges
    assert learner._ticket
    assert fields_without_range(learner) == []


@pytest.mark.filterwarnings("ignore")  # numbers that are changed may overflow in plain Python
@pytest.mark.parametrize("kind", ["state", "tree"])
@pytest.mark.parametrize(
    "target",
    # One learner is one worker's business, so that it is compiled once.
    [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in TARGETS],
)
def test_a_changed_file_is_refused_or_played_on(target, kind, tmp_path):
    file = tmp_path / "learner.json"
    first = 1000 * list(TARGETS).index(target)
    came = [attack(target, kind, seed, file) for seed in range(first, first + 6)]
    assert set(came) <= {"refused", "played"}


def test_a_worker_that_dies_is_noticed():
    todo = [("Uniform", "state", 0), ("nobody", "state", 1), ("Uniform", "state", 2)]
    counts, wrong = run(todo)
    assert wrong == [("nobody", "state", 1, "crash: 1")]
    assert counts.total() == 3


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_thousands_of_changed_files_are_refused_or_played_on(part):
    targets = list(TARGETS)[part::PARTS]
    each = often(1_000, 5_000) // PARTS
    counts, wrong = run(attacks(targets, 10_000 * part, each, each), NUMBA_BOUNDSCHECK="1")
    assert wrong == []
    assert counts.total() == 2 * each
