"""How much the world moves: every measure of non-stationarity, with its phases."""

from driftduel.shifts.measures import Measures, aligned, measure
from driftduel.shifts.phases import Phases

__all__ = ["Measures", "Phases", "aligned", "measure"]
