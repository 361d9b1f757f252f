"""What the numbers of a state may be, as data beside each state, and the one check of them all.

Kernels check nothing: they follow an index wherever it points and a count as far as it goes. A
state that comes from a file is therefore held against ranges before a kernel sees it. A learner
declares them as a mapping with one entry for each array of its state, a `Range` or, for an array
of records and for a state inside the state, a mapping by field; a key with dots (``clock.level``)
is a part of what stands before it. Each entry of a ticket has one `Range` too. They are as narrow
as safety needs: what they let through can be played on.

A bound is a number, a text that names ``arms``, ``told`` (the outcomes told so far) or a field of
the state (``clock.n_active``), or a function of what is `Known`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from driftduel.learners.contract.base import Learner
    from driftduel.learners.contract.hooks import State

Values = NDArray[Any]

LONGEST_SESSION = 2**48
"""More duels than anyone asks a learner for; sums of so many outcomes are exact."""

LARGEST = 1e150
"""Larger numbers than any sum of estimates; their squares are still numbers."""


@dataclass(frozen=True)
class Known:
    """What a range may refer to.

    Attributes
    ----------
    n_arms, told : int
        The number of arms, and of outcomes told so far.
    state : State
        The state, or part of one, that the numbers are in; what stands before them in the mapping
        was checked already.
    fresh : State
        The same of a learner that has just been allocated.
    graded : bool
        Whether outcomes may lie between those of a win, a loss and a tie.
    """

    n_arms: int
    told: int
    state: State
    fresh: State
    graded: bool = False

    def value(self, bound: Bound) -> Any:
        """Return the number, or the array of numbers, that a bound stands for."""
        if callable(bound):
            return bound(self)
        if not isinstance(bound, str):
            return bound
        if bound in ("arms", "told"):
            return self.n_arms if bound == "arms" else self.told
        found = _part(self.state, bound)
        return found[0] if isinstance(found, np.ndarray) and found.shape == (1,) else found


Bound = float | str | Callable[[Known], Any]


@dataclass(frozen=True)
class Range:
    """What numbers may be: how to say it, and whether it holds, for each or for all together."""

    words: str | Callable[[Known], str]
    holds: Callable[[Values, Known], ArrayLike]


Ranges = Mapping[str, Any]
"""A `Range`, other ranges or an `Inner` for each name."""


@dataclass(frozen=True)
class Inner:
    """The ranges of a state inside the state whose learner was told fewer outcomes."""

    ranges: Ranges
    told: Callable[[Known], int]


def check_state(learner: Learner, state: State, told: int) -> None:
    """Raise ValueError if a number of the state is outside its range.

    A learner that declares no ranges is taken as it is.

    Parameters
    ----------
    learner : Learner
        The learner whose state it is.
    state : State
        The state, of the shapes and types of `Learner._allocate`.
    told : int
        How many outcomes the learner was told.

    Examples
    --------
    >>> import driftduel as dd
    >>> learner = dd.learners.RUCB(3)
    >>> state = learner._allocate()
    >>> check_state(learner, state, told=0)
    >>> state.hopes["favourite"] = 17
    >>> check_state(learner, state, told=0)
    Traceback (most recent call last):
        ...
    ValueError: state.hopes.favourite is 17, must be an arm from 0 to 2, or -1 for none
    """
    if learner._ranges is not None:
        known = Known(learner.n_arms, told, state, learner._allocate(), learner._graded)
        _check_all(learner._ranges, known, "state")


def check_ticket(learner: Learner, ticket: Sequence[float], state: State, told: int) -> None:
    """Raise ValueError if a ticket is not such as the learner gives out.

    Examples
    --------
    >>> import driftduel as dd
    >>> learner = dd.learners.RUCB(3)
    >>> check_ticket(learner, (0.5, 0.5), learner._allocate(), told=0)
    Traceback (most recent call last):
        ...
    ValueError: a ticket has 2 numbers, must have 1
    """
    if learner._ticket is None:
        return
    if len(ticket) != len(learner._ticket):
        raise ValueError(f"a ticket has {len(ticket)} numbers, must have {len(learner._ticket)}")
    known = Known(learner.n_arms, told, state, state, learner._graded)
    for place, allowed in enumerate(learner._ticket):
        _check(allowed, np.array(ticket[place]), known, f"ticket[{place}]")


def check_tickets(learner: Learner, tickets: NDArray[np.float64], state: State, told: int) -> None:
    """Raise ValueError if one of many tickets, in rows of the right length, is not such as these.

    Examples
    --------
    >>> import driftduel as dd
    >>> learner = dd.learners.RUCB(3)
    >>> check_tickets(learner, np.array([[0.5], [2.0]]), learner._allocate(), told=2)
    Traceback (most recent call last):
        ...
    ValueError: tickets[1][0] is 2.0, must be a chance above 0 and at most 1
    """
    known = Known(learner.n_arms, told, state, state, learner._graded)
    for place, (allowed, column) in enumerate(zip(learner._ticket or (), tickets.T, strict=False)):
        right = np.asarray(allowed.holds(column, known))
        for n in np.flatnonzero(~right)[:1]:
            _check(allowed, column[n], known, f"tickets[{n}][{place}]")


def scratch_of(learner: Learner) -> set[str]:
    """Return the names of the arrays of a state that are scratch, as files name them.

    Examples
    --------
    >>> import driftduel as dd
    >>> sorted(scratch_of(dd.learners.DTS(3)))
    ['state.drawn', 'state.losses', 'state.theta']
    """
    return set(_scratch(learner._ranges or {}, "state"))


def fields_without_range(learner: Learner) -> list[str]:
    """Return the names of the arrays and fields of a state for which no range is declared."""
    return (
        [] if learner._ranges is None else list(_missing(learner._ranges, learner._allocate(), ""))
    )


def _check_all(ranges: Ranges, known: Known, name: str) -> None:
    for key, allowed in ranges.items():
        part, fresh = _part(known.state, key), _part(known.fresh, key)
        if isinstance(allowed, Inner):
            inner = replace(known, state=part, fresh=fresh, told=allowed.told(known))
            _check_all(allowed.ranges, inner, f"{name}.{key}")
        elif isinstance(allowed, Range):
            _check(allowed, part, known, f"{name}.{key}", fresh)
        elif isinstance(part, np.ndarray):
            for field, narrower in allowed.items():
                assert isinstance(narrower, Range)
                _check(narrower, part[field], known, f"{name}.{key}.{field}", fresh[field])
        else:
            _check_all(allowed, replace(known, state=part, fresh=fresh), f"{name}.{key}")


def _check(
    allowed: Range, values: Values, known: Known, name: str, fresh: Values | None = None
) -> None:
    if allowed is FIXED:
        assert fresh is not None
        right = np.asarray(_close(values, fresh))
    else:
        right = np.asarray(allowed.holds(values, known))
    if right.all():
        return
    words = allowed.words if isinstance(allowed.words, str) else allowed.words(known)
    if right.shape != values.shape:
        raise ValueError(f"{name} does not fit the rest of the state, must be {words}")
    place = tuple(map(int, np.argwhere(~right)[0])) if right.shape else ()
    index = "" if values.size == 1 else str(list(place))
    raise ValueError(f"{name}{index} is {values[place]}, must be {words}")


def _part(state: State, path: str) -> Any:
    """Return an array, a field of one, or a state inside a state, by its name."""
    for name in path.split("."):
        state = state[name] if isinstance(state, np.ndarray) else getattr(state, name)
    return state


def _missing(ranges: Ranges, state: State, name: str) -> Iterator[str]:
    for key, part in zip(state._fields, state, strict=True):
        allowed = ranges.get(key)
        if isinstance(allowed, Inner):
            yield from _missing(allowed.ranges, part, f"{name}{key}.")
        elif allowed is None:
            yield f"{name}{key}"
        elif isinstance(allowed, Mapping) and not isinstance(part, np.ndarray):
            yield from _missing(allowed, part, f"{name}{key}.")
        elif isinstance(allowed, Mapping):
            for field in part.dtype.names:
                if field not in allowed and f"{key}.{field}" not in ranges:
                    yield f"{name}{key}.{field}"


def _scratch(ranges: Ranges, name: str) -> Iterator[str]:
    for key, allowed in ranges.items():
        inner = allowed.ranges if isinstance(allowed, Inner) else allowed
        if inner is ANYTHING:
            yield f"{name}.{key}"
        elif isinstance(inner, Mapping):
            yield from _scratch(inner, f"{name}.{key}")


def _close(values: Values, expected: ArrayLike, tolerance: float = 1e-9) -> NDArray[np.bool_]:
    """Tell which numbers are as expected; logarithms may differ in the last place elsewhere."""
    same: NDArray[np.bool_] = np.asarray(values == expected)
    if values.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            same |= np.abs(values - expected) <= tolerance * np.abs(expected)
    return same


def _said(bound: Bound, known: Known) -> str:
    value = np.asarray(known.value(bound))
    return str(value.item()) if value.size == 1 else f"its {bound}" if value.size else "none"


# The words that ranges are made of.


def whole(low: Bound, high: Bound) -> Range:
    """Return the whole numbers from ``low`` to ``high``, both included."""

    def holds(values: Values, known: Known) -> ArrayLike:
        inside = (values >= known.value(low)) & (values <= known.value(high))
        return inside & (values == np.floor(values)) if values.dtype.kind == "f" else inside

    return Range(
        lambda known: f"a whole number from {_said(low, known)} to {_said(high, known)}", holds
    )


def below(count: Bound) -> Range:
    """Return the whole numbers from 0 on that are below ``count``: places in a list."""
    return whole(0, lambda known: np.maximum(known.value(count) - 1, 0))


def real(low: Bound, high: Bound, *, endless: bool = False) -> Range:
    """Return the numbers from ``low`` to ``high``; ``endless`` also allows infinity."""

    def holds(values: Values, known: Known) -> ArrayLike:
        inside = (values >= known.value(low)) & (values <= known.value(high))
        return inside | (values == np.inf) if endless else inside

    def words(known: Known) -> str:
        more = ", or inf" if endless else ""
        return f"a number from {_said(low, known)} to {_said(high, known)}{more}"

    return Range(words, holds)


def halves(low: Bound, high: Bound) -> Range:
    """Return what sums of outcomes may be: multiples of 1/2, but for graded outcomes."""

    def holds(values: Values, known: Known) -> ArrayLike:
        inside = (values >= known.value(low)) & (values <= known.value(high))
        return inside if known.graded else inside & (2.0 * values == np.floor(2.0 * values))

    def words(known: Known) -> str:
        kind = "number" if known.graded else "multiple of 0.5"
        return f"a {kind} from {_said(low, known)} to {_said(high, known)}"

    return Range(words, holds)


def such_that(words: str, holds: Callable[[Values, Known], ArrayLike]) -> Range:
    """Return the numbers for which a function holds."""
    return Range(words, holds)


def equal_to(words: str, expected: Callable[[Known], ArrayLike], tolerance: float = 1e-9) -> Range:
    """Return what follows from other numbers of the state, floats up to a relative tolerance."""
    return Range(words, lambda values, known: _close(values, expected(known), tolerance))


def arms_first(count: Bound) -> Range:
    """Return lists of arms of which the first ``count`` are different from each other."""

    def holds(values: Values, known: Known) -> ArrayLike:
        exist = (values >= 0) & (values < known.n_arms)
        first = values[: known.value(count)]
        return exist if not exist.all() else len(set(first.tolist())) == len(first)

    return Range(
        lambda known: (
            f"arms from 0 to {known.n_arms - 1}, the first {_said(count, known)} of them different"
        ),
        holds,
    )


def inside(part: str, allowed: Range) -> Range:
    """Return a range whose bounds are those of a state inside the state."""

    def narrowed(known: Known) -> Known:
        return replace(known, state=_part(known.state, part), fresh=_part(known.fresh, part))

    words = allowed.words
    return Range(
        words if isinstance(words, str) else lambda known: words(narrowed(known)),
        lambda values, known: allowed.holds(values, narrowed(known)),
    )


FIXED = Range("what the parameters of the learner give", lambda *_: True)
"""What `Learner._allocate` put there and nothing changes."""

ANYTHING = Range("anything", lambda *_: True)
"""Scratch: written before it is read, so no part of what a learner knows."""

AN_ARM = replace(below("arms"), words=lambda known: f"an arm from 0 to {known.n_arms - 1}")
AN_ARM_OR_NONE = replace(
    whole(-1, lambda known: known.n_arms - 1),
    words=lambda known: f"an arm from 0 to {known.n_arms - 1}, or -1 for none",
)
COUNT = whole(0, "told")
"""How many outcomes there were of some kind."""

SUM = halves(0, "told")
"""Summed outcomes."""

LEAD = halves(lambda known: -known.told, "told")
"""Wins minus losses, or summed outcomes - 1/2."""

FLAG = whole(0, 1)
OUTCOME = halves(0, 1)
NUMBER = real(-LARGEST, LARGEST)
WEIGHT = real(0, LARGEST)
CHANCE = such_that(
    "a chance above 0 and at most 1",
    # Sums of weights are kept up by differences, so a chance may be a rounding above 1.
    lambda values, _: (values >= 1e-140) & (values <= 1 + 1e-5),
)
UNKNOWN_CHANCE = such_that("nan", lambda values, _: np.isnan(values))
"""The propensity of a learner that has no formula for it."""


def is_listed(known: Known, array: str, count: str) -> NDArray[np.bool_]:
    """Tell for each arm whether it is among the first ``count`` of a list."""
    listed = np.zeros(known.n_arms, np.bool_)
    listed[known.value(array)[: known.value(count)]] = True
    return listed
