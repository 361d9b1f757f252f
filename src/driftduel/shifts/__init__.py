"""How much the world moves: every measure of non-stationarity, with its phases."""

from driftduel.shifts.measures import Measures, aligned, measure
from driftduel.shifts.noise import Band, LogMeasures, measure_log
from driftduel.shifts.phases import Phases
from driftduel.shifts.von_neumann import VonNeumannShifts

__all__ = [
    "Band",
    "LogMeasures",
    "Measures",
    "Phases",
    "VonNeumannShifts",
    "aligned",
    "measure",
    "measure_log",
]
