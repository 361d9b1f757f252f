"""Who plays: the learners. Families are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.compile.jit import inline_kernel as inline_kernel
from driftduel._support.compile.jit import kernel as kernel
from driftduel._support.lazy import attach
from driftduel._support.params import bounded as bounded
from driftduel._support.registry import MODULE_OF, learner_class
from driftduel.learners.contract.base import Learner as Learner
from driftduel.learners.contract.history import Activation as Activation
from driftduel.learners.contract.history import Eviction as Eviction
from driftduel.learners.contract.history import Replay as Replay
from driftduel.learners.contract.literature import Literature as Literature
from driftduel.learners.contract.report import Change as Change
from driftduel.learners.contract.report import Report as Report
from driftduel.learners.contract.session import AlreadyTold as AlreadyTold
from driftduel.learners.contract.session import ClosedDuel as ClosedDuel
from driftduel.learners.contract.session import Duel as Duel
from driftduel.learners.contract.storage import learner_file as learner_file
from driftduel.learners.contract.storage import load_learner as load_learner

if TYPE_CHECKING:
    from driftduel._support.roster import *  # noqa: F403
    from driftduel.learners.driftduel.constants import Calibration as Calibration
    from driftduel.learners.paper.bosse import Constants as Constants

__getattr__, __dir__, __all__ = attach(__name__, "all_learners")


def all_learners() -> dict[str, type[Learner]]:
    """Return every learner of the package: name -> class.

    Examples
    --------
    >>> all_learners()["MetaBosse"]
    <class 'driftduel.learners.paper.bosse.MetaBosse'>
    """
    return {name: learner_class(name) for name in sorted(MODULE_OF)}
