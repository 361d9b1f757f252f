"""Who plays: the learners."""

from driftduel.learners.base import Duel, Eviction, Learner, Replay
from driftduel.learners.bosse import Bosse, Constants, MetaBosse

_ALL: tuple[type[Learner], ...] = (Bosse, MetaBosse)


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> sorted(all_learners())
    ['Bosse', 'MetaBosse']
    """
    return {kind.__name__: kind for kind in _ALL}


__all__ = [
    "Bosse",
    "Constants",
    "Duel",
    "Eviction",
    "Learner",
    "MetaBosse",
    "Replay",
    "all_learners",
]
