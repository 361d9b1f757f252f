"""The turns of a run: the rounds during which the same arms are on offer.

A learner plays each turn as one of these arms alone, in their world, and carries over what it knows
to the next (`driftduel.learners.contract.offer`). Where all arms are always on offer there is one
turn, of the learner and the stream themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.hooks import State
from driftduel.learners.contract.offer import carry_over, check_can_change, offer_of
from driftduel.worlds.stream import Stream

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Turn:
    """Rounds ``first`` to ``end - 1``.

    Attributes
    ----------
    first, end : int
        The first round, and the one after the last.
    arms : array of int
        The arms on offer.
    player, world : Learner, Stream
        The learner and the world of these arms alone.
    state : State
        The state to play on.
    news : History
        What happens, by the numbers that arms have here.
    n_arms : int
        How many arms there are in all.
    """

    first: int
    end: int
    arms: Ints
    player: Learner
    world: Stream
    state: State
    news: History
    n_arms: int

    def best(self) -> int:
        """Return the arm that the learner would pick now."""
        best = self.player._best_of(self.state)
        return best if self.player.n_arms == self.n_arms else int(self.arms[best])

    def active(self) -> Ints:
        """Return the arms in play now."""
        active = self.player._active_of(self.state)
        return active if self.player.n_arms == self.n_arms else self.arms[active]

    def codes(self, pairs: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return pairs ``left * K + right`` of these arms as pairs of all arms."""
        if len(self.arms) == self.n_arms:
            return pairs
        left, right = np.divmod(pairs, len(self.arms))
        return (self.arms[left] * self.n_arms + self.arms[right]).astype(np.int32)


def turns_of(
    learner: Learner,
    stream: Stream,
    rng: np.random.Generator,
    settle_rng: np.random.Generator,
    history: History,
) -> Iterator[Turn]:
    """Yield the turns of a run; each must be played before the next is asked for."""
    if stream.offered is None:
        arms = np.arange(stream.n_arms)
        state = learner._start(rng)
        yield Turn(0, stream.horizon, arms, learner, stream, state, history, stream.n_arms)
        return
    check_can_change(learner)
    before: Turn | None = None
    for first, end, arms in stream.offers():
        offer = offer_of(learner, arms.tolist())
        player = learner if offer is None else offer.player
        news = history if offer is None else History()
        if before is None:
            state = player._start(rng)
        else:
            state = carry_over(
                player, before.arms.tolist(), arms.tolist(), before.state, settle_rng
            )
            player._collect(state, news)
        world = stream[first:end].among(arms)
        before = Turn(first, end, arms, player, world, state, news, stream.n_arms)
        yield before
        if offer is not None:
            offer.note(news, history)
