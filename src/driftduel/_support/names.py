"""Names of arms where a number of them could stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def names_in(value: Any) -> tuple[str, ...] | None:
    """Return the names in a list, a column or an array of them; None if it is none.

    Examples
    --------
    >>> names_in(["tea", "coffee"]), names_in(3), names_in("tea"), names_in([1, 2])
    (('tea', 'coffee'), None, None, None)
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    names = tuple(value)
    if not names or not all(isinstance(name, str) for name in names):
        return None
    return tuple(map(str, names))
