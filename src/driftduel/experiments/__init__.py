"""Experiments: one run of a learner in a world, and sweeps over many, which can be stopped.

Names are imported on first use, so that `simulate` alone stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftduel._support.lazy import attach

if TYPE_CHECKING:
    from driftduel.experiments import simulation as simulation
    from driftduel.experiments.results import Results as Results
    from driftduel.experiments.spec import Spec as Spec
    from driftduel.experiments.spec import read_spec as read_spec
    from driftduel.experiments.sweep import Progress as Progress
    from driftduel.experiments.sweep import Sweep as Sweep
    from driftduel.experiments.sweep import run_sweep as run_sweep

__getattr__, __dir__, __all__ = attach(__name__)
