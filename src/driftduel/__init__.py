"""Find, and keep finding, what people prefer, when preferences drift.

Names are imported on first use, so that ``import driftduel`` is quick. Every learner of
`all_learners` is a name here too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._lazy import attach
from driftduel._version import __version__ as __version__

if TYPE_CHECKING:
    from driftduel import experiments as experiments
    from driftduel import learners as learners
    from driftduel import plot as plot
    from driftduel import shifts as shifts
    from driftduel import simulation as simulation
    from driftduel import streams as streams
    from driftduel import testing as testing
    from driftduel._checks import BadParameter as BadParameter
    from driftduel._roster import *  # noqa: F403
    from driftduel.criteria import Banks as Banks
    from driftduel.criteria import Borda as Borda
    from driftduel.criteria import Condorcet as Condorcet
    from driftduel.criteria import Copeland as Copeland
    from driftduel.criteria import Criterion as Criterion
    from driftduel.criteria import TopCycle as TopCycle
    from driftduel.criteria import Uncovered as Uncovered
    from driftduel.criteria import VonNeumann as VonNeumann
    from driftduel.criteria import Weighted as Weighted
    from driftduel.experiments.results import Results as Results
    from driftduel.inference.estimates import Estimate as Estimate
    from driftduel.inference.estimates import estimate as estimate
    from driftduel.inference.histories import History as History
    from driftduel.inference.histories import history as history
    from driftduel.inference.ratings import Ratings as Ratings
    from driftduel.inference.ratings import ratings as ratings
    from driftduel.learners import Learner as Learner
    from driftduel.learners import all_learners as all_learners
    from driftduel.learners import learner_file as learner_file
    from driftduel.learners import load_learner as load_learner
    from driftduel.shifts.measures import Measures as Measures
    from driftduel.shifts.measures import measure as measure
    from driftduel.shifts.noise import measure_log as measure_log
    from driftduel.shifts.phases import Phases as Phases
    from driftduel.simulation import Run as Run
    from driftduel.simulation import simulate as simulate
    from driftduel.simulation import simulate_many as simulate_many
    from driftduel.streams.logs import Log as Log
    from driftduel.streams.reading import read_log as read_log
    from driftduel.streams.squares import read_matrix as read_matrix
    from driftduel.streams.stream import Stream as Stream
    from driftduel.tournaments import banks_set as banks_set
    from driftduel.tournaments import classify as classify
    from driftduel.tournaments import copeland_set as copeland_set
    from driftduel.tournaments import top_cycle as top_cycle
    from driftduel.tournaments import uncovered_set as uncovered_set
    from driftduel.tournaments import von_neumann_winner as von_neumann_winner
    from driftduel.weights import WeightSequence as WeightSequence

__getattr__, __dir__, __all__ = attach(__name__)
