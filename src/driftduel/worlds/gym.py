"""A world as an environment of gymnasium, for agents that are written for those.

A step shows a pair and hears who is preferred. Gymnasium comes with the extra ``gym``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from driftduel._support.extras import library
from driftduel.matrix.criteria import Borda, Criterion
from driftduel.worlds.stream import Stream


def make(world: Stream, criterion: Criterion | None = None) -> Any:
    """Return an environment in which an agent plays a world from its first round to its last.

    An action is a pair, the arms that are shown left and right. What is observed is the outcome: 1
    if left was preferred, 0 if right was, 0.5 of an arm with itself and at first. The reward
    is minus the regret of the pair, which an agent for votes is not told: learn from the outcome.
    After the horizon the episode is truncated. ``info`` has ``round`` and ``regret``.

    Parameters
    ----------
    world : Stream
        Any world whose arms are there all the time.
    criterion : Criterion, optional
        What regret is about; Borda if left out.

    Returns
    -------
    gymnasium.Env
        Its ``reset(seed=...)`` seeds the voters.
    """
    if world.offered is not None:
        raise ValueError("in this world arms come and go, an environment has the same all the time")
    return _environment()(world, Borda() if criterion is None else criterion)


@cache
def _environment() -> Any:
    """Return the class, made when gymnasium is asked for."""
    gymnasium = library("gymnasium", "environments", "gym")

    class DuelEnv(gymnasium.Env):  # type: ignore[misc, name-defined]
        """Pairs of arms put before voters whose taste drifts."""

        def __init__(self, world: Stream, criterion: Criterion) -> None:
            self.world, self.criterion = world, criterion
            self.round = 0
            self.action_space = gymnasium.spaces.MultiDiscrete([world.n_arms] * 2)
            self.observation_space = gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)

        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
            super().reset(seed=seed)
            self.round = 0
            return np.full(1, 0.5, np.float32), {"round": 0, "regret": 0.0}

        def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
            if self.round >= self.world.horizon:
                raise ValueError(f"the world is over after {self.world.horizon} rounds; reset it")
            left, right = map(int, action)
            matrix = self.world.matrix(self.round)
            won = float(self.np_random.random() < matrix[left, right])
            regret = float(self.criterion.regret(matrix, left, right, round_=self.round))
            self.round += 1
            seen = np.full(1, 0.5 if left == right else won, np.float32)
            over = self.round == self.world.horizon
            return seen, -regret, False, over, {"round": self.round, "regret": regret}

    return DuelEnv
