"""The changing part of a learner that is driven by hand: duels open and closed, what happened.

Nothing here but the state and its generators matters to play: the state depends on what was told
and in which order, never on what else was asked, on the clock, on duels cancelled or on what is
remembered of those told.
"""

from __future__ import annotations

import math
import numbers
import re
import time
import uuid
from binascii import crc_hqx
from collections import OrderedDict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.compile.entries import entry, repeated_entry
from driftduel._support.interrupts import defer_interrupts
from driftduel.learners.contract.history import History

if TYPE_CHECKING:
    from driftduel.learners.contract.base import Learner
    from driftduel.learners.contract.hooks import State
    from driftduel.learners.contract.offer import Offer

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""Outcomes in words."""

WAYS_TO_CLOSE = (*OUTCOMES, "cancelled", "expired")
"""How a duel ends."""

REMEMBERED = 10_000
"""Of so many duels, the last that were closed, it is remembered how."""

MOST_SERVED = 10_000
"""So many self-duels in a row are settled for who asks for votes only."""

MOST_OPEN = 10_000
"""So many duels may be open at once, unless `Learner.limit_open` says otherwise."""

_WORDS = {value: word for word, value in OUTCOMES.items()}
_WHAT_A_DUEL_IS = "must be a duel, its number or its code, as in '17-5f3a'"
_CODE = re.compile(r"([0-9]{1,18})-([0-9a-f]{4})")


@dataclass(frozen=True)
class Duel:
    """A pair put before a voter, with the probability it was drawn with.

    Attributes
    ----------
    id : int
        The number of the duel, counted from 0 for each learner.
    left, right : int
        The arms; they may be the same.
    propensity : float or None
        The probability of this ordered pair at the time of asking, of those asked for votes only
        given that the arms differ; None where the learner has no formula for it.
    learner : str
        Which learner asked.
    asked_at : float or None
        When it was asked, in seconds since 1970; None if that is not known.
    ticket : tuple of float or None
        What the learner has to know of the time of asking, first the propensity of the pair among
        all pairs, or NaN: what `Learner.fold` needs besides arms and outcome. None if the duel is
        closed.
    names : (str, str)
        What the left and the right arm are called: their labels, or their numbers.
    """

    id: int
    left: int
    right: int
    propensity: float | None
    learner: str
    asked_at: float | None = field(default=None, compare=False)
    ticket: tuple[float, ...] | None = field(default=None, compare=False, repr=False)
    names: tuple[str, str] = field(default=("", ""), compare=False)

    @property
    def is_vote(self) -> bool:
        """Whether the arms differ; if not, it means: show this one, ask nobody."""
        return self.left != self.right

    @property
    def code(self) -> str:
        """The number with four digits that depend on learner, number and pair, as in 17-5f3a.

        `Learner.tell` takes it for the duel and notices if it is that of another learner, or of
        a copy that asked another pair under this number.
        """
        return _code(self.learner, self.id, self.left, self.right)


class ClosedDuel(ValueError):  # noqa: N818
    """A duel is not open any more: it was told or cancelled, or it has expired.

    Attributes
    ----------
    number : int
        The number of the duel.
    how : str or None
        "left", "right", "tie", a graded outcome such as "0.75", "cancelled" or "expired"; None if
        it is too long ago to know.
    """

    def __init__(self, number: int, how: str | None) -> None:
        super().__init__(number, how)
        self.number = number
        self.how = how

    def __str__(self) -> str:
        if self.how is None:
            return f"duel {self.number} was told or cancelled already, too long ago to say how"
        if self.how == "expired":
            return f"duel {self.number} has expired, it was open for too long"
        if self.how == "cancelled":
            return f"duel {self.number} was cancelled"
        return f"duel {self.number} was told already: {self.how}"


class AlreadyTold(ClosedDuel):
    """A duel was told already, and it is known how.

    Attributes
    ----------
    outcome : float
        The outcome that it was told first, and that counts.
    """

    @property
    def outcome(self) -> float:
        """The outcome that counts."""
        return outcome_of(str(self.how))


@dataclass
class Before:
    """What there was when arms came or went first since the last outcome.

    Whoever comes and goes without an outcome between leaves no trace: all changes since are one,
    and one that brings back the arms of then brings back all of this.

    Attributes
    ----------
    n_arms, arms : int, tuple of int
        How many arms there were, and which of them on offer: the rows of the state.
    state, settle_rng, history
        As a `Session` has them.
    """

    n_arms: int
    arms: tuple[int, ...]
    state: State
    settle_rng: np.random.Generator
    history: History


@dataclass
class Session:
    """The changing part of a learner that is driven by hand; its user holds its lock.

    Attributes
    ----------
    state, rng, settle_rng
        All that matters to play: the state, the generator that chooses and the one that settles.
    name : str
        Whose duels these are; copies of a learner have the same.
    asked, told, folded : int
        How many duels were asked, how many outcomes told, and how many of these were of duels
        asked elsewhere.
    open : dict
        Left arm, right arm and ticket of each open duel, by its number, in order of asking.
    asked_at : dict
        When open duels were asked.
    given : dict
        The propensities of those asked for votes only, given that the arms differ, or NaN.
    closed : dict
        Left arm, right arm and end of the duels closed last, in the order in which they were.
    max_open : int
        How many duels may be open at once.
    expire : float or None
        After how many seconds an open duel expires.
    history : History
        What happened.
    offer : Offer or None
        Which arms are on offer, whose rows the state has; None if all are.
    before : Before or None
        What there was before arms came or went, as long as no outcome was told since.
    lock
        Held by who reads or changes any of this.
    """

    state: State
    rng: np.random.Generator
    settle_rng: np.random.Generator
    name: str = field(default_factory=lambda: uuid.uuid4().hex)
    asked: int = 0
    told: int = 0
    folded: int = 0
    open: dict[int, tuple[int, int, tuple[float, ...]]] = field(default_factory=dict)
    asked_at: dict[int, float] = field(default_factory=dict)
    given: dict[int, float] = field(default_factory=dict)
    closed: OrderedDict[int, tuple[int, int, str]] = field(default_factory=OrderedDict)
    max_open: int = MOST_OPEN
    expire: float | None = None
    history: History = field(default_factory=History)
    offer: Offer | None = None
    before: Before | None = None
    lock: RLock = field(default_factory=RLock, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return all but the lock, as it was at one moment, for copies and pickles."""
        with self.lock:
            return deepcopy({key: part for key, part in vars(self).items() if key != "lock"})

    def __setstate__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, lock=RLock())

    def ask(self, learner: Learner) -> Duel:
        """Return the next duel of the learner whose session this is."""
        learner._check_horizon(self.told + 1)
        if self.expire is not None:
            self._drop_expired()
        if len(self.open) >= self.max_open:
            raise ValueError(
                f"{len(self.open):,} duels are open, no more are allowed: tell or cancel some, let "
                "old ones expire, or allow more"
            )
        with defer_interrupts():
            number = self.asked
            self.open[number] = self.draw(learner, self.rng)
            self.asked_at[number] = time.time()
            self.asked += 1
        return self._duel(number, learner)

    def ask_for_vote(self, learner: Learner) -> Duel:
        """Return the next duel of two different arms; self-duels before it are told as ties."""
        duel = self.ask(learner)
        for _ in range(MOST_SERVED):
            if duel.is_vote:
                chance = learner._player._vote_chance_of(self.state)
                among_all = self.open[duel.id][2][0]
                self.given[duel.id] = math.nan if chance is None else min(1.0, among_all / chance)
                return self._duel(duel.id, learner)
            with defer_interrupts():
                ticket = self.open[duel.id][2]
                self._forget(duel.id)  # nobody was shown it, so nobody will ask how it ended
                self.take(learner, duel.left, duel.right, ticket, OUTCOMES["tie"])
            duel = self.ask(learner)
        self._forget(duel.id)
        raise ValueError(
            f"{MOST_SERVED:,} duels in a row were of one arm twice: {type(learner).__name__} shows "
            f"arm {duel.left} and asks nobody; ask without votes_only, or take DriftPoll for votes"
        )

    def draw(
        self, learner: Learner, rng: np.random.Generator
    ) -> tuple[int, int, tuple[float, ...]]:
        """Return the arms and the ticket of a pair drawn with a generator; no duel is opened.

        Who answers it elsewhere is told by `Learner.fold`.
        """
        left, right, ticket = entry(learner._choose)(self.state, rng)
        if self.offer is not None:
            left, right = self.offer.arms[left], self.offer.arms[right]
        return int(left), int(right), tuple(map(float, ticket))

    def draw_many(self, learner: Learner, rng: np.random.Generator, n: int) -> tuple[Ints, Floats]:
        """Return the arms of so many pairs and their tickets, row by row, as `draw` would."""
        left, right, ticket = self.draw(learner, rng)
        pairs, tickets = np.empty((n, 2), np.int64), np.empty((n, len(ticket)))
        repeated_entry(learner._choose)(self.state, rng, pairs[1:], tickets[1:])
        if self.offer is not None:
            pairs[1:] = np.array(self.offer.arms)[pairs[1:]]
        pairs[0], tickets[0] = (left, right), ticket
        return pairs, tickets

    def tell(self, learner: Learner, duel: Duel | int | str, outcome: float | str) -> None:
        """Take in the outcome of a duel of the learner whose session this is."""
        number = self._number_of_open(duel)
        left, right, _ = self.open[number]
        value = _as_outcome(outcome, left, right, learner)
        if left == right and value != OUTCOMES["tie"]:
            raise ValueError(
                f"duel {number} shows arm {left} twice, nobody can prefer one: outcome is "
                f"{outcome!r}, must be 0.5 or 'tie'"
            )
        learner._check_horizon(self.told + 1)
        with defer_interrupts():
            self.take(learner, *self.close(number, _word_of(value)), value)

    def take(
        self, learner: Learner, left: int, right: int, ticket: tuple[float, ...], outcome: float
    ) -> None:
        """Learn an outcome; of a self-duel any, as the coins are that simulated worlds toss."""
        self.before = None
        if self.offer is not None:
            left, right, ticket, outcome = self.offer.duel_of_rows(left, right, ticket, outcome)
        if learner._learn(self.state, left, right, ticket, outcome):
            entry(learner._settle)(self.state, self.settle_rng)
            self.collect(learner)
        self.told += 1

    def close(self, number: int, how: str) -> tuple[int, int, tuple[float, ...]]:
        """End an open duel and remember how; return its arms and its ticket."""
        left, right, ticket = self._forget(number)
        self.closed[number] = (left, right, how)
        if len(self.closed) > REMEMBERED:
            self.closed.popitem(last=False)
        return left, right, ticket

    def collect(self, learner: Learner) -> None:
        """Move what the journal of the state holds into the history."""
        if self.offer is None:
            learner._collect(self.state, self.history)
        else:
            news = History()
            learner._collect(self.state, news)
            self.offer.note(news, self.history)

    def offered(self, learner: Learner) -> tuple[int, ...]:
        """Return the arms on offer, in order."""
        return tuple(range(learner.n_arms)) if self.offer is None else self.offer.arms

    def cancel(self, duel: Duel | int | str) -> None:
        """Close a duel that will not be told; nothing happens if it is cancelled or expired."""
        try:
            number = self._number_of_open(duel)
        except ClosedDuel as closed:
            if closed.how not in ("cancelled", "expired"):
                raise
        else:
            self.close(number, "cancelled")

    def open_duels(self, learner: Learner) -> list[Duel]:
        """Return the duels that may still be told, in order of asking."""
        return [self._duel(number, learner) for number in self.open if not self._is_expired(number)]

    def find(self, duel: Duel | int | str, learner: Learner | None = None) -> Duel:
        """Return a duel that was asked here, open or closed.

        Raises
        ------
        ValueError
            If it was not asked here; `ClosedDuel` if it was closed too long ago to know.
        """
        number = self._number_of(duel)
        if number in self.open:
            return self._duel(number, learner)
        if number not in self.closed:
            raise ClosedDuel(number, None)
        left, right, _ = self.closed[number]
        return Duel(number, left, right, None, self.name, names=_names(left, right, learner))

    def _number_of_open(self, duel: Duel | int | str) -> int:
        """Return the number of a duel after checking that it may be told here."""
        number = self._number_of(duel)
        if number not in self.open:
            how = self.closed[number][2] if number in self.closed else None
            raise (AlreadyTold if is_told(how) else ClosedDuel)(number, how)
        if self._is_expired(number):
            raise ClosedDuel(number, "expired")
        return number

    def _number_of(self, duel: Duel | int | str) -> int:
        """Return the number of a duel after checking, as far as is known, that it is ours."""
        code = None
        if isinstance(duel, Duel):
            number = duel.id
            if duel.learner != self.name:
                raise ValueError(f"duel {number} was asked by another learner")
        elif isinstance(duel, str) and (parts := _CODE.fullmatch(duel)):
            number, code = int(parts[1]), duel
        elif isinstance(duel, int | np.integer) and not isinstance(duel, bool):
            number = int(duel)
        else:
            raise ValueError(f"duel is {duel!r}, {_WHAT_A_DUEL_IS}")
        if not 0 <= number < self.asked:
            raise ValueError(f"duel {number} was never asked")
        known = self.open.get(number) or self.closed.get(number)
        if known is None:
            return number
        # Copies of a learner, also through a file, have one name but ask apart from then on.
        if isinstance(duel, Duel) and not self._is_mine(duel):
            raise ValueError(f"duel {number} was asked by a copy of this learner")
        if code is not None and code != _code(self.name, number, known[0], known[1]):
            raise ValueError(f"duel {code} was asked by another learner, or by a copy of this one")
        return number

    def _is_mine(self, duel: Duel) -> bool:
        if duel.id in self.open:
            return duel == self._duel(duel.id, None)
        return (duel.left, duel.right) == self.closed[duel.id][:2]

    def _duel(self, number: int, learner: Learner | None) -> Duel:
        left, right, ticket = self.open[number]
        chance = self.given.get(number, ticket[0])
        propensity = None if math.isnan(chance) else chance
        asked_at, names = self.asked_at.get(number), _names(left, right, learner)
        return Duel(number, left, right, propensity, self.name, asked_at, ticket, names)

    def _forget(self, number: int) -> tuple[int, int, tuple[float, ...]]:
        self.asked_at.pop(number, None)
        self.given.pop(number, None)
        return self.open.pop(number)

    def _is_expired(self, number: int) -> bool:
        if self.expire is None:
            return False
        return time.time() - self.asked_at.get(number, math.inf) > self.expire

    def _drop_expired(self) -> None:
        for number in list(self.open):
            if not self._is_expired(number):
                return  # the others were asked later
            self.close(number, "expired")


def _code(learner: str, number: int, left: int, right: int) -> str:
    check = crc_hqx(f"{learner} {number} {left} {right}".encode(), 0)
    return f"{number}-{check:04x}"


def draw_pair(learner: Learner, rng: np.random.Generator) -> tuple[int, int, tuple[float, ...]]:
    """Return the arms and the ticket of a pair as a learner would ask it; no duel is opened.

    A service that keeps open duels of its own asks so, and tells the answers by `Learner.fold`.
    """
    with learner._session.lock:
        return learner._session.draw(learner, rng)


def draw_pairs(learner: Learner, rng: np.random.Generator, n: int) -> tuple[Ints, Floats]:
    """Return arms and tickets, row by row, of so many pairs as `draw_pair` gives them."""
    with learner._session.lock:
        return learner._session.draw_many(learner, rng, n)


def is_told(how: str | None) -> bool:
    """Tell whether the end of a duel is an outcome.

    Examples
    --------
    >>> is_told("tie"), is_told("0.75"), is_told("expired")
    (True, True, False)
    """
    return how is not None and (how in OUTCOMES or how not in WAYS_TO_CLOSE)


def outcome_of(how: str) -> float:
    """Return the outcome with which a duel ended."""
    return OUTCOMES[how] if how in OUTCOMES else float(how)


def _word_of(outcome: float) -> str:
    return _WORDS.get(outcome) or repr(outcome)


def _names(left: int, right: int, learner: Learner | None) -> tuple[str, str]:
    labels = None if learner is None else learner.labels
    return (str(left), str(right)) if labels is None else (labels[left], labels[right])


def _as_outcome(outcome: Any, left: int, right: int, learner: Learner) -> float:
    if isinstance(outcome, str):
        return _outcome_in_words(outcome, left, right, learner)
    number = isinstance(outcome, numbers.Real) and not isinstance(outcome, bool)
    if number and (outcome in (0, 0.5, 1) or (learner._graded and 0 <= outcome <= 1)):
        return float(outcome)
    rule = "must be from 1, 'left', to 0, 'right'" if learner._graded else _allowed()
    if number and 0 < outcome < 1:
        rule = f"{rule}: {type(learner).__name__} counts wins, it knows nothing between"
    raise ValueError(f"outcome is {outcome!r}, {rule}")


def _outcome_in_words(outcome: str, left: int, right: int, learner: Learner) -> float:
    """Return what a side, or the label of an arm, means; it may be both."""
    sides: Sequence[str] = () if learner.labels is None else _names(left, right, learner)
    meant = {OUTCOMES[outcome.lower()]} if outcome.lower() in OUTCOMES else set()
    if outcome in sides:
        meant.add(1.0 if outcome == sides[0] else 0.0)
    if len(meant) > 1:
        raise ValueError(f"outcome is {outcome!r}, which is also the name of an arm; say 1 or 0")
    if not meant:
        raise ValueError(f"outcome is {outcome!r}, {_allowed(*map(repr, sides))}")
    return meant.pop()


def _allowed(*names: str) -> str:
    return " or ".join(["must be 1 or 'left', 0 or 'right', 0.5 or 'tie'", *names])
