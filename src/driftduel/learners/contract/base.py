"""What every learner is: a frozen configuration, a state of plain arrays and a few kernels.

Here is what people do with a learner, under plain names: `ask`, `tell`, `best`, `report`. What its
author writes and the package calls is in `driftduel.learners.contract.hooks` and has an underscore.
The underscore is the whole device, so that a learner stays one class in one file. A second object
for kernels and hooks would split each learner into two classes that share their parameters, and a
``__dir__`` would hide names without making them private. Classes written before the underscore
still work: see `Hooks.__init_subclass__`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass, fields, replace
from threading import RLock
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from driftduel._support.checks import LONGEST, BadParameter, as_count, as_labels, as_number
from driftduel._support.limits import MOST_ARMS
from driftduel._support.names import names_in
from driftduel._support.notebook import InNotebooks
from driftduel._support.params import bounded, check_fields, parameters_of
from driftduel._support.registry import learner_class
from driftduel.learners.contract.history import Activation, Eviction, Replay
from driftduel.learners.contract.hooks import Hooks
from driftduel.learners.contract.report import Report, last_of_each, names_of
from driftduel.learners.contract.session import MOST_OPEN, Duel, Session
from driftduel.matrix.criteria import Criterion

_MAKING = RLock()
"""Held while a session is made, so that threads that share a learner share its session."""


@dataclass(frozen=True, eq=False)
class Learner(InNotebooks, Hooks):
    """Chooses duels and learns from outcomes.

    Parameters change by `change_arms` alone; the state that `ask` and `tell` change is made on
    first use. A round passes when an outcome is told, whenever its duel was asked. Copying or
    pickling a learner copies its state, `clone` does not.

    Threads may share a learner: its methods take turns by the lock of its session. Who reads or
    changes the session itself holds that lock meanwhile.

    Parameters
    ----------
    n_arms : int or list of str
        Number of arms, at least 2, or their names, which are then its labels.
    horizon : int or None
        Number of rounds to plan for; None if it is not known.
    criterion : Criterion, str or list of float, optional
        What "best" means: a criterion, its name, or the weights of the arms. By default the first
        that the learner serves.
    seed : int
        Seed of the learner's own randomness.
    labels : sequence of str, optional
        Names of the arms.
    """

    if TYPE_CHECKING:
        n_arms: Any  # a number to read; a number or names to give, which no checker can say
    else:
        n_arms: int = bounded(least=2, most=MOST_ARMS)
    horizon: int | None = bounded(None, least=1, most=LONGEST)
    _: KW_ONLY
    criterion: Criterion = None  # type: ignore[assignment]
    seed: int = bounded(0, least=0)
    labels: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self._take_names()
        if self.criterion is None:
            object.__setattr__(self, "criterion", self._criteria[0]())
        check_fields(self)
        if not isinstance(self.criterion, self._criteria):
            served = ", ".join(repr(kind.name) for kind in self._criteria)
            raise BadParameter(
                "criterion",
                f"is {self.criterion.name!r}, {type(self).__name__} serves {served} only",
            )
        try:
            self.criterion.check_arms(self.n_arms)
        except BadParameter as error:
            raise error.inside("criterion") from None
        if self._needs_horizon:
            self._known_horizon  # noqa: B018
        object.__setattr__(self, "labels", as_labels(self.labels, self.n_arms))
        self._validate()

    def _take_names(self) -> None:
        """Take names that were given in place of their number."""
        names = names_in(self.n_arms)
        if names is None:
            return
        if self.labels is not None:
            raise BadParameter("labels", "are given twice, as n_arms holds names too")
        object.__setattr__(self, "labels", names)
        object.__setattr__(self, "n_arms", len(names))

    @classmethod
    def _named(cls, name: Any) -> type[Learner]:
        """Return the learner of this name.

        Parameters
        ----------
        name : str
            A learner of the package, one that an installed package hands on by the entry point
            group ``driftduel.learners``, or ``module:Class``.

        Raises
        ------
        BadParameter
            If there is none, or it is not a whole learner.
        """
        found = learner_class(name)
        if not (isinstance(found, type) and issubclass(found, Learner)):
            raise BadParameter("name", f": {name} is no learner, it must derive from Learner")
        lacking = [part for part in ("_choose", "_learn") if not hasattr(found, part)]
        lacking += sorted(found.__abstractmethods__)
        if lacking:
            raise BadParameter("name", f": {name} has no {', '.join(lacking)}")
        try:
            parameters_of(found)
        except TypeError as error:
            raise BadParameter("name", f": {error}") from None
        return found

    def config(self) -> dict[str, Any]:
        """Return the parameters the learner was made with, by name."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def clone(self, **changes: Any) -> Self:
        """Return a fresh learner with the same parameters, except for ``changes``."""
        if names_in(changes.get("n_arms")) is not None:
            changes.setdefault("labels", None)
        return replace(self, **changes)

    @property
    def _session(self) -> Session:
        """The changing part, made on first use."""
        made: Session | None = self.__dict__.get("_session")
        if made is None:
            with _MAKING:
                made = self.__dict__.get("_session")
                if made is None:
                    rng = learner_generator(self.seed)
                    made = Session(self._start(rng), rng, settle_generator(self.seed))
                    self.__dict__["_session"] = made
        return made

    @property
    def _player(self) -> Self:
        """The learner of the arms on offer alone, whose state the session has."""
        offer = self._session.offer
        return self if offer is None else offer.player  # type: ignore[return-value]

    def __copy__(self) -> Self:
        return deepcopy(self)

    def ask(self, *, votes_only: bool = False) -> Duel:
        """Return the next duel to put before a voter.

        Many duels may be open at once, see `limit_open`, and one that is never told costs nothing.

        Parameters
        ----------
        votes_only : bool
            Whether to return two different arms always. A duel of one arm with itself means: show
            this one, ask nobody. By default it is returned too, `Duel.is_vote` is False, and all
            that can be told of it is a tie. For who asks for votes only the learner tells itself
            such ties, which is what it expects of them: each is a round. They are in no log that
            the caller keeps; who wants to `fold` one asks for all duels.

        Raises
        ------
        ValueError
            If too many duels are open, or if 10,000 in a row are of one arm twice.

        Examples
        --------
        >>> import driftduel as dd
        >>> learner = dd.learners.Uniform(2, seed=2)
        >>> [learner.ask().is_vote for _ in range(6)]
        [False, True, False, False, True, True]
        >>> [learner.ask(votes_only=True).is_vote for _ in range(6)]
        [True, True, True, True, True, True]
        """
        session = self._session
        session.lock.acquire()  # half of what a with statement costs
        try:
            return session.ask_for_vote(self) if votes_only else session.ask(self)
        finally:
            session.lock.release()

    def tell(self, duel: Duel | int | str, outcome: float | str) -> None:
        """Take in the outcome of a duel: 1 left preferred, 0 right preferred, 0.5 tie.

        What lies between is a graded answer: 0.75 says that left is slightly better. Learners that
        need no more than the mean of outcomes take it; those that count wins refuse it.

        Parameters
        ----------
        duel : Duel, int or str
            The duel, or its number, or its code, which is safer than the number.
        outcome : float or str
            1, 0, 0.5 or what lies between; "left", "right" or "tie"; or the label of the arm that
            is preferred. Of one arm twice a tie only.

        Raises
        ------
        AlreadyTold
            If the duel was told before; its ``outcome`` is the one that counts. A program that
            is not sure whether its first try came through may tell the same again and take this
            for success if the outcomes are equal.
        ClosedDuel
            If the duel was cancelled, has expired, or was told too long ago to know how.
        ValueError
            If the duel was not asked here or the outcome is not one that it can have. Whatever is
            raised, the learner is unchanged; the two above are ValueErrors too.

        Examples
        --------
        >>> import driftduel as dd
        >>> learner = dd.learners.FixedPair(["tea", "coffee"])
        >>> duel = learner.ask()
        >>> duel.left, duel.right, duel.names
        (0, 1, ('tea', 'coffee'))
        >>> learner.tell(duel, "tea")
        >>> learner.tell(duel, "tie")
        Traceback (most recent call last):
            ...
        driftduel.learners.contract.session.AlreadyTold: duel 0 was told already: left
        """
        session = self._session
        session.lock.acquire()
        try:
            session.tell(self, duel, outcome)
        finally:
            session.lock.release()

    def fold(
        self, left: ArrayLike, right: ArrayLike, tickets: ArrayLike, outcomes: ArrayLike
    ) -> None:
        """Take in the outcomes of many duels that were asked elsewhere, compiled.

        The state depends on nothing but the outcomes told and their order. So a learner with the
        same parameters and seed that folds the log of another gets into its state bit for bit, as
        if the duels had been told to it one by one: a copy on another machine, or one made again
        from a log. Each outcome is a round. The duels that are open here stay open.

        Parameters
        ----------
        left, right : (n,) array of int
            The arms of each duel.
        tickets : (n, length of a ticket) array of float
            The `Duel.ticket` of each.
        outcomes : (n,) array of float
            1 left preferred, 0 right preferred, 0.5 tie, or graded as for `tell`; of one arm twice
            a tie only.

        Raises
        ------
        ValueError
            If something in it cannot be told; the learner is unchanged.
        KeyboardInterrupt
            If it is interrupted. Some outcomes, from the first on, are told by then, and `rounds`
            says how many; the others are not.

        Examples
        --------
        >>> import driftduel as dd
        >>> learner, copy = dd.MetaBosse(3, seed=1), dd.MetaBosse(3, seed=1)
        >>> log = []
        >>> for _ in range(100):
        ...     duel = learner.ask()
        ...     outcome = 1.0 if duel.is_vote else 0.5
        ...     learner.tell(duel, outcome)
        ...     log.append((duel.left, duel.right, duel.ticket, outcome))
        >>> copy.fold(*zip(*log))
        >>> copy.rounds, copy.best() == learner.best()
        (100, True)
        """
        from driftduel.learners.contract.fold import fold_into

        session = self._session
        with session.lock:
            fold_into(session, self, left, right, tickets, outcomes)

    def cancel(self, duel: Duel | int | str) -> None:
        """Take back a duel that nobody will tell.

        A duel that is cancelled already, or has expired, may be cancelled again.

        Raises
        ------
        AlreadyTold
            If the duel was told.
        ValueError
            If the duel was not asked here, or was closed too long ago to know how.
        """
        session = self._session
        with session.lock:
            session.cancel(duel)

    def limit_open(self, max_open: int = MOST_OPEN, expire: float | None = None) -> None:
        """Set how many duels may be open at once, and after how long an open duel expires.

        `ask` drops what has expired, and refuses while too many are open. What the learner
        learns does not depend on it.

        Parameters
        ----------
        max_open : int
            How many duels may be open.
        expire : float, optional
            How many seconds a duel stays open, by the clock of the machine; for ever if left out.
        """
        max_open = as_count(max_open, "max_open", 1)
        expire = None if expire is None else as_number(expire, "expire", above=0)
        session = self._session
        with session.lock:
            session.max_open, session.expire = max_open, expire

    def change_arms(self, join: Iterable[int | str] = (), leave: Iterable[int | str] = ()) -> None:
        """Let arms join and leave, where the learner can: see `can_change_arms`.

        An arm that leaves is not asked about any more, but keeps its number and its label: what
        happened is told by them. An arm that joins gets the next number. One that comes back has
        its old number, and starts like a new one; proofs alone remember its votes. Outcomes of
        duels with an arm that is gone may still be told; they count as rounds and teach nothing.

        What "best" means follows the arms on offer: Borda compares with all of them, Condorcet
        looks for the one that none of them beats. If that shall not change when arms join,
        give the learner the weights of a panel, ``criterion=[0.5, 0.5, 0]``: arms that join have
        no weight, and those that have one must stay.

        After arms joined, `n_arms` and `labels` count all arms there ever were; `offered` are those
        on offer. A clone starts with all of them on offer.

        Parameters
        ----------
        join : list of str or int
            New labels, or arms that left. Arms without labels go by their numbers, a new one by
            the next.
        leave : list of str or int
            Arms on offer, by their labels or numbers. Two at least must stay.

        Raises
        ------
        ValueError
            If the learner cannot change its arms, or not these; nothing is changed.

        Examples
        --------
        >>> import driftduel as dd
        >>> poll = dd.DriftPoll(3, labels=["tea", "coffee", "milk"])
        >>> poll.change_arms(join=["mate"], leave=["milk"])
        >>> poll.offered, poll.labels
        (array([0, 1, 3]), ('tea', 'coffee', 'milk', 'mate'))
        """
        from driftduel.learners.contract.offer import change_offer

        session = self._session
        with session.lock:
            change_offer(session, self, join, leave)

    @property
    def offered(self) -> NDArray[np.int64]:
        """The arms on offer, in order: all of them unless some have left."""
        session = self._session
        with session.lock:
            return np.array(session.offered(self))

    def best(self) -> int | str:
        """Return the arm that the learner would pick now: its label, or its number without labels.

        Examples
        --------
        >>> import driftduel as dd
        >>> poll = dd.DriftPoll(["tea", "coffee"])
        >>> for _ in range(10):
        ...     poll.tell(poll.ask(), "coffee")
        >>> poll.best(), poll.best_index
        ('coffee', 1)
        """
        best = self.best_index
        return best if self.labels is None else self.labels[best]

    @property
    def best_index(self) -> int:
        """The number of the arm that the learner would pick now."""
        session = self._session
        with session.lock:
            best = self._player._best_of(session.state)
            return best if session.offer is None else session.offer.arms[best]

    @property
    def active(self) -> NDArray[np.int64]:
        """The arms still in play."""
        session = self._session
        with session.lock:
            active = self._player._active_of(session.state)
            return active if session.offer is None else self.offered[active]

    @property
    def rounds(self) -> int:
        """How many outcomes were told, here or by `fold`."""
        return self._session.told

    @property
    def open_duels(self) -> list[Duel]:
        """The duels that were asked and may still be told, in order of asking."""
        session = self._session
        with session.lock:
            return session.open_duels(self)

    @property
    def episodes(self) -> list[int]:
        """The rounds at which episodes began; the first is 0."""
        session = self._session
        with session.lock:
            return list(session.history.episodes)

    @property
    def evictions(self) -> list[Eviction]:
        """Every eviction so far."""
        session = self._session
        with session.lock:
            return list(session.history.evictions)

    @property
    def activations(self) -> list[Activation]:
        """Every arm that came back after an eviction, so far."""
        session = self._session
        with session.lock:
            return list(session.history.activations)

    @property
    def replays(self) -> list[Replay]:
        """Every replay so far."""
        session = self._session
        with session.lock:
            return list(session.history.replays)

    def report(self) -> Report:
        """Return what the learner makes of the votes so far; print it to read it.

        Examples
        --------
        >>> import driftduel as dd
        >>> learner = dd.learners.FixedPair(3, labels=["tea", "coffee", "milk"])
        >>> learner.tell(learner.ask(), "left")
        >>> print(learner.report())
        After 1 round the learner would pick tea.
        In play: tea and coffee; 1 set aside for now.
        From 1 round.
        """
        session = self._session
        with session.lock:
            active = tuple(self.active.tolist())
            aside = set(self.offered.tolist()) - set(active)
            evictions = last_of_each(session.history.evictions)
            return Report(
                names=names_of(self.n_arms, self.labels),
                rounds=session.told,
                best=self.best_index,
                active=active,
                episodes=tuple(session.history.episodes),
                evictions=tuple(one for one in evictions if one.arm in aside),
                activations=last_of_each(session.history.activations),
                offered=None if session.offer is None else session.offer.arms,
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a JSON file, whole or not at all; see `load_learner`."""
        from driftduel.learners.contract.storage import save_learner

        save_learner(self, path)


def learner_generator(seed: int) -> np.random.Generator:
    """Return the generator that a learner with this seed begins and chooses with.

    What `Learner._begin` draws is drawn before anything is asked, so it does not depend on asking.
    """
    return np.random.default_rng(np.random.SeedSequence(seed))


def settle_generator(seed: int) -> np.random.Generator:
    """Return the generator that a learner with this seed settles with."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(3,)))
