"""Who plays: the learners. Families are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.base import Duel, Eviction, Learner, Literature, Replay
from driftduel.learners.families import MODULE_OF, PARTS
from driftduel.learners.storage import load_learner

if TYPE_CHECKING:
    from driftduel.learners.baselines import FixedPair as FixedPair
    from driftduel.learners.baselines import Uniform as Uniform
    from driftduel.learners.bosse import Bosse as Bosse
    from driftduel.learners.bosse import Constants as Constants
    from driftduel.learners.bosse import MetaBosse as MetaBosse

_HOME = {**MODULE_OF, **PARTS}


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> all_learners()["MetaBosse"]
    <class 'driftduel.learners.bosse.MetaBosse'>
    """
    return {name: __getattr__(name) for name in sorted(MODULE_OF)}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [  # noqa: PLE0604
    "Duel",
    "Eviction",
    "Learner",
    "Literature",
    "Replay",
    "all_learners",
    "inline_kernel",
    "kernel",
    "load_learner",
    *_HOME,
]
