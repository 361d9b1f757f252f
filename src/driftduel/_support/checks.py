"""Turning what a caller gives into numbers and arrays, or saying what is wrong with it."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LONGEST = 2**62
"""The longest horizon; two of them still fit in an int64."""

_JOINERS = "\u200c\u200d"
"""Marks without a width of their own that words of some languages, and some emoji, need."""


class BadParameter(ValueError):  # noqa: N818
    """A parameter has a value that is not allowed.

    Parameters
    ----------
    name : str
        The name of the parameter; inside a table with dots, as in ``constants.scale``.
    reason : str
        What is wrong and what is allowed; the name and the reason make a sentence, with a
        space between them unless it begins with a colon or an index.
    owner : str
        Whose parameter it is, where the sentence should say so.

    Examples
    --------
    >>> print(BadParameter("scale", "is -1, must be a positive number").inside("constants"))
    constants.scale is -1, must be a positive number
    """

    __module__ = "driftduel"  # where its users find it

    def __init__(self, name: str, reason: str, owner: str = "") -> None:
        super().__init__(name, reason, owner)
        self.name = name
        self.reason = reason.removeprefix(": ")
        self.owner = owner

    def __str__(self) -> str:
        name, reason, owner = self.args
        sentence = f"{name}{reason}" if reason.startswith((":", "[")) else f"{name} {reason}"
        return f"{owner}: {sentence}" if owner else sentence

    def of(self, owner: str) -> BadParameter:
        """Return the error with the name of the owner in front."""
        return BadParameter(self.args[0], self.args[1], owner)

    def inside(self, table: str) -> BadParameter:
        """Return the error with the name of the table that the parameter is in."""
        return BadParameter(f"{table}.{self.name}", *self.args[1:])


@dataclass(frozen=True)
class Bounds:
    """Where a number has to lie; a number is always finite."""

    least: float = -math.inf
    most: float = math.inf
    above: float = -math.inf
    below: float = math.inf

    def checked(self, value: Any, name: str) -> float:
        """Return ``value`` as a float after checking that it is a finite number within them."""
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise BadParameter(name, f"is {value!r}, must be {self.kind}")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf if value > 0 else -math.inf
        inside = self.least <= number <= self.most and self.above < number < self.below
        if inside and math.isfinite(number):
            return number
        end = min(self.most, self.below) if number > 0 else max(self.least, self.above)
        also = " and finite" if number == end and math.isinf(end) and self != Bounds() else ""
        raise BadParameter(name, f"is {value}, must be {self.words}{also}")

    @property
    def kind(self) -> str:
        """What a value has to be before anything is said of where it lies."""
        return self.words if math.isfinite(self.above) else "a number"

    @property
    def words(self) -> str:
        """The bounds in words.

        Examples
        --------
        >>> Bounds(above=0, most=1).words, Bounds(least=0, most=0.5).words, Bounds(above=1).words
        ('a positive number and at most 1', 'between 0 and 0.5', 'a number above 1')
        """
        if math.isfinite(self.least) and math.isfinite(self.most):
            return f"between {self.least:g} and {self.most:g}"
        lower = "a positive number" if self.above == 0 else f"a number above {self.above:g}"
        limits = {"at least": self.least, "at most": self.most, "below": self.below}
        said = [f"{word} {limit:g}" for word, limit in limits.items() if math.isfinite(limit)]
        return " and ".join([lower, *said] if math.isfinite(self.above) else said) or "finite"


def as_count(value: Any, name: str, least: float = 1, most: float = math.inf) -> int:
    """Return ``value`` as an int after checking that it is a whole number in range.

    Examples
    --------
    >>> as_count(0, "n_phases")
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: n_phases is 0, must be at least 1
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise BadParameter(name, f"is {value!r}, must be a whole number")
    if value < least:
        raise BadParameter(name, f"is {value}, must be at least {least}")
    if value > most:
        raise BadParameter(name, f"is {value}, must be at most {most}")
    return int(value)


def as_horizon(value: Any) -> int:
    """Return ``value`` as an int after checking that it is a number of rounds."""
    return as_count(value, "horizon", 1, LONGEST)


def as_number(
    value: Any,
    name: str,
    least: float = -math.inf,
    most: float = math.inf,
    *,
    above: float = -math.inf,
    below: float = math.inf,
) -> float:
    """Return ``value`` as a float after checking that it is a finite number in range.

    Examples
    --------
    >>> as_number(0.4, "alpha", above=0.5)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: alpha is 0.4, must be a number above 0.5
    """
    return Bounds(least, most, above, below).checked(value, name)


def one_of(value: Any, name: str, allowed: Sequence[str]) -> str:
    """Return ``value`` after checking that it is one of those allowed.

    Examples
    --------
    >>> one_of("odd", "spacing", ("even", "random"))
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: spacing is 'odd', must be one of even, random
    """
    if not isinstance(value, str) or value not in allowed:
        raise BadParameter(name, f"is {value!r}, must be one of {', '.join(allowed)}")
    return value


def as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Return ``values`` as an array of floats, the same one if it is such an array.

    Examples
    --------
    >>> as_floats([0.5, "a half"], "weight")
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: weight: must be numbers in rows of equal length
    """
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biufO":
            return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        pass
    raise BadParameter(name, ": must be numbers in rows of equal length")


def as_whole_numbers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return ``values`` as a new array of integers.

    Examples
    --------
    >>> as_whole_numbers([0, 1.5], "order")
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: order[1] = 1.5, must be a whole number
    """
    try:
        array = np.asarray(values)
    except ValueError:
        array = np.asarray(None)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise BadParameter(name, ": must be a list of whole numbers, one at least")
    wrong = (array < -LONGEST) | (array > LONGEST)
    if array.dtype.kind == "f":
        wrong |= array != np.floor(array)
    for n in np.flatnonzero(wrong):
        raise BadParameter(name, f"[{n}] = {array[n]}, must be a whole number")
    return array.astype(np.int64)


def as_starts(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return the first rounds of stretches as a new array of increasing integers, the first 0.

    Examples
    --------
    >>> as_starts([0, 20, 10], "stream")
    Traceback (most recent call last):
        ...
    ValueError: stream: starts[2] = 10 does not come after starts[1] = 20
    """
    starts = as_whole_numbers(values, f"{name}: starts")
    if starts[0] != 0:
        raise ValueError(f"{name}: starts[0] = {starts[0]}, must be 0")
    for n in np.flatnonzero(np.diff(starts) <= 0):
        raise ValueError(
            f"{name}: starts[{n + 1}] = {starts[n + 1]} does not come after "
            f"starts[{n}] = {starts[n]}"
        )
    return starts


def as_labels(labels: Sequence[str] | None, n_arms: int) -> tuple[str, ...] | None:
    """Return the names of arms as a tuple, or None if they have none.

    Examples
    --------
    >>> as_labels(["tea", "tea"], 2)
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: labels: each arm needs a different one
    """
    if labels is None:
        return None
    if isinstance(labels, str):
        raise BadParameter("labels", f": must be a list of names, not the text {labels!r}")
    if not isinstance(labels, Iterable):
        raise BadParameter("labels", f"is {labels!r}, must be a list of names")
    names = tuple(str(label) for label in labels)
    if len(names) != n_arms:
        raise BadParameter("labels", f": {len(names)} given, there are {n_arms} arms")
    if len(set(names)) != n_arms:
        raise BadParameter("labels", ": each arm needs a different one")
    check_printable(names, "labels")
    return names


def as_credits(credits: Sequence[str]) -> tuple[str, ...]:
    r"""Return the notices of the owners of data, each once.

    Examples
    --------
    >>> as_credits(["Data: tea.org\nCC BY 4.0", "Data: tea.org\nCC BY 4.0"])
    ('Data: tea.org\nCC BY 4.0',)
    """
    if isinstance(credits, str):
        raise BadParameter("credits", f": must be a list of texts, not the text {credits!r}")
    for number, text in enumerate(credits, start=1):
        if not isinstance(text, str):
            raise BadParameter("credits", f": number {number} is {text!r}, must be text")
        for line in text.split("\n"):
            if not all(map(_printable, line)):
                raise BadParameter("credits", f": the line {line!r} must be printable")
    return tuple(dict.fromkeys(credits))


def check_printable(names: Sequence[str], what: str) -> None:
    r"""Raise BadParameter if a name holds what a terminal or a page would not show as it is.

    Examples
    --------
    >>> check_printable(["tea", "\x1b[31mcoffee"], "labels")
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: labels: name 2 is '\x1b[31mcoffee', must be printable
    """
    for number, name in enumerate(names, start=1):
        if not name.isprintable() and not all(map(_printable, name)):
            raise BadParameter(what, f": name {number} is {name!r}, must be printable")


def _printable(letter: str) -> bool:
    return letter.isprintable() or letter in _JOINERS or unicodedata.category(letter) == "Zs"
