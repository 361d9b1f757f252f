"""Checks that every learner passes: those of this package, and yours.

A check is a function that takes a factory and raises AssertionError, with a sentence that says
what is wrong, if the learners it makes break the contract of `driftduel.learners.contract.base`.
The whole suite for a learner from outside, with pytest::

    import pytest
    from driftduel.testing import CHECKS
    from mine import MyLearner

    def make(n_arms, horizon, seed):
        return MyLearner(n_arms, horizon, seed=seed)

    @pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
    def test_my_learner_keeps_the_contract(check):
        check(make)

Without pytest, ``check_learner(make)`` runs them in order. The class must be importable, for it
is pickled. All seeds are fixed, so a learner passes always or never; the one statistical check,
`check_propensities_match_frequencies`, fails a right learner with probability below 1e-6. Kernels
do not check bounds: if a new learner crashes the interpreter, run the suite with the environment
variable ``NUMBA_DISABLE_JIT=1`` or ``NUMBA_BOUNDSCHECK=1`` first.
"""

from driftduel.testing.changing import (
    check_arms_come_and_go_or_cannot,
    check_joining_at_once_is_starting_so,
)
from driftduel.testing.driving import Make
from driftduel.testing.playing import (
    check_active_arms_are_arms,
    check_best_is_an_arm,
    check_configuration_never_changes,
    check_goes_on_or_refuses_after_its_horizon,
    check_labels_are_kept,
    check_plays_arms_that_exist,
    check_plays_one_round,
    check_plays_two_arms,
    check_reading_changes_nothing,
)
from driftduel.testing.randomness import (
    check_propensities_match_frequencies,
    check_same_seed_gives_same_run,
    check_seed_matters,
    check_simulate_equals_ask_and_tell,
    check_simulate_leaves_the_learner_alone,
    check_workers_do_not_matter,
)
from driftduel.testing.saving import (
    check_clone_starts_afresh,
    check_copies_go_on_alone,
    check_resumes_bit_for_bit,
    check_states_stay_in_range,
)
from driftduel.testing.telling import (
    check_asking_leaves_the_state_alone,
    check_bad_duels_change_nothing,
    check_bad_outcomes_change_nothing,
    check_counts_each_duel_once,
    check_folds_as_if_told,
    check_graded_outcomes_are_taken_or_refused,
    check_lost_duels_cost_nothing,
    check_self_duels_end_in_ties,
    check_state_depends_on_what_is_told_alone,
    check_takes_ties,
    check_votes_only_asks_for_votes,
)

CHECKS = (
    check_plays_arms_that_exist,
    check_best_is_an_arm,
    check_active_arms_are_arms,
    check_plays_one_round,
    check_plays_two_arms,
    check_goes_on_or_refuses_after_its_horizon,
    check_labels_are_kept,
    check_configuration_never_changes,
    check_reading_changes_nothing,
    check_takes_ties,
    check_self_duels_end_in_ties,
    check_votes_only_asks_for_votes,
    check_counts_each_duel_once,
    check_lost_duels_cost_nothing,
    check_asking_leaves_the_state_alone,
    check_state_depends_on_what_is_told_alone,
    check_folds_as_if_told,
    check_graded_outcomes_are_taken_or_refused,
    check_bad_outcomes_change_nothing,
    check_bad_duels_change_nothing,
    check_same_seed_gives_same_run,
    check_seed_matters,
    check_simulate_equals_ask_and_tell,
    check_simulate_leaves_the_learner_alone,
    check_workers_do_not_matter,
    check_propensities_match_frequencies,
    check_resumes_bit_for_bit,
    check_states_stay_in_range,
    check_clone_starts_afresh,
    check_copies_go_on_alone,
    check_arms_come_and_go_or_cannot,
    check_joining_at_once_is_starting_so,
)
"""Every check, in the order in which a new learner is best debugged."""


def check_learner(make: Make) -> None:
    """Run every check on the learners that ``make(n_arms, horizon, seed)`` returns.

    Examples
    --------
    >>> from driftduel.learners import FixedPair
    >>> check_learner(lambda n_arms, horizon, seed: FixedPair(n_arms, horizon, seed=seed))
    """
    for check in CHECKS:
        check(make)


__all__ = ["CHECKS", "Make", "check_learner", *(check.__name__ for check in CHECKS)]  # noqa: PLE0604
