"""The shipped suite on every learner of the package, on one from outside, and on broken ones."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pytest

import driftduel as dd
from driftduel import testing
from driftduel.testing import CHECKS
from tests.learners.champion import ChampionStays, ChangesArms, maker
from tests.learners.variants import QUICK, VARIANTS


def by_name(check):
    return check.__name__


OF_KERNELS = {
    testing.check_plays_one_round,
    testing.check_plays_two_arms,
    testing.check_goes_on_or_refuses_after_its_horizon,
    testing.check_simulate_equals_ask_and_tell,
    testing.check_folds_as_if_told,
    testing.check_resumes_bit_for_bit,
    testing.check_arms_come_and_go_or_cannot,
}
"""Together they run every kernel of a learner, at the edges too; they are run in every mode."""

MARKED = [
    check if check in OF_KERNELS else pytest.param(check, marks=pytest.mark.once)
    for check in CHECKS
]


@pytest.mark.parametrize("check", MARKED, ids=by_name)
@pytest.mark.parametrize(
    "variant",
    # One learner is one worker's business, so that it is compiled once.
    [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in VARIANTS],
)
def test_every_learner_keeps_the_contract(variant, check):
    assert check(VARIANTS[variant]) is None


@pytest.mark.large
@pytest.mark.parametrize(
    "check",
    [c for c in CHECKS if c is not testing.check_propensities_match_frequencies],
    ids=by_name,
)
def test_testing_all_intervals_keeps_the_contract(check):
    def make(n_arms, horizon, seed):
        return dd.MetaBosse(n_arms, horizon, seed=seed, intervals="all", constants=QUICK)

    assert check(make) is None


def test_the_quick_learner_of_these_tests_evicts_and_restarts():
    world = testing.driving.switching_world(4, 600)
    driven = testing.driving.drive(VARIANTS["MetaBosse quick"](4, 600, 1), world)
    assert len(driven.learner.evictions) > 10
    assert len(driven.learner.replays) > 10
    assert len(driven.learner.episodes) > 2


@pytest.mark.parametrize("check", MARKED, ids=by_name)
@pytest.mark.parametrize("kind", [ChampionStays, ChangesArms])
def test_a_learner_from_outside_passes(kind, check):
    assert check(maker(kind)) is None


@dataclass(frozen=True, eq=False)
class EndsWithItsHorizon(ChampionStays):
    def _check_horizon(self, horizon):
        if horizon > self.horizon:
            raise ValueError("the horizon is over")


@dataclass(frozen=True, eq=False)
class StillAsks(ChampionStays):
    def tell(self, duel, outcome):
        if self.rounds == self.horizon:
            raise ValueError("the horizon is over")
        super().tell(duel, outcome)


@pytest.mark.parametrize("kind", [EndsWithItsHorizon, StillAsks])
def test_a_learner_may_end_with_its_horizon(kind):
    learner = maker(kind)(2, 1, 0)
    duel = learner.ask()
    learner.tell(duel, 1.0)
    with pytest.raises(ValueError, match="the horizon is over"):
        learner.tell(learner.ask(), 1.0)
    assert testing.check_goes_on_or_refuses_after_its_horizon(maker(kind)) is None


def test_the_suite_does_not_need_pytest():
    code = "import sys, driftduel.testing; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
