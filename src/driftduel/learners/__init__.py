"""Who plays: the learners."""

from driftduel._jit import inline_kernel, kernel
from driftduel.learners.base import Duel, Eviction, Learner, Replay
from driftduel.learners.baselines import FixedPair, Uniform
from driftduel.learners.bosse import Bosse, Constants, MetaBosse
from driftduel.learners.storage import load_learner

_ALL: tuple[type[Learner], ...] = (Bosse, FixedPair, MetaBosse, Uniform)


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> sorted(all_learners())
    ['Bosse', 'FixedPair', 'MetaBosse', 'Uniform']
    """
    return {kind.__name__: kind for kind in _ALL}


__all__ = [
    "Bosse",
    "Constants",
    "Duel",
    "Eviction",
    "FixedPair",
    "Learner",
    "MetaBosse",
    "Replay",
    "Uniform",
    "all_learners",
    "inline_kernel",
    "kernel",
    "load_learner",
]
