"""Find, and keep finding, what people prefer, when preferences drift.

Names are imported on first use, so that ``import driftduel`` is quick. Here is what people use;
`driftduel.learners` has every learner, `driftduel.matrix` what is said of one matrix,
`driftduel.worlds` the worlds and `driftduel.votes` all for files of votes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftduel._support.lazy import attach
from driftduel._support.version import __version__ as __version__

if TYPE_CHECKING:
    from driftduel import experiments as experiments
    from driftduel import learners as learners
    from driftduel import matrix as matrix
    from driftduel import testing as testing
    from driftduel import votes as votes
    from driftduel import worlds as worlds
    from driftduel._support.checks import BadParameter as BadParameter
    from driftduel.experiments.results import Results as Results
    from driftduel.experiments.simulation import Run as Run
    from driftduel.experiments.simulation import simulate as simulate
    from driftduel.experiments.simulation import simulate_many as simulate_many
    from driftduel.learners import Learner as Learner
    from driftduel.learners import all_learners as all_learners
    from driftduel.learners import learner_file as learner_file
    from driftduel.learners import load_learner as load_learner
    from driftduel.learners.driftduel.learner import DriftDuel as DriftDuel
    from driftduel.learners.driftpoll.learner import DriftPoll as DriftPoll
    from driftduel.learners.paper.bosse import Bosse as Bosse
    from driftduel.learners.paper.bosse import MetaBosse as MetaBosse
    from driftduel.matrix.criteria import Banks as Banks
    from driftduel.matrix.criteria import Borda as Borda
    from driftduel.matrix.criteria import Condorcet as Condorcet
    from driftduel.matrix.criteria import Copeland as Copeland
    from driftduel.matrix.criteria import Criterion as Criterion
    from driftduel.matrix.criteria import TopCycle as TopCycle
    from driftduel.matrix.criteria import Uncovered as Uncovered
    from driftduel.matrix.criteria import VonNeumann as VonNeumann
    from driftduel.matrix.criteria import Weighted as Weighted
    from driftduel.matrix.tournaments import classify as classify
    from driftduel.matrix.weights import WeightSequence as WeightSequence
    from driftduel.report import plot as plot
    from driftduel.votes.analyses import analyse as analyse
    from driftduel.votes.analysis import Analysis as Analysis
    from driftduel.votes.estimates import Estimate as Estimate
    from driftduel.votes.estimates import estimate as estimate
    from driftduel.votes.histories import History as History
    from driftduel.votes.histories import history as history
    from driftduel.votes.likely.timeline import Timeline as Timeline
    from driftduel.votes.likely.timeline import timeline as timeline
    from driftduel.votes.log import Log as Log
    from driftduel.votes.matrices import read_matrix as read_matrix
    from driftduel.votes.noise import measure_log as measure_log
    from driftduel.votes.ratings import Ratings as Ratings
    from driftduel.votes.ratings import ratings as ratings
    from driftduel.votes.reading import read_log as read_log
    from driftduel.worlds.measures.measures import Measures as Measures
    from driftduel.worlds.measures.measures import measure as measure
    from driftduel.worlds.measures.phases import Phases as Phases
    from driftduel.worlds.stream import Stream as Stream

_get, __dir__, __all__ = attach(__name__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _get(name)
    from driftduel._support.renamed import renamed

    return renamed(name)
