"""What the author of a learner writes: kernels, hooks and declarations.

A learner is written as one short file: a `NamedTuple` of arrays for its state, the kernels
below, and a frozen dataclass that derives from `Learner` and allocates the state. The
same kernels serve ``ask``/``tell`` and the compiled loops of `driftduel.simulate` and
`Learner.fold`. They are compiled with
`kernel` or `inline_kernel` of `driftduel.learners`, and cannot make arrays.

``_choose(state, rng) -> (left, right, ticket)``
    Pick a pair. The ticket is a tuple of floats, everything `_learn` has to know of the time of
    asking; its first entry is the propensity of the ordered pair, or NaN where no formula for it
    is known. Nothing may change but the generator and what `_ranges` declare as scratch
    (`driftduel.learners.contract.ranges.ANYTHING`): a duel may be asked and never told.
``_learn(state, left, right, ticket, outcome) -> bool``
    Take in an outcome and say whether `_settle` has work to do. This is the hot path: what can
    wait belongs in `_settle`.
``_settle(state, rng) -> None``
    The rare, dear work: checks, restarts, schedules. The default does nothing. Its generator is
    not that of ``_choose``, so that the state is a function of what was told and in which order:
    to ask more, or in another order, changes nothing that is told later.
``_full(state) -> bool``
    Whether the journal of events must be read before the next round. The default never is.

They are static methods of the class. A learner that plays through another one has them as
properties instead, bound to the kernels of the other; see `driftduel.learners.rivals.restarts`.

`driftduel.testing` checks all of this for any learner; `driftduel.learners.rivals.baselines` shows
two small ones. The cache of compiled code notices an edit of the files that hold the kernels and of
all that these import.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter
from driftduel._support.compile.jit import inline_kernel
from driftduel._support.interrupts import defer_interrupts
from driftduel.learners.contract.history import History
from driftduel.learners.contract.literature import Literature, add_citation, add_parameters
from driftduel.learners.contract.ranges import Range, Ranges
from driftduel.learners.contract.report import Change
from driftduel.matrix.criteria import Borda, Criterion
from driftduel.votes.proof.counts import Counts

State = Any
"""A NamedTuple of arrays; each learner has its own."""

KERNELS = ("choose", "learn", "settle", "full")
"""What loops that are bound to the kernels of a learner call them."""

_PLAIN = {
    name: f"_{name}"
    for name in (
        *("choose", "learn", "settle", "full", "allocate", "begin", "best_of", "active_of"),
        *("changes_of", "carry", "collect", "vote_chance_of", "check_horizon", "validate"),
        *("ranges", "ticket", "literature", "needs_horizon"),
    )
} | {
    "serves": "_criteria",
    "grows": "_per_arm",
    "relearns": "_replayable",
    "idle": "_noop_ticket",
}
"""What authors of learners wrote before these names had an underscore."""


@inline_kernel
def nothing_to_settle(state, rng):  # type: ignore[no-untyped-def]
    """Do nothing: the default of `Learner._settle`."""


@inline_kernel
def never_full(state: State) -> bool:
    """Return False: the default of `Learner._full`."""
    return False


class Hooks(ABC):
    """The part of a `Learner` that its author writes."""

    n_arms: int
    horizon: int | None

    _criteria: ClassVar[tuple[type[Criterion], ...]] = (Borda, Criterion)
    """The criteria that the learner can play for, the default first."""
    _needs_horizon: ClassVar[bool] = False
    """Whether the learner must be told its horizon."""

    _choose: ClassVar[Callable[..., Any]]
    _learn: ClassVar[Callable[..., bool]]
    _literature: ClassVar[Literature]
    _settle: ClassVar[Callable[..., None]] = staticmethod(nothing_to_settle)
    _full: ClassVar[Callable[..., bool]] = staticmethod(never_full)
    _ranges: ClassVar[Ranges | None] = None
    """What the numbers of the state may be, to be checked when it is read from a file."""
    _ticket: ClassVar[tuple[Range, ...] | None] = None
    """The same for the numbers of a ticket, whatever the round."""
    _per_arm: ClassVar[bool] = True
    """Whether the state has an array with an entry for each arm."""
    _replayable: ClassVar[bool | None] = None
    """Whether a fresh state may be told old outcomes with the tickets they had; None means yes if
    tickets hold the propensity and nothing else."""
    can_change_arms: ClassVar[bool] = False
    """Whether arms may come and go: `change_arms`. A learner that can has `_carry` and
    `_noop_ticket`."""
    _graded: ClassVar[bool] = False
    """Whether outcomes may lie anywhere from 0 to 1: kernels add them up, and what is concluded
    from the sums holds for any outcomes of that mean, not for wins alone."""
    _noop_ticket: ClassVar[tuple[float, ...] | None] = None
    """The ticket with which a tie of an arm with itself is a round that teaches nothing."""

    def __init_subclass__(cls) -> None:
        """Take what a class calls by an older, plain name; complete its docstring."""
        super().__init_subclass__()
        for plain, name in _PLAIN.items():
            if plain in vars(cls) and not _is_field(cls, plain):
                setattr(cls, name, vars(cls)[plain])
                delattr(cls, plain)
        if cls.__doc__ and "_literature" in vars(cls):
            paper, needs = cls._literature, cls._needs_horizon
            doc = add_citation(cls.__doc__, paper)
            cls.__doc__ = add_parameters(doc, paper, cls._criteria, needs_horizon=needs)

    def _validate(self) -> None:
        """Raise BadParameter if parameters do not fit each other.

        Each has been checked by its type and its bounds before; see `bounded`.
        """

    @property
    def _known_horizon(self) -> int:
        """The horizon, for a learner that needs one."""
        if self.horizon is None:
            raise BadParameter("horizon", f"is None, {type(self).__name__} must be told it")
        return self.horizon

    @abstractmethod
    def _allocate(self) -> State:
        """Return the arrays of a fresh state, with everything in them that is not random."""

    def _begin(self, state: State, rng: np.random.Generator) -> None:
        """Draw what a fresh learner draws; nothing unless a learner starts at random."""

    def _start(self, rng: np.random.Generator) -> State:
        """Return a fresh state."""
        state = self._allocate()
        with defer_interrupts():
            self._begin(state, rng)
        return state

    @abstractmethod
    def _best_of(self, state: State) -> int:
        """Return the arm that the learner would pick in this state."""

    def _active_of(self, state: State) -> NDArray[np.int64]:
        """Return the arms still in play in this state; all of them unless a learner evicts."""
        return np.arange(self.n_arms)

    def _changes_of(self, state: State) -> list[Change]:
        """Return the latest changes of the world proved up to this state, if it knows any."""
        return []

    def _counts_of(
        self, state: State, kept: Counts | None, arms: Sequence[int], n_arms: int, told: int
    ) -> Counts | None:
        """Return all votes that prove something, given those until arms last came or went.

        Parameters
        ----------
        state : State
            What the learner knows; its rows are ``arms``.
        kept : Counts or None
            What was counted until arms last came or went.
        arms : sequence of int
            The arms on offer.
        n_arms, told : int
            How many arms there are, and how many outcomes were told.
        """
        return None

    def _carry(self, state: State, kept: NDArray[np.int64], rng: np.random.Generator) -> State:
        """Return the state to go on with, given that of the arms before they came or went.

        Parameters
        ----------
        state : State
            The state of the learner with the arms before; it is not changed.
        kept : (K,) array of int
            Which row of it each arm of this learner had, increasing; -1 for an arm that is new.
        rng : numpy.random.Generator
            The generator that settles.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot change its arms")

    def _vote_chance_of(self, state: State) -> float | None:
        """Return the chance that the next duel is of two different arms; None without a formula."""
        return None

    def _collect(self, state: State, history: History) -> None:
        """Move what the state's journal holds into the history; nothing without a journal."""

    def _check_horizon(self, horizon: int) -> None:
        """Raise ValueError if the learner cannot play ``horizon`` rounds."""

    @property
    def _kernels(self) -> tuple[Callable[..., Any], ...]:
        """The kernels, in the order of `KERNELS`."""
        return self._choose, self._learn, self._settle, self._full


def _is_field(cls: type, name: str) -> bool:
    """Tell whether a class body declares a parameter of this name."""
    return "ClassVar" not in str(cls.__annotations__.get(name, "ClassVar"))
