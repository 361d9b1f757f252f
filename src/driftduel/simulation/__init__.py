"""One learner on one stream, compiled."""

from driftduel.simulation.runs import Run, simulate, simulate_many, world_generator

__all__ = ["Run", "simulate", "simulate_many", "world_generator"]
