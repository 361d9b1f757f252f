"""How much the world moves: every measure of non-stationarity, with its phases."""

from driftduel.worlds.measures.measures import Measures, aligned, measure
from driftduel.worlds.measures.phases import Phases
from driftduel.worlds.measures.von_neumann import VonNeumannShifts

__all__ = [
    "Measures",
    "Phases",
    "VonNeumannShifts",
    "aligned",
    "measure",
]
