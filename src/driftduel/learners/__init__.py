"""Who plays: the learners. Families are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._families import MODULE_OF, learner_class
from driftduel._jit import inline_kernel as inline_kernel
from driftduel._jit import kernel as kernel
from driftduel._lazy import attach
from driftduel._parameters import bounded as bounded
from driftduel.learners.base import Learner as Learner
from driftduel.learners.base import Literature as Literature
from driftduel.learners.history import Activation as Activation
from driftduel.learners.history import Eviction as Eviction
from driftduel.learners.history import Replay as Replay
from driftduel.learners.report import Change as Change
from driftduel.learners.report import Report as Report
from driftduel.learners.session import AlreadyTold as AlreadyTold
from driftduel.learners.session import ClosedDuel as ClosedDuel
from driftduel.learners.session import Duel as Duel
from driftduel.learners.storage import learner_file as learner_file
from driftduel.learners.storage import load_learner as load_learner

if TYPE_CHECKING:
    from driftduel._roster import *  # noqa: F403
    from driftduel.learners.calibrated.constants import Calibration as Calibration
    from driftduel.learners.episodic.bosse import Constants as Constants

__getattr__, __dir__, __all__ = attach(__name__, "all_learners")


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> all_learners()["MetaBosse"]
    <class 'driftduel.learners.episodic.bosse.MetaBosse'>
    """
    return {name: learner_class(name) for name in sorted(MODULE_OF)}
