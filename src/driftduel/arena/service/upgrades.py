"""Upgrades of rules: what newer ones would change, and that they are accepted.

A newer program folds an arena by the rules of its row. Others apply from the moment at which the
owner accepts them: then all votes that count are folded by the new rules, and the changes that were
declared before stay as they were said.
"""

from __future__ import annotations

from dataclasses import dataclass

from driftduel.arena import versions
from driftduel.arena.errors import Conflict
from driftduel.arena.service.service import Service
from driftduel.arena.status import standing_of
from driftduel.verdict.difference import difference
from driftduel.verdict.parts import Sentence, plain


@dataclass(frozen=True)
class Upgrade:
    """Which rules an arena has, the newest ones, and what these would change.

    Attributes
    ----------
    rules, newest : int
        Their versions; if they are the same there is nothing to accept.
    sentences : tuple of Sentence
        What would be said otherwise.
    """

    rules: int
    newest: int
    sentences: tuple[Sentence, ...] = ()

    @property
    def differences(self) -> list[str]:
        """The sentences as plain text."""
        return [plain(one) for one in self.sentences]

    @property
    def text(self) -> str:
        """What would change, in words."""
        if self.rules == self.newest:
            return f"This poll is counted by rules {self.rules}, the newest."
        asked = (
            f"This poll is counted by rules {self.rules}; rules {self.newest} are the newest. "
            "With these:"
        )
        return "\n".join([asked, *(f"  {one}" for one in self.differences)])


def upgrade(service: Service, slug: str) -> Upgrade:
    """Return what the newest rules would change in an arena.

    Raises
    ------
    NotFound, Conflict, Unavailable
        If there is no such arena; if a newer program let it have rules that this one does not
        know; if the database fails.
    """
    service.hosted(slug)
    service.follow(slug)
    hosted = service.hosted(slug)
    if hosted.arena.rules >= versions.CURRENT:
        return Upgrade(hosted.arena.rules, hosted.arena.rules)
    trial = service.trial(slug)
    old, new = (
        standing_of(hosted.arena, replica, as_said=False)
        for replica in (service.hosted(slug).replica, trial.replica)
    )
    return Upgrade(hosted.arena.rules, versions.CURRENT, tuple(difference(old, new)))


def accept_rules(service: Service, slug: str, to: int | None = None) -> Upgrade:
    """Let an arena have the newest rules, as one event; to do it again changes nothing.

    Parameters
    ----------
    service : Service
        The service.
    slug : str
        Which arena.
    to : int, optional
        The version that the owner was told about; others are refused.

    Raises
    ------
    NotFound, Conflict, Unavailable
        If there is no such arena; if other rules are the newest; if the database fails.
    """
    if to not in (None, versions.CURRENT):
        raise Conflict(f"rules {to} are not the newest, which are {versions.CURRENT}: look again")
    service.hosted(slug)
    service.follow(slug)
    service.accept_rules(slug)
    rules = service.hosted(slug).arena.rules
    return Upgrade(rules, rules)
