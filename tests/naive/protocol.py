"""What the slow oracle of a learner can do: speak as the kernels of the learner do."""

from __future__ import annotations

from abc import ABC, abstractmethod

Ticket = tuple[object, ...]


class Oracle(ABC):
    """A learner written again, straight from its rules: slow, plain, and drawing the same numbers.

    An oracle is made from the parameters of the learner and, last, from a generator that gives
    the numbers which the learner's own give: when it is made and in `ask` those of the one that
    chooses, in `tell` those of the one that settles. It draws what the learner draws, in its
    order. Any number of duels may be open, and they may be told in any order; an oracle for which
    this is not so says so.

    `tests.learners.driving.play_beside` plays it beside its learner. Pairs and chances must agree
    in every round, and so must those of the things below that an oracle has.
    """

    active: list[int] | None = None
    """The arms in play, in order."""

    episodes: list[int] | None = None
    """When each episode began."""

    replays: list[tuple[int, int]] | None = None
    """The start and length of each replay."""

    @abstractmethod
    def ask(self) -> tuple[int, int, Ticket]:
        """Return the left arm, the right arm and what `tell` needs to know about this duel.

        The first entry of the ticket is the chance of this pair, None if the learner does not
        say it.
        """

    @abstractmethod
    def tell(self, left: int, right: int, ticket: Ticket, outcome: float) -> None:
        """Learn the outcome of a duel."""

    def best(self) -> int | None:
        """Return the arm that the learner would pick."""
        return None


class TooCloseError(Exception):
    """Two numbers that have to be compared are equal but for rounding."""
