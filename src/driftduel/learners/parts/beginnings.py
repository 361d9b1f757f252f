"""New beginnings that a learner sees fit to make: noted in its state, then read as episodes."""

from __future__ import annotations

from driftduel._support.compile.jit import inline_kernel
from driftduel.learners.contract.base import Learner
from driftduel.learners.contract.history import History
from driftduel.learners.contract.hooks import State


@inline_kernel
def has_begun(state: State) -> bool:
    """Tell whether a new beginning must be noted."""
    return state.clock[0]["began"] >= 0


class BeginsAgain(Learner):
    """Has in its clock the round ``began`` of a beginning that is not in the history, or -1."""

    _full = staticmethod(has_begun)

    def _collect(self, state: State, history: History) -> None:
        """Note the round of a new beginning."""
        clock = state.clock[0]
        if clock["began"] >= 0:
            history.episodes.append(int(clock["began"]))
            clock["began"] = -1
