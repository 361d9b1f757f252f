"""Driving a learner for a check, and comparing what came out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from driftduel.experiments.simulation import Run, simulate
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.ranges import scratch_of
from driftduel.learners.contract.session import Duel
from driftduel.learners.contract.storage import as_payload
from driftduel.worlds.stream import Stream

Make = Callable[[int, int, int], Learner]
"""Makes a learner from its number of arms, its horizon and its seed."""

Between = Callable[[int, Learner], Learner]
"""Called before each ask with the number of asks so far; returns the learner to go on with."""


def expect(condition: bool, message: str) -> None:
    """Raise AssertionError unless the condition holds, also where Python leaves asserts out."""
    if not condition:
        raise AssertionError(message)


def compiled(learner: Learner) -> bool:
    """Tell whether the kernels are compiled, so that long checks are quick."""
    return hasattr(learner._choose, "py_func")


def switching_world(n_arms: int, horizon: int) -> Stream:
    """Return a world in which the first arm wins clearly, and from half time on the last."""
    arms = np.arange(n_arms)
    first_wins = 0.5 + 0.4 * np.sign(arms[None, :] - arms[:, None])
    if horizon < 2:
        return Stream.stationary(first_wins, horizon)
    return Stream.piecewise([first_wins, first_wins.T], [0, horizon // 2], horizon)


def drive(learner: Learner, stream: Stream, seed: int = 0, between: Between | None = None) -> Drive:
    """Play with ties, late, out-of-order and lost outcomes, one ask per round of the stream.

    What is told when depends on ``seed`` and on the duels only, so that equal learners get equal
    outcomes.
    """
    return Drive(learner, stream, seed).go_on(stream.horizon, between)


class Drive:
    """A learner, the duels it asked so far and those that wait for their outcome."""

    def __init__(self, learner: Learner, stream: Stream, seed: int = 0) -> None:
        self.learner = learner
        self.stream = stream
        self.script = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,)))
        self.duels: list[Duel] = []
        self.waiting: list[Duel] = []
        self.told = 0

    def go_on(self, n_asks: int, between: Between | None = None) -> Drive:
        """Ask ``n_asks`` more duels."""
        for _ in range(n_asks):
            if between is not None:
                self.learner = between(len(self.duels), self.learner)
            duel = self.learner.ask()
            n_arms = self.learner.n_arms
            for arm in (duel.left, duel.right):
                expect(type(arm) is int, f"an arm is a {type(arm).__name__}, must be an int")
                expect(0 <= arm < n_arms, f"of {n_arms} arms it played arm {arm}")
            matrix = self.stream.matrix(len(self.duels))
            self.duels.append(duel)
            if self.script.random() < 0.9:  # the others are never told
                self.waiting.append(duel)
            while self.waiting and (self.script.random() < 0.5 or len(self.waiting) > 20):
                self.tell(self.waiting.pop(self.script.integers(len(self.waiting))), matrix)
        return self

    def tell(self, duel: Duel, matrix: NDArray[np.float64]) -> None:
        """Draw an outcome, a tie now and then, and tell it."""
        outcome = float(self.script.random() < matrix[duel.left, duel.right])
        try:
            tie = self.script.random() < 0.1 or not duel.is_vote
            self.learner.tell(duel, 0.5 if tie else outcome)
        except ValueError as error:
            raise AssertionError(f"a duel that it asked was refused: {error}") from error
        self.told += 1


def tell_as_played(learner: Learner, duel: Duel, outcome: float) -> None:
    """Tell an outcome as `simulate` does, which tosses a coin for an arm against itself."""
    if duel.is_vote:
        learner.tell(duel, outcome)
    else:
        session = learner._session
        session.take(learner, *session.close(duel.id, "tie"), outcome)


def tell_won(learner: Learner, duel: Duel) -> None:
    """Tell that the left arm won, or a tie if that is all that can be told."""
    learner.tell(duel, 1.0 if duel.is_vote else 0.5)


def essence(duels: list[Duel]) -> list[tuple[int, int, float | None]]:
    """Return what matters of duels: the pairs and their propensities."""
    return [(duel.left, duel.right, duel.propensity) for duel in duels]


def snapshot(learner: Learner, *, named: bool = True) -> dict[str, Any]:
    """Return all that a learner is, as a file would hold it, but for what the clock said.

    The name is in it only if it matters.
    """
    payload = as_payload(learner)
    for row in payload["session"]["open"]:
        row.pop()  # the time of asking
    if not named:
        del payload["session"]["name"]
    return payload


def knowledge(learner: Learner) -> dict[str, Any]:
    """Return what a learner knows by the outcomes told: all but scratch, and what was asked."""
    session = as_payload(learner)["session"]
    happened = ("episodes", "evictions", "activations", "replays", "changes")
    parts = ("told", "offered", *happened, "settle_generator")
    scratch = scratch_of(learner)
    state = {name: array for name, array in session["state"].items() if name not in scratch}
    return {"state": state, **{name: session[name] for name in parts}}


def simulate_all(learner: Learner, stream: Stream, seed: int) -> Run:
    """Simulate with a point at every round, so that each pair can be told."""
    return simulate(learner, stream, seed, points=stream.horizon)


def facts(run: Run) -> dict[str, Any]:
    """Return what happened in a run made by `simulate_all`, for comparison."""
    pairs = run.ledger.pairs
    assert pairs is not None, "too many rounds to keep apart"
    return {
        "pairs": pairs.argmax(axis=1).tolist(),
        "episodes": run.episodes,
        "evictions": run.evictions,
        "activations": run.activations,
        "replays": run.replays,
        "best": run.best,
    }
