"""Many learners, streams and seeds: a spec, a sweep that can be stopped, and its results."""

from driftduel.experiments.results import Results
from driftduel.experiments.spec import Spec, read_spec
from driftduel.experiments.sweep import Progress, Sweep, run_sweep

__all__ = ["Progress", "Results", "Spec", "Sweep", "read_spec", "run_sweep"]
