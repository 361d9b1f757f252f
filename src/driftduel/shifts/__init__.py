"""How much the world moves: every measure of non-stationarity, with its phases."""

from driftduel.shifts.measures import Measures, aligned, measure
from driftduel.shifts.noise import Band, LogMeasures, measure_log
from driftduel.shifts.phases import Phases

__all__ = ["Band", "LogMeasures", "Measures", "Phases", "aligned", "measure", "measure_log"]
