"""Learners from plain values, as specs, tasks and the command have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from driftduel._support.checks import BadParameter
from driftduel._support.params import parameters_of, resolve
from driftduel.learners.contract.base import Learner


def learner_from(
    name: str, table: Mapping[str, Any], n_arms: int, horizon: int | None = None, **own: Any
) -> Learner:
    """Make a learner.

    Parameters
    ----------
    name : str
        Its class, as `Learner._named` takes it.
    table : mapping
        Its parameters as TOML and JSON have them: a table is a learner inside, by its name, or
        an object such as `Constants`.
    n_arms : int
        Number of arms, of the learners inside too.
    horizon : int, optional
        The horizon, of the learners inside too, unless a table has another one.
    **own
        More parameters of the learner alone.

    Raises
    ------
    BadParameter
        If there is no such learner or parameter, or a value does not fit.

    Examples
    --------
    >>> learner = learner_from("SlidingWindow", {"inner": {"name": "RUCB", "alpha": 1}}, 3)
    >>> learner.inner.alpha, learner.inner.n_arms
    (1.0, 3)
    """
    kind = Learner._named(name)
    values = {"horizon": horizon, **own, **resolve(kind, table)}
    for key, parameter in parameters_of(kind).items():
        value = values.get(key)
        if parameter.table is Learner and isinstance(value, dict):
            rest = {part: item for part, item in value.items() if part != "name"}
            try:
                values[key] = learner_from(value["name"], rest, n_arms, horizon)
            except BadParameter as error:
                raise error.inside(key) from None
    return kind(n_arms=n_arms, **values)
