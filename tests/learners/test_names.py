"""Names in, names out; answers between a win and a loss."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import driftduel as dd
from driftduel.learners import AlreadyTold

NAMES = ("tea", "coffee", "cocoa")
TAKE_GRADED = sorted(name for name, kind in dd.all_learners().items() if kind._graded is True)


def told(learner):
    """Return how the last duel that was closed ended."""
    return list(learner._session.closed.values())[-1][2]


@pytest.mark.parametrize("name", sorted(dd.all_learners()))
def test_every_learner_takes_names_where_a_number_was(name):
    kind = dd.all_learners()[name]
    learner = kind([*NAMES], 100, seed=1)
    assert (learner.n_arms, learner.labels) == (3, NAMES)
    assert repr(learner) == repr(kind(3, 100, seed=1, labels=NAMES))
    assert learner.best() == NAMES[learner.best_index]
    assert learner.ask().names[0] in NAMES


@pytest.mark.parametrize(
    "names",
    [NAMES, iter(NAMES), np.array(NAMES), pl.Series(NAMES), dict.fromkeys(NAMES).keys()],
    ids=["tuple", "iterator", "numpy", "polars", "keys"],
)
def test_names_may_be_in_anything_that_lists_them(names):
    assert dd.DriftPoll(names).labels == NAMES


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("tea", "n_arms is 'tea', must be a whole number"),
        (["tea"], "n_arms is 1, must be at least 2"),
        ([], "n_arms is [], must be a whole number"),
        ([1, 2], "n_arms is [1, 2], must be a whole number"),
        (["tea", None], "n_arms is ['tea', None], must be a whole number"),
        ({"tea": 1, "milk": 2}, "n_arms is {'tea': 1, 'milk': 2}, must be a whole number"),
        (["tea", "tea"], "labels: each arm needs a different one"),
    ],
)
def test_what_are_no_names_is_refused(given, sentence):
    with pytest.raises(ValueError) as refused:  # noqa: PT011, the whole sentence is compared
        dd.DriftPoll(given)
    assert str(refused.value).startswith(sentence)


def test_names_and_labels_are_not_given_both():
    with pytest.raises(dd.BadParameter, match="labels are given twice, as n_arms holds names too"):
        dd.DriftPoll(["tea", "milk"], labels=["a", "b"])


def test_a_clone_may_have_other_names():
    clone = dd.DriftPoll([*NAMES]).clone(n_arms=["red", "blue"])
    assert (clone.n_arms, clone.labels) == (2, ("red", "blue"))


def test_an_answer_may_be_the_name_of_the_one_preferred():
    poll = dd.DriftPoll(NAMES, seed=1)
    for side, how in ((0, "left"), (1, "right")):
        duel = poll.ask()
        assert duel.names == (NAMES[duel.left], NAMES[duel.right])
        poll.tell(duel, duel.names[side])
        assert told(poll) == how


def test_by_number_or_code_a_duel_is_told_by_name_too():
    poll = dd.DriftPoll(NAMES, seed=1)
    one, other = poll.ask(), poll.ask()
    poll.tell(one.id, one.names[1])
    poll.tell(other.code, other.names[0])
    assert [how for _, _, how in poll._session.closed.values()] == ["right", "left"]


def test_a_name_that_is_not_asked_about_is_refused():
    poll = dd.DriftPoll(NAMES, seed=1)
    duel = poll.ask()
    (third,) = {*NAMES} - {*duel.names}
    left, right = duel.names
    with pytest.raises(
        ValueError, match=f"^outcome is '{third}', must be 1 or 'left'.* or '{left}' or '{right}'$"
    ):
        poll.tell(duel, third)
    assert poll.rounds == 0


def test_without_names_a_number_in_quotes_is_no_name():
    poll = dd.DriftPoll(3, seed=1)
    duel = poll.ask()
    assert duel.names == (str(duel.left), str(duel.right))
    with pytest.raises(ValueError, match="outcome is '0', must be 1 or 'left'"):
        poll.tell(duel, "0")


def test_an_option_called_left_is_taken_only_where_it_is_clear():
    poll = dd.DriftPoll(["left", "right"], seed=1)
    for _ in range(20):
        duel = poll.ask()
        if duel.names == ("left", "right"):
            poll.tell(duel, "left")
            assert told(poll) == "left"
        else:
            with pytest.raises(ValueError, match="'left', which is also the name of an arm; say 1"):
                poll.tell(duel, "left")
            poll.tell(duel, 1)


def test_the_same_arm_twice_is_not_preferred_by_its_name():
    learner = dd.learners.FixedPair(["tea", "milk"], left=0, right=0)
    with pytest.raises(ValueError, match="shows arm 0 twice, nobody can prefer one"):
        learner.tell(learner.ask(), "tea")


def test_names_live_in_files_and_in_duels_that_wait(tmp_path):
    poll = dd.DriftPoll(NAMES, seed=1)
    duel = poll.ask()
    poll.save(tmp_path / "poll.json")
    again = dd.load_learner(tmp_path / "poll.json")
    assert [one.names for one in again.open_duels] == [duel.names]
    again.tell(duel.code, duel.names[0])
    assert again.best() in NAMES


def test_who_joins_is_best_by_name():
    poll = dd.DriftPoll(["tea", "coffee"], seed=1)
    poll.change_arms(join=["mate"], leave=["tea"])
    for _ in range(40):
        poll.tell(poll.ask(), "mate")
    assert (poll.best(), poll.best_index) == ("mate", 2)


# Between a win and a loss.


def test_polls_and_our_learners_take_graded_answers():
    assert {"DriftPoll", "DriftDuel", "MetaBosse", "Bosse", "RUCB", "Uniform"} <= {*TAKE_GRADED}
    assert {"DTS", "WinnerStays", "RMED1", "SelfSparring"}.isdisjoint(TAKE_GRADED)


def test_slightly_better_counts_as_less_than_better():
    chances = []
    for outcome in (0.5, 0.6, 0.75, 1.0):
        poll = dd.DriftPoll(["tea", "milk"], seed=1)
        for _ in range(30):
            duel = poll.ask()
            poll.tell(duel, outcome if duel.names[0] == "tea" else 1 - outcome)
        chances.append(poll.report().scores[0])
    assert chances == pytest.approx([0.5, 0.6, 0.75, 1.0])


def test_who_counts_wins_says_so():
    learner = dd.learners.DTS(NAMES, seed=1)
    duel = learner.ask(votes_only=True)
    with pytest.raises(
        ValueError,
        match=r"^outcome is 0\.75, must be 1 or 'left', 0 or 'right', "
        "0.5 or 'tie': DTS counts wins, it knows nothing between$",
    ):
        learner.tell(duel, 0.75)


@pytest.mark.parametrize("outcome", [-0.01, 1.01, np.nan, np.inf])
def test_beyond_a_win_and_a_loss_is_nothing(outcome):
    poll = dd.DriftPoll(3, seed=1)
    with pytest.raises(ValueError, match=r"must be from 1, 'left', to 0, 'right'$"):
        poll.tell(poll.ask(), outcome)
    assert poll.rounds == 0


def test_a_wrapper_takes_what_the_learner_inside_takes():
    wrap = dd.learners.PeriodicRestart.of
    assert wrap(dd.DriftDuel(3), every=50)._graded
    assert not wrap(dd.learners.DTS(3), every=50)._graded


def test_a_graded_answer_is_remembered_to_the_bit(tmp_path):
    poll, answer = dd.DriftPoll(3, seed=1), 0.1 + 0.2
    duel = poll.ask()
    poll.tell(duel, answer)
    poll.save(tmp_path / "poll.json")
    for one in (poll, dd.load_learner(tmp_path / "poll.json")):
        with pytest.raises(AlreadyTold, match=r"told already: 0\.30000000000000004") as refused:
            one.tell(duel, "tie")
        assert refused.value.outcome == answer


@pytest.mark.parametrize("name", TAKE_GRADED)
def test_a_file_of_graded_answers_goes_on_bit_for_bit(name, tmp_path):
    learner = dd.all_learners()[name](4, 400, seed=2)
    rng = np.random.default_rng(5)

    def go_on(one, answers):
        pairs = []
        for answer in answers:
            duel = one.ask()
            pairs.append((duel.left, duel.right))
            one.tell(duel, float(answer) if duel.is_vote else 0.5)
        return pairs

    go_on(learner, rng.random(150))
    learner.save(tmp_path / "learner.json")
    again, later = dd.load_learner(tmp_path / "learner.json"), rng.random(50)
    assert go_on(learner, later) == go_on(again, later)
