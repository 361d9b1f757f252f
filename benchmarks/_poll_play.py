"""Playing polls: DriftPoll, uniform pairs with many memories, and other learners, all compiled.

A vote is a question to somebody: two different arms, sides by a coin. A learner that would show an
arm beside itself shows it to nobody: it is told a tie, which costs no vote. After `PATIENCE` such
questions in a row a vote passes without one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import driftduel as dd
from benchmarks._poll_worlds import Play
from driftduel._support.compile.jit import bind_kernels, inline_kernel, jit, kernel
from driftduel.experiments.simulation.runs import world_generator
from driftduel.learners.contract.base import learner_generator, settle_generator
from driftduel.learners.contract.hooks import KERNELS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MEMORIES = (60, 125, 250, 500, 1000, 2000, 4000)
"""Votes of a window. Fading forgets at the rate at which its votes are as old on average."""
PATIENCE = 100
LOOK = 10
"""Votes between looks at a learner that is not asked after each."""

_NAMES = (*KERNELS, "leader")


class Taste(NamedTuple):
    """How people vote, as compiled code takes it."""

    palette: Floats
    before: Ints
    after: Ints
    share: Floats
    ties: float
    left: float

    @classmethod
    def of(cls, play: Play, ties: float = 0.0, left: float = 0.0) -> Taste:
        """Return it for the probabilities of a world."""
        return cls(play.palette, play.before, play.after, play.share, ties, left)


def wrong(play: Play, best: Ints) -> NDArray[np.bool_]:
    """Tell at each vote whether an arm other than a best one was named, in every row of many."""
    votes = np.arange(best.shape[-1])
    scores = play.scores_at(votes)
    rows = np.atleast_2d(best)
    behind = scores.max(axis=1) - scores[votes, rows]
    return np.asarray(behind > 1e-9).reshape(best.shape)


@kernel
def vote(taste: Taste, number: int, left: int, right: int, rng: np.random.Generator) -> float:
    """Return what somebody says to two arms, the first of which is on a side by a coin."""
    share = taste.share[number]
    chance = (1.0 - share) * taste.palette[taste.before[number], left, right]
    chance += share * taste.palette[taste.after[number], left, right]
    if rng.random() < taste.ties:
        return 0.5
    chance += taste.left if rng.random() < 0.5 else -taste.left
    return 1.0 if rng.random() < chance else 0.0


# Learners.


class Played(NamedTuple):
    """A run: whom the learner named after each vote, and the learner as it is at the end."""

    best: Ints
    learner: dd.Learner


def play(
    learner: dd.Learner,
    taste: Taste,
    seed: int,
    votes: int,
    stops: Sequence[int] = (),
    look: Callable[[Any], None] | None = None,
) -> Played:
    """Let a learner ask so many votes; ``look`` is called with it after so many as in ``stops``."""
    player = learner.clone(seed=seed)
    session, world = player._session, world_generator(seed)
    exact = isinstance(player, dd.DriftPoll)
    play_on = bind_kernels(_play, _NAMES, (*player._kernels, _leader if exact else _nobody))
    best = np.zeros(votes, np.int64)
    ends = [*stops, votes]
    done = 0
    while done < votes:
        end = ends[0] if exact else min(ends[0], done - done % LOOK + LOOK)
        generators = session.rng, session.settle_rng, world
        n = play_on(session.state, *generators, taste, done, best[done:end])
        player._collect(session.state, session.history)
        if not exact:
            best[done : done + n] = player._best_of(session.state)
        done += n
        session.told = done
        if done == ends[0]:
            ends.pop(0)
            if look is not None and len(ends) > 0:
                look(player)
    return Played(best, player)


@inline_kernel
def _leader(state):  # type: ignore[no-untyped-def]
    return state.clock[0]["leader"]


@inline_kernel
def _nobody(state):  # type: ignore[no-untyped-def]
    return 0


def _play(state, choose_rng, settle_rng, world_rng, taste, first, best):  # type: ignore[no-untyped-def]
    """Play until ``best`` is full or the journal is; return the number of votes."""
    for n in range(best.shape[0]):
        left, right, ticket = choose(state, choose_rng)  # type: ignore[name-defined]  # noqa: F821
        patience = PATIENCE
        while left == right and patience > 0:
            if learn(state, left, right, ticket, 0.5):  # type: ignore[name-defined]  # noqa: F821
                settle(state, settle_rng)  # type: ignore[name-defined]  # noqa: F821
                if full(state):  # type: ignore[name-defined]  # noqa: F821
                    return n
            left, right, ticket = choose(state, choose_rng)  # type: ignore[name-defined]  # noqa: F821
            patience -= 1
        if left != right:
            outcome = vote(taste, first + n, left, right, world_rng)
            if learn(state, left, right, ticket, outcome):  # type: ignore[name-defined]  # noqa: F821
                settle(state, settle_rng)  # type: ignore[name-defined]  # noqa: F821
        best[n] = leader(state)  # type: ignore[name-defined]  # noqa: F821
        if full(state):  # type: ignore[name-defined]  # noqa: F821
            return n + 1
    return best.shape[0]


# Uniform pairs, and what can be made of their votes.


def uniform(taste: Taste, seed: int, votes: int, keep_all: bool = False) -> Ints:
    """Return whom uniform pairs name after each vote by the share of duels won, for each memory.

    Rows are the windows of `MEMORIES`, fading by them, and all votes; or the last alone.
    """
    first = 2 * len(MEMORIES) if keep_all else 0
    best = np.zeros((2 * len(MEMORIES) + 1, votes), np.int64)
    _uniform(taste, world_generator(seed), np.array(MEMORIES), first, best)
    return best[first:]


@jit
def _uniform(
    taste: Taste, rng: np.random.Generator, memories: Ints, first: int, best: Ints
) -> None:
    n_arms, n_windows = taste.palette.shape[1], len(memories)
    rows, votes = best.shape
    duels = np.zeros((rows, n_arms))
    wins = np.zeros((rows, n_arms))
    pairs = np.zeros((votes, 2), np.int64)
    outcomes = np.zeros(votes)
    for number in range(votes):
        left, right = _pair(n_arms, rng)
        outcome = vote(taste, number, left, right, rng)
        pairs[number] = left, right
        outcomes[number] = outcome
        for row in range(first, rows):
            if row < n_windows:
                old = number - memories[row]
                if old >= 0:
                    for side in range(2):
                        duels[row, pairs[old, side]] -= 1
                    wins[row, pairs[old, 0]] -= outcomes[old]
                    wins[row, pairs[old, 1]] -= 1 - outcomes[old]
            elif row < 2 * n_windows:
                kept = 1 - 2 / memories[row - n_windows]
                for arm in range(n_arms):
                    duels[row, arm] *= kept
                    wins[row, arm] *= kept
            duels[row, left] += 1
            duels[row, right] += 1
            wins[row, left] += outcome
            wins[row, right] += 1 - outcome
            best[row, number] = _most(wins[row], duels[row], rng)


@jit
def _pair(n_arms: int, rng: np.random.Generator) -> tuple[int, int]:
    left, right = int(rng.random() * n_arms), int(rng.random() * (n_arms - 1))
    return left, right + (right >= left)


@jit
def _most(wins: Floats, duels: Floats, rng: np.random.Generator) -> int:
    """Return the arm with the largest share of wins, one of them at random if there are more."""
    most, found, equals = -1.0, 0, 0
    for arm in range(len(wins)):
        share = (wins[arm] + 1) / (duels[arm] + 2)
        if share > most + 1e-12:
            most, found, equals = share, arm, 1
        elif share > most - 1e-12:
            equals += 1
            if rng.random() * equals < 1:
                found = arm
    return found


def bradley_terry(taste: Taste, seed: int, votes: int) -> Ints:
    """Return whom Bradley-Terry on uniform pairs names, for windows and for all votes.

    Each arm has won and lost half a duel with an arm of strength 1 before. The fit is that of
    Hunter, MM algorithms for generalized Bradley-Terry models, 2004, three steps every 10 votes
    from where it was.
    """
    windows = np.array([*MEMORIES, votes])
    best = np.zeros((len(windows), votes), np.int64)
    _bradley_terry(taste, world_generator(seed), windows, best)
    return best


@jit
def _bradley_terry(taste: Taste, rng: np.random.Generator, windows: Ints, best: Ints) -> None:
    n_arms, votes = taste.palette.shape[1], best.shape[1]
    duels = np.zeros((len(windows), n_arms, n_arms))
    wins = np.full((len(windows), n_arms), 0.5)
    strengths = np.ones((len(windows), n_arms))
    pairs = np.zeros((votes, 2), np.int64)
    outcomes = np.zeros(votes)
    for number in range(votes):
        left, right = _pair(n_arms, rng)
        outcomes[number] = vote(taste, number, left, right, rng)
        pairs[number] = left, right
        for row in range(len(windows)):
            for sign, at in ((1.0, number), (-1.0, number - windows[row])):
                if at >= 0:
                    one, other = pairs[at]
                    duels[row, one, other] += sign
                    duels[row, other, one] += sign
                    wins[row, one] += sign * outcomes[at]
                    wins[row, other] += sign * (1 - outcomes[at])
            if number % LOOK == 0:
                for _ in range(3):
                    for arm in range(n_arms):
                        total = 1 / (strengths[row, arm] + 1)
                        for other in range(n_arms):
                            pair = strengths[row, arm] + strengths[row, other]
                            total += duels[row, arm, other] / pair
                        strengths[row, arm] = wins[row, arm] / total
            best[row, number] = np.argmax(strengths[row])


def top_two(taste: Taste, seed: int, votes: int) -> Ints:
    """Return whom top-two sampling names: two arms drawn by how likely each is best, all votes.

    Each arm's share of wins is drawn from a normal distribution; the second arm is the first that
    is drawn best and is not the first (Russo, COLT 2016).
    """
    best = np.zeros(votes, np.int64)
    _top_two(taste, learner_generator(seed), settle_generator(seed), best)
    return best


@jit
def _top_two(
    taste: Taste, rng: np.random.Generator, draws: np.random.Generator, best: Ints
) -> None:
    n_arms = taste.palette.shape[1]
    duels = np.zeros(n_arms)
    wins = np.zeros(n_arms)
    for number in range(len(best)):
        left = _strongest(wins, duels, draws, -1)
        right = left
        for _ in range(PATIENCE):
            if right == left:
                right = _strongest(wins, duels, draws, -1)
        if right == left:
            right = _strongest(wins, duels, draws, left)
        outcome = vote(taste, number, left, right, rng)
        duels[left] += 1
        duels[right] += 1
        wins[left] += outcome
        wins[right] += 1 - outcome
        best[number] = _most(wins, duels, draws)


@jit
def _strongest(wins: Floats, duels: Floats, draws: np.random.Generator, but: int) -> int:
    most, found = -np.inf, 0
    for arm in range(len(wins)):
        share = (wins[arm] + 1) / (duels[arm] + 2)
        drawn = share + draws.standard_normal() * np.sqrt(share * (1 - share) / (duels[arm] + 3))
        if drawn > most and arm != but:
            most, found = drawn, arm
    return found
