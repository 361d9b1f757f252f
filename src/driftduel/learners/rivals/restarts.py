"""Wrappers that make any learner forget: it is restarted every so many rounds.

`PeriodicRestart` lets the fresh learner know nothing. `SlidingWindow` tells it the latest outcomes
again, with the tickets they had, so that its statistics are those of a window. The learner inside
is any learner: the kernels here are templates, compiled once for each set of kernels inside.

A restart itself is rare and happens in Python, in `collect`, where the journal of the learner
inside is emptied first. Its random numbers do not come from the generators of the session, which
`collect` is not given, but from one made of a number that was fixed at the start and the number of
the restart. Outcomes of duels asked before a restart are old news and not learned. Right after a
restart `best` is what the learner inside would pick then, which may be no more than a guess.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from driftduel._support.checks import BadParameter, as_count
from driftduel._support.compile.jit import bind_kernels
from driftduel._support.params import bounded
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History, Replay
from driftduel.learners.contract.hooks import State
from driftduel.learners.contract.literature import Literature
from driftduel.learners.contract.ranges import (
    AN_ARM,
    COUNT,
    FLAG,
    NUMBER,
    OUTCOME,
    Inner,
    Known,
    Range,
    Ranges,
    inside,
    such_that,
    whole,
)
from driftduel.learners.parts.arrays import Floats, Ints, Records
from driftduel.learners.parts.tickets import ticket_kernel, ticket_length
from driftduel.matrix.criteria import Criterion

_NAMES = ("inner_choose", "inner_learn", "inner_settle", "inner_full", "inner_ticket")

_PLAIN = 3
"""Columns of a kept outcome before its ticket: left, right, outcome."""


class RestartState(NamedTuple):
    """The arrays of a wrapper and those of the learner inside."""

    clock: Records  # (1,)
    kept: Floats  # (W, 3 + length of a ticket) the latest outcomes, in a ring
    inner: State


CLOCK = np.dtype(
    [
        ("round", "i8"),  # outcomes told
        ("end", "i8"),  # the round at which the period ends
        ("period", "f8"),  # its number, part of every ticket
        ("offset", "i8"),  # the round at which the learner inside would count 0
        ("busy", "i8"),  # 1 if the learner inside has work for settle
        ("learned", "i8"),  # outcomes kept so far
        ("entropy", "i8"),  # what the random numbers of restarts are made of
    ],
    align=True,
)


_RESTART_RANGES: Ranges = {
    "clock": {
        "round": COUNT,
        "period": COUNT,
        "busy": FLAG,
        "learned": COUNT,
        "entropy": whole(0, 2**62),
    },
}


def _rounds_inside(known: Known) -> int:
    """Return how many outcomes the learner inside was told at most."""
    return int(known.state.clock["round"][0] - known.state.clock["offset"][0])


def choose_inside(state, rng):  # type: ignore[no-untyped-def]
    """Let the learner inside choose; the ticket also says in which period."""
    left, right, ticket = inner_choose(state.inner, rng)  # type: ignore[name-defined]  # noqa: F821
    return left, right, ticket + (state.clock[0]["period"],)  # noqa: RUF005


def learn_inside(state, left, right, ticket, outcome):  # type: ignore[no-untyped-def]
    """Let the learner inside learn what was asked in this period."""
    clock = state.clock[0]
    clock["round"] += 1
    if (
        ticket[-1] == clock["period"]
        and inner_learn(  # type: ignore[name-defined]  # noqa: F821
            state.inner, left, right, ticket[:-1], outcome
        )
    ):
        clock["busy"] = 1
    return clock["busy"] == 1 or clock["round"] >= clock["end"]


def learn_and_keep(state, left, right, ticket, outcome):  # type: ignore[no-untyped-def]
    """Keep the outcome, then do as `learn_inside`."""
    clock = state.clock[0]
    row = state.kept[clock["learned"] % state.kept.shape[0]]
    row[0] = left
    row[1] = right
    row[2] = outcome
    for place in range(len(ticket) - 1):
        row[3 + place] = ticket[place]
    clock["learned"] += 1
    clock["round"] += 1
    if (
        ticket[-1] == clock["period"]
        and inner_learn(  # type: ignore[name-defined]  # noqa: F821
            state.inner, left, right, ticket[:-1], outcome
        )
    ):
        clock["busy"] = 1
    return clock["busy"] == 1 or clock["round"] >= clock["end"]


def settle_inside(state, rng):  # type: ignore[no-untyped-def]
    """Let the learner inside settle if it asked for it."""
    clock = state.clock[0]
    if clock["busy"] == 1:
        clock["busy"] = 0
        inner_settle(state.inner, rng)  # type: ignore[name-defined]  # noqa: F821


def full_inside(state):  # type: ignore[no-untyped-def]
    """Tell whether the period is over, or the journal inside must be read."""
    clock = state.clock[0]
    return clock["round"] >= clock["end"] or inner_full(state.inner)  # type: ignore[name-defined]  # noqa: F821


def relearn(inner, kept, first, last, rng):  # type: ignore[no-untyped-def]
    """Tell the learner inside kept outcomes again; return the next if its journal is full."""
    for number in range(first, last):
        row = kept[number % kept.shape[0]]
        ticket = inner_ticket(row[3:])  # type: ignore[name-defined]  # noqa: F821
        if inner_learn(inner, int(row[0]), int(row[1]), ticket, row[2]):  # type: ignore[name-defined]  # noqa: F821
            inner_settle(inner, rng)  # type: ignore[name-defined]  # noqa: F821
            if inner_full(inner):  # type: ignore[name-defined]  # noqa: F821
                return number + 1
    return last


@dataclass(frozen=True, eq=False)
class _Restarting(Learner):
    """What the wrappers share."""

    _: KW_ONLY
    criterion: Criterion = None  # type: ignore[assignment]
    inner: Learner = None  # type: ignore[assignment]

    _learn_template: ClassVar[Callable[..., Any]] = learn_inside

    def __post_init__(self) -> None:
        self._take_names()
        n_arms = as_count(self.n_arms, "n_arms", 2)
        inner = self._default(n_arms) if self.inner is None else self.inner
        if not isinstance(inner, Learner):
            raise BadParameter("inner", f"is {inner!r}, must be a learner")
        if inner.n_arms != n_arms:
            raise BadParameter("inner", f"has {inner.n_arms} arms, there are {n_arms}")
        object.__setattr__(self, "inner", inner.clone())
        if self.criterion is None:
            object.__setattr__(self, "criterion", inner.criterion)
        super().__post_init__()
        if self.criterion != inner.criterion:
            raise BadParameter(
                "criterion", f"is {self.criterion.name!r}, inner has {inner.criterion.name!r}"
            )

    @classmethod
    def of(cls, inner: Learner, **settings: Any) -> Self:
        """Return the wrapper of a learner, with its number of arms, horizon, seed and labels."""
        own = {"horizon": inner.horizon, "seed": inner.seed, "labels": inner.labels}
        return cls(inner.n_arms, **{**own, "inner": inner, **settings})

    @abstractmethod
    def _default(self, n_arms: int) -> Learner:
        """Return the learner inside if none is given."""

    @property
    @abstractmethod
    def _period(self) -> int:
        """How many rounds pass between restarts."""

    @property
    def _n_kept(self) -> int:
        """How many outcomes are learned again at a restart."""
        return 0

    @property
    def _graded(self) -> bool:  # type: ignore[override]
        """Whether the learner inside takes outcomes between a win and a loss."""
        return self.inner._graded

    def _bound(self, template: Callable[..., Any]) -> Any:
        kernels = [self.inner._choose, self.inner._learn, self.inner._settle, self.inner._full]
        if self._n_kept > 0:
            kernels.append(ticket_kernel(self._ticket_length))
        return bind_kernels(cast(FunctionType, template), _NAMES[: len(kernels)], tuple(kernels))

    @property
    def _choose(self) -> Any:  # type: ignore[override]
        """The kernel that lets the learner inside choose."""
        return self._bound(choose_inside)

    @property
    def _learn(self) -> Any:  # type: ignore[override]
        """The kernel that lets the learner inside learn."""
        return self._bound(type(self)._learn_template)

    @property
    def _settle(self) -> Any:  # type: ignore[override]
        """The kernel that lets the learner inside settle."""
        return self._bound(settle_inside)

    @property
    def _full(self) -> Any:  # type: ignore[override]
        """The kernel that says when a restart is due, or the journal inside must be read."""
        return self._bound(full_inside)

    def _check_horizon(self, horizon: int) -> None:
        """Raise ValueError if the learner inside cannot play a period."""
        self.inner._check_horizon(min(horizon, self._period + self._n_kept))

    @property
    def _ranges(self) -> Ranges:  # type: ignore[override]
        """The ranges of the wrapper and those of the learner inside."""
        kept = such_that("outcomes that were told, with their tickets", self._are_kept)
        end = whole(lambda known: known.state.clock["round"][0] + 1, self._last_end)
        offset = whole(self._first_offset, "clock.round")
        inner = Inner(self.inner._ranges or {}, _rounds_inside)
        return {
            **_RESTART_RANGES,
            "clock.end": end,
            "clock.offset": offset,
            "inner": inner,
            "kept": kept,
        }

    @property
    def _ticket(self) -> tuple[Range, ...] | None:  # type: ignore[override]
        """The ticket of the learner inside, and the period."""
        if self.inner._ticket is None:
            return None
        return (*(inside("inner", allowed) for allowed in self.inner._ticket), NUMBER)

    @property
    def _per_arm(self) -> bool:  # type: ignore[override]
        """Whether the state of the learner inside has an array with an entry for each arm."""
        return self.inner._per_arm

    def _first_offset(self, known: Known) -> int:
        """Return the offset with which the learner inside gets as old as it may in a period."""
        return max(0, int(known.state.clock["end"][0]) - self._period - self._n_kept)

    def _last_end(self, known: Known) -> int:
        return int(known.state.clock["round"][0]) + self._period

    def _are_kept(self, kept: Floats, known: Known) -> bool:
        """Tell whether the rows of outcomes that were told can be told again."""
        rows = kept[: known.state.clock["learned"][0]]
        columns = (AN_ARM, AN_ARM, OUTCOME, *(self._ticket or ()))
        return all(
            np.all(allowed.holds(column, known))
            for allowed, column in zip(columns, rows.T, strict=False)
        )

    def _allocate(self) -> RestartState:
        """Return a fresh state with a fresh learner inside."""
        kept = np.zeros((self._n_kept, _PLAIN + self._ticket_length))
        state = RestartState(np.zeros(1, CLOCK), kept, self.inner._allocate())
        state.clock["end"] = self._period
        return state

    def _begin(self, state: RestartState, rng: np.random.Generator) -> None:
        """Begin the learner inside, and draw what later restarts draw from."""
        self.inner._begin(state.inner, rng)
        # A copy, for a learner inside that draws nothing shall stay one that draws nothing.
        state.clock["entropy"] = int(copy.deepcopy(rng).integers(2**62))

    @cached_property
    def _ticket_length(self) -> int:
        """Return how many numbers a ticket of the learner inside has, if tickets are kept."""
        return ticket_length(self.inner) if self._n_kept > 0 else 0

    def _best_of(self, state: RestartState) -> int:
        """Return the arm that the learner inside would pick."""
        return self.inner._best_of(state.inner)

    def _active_of(self, state: RestartState) -> Ints:
        """Return the arms that the learner inside has in play."""
        return self.inner._active_of(state.inner)

    def _collect(self, state: RestartState, history: History) -> None:
        """Note what happened inside, and begin a new period when one is over."""
        clock = state.clock[0]
        inside = History(episodes=[])
        self.inner._collect(state.inner, inside)
        _append(history, inside, int(clock["offset"]))
        if clock["round"] >= clock["end"]:
            self._restart(state)
            if int(clock["round"]) not in history.episodes[-1:]:
                history.episodes.append(int(clock["round"]))

    def _restart(self, state: RestartState) -> None:
        clock = state.clock[0]
        clock["period"] += 1
        clock["end"] = clock["round"] + self._period
        seeds = np.random.SeedSequence([int(clock["entropy"]), int(clock["period"])])
        rng = np.random.default_rng(seeds)
        _overwrite(state.inner, self.inner._start(rng))
        last = int(clock["learned"])
        first = number = max(0, last - len(state.kept))
        while number < last:
            number = self._bound(relearn)(state.inner, state.kept, number, last, rng)
            self.inner._collect(state.inner, History())
        clock["offset"] = clock["round"] - (last - first)


def _append(history: History, inside: History, offset: int) -> None:
    """Move what happened inside to the history, with the rounds counted from the start."""
    history.episodes.extend(start + offset for start in inside.episodes)
    history.replays.extend(Replay(item.start + offset, item.length) for item in inside.replays)
    history.activations.extend(
        replace(item, round=item.round + offset) for item in inside.activations
    )
    for item in inside.evictions:
        rounds = {name: getattr(item, name) + offset for name in ("round", "first", "last", "base")}
        history.evictions.append(replace(item, **rounds))


def _overwrite(target: State, source: State) -> None:
    """Copy the arrays of a state, which may hold other states, over those of another."""
    if isinstance(target, np.ndarray):
        if target.flags.writeable:
            target[...] = source
        return
    for old, new in zip(target, source, strict=True):
        _overwrite(old, new)


@dataclass(frozen=True, eq=False)
class PeriodicRestart(_Restarting):
    """Makes any learner forget everything every so many rounds.

    Parameters
    ----------
    n_arms, horizon, seed, labels
        As for every learner.
    criterion : Criterion or str, optional
        That of the learner inside, which is the default.
    inner : Learner, optional
        The learner inside, of which the parameters are used and not the seed; by default
        `BordaETC` for the rounds of a period. If it plans for a horizon, that should be ``every``.
    every : int
        How many rounds pass between restarts.

    References
    ----------
    Folklore: with S changes and a learner whose regret is R(n) in n rounds without change, regret
    is (T/every + S) R(every). A round costs what it costs the learner inside; a restart costs
    some 0.1 ms.

    Examples
    --------
    >>> import driftduel as dd
    >>> learner = PeriodicRestart.of(dd.learners.BordaETC(3, exploration=60, seed=1), every=100)
    >>> for n in range(250):
    ...     best = 0 if n < 100 else 2
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    ...     if n in (98, 198):
    ...         print(learner.best())
    0
    2
    >>> learner.episodes
    [0, 100, 200]
    """

    _: KW_ONLY
    every: int = bounded(1000, least=1)

    _literature: ClassVar = Literature(
        paper="",
        bound="(T/every + S) R(every), with S changes and R that of the learner inside",
        needs="every, a learner",
        cost="that of the learner inside",
    )

    def _default(self, n_arms: int) -> Learner:
        from driftduel.learners.rivals.borda import BordaETC

        return BordaETC(n_arms, as_count(self.every, "every", 1))

    @property
    def _period(self) -> int:
        return self.every


@dataclass(frozen=True, eq=False)
class SlidingWindow(_Restarting):
    """Makes a learner know nothing but the latest outcomes, where its statistics allow it.

    Every few rounds the learner is restarted and told the outcomes of the window again, the
    oldest first. That needs a learner whose tickets say nothing of the state they were made in:
    those with a ticket of the propensity alone, as all that count wins, and those that declare
    ``relearns = True``. Others are refused.

    Parameters
    ----------
    n_arms, horizon, seed, labels
        As for every learner.
    criterion : Criterion or str, optional
        That of the learner inside, which is the default.
    inner : Learner, optional
        The learner inside, of which the parameters are used and not the seed; `RUCB` by default.
    window : int
        How many outcomes are told again.
    every : int, optional
        How many rounds pass between restarts, so that the learner inside knows the last
        ``window`` to ``window + every`` outcomes; a quarter of the window by default.

    References
    ----------
    Folklore. No bound is known to us for duels. Each outcome is learned ``1 + window / every``
    times.

    Examples
    --------
    >>> import driftduel as dd
    >>> learner = SlidingWindow.of(dd.learners.RUCB(3, seed=1), window=200)
    >>> for n in range(2100):
    ...     best = 0 if n < 1000 else 2
    ...     duel = learner.ask()
    ...     learner.tell(duel, 0.5 + 0.5 * ((duel.left == best) - (duel.right == best)))
    >>> learner.best(), len(learner.episodes)
    (2, 43)
    """

    _: KW_ONLY
    window: int = bounded(1000, least=1, most=2**26)
    every: int | None = bounded(None, least=1)

    _literature: ClassVar = Literature(
        paper="after Garivier & Moulines, On Upper-Confidence Bound Policies for Switching Bandit "
        "Problems, ALT 2011",
        bound="none known for duels",
        needs="window, a learner",
        cost="that of the learner inside, and window/every times to learn",
    )

    _learn_template = learn_and_keep

    def _validate(self) -> None:
        """Raise BadParameter if the learner inside cannot be told again."""
        alone = self._ticket_length == 1
        if not (alone if self.inner._replayable is None else self.inner._replayable):
            raise BadParameter(
                "inner",
                f"is a {type(self.inner).__name__}, which cannot be told outcomes again: its "
                "tickets belong to the state they were made in; PeriodicRestart takes any learner",
            )

    def _default(self, n_arms: int) -> Learner:
        from driftduel.learners.rivals.rucb import RUCB

        return RUCB(n_arms, self.horizon)

    @property
    def _period(self) -> int:
        return max(1, self.window // 4) if self.every is None else self.every

    @property
    def _n_kept(self) -> int:
        return self.window
