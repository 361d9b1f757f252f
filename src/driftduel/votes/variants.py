"""Variants of one thing share one weight, so that no option wins because it has copies of itself.

An option's score is its chance to beat an opponent that is drawn. With variants a *thing* is drawn
first, each as likely, and then one of its variants: three versions of one dish weigh as one dish.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from driftduel._support.checks import BadParameter

Variants: TypeAlias = Sequence[Sequence[str]]
"""Each sequence has the names of options that are variants of one thing."""

Places: TypeAlias = tuple[tuple[int, ...], ...]
"""The same by places of options."""


def places_of(variants: Variants, arms: Sequence[str]) -> Places:
    """Return variants by places, after checking them.

    Examples
    --------
    >>> places_of([["tea", "green tea"]], ["tea", "milk", "green tea"])
    ((0, 2),)
    >>> places_of([["tea", "mud"]], ["tea", "milk"])
    Traceback (most recent call last):
        ...
    driftduel.BadParameter: variants has 'mud', must be of tea, milk
    """
    seen: set[str] = set()
    for group in variants:
        if isinstance(group, str) or len(set(group)) < 2:
            raise BadParameter(
                "variants", f"has {group!r}, must have two arms of one thing or more"
            )
        for name in group:
            if name not in arms:
                raise BadParameter("variants", f"has {name!r}, must be of {', '.join(arms)}")
            if name in seen:
                raise BadParameter("variants", f"has {name!r} twice, must have each arm once")
        seen |= set(group)
    order = list(arms)
    return tuple(tuple(sorted(map(order.index, dict.fromkeys(group)))) for group in variants)


def shared_weight(
    n_arms: int, variants: Places, there: Collection[int] | None = None
) -> NDArray[np.float64]:
    """Return the weight of each arm as an opponent: one for each thing, shared by its variants.

    Parameters
    ----------
    n_arms : int
        How many arms there are.
    variants : tuple of tuple of int
        Arms that are variants of one thing.
    there : collection of int, optional
        The arms that are on offer, which share the weight; all if left out.

    Examples
    --------
    >>> shared_weight(4, ((1, 2),)).round(3).tolist()
    [0.333, 0.167, 0.167, 0.333]
    >>> shared_weight(4, ((1, 2),), there=[0, 2]).tolist()
    [0.5, 0.0, 0.5, 0.0]
    """
    known = set(range(n_arms) if there is None else there)
    things = [set(group) & known for group in variants]
    alone = known.difference(*things)
    parts = [{one} for one in alone] + [thing for thing in things if thing]
    weight = np.zeros(n_arms)
    for part in parts:
        weight[list(part)] = 1.0 / (len(parts) * len(part))
    return weight
