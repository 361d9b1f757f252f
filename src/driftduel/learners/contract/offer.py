"""Arms that come and go: which arms are on offer, and how that changes.

A state has a row for each arm on offer, and its kernels know no other arms; so a learner whose arms
never change plays as if there was nothing here. Arms keep their numbers: one that leaves is not
offered any more, one that joins gets the next number, one that comes back has its old number and
starts as a new arm. `Offer` says which arm each row is about. A change is a function of the state,
of who joins and leaves, and of the generator that settles, so a log of outcomes and changes gives
the same state again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter
from driftduel._support.interrupts import defer_interrupts
from driftduel._support.registry import MODULE_OF, learner_class
from driftduel.learners.contract.base import Learner, learner_generator
from driftduel.learners.contract.history import History
from driftduel.learners.contract.hooks import State
from driftduel.learners.contract.session import Before
from driftduel.matrix.criteria import Weighted

if TYPE_CHECKING:
    from driftduel.learners.contract.report import Change
    from driftduel.learners.contract.session import Session

Ints = NDArray[np.int64]
DuelOutcome = tuple[int, int, tuple[float, ...], float]
"""Left arm, right arm, ticket and outcome."""

NEW = -1
"""The row that an arm had which was not on offer."""

TIE = 0.5


@dataclass(frozen=True)
class Offer:
    """Which arms are on offer, if not all of them are.

    Attributes
    ----------
    arms : tuple of int
        The arm of each row of the state, increasing.
    player : Learner
        The learner of these arms alone, whose state it is.
    """

    arms: tuple[int, ...]
    player: Learner

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of each arm on offer."""
        return {arm: row for row, arm in enumerate(self.arms)}

    def duel_of_rows(
        self, left: int, right: int, ticket: tuple[float, ...], outcome: float
    ) -> DuelOutcome:
        """Return a duel as the state knows it; one of an arm that is gone teaches nothing."""
        if left in self.rows and right in self.rows:
            return self.rows[left], self.rows[right], ticket, outcome
        assert self.player._noop_ticket is not None
        return 0, 0, self.player._noop_ticket, TIE

    def duels_of_rows(
        self,
        left: Ints,
        right: Ints,
        tickets: NDArray[np.float64],
        outcomes: NDArray[np.float64],
    ) -> None:
        """Do the same to many duels, in place."""
        arms = np.array(self.arms)
        gone = ~(np.isin(left, arms) & np.isin(right, arms))
        for side in (left, right):
            side[:] = np.where(gone, 0, np.searchsorted(arms, side))
        tickets[gone] = self.player._noop_ticket
        outcomes[gone] = TIE

    def note(self, news: History, history: History) -> None:
        """Add what happened, by rows, to a history, by arms."""
        arms = self.arms
        history.episodes += news.episodes[1:]
        history.replays += news.replays
        history.activations += [replace(one, arm=arms[one.arm]) for one in news.activations]
        history.evictions += [
            replace(
                one,
                arm=arms[one.arm],
                beaten_by=arms[one.beaten_by],
                weight=None if one.weight is None else arms[one.weight],
            )
            for one in news.evictions
        ]


def offer_of(learner: Learner, arms: Iterable[int]) -> Offer | None:
    """Return the offer of these arms, increasing; None if they are all that a learner has."""
    listed = tuple(arms)
    if len(listed) == learner.n_arms:
        return None
    return Offer(listed, player_of(learner, listed))


def player_of(learner: Learner, arms: Sequence[int]) -> Learner:
    """Return the learner of some arms alone."""
    criterion = learner.criterion.among(np.array(arms))
    return learner.clone(n_arms=len(arms), labels=None, criterion=criterion)


def change_offer(session: Session, learner: Learner, join: Any, leave: Any) -> None:
    """Let arms join and leave; the user of the session holds its lock. See `Learner.change_arms`.

    Raises
    ------
    ValueError
        If they cannot; nothing is changed then.
    """
    check_can_change(learner)
    before = session.offered(learner)
    joined, names = _arms_to_join(learner, before, join)
    left = _arms_to_leave(learner, before, leave)
    if not joined and not left:
        return
    after = sorted({*before, *joined} - {*left})
    if len(after) < 2:
        raise BadParameter("leave", f": {len(after)} would be on offer, two arms at least must be")
    n_arms = max(learner.n_arms, 1 + after[-1])
    weights = np.append(np.arange(learner.n_arms), np.full(n_arms - learner.n_arms, NEW))
    criterion = learner.criterion.among(weights)
    for arm in left:
        if isinstance(criterion, Weighted) and criterion.weight.table[:, arm].any():
            raise BadParameter("leave", f": {_name(learner, arm)} has a weight, it must stay")
    whole = learner.clone(n_arms=n_arms, labels=names, criterion=criterion)
    offer = offer_of(whole, after)
    player = whole if offer is None else offer.player
    with defer_interrupts():
        if session.told == 0:
            rng = learner_generator(learner.seed)
            session.state, session.offer = player._start(rng), offer
            if session.asked == 0:
                session.rng = rng
            session.collect(learner)
        else:
            _go_on(session, learner, whole, offer, tuple(after))
        # Arms that join are the one thing by which parameters change.
        for name in ("n_arms", "labels", "criterion"):
            object.__setattr__(learner, name, getattr(whole, name))


def _go_on(
    session: Session, learner: Learner, whole: Learner, offer: Offer | None, after: tuple[int, ...]
) -> None:
    """Let a session go on with other arms, from what there was after the last outcome."""
    if session.before is None:
        kept = session.state, session.settle_rng, session.history
        session.before = Before(learner.n_arms, session.offered(learner), *kept)
    was = session.before
    session.history = deepcopy(was.history)
    session.settle_rng = deepcopy(was.settle_rng)
    session.offer = offer
    if after == was.arms:
        session.state, session.before = was.state, None
        return
    player = player_of(learner, was.arms)
    history = session.history
    history.changes = _changes_in(was.state, player, was.arms, history)
    counts = player._counts_of(was.state, history.counts, was.arms, was.n_arms, session.told)
    history.counts = counts if counts is not None and counts.wins.any() else None
    now = whole if offer is None else offer.player
    session.state = carry_over(now, was.arms, after, was.state, session.settle_rng)
    session.collect(whole)


def check_can_change(learner: Learner) -> None:
    """Raise ValueError if the arms of a learner cannot come and go; say whose can."""
    if not learner.can_change_arms:
        able = [name for name in sorted(MODULE_OF) if learner_class(name).can_change_arms]
        raise ValueError(
            f"{type(learner).__name__} cannot change its arms; who can: {', '.join(able)}"
        )


def carry_over(
    player: Learner,
    before: Sequence[int],
    after: Sequence[int],
    state: State,
    rng: np.random.Generator,
) -> State:
    """Return the state of the arms after a change, given that of those before."""
    rows = {arm: row for row, arm in enumerate(before)}
    kept = np.array([rows.get(arm, NEW) for arm in after])
    return player._carry(state, kept, rng)


def changes_of(session: Session, learner: Learner) -> list[Change]:
    """Return the latest changes of the world that a learner knows, by arms."""
    arms = session.offered(learner)
    return _changes_in(session.state, learner._player, arms, session.history)


def _changes_in(
    state: State, player: Learner, arms: tuple[int, ...], history: History
) -> list[Change]:
    return history.changes + [
        replace(one, before=arms[one.before], after=arms[one.after])
        for one in player._changes_of(state)
    ]


def _arms_to_join(
    learner: Learner, offered: tuple[int, ...], join: Any
) -> tuple[list[int], tuple[str, ...] | None]:
    """Return the arms that join, and the labels of all arms then."""
    names = None if learner.labels is None else list(learner.labels)
    n_arms = learner.n_arms
    found: list[int] = []
    for place, given in enumerate(_as_list(join, "join")):
        where = f"[{place}] is {given!r}"
        arm = _number(learner, given)
        if arm is None and names is not None and isinstance(given, str):
            arm = names.index(given) if given in names else len(names)
            if arm == len(names):
                names.append(given)
        if arm is None or not 0 <= arm <= (n_arms if names is None else len(names) - 1):
            next_one = f"{n_arms}, the next one" if names is None else "a new label"
            raise BadParameter("join", f"{where}, must be an arm that left or {next_one}")
        if arm in offered or arm in found:
            raise BadParameter("join", f"{where}, which is on offer already")
        found.append(arm)
        n_arms = max(n_arms, arm + 1)
    return found, None if names is None else tuple(names)


def _arms_to_leave(learner: Learner, offered: tuple[int, ...], leave: Any) -> list[int]:
    """Return the arms that leave."""
    found: list[int] = []
    for place, given in enumerate(_as_list(leave, "leave")):
        arm = _number(learner, given)
        if arm not in offered or arm in found:
            names = ", ".join(_name(learner, one) for one in offered)
            raise BadParameter(
                "leave", f"[{place}] is {given!r}, must be one of the arms on offer: {names}"
            )
        found.append(arm)
    return found


def _as_list(arms: Any, name: str) -> list[Any]:
    if isinstance(arms, str) or not isinstance(arms, Iterable):
        raise BadParameter(name, f"is {arms!r}, must be a list of arms")
    return list(arms)


def _number(learner: Learner, given: Any) -> int | None:
    """Return the number of an arm that is given by its number or by its label."""
    if isinstance(given, int | np.integer) and not isinstance(given, bool):
        return int(given)
    if isinstance(given, str) and learner.labels is not None and given in learner.labels:
        return learner.labels.index(given)
    return None


def _name(learner: Learner, arm: int) -> str:
    return str(arm) if learner.labels is None else learner.labels[arm]
