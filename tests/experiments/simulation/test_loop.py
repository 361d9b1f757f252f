from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import driftduel as dd
from driftduel.experiments.simulation.loop import bind, play
from driftduel.learners import Learner, inline_kernel
from tests.experiments.simulation.worlds import SWITCHING


class Counts(NamedTuple):
    rounds: np.ndarray


@inline_kernel
def choose(state, rng):
    return 0, 1, (1.0,)


@inline_kernel
def choose_one_too_many(state, rng):
    return 0, 4 * (state.rounds[0] == 7), (1.0,)


@inline_kernel
def choose_one_too_few(state, rng):
    return -(state.rounds[0] // 100), 0, (1.0,)


@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.rounds[0] += 1
    return state.rounds[0] % 10 == 0


@inline_kernel
def forget(state, rng):
    state.rounds[0] = 0


@inline_kernel
def add(state, rng):
    state.rounds[0] += 1000


@dataclass(frozen=True, eq=False)
class Counting(Learner):
    _choose = staticmethod(choose)
    _learn = staticmethod(learn)

    def _allocate(self):
        return Counts(np.zeros(1, np.int64))

    def _best_of(self, state):
        return int(state.rounds[0])


@dataclass(frozen=True, eq=False)
class Forgetting(Counting):
    _settle = staticmethod(forget)


@dataclass(frozen=True, eq=False)
class Adding(Counting):
    _settle = staticmethod(add)


@dataclass(frozen=True, eq=False)
class OneTooMany(Counting):
    _choose = staticmethod(choose_one_too_many)


@dataclass(frozen=True, eq=False)
class OneTooFew(Counting):
    _choose = staticmethod(choose_one_too_few)


@pytest.mark.parametrize("kind", [OneTooMany, OneTooFew])
def test_an_arm_that_does_not_exist_is_noticed_before_it_does_harm(kind):
    with pytest.raises(ValueError, match=rf"^{kind.__name__} played an arm that does not exist$"):
        dd.simulate(kind(4), SWITCHING)


def test_learners_with_the_same_kernels_share_a_loop():
    assert bind(play, dd.Bosse(3, 10)) is bind(play, dd.MetaBosse(5, 20, seed=1))


def test_a_loop_calls_the_kernels_of_its_own_learner():
    assert dd.simulate(Counting(4), SWITCHING[:25]).best == 25
    assert dd.simulate(Forgetting(4), SWITCHING[:25]).best == 5
    assert dd.simulate(Adding(4), SWITCHING[:25]).best == 2025
    loops = [bind(play, kind(4)) for kind in (Counting, Forgetting, Adding)]
    assert len({loop.__name__ for loop in loops}) == 3


PROMPT = """
from typing import NamedTuple
from dataclasses import dataclass
import numpy as np
import driftduel as dd
from driftduel.learners import Learner, inline_kernel

class State(NamedTuple):
    rounds: np.ndarray

@inline_kernel
def choose(state, rng):
    return 0, {arm}, (1.0,)

@inline_kernel
def learn(state, left, right, ticket, outcome):
    state.rounds[0] += 1
    return False

@dataclass(frozen=True, eq=False)
class Typed(Learner):
    choose = staticmethod(choose)
    learn = staticmethod(learn)

    def allocate(self):
        return State(np.zeros(1, np.int64))

    def best_of(self, state):
        return 0

stream = dd.Stream.stationary(np.full((3, 3), 0.5), 10)
print(dd.simulate(Typed(3), stream).plays[0].tolist())
"""


@pytest.mark.large
def test_a_learner_typed_at_a_prompt_never_gets_the_loop_of_another(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for arm, plays in ((1, "[0, 10, 0]\n"), (2, "[0, 0, 10]\n")):
        done = subprocess.run(
            [sys.executable, "-c", PROMPT.format(arm=arm)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert (done.stdout, done.stderr) == (plays, "")


@pytest.mark.large
def test_an_edit_of_a_learner_outside_the_package_is_noticed(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    script = tmp_path / "learner.py"
    for arm, plays in ((1, "[0, 10, 0]\n"), (2, "[0, 0, 10]\n")):
        script.write_text(PROMPT.format(arm=arm))
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, env=environment, check=False
        )
        assert (done.stdout, done.stderr) == (plays, "")
