"""One learner on one stream, compiled."""

from driftduel.experiments.simulation.oracles import oracle_of
from driftduel.experiments.simulation.runs import Run, simulate, simulate_many, world_generator

__all__ = ["Run", "oracle_of", "simulate", "simulate_many", "world_generator"]
