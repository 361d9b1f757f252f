"""Broken learners, each with the check of the shipped suite that must notice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import count
from typing import ClassVar

import numpy as np
import pytest

from driftduel import testing
from driftduel.learners import inline_kernel
from driftduel.learners.contract import ranges
from driftduel.testing import CHECKS, check_learner
from tests.learners.champion import ChampionStays, ChangesArms, choose, maker


@inline_kernel
def choose_no_arm(state, rng):
    return state.champion[0], state.wins.shape[0], (1.0,)


@inline_kernel
def choose_in_turn(state, rng):
    state.champion[0] = (state.champion[0] + 1) % state.wins.shape[0]
    return state.champion[0], int(rng.random() * state.wins.shape[0]), (np.nan,)


@inline_kernel
def choose_too_sure(state, rng):
    left, right, _ = choose(state, rng)
    return left, right, (1.0,)


@inline_kernel
def choose_skewed(state, rng):
    n_arms = state.wins.shape[0]
    number = rng.random()
    return state.champion[0], int(number * number * n_arms), (1.0 / n_arms,)


@inline_kernel
def choose_too_modest(state, rng):
    left, right, (chance,) = choose(state, rng)
    return left, right, (chance / 2,)


@inline_kernel
def choose_undecided(state, rng):
    left, right, (chance,) = choose(state, rng)
    return left, right, (chance - 1e-6 * rng.random(),)


@dataclass(frozen=True, eq=False)
class PlaysNoArm(ChampionStays):
    _choose = staticmethod(choose_no_arm)


@dataclass(frozen=True, eq=False)
class AskingTurns(ChampionStays):
    _choose = staticmethod(choose_in_turn)


@dataclass(frozen=True, eq=False)
class ClaimsTooMuch(ChampionStays):
    _choose = staticmethod(choose_too_sure)


@dataclass(frozen=True, eq=False)
class ClaimsTooLittle(ChampionStays):
    _choose = staticmethod(choose_too_modest)


@dataclass(frozen=True, eq=False)
class ClaimsUniform(ChampionStays):
    _choose = staticmethod(choose_skewed)


@dataclass(frozen=True, eq=False)
class ClaimsThisAndThat(ChampionStays):
    _choose = staticmethod(choose_undecided)


@dataclass(frozen=True, eq=False)
class BestIsNoArm(ChampionStays):
    def _best_of(self, state):
        return self.n_arms


@dataclass(frozen=True, eq=False)
class BestIsNoInt(ChampionStays):
    def _best_of(self, state):
        return state.champion[0]


@dataclass(frozen=True, eq=False)
class NobodyActive(ChampionStays):
    def _active_of(self, state):
        return np.arange(0)


@dataclass(frozen=True, eq=False)
class ActiveTwice(ChampionStays):
    def _active_of(self, state):
        return np.array([0, 0])


@dataclass(frozen=True, eq=False)
class NeedsTwoRounds(ChampionStays):
    def _validate(self):
        assert self.horizon > 1, "two rounds are needed"


@dataclass(frozen=True, eq=False)
class NeedsThreeArms(ChampionStays):
    def _validate(self):
        assert self.n_arms > 2, "three arms are needed"


@dataclass(frozen=True, eq=False)
class StopsHalfWay(ChampionStays):
    def ask(self):
        duel = super().ask()
        if self._session.asked > self.horizon:
            raise ValueError("the horizon is over")
        return duel


@dataclass(frozen=True, eq=False)
class ForgetsWhatItRefuses(ChampionStays):
    def tell(self, duel, outcome):
        if self.rounds == self.horizon:
            self._session.open.clear()
            raise ValueError("the horizon is over")
        super().tell(duel, outcome)


@dataclass(frozen=True, eq=False)
class LosesLabels(ChampionStays):
    def clone(self, **changes):
        return super().clone(**{**changes, "labels": None})


@dataclass(frozen=True, eq=False)
class SetsItsHorizon(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(duel, outcome)
        object.__setattr__(self, "horizon", self.horizon + 1)


@dataclass(frozen=True, eq=False)
class LearnsIntoItsParameter(ChampionStays):
    prior: np.ndarray = field(default_factory=lambda: np.zeros(3), kw_only=True)

    def _allocate(self):
        return super()._allocate()._replace(wins=self.prior)


@dataclass(frozen=True, eq=False)
class LooksByChance(ChampionStays):
    def best(self):
        return int(self._session.rng.integers(self.n_arms))


@dataclass(frozen=True, eq=False)
class HandsOutItsArrays(ChampionStays):
    def _active_of(self, state):
        return state.champion


@dataclass(frozen=True, eq=False)
class SettlesWithTheNumbersOfAsking(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(duel, outcome)
        self._session.state.wins[0] += self._session.rng.random()


@dataclass(frozen=True, eq=False)
class NotesWhatItIsTold(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(duel, outcome)
        self._session.state.wins[0] += 1.0


@dataclass(frozen=True, eq=False)
class NotesGradesItIsTold(NotesWhatItIsTold):
    _graded = True


@dataclass(frozen=True, eq=False)
class NoTies(ChampionStays):
    def tell(self, duel, outcome):
        if outcome == 0.5:
            self._session.open.pop(duel.id)
        else:
            super().tell(duel, outcome)


@dataclass(frozen=True, eq=False)
class OneDuelAtATime(ChampionStays):
    def ask(self):
        self._session.open.clear()
        return super().ask()

    def tell(self, duel, outcome):
        if getattr(duel, "id", duel) in self._session.open:
            super().tell(duel, outcome)


@dataclass(frozen=True, eq=False)
class TakesAnything(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(duel, 0.5)


@dataclass(frozen=True, eq=False)
class AsksNobody(ChampionStays):
    def ask(self, *, votes_only=False):
        return super().ask()


@dataclass(frozen=True, eq=False)
class ClaimsToAskForVotes(ChampionStays):
    def _vote_chance_of(self, state):
        return 1.0


@dataclass(frozen=True, eq=False)
class CountsWhatItRefuses(ChampionStays):
    def tell(self, duel, outcome):
        self._session.told += 1
        super().tell(duel, outcome)
        self._session.told -= 1


@dataclass(frozen=True, eq=False)
class GivesTypeErrors(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(duel, outcome + 0.0)


@dataclass(frozen=True, eq=False)
class TakesForeignDuels(ChampionStays):
    def tell(self, duel, outcome):
        super().tell(getattr(duel, "id", duel), outcome)


@dataclass(frozen=True, eq=False)
class TakesDuelsTwice(ChampionStays):
    def tell(self, duel, outcome):
        number = getattr(duel, "id", duel)
        kept = self._session.open.get(number)
        super().tell(duel, outcome)
        self._session.open[number] = kept


@dataclass(frozen=True, eq=False)
class Unseeded(ChampionStays):
    def _allocate(self):
        return super()._allocate()._replace(wins=np.random.default_rng().random(self.n_arms))


@dataclass(frozen=True, eq=False)
class IgnoresSeed(ChampionStays):
    def _begin(self, state, rng):
        rng.bit_generator.state = np.random.default_rng(0).bit_generator.state


@dataclass(frozen=True, eq=False)
class DrawsMoreByHand(ChampionStays):
    def ask(self):
        self._session.rng.random()
        return super().ask()


@dataclass(frozen=True, eq=False)
class StartsWhereItIs(ChampionStays):
    def _allocate(self):
        state = super()._allocate()
        if "_session" in self.__dict__:
            state.champion[0] = self.best()
        return state


@dataclass(frozen=True, eq=False)
class CountsItsStarts(ChampionStays):
    def _allocate(self):
        return super()._allocate()._replace(champion=np.array([next(STARTS) % 2]))


STARTS = count()


@dataclass(frozen=True, eq=False)
class KeepsStateElsewhere(ChampionStays):
    def ask(self):
        memory = self.__dict__.setdefault("_memory", [0])
        memory[0] += 1
        if memory[0] % 7 == 0:
            self._session.rng.random()
        return super().ask()


@dataclass(frozen=True, eq=False)
class CloneIsItself(ChampionStays):
    def clone(self, **changes):
        return replace(self, **changes) if changes else self


@dataclass(frozen=True, eq=False)
class CopyIsItself(ChampionStays):
    def __deepcopy__(self, memo):
        return self


@dataclass(frozen=True, eq=False)
class PickleForgets(ChampionStays):
    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_session"}


@dataclass(frozen=True, eq=False)
class ForgetsARange(ChampionStays):
    _ranges: ClassVar = {"champion": ranges.below("arms")}


@dataclass(frozen=True, eq=False)
class LeavesItsRange(ChampionStays):
    _ranges: ClassVar = {"champion": ranges.below("arms"), "wins": ranges.real(0, 3)}


@dataclass(frozen=True, eq=False)
class TakesAnyArm(ChampionStays):
    def change_arms(self, join=(), leave=()):
        pass


@dataclass(frozen=True, eq=False)
class PicksWhoeverItLikes(ChangesArms):
    def best(self):
        return 3


@dataclass(frozen=True, eq=False)
class DrawsToJoin(ChangesArms):
    def change_arms(self, join=(), leave=()):
        super().change_arms(join, leave)
        self._session.rng.random()


BROKEN = [
    (testing.check_plays_arms_that_exist, PlaysNoArm, "of 2 arms it played arm 2"),
    (testing.check_best_is_an_arm, BestIsNoArm, "of 4 arms best() gave 4"),
    (testing.check_best_is_an_arm, BestIsNoInt, "best() gave a int64, must be an int"),
    (testing.check_active_arms_are_arms, NobodyActive, "no arm is active"),
    (testing.check_active_arms_are_arms, ActiveTwice, "active is [0, 0], must be increasing"),
    (testing.check_plays_one_round, NeedsTwoRounds, "two rounds are needed"),
    (testing.check_plays_two_arms, NeedsThreeArms, "three arms are needed"),
    (
        testing.check_goes_on_or_refuses_after_its_horizon,
        StopsHalfWay,
        "an ask that was refused changed the learner",
    ),
    (
        testing.check_goes_on_or_refuses_after_its_horizon,
        ForgetsWhatItRefuses,
        "a tell that was refused changed the learner",
    ),
    (testing.check_labels_are_kept, LosesLabels, "the labels became None"),
    (
        testing.check_configuration_never_changes,
        SetsItsHorizon,
        "asking and telling changed its parameters",
    ),
    (
        testing.check_configuration_never_changes,
        LearnsIntoItsParameter,
        "asking and telling changed its parameters",
    ),
    (testing.check_reading_changes_nothing, LooksByChance, "reading changed the learner"),
    (testing.check_reading_changes_nothing, HandsOutItsArrays, "reading changed the learner"),
    (testing.check_takes_ties, NoTies, "300 ties were told, rounds is 0"),
    (
        testing.check_self_duels_end_in_ties,
        TakesAnything,
        "'left' of one arm against itself was accepted",
    ),
    (testing.check_votes_only_asks_for_votes, AsksNobody, "asked for a vote, it shows arm"),
    (testing.check_counts_each_duel_once, OneDuelAtATime, "were told, rounds is"),
    (
        testing.check_lost_duels_cost_nothing,
        AskingTurns,
        "a duel never told changed the next one",
    ),
    (testing.check_asking_leaves_the_state_alone, AskingTurns, "asking changed the state"),
    (
        testing.check_state_depends_on_what_is_told_alone,
        SettlesWithTheNumbersOfAsking,
        "what it knows depends on what else was asked",
    ),
    (testing.check_folds_as_if_told, NotesWhatItIsTold, "it differs after"),
    (
        testing.check_graded_outcomes_are_taken_or_refused,
        TakesAnything,
        "the graded outcome 0.75 was accepted",
    ),
    (
        testing.check_graded_outcomes_are_taken_or_refused,
        NotesGradesItIsTold,
        "graded outcomes folded differ from those told",
    ),
    (testing.check_bad_outcomes_change_nothing, TakesAnything, "the outcome nan was accepted"),
    (
        testing.check_bad_outcomes_change_nothing,
        CountsWhatItRefuses,
        "the outcome nan changed the learner",
    ),
    (
        testing.check_bad_outcomes_change_nothing,
        GivesTypeErrors,
        "the outcome '1' gave TypeError(",
    ),
    (
        testing.check_bad_duels_change_nothing,
        TakesForeignDuels,
        "a duel of another learner was accepted",
    ),
    (testing.check_bad_duels_change_nothing, TakesDuelsTwice, "a duel told twice was accepted"),
    (
        testing.check_same_seed_gives_same_run,
        Unseeded,
        "equal seeds led to different states",
    ),
    (testing.check_seed_matters, IgnoresSeed, "it draws numbers, but 8 seeds play the same"),
    (
        testing.check_simulate_equals_ask_and_tell,
        DrawsMoreByHand,
        "2 arms, seed 0: the pairs differ",
    ),
    (
        testing.check_simulate_leaves_the_learner_alone,
        StartsWhereItIs,
        "the run depends on the state",
    ),
    (
        testing.check_simulate_leaves_the_learner_alone,
        LearnsIntoItsParameter,
        "simulating changed the learner",
    ),
    (
        testing.check_workers_do_not_matter,
        CountsItsStarts,
        "1 workers give other runs than one simulation per seed",
    ),
    (
        testing.check_propensities_match_frequencies,
        PlaysNoArm,
        "after 0 rounds one pair has several propensities, or an arm is none",
    ),
    (
        testing.check_propensities_match_frequencies,
        ClaimsTooMuch,
        "after 0 rounds the propensities of the pairs sum to 4.0",
    ),
    (
        testing.check_propensities_match_frequencies,
        ClaimsTooLittle,
        "after 0 rounds pairs with a chance of 0.5 together were not asked once",
    ),
    (
        testing.check_propensities_match_frequencies,
        ClaimsUniform,
        "after 0 rounds the pair (0, 0) has propensity 0.25, but 0.5",
    ),
    (
        testing.check_propensities_match_frequencies,
        ClaimsThisAndThat,
        "after 0 rounds one pair has several propensities",
    ),
    (
        testing.check_propensities_match_frequencies,
        ClaimsToAskForVotes,
        "after 0 rounds duels are votes with chance 1.0, but 0.7",
    ),
    (
        testing.check_resumes_bit_for_bit,
        KeepsStateElsewhere,
        "it asked other duels after that",
    ),
    (testing.check_states_stay_in_range, ForgetsARange, "there are no ranges for wins"),
    (testing.check_states_stay_in_range, LeavesItsRange, "its ranges do not hold after"),
    (testing.check_clone_starts_afresh, CloneIsItself, "a clone does not start afresh"),
    (testing.check_copies_go_on_alone, CopyIsItself, "a copied learner changed the original"),
    (
        testing.check_arms_come_and_go_or_cannot,
        TakesAnyArm,
        "an arm joined a learner that cannot change its arms",
    ),
    (
        testing.check_arms_come_and_go_or_cannot,
        PicksWhoeverItLikes,
        "best() gave 3, which is not on offer",
    ),
    (
        testing.check_joining_at_once_is_starting_so,
        DrawsToJoin,
        "an arm that joined before the first round made another state",
    ),
    (testing.check_copies_go_on_alone, PickleForgets, "a duel that it asked was refused"),
]


@pytest.mark.parametrize(
    ("check", "kind", "complaint"), BROKEN, ids=[kind.__name__ for _, kind, _ in BROKEN]
)
def test_a_broken_learner_is_caught_by_the_right_check(check, kind, complaint):
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        check(maker(kind))


def test_every_check_catches_some_broken_learner():
    assert {check for check, _, _ in BROKEN} == set(CHECKS)


def test_every_check_is_listed_once_and_says_what_it_checks():
    listed = [check.__name__ for check in CHECKS]
    exported = [name for name in testing.__all__ if name.startswith("check_")]
    assert sorted(listed) == sorted(set(exported) - {"check_learner"})
    assert all(check.__doc__.startswith("Check that ") for check in CHECKS)


def test_a_learner_without_propensities_passes():
    assert testing.check_propensities_match_frequencies(maker(AskingTurns)) is None


def test_the_suite_stops_at_the_first_check_that_fails():
    with pytest.raises(AssertionError, match="of 2 arms it played arm 2"):
        check_learner(maker(PlaysNoArm))
