"""What people see of a learner, and what its author writes."""

import inspect
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.learners import Learner, Literature, bounded, inline_kernel
from driftduel.testing import check_learner

EVERYBODY = {
    *("ask", "tell", "cancel", "fold", "best", "best_index", "report", "save", "clone", "config"),
    *("rounds", "open_duels", "limit_open", "change_arms", "can_change_arms", "offered"),
    *("active", "episodes", "evictions", "activations", "replays"),
}
PARAMETERS = {"n_arms", "horizon", "criterion", "seed", "labels"}
OWN = {
    "DriftPoll": {"changes", "probabilities", "rarest", "rules"},
    "DriftDuel": {"calibration", "false_restarts", "regret"},
    "MetaBosse": {
        *("constants", "estimator", "intervals", "prefix", "replay_rate", "scale"),
        *("smallest_block", "steps"),
    },
    "RUCB": {"alpha"},
}


def shown(learner):
    return {name for name in dir(learner) if not name.startswith("_")}


@pytest.mark.parametrize("name", OWN)
def test_a_learner_shows_what_people_do_with_it_and_its_parameters(name):
    learner = dd.all_learners()[name](3, 1000)
    assert shown(learner) == EVERYBODY | PARAMETERS | OWN[name]


@pytest.mark.parametrize("name", dd.all_learners())
def test_no_learner_shows_a_kernel_or_a_hook(name):
    kind = dd.all_learners()[name]
    known = EVERYBODY | {item.name for item in fields(kind)}
    extra = {"changes", "probabilities", "rarest", "mixture", "of", "scale"}
    assert shown(kind) - known <= extra


class Leads(NamedTuple):
    leads: np.ndarray
    epsilon: np.ndarray


@inline_kernel
def choose(state, rng):
    n_arms = state.leads.shape[0]
    return int(rng.random() * n_arms), int(rng.random() * n_arms), (1.0 / (n_arms * n_arms),)


@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.leads[left] += outcome - 0.5
    state.leads[right] -= outcome - 0.5
    return False


@dataclass(frozen=True, eq=False)
class Plain(Learner):
    """Written when hooks had no underscore."""

    epsilon: float = bounded(0.1, least=0, most=1)
    full: int = 3  # a parameter may have any name

    choose = staticmethod(choose)
    learn = staticmethod(learn)
    serves = (dd.Borda,)
    literature: ClassVar = Literature("A. Author, A Title, 2020", "none", "nothing", "O(1)")

    def allocate(self):
        return Leads(np.zeros(self.n_arms), np.array([self.epsilon]))

    def best_of(self, state):
        return int(state.leads.argmax())


def test_a_class_with_the_older_names_is_a_whole_learner():
    check_learner(lambda n_arms, horizon, seed: Plain(n_arms, horizon, seed=seed))
    assert shown(Plain(2)) == EVERYBODY | PARAMETERS | {"epsilon", "full"}
    assert Plain(2, full=5).full == 5
    with pytest.raises(ValueError, match="Plain serves 'borda' only"):
        Plain(2, criterion="condorcet")


def test_the_paper_is_cited_in_the_docstring_once():
    assert Plain.__doc__.endswith("References\n----------\nA. Author, A Title, 2020.")
    for kind in dd.all_learners().values():
        paper = kind._literature.paper
        cited = " ".join(kind.__doc__.split()).count(paper[1:])
        assert not paper or cited == 1


def test_a_class_that_lacks_its_parts_is_refused_by_their_names():
    with pytest.raises(ValueError, match="has no _choose, _learn, _allocate, _best_of"):
        Learner._named(f"{__name__}:Empty")


class Empty(Learner):
    pass


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("RUCB", "the criterion must be Condorcet and the horizon does not matter."),
        ("SAVAGE", "the criterion must be Condorcet."),
        ("DETECT", "the criterion must be Condorcet and the horizon be given."),
        ("MASTER", "the criterion must be Borda or a weighted one and the horizon be given."),
    ],
)
def test_a_docstring_says_once_what_the_class_declares_of_its_criterion_and_horizon(name, words):
    doc = " ".join(dd.all_learners()[name].__doc__.split())
    assert doc.count("n_arms, horizon, criterion, seed, labels As for every learner") == 1
    assert words in doc


def test_the_common_parameters_stand_before_references_and_examples_where_there_are_no_others():
    doc = inspect.getdoc(dd.learners.WinnerStays)
    places = [doc.index(f"\n\n{name}\n---") for name in ("Parameters", "References", "Examples")]
    assert places == sorted(places)
