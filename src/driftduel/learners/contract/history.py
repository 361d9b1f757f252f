"""What a learner did: episodes, evictions and replays, in the order of rounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from driftduel.votes.proof.counts import Counts

if TYPE_CHECKING:
    from driftduel.learners.contract.report import Change


@dataclass(frozen=True)
class Eviction:
    """An arm that was found worse than another over an interval of rounds.

    Attributes
    ----------
    round : int
        The round after which it was found.
    arm, beaten_by : int
        The arm evicted and the arm that beat it.
    first, last : int
        The first and the last round of the interval.
    weight : int or None
        The arm on which the reference weight is a point mass; None for a known weight.
    statistic, threshold : float
        How far ahead the better arm was, and how far it had to be.
    base : int
        The round at which the base that found it had started.
    """

    round: int
    arm: int
    beaten_by: int
    first: int
    last: int
    weight: int | None
    statistic: float
    threshold: float
    base: int


@dataclass(frozen=True)
class Activation:
    """An arm that was evicted and is in play again from this round on."""

    round: int
    arm: int


class Replay(NamedTuple):
    """A base that was started to look again at all arms: its first round and its length.

    There are thousands in a run, and a tuple is made in a third of the time of a dataclass.
    """

    start: int
    length: int


@dataclass
class History:
    """What a learner did, in the order of rounds.

    ``changes`` are those of the world that were declared before arms last came or went, and
    ``counts`` the votes until then; the state holds the later ones.
    """

    episodes: list[int] = field(default_factory=lambda: [0])
    evictions: list[Eviction] = field(default_factory=list)
    activations: list[Activation] = field(default_factory=list)
    replays: list[Replay] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    counts: Counts | None = None
